import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft, CircleCheckBig } from 'lucide-react'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { DraftReply } from '../../../../../src/conversations/decisions/api.ts'
import { useShortcuts } from '../../../../shortcuts.ts'
import { isProblem } from '../../../../client.ts'
import { buttonClass } from '../../../../ui/button.tsx'
import { More } from '../../../../ui/more.tsx'
import { Page } from '../../../../ui/page.tsx'
import { Empty } from '../../../../ui/empty.tsx'
import { Loaded } from '../../../../ui/states.tsx'
import { Refused } from '../../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../../shell/workspace.tsx'
import { draftQuery, draftsQuery } from '../queries.ts'
import { useSureness } from '../degree.ts'
import { Review } from './review.tsx'
import { useReview } from './use-review.ts'

/** All draft replies, one after another. */
export function ReviewScreen() {
  const t = useTranslations('why.review')
  const sent = useTranslations('why.sent')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'listDraftReplies')
  const query = useInfiniteQuery({ ...draftsQuery(ws), enabled: !refused })
  const up = (
    <Link
      to="/w/$ws/inbox"
      params={{ ws }}
      search={{ filter: 'review' }}
      aria-label={t('back')}
      className={buttonClass('ghost', 'icon', '-ms-2')}
    >
      <ArrowLeft className="size-5 rtl:rotate-180" aria-hidden />
    </Link>
  )
  return (
    <Page
      title={t('title')}
      up={up}
      actions={
        <Link to="/w/$ws/inbox/sent" params={{ ws }} className={buttonClass('ghost', 'sm')}>
          {sent('title')}
        </Link>
      }
    >
      {refused ? (
        <Refused refused={refused} />
      ) : (
        <Loaded query={query} skeleton={<div className="skeleton m-6 h-64" aria-hidden />}>
          {({ pages }) => <Queue drafts={pages.flatMap((page) => page.data)} query={query} />}
        </Loaded>
      )}
    </Page>
  )
}

/** The number of drafts left at which the next page is loaded. */
const FEW = 5

interface QueueProps {
  /** Oldest first. */
  drafts: DraftReply[]
  query: ComponentProps<typeof More>['query'] & { isFetchNextPageError: boolean }
}

function Queue({ drafts: waiting, query }: QueueProps) {
  const t = useTranslations('why.review')
  const format = useFormatter()
  const { ws } = usePlace()
  const may = useMay('approveDraftReply')
  const review = useReview()
  const drafts = waiting.filter(({ id }) => !review.taken.has(id))
  // The shown draft. Only the person changes it, so that a key or a press cannot reach another draft after a refetch.
  const [pinned, setPinned] = useState<DraftReply | undefined>()
  const [focuses, setFocuses] = useState(false)
  const at = drafts.findIndex(({ id }) => id === pinned?.id)
  if (drafts[0] && (!pinned || review.taken.has(pinned.id))) setPinned(drafts[0])
  const draft = drafts[at] ?? (pinned && review.taken.has(pinned.id) ? undefined : pinned)
  const gone = useGone(at === -1 ? draft : undefined)
  const open = (next: DraftReply | undefined, focus: boolean) => {
    setPinned(next)
    setFocuses(focus)
  }
  const step = (by: number) => open(drafts[Math.min(drafts.length - 1, Math.max(0, at + by))] ?? draft, true)
  const following = drafts[at + 1] ?? drafts[0]
  const next = gone !== null || drafts.length > 1 ? () => open(following, true) : undefined
  useShortcuts({ j: () => step(1), k: () => step(-1), n: () => next?.() })
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const fetches = drafts.length < FEW && hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (fetches) void fetchNextPage()
  }, [fetches, fetchNextPage])
  const more = <More query={query} label={t('more')} className="p-3 text-center" />
  const late = review.late && (
    <p role="alert" className="max-w-3xl rounded-md bg-warn-soft px-3 py-2 text-13 text-warn">
      <bdi className="font-semibold">{review.late.customer}</bdi>: {review.late.said}
    </p>
  )
  if (!draft)
    return (
      <>
        {late && <div className="p-4 lg:p-6">{late}</div>}
        {hasNextPage ? (
          more
        ) : (
          <Empty
            icon={CircleCheckBig}
            title={t('none')}
            role="status"
            actions={
              <Link to="/w/$ws/inbox" params={{ ws }} className={buttonClass('secondary')}>
                {t('inbox')}
              </Link>
            }
          >
            {review.done > 0 ? t('done', { count: review.done }) : t('noneBody')}
          </Empty>
        )}
      </>
    )
  return (
    <div className="grid grow grid-cols-[minmax(0,1fr)] lg:grid-cols-[19.5rem_minmax(0,1fr)]">
      <section aria-label={t('list')} className="min-h-0 border-e max-lg:hidden">
        <ol>
          {drafts.map((one) => (
            <Row key={one.id} draft={one} open={one.id === draft.id} onOpen={() => open(one, false)} />
          ))}
        </ol>
        {more}
      </section>
      <div className="grid content-start gap-3 p-4 lg:p-6">
        <p role="status" className="flex flex-wrap items-center gap-x-3 text-xs text-muted tabular-nums">
          <span>{t('left', { count: drafts.length })}</span>
          {review.done > 0 && <span>{t('done', { count: review.done })}</span>}
          {review.pending > 0 && <span>{t('sending', { count: format.number(review.pending) })}</span>}
        </p>
        {late}
        <Review
          key={draft.id}
          draft={draft}
          works={!may.hidden && !may.reason}
          gone={gone}
          edited={review.edits.get(draft.id)}
          onEdit={(text) => (text === null ? review.edits.delete(draft.id) : review.edits.set(draft.id, text))}
          focuses={focuses}
          onChoice={(choice) => {
            open(drafts[at + 1] ?? drafts[at - 1], true)
            review.decide(draft, choice)
          }}
          onNext={next}
        />
        <div className="lg:hidden">{more}</div>
      </div>
    </div>
  )
}

/** Why a draft has left the list, as text; null if it still waits, or until the reason is known. */
function useGone(draft: DraftReply | undefined): string | null {
  const t = useTranslations('why.draft.problems')
  const { ws } = usePlace()
  const { data, error } = useQuery(draftQuery(ws, draft?.id))
  if (!draft || data?.state === 'PENDING_REVIEW') return null
  return data ? t(data.state) : isProblem(error, 'not_found') ? t('other') : null
}

function Row({ draft, open, onOpen }: { draft: DraftReply; open: boolean; onOpen: () => void }) {
  const sureness = useSureness()
  const short = useTranslations('why.short')
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (open) row.current?.scrollIntoView({ block: 'nearest' })
  }, [open])
  const { reason, confidence, threshold } = draft
  return (
    <li ref={row} className={clsx('border-b', open ? 'bg-accent-soft' : 'hover:bg-hover')}>
      <button
        type="button"
        aria-current={open ? 'true' : undefined}
        className="grid min-h-(--row) w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 px-4 py-1.5 text-start -outline-offset-2!"
        onClick={onOpen}
      >
        <bdi className="clip text-13 font-medium">{draft.customer}</bdi>
        <span className="row-span-2 rounded-sm bg-hold-soft px-1.5 text-xs leading-5 font-medium text-hold tabular-nums">
          {reason === 'confidence' ? sureness(confidence, threshold) : short(reason as 'cap')}
        </span>
        <span dir="auto" className="clip text-xs text-muted">
          {draft.question}
        </span>
      </button>
    </li>
  )
}
