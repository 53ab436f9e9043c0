import { clsx } from 'clsx'
import { type ReactNode, useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { fileUrl } from '../../../files.ts'
import { addDays } from '../../../time.ts'
import { NetworkMarks } from '../../../ui/network.tsx'
import { RowTexts, Thumb } from '../../../ui/row.tsx'
import { isInReview } from '../../../ui/status.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { AddLink } from '../calendar/add-link.tsx'
import { byDay, type CalendarEntry } from '../calendar/entry.ts'
import { PostLink } from './post-link.tsx'
import { useNow } from '../../../now.ts'
import { AHEAD } from './query.ts'

/** The next posts, day by day. A day without posts offers to create one. */
export function Timeline({ entries, today }: { entries: CalendarEntry[]; today: string }) {
  const { workspace } = usePlace()
  const may = useMay('createPost')
  const days = useMemo(() => byDay(entries, workspace.timezone), [entries, workspace.timezone])
  // Late posts are published next.
  const late = [...days].filter(([day]) => day < today).flatMap(([, posts]) => posts)
  return (
    <ol className="relative before:absolute before:top-2 before:bottom-6 before:start-23 before:w-px before:bg-line-strong">
      <Now />
      {[...late, ...(days.get(today) ?? [])].map((entry) => (
        <Planned key={entry.id} entry={entry} isToday />
      ))}
      {Array.from({ length: AHEAD - 1 }, (_, index) => addDays(today, index + 1)).map((day, index) => {
        const posts = days.get(day)
        if (!posts) return may.hidden ? null : <FreeDay key={day} day={day} />
        return (
          <li key={day}>
            <DayHead day={day} isNext={index === 0} />
            <ol>
              {posts.map((entry) => (
                <Planned key={entry.id} entry={entry} />
              ))}
            </ol>
          </li>
        )
      })}
    </ol>
  )
}

/** A date as an instant that every formatter displays as that date. */
const noon = (date: string) => new Date(`${date}T12:00Z`)

const Time = ({ children }: { children: ReactNode }) => (
  <span className="w-16 shrink-0 text-end text-xs font-medium text-muted tabular-nums">{children}</span>
)

/** A marker on the line. */
const Pin = ({ look }: { look: string }) => (
  <span className={clsx('z-1 size-[9px] shrink-0 rounded-full border-2 bg-surface', look)} aria-hidden />
)

function Now() {
  const t = useTranslations('today')
  const format = useFormatter()
  const { timezone } = usePlace().workspace
  const now = useNow(30_000)
  return (
    <li className="flex h-4 items-center gap-3 ps-3 text-accent-text">
      <span className="w-16 shrink-0 text-end text-2xs font-semibold tabular-nums">
        <span className="sr-only">{t('now')} </span>
        {format.dateTime(now, { timeStyle: 'short', timeZone: timezone })}
      </span>
      <Pin look="border-accent bg-accent!" />
      <span className="-ms-3 h-px grow bg-accent opacity-50" aria-hidden />
    </li>
  )
}

function DayHead({ day, isNext }: { day: string; isNext: boolean }) {
  const t = useTranslations('today')
  const format = useFormatter()
  const date = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return (
    <h4 className="flex h-7 items-baseline gap-2 ps-27 pt-2 text-xs font-semibold">
      {isNext ? t('tomorrow') : format.dateTime(noon(day), { weekday: 'long', timeZone: 'UTC' })}
      <span className="font-normal text-faint">
        {format.dateTime(noon(day), isNext ? { weekday: 'short', ...date } : date)}
      </span>
    </h4>
  )
}

function Planned({ entry, isToday }: { entry: CalendarEntry; isToday?: boolean }) {
  const t = useTranslations('today')
  const format = useFormatter()
  const { workspace } = usePlace()
  const state = useEntryState(entry)
  return (
    <li className="relative flex min-h-12 items-center gap-3 rounded-md ps-3 pe-2 hover:bg-hover">
      <Time>{format.dateTime(new Date(entry.happensAt), { timeStyle: 'short', timeZone: workspace.timezone })}</Time>
      <Pin look={state.pin} />
      <Thumb url={fileUrl(entry.thumbnailUrl)} />
      <RowTexts
        title={<PostLink entry={entry} />}
        detail={
          <>
            {isToday && `${t('today')} · `}
            <span className={state.tone}>{state.text}</span>
          </>
        }
      />
      <NetworkMarks platforms={entry.platforms} />
    </li>
  )
}

/** What may keep a post from going out on time, as text and colours. */
function useEntryState(entry: CalendarEntry) {
  const t = useTranslations('today.states')
  const quiet = { tone: undefined, pin: 'border-control' }
  const warns = { tone: 'text-warn', pin: 'border-warn' }
  if (isInReview(entry)) return { ...warns, text: t('review') }
  if (entry.problems > 0) return { ...warns, text: t('problems', { count: entry.problems }) }
  if (entry.status === 'DRAFT') return { ...quiet, text: t('draft') }
  return { tone: undefined, pin: 'border-accent', text: t(entry.status === 'PUBLISHING' ? 'publishing' : 'scheduled') }
}

function FreeDay({ day }: { day: string }) {
  const t = useTranslations('today')
  const format = useFormatter()
  const name = format.dateTime(noon(day), { weekday: 'long', timeZone: 'UTC' })
  return (
    <li className="flex min-h-12 items-center gap-3 ps-3 pe-2">
      <Time>{format.dateTime(noon(day), { weekday: 'short', timeZone: 'UTC' })}</Time>
      <Pin look="border-line-strong" />
      <span className="flex min-h-9 min-w-0 grow items-center gap-2 rounded-md border border-dashed border-line-strong px-3 text-xs text-muted">
        <span className="min-w-0 grow clip">{t('free', { day: name })}</span>
        <AddLink
          date={day}
          aria-label={t('addOn', { day: name })}
          className="inline-flex min-h-6 shrink-0 items-center font-medium text-accent-text underline-offset-3 hover:underline max-sm:min-h-11"
        >
          {t('add')}
        </AddLink>
      </span>
    </li>
  )
}
