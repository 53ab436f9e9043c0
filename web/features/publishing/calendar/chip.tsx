import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { browserZone } from '../../../i18n.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { APPROVAL_LOOK, ApprovalBadge, isInReview, isStopped, STATUS_LOOK, STOPPED_LOOK } from '../../../ui/status.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useDraggable } from './drag.ts'
import type { Entry } from './entry.ts'
import { EntryMenu } from './entry-menu.tsx'
import { useMoving } from './moving.ts'

const ARROWS: Record<string, [across: number, down: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Alt and an arrow move the post; where text runs from right to left, so do the days. */
export function useArrows(entry: Entry) {
  const { step } = useMoving()
  return (event: KeyboardEvent<HTMLElement>) => {
    const arrow = ARROWS[event.key]
    if (!arrow || !event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const [across, down] = arrow
    step(entry, document.documentElement.dir === 'rtl' ? -across : across, down, true)
  }
}

/**
 * A post in a cell: time, status by icon, colour and word, networks, and the caption on a line of its own. Beside the others a
 * seventh of a window leaves no room for it.
 */
export function Chip({ entry, onMoved }: { entry: Entry; onMoved?: () => void }) {
  const t = useTranslations('calendar')
  const status = useTranslations('status')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const arrows = useArrows(entry)
  const movable = useMoving().movable(entry)
  const element = useRef<HTMLDivElement>(null)
  const dragging = useDraggable(element, entry, movable)
  const look = isInReview(entry)
    ? { ...APPROVAL_LOOK.PENDING, edge: 'border-s-warn' }
    : isStopped(entry)
      ? STOPPED_LOOK
      : STATUS_LOOK[entry.status]
  const Icon = look.icon
  const at = new Date(entry.happensAt)
  const timeIn = (timeZone: string) => format.dateTime(at, { hour: 'numeric', minute: '2-digit', timeZone })
  const local = browserZone()
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the link in it has the focus, and the keys
    <div
      ref={element}
      data-chip
      className={clsx('group/chip relative min-w-0', dragging && 'opacity-40')}
      onKeyDown={(event) => {
        arrows(event)
        if (event.defaultPrevented) onMoved?.()
      }}
    >
      <Link
        to="/w/$ws/posts/$id"
        params={{ ws, id: entry.id }}
        draggable={false}
        data-post={entry.id}
        data-version={entry.version}
        aria-keyshortcuts={movable ? 'Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown' : undefined}
        title={local === workspace.timezone ? undefined : t('localTime', { time: timeIn(local) })}
        className={clsx(
          'flex min-h-6 min-w-0 flex-col justify-center rounded-[5px] border border-s-[3px] border-line px-1.5 py-0.5 text-xs leading-4.5 hover:brightness-[0.97] dark:hover:brightness-125',
          look.soft,
          look.edge,
          movable && 'cursor-grab',
        )}
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <Icon className={clsx('size-3 shrink-0', look.text)} aria-hidden />
          <span className="sr-only">
            {status(isInReview(entry) ? 'approval.PENDING' : isStopped(entry) ? 'STOPPED' : entry.status)}
          </span>
          <bdi className="shrink-0 font-medium tabular-nums">{timeIn(workspace.timezone)}</bdi>
          <span
            className={clsx(
              'ms-auto flex shrink-0 gap-0.5',
              movable && 'group-focus-within/chip:me-6 group-hover/chip:me-6 pointer-coarse:me-6',
            )}
          >
            {entry.problems > 0 && entry.status === 'SCHEDULED' && (
              <TriangleAlert className="size-3.5 text-warn" aria-label={t('problems', { count: entry.problems })} />
            )}
            <ApprovalBadge small post={entry} />
            {entry.platforms.map((platform) => (
              <NetworkMark key={platform} platform={platform} label small />
            ))}
          </span>
        </span>
        <span className="flex min-w-0">
          <bdi dir="auto" className="clip">
            {entry.caption || t('untitled')}
          </bdi>
        </span>
      </Link>
      {movable && (
        <span className="absolute end-0.5 top-px rounded-[5px] bg-surface opacity-0 group-focus-within/chip:opacity-100 group-hover/chip:opacity-100 pointer-coarse:opacity-100">
          <EntryMenu entry={entry} small />
        </span>
      )}
    </div>
  )
}
