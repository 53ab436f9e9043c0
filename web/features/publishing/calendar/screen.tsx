import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CalendarPlus, ChevronLeft, ChevronRight, ListFilter, SearchX } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useState, useSyncExternalStore } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { browserZone } from '../../../i18n.tsx'
import { calendarQuery } from '../../../queries.ts'
import { useShortcuts, withKey } from '../../../shortcuts.ts'
import { addDays, dateIn, instantOf, isUnclear, startOf, wallTime, zoneLabel } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { ScheduleDialog } from '../composer/schedule-dialog.tsx'
import { StatusFilter, TargetFilters } from '../posts/filter-fields.tsx'
import { asked, type Filter, isFiltered } from '../posts/filters.ts'
import { isMovable } from '../posts/reschedule.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { Agenda } from './agenda.tsx'
import { byDay, type Entry } from './entry.ts'
import { useFreeSlots } from './free.tsx'
import { MonthGrid } from './month.tsx'
import { type Moving, MovingProvider } from './moving.ts'
import { periodOf } from './period.ts'
import { useMoves } from './use-moves.ts'
import { type View, VIEWS } from './views.ts'
import { WeekGrid } from './week.tsx'

// Twice a year.
const WhichDialog = lazy(() => import('../time/which-dialog.tsx'))

const wide = matchMedia('(width >= 48rem)')
const useWide = () =>
  useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )

const KEYS: Record<View, string> = { month: 'M', week: 'W', agenda: 'L' }
const HOUR = 3_600_000

interface Props {
  view?: View
  date?: string
  filter: Filter
}

/** The posts of a month or a week in the zone of the workspace: a grid, or a list of days where there is no room for one. */
export function CalendarScreen({ view, date, filter }: Props) {
  const t = useTranslations('calendar')
  const { ws, workspace } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/calendar' })
  const isWide = useWide()
  const zone = workspace.timezone
  const today = dateIn(new Date(), zone)
  const shown = isWide ? (view ?? 'month') : 'agenda'
  const period = useMemo(
    () => periodOf(shown, date ?? today, workspace.weekStart),
    [shown, date, today, workspace.weekStart],
  )
  const { weeks, first, last, previous, next } = period
  const [from, to] = [startOf(first, zone).toISOString(), startOf(addDays(last, 1), zone).toISOString()]
  const query = useQuery(calendarQuery(ws, from, to, asked(filter)))
  const free = useFreeSlots(from, to)
  const go = useCallback(
    (change: { view?: View; date?: string } & Filter) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  )
  useShortcuts({
    t: () => go({ date: undefined }),
    m: () => go({ view: 'month' }),
    w: () => go({ view: 'week' }),
    l: () => go({ view: 'agenda' }),
    ArrowLeft: () => go({ date: document.documentElement.dir === 'rtl' ? next : previous }),
    ArrowRight: () => go({ date: document.documentElement.dir === 'rtl' ? previous : next }),
  })

  const may = useMay('schedulePost')
  const moves = useMoves()
  const [chosen, setChosen] = useState<Entry | null>(null)
  const [filtering, setFiltering] = useState(() => isFiltered(filter))
  const refused = (cell?: HTMLElement) =>
    toast.info(t(cell?.dataset['skipped'] ? 'skippedRefused' : 'pastRefused'), { id: 'calendar-refused' })
  const movable = (entry: Entry) => !may.hidden && !may.reason && isMovable(entry)
  const show = (at: Date) => {
    const day = dateIn(at, zone)
    if (day < first || day > last) go({ date: day })
  }
  const wallFor = (entry: Entry, date: string) =>
    `${date}T${moves.clockOf(entry) ?? wallTime(new Date(entry.happensAt), zone).slice(11)}`
  const moving: Moving = {
    held: moves.held,
    movable,
    place: moves.move,
    placeOn: (entry, date) => {
      const wall = wallFor(entry, date)
      moves.move(entry, instantOf(wall, zone), isUnclear(wall, zone) ? wall : undefined)
    },
    refused,
    choose: setChosen,
    step: (entry, across, down, more) => {
      if (!movable(entry)) {
        toast.info(t('cannotMove'), { id: 'calendar-refused' })
        return
      }
      const stood = new Date(entry.happensAt)
      const days = shown === 'week' ? across : across + (shown === 'month' ? 7 : 1) * down
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
            <Tools view={view} shown={shown} previous={previous} next={next} />
            <Button
              variant="ghost"
              aria-expanded={filtering}
              aria-controls="calendar-filters"
              className="md:hidden"
              onClick={() => setFiltering(!filtering)}
            >
              <ListFilter className="size-4" aria-hidden />
              {t('filter')}
            </Button>
          </>
        }
      >
        <Filters filter={filter} onChange={go} open={filtering} />
        <p role="status" className="sr-only">
          {moves.said}
        </p>
        <Loaded query={query} skeleton={<CalendarSkeleton rows={weeks.length} agenda={shown === 'agenda'} />}>
          {(answer) => {
            const entries = moves.withMoved(answer).filter((one) => {
              const day = dateIn(new Date(one.happensAt), zone)
              return day >= first && day <= last
            })
            const days = byDay(entries, zone)
            const none =
              entries.length > 0 ? null : isFiltered(filter) ? (
                <NothingMatches strip={shown !== 'agenda'} />
              ) : (
                <FirstSteps
                  strip={shown !== 'agenda'}
                  icon={CalendarPlus}
                  title={t(shown === 'week' ? 'emptyWeek' : 'emptyMonth')}
                />
              )
            if (shown === 'agenda') return none ?? <Agenda days={days} free={free} today={today} />
            return (
              <>
                {none}
                {shown === 'week' ? (
                  <WeekGrid week={weeks[0] ?? []} today={today} entries={entries} free={free} />
                ) : (
                  <MonthGrid weeks={weeks} month={date ?? today} today={today} days={days} free={free} />
                )}
              </>
            )
          }}
        </Loaded>
      </Page>
      {moves.question && (
        <Suspense>
          <WhichDialog wall={moves.question.wall} onClose={() => moves.answer(null)} onChoose={moves.answer} />
        </Suspense>
      )}
      {chosen && (
        <ScheduleDialog
          key={chosen.id}
          open
          onOpenChange={() => setChosen(null)}
          action={t('move')}
          initial={new Date(chosen.happensAt)}
          busy={false}
          error={null}
          onSchedule={(at) => {
            setChosen(null)
            moves.move(chosen, at)
            show(at)
          }}
        />
      )}
    </MovingProvider>
  )
}

