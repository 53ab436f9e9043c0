import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { monthGrid, type WeekStart } from '../time.ts'
import { Button } from './button.tsx'
import { dateByKey, inMonths } from './days.ts'
import { WeekdayHead } from './weekday-head.tsx'

interface Props {
  /** The chosen date, YYYY-MM-DD; null for none. */
  date: string | null
  today: string
  weekStart: WeekStart
  /** The first and the last date that can be chosen. */
  min?: string | undefined
  max?: string | undefined
  /** The number of posts already planned on a date. */
  countOf?: (date: string) => number
  onDate: (date: string) => void
  /** Receives the first date of each month shown. Must be stable across renders. */
  onMonth?: (month: string) => void
}

const SHOWN_DOTS = 3

/** The days of a month to choose from, with the usual grid keys. */
export function MonthPicker({ date, today, weekStart, min, max, countOf, onDate, onMonth }: Props) {
  const t = useTranslations('schedule')
  const format = useFormatter()
  const within = (day: string) => (min && day < min ? min : max && day > max ? max : day)
  const [at, setAt] = useState(() => within(date ?? today))
  const [chosen, setChosen] = useState(date)
  // When the date changes outside, show its month.
  if (chosen !== date) {
    setChosen(date)
    setAt(within(date ?? today))
  }
  const grid = useRef<HTMLTableElement>(null)
  const moves = useRef(false)
  const month = at.slice(0, 7)
  useEffect(() => {
    onMonth?.(`${month}-01`)
    if (moves.current) grid.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()
    moves.current = false
  }, [at, month, onMonth])
  const go = (to: string, byKey = false) => {
    moves.current = byKey
    setAt(within(to))
  }
  const keys = (event: KeyboardEvent) => {
    const next = dateByKey(event, at, weekStart)
    if (!next) return
    event.preventDefault()
    go(next, true)
  }
  const noon = (day: string) => new Date(`${day}T12:00Z`)
  const shown = format.dateTime(noon(at), { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const weeks = monthGrid(at, weekStart)
  return (
    <div className="grid content-start gap-1 max-sm:-mx-4">
      <div className="flex items-center">
        <p className="grow ps-2 text-13 font-semibold" aria-live="polite">
          {shown}
        </p>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('previousMonth')}
          disabled={min !== undefined && month <= min.slice(0, 7)}
          onClick={() => go(inMonths(at, -1))}
        >
          <ChevronLeft className="size-4 rtl:rotate-180" aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('nextMonth')}
          disabled={max !== undefined && month >= max.slice(0, 7)}
          onClick={() => go(inMonths(at, 1))}
        >
          <ChevronRight className="size-4 rtl:rotate-180" aria-hidden />
        </Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the keys move in it as in a grid */}
      <table ref={grid} role="grid" aria-label={shown} onKeyDown={keys} className="w-full table-fixed">
        <WeekdayHead week={weeks[0] ?? []} />
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => {
                const count = countOf?.(day) ?? 0
                const out = within(day) !== day
                const name = format.dateTime(noon(day), { dateStyle: 'full', timeZone: 'UTC' })
                return (
                  <td key={day} aria-selected={day === date} className="p-0 text-center">
                    <button
                      type="button"
                      tabIndex={day === at ? 0 : -1}
                      disabled={out}
                      aria-current={day === today ? 'date' : undefined}
                      aria-label={countOf ? `${name}, ${t('planned', { count })}` : name}
                      onClick={() => {
                        setAt(day)
                        onDate(day)
                      }}
                      className={clsx(
                        'relative mx-auto grid h-9 w-full place-items-center sm:max-w-11 rounded-md text-13 tabular-nums max-sm:h-11',
                        day === date
                          ? 'bg-accent font-semibold text-on-accent'
                          : out
                            ? 'text-muted opacity-50'
                            : 'hover:bg-hover',
                        day !== date && day.slice(0, 7) !== month && 'text-muted',
                        day === today && day !== date && 'font-semibold text-accent-text',
                      )}
                    >
                      {format.number(Number(day.slice(8)))}
                      <span className="absolute inset-x-0 bottom-1 flex justify-center gap-0.5" aria-hidden>
                        {Array.from({ length: Math.min(count, SHOWN_DOTS) }, (_, index) => (
                          <i key={index} className="size-1 rounded-full bg-current opacity-70" />
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
    </div>
  )
}
