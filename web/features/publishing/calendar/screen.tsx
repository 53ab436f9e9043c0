import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CalendarPlus, ListFilter, PanelRight } from 'lucide-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { postTexts } from '../../../i18n.tsx'
import { useToday } from '../../../now.ts'
import { calendarQuery } from '../../../queries.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import { addDays, dateIn, instantOf, isUnclear, startOf, wallOn, wallTime } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { mediaHook } from '../../../ui/media.ts'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useLoss } from '../approvals/use-loss.ts'
import { FilterBar } from '../posts/filter-bar.tsx'
import { asked, isFiltered } from '../posts/filters.ts'
import type { Filter } from '../posts/read-filter.ts'
import { isMovable } from '../posts/reschedule.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { CalendarSkeleton, NothingMatches } from './blank.tsx'
import { byDay, type CalendarEntry, isUnscheduled } from './entry.ts'
import { useFreeSlots } from './free.tsx'
import { MonthGrid } from './month.tsx'
import { type Moving, MovingProvider } from './moving.ts'
import { periodOf } from './period.ts'
import { proposedTime } from './proposed-time.ts'
import { Heading, Tools, ViewSwitch } from './tools.tsx'
import { useFold } from './use-fold.ts'
import { useMoves } from './use-moves.ts'
import type { CalendarView } from './views.ts'

// Lazily loaded: only one view is visible at a time, and few people need the rest.
const WeekGrid = lazy(async () => ({ default: (await import('./week.tsx')).WeekGrid }))
const Agenda = lazy(async () => ({ default: (await import('./agenda.tsx')).Agenda }))
const MonthDots = lazy(() => import('./dots.tsx'))
const Unscheduled = lazy(() => import('./unscheduled.tsx'))
const PublishNow = lazy(async () => {
  await postTexts()
  return import('./publish-now.tsx')
})
const ScheduleDialog = lazy(async () => ({ default: (await import('../composer/schedule-dialog.tsx')).ScheduleDialog }))
// Needed only around clock changes.
const WhichDialog = lazy(() => import('../time/which-dialog.tsx'))

const useWide = mediaHook('(width >= 48rem)')

const HOUR = 3_600_000
const EMPTY = { weeks: 'emptyWeeks', month: 'emptyMonth', week: 'emptyWeek', agenda: 'emptyMonth' } as const

interface Props {
  view?: CalendarView
  date?: string
  filter: Filter
}

