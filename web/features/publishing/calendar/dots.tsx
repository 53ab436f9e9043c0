import { clsx } from 'clsx'
import { Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { dateByKey } from '../../../ui/days.ts'
import { isInReview } from '../../../ui/status.tsx'
import { WeekdayHead } from '../../../ui/weekday-head.tsx'
import { AddLink } from './add-link.tsx'
import { AgendaRow } from './agenda.tsx'
import type { CalendarEntry } from './entry.ts'

interface Props {
  weeks: string[][]
  /** The shown month; null in views that are not by month. */
  month: string | null
  days: Map<string, CalendarEntry[]>
  chosen: string
  today: string
  onChoose: (date: string) => void
}

const noon = (date: string) => new Date(`${date}T12:00Z`)
const MOST = 3

/** The weeks on a phone: dots by status, and the posts of the selected day. */
export default function MonthDots({ weeks, month, days, chosen, today, onChoose }: Props) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const { workspace } = usePlace()
  const may = useMay('createPost')
  const posts = days.get(chosen) ?? []
  const { weekStart } = workspace
  const grid = useRef<HTMLTableElement>(null)
  const moves = useRef(false)
  const keys = (event: KeyboardEvent) => {
    const next = dateByKey(event, chosen, weekStart)
    if (!next) return
    event.preventDefault()
    moves.current = true
    onChoose(next)
  }
  useEffect(() => {
    if (moves.current) grid.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()
    moves.current = false
  }, [chosen])
  const full = (date: string) =>
    format.dateTime(noon(date), { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of its buttons */}
      <table ref={grid} className="w-full table-fixed" onKeyDown={keys}>
        <WeekdayHead week={weeks[0] ?? []} />
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((date) => {
                const entries = days.get(date) ?? []
                const outside = month !== null && date.slice(0, 7) !== month.slice(0, 7)
                return (
                  <td key={date} data-date={date} className="p-0">
                    <button
                      type="button"
                      aria-label={t('dayPosts', { date: full(date), count: entries.length })}
                      tabIndex={date === chosen ? 0 : -1}
                      aria-pressed={date === chosen}
                      aria-current={date === today ? 'date' : undefined}
                      onClick={() => onChoose(date)}
                      className="flex min-h-13 w-full flex-col items-center gap-1 pt-1"
                    >
                      <span
                        className={clsx(
                          'grid size-8 place-items-center rounded-full tabular-nums',
                          date === chosen
                            ? 'bg-accent font-semibold text-on-accent'
                            : date === today
                              ? 'font-semibold text-accent-text outline-2 -outline-offset-2 outline-accent'
                              : outside && 'text-muted',
                        )}
                      >
                        {Number(date.slice(8))}
                      </span>
                      <span className="flex h-2 gap-0.5">
                        {entries.slice(0, MOST).map((entry) => (
                          <Dot key={entry.id} entry={entry} />
                        ))}
                      </span>
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <section
        aria-labelledby="chosen-day"
        className="mt-2 grid grow grid-cols-[minmax(0,1fr)] content-start gap-2 border-t bg-bg px-4 py-4"
      >
        <h2 id="chosen-day" className="flex items-baseline gap-2 text-15 font-semibold">
          {full(chosen)}
          <span className="text-xs font-normal text-muted">{t('posts', { count: posts.length })}</span>
        </h2>
        {posts.length > 0 && (
          <ul className="card divide-y overflow-hidden">
            {posts.map((entry) => (
              <AgendaRow key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
        {!may.hidden && chosen >= today && (
          <AddLink
            date={chosen}
            className="flex min-h-11 items-center justify-center gap-2 rounded-lg border border-dashed border-line-strong text-muted"
          >
            <Plus className="size-4" aria-hidden />
            {t('addHere')}
          </AddLink>
        )}
      </section>
    </>
  )
}

/** A status as a shape: a square waits, a diamond has failed, a ring is a draft. */
const Dot = ({ entry }: { entry: CalendarEntry }) => (
  <span
    aria-hidden
    className={clsx(
      'size-1.5',
      isInReview(entry)
        ? 'bg-warn'
        : entry.status === 'FAILED' || entry.status === 'PARTIALLY_PUBLISHED'
          ? 'rotate-45 bg-bad'
          : entry.status === 'DRAFT'
            ? 'rounded-full border border-control'
            : clsx('rounded-full', entry.status === 'PUBLISHED' ? 'bg-ok' : 'bg-accent'),
    )}
  />
)
