import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { fileUrl } from '../../../files.ts'
import { LabelChips } from '../../../ui/label-chip.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { Thumb } from '../../../ui/row.tsx'
import { ApprovalBadge, StatusBadge } from '../../../ui/status.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useArrows } from './arrows.ts'
import type { CalendarEntry } from './entry.ts'
import { EntryMenu } from './entry-menu.tsx'
import { FreePlace } from './free.tsx'
import { useMoving } from './moving.ts'

interface Props {
  days: Map<string, CalendarEntry[]>
  free: Map<string, Date[]>
  today: string
}

/** A list of the days that have posts or free queue slots. */
export function Agenda({ days, free, today }: Props) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-5">
      {[...new Set([...days.keys(), ...free.keys()])].toSorted().map((date) => (
        <section key={date} aria-labelledby={`day-${date}`}>
          <h2 id={`day-${date}`} className="mb-2 flex items-baseline gap-2 text-13 font-semibold">
            {format.dateTime(new Date(`${date}T12:00Z`), {
              weekday: 'long',
              day: 'numeric',
              month: 'long',
              timeZone: 'UTC',
            })}
            {date === today && <span className="text-xs font-medium text-accent-text">{t('today')}</span>}
          </h2>
          {days.has(date) && (
            <ul className="card divide-y overflow-hidden">
              {days.get(date)?.map((entry) => (
                <AgendaRow key={entry.id} entry={entry} />
              ))}
            </ul>
          )}
          {free.has(date) && (
            <div className="mt-2 flex flex-wrap gap-2">
              {free.get(date)?.map((at) => (
                <FreePlace key={at.getTime()} at={at} roomy />
              ))}
            </div>
          )}
        </section>
      ))}
    </div>
  )
}

/** A post in the list of a day. */
export function AgendaRow({ entry }: { entry: CalendarEntry }) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const arrows = useArrows(entry)
  const movable = useMoving().movable(entry)
  return (
    <li
      data-chip
      onKeyDown={arrows}
      className="relative flex min-h-14 items-center gap-3 px-3 py-2 hover:bg-hover focus-within:bg-hover"
    >
      <bdi className="w-16 shrink-0 text-13 font-medium tabular-nums">
        {format.dateTime(new Date(entry.happensAt), { timeStyle: 'short', timeZone: workspace.timezone })}
      </bdi>
      <Thumb url={fileUrl(entry.thumbnailUrl)} className="size-10" />
      <div className="min-w-0 grow">
        <Link
          to="/w/$ws/posts/$id"
          params={{ ws, id: entry.id }}
          draggable={false}
          data-post={entry.id}
          aria-keyshortcuts={movable ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
          dir="auto"
          className="block clip after:absolute after:inset-0"
        >
          {entry.caption || t('untitled')}
        </Link>
        <div className="mt-1 flex flex-wrap items-center gap-1.5">
          <StatusBadge post={entry} />
          <ApprovalBadge post={entry} />
          {entry.problems > 0 && entry.status === 'SCHEDULED' && (
            <span className="flex items-center gap-1 text-xs text-warn">
              <TriangleAlert className="size-3.5" aria-hidden />
              {t('problems', { count: entry.problems })}
            </span>
          )}
          <NetworkMarks platforms={entry.platforms} />
          <LabelChips labels={entry.labels} />
        </div>
      </div>
      {movable && <EntryMenu entry={entry} />}
    </li>
  )
}
