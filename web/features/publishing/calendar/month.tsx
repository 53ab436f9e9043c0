import { clsx } from 'clsx'
import { Plus } from 'lucide-react'
import { useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { usePopup } from '../../../ui/popup.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { AddLink } from './add-link.tsx'
import { Chip } from './chip.tsx'
import { useDragArea, useDropCell } from './drag.ts'
import type { CalendarEntry } from './entry.ts'
import { FreePlace } from './free.tsx'
import { useMoving } from './moving.ts'

const MAX = 3

interface Props {
  weeks: string[][]
  /** The shown month; null in views that are not by month. */
  month: string | null
  today: string
  days: Map<string, CalendarEntry[]>
  free: Map<string, Date[]>
}

/** A grid of weeks. A post dropped on a day keeps its time of day. */
export function MonthGrid({ weeks, month, today, days, free }: Props) {
  const format = useFormatter()
  useDragArea(null, useMoving().refused)
  const noon = (date: string) => new Date(`${date}T12:00Z`)
  return (
    <table className="flex min-w-0 grow flex-col">
      <thead className="block">
        <tr className="grid grid-cols-7 border-b">
          {weeks[0]?.map((date, weekday) => (
            <th
              key={date}
              scope="col"
              className={clsx(
                'px-2 py-1.5 text-start text-xs font-medium',
                weeks.some((week) => week[weekday] === today) ? 'text-accent-text' : 'text-muted',
              )}
            >
              <span aria-hidden>{format.dateTime(noon(date), { weekday: 'short', timeZone: 'UTC' })}</span>
              <span className="sr-only">{format.dateTime(noon(date), { weekday: 'long', timeZone: 'UTC' })}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="flex grow flex-col">
        {weeks.map((week) => (
          <tr key={week[0]} className="grid min-h-32 flex-[1_0_auto] grid-cols-7 border-b">
            {week.map((date) => (
              <Day
                key={date}
                date={date}
                label={format.dateTime(noon(date), { dateStyle: 'full', timeZone: 'UTC' })}
                name={
                  date.endsWith('-01')
                    ? format.dateTime(noon(date), { day: 'numeric', month: 'short', timeZone: 'UTC' })
                    : String(Number(date.slice(8)))
                }
                entries={days.get(date) ?? []}
                free={free.get(date) ?? []}
                isToday={date === today}
                isPast={date < today}
                outside={month !== null && date.slice(0, 7) !== month.slice(0, 7)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Whether a person must act on a post. Such posts are never hidden behind "more". */
const troubled = ({ status, problems, stopped }: CalendarEntry) =>
  (status === 'FAILED' && !stopped) || status === 'PARTIALLY_PUBLISHED' || (status === 'SCHEDULED' && problems > 0)

interface DayProps {
  date: string
  label: string
  name: string
  entries: CalendarEntry[]
  free: Date[]
  isToday: boolean
  isPast: boolean
  outside: boolean
}

function Day({ date, label, name, entries, free, isToday, isPast, outside }: DayProps) {
  const t = useTranslations('calendar')
  const may = useMay('createPost')
  const { held, placeOn, timeOn } = useMoving()
  const cell = useRef<HTMLTableCellElement>(null)
  const over = useDropCell(cell, {
    at: (entry) => timeOn(entry, date),
    onDrop: (entry) => placeOn(entry, date),
  })
  const first = entries.toSorted((a, b) => Number(troubled(b)) - Number(troubled(a))).slice(0, MAX - 1)
  const shown = entries.length > MAX ? entries.filter((one) => first.includes(one) || one.id === held) : entries
  return (
    <td
      ref={cell}
      data-date={date}
      className={clsx(
        'group flex min-w-0 flex-col gap-1.5 border-e px-1 py-1.5 last:border-e-0',
        (outside || isPast) && 'bg-bg',
        over && 'bg-accent-soft! outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <div className="flex h-6 items-center justify-between">
        <span
          aria-current={isToday ? 'date' : undefined}
          className={clsx(
            'grid h-6 min-w-6 place-items-center rounded-full px-1 text-xs tabular-nums',
            isToday ? 'bg-accent font-semibold text-on-accent' : outside ? 'text-muted' : 'font-medium',
          )}
        >
          <span aria-hidden>{name}</span>
          <span className="sr-only">{label}</span>
        </span>
        {!may.hidden && !isPast && (
          <AddLink
            date={date}
            aria-label={t('addOn', { date: label })}
            className="grid size-6 place-items-center rounded-md text-muted opacity-0 group-hover:opacity-100 hover:bg-hover hover:text-fg focus-visible:opacity-100"
          >
            <Plus className="size-4" aria-hidden />
          </AddLink>
        )}
      </div>
      {shown.map((entry) => (
        <Chip key={entry.id} entry={entry} roomy={entries.length === 1} />
      ))}
      {free.slice(0, Math.max(0, MAX - entries.length)).map((at) => (
        <FreePlace key={at.getTime()} at={at} />
      ))}
      {entries.length > shown.length && (
        <MoreOnDay label={label} entries={entries} count={entries.length - shown.length} />
      )}
    </td>
  )
}

function MoreOnDay({ label, entries, count }: { label: string; entries: CalendarEntry[]; count: number }) {
  const t = useTranslations('calendar')
  const { open, hide, triggerProps, popupProps } = usePopup()
  return (
    <>
      <button
        type="button"
        {...triggerProps}
        className="min-h-6 rounded-md px-1.5 text-start text-xs font-medium text-muted hover:bg-hover hover:text-fg"
      >
        {t('moreOnDay', { count })}
      </button>
      <div
        {...popupProps}
        role="group"
        aria-label={label}
        className="pop-in fixed m-0 w-72 overflow-y-auto rounded-lg border bg-surface p-2 text-fg shadow-pop"
      >
        {open && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
            <p className="px-1 pb-1 text-xs font-medium text-muted">{label}</p>
            {entries.map((entry) => (
              <Chip key={entry.id} entry={entry} onMoved={() => hide(false)} />
            ))}
          </div>
        )}
      </div>
    </>
  )
}