/** The posts of some weeks in the workspace's zone: a grid, or on narrow screens dots with the list of a day. */
export function CalendarScreen({ view, date, filter }: Props) {
  const t = useTranslations('calendar')
  const { ws, workspace } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/calendar' })
  const isWide = useWide()
  const zone = workspace.timezone
  const today = useToday(zone)
  const shown = view ?? 'weeks'
  const period = useMemo(
    () => periodOf(shown, date ?? today, workspace.weekStart),
    [shown, date, today, workspace.weekStart],
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
  useShortcuts({
    t: () => go({ date: undefined }),
    f: () => go({ view: 'weeks' }),
    m: () => go({ view: 'month' }),
    w: () => go({ view: 'week' }),
    l: () => go({ view: 'agenda' }),
    ArrowLeft: () => go({ date: document.documentElement.dir === 'rtl' ? next : previous }),
    ArrowRight: () => go({ date: document.documentElement.dir === 'rtl' ? previous : next }),
  })

  const may = useMay('schedulePost')
  const moves = useMoves()
  const [chosen, setChosen] = useState<CalendarEntry | null>(null)
  const lossOf = useLoss()
  const loss = chosen && lossOf(chosen)
  const [publishing, setPublishing] = useState<CalendarEntry | null>(null)
  const fold = useFold()
  const [filtering, setFiltering] = useState(() => isFiltered(filter))
  const refused = (cell?: HTMLElement) =>
    toast.info(t(cell?.dataset['skipped'] ? 'skippedRefused' : 'pastRefused'), { id: 'calendar-refused' })
  const movable = (entry: CalendarEntry) => !may.hidden && !may.reason && isMovable(entry)
  const show = (at: Date) => {
    const day = dateIn(at, zone)
    if (day < first || day > last) go({ date: day })
  }
  const wallFor = (entry: CalendarEntry, date: string) => {
    const clock = moves.clockOf(entry)
    if (clock !== undefined) return `${date}T${clock}`
    return isUnscheduled(entry) ? proposedTime(date, zone) : wallOn(new Date(entry.happensAt), date, zone)
  }
  const write = (idea: string, at: string) =>
    void navigate({ to: '/w/$ws/compose', params: { ws }, search: { idea, at } })
  const moving: Moving = {
    held: moves.held,
    movable,
    timeOn: (entry, date) => {
      const at = instantOf(wallFor(entry, date), zone)
      return at.getTime() < Date.now() ? null : at
    },
    place: (entry, at) => (entry.idea ? write(entry.idea, wallTime(at, zone)) : moves.move(entry, at)),
    placeOn: (entry, date) => {
      const wall = wallFor(entry, date)
      if (entry.idea) return write(entry.idea, wall)
      moves.move(entry, instantOf(wall, zone), isUnclear(wall, zone) ? wall : undefined)
    },
    refused,
    choose: setChosen,
    publish: setPublishing,
    step: (entry, across, down, more) => {
      if (!movable(entry)) {
        toast.info(t('cannotMove'), { id: 'calendar-refused' })
        return
      }
      const stood = new Date(entry.happensAt)
      const days = shown === 'week' ? across : across + (shown === 'month' || shown === 'weeks' ? 7 : 1) * down
      const wall = days === 0 ? null : wallFor(entry, addDays(dateIn(stood, zone), days))
      const at = wall === null ? new Date(stood.getTime() + down * HOUR) : instantOf(wall, zone)
      const unclear = wall !== null && isUnclear(wall, zone) ? wall : undefined
      if (at.getTime() < Date.now()) {
        refused()
        return
      }
      if (more) moves.step(entry, at, unclear)
      else moves.move(entry, at, unclear)
      show(at)
    },
  }

  return (
    <MovingProvider value={moving}>
      <Page
        title={t('title')}
        heading={<Heading view={shown} date={date ?? today} first={first} last={last} zone={zone} />}
        actions={
          <>
            <Tools shown={shown} previous={previous} next={next} />
            <span className="max-md:hidden">
              <ViewSwitch shown={shown} />
            </span>
            <Button
              variant="ghost"
              size="icon"
              aria-label={t('filter')}
              aria-expanded={filtering}
              aria-controls="calendar-filters"
              title={t('filter')}
              className={clsx((filtering || isFiltered(filter)) && 'bg-hover')}
              onClick={() => setFiltering(!filtering)}
            >
              <ListFilter className="size-4" aria-hidden />
            </Button>
            {isWide && !may.hidden && (
              <Button
                variant="ghost"
                size="icon"
                aria-label={t('unscheduled')}
                aria-expanded={fold.open}
                title={t('unscheduled')}
                className={clsx(fold.open && 'bg-hover')}
                onClick={fold.toggle}
              >
                <PanelRight className="size-4 rtl:-scale-x-100" aria-hidden />
              </Button>
            )}
          </>
        }
      >
        <div className="border-b px-4 py-2 md:hidden">
          <ViewSwitch shown={shown} />
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
            <Loaded query={query} skeleton={<CalendarSkeleton rows={weeks.length} agenda={shown === 'agenda'} />}>
              {(answer) => {
                const entries = moves.withMoved(answer).filter((one) => {
                  const day = dateIn(new Date(one.happensAt), zone)
                  return day >= first && day <= last && !isUnscheduled(one)
                })
                const days = byDay(entries, zone)
                const strip = isWide && shown !== 'agenda'
                const none =
                  entries.length > 0 ? null : isFiltered(filter) ? (
                    <NothingMatches strip={strip} />
                  ) : (
                    isWide && <FirstSteps strip={strip} icon={CalendarPlus} title={t(EMPTY[shown])} />
                  )
                return (
                  <Suspense>
                    {(strip || !isWide) && none}
                    {shown === 'agenda' ? (
                      (strip ? null : none) || <Agenda days={days} free={free} today={today} />
                    ) : !isWide ? (
                      <MonthDots
                        weeks={weeks}
                        month={shown === 'month' ? (date ?? today) : null}
                        days={days}
                        chosen={
                          date && date >= first && date <= last ? date : today >= first && today <= last ? today : first
                        }
                        today={today}
                        onChoose={(day) => go({ date: day })}
                      />
                    ) : shown === 'week' ? (
                      <WeekGrid week={weeks[0] ?? []} today={today} entries={entries} free={free} />
                    ) : (
                      <MonthGrid
                        weeks={weeks}
                        month={shown === 'month' ? (date ?? today) : null}
                        today={today}
                        days={days}
                        free={free}
                      />
                    )}
                  </Suspense>
                )
              }}
            </Loaded>
          </div>
          {!may.hidden && (fold.open || !isWide) && (
            <Suspense fallback={<div className="w-52 border-s bg-bg max-md:hidden" aria-hidden />}>
              <Unscheduled narrow={!isWide} />
            </Suspense>
          )}
        </div>
      </Page>
      {moves.question && (
        <Suspense>
          <WhichDialog wall={moves.question.wall} onClose={() => moves.answer(null)} onChoose={moves.answer} />
        </Suspense>
      )}
      {chosen && (
        <Suspense>
          <ScheduleDialog
            key={chosen.id}
            onClose={() => setChosen(null)}
            action={t('move')}
            initial={isUnscheduled(chosen) ? null : new Date(chosen.happensAt)}
            busy={false}
            error={null}
            onSchedule={(at) => {
              setChosen(null)
              moves.move(chosen, at)
              show(at)
            }}
          >
            {loss && <p className="rounded-md bg-warn-soft px-3 py-2.5 text-13">{t(`loses.${loss}`)}</p>}
          </ScheduleDialog>
        </Suspense>
      )}
      {publishing && (
        <Suspense>
          <PublishNow entry={publishing} onClose={() => setPublishing(null)} />
        </Suspense>
      )}
    </MovingProvider>
  )
}
