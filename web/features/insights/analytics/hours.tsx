import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Suspense } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { HourCell, PostAge } from '../../../../src/insights/analytics/api.ts'
import { LEAST_POSTS } from '../../../../src/insights/analytics/rules.ts'
import { predictionTexts } from '../../../i18n.tsx'
import { weekOf } from '../../../time.ts'
import { Choice } from '../../../ui/choice.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { NoPosts } from './no-posts.tsx'
import { type FigureFilter, hoursQuery } from './queries.ts'
import { AGES, type Search } from './read-search.ts'
import { useFigureWords } from './words.ts'

const BestTimes = lazy(async () => {
  await predictionTexts()
  return import('../predictions/best-times.tsx')
})

/** Posts by weekday and hour. Above, each account's verdict on whether posting times make a difference. */
export default function Hours({
  asked,
  search,
  accountIds,
}: {
  asked: FigureFilter
  search: Search
  accountIds: string[]
}) {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/analytics/' })
  const at = search.at ?? '7d'
  const query = useQuery(hoursQuery(ws, { ...asked, at }))
  return (
    <section aria-label={t('tabs.hours')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Choice<PostAge>
          label={t('age')}
          value={at}
          onChange={(age) => void navigate({ search: (before) => ({ ...before, at: age }), replace: true })}
          options={AGES.map((age) => [age, t(`ages.${age}`)] as const)}
        />
        {query.data && (
          <p className="text-xs text-muted" role="status">
            {t('postsFromAge', { count: query.data.count })}{' '}
            {query.data.leftOut > 0 && t('leftOut', { count: query.data.leftOut })}
          </p>
        )}
      </div>
      <Suspense fallback={<div className="skeleton h-16" aria-hidden />}>
        <BestTimes accountIds={accountIds} detailed />
      </Suspense>
      <p className="text-13 text-muted">{t('hoursNote', { least: LEAST_POSTS })}</p>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {({ data }) => (data.length === 0 ? <NoPosts tab="hours" /> : <HeatMap cells={data} />)}
      </Loaded>
    </section>
  )
}

function HeatMap({ cells }: { cells: HourCell[] }) {
  const t = useTranslations('analytics')
  const format = useFormatter()
  const say = useFigureWords()
  const { workspace } = usePlace()
  const week = weekOf('2026-01-05', workspace.weekStart)
  const weekdayOf = (date: string) => new Date(`${date}T12:00Z`).getUTCDay() || 7
  const hours = cells.map(({ hour }) => hour)
  const first = Math.min(...hours)
  const rows = Array.from({ length: Math.max(...hours) - first + 1 }, (_, index) => first + index)
  const at = (date: string, hour: number) =>
    cells.find((cell) => cell.weekday === weekdayOf(date) && cell.hour === hour)
  const time = (hour: number) =>
    format.dateTime(new Date(Date.UTC(2026, 0, 5, hour)), { hour: 'numeric', timeZone: 'UTC' })
  const dayName = (date: string, weekday: 'short' | 'long') =>
    format.dateTime(new Date(`${date}T12:00Z`), { weekday, timeZone: 'UTC' })
  return (
    <table className="w-full table-fixed text-xs tabular-nums">
      <caption className="sr-only">{t('tabs.hours')}</caption>
      <thead>
        <tr className="text-muted">
          <th scope="col" className="w-12 py-1 text-start font-medium">
            {t('hour')}
          </th>
          {week.map((date) => (
            <th key={date} scope="col" className="py-1 font-medium">
              <span aria-hidden>{dayName(date, 'short')}</span>
              <span className="sr-only">{dayName(date, 'long')}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((hour) => (
          <tr key={hour}>
            <th scope="row" className="py-1 text-start font-normal whitespace-nowrap text-muted">
              {time(hour)}
            </th>
            {week.map((date) => {
              const cell = at(date, hour)
              const isSure = cell !== undefined && cell.n >= LEAST_POSTS
              // The colour grows with the median, and is strongest from twice the usual engagement on.
              const share = isSure ? Math.round(Math.min(1, (cell.median ?? 0) / 2) * 40) : 0
              return (
                <td
                  key={date}
                  className={clsx('h-10 p-0.5 text-center', cell ? 'bg-sunken' : '', !isSure && 'text-muted')}
                  style={
                    isSure ? { background: `color-mix(in srgb, var(--accent) ${share}%, var(--surface))` } : undefined
                  }
                >
                  {cell && (
                    <>
                      {cell.median !== null && <bdi dir="ltr">{say.times(cell.median)}</bdi>}
                      <span className="block text-2xs">{t('postCount', { count: cell.n })}</span>
                    </>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
