import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Plus } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useNow } from '../../../now.ts'
import { hourRows, QUARTER, wallTime } from '../../../time.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { AddLink } from './add-link.tsx'
import { Chip } from './chip.tsx'
import { useDragArea, useDropCell } from './drag.ts'
import type { CalendarEntry } from './entry.ts'
import { FreePlace } from './free.tsx'
import { useMoving } from './moving.ts'

interface Props {
  week: string[]
  today: string
  entries: CalendarEntry[]
  free: Map<string, Date[]>
}

const noon = (date: string) => new Date(`${date}T12:00Z`)
const quarterOf = (at: number) => Math.floor(at / QUARTER) * QUARTER
const MORNING = 7

/** The hours of a week. A dropped post gets the quarter hour under the pointer. */
export function WeekGrid({ week, today, entries, free }: Props) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const { workspace } = usePlace()
  const may = useMay('createPost')
  const area = useRef<HTMLDivElement>(null)
  useDragArea(area, useMoving().refused)
  const zone = workspace.timezone
  const now = useNow().getTime()
  const rows = useMemo(() => hourRows(week, zone), [week, zone])
  const byQuarter = new Map<number, CalendarEntry[]>()
  for (const entry of entries.toSorted((a, b) => a.happensAt.localeCompare(b.happensAt))) {
    const key = quarterOf(Date.parse(entry.happensAt))
    byQuarter.set(key, [...(byQuarter.get(key) ?? []), entry])
  }
  const freeAt = new Map<number, Date>()
  for (const date of week) for (const at of free.get(date) ?? []) freeAt.set(quarterOf(at.getTime()), at)
  const first = week[0]
  const earliest = Math.min(
    MORNING,
    ...entries.map((one) => Number(wallTime(new Date(one.happensAt), zone).slice(11, 13))),
  )
  useLayoutEffect(() => {
    const row = area.current?.querySelector<HTMLElement>(`[data-hour="${earliest}"]`)
    const head = area.current?.querySelector<HTMLElement>('thead')
    if (row && head) area.current?.scrollTo({ top: row.offsetTop - head.offsetHeight })
    // Only once per week: moving a post later must not scroll the page.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [first])
  return (
    <div
      ref={area}
      role="region"
      aria-label={t('week')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
      className="min-h-96 grow basis-0 scroll-pt-14 overflow-auto md:max-h-[calc(100dvh-7rem)]"
    >
      <table className="relative w-full min-w-3xl table-fixed border-separate border-spacing-0">
        <thead>
          <tr>
            <th scope="col" className="sticky start-0 top-0 z-20 w-16 border-b bg-surface">
              <span className="sr-only">{t('hour')}</span>
            </th>
            {week.map((date) => (
              <th
                key={date}
                scope="col"
                data-date={date}
                className="sticky top-0 z-10 border-s border-b bg-surface px-2 py-1.5 text-start text-xs font-medium text-muted"
              >
                <span className="flex items-center justify-between gap-1">
                  <span aria-current={date === today ? 'date' : undefined} className="flex items-center gap-1.5">
                    <span aria-hidden>{format.dateTime(noon(date), { weekday: 'short', timeZone: 'UTC' })}</span>
                    <span
                      aria-hidden
                      className={clsx(
                        'grid h-6 min-w-6 place-items-center rounded-full px-1 text-13 tabular-nums',
                        date === today ? 'bg-accent font-semibold text-on-accent' : 'text-fg',
                      )}
                    >
                      {Number(date.slice(8))}
                    </span>
                    <span className="sr-only">
                      {format.dateTime(noon(date), { dateStyle: 'full', timeZone: 'UTC' })}
                    </span>
                  </span>
                  {!may.hidden && date >= today && (
                    <AddLink
                      date={date}
                      aria-label={t('addOn', {
                        date: format.dateTime(noon(date), { dateStyle: 'full', timeZone: 'UTC' }),
                      })}
                      className="grid size-6 place-items-center rounded-md text-muted hover:bg-hover hover:text-fg"
                    >
                      <Plus className="size-4" aria-hidden />
                    </AddLink>
                  )}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ hour, again, days }) => (
            <tr key={`${hour}${again}`} data-hour={again ? undefined : hour} className="h-12">
              <th
                scope="row"
                className="sticky start-0 z-10 border-b bg-surface px-2 pt-1 text-end align-top text-2xs font-medium whitespace-nowrap text-muted tabular-nums"
              >
                <bdi>{format.dateTime(new Date(Date.UTC(2026, 0, 1, hour)), { hour: 'numeric', timeZone: 'UTC' })}</bdi>
                {again && <span className="block font-normal">{t('again')}</span>}
              </th>
              {days.map((quarters, column) => (
                <Hour
                  key={week[column]}
                  now={now}
                  quarters={quarters}
                  entries={quarters.flatMap((at) => (at === null ? [] : (byQuarter.get(at) ?? [])))}
                  free={quarters.flatMap((at) => (at === null ? [] : (freeAt.get(at) ?? [])))}
                  writes={!may.hidden}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HourProps {
  now: number
  quarters: (number | null)[]
  entries: CalendarEntry[]
  free: Date[]
  writes: boolean
}

/** One hour of one day. An hour that clocks skip is empty and accepts no drops. */
function Hour({ now, quarters, entries, free, writes }: HourProps) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const { place } = useMoving()
  const cell = useRef<HTMLTableCellElement>(null)
  const zone = workspace.timezone
  const over = useDropCell(cell, {
    at: (_, down) => {
      const at = quarters[Math.floor(down * 4)] ?? null
      return at === null || at < Date.now() ? null : new Date(at)
    },
    onDrop: place,
  })
  const instants = quarters.filter((at) => at !== null)
  const [from] = instants
  const past = (instants.at(-1) ?? 0) + QUARTER <= now
  const line = from !== undefined && quarterOf(now) >= from && !past
  return (
    <td
      ref={cell}
      data-at={from === undefined ? undefined : wallTime(new Date(from), zone)}
      data-skipped={from === undefined || undefined}
      title={from === undefined ? t('skipped') : undefined}
      className={clsx(
        'relative border-s border-b p-0.5 align-top',
        from === undefined ? 'skipped' : past && 'bg-bg',
        over && 'bg-accent-soft!',
      )}
    >
      {from !== undefined && writes && !past && (
        <Link
          to="/w/$ws/compose"
          params={{ ws }}
          search={{ at: wallTime(new Date(Math.max(from, quarterOf(now) + QUARTER)), zone) }}
          draggable={false}
          aria-hidden
          tabIndex={-1}
          className="absolute inset-0 hover:bg-hover/60"
        />
      )}
      {line && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-x-0 border-t-2 border-bad"
          style={{ top: `${((now - from) / (4 * QUARTER)) * 100}%` }}
        />
      )}
      {entries.length + free.length > 0 && (
        <div className="relative grid grid-cols-[minmax(0,1fr)] gap-0.5">
          {entries.map((entry) => (
            <Chip key={entry.id} entry={entry} />
          ))}
          {free.map((at) => (
            <FreePlace key={at.getTime()} at={at} />
          ))}
        </div>
      )}
      {over && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-x-0 z-[2] border-t-2 border-accent"
          style={{ top: `${quarters.indexOf(over.getTime()) * 25}%` }}
        >
          <span className="absolute end-1 top-0 rounded-b bg-accent px-1 text-2xs font-medium text-on-accent tabular-nums">
            {format.dateTime(over, { hour: 'numeric', minute: '2-digit', timeZone: zone })}
          </span>
        </span>
      )}
    </td>
  )
}
