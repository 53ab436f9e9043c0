import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarPlus, ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useSyncExternalStore } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { browserZone } from '../../i18n.tsx'
import { calendarQuery } from '../../queries.ts'
import { addDays, addMonths, dateIn, monthGrid, startOf, zoneLabel } from '../../time.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { FirstSteps } from '../shell/first-steps.tsx'
import { usePlace } from '../shell/workspace.tsx'
import { Agenda } from './agenda.tsx'
import { byDay } from './entry.ts'
import { MonthGrid } from './month.tsx'

const wide = matchMedia('(width >= 48rem)')
const useWide = () =>
  useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )

interface Props {
  view?: 'month' | 'agenda'
  date?: string
}

/** The posts of a month in the zone of the workspace: a grid, or a list of days where there is no room for one. */
export function CalendarScreen({ view, date }: Props) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const locale = useLocale()
  const { ws, workspace } = usePlace()
  const isWide = useWide()
  const zone = workspace.timezone
  const today = dateIn(new Date(), zone)
  const month = `${(date ?? today).slice(0, 7)}-01`
  const shown = isWide ? (view ?? 'month') : 'agenda'
  const weeks = useMemo(() => monthGrid(month, workspace.weekStart), [month, workspace.weekStart])
  const [first, last] =
    shown === 'month' ? [weeks[0]?.[0] ?? month, weeks.at(-1)?.[6] ?? month] : [month, addDays(addMonths(month, 1), -1)]
  const query = useQuery(
    calendarQuery(ws, startOf(first, zone).toISOString(), startOf(addDays(last, 1), zone).toISOString()),
  )
  const title = format.dateTime(new Date(`${month}T12:00Z`), { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const to = (months: number) => ({ ...(view ? { view } : {}), date: addMonths(month, months) })
  const local = browserZone()
  return (
    <Page
      title={t('title')}
      heading={
        <span className="flex flex-wrap items-baseline gap-x-2.5">
          {title}
          <span
            className="text-xs font-normal tracking-normal text-muted"
            title={
              local === zone
                ? undefined
                : t('zoneBoth', { zone: zone.replaceAll('_', ' '), local: local.replaceAll('_', ' ') })
            }
          >
            <bdi>{zoneLabel(zone, startOf(today, zone), locale)}</bdi>
          </span>
        </span>
      }
      actions={
        <>
          <Link to="/w/$ws/calendar" params={{ ws }} search={view ? { view } : {}} className={buttonClass('secondary')}>
            {t('today')}
          </Link>
          <div className="flex">
            <Link
              to="/w/$ws/calendar"
              params={{ ws }}
              search={to(-1)}
              aria-label={t('previous')}
              className={buttonClass('ghost', 'icon')}
            >
              <ChevronLeft className="size-4 rtl:rotate-180" aria-hidden />
            </Link>
            <Link
              to="/w/$ws/calendar"
              params={{ ws }}
              search={to(1)}
              aria-label={t('next')}
              className={buttonClass('ghost', 'icon')}
            >
              <ChevronRight className="size-4 rtl:rotate-180" aria-hidden />
            </Link>
          </div>
          <nav aria-label={t('view')} className="flex rounded-[7px] border p-0.5 max-md:hidden">
            {(['month', 'agenda'] as const).map((one) => (
              <Link
                key={one}
                to="/w/$ws/calendar"
                params={{ ws }}
                search={{ view: one, ...(date ? { date } : {}) }}
                aria-current={shown === one ? 'true' : undefined}
                className="flex min-h-7 items-center rounded-[5px] px-2.5 text-xs font-medium text-muted hover:text-fg aria-[current=true]:bg-hover aria-[current=true]:text-fg"
              >
                {t(one)}
              </Link>
            ))}
          </nav>
        </>
      }
    >
      <Loaded query={query} skeleton={<CalendarSkeleton rows={weeks.length} agenda={shown === 'agenda'} />}>
        {(entries) => {
          const days = byDay(entries, zone)
          return shown === 'month' ? (
            <>
              {entries.length === 0 && <FirstSteps strip icon={CalendarPlus} title={t('emptyMonth')} />}
              <MonthGrid weeks={weeks} month={month} today={today} days={days} />
            </>
          ) : entries.length === 0 ? (
            <FirstSteps icon={CalendarPlus} title={t('emptyMonth')} />
          ) : (
            <Agenda days={days} today={today} />
          )
        }}
      </Loaded>
    </Page>
  )
}

function CalendarSkeleton({ rows, agenda }: { rows: number; agenda: boolean }) {
  if (agenda)
    return (
      <div className="grid gap-3 p-4" aria-hidden>
        {[1, 2, 3, 4].map((row) => (
          <div key={row} className="skeleton h-16" />
        ))}
      </div>
    )
  return (
    <div
      className="grid grow grid-cols-7 gap-px"
      style={{ gridTemplateRows: `2rem repeat(${rows}, minmax(7rem, 1fr))` }}
      aria-hidden
    >
      {Array.from({ length: 7 * (rows + 1) }, (_, cell) => (
        <div key={cell} className="p-2">
          {cell >= 7 && cell % 3 === 0 && <div className="skeleton h-8" />}
        </div>
      ))}
    </div>
  )
}