interface HeadingProps {
  view: View
  date: string
  first: string
  last: string
  zone: string
}

function Heading({ view, date, first, last, zone }: HeadingProps) {
  const t = useTranslations('calendar')
  const format = useFormatter()
  const locale = useLocale()
  const local = browserZone()
  const noon = (day: string) => new Date(`${day}T12:00Z`)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2.5">
      {view === 'week'
        ? format.dateTimeRange(noon(first), noon(last), {
            day: 'numeric',
            month: 'short',
            year: 'numeric',
            timeZone: 'UTC',
          })
        : format.dateTime(noon(`${date.slice(0, 7)}-01`), { month: 'long', year: 'numeric', timeZone: 'UTC' })}
      <span
        className="text-xs font-normal tracking-normal text-muted"
        title={
          local === zone
            ? undefined
            : t('zoneBoth', { zone: zone.replaceAll('_', ' '), local: local.replaceAll('_', ' ') })
        }
      >
        <bdi>{zoneLabel(zone, startOf(view === 'week' ? first : date, zone), locale)}</bdi>
      </span>
    </span>
  )
}

function Tools({ view, shown, previous, next }: { view?: View; shown: View; previous: string; next: string }) {
  const t = useTranslations('calendar')
  const { ws } = usePlace()
  const week = shown === 'week'
  const rtl = document.documentElement.dir === 'rtl'
  const at = { to: '/w/$ws/calendar', params: { ws } } as const
  return (
    <>
      <Link
        {...at}
        search={(before) => ({ ...before, date: undefined })}
        aria-keyshortcuts="T"
        title={withKey(t('today'), 'T')}
        className={buttonClass('secondary')}
      >
        {t('today')}
      </Link>
      <div className="flex">
        <Link
          {...at}
          search={(before) => ({ ...before, date: previous })}
          aria-label={t(week ? 'previousWeek' : 'previous')}
          aria-keyshortcuts={rtl ? 'ArrowRight' : 'ArrowLeft'}
          title={withKey(t(week ? 'previousWeek' : 'previous'), rtl ? '→' : '←')}
          className={buttonClass('ghost', 'icon')}
        >
          <ChevronLeft className="size-4 rtl:rotate-180" aria-hidden />
        </Link>
        <Link
          {...at}
          search={(before) => ({ ...before, date: next })}
          aria-label={t(week ? 'nextWeek' : 'next')}
          aria-keyshortcuts={rtl ? 'ArrowLeft' : 'ArrowRight'}
          title={withKey(t(week ? 'nextWeek' : 'next'), rtl ? '←' : '→')}
          className={buttonClass('ghost', 'icon')}
        >
          <ChevronRight className="size-4 rtl:rotate-180" aria-hidden />
        </Link>
      </div>
      <nav aria-label={t('view')} className="segments max-md:hidden">
        {VIEWS.map((one) => (
          <Link
            key={one}
            {...at}
            search={(before) => ({ ...before, view: one })}
            aria-current={(view ?? 'month') === one ? 'true' : undefined}
            aria-keyshortcuts={KEYS[one]}
            title={withKey(t(one), KEYS[one])}
            className="segment"
          >
            {t(one)}
          </Link>
        ))}
      </nav>
    </>
  )
}

interface FiltersProps {
  filter: Filter
  onChange: (change: Filter) => void
  open: boolean
}

/** The filters; on a phone they are there when asked for. */
function Filters({ filter, onChange, open }: FiltersProps) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  return (
    <div
      id="calendar-filters"
      className={clsx('flex flex-wrap items-center gap-2 border-b px-4 py-2 lg:px-6', !open && 'max-md:hidden')}
    >
      <SearchField label={t('search')} value={filter.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
      <StatusFilter filter={filter} onChange={onChange} />
      <TargetFilters filter={filter} onChange={onChange} />
      {isFiltered(filter) && (
        <Link
          to="/w/$ws/calendar"
          params={{ ws }}
          search={({ view, date }) => ({ view, date })}
          className={buttonClass('ghost')}
        >
          {t('clear')}
        </Link>
      )}
    </div>
  )
}

function NothingMatches({ strip }: { strip: boolean }) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  const clear = (
    <Link
      to="/w/$ws/calendar"
      params={{ ws }}
      search={({ view, date }) => ({ view, date })}
      className={buttonClass('secondary')}
    >
      {t('clear')}
    </Link>
  )
  if (!strip) return <Empty icon={SearchX} title={t('noMatch')} role="status" actions={clear} />
  return (
    <p role="status" className="border-b bg-bg px-4 py-2.5 text-13 font-semibold lg:px-6">
      {t('noMatch')}
    </p>
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
