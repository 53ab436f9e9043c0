import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { addDays, addMonths, monthGrid, type WeekStart, weekOf } from '../../../time.ts'
import { Button } from '../../../ui/button.tsx'

interface Props {
  /** The chosen date, YYYY-MM-DD. */
  date: string
  today: string
  weekStart: WeekStart
  /** How many posts a date has already. */
  countOf: (date: string) => number
  onDate: (date: string) => void
  onMonth: (month: string) => void
}

const SHOWN_DOTS = 3

/** The days of a month; the arrow keys move by days and weeks, Page Up and Page Down by months. Days that are over cannot be chosen. */
export function MonthPicker({ date, today, weekStart, countOf, onDate, onMonth }: Props) {
  const t = useTranslations('schedule')
  const format = useFormatter()
  const [at, setAt] = useState(date < today ? today : date)
  const [chosen, setChosen] = useState(date)
  // Chosen elsewhere, it is shown here.
  if (chosen !== date) {
    setChosen(date)
    setAt(date < today ? today : date)
  }
  const grid = useRef<HTMLTableElement>(null)
  const moves = useRef(false)
  const month = at.slice(0, 7)
  useEffect(() => {
    onMonth(`${month}-01`)
    if (moves.current) grid.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()
    moves.current = false
  }, [at, month, onMonth])
  const go = (to: string, byKey = false) => {
    moves.current = byKey
    setAt(to < today ? today : to)
  }
  /** The same day of another month, or its last one. */
  const inMonths = (count: number) => {
    const first = addMonths(at, count)
    const last = addDays(addMonths(first, 1), -1)
    const same = `${first.slice(0, 8)}${at.slice(8)}`
    return same > last ? last : same
  }
  const keys = (event: KeyboardEvent) => {
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1
    const week = weekOf(at, weekStart)
    const to: Record<string, string | undefined> = {
      ArrowRight: addDays(at, forward),
      ArrowLeft: addDays(at, -forward),
      ArrowDown: addDays(at, 7),
      ArrowUp: addDays(at, -7),
      Home: week[0],
      End: week[6],
      PageDown: inMonths(event.shiftKey ? 12 : 1),
      PageUp: inMonths(event.shiftKey ? -12 : -1),
    }
    const next = to[event.key]
    if (!next) return
    event.preventDefault()
    go(next, true)
  }
  const noon = (day: string) => new Date(`${day}T12:00Z`)
  const name = format.dateTime(noon(at), { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const weeks = monthGrid(at, weekStart)
  return (
    <div className="grid content-start gap-1 max-sm:-mx-4">
      <div className="flex items-center">
        <p className="grow ps-2 text-13 font-semibold" aria-live="polite">
          {name}
        </p>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('previousMonth')}
          className="disabled:opacity-40"
          disabled={month <= today.slice(0, 7)}
          onClick={() => go(inMonths(-1))}
        >
          <ChevronLeft className="size-4 rtl:rotate-180" aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" aria-label={t('nextMonth')} onClick={() => go(inMonths(1))}>
          <ChevronRight className="size-4 rtl:rotate-180" aria-hidden />
        </Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the keys move in it as in a grid */}
      <table ref={grid} role="grid" aria-label={name} onKeyDown={keys} className="w-full table-fixed">
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day} scope="col" className="py-1 text-center text-2xs font-medium text-muted">
                <span aria-hidden>{format.dateTime(noon(day), { weekday: 'narrow', timeZone: 'UTC' })}</span>
                <span className="sr-only">{format.dateTime(noon(day), { weekday: 'long', timeZone: 'UTC' })}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => {
                const count = countOf(day)
                const over = day < today
                return (
                  <td key={day} aria-selected={day === date} className="p-0 text-center">
                    <button
                      type="button"
                      tabIndex={day === at ? 0 : -1}
                      disabled={over}
                      aria-current={day === today ? 'date' : undefined}
                      aria-label={`${format.dateTime(noon(day), { dateStyle: 'full', timeZone: 'UTC' })}, ${t('planned', { count })}`}
                      onClick={() => {
                        setAt(day)
                        onDate(day)
                      }}
                      className={clsx(
                        'relative mx-auto grid h-9 w-full place-items-center sm:max-w-11 rounded-md text-13 tabular-nums max-sm:h-11',
                        day === date
                          ? 'bg-accent font-semibold text-on-accent'
                          : over
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
