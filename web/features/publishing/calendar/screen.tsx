import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useToday } from '../../../now.ts'
import { calendarQuery } from '../../../queries.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import { addDays, startOf } from '../../../time.ts'
import { mediaHook } from '../../../ui/media.ts'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { FilterBar } from '../posts/filter-bar.tsx'
import { asked, isFiltered } from '../posts/filters.ts'
import type { Filter } from '../posts/read-filter.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { CalendarActions } from './actions.tsx'
import { CalendarSkeleton } from './blank.tsx'
import { CalendarBody } from './body.tsx'
import { useFreeSlots } from './free.tsx'
import { MovingProvider } from './moving.ts'
import { periodOf, type ShownPeriod } from './period.ts'
import { CalendarQuestions } from './questions.tsx'
import { Heading, ViewSwitch } from './tools.tsx'
import { useFold } from './use-fold.ts'
import { useRescheduling } from './use-rescheduling.ts'
import type { CalendarView } from './views.ts'

// Lazily loaded: it is beside the posts, and can be folded away.
const Unscheduled = lazy(() => import('./unscheduled.tsx'))

const useWide = mediaHook('(width >= 48rem)')

interface Props {
  view?: CalendarView
  date?: string
  filter: Filter
}

/** The posts of some weeks in the workspace's zone: a grid, or on narrow screens dots with the list of a day. */
export function CalendarScreen({ view = 'weeks', date, filter }: Props) {
  const t = useTranslations('calendar')
  const { ws, workspace } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/calendar' })
  const isWide = useWide()
  const { timezone: zone, weekStart } = workspace
  const today = useToday(zone)
  const period: ShownPeriod = useMemo(
    () => ({ view, date, today, ...periodOf(view, date ?? today, weekStart) }),
    [view, date, today, weekStart],
  )
  const { weeks, first, last, previous, next } = period
  const [from, to] = [startOf(first, zone).toISOString(), startOf(addDays(last, 1), zone).toISOString()]
  const query = useQuery(calendarQuery(ws, from, to, asked(filter)))
  const free = useFreeSlots(from, to)

  const go = useCallback(
    (change: { view?: CalendarView; date?: string } & Filter) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  )
  const goTo = (day: string) => go({ date: day })
  useShortcuts({
    t: () => go({ date: undefined }),
    f: () => go({ view: 'weeks' }),
    m: () => go({ view: 'month' }),
    w: () => go({ view: 'week' }),
    l: () => go({ view: 'agenda' }),
    ArrowLeft: () => goTo(document.documentElement.dir === 'rtl' ? next : previous),
    ArrowRight: () => goTo(document.documentElement.dir === 'rtl' ? previous : next),
  })

  const rescheduling = useRescheduling(period, goTo)
  const { moving, moves } = rescheduling
  const isHidden = useMay('schedulePost').hidden
  const fold = useFold()
  const filtered = isFiltered(filter)
  const [filtering, setFiltering] = useState(filtered)

  return (
    <MovingProvider value={moving}>
      <Page
        title={t('title')}
        heading={<Heading view={view} date={date ?? today} first={first} last={last} zone={zone} />}
        actions={
          <CalendarActions
            period={period}
            filtering={filtering}
            isFiltered={filtered}
            onFilter={() => setFiltering(!filtering)}
            fold={isWide && !isHidden ? fold : null}
          />
        }
      >
        <div className="border-b px-4 py-2 md:hidden">
          <ViewSwitch shown={view} />
        </div>
        <div
          id="calendar-filters"
          className={clsx('flex flex-wrap items-center gap-2 border-b px-4 py-2 lg:px-6', !filtering && 'hidden')}
        >
          {filtering && <FilterBar screen="calendar" filter={filter} onChange={go} statuses />}
        </div>
        <p role="status" className="sr-only">
          {moves.said}
        </p>
        <div className="flex min-h-0 min-w-0 grow max-md:flex-col">
          <div className="flex min-w-0 grow flex-col">
            <Loaded query={query} skeleton={<CalendarSkeleton rows={weeks.length} agenda={view === 'agenda'} />}>
              {(answer) => (
                <CalendarBody
                  period={period}
                  entries={moves.withMoved(answer)}
                  free={free}
                  isFiltered={filtered}
                  isWide={isWide}
                  onChoose={goTo}
                />
              )}
            </Loaded>
          </div>
          {!isHidden && (fold.open || !isWide) && (
            <Suspense fallback={<div className="w-52 border-s bg-bg max-md:hidden" aria-hidden />}>
              <Unscheduled narrow={!isWide} />
            </Suspense>
          )}
        </div>
      </Page>
      <CalendarQuestions rescheduling={rescheduling} />
    </MovingProvider>
  )
}
