import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ListOrdered } from 'lucide-react'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { calendarQuery } from '../../../queries.ts'
import { addDays, addMonths, dateIn, startOf, wallTime } from '../../../time.ts'
import { HALF_HOURS } from '../../../ui/clock.ts'
import { MonthPicker } from '../../../ui/month-picker.tsx'
import { standingOf } from '../calendar/entry.ts'
import { freeSlotsQuery } from '../queue/queries.ts'
import { usePlace } from '../../shell/workspace.tsx'

interface Props {
  /** A wall time, possibly incomplete while typing. */
  wall: string
  onWall: (wall: string) => void
  queued: { accountIds: readonly string[]; postId: string | undefined } | undefined
}

const MORNING = '09:00'
/** The maximum number of that day's posts to name. */
const NAMED = 4

/** Chooses a day and time in the workspace's zone. Shows the posts planned on that day, and the free queue slots. */
export default function TimePicker({ wall, onWall, queued }: Props) {
  const t = useTranslations('schedule')
  const status = useTranslations('status')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const { timezone: zone, weekStart } = workspace
  const today = dateIn(new Date(), zone)
  const valid = /^\d{4}-\d\d-\d\d/.test(wall) && !Number.isNaN(Date.parse(wall.slice(0, 10)))
  const date = valid ? wall.slice(0, 10) : today
  const clock = /T(\d\d:\d\d)$/.exec(wall)?.[1]
  const [month, setMonth] = useState(`${date.slice(0, 7)}-01`)
  const show = useCallback((first: string) => setMonth(first), [])
  // Add a week before and after, for the days of other months in the grid.
  const from = startOf(addDays(month, -7), zone).toISOString()
  const to = startOf(addDays(addMonths(month, 1), 8), zone).toISOString()
  const { data: entries = [] } = useQuery(calendarQuery(ws, from, to, {}))
  const { data: slots = [] } = useQuery({
    ...freeSlotsQuery(ws, { from, to, accountIds: queued?.accountIds.join(','), postId: queued?.postId }),
    enabled: queued !== undefined,
  })
  const on = (day: string) =>
    entries.filter(({ id, happensAt }) => id !== queued?.postId && dateIn(new Date(happensAt), zone) === day)
  const free = new Set(
    slots.map(({ at }) => wallTime(new Date(at), zone)).flatMap((one) => (one.startsWith(date) ? [one.slice(11)] : [])),
  )
  const now = wallTime(new Date(), zone)
  const times = [...new Set([...HALF_HOURS, ...free, ...(clock ? [clock] : [])])]
    .toSorted()
    .filter((time) => `${date}T${time}` >= now || time === clock)
  const planned = on(date)
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-[minmax(0,1fr)_7rem]">
        <MonthPicker
          date={date}
          today={today}
          min={today}
          weekStart={weekStart}
          countOf={(day) => on(day).length}
          onDate={(day) => onWall(`${day}T${clock ?? MORNING}`)}
          onMonth={show}
        />
        <Times times={times} free={free} chosen={clock} onChoose={(time) => onWall(`${date}T${time}`)} />
      </div>
      <section aria-labelledby="planned" className="grid gap-1 rounded-[7px] bg-sunken px-3 py-2 text-xs">
        <h3 id="planned" className="font-medium">
          {format.dateTime(new Date(`${date}T12:00Z`), {
            weekday: 'long',
            day: 'numeric',
            month: 'long',
            timeZone: 'UTC',
          })}
          {' · '}
          <span className="font-normal text-muted">{t('planned', { count: planned.length })}</span>
        </h3>
        {planned.length > 0 && (
          <ul className="grid gap-1">
            {planned.slice(0, NAMED).map((entry) => {
              const { id, happensAt, caption } = entry
              const { icon: Icon, text, word } = standingOf(entry)
              return (
                <li key={id} className="flex min-w-0 items-center gap-2">
                  <Icon className={clsx('size-3.5 shrink-0', text)} role="img" aria-label={status(word)} />
                  <span className="shrink-0 tabular-nums">
                    {format.dateTime(new Date(happensAt), { timeStyle: 'short', timeZone: zone })}
                  </span>
                  <bdi className="clip text-muted">{caption}</bdi>
                </li>
              )
            })}
            {planned.length > NAMED && (
              <li className="text-muted">{t('morePlanned', { count: planned.length - NAMED })}</li>
            )}
          </ul>
        )}
      </section>
    </div>
  )
}

interface TimesProps {
  times: string[]
  /** The times of free queue slots. */
  free: ReadonlySet<string>
  chosen: string | undefined
  onChoose: (time: string) => void
}

/** The half hours of the day, and its free queue slots. */
function Times({ times, free, chosen, onChoose }: TimesProps) {
  const t = useTranslations('schedule')
  const format = useFormatter()
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const now = list.current?.querySelector<HTMLElement>('[aria-pressed=true]')
    if (list.current && now) list.current.scrollTop = now.offsetTop - list.current.clientHeight / 2
  }, [chosen])
  return (
    <div className="relative max-sm:h-36">
      <div
        ref={list}
        role="group"
        aria-label={t('time')}
        className="absolute inset-0 grid content-start overflow-y-auto rounded-[7px] border p-1"
      >
        {times.map((time) => (
          <button
            key={time}
            type="button"
            aria-pressed={time === chosen}
            title={free.has(time) ? t('freeInQueue') : undefined}
            onClick={() => onChoose(time)}
            className="flex min-h-7 shrink-0 items-center justify-between gap-1 rounded-md px-2 text-13 tabular-nums hover:bg-hover aria-pressed:bg-accent aria-pressed:font-semibold aria-pressed:text-on-accent max-sm:min-h-11"
          >
            <bdi>{format.dateTime(new Date(`2000-01-01T${time}Z`), { timeStyle: 'short', timeZone: 'UTC' })}</bdi>
            {free.has(time) && (
              <>
                <ListOrdered className="size-3.5" aria-hidden />
                <span className="sr-only">{t('freeInQueue')}</span>
              </>
            )}
          </button>
        ))}
      </div>
    </div>
  )
}
