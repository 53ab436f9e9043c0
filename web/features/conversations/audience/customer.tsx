import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, Pencil, UserX } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { OpenAudienceNode } from '../../../../src/conversations/audience/api.ts'
import { call, isProblem } from '../../../client.ts'
import { saveAs } from '../../../download.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Rows } from '../../../ui/row.tsx'
import { DetailPage } from '../../shell/detail-page.tsx'
import { useMoment } from '../../shell/moment.ts'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { useLanguageName } from '../language.ts'
import { LastWords } from '../inbox/last-words.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import { NotRead } from './not-read.tsx'
import { Pairs } from './pairs.tsx'
import { customerNodeQuery, pairsQuery } from './queries.ts'
import { Tags, useNodeName } from './words.tsx'

/** One customer: score, names on the networks, and all conversations. */
export function CustomerScreen({ id }: { id: string }) {
  const t = useTranslations('audience')
  const { ws } = usePlace()
  const nameOf = useNodeName()
  return (
    <DetailPage
      operation="getCustomer"
      query={customerNodeQuery(ws, id)}
      nameOf={nameOf}
      title={t('title')}
      list={{ to: '/w/$ws/audience', label: t('all') }}
      actions={(customer) => <Acts customer={customer} />}
    >
      {(customer) => (
        <>
          <About customer={customer} />
          {customer.lastMerge && <LastMerge customer={customer} merge={customer.lastMerge} />}
          <PairsOf id={customer.id} />
          <Identities customer={customer} />
          <Threads customer={customer} />
        </>
      )}
    </DetailPage>
  )
}

function Acts({ customer }: { customer: OpenAudienceNode }) {
  const t = useTranslations('audience')
  const edit = useMay('updateCustomer')
  const erase = useMay('eraseCustomer')
  const take = useMay('exportCustomer')
  const { ws } = usePlace()
  const problem = useProblemText()
  const download = useMutation({
    mutationFn: () => call('exportCustomer', { workspace: ws, params: { id: customer.id } }),
    onSuccess: (all) => saveAs(new Blob([JSON.stringify(all, null, 2)], { type: 'application/json' }), 'customer.json'),
    onError: (error) => toast.error(problem(error)),
  })
  const [asking, setAsking] = useState<'edit' | 'erase' | null>(null)
  const close = () => setAsking(null)
  return (
    <>
      {!take.hidden && (
        <Button variant="ghost" reason={take.reason} busy={download.isPending} onClick={() => download.mutate()}>
          <Download className="size-4" aria-hidden />
          {t('export')}
        </Button>
      )}
      {!erase.hidden && (
        <Button variant="ghost" className="text-bad" reason={erase.reason} onClick={() => setAsking('erase')}>
          <UserX className="size-4" aria-hidden />
          {t('erase.title')}
        </Button>
      )}
      {!edit.hidden && (
        <Button reason={edit.reason} onClick={() => setAsking('edit')}>
          <Pencil className="size-4" aria-hidden />
          {t('edit')}
        </Button>
      )}
      {asking === 'edit' && <EditDialog customer={customer} onClose={close} />}
      {asking === 'erase' && <EraseDialog customer={customer} onClose={close} />}
    </>
  )
}

