import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowDown } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Message, OpenThread } from '../../../../src/conversations/threads/api.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { meQuery } from '../../../queries.ts'
import { keepClear } from '../../../ui/keep-clear.ts'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { useCustomerName } from './customer-avatar.tsx'
import { useMovedEdit } from '../bot/held/use-moved-edit.ts'
import { MessageList } from './message-list.tsx'
import { PostCard } from './post-card.tsx'
import { useInboxProblem } from './problem.ts'
import { useLeaving } from '../../../removals.ts'
import { earlierQuery, OPENED_WITH, threadQuery } from './queries.ts'
import { Answering } from './answering.tsx'
import type { InboxSearch } from './search.ts'
import { ThreadHead } from './thread-head.tsx'
import { ThreadSkeleton } from './thread-skeleton.tsx'
import { useWindow } from './times.ts'
import { useAnswering } from './use-answering.ts'
import { useSeen } from './use-seen.ts'
import { useThreadScroll } from './use-thread-scroll.ts'

const DraftCard = lazy(async () => ({ default: (await import('../bot/held/draft-card.tsx')).DraftCard }))
const ParentCard = lazy(async () => ({ default: (await import('./parent-card.tsx')).ParentCard }))
const NoDraft = lazy(async () => ({ default: (await import('../bot/held/no-draft.tsx')).NoDraft }))
const CountedComments = lazy(async () => ({ default: (await import('./counted.tsx')).CountedComments }))

interface Props {
  id: string
  about: boolean
  onChange: (change: Partial<InboxSearch>) => void
  /** Called after the thread is closed or snoozed. */
  onDone: () => void
}

/** The open thread: its messages, the state of each answer, and the form for the next one. */
export function ThreadPane({ id, about, onChange, onDone }: Props) {
  const { ws } = usePlace()
  const query = useQuery(threadQuery(ws, id))
  return (
    <Loaded query={query} skeleton={<ThreadSkeleton />}>
      {(thread) => <Open thread={thread} about={about} onChange={onChange} onDone={onDone} />}
    </Loaded>
  )
}

function Open({ thread, about, onChange, onDone }: Omit<Props, 'id'> & { thread: OpenThread }) {
  const t = useTranslations('inbox')
  const { ws } = usePlace()
  const problem = useInboxProblem()
  const may = useMay('createMessage')
  const me = useQuery(meQuery).data?.id
  const [wantsEarlier, setWantsEarlier] = useState(false)
  const earlier = useInfiniteQuery({ ...earlierQuery(ws, thread.id), enabled: wantsEarlier })
  const leaving = useLeaving()
  const messages = merged(thread.messages, earlier.data?.pages.flatMap((page) => page.data) ?? []).filter(
    ({ id }) => !leaving.has(id),
  )
  const more = earlier.data ? earlier.hasNextPage : thread.messages.length === OPENED_WITH
  const readEarlier = () => {
    if (earlier.data) void earlier.fetchNextPage()
    else if (earlier.error) void earlier.refetch()
    else setWantsEarlier(true)
  }
  const draft = thread.drafts[0]
  const answering = useAnswering(thread)
  useMovedEdit(thread, answering.show)
  const [typing, setTyping] = useState(false)
  useSeen(thread, typing)
  const { scroller, missed, scrollToEnd } = useThreadScroll(messages, me)
  const hadMore = useRef(more)
  useEffect(() => {
    // The button that had the focus is gone.
    if (hadMore.current && !more && document.activeElement === document.body)
      scroller.current?.focus({ preventScroll: true })
    hadMore.current = more
  }, [more, scroller])
  const window = useWindow()(thread)
  const writes = !may.hidden && window?.state !== 'closed'
  return (
    <>
      <ThreadHead thread={thread} about={about} onChange={onChange} onDone={onDone} />
      <div className="relative flex min-h-0 grow flex-col">
        <div
          ref={scroller}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys
          tabIndex={0}
          role="group"
          aria-label={t('messages')}
          className="min-h-0 grow overflow-y-auto -outline-offset-2!"
        >
          <div className="grid min-h-full grid-cols-[minmax(0,1fr)] content-start gap-3 px-4 py-3">
            {thread.post && <PostCard thread={thread} />}
            <Suspense>{thread.parent && <ParentCard {...thread.parent} />}</Suspense>
            {thread.comments && (
              <Suspense>
                <CountedComments thread={thread} comments={thread.comments} />
              </Suspense>
            )}
            {more && (
              <div className="grid justify-items-center gap-2">
                <Button size="sm" busy={earlier.isFetching} onClick={readEarlier}>
                  {t('earlier')}
                </Button>
                {earlier.error && !earlier.isFetching && <FormError>{problem(earlier.error)}</FormError>}
              </div>
            )}
            <MessageList
              thread={thread}
              messages={messages}
              onAnswer={may.hidden ? undefined : answering.answer}
              onAgain={writes ? (failed) => answering.again(failed, messages) : undefined}
            />
          </div>
        </div>
        {missed > 0 && (
          <Button
            variant="primary"
            size="sm"
            className="absolute! inset-x-0 bottom-2 mx-auto w-fit rounded-full! shadow-pop"
            onClick={scrollToEnd}
          >
            <ArrowDown className="size-3.5" aria-hidden />
            {t('newMessages', { count: missed })}
          </Button>
        )}
        <Heard thread={thread} />
      </div>
      <div ref={keepClear} className="shrink-0">
        <Suspense>
          {draft ? (
            <DraftCard key={draft.id} draft={draft} />
          ) : (
            thread.customer &&
            (thread.decisionId !== null || thread.unansweredAt !== null) && <NoDraft thread={thread} />
          )}
        </Suspense>
        {!may.hidden && (
          <Answering
            thread={thread}
            messages={messages}
            answering={answering}
            refused={may.reason}
            onTyping={setTyping}
          />
        )}
      </div>
    </>
  )
}

/** Tells users of screen readers what the customer writes while the thread is open. */
function Heard({ thread }: { thread: OpenThread }) {
  const t = useTranslations('inbox')
  const name = useCustomerName()(thread)
  const newest = thread.messages.findLast(({ direction }) => direction === 'IN')
  const [first] = useState(newest?.id)
  return (
    <p role="status" className="sr-only">
      {newest && newest.id !== first && `${t('wrote', { name })} ${newest.text ?? t('noText')}`}
    </p>
  )
}

/** Merges both lists without duplicates, oldest first. */
function merged(newest: Message[], earlier: Message[]): Message[] {
  if (earlier.length === 0) return newest
  const known = new Map([...earlier, ...newest].map((one) => [one.id, one]))
  return [...known.values()].toSorted((a, b) => a.at.localeCompare(b.at) || a.id.localeCompare(b.id))
}
