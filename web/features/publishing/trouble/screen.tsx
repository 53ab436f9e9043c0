import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import type { Trouble } from '../../../../src/publishing/sending/api.ts'
import { accountsQuery, postQuery } from '../../../queries.ts'
import { useCheckWords, useFailureWords } from '../../../service-words.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import NewTime from '../post/new-time.tsx'
import { PublicationCard } from '../post/publication.tsx'
import TimePassed from '../post/time-passed.tsx'
import { usePostActs } from '../post/use-post-acts.ts'
import { useMoment } from '../../shell/moment.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { FailedEvents } from '../../conversations/failed/failed-events.tsx'
import { failedEventsQuery } from '../../conversations/failed/query.ts'
import { RemovalCard } from './removal.tsx'
import { troubleQuery } from './query.ts'

/** Everything that waits for a person, each with what to do about it. */
export function TroubleScreen() {
  const t = useTranslations('trouble')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listTrouble')
  const query = useInfiniteQuery({ ...troubleQuery(ws), enabled: !refused })
  const { data: accounts = [] } = useQuery({ ...accountsQuery(ws), enabled: !refused })
  const events = useInfiniteQuery({ ...failedEventsQuery(ws), enabled: !refusal(membership, 'listFailedEvents') })
  const missing = events.data?.pages[0]?.count ?? 0
  return (
    <Page title={t('title')}>
      {refused ? (
        <Refused refused={refused} />
      ) : (
        <Loaded query={query} skeleton={<div className="skeleton m-6 h-64" aria-hidden />}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data)
            if (all.length === 0 && missing === 0)
              return (
                <Empty icon={CircleCheck} title={t('none')} role="status">
                  {t('noneBody')}
                </Empty>
              )
            return (
              <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
                {missing > 0 && <FailedEvents accounts={accounts} />}
                {all.length > 0 && (
                  <p className="text-13 text-muted">{t('lead', { count: pages[0]?.count ?? all.length })}</p>
                )}
                <ul className="grid grid-cols-[minmax(0,1fr)] gap-5">
                  {all.map((one) => (
                    <Item key={one.id} trouble={one} accounts={accounts} />
                  ))}
                </ul>
                <More query={query} label={t('more')} />
              </div>
            )
          }}
        </Loaded>
      )}
    </Page>
  )
}

function Item({ trouble, accounts }: { trouble: Trouble; accounts: SocialAccount[] }) {
  const t = useTranslations('trouble')
  const moment = useMoment()
  const failure = useFailureWords()
  const navigate = useNavigate()
  const { ws } = usePlace()
  const acts = usePostActs({ id: trouble.postId })
  const retries = useMay('retryPost')
  const resolves = useMay('resolvePublication')
  const mayRetry = !retries.hidden && !retries.reason
  const { kind, publication, checks, removal, scheduledAt, since } = trouble
  const when = new Date(kind === 'at_risk' ? (scheduledAt ?? since) : since)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="min-w-0 grow basis-60 text-sm font-medium">
          {removal ? (
            <span dir="auto" className="block clip py-0.5 max-sm:py-3">
              {trouble.caption || t('untitled')}
            </span>
          ) : (
            <Link
              to="/w/$ws/posts/$id"
              params={{ ws, id: trouble.postId }}
              dir="auto"
              className="block clip py-0.5 hover:underline max-sm:py-3"
            >
              {trouble.caption || t('untitled')}
            </Link>
          )}
        </h2>
        <p className="text-xs text-muted">
          {t(`kinds.${kind === 'failed' && publication?.error?.code === 'stopped' ? 'stopped' : kind}`)}{' '}
          <time dateTime={when.toISOString()}>{moment(when.toISOString(), 'any')}</time>
        </p>
      </div>
      {kind === 'twice' && publication?.error && (
        <div className="card grid gap-1 p-4 text-13">
          <p className="font-medium">{failure(publication.error).message}</p>
          <p>{failure(publication.error).fix}</p>
          {publication.permalink && (
            <a
              href={publication.permalink}
              target="_blank"
              rel="noreferrer"
              className={buttonClass('secondary', 'sm', 'w-fit')}
            >
              {t('look')}
            </a>
          )}
        </div>
      )}
      {removal && <RemovalCard removal={removal} again={acts.removeAgain} retries={mayRetry} />}
      {publication && kind !== 'twice' && !removal && (
        <ul className="card overflow-hidden">
          <PublicationCard
            publication={publication}
            account={accounts.find(({ id }) => id === publication.accountId)}
            acts={acts}
            mayAct={!resolves.hidden && !resolves.reason}
            retries={mayRetry}
            onEdit={
              kind === 'failed' && mayRetry
                ? (edit) =>
                    void navigate({ to: '/w/$ws/posts/$id', params: { ws, id: trouble.postId }, search: { edit } })
                : null
            }
          />
        </ul>
      )}
      {kind === 'time_passed' && <Late postId={trouble.postId} />}
      {kind === 'at_risk' && <Findings checks={checks} accounts={accounts} />}
      {kind === 'failed' && !publication && <p className="card p-4 text-13">{t('noTarget')}</p>}
      {(kind === 'at_risk' || kind === 'failed') && (
        <Link
          to="/w/$ws/posts/$id"
          params={{ ws, id: trouble.postId }}
          className={buttonClass('secondary', 'sm', 'w-fit')}
        >
          {t('open')}
        </Link>
      )}
    </li>
  )
}

/** Shown for a post approved after its time, with a link to choose a new one. */
function Late({ postId }: { postId: string }) {
  const { ws } = usePlace()
  const { data: post } = useQuery(postQuery(ws, postId))
  const check = post?.checks.find(isTimePassed)
  return post && check ? (
    <TimePassed check={check}>
      <NewTime post={post} />
    </TimePassed>
  ) : (
    <div className="skeleton h-14" aria-hidden />
  )
}

function Findings({ checks, accounts }: { checks: Check[]; accounts: SocialAccount[] }) {
  const words = useCheckWords()
  return (
    <ul className="card grid gap-2 p-4 text-13">
      {checks.map((one) => {
        const { message, fix } = words(
          one,
          accounts.find(({ id }) => id === one.target),
        )
        return (
          <li key={`${one.code} ${one.target} ${one.field}`} className="flex items-start gap-2">
            <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
            <span className="min-w-0 break-words">
              {message} <span className="text-muted">{fix}</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