function About({ customer }: { customer: OpenAudienceNode }) {
  const t = useTranslations('audience')
  const format = useFormatter()
  const moment = useMoment()
  const languages = useLanguageName()
  const { engagement, lastSeen, language, tags } = customer
  return (
    <div className="card grid gap-4 p-4">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <p className="text-2xl font-semibold tabular-nums">
          <span className="sr-only">{t('score')} </span>
          <bdi dir="ltr">{format.number(Math.round(engagement))}</bdi>
        </p>
        <p className="min-w-0 grow basis-60 text-13 text-muted">{t('scoreWhy')}</p>
      </div>
      <dl className="grid gap-x-6 gap-y-2 text-13 sm:grid-cols-3">
        <Fact name={t('seen')}>{lastSeen ? moment(lastSeen, 'any') : t('never')}</Fact>
        <Fact name={t('language')}>{language ? languages(language) : t('noLanguage')}</Fact>
        <Fact name={t('tags')}>{tags.length > 0 ? <Tags tags={tags} /> : t('noTags')}</Fact>
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="break-words">{children}</dd>
  </div>
)

/** A section of the screen with its heading. */
function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 id={id} className="text-13 font-semibold">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** The newest merge, while it can still be undone. */
function LastMerge({
  customer,
  merge,
}: {
  customer: OpenAudienceNode
  merge: NonNullable<OpenAudienceNode['lastMerge']>
}) {
  const t = useTranslations('audience.pairs')
  const problem = useProblemText()
  const moment = useMoment()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('unmergeCustomer')
  const undo = useMutation({
    mutationFn: () => call('unmergeCustomer', { workspace: ws, params: { id: customer.id } }),
    onSuccess: () => toast.success(t('undone')),
    onError: (error) => toast.error(isProblem(error, 'invalid_state') ? t('tooLate') : problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'audience'] }),
  })
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-sunken px-4 py-3 text-13">
      <p className="min-w-0 grow basis-60 break-words">
        {t(merge.name ? 'mergedWith' : 'mergedWithUnnamed', {
          name: merge.name,
          time: moment(merge.at, 'any'),
          until: moment(merge.undoUntil, 'any'),
        })}
      </p>
      {!may.hidden && (
        <Button size="sm" reason={may.reason} busy={undo.isPending} onClick={() => undo.mutate()}>
          {t('undo')}
        </Button>
      )}
    </div>
  )
}

function PairsOf({ id }: { id: string }) {
  const t = useTranslations('audience')
  const { ws, membership } = usePlace()
  const query = useQuery({ ...pairsQuery(ws, id), enabled: !refusal(membership, 'listPairs') })
  const { data: pairs = [] } = query
  if (query.isLoadingError) return <NotRead query={query}>{t('pairs.notRead')}</NotRead>
  if (pairs.length === 0) return null
  return (
    <Section title={t('pairs.title')}>
      <Pairs pairs={pairs} of={id} />
    </Section>
  )
}

function Identities({ customer }: { customer: OpenAudienceNode }) {
  const t = useTranslations('audience')
  const moment = useMoment()
  const { ws, membership } = usePlace()
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'listSocialAccounts') }).data ?? []
  return (
    <Section title={t('identities')}>
      <Rows aria-label={t('identities')}>
        {customer.identities.map((one) => (
          <li key={one.id} className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-13">
            <NetworkMark platform={one.platform} label small />
            <bdi dir="ltr" className="min-w-0 break-all font-medium">
              {one.username ? `@${one.username}` : t('noUsername')}
            </bdi>
            <span className="min-w-0 grow basis-40 text-xs text-muted">
              {t('wroteTo', { account: accounts.find(({ id }) => id === one.accountId)?.name ?? '' })}
              {one.lastSeen && ` · ${moment(one.lastSeen)}`}
            </span>
          </li>
        ))}
      </Rows>
    </Section>
  )
}

function Threads({ customer }: { customer: OpenAudienceNode }) {
  const t = useTranslations('audience')
  const inbox = useTranslations('inbox')
  const moment = useMoment()
  const { ws } = usePlace()
  return (
    <Section title={t('threads')}>
      {customer.threads.length === 0 ? (
        <p className="text-13 text-muted">{t('noThreads')}</p>
      ) : (
        <Rows aria-label={t('threads')}>
          {customer.threads.map((one) => (
            <li key={one.id}>
              <Link
                to="/w/$ws/inbox"
                params={{ ws }}
                search={{ filter: 'all', id: one.id }}
                className="flex min-h-11 items-center gap-3 px-4 py-2 text-13 hover:bg-hover"
              >
                <NetworkMark platform={one.platform} label small />
                <span className="grid min-w-0 grow grid-cols-[minmax(0,1fr)]">
                  <LastWords message={one} className="font-medium" />
                  <span className="clip text-xs text-muted">
                    {inbox(`kinds.${one.kind}`)}
                    {one.status === 'CLOSED' && ` · ${inbox('statuses.CLOSED')}`}
                    {one.lastInAt && ` · ${moment(one.lastInAt)}`}
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}
