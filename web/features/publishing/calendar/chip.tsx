import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { type MouseEvent, Suspense, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { fileUrl } from '../../../files.ts'
import { browserZone, postTexts } from '../../../i18n.tsx'
import { LabelChips, LabelDot } from '../../../ui/label-chip.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePopup } from '../../../ui/popup.tsx'
import { ApprovalBadge } from '../../../ui/status.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useArrows } from './arrows.ts'
import { useDraggable } from './drag.ts'
import { type CalendarEntry, standingOf } from './entry.ts'
import { EntryMenu } from './entry-menu.tsx'
import { useMoving } from './moving.ts'

const Preview = lazy(async () => {
  await postTexts()
  return import('./preview.tsx')
})

interface Props {
  entry: CalendarEntry
  /** Alone on its day, so there is room for the picture. */
  roomy?: boolean
  onMoved?: () => void
}

/**
 * A post in a cell: time, status as icon, colour and word, networks, picture and two lines of text. A click opens a
 * preview.
 */
export function Chip({ entry, roomy, onMoved }: Props) {
  const t = useTranslations('calendar')
  const status = useTranslations('status')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const arrows = useArrows(entry)
  const movable = useMoving().movable(entry)
  const element = useRef<HTMLDivElement>(null)
  const dragging = useDraggable(element, entry, movable)
  const { open, hide, triggerProps, popupProps } = usePopup<HTMLAnchorElement>()
  const { icon: Icon, text, word } = standingOf(entry)
  const at = new Date(entry.happensAt)
  const timeIn = (timeZone: string) => format.dateTime(at, { hour: 'numeric', minute: '2-digit', timeZone })
  const local = browserZone()
  const picture = fileUrl(entry.thumbnailUrl)
  const caption = entry.caption || t('untitled')
  const show = (event: MouseEvent) => {
    // Let the browser open the link in a new tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    triggerProps.onClick()
  }
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the link in it has the focus, and the keys */}
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
          {...triggerProps}
          to="/w/$ws/posts/$id"
          params={{ ws, id: entry.id }}
          draggable={false}
          data-post={entry.id}
          data-version={entry.version}
          aria-haspopup="dialog"
          aria-keyshortcuts={movable ? 'Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown' : undefined}
          title={local === workspace.timezone ? undefined : t('localTime', { time: timeIn(local) })}
          onClick={show}
          className={clsx(
            'block min-h-6 min-w-0 overflow-hidden rounded-md border text-xs shadow-card hover:border-line-strong',
            entry.status === 'FAILED' && !entry.stopped ? 'border-bad/40 bg-bad-soft' : 'bg-surface',
            open && 'border-accent! outline-1 outline-accent',
            movable && 'cursor-grab',
          )}
        >
          {roomy && picture && (
            <img src={picture} alt="" loading="lazy" draggable={false} className="h-13 w-full object-cover" />
          )}
          {/* Networks that do not fit wrap below the time. */}
          <span className="flex min-w-0 flex-wrap items-center gap-x-0.5 gap-y-0.5 ps-1 pe-0.5 pt-1">
            <Icon className={clsx('size-3.5 shrink-0', text)} aria-hidden />
            <span className="sr-only">{status(word)}</span>
            <bdi className="shrink-0 text-2xs text-muted tabular-nums">{timeIn(workspace.timezone)}</bdi>
            <span
              className={clsx(
                'ms-auto flex min-w-0 items-center justify-end gap-0.5 overflow-hidden *:gap-px',
                entry.platforms.length > 2 ? '[&_[role=img]]:size-3' : '[&_[role=img]]:size-3.5',
                movable &&
                  'group-focus-within/chip:opacity-0 group-hover/chip:opacity-0 pointer-coarse:me-5 pointer-coarse:opacity-100!',
              )}
            >
              {entry.problems > 0 && entry.status === 'SCHEDULED' && (
                <TriangleAlert className="size-3.5 text-warn" aria-label={t('problems', { count: entry.problems })} />
              )}
              <ApprovalBadge small post={entry} />
              <NetworkMarks platforms={entry.platforms} />
            </span>
          </span>
          <span className="flex min-w-0 gap-1.5 px-1.5 pt-0.5 pb-1">
            {!roomy && picture && (
              <span className="relative shrink-0 self-start">
                <img src={picture} alt="" loading="lazy" draggable={false} className="size-8 rounded-sm object-cover" />
                <Dots entry={entry} className="absolute start-0.5 bottom-0.5 gap-0.5 *:ring-1 *:ring-surface" />
              </span>
            )}
            <bdi dir="auto" className="line-clamp-2 min-w-0 grow break-words">
              {caption}
            </bdi>
            {!roomy && !picture && <Dots entry={entry} className="flex-col gap-0.5 pt-1" />}
          </span>
          {roomy && entry.labels.length > 0 && (
            <span className="flex min-w-0 px-1.5 pb-1.5">
              <LabelChips labels={entry.labels} max={1} />
            </span>
          )}
        </Link>
        {movable && (
          <span
            className={clsx(
              'absolute end-0.5 rounded-[5px] bg-surface opacity-0 group-focus-within/chip:opacity-100 group-hover/chip:opacity-100 pointer-coarse:opacity-100',
              roomy && picture ? 'top-13.5' : 'top-0.5',
            )}
          >
            <EntryMenu entry={entry} small />
          </span>
        )}
      </div>
      {open && (
        <div
          {...popupProps}
          role="dialog"
          aria-label={caption}
          className="pop-in fixed m-0 w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border bg-surface text-fg shadow-pop"
        >
          <Suspense fallback={<div className="h-48" aria-hidden />}>
            <Preview entry={entry} onClose={hide} />
          </Suspense>
        </div>
      )}
    </>
  )
}

/** The colours of the labels, where their names do not fit. */
function Dots({ entry: { labels }, className }: { entry: CalendarEntry; className: string }) {
  if (labels.length === 0) return null
  const names = labels.map((one) => one.name).join(', ')
  return (
    <span className={clsx('flex shrink-0', className)} title={names}>
      {labels.slice(0, 3).map((label) => (
        <LabelDot key={label.id} color={label.color} />
      ))}
      <span className="sr-only">{names}</span>
    </span>
  )
}
