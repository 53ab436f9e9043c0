import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CalendarClock, ChevronDown, Lightbulb } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Suggestion } from '../../../../src/assistant/ai/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { fileUrl } from '../../../files.ts'
import { postsQuery } from '../../../queries.ts'
import { wallTime } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { Thumb } from '../../../ui/row.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { suggestionsQuery } from '../../assistant/ai/queries.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useDraggable } from './drag.ts'
import { type CalendarEntry, isUnscheduled } from './entry.ts'
import { useAgo } from '../../../now.ts'
import { useMoving } from './moving.ts'

interface Props {
  narrow: boolean
}

/** A draft in the shape of a calendar entry. */
const entryOf = (post: Post): CalendarEntry => ({
  id: post.id,
  status: post.status,
  happensAt: post.happensAt,
  scheduledAt: post.scheduledAt,
  caption: post.caption,
  platforms: [...new Set(post.publications.flatMap((one) => (one.dropped ? [] : [one.platform])))],
  labels: post.labels,
  thumbnailUrl: post.media[0]?.file.thumbnailUrl ?? null,
  stopped: false,
  problems: 0,
  approval: post.approval,
  approved: post.approved,
  version: post.version,
})

/** The fields of an entry for a suggestion that is not written yet. */
const BLANK = {
  status: 'DRAFT',
  happensAt: new Date(0).toISOString(),
  scheduledAt: null,
  platforms: [],
  labels: [],
  thumbnailUrl: null,
  stopped: false,
  problems: 0,
  approval: null,
  approved: false,
  version: 0,
} as const satisfies Partial<CalendarEntry>

/** Drafts without a time, and suggestions, to drag to a day. */
export default function Unscheduled({ narrow }: Props) {
  const t = useTranslations('calendar')
  const { ws, membership } = usePlace()
  const drafts = useInfiniteQuery(postsQuery(ws, { status: 'DRAFT' }))
  const { data: ideas = [] } = useQuery({
    ...suggestionsQuery(ws),
    enabled: !refusal(membership, 'listSuggestions'),
  })
  const [open, setOpen] = useState(!narrow)
  const posts = (drafts.data?.pages ?? []).flatMap(({ data }) => data).filter(isUnscheduled)
  const count = posts.length + ideas.length
  const list = (
    <>
      <Loaded query={drafts} skeleton={<div className="skeleton h-14" aria-hidden />}>
        {() =>
          posts.length > 0 && (
            <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
              {posts.map((post) => (
                <Draft key={post.id} post={post} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {/* Ideas are shown while the drafts load, and also if they fail to. */}
      {ideas.length > 0 && (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {ideas.map((idea) => (
            <Idea key={idea.id} idea={idea} />
          ))}
        </ul>
      )}
    </>
  )
  const more = <More query={drafts} label={t('moreDrafts')} small={!narrow} className="grid" />
  if (narrow)
    return count === 0 && !drafts.hasNextPage && !drafts.error ? null : (
      <section aria-label={t('unscheduled')} className="bg-bg px-4 pb-4">
        <button
          type="button"
          aria-expanded={open}
          className="flex min-h-11 w-full items-center gap-2 font-medium"
          onClick={() => setOpen(!open)}
        >
          {!drafts.data || drafts.hasNextPage ? t('unscheduled') : t('unscheduledCount', { count })}
          <ChevronDown className={clsx('ms-auto size-4 text-muted', open && 'rotate-180')} aria-hidden />
        </button>
        {open && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
            {list}
            {more}
          </div>
        )}
      </section>
    )
  return (
    <aside
      aria-label={t('unscheduled')}
      className="sticky top-0 grid max-h-dvh w-52 shrink-0 grid-cols-[minmax(0,1fr)] content-start gap-2 self-start overflow-y-auto border-s bg-bg px-2 pb-4"
    >
      <h2 className="flex h-8 items-center gap-2 px-1 text-xs font-semibold">
        {t('unscheduled')}
        {drafts.data && <span className="font-normal text-faint">{drafts.hasNextPage ? `${count}+` : count}</span>}
      </h2>
      {list}
      {drafts.data && <p className="px-1 text-xs text-muted">{t(count > 0 ? 'unscheduledHint' : 'unscheduledNone')}</p>}
      {more}
    </aside>
  )
}

function Draft({ post }: { post: Post }) {
  const t = useTranslations('calendar')
  const ago = useAgo()
  const { ws } = usePlace()
  const { movable, choose } = useMoving()
  const element = useRef<HTMLLIElement>(null)
  const entry = entryOf(post)
  const dragging = useDraggable(element, entry, movable(entry))
  const caption = post.caption || t('untitled')
  return (
    <li
      ref={element}
      data-chip
      className={clsx(
        'card relative flex gap-2 p-2 shadow-card',
        movable(entry) && 'cursor-grab',
        dragging && 'opacity-40',
      )}
    >
      <Thumb url={fileUrl(entry.thumbnailUrl)} className="size-9" />
      <div className="min-w-0 grow">
        <Link
          to="/w/$ws/posts/$id"
          params={{ ws, id: post.id }}
          draggable={false}
          dir="auto"
          className="line-clamp-2 text-xs break-words after:absolute after:inset-0"
        >
          {caption}
        </Link>
        <p className="mt-1 flex min-w-0 items-center gap-1.5 text-2xs text-muted">
          <NetworkMarks platforms={entry.platforms} />
          <span className="clip">{ago(post.updatedAt, 'narrow')}</span>
        </p>
      </div>
      {movable(entry) && (
        <Button
          variant="ghost"
          size="icon"
          className="z-1 -me-1 -mt-1 sm:pointer-fine:size-7!"
          aria-label={t('scheduleThis', { caption })}
          title={t('schedule')}
          onClick={() => choose(entry)}
        >
          <CalendarClock className="size-4" aria-hidden />
        </Button>
      )}
    </li>
  )
}

function Idea({ idea: { id, title, scheduledAt } }: { idea: Suggestion }) {
  const t = useTranslations('calendar')
  const { ws, workspace } = usePlace()
  const at =
    scheduledAt && new Date(scheduledAt) > new Date() ? wallTime(new Date(scheduledAt), workspace.timezone) : undefined
  const element = useRef<HTMLLIElement>(null)
  const dragging = useDraggable(element, { ...BLANK, id, idea: id, caption: title }, true)
  return (
    <li
      ref={element}
      data-chip
      className={clsx('card relative flex cursor-grab gap-2 p-2 shadow-card', dragging && 'opacity-40')}
    >
      <span className="grid size-9 shrink-0 place-items-center rounded-md bg-hold-soft text-hold" aria-hidden>
        <Lightbulb className="size-4" />
      </span>
      <div className="min-w-0 grow">
        <Link
          to="/w/$ws/compose"
          params={{ ws }}
          search={{ idea: id, at }}
          draggable={false}
          dir="auto"
          className="line-clamp-2 text-xs break-words after:absolute after:inset-0"
        >
          {title}
        </Link>
        <p className="mt-1 text-2xs text-muted">{t('idea')}</p>
      </div>
    </li>
  )
}
