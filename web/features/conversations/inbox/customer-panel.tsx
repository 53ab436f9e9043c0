import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, Plus, Tag } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { OpenThread, Thread } from '../../../../src/conversations/threads/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { accountsQuery } from '../../../queries.ts'
import { withKey } from '../../../shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { LabelChip } from '../../../ui/label-chip.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { LabelMenu } from '../../team/labels/label-menu.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { MemoryList } from '../bot/memory/memory-list.tsx'
import { useLanguageName } from '../language.ts'
import { CustomerAvatar, useCustomerName } from './customer-avatar.tsx'
import { EraseCustomer } from './erase-customer.tsx'
import { LastWords } from './last-words.tsx'
import { customerQuery, MOST_THREADS, threadQuery } from './queries.ts'
import { ReplyStyle } from './reply-style.tsx'
import { useShortTime } from './times.ts'
import { UrgencySign } from './urgency.tsx'
import { useThreadActs } from './use-acts.ts'
import { DAY } from '../../../time.ts'

interface Props {
  id: string
  onClose: () => void
}

/** The customer of the open thread. */
export function CustomerPanel({ id, onClose }: Props) {
  const { ws } = usePlace()
  const query = useQuery(threadQuery(ws, id))
  return (
    <Loaded query={query} skeleton={<div className="skeleton m-4 h-10" aria-hidden />}>
      {(thread) => <About thread={thread} onClose={onClose} />}
    </Loaded>
  )
}

function About({ thread, onClose }: { thread: OpenThread; onClose: () => void }) {
  const t = useTranslations('inbox')
  const languages = useLanguageName()
  const format = useFormatter()
  const { ws, workspace, membership } = usePlace()
  const account = useQuery({
    ...accountsQuery(ws),
    enabled: !refusal(membership, 'listSocialAccounts'),
  }).data?.find((one) => one.id === thread.accountId)
  const { customer } = thread
  const name = useCustomerName()(thread)
  const known = useQuery({ ...customerQuery(ws, customer?.id ?? ''), enabled: customer !== null }).data
  const threads = customer ? known : []
  // The oldest of the loaded threads is the customer's first only if all are loaded.
  const first =
    threads && threads.length < MOST_THREADS
      ? [thread, ...threads].map(({ openedAt }) => Date.parse(openedAt)).toSorted((a, b) => a - b)[0]
      : undefined
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 p-4">
      <div className="flex items-center gap-3">
        <Button
          variant="ghost"
          size="icon"
          className="-ms-2 xl:hidden"
          aria-label={t('backToThread')}
          onClick={onClose}
        >
          <ArrowLeft className="size-5 rtl:rotate-180" aria-hidden />
        </Button>
        <CustomerAvatar thread={thread} className="size-10" />
        <div className="min-w-0 grow">
          <h2 className="clip text-13 font-semibold max-sm:text-base">
            <bdi>{name}</bdi>
          </h2>
          {customer?.username && (
            <p className="clip text-xs text-muted">
              <bdi dir="ltr">@{customer.username}</bdi>
            </p>
          )}
        </div>
      </div>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-y-1.5 text-xs max-sm:text-13">
        <Fact name={t('account')}>
          {account ? <bdi className="clip">{account.name}</bdi> : NETWORKS[thread.platform].short}
        </Fact>
        {thread.urgency !== null && (
          <Fact name={t('urgency')}>
            <UrgencySign urgency={thread.urgency} />
            {t(`urgencies.${thread.urgency}`)}
          </Fact>
        )}
        {thread.language && <Fact name={t('language')}>{languages(thread.language)}</Fact>}
        {first !== undefined && (
          <Fact name={t(customer ? 'firstContact' : 'counted.first')}>
            {format.dateTime(first, { ...DAY, timeZone: workspace.timezone })}
          </Fact>
        )}
        <Fact name={t('labels')}>
          <Labels thread={thread} />
        </Fact>
        {customer && !customer.erased && membership.role !== 'CLIENT' && (
          <Fact name={t('style.name')}>
            <ReplyStyle thread={thread} />
          </Fact>
        )}
      </dl>
      {customer && (
        <>
          {membership.role !== 'CLIENT' && <MemoryList conversationId={thread.id} />}
          <Earlier threads={threads?.filter(({ id }) => id !== thread.id) ?? []} />
          {!customer.erased && !refusal(membership, 'getCustomer') && (
            <Link
              to="/w/$ws/audience/$id"
              params={{ ws, id: customer.id }}
              className="inline-flex min-h-6 items-center justify-self-start text-xs font-medium underline max-sm:min-h-11"
            >
              {t('openCustomer')}
            </Link>
          )}
          <EraseCustomer thread={thread} customer={customer} />
        </>
      )}
    </div>
  )
}

/** The other threads of the customer. */
function Earlier({ threads: others }: { threads: Thread[] }) {
  const t = useTranslations('inbox')
  const short = useShortTime()
  const { ws } = usePlace()
  if (others.length === 0) return null
  return (
    <section aria-labelledby="earlier-title" className="grid grid-cols-[minmax(0,1fr)] gap-1 border-t pt-3">
      <h3 id="earlier-title" className="flex justify-between text-xs font-semibold text-muted">
        {t('otherThreads')}
        <bdi className="font-normal tabular-nums">{others.length}</bdi>
      </h3>
      <ul className="-mx-2 grid grid-cols-[minmax(0,1fr)]">
        {others.map((one) => (
          <li key={one.id}>
            <Link
              to="/w/$ws/inbox"
              params={{ ws }}
              search={{ filter: 'all', id: one.id }}
              className="flex min-h-11 items-center gap-2 rounded-md px-2 text-xs hover:bg-hover"
            >
              <NetworkMark platform={one.platform} small />
              <span className="grid min-w-0 grow grid-cols-[minmax(0,1fr)]">
                <LastWords message={one.lastMessage} className="font-medium" />
                <span className="clip text-muted">
                  {t(`kinds.${one.kind}`)}
                  {one.status === 'CLOSED' && ` · ${t('statuses.CLOSED')}`}
                </span>
              </span>
              <span className="shrink-0 self-start pt-1 text-muted tabular-nums">
                {short(one.lastMessage?.at ?? one.openedAt)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="flex text-muted items-center max-sm:min-h-11">{name}</dt>
    <dd className="flex min-h-5 min-w-0 flex-wrap items-center gap-1 max-sm:min-h-11">{children}</dd>
  </>
)

function Labels({ thread }: { thread: OpenThread }) {
  const t = useTranslations('inbox')
  const words = useTranslations('labels')
  const may = useMay('updateConversation')
  const acts = useThreadActs(thread)
  const { labels } = thread
  return (
    <>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {labels.length === 0 && may.hidden && t('none')}
      {!may.hidden && (
        <LabelMenu
          label={words('title')}
          creates
          chosen={new Set(labels.map(({ id }) => id))}
          onToggle={acts.toggleLabel}
          trigger={(props) => (
            <Button
              variant="ghost"
              size="sm"
              reason={may.reason}
              {...props}
              data-menu="labels"
              aria-keyshortcuts="L"
              title={withKey(words('add'), 'L')}
              className="-ms-1.5 px-1.5! text-xs! sm:min-h-6! pointer-coarse:min-h-11!"
            >
              {labels.length > 0 ? <Plus className="size-3.5" aria-hidden /> : <Tag className="size-3.5" aria-hidden />}
              <span className={labels.length > 0 ? 'sr-only' : undefined}>{words('add')}</span>
            </Button>
          )}
        />
      )}
    </>
  )
}
