import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CircleCheckBig } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import { More } from '../../../ui/more.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Strip } from '../../../ui/strip.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { BulkBar, BulkResults } from './bulk-bar.tsx'
import { Detail, DetailSkeleton } from './detail.tsx'
import { QueueRow } from './queue-row.tsx'
import { type ApprovalState, STATES } from './states.ts'
import { approvalsQuery } from './queries.ts'
import { type Result, useApproveMany } from './use-bulk.ts'

interface Props {
  state: ApprovalState | 'ALL'
  /** The id of the open request, or of its post. */
  id: string | null
}

/** Pending and decided requests: the queue, and the open one. */
export function ApprovalsScreen({ state, id }: Props) {
  const t = useTranslations('approvals')
  const features = useTranslations('states.features')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listApprovals')
  const many = useApproveMany()
  const query = useInfiniteQuery({
    ...approvalsQuery(ws, state === 'ALL' ? undefined : state),
    enabled: !refused,
  })
  if (refused)
    return (
      <Page title={features('approvals')}>
        <Refused refused={refused} />
      </Page>
    )
  return (
    <Page title={features('approvals')}>
      <Strip aria-label={t('filters')} className="flex-wrap gap-1 border-b px-3 py-2 lg:px-5">
        {([...STATES, 'ALL'] as const).map((one) => (
          <Link
            key={one}
            to="/w/$ws/approvals"
            params={{ ws }}
            search={one === 'PENDING' ? {} : { state: one }}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={state === one ? 'true' : undefined}
            className={clsx(
              'flex min-h-8 items-center justify-center rounded-full px-3 text-13 font-medium max-sm:min-h-11 max-sm:min-w-11',
              state === one ? 'bg-accent-soft text-accent-text' : 'text-muted hover:bg-hover hover:text-fg',
            )}
          >
            {t(`states.${one}`)}
          </Link>
        ))}
      </Strip>
      <Loaded query={query} skeleton={<DetailSkeleton />}>
        {({ pages }) => {
          // A request whose position changes between two page loads can appear on both pages.
          const requests = [...new Map(pages.flatMap(({ data }) => data).map((one) => [one.id, one])).values()]
          const decides = state === 'PENDING' && !refusal(membership, 'approveRequest')
          const nothing = (
            <Empty icon={CircleCheckBig} title={t(state === 'PENDING' ? 'nothingWaits' : 'nothing')} role="status">
              {state === 'PENDING' && t('nothingWaitsBody')}
            </Empty>
          )
          return (
            <Queue
              // The rows of the previous filter must not pin their first request.
              key={`${state} ${query.isPlaceholderData}`}
              many={many}
              requests={requests}
              id={id}
              decides={decides}
              nothing={nothing}
              more={<More query={query} label={t('more')} className="p-3 text-center" />}
            />
          )
        }}
      </Loaded>
    </Page>
  )
}

interface QueueProps {
  many: ReturnType<typeof useApproveMany>
  requests: ListedApproval[]
  id: string | null
  decides: boolean
  /** Shown in place of an empty list. */
  nothing: React.ReactNode
  more: React.ReactNode
}

function Queue({ many, requests: listed, id, decides, nothing, more }: QueueProps) {
  const t = useTranslations('approvals')
  const navigate = useNavigate({ from: '/w/$ws/approvals' })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const mine = decides ? listed.filter((one) => one.waitsForCaller) : listed
  const others = decides ? listed.filter((one) => !one.waitsForCaller) : []
  const requests = [...mine, ...others]
  const [byKey, setByKey] = useState(false)
  const { pinned, pin, end } = usePinned(requests, id, many.run?.results)
  const at = requests.findIndex((one) => one.id === pinned?.id)
  const current = requests[at] ?? pinned
  const isOpen = current !== undefined && (current.id === id || current.postId === id)
  const go = (next: ListedApproval | undefined) => {
    pin(next)
    void navigate({ search: ({ id: _, ...before }) => (next ? { ...before, id: next.id } : before), replace: true })
  }
  const step = (by: number) => {
    setByKey(true)
    const next = requests[at + by]
    if (next) go(next)
  }
  useShortcuts({ j: () => step(1), k: () => step(-1) })
  const latest = useRef(current)
  latest.current = current
  const decided = (request: ListedApproval) => {
    end(request.id)
    // The person may have opened another request before the answer came.
    if (latest.current?.id === request.id) go(requests[at + 1] ?? requests[at - 1])
  }
  const select =
    ({ id: one }: ListedApproval) =>
    (on: boolean) =>
      setSelected((now) => new Set(on ? [...now, one] : [...now].filter((other) => other !== one)))
  const row = (request: ListedApproval, selects: boolean) => (
    <QueueRow
      key={request.id}
      request={request}
      open={request.id === current?.id}
      focuses={byKey}
      selected={selected.has(request.id)}
      onSelect={selects ? select(request) : undefined}
    />
  )
  if (requests.length === 0 && !current)
    return (
      <>
        {decides && <BulkResults many={many} />}
        {nothing}
      </>
    )
  return (
    <div className="grid grow grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_minmax(0,3fr)]">
      <section aria-label={t('queue')} className={clsx('min-w-0 lg:border-e', isOpen && 'max-lg:hidden')}>
        {decides && mine.length > 0 && (
          <BulkBar
            many={many}
            shown={mine}
            selected={mine.filter((one) => selected.has(one.id))}
            onSelect={(ids) => setSelected(new Set(ids))}
          />
        )}
        {decides && mine.length === 0 && <BulkResults many={many} />}
        <ul className="divide-y border-b empty:hidden">{mine.map((request) => row(request, decides))}</ul>
        {others.length > 0 && (
          <>
            <h2 id="others-title" className="px-4 pt-4 pb-2 text-xs font-medium text-muted">
              {t('forClient')}
            </h2>
            <ul aria-labelledby="others-title" className="divide-y border-y">
              {others.map((request) => row(request, false))}
            </ul>
          </>
        )}
        {requests.length === 0 && nothing}
        {more}
      </section>
      <section aria-label={t('opened')} className={clsx('min-w-0', !isOpen && 'max-lg:hidden')}>
        {current && <Detail key={current.id} request={current} onDecided={() => decided(current)} />}
      </section>
    </div>
  )
}

/**
 * The shown request. It changes by a row, a key, the address, or the person's own decision. A refetch never replaces
 * it, so that a decision or a comment cannot reach another post, even if the request has left the list.
 */
function usePinned(requests: ListedApproval[], id: string | null, results: Result[] = []) {
  const named = requests.find((one) => one.id === id || one.postId === id)
  const [pinned, pin] = useState(named)
  const [followed, setFollowed] = useState(id)
  const [decided, setDecided] = useState<ReadonlySet<string>>(() => new Set())
  const end = (one: string) => setDecided((before) => new Set(before).add(one))
  const isEnded = (one: ListedApproval) =>
    decided.has(one.id) || results.some(({ request, why }) => why === null && request.id === one.id)
  const isListed = requests.some((one) => one.id === pinned?.id)
  // A request that the list does not have yet is opened once it comes.
  if (followed !== id && (named || id === null)) {
    setFollowed(id)
    if (named) pin(named)
  } else if (pinned && !isListed && isEnded(pinned)) {
    pin(undefined)
  } else if (!pinned) {
    const first = requests.find((one) => !isEnded(one))
    if (first) pin(first)
  }
  return { pinned, pin, end }
}
