import { CalendarPlus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { dateIn } from '../../../time.ts'
import { lazy } from '../../../ui/part.tsx'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { NothingMatches } from './blank.tsx'
import { byDay, type CalendarEntry, isUnscheduled } from './entry.ts'
import { MonthGrid } from './month.tsx'
import type { ShownPeriod } from './period.ts'

// Lazily loaded: only one view is visible at a time.
const WeekGrid = lazy(async () => ({ default: (await import('./week.tsx')).WeekGrid }))
const Agenda = lazy(async () => ({ default: (await import('./agenda.tsx')).Agenda }))
const MonthDots = lazy(() => import('./dots.tsx'))

const EMPTY = { weeks: 'emptyWeeks', month: 'emptyMonth', week: 'emptyWeek', agenda: 'emptyMonth' } as const

interface Props {
  period: ShownPeriod
  /** The posts around the period. */
  entries: CalendarEntry[]
  free: Map<string, Date[]>
  /** Whether a filter may hide posts. */
  isFiltered: boolean
  isWide: boolean
  onChoose: (date: string) => void
}

/** The posts of the period in its view. On a narrow screen, every view but the agenda shows dots. */
export function CalendarBody({ period, entries, free, isFiltered, isWide, onChoose }: Props) {
  const t = useTranslations('calendar')
  const zone = usePlace().workspace.timezone
  const { view, date, today, weeks, first, last } = period
  const isShown = (day: string) => day >= first && day <= last
  const shown = entries.filter((one) => !isUnscheduled(one) && isShown(dateIn(new Date(one.happensAt), zone)))
  const days = byDay(shown, zone)
  const month = view === 'month' ? (date ?? today) : null
  const isAgenda = view === 'agenda'
  const strip = isWide && !isAgenda
  const blank =
    shown.length > 0 ? null : isFiltered ? (
      <NothingMatches strip={strip} />
    ) : (
      isWide && <FirstSteps strip={strip} icon={CalendarPlus} title={t(EMPTY[view])} />
    )
  return (
    <Suspense>
      {!isAgenda && blank}
      {isAgenda ? (
        blank || <Agenda days={days} free={free} today={today} />
      ) : !isWide ? (
        <MonthDots
          weeks={weeks}
          month={month}
          days={days}
          chosen={date && isShown(date) ? date : isShown(today) ? today : first}
          today={today}
          onChoose={onChoose}
        />
      ) : view === 'week' ? (
        <WeekGrid week={weeks[0] ?? []} today={today} entries={shown} free={free} />
      ) : (
        <MonthGrid weeks={weeks} month={month} today={today} days={days} free={free} />
      )}
    </Suspense>
  )
}
