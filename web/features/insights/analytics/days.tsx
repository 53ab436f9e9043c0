import { ChartLine, Table2 } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import type { Band, Point } from '../chart/curve.tsx'
import type { ChartFigure } from './read-search.ts'
import { type DayPoint, gapsIn, lacksOn, pointsOf, spansOf, storyOf } from './rules.ts'
import { Value } from './value.tsx'
import { nameIn, useFigureWords, useGrowthWords } from './words.ts'

const Curve = lazy(() => import('../chart/curve.tsx'))

const NOON = 'T12:00Z'
const HALF_DAY = 43_200_000

interface Props {
  overview: AnalyticsOverview
  figure: ChartFigure
}

/** One figure by day: a summary sentence, a chart or a table, and the missing days with their reasons. */
export function Days({ overview, figure }: Props) {
  const t = useTranslations('analytics')
  const figures = useTranslations('figures')
  const say = useFigureWords()
  const nameOf = nameIn(overview)
  const [isTable, setTable] = useState(false)
  const days = useMemo(() => pointsOf(overview, figure), [overview, figure])
  const gaps = useMemo(() => gapsIn(overview.basis.gaps, figure), [overview, figure])
  const points = useMemo(
    () =>
      days.map(({ day, value, before, mayChange }): Point => ({
        at: day + NOON,
        value,
        beside: before?.value ?? null,
        mayChange,
      })),
    [days],
  )
  const bands = useMemo(() => {
    const around = (day: string, by: number) => new Date(Date.parse(day + NOON) + by).toISOString()
    const bandsOf = (points: DayPoint[], partly: boolean) =>
      spansOf(points.map(({ day }) => day)).map(({ first, last }): Band => ({
        from: around(first, -HALF_DAY),
        to: around(last, HALF_DAY),
        partly,
      }))
    const unknown = days.filter(({ value }) => value === null)
    const partly = days.filter((day) => day.value !== null && lacksOn(overview, figure, day).length > 0)
    return [...bandsOf(unknown, false), ...bandsOf(partly, true)]
  }, [overview, figure, days])
  const value = figure === 'rate' ? say.share : say.whole
  const spoken = (number: number | null) => (number === null ? figures('noneSpoken') : value(number))
  const name = t(`figures.${figure}`)
  const sentence = useSentence(overview, figure, days)
  /** Why a day has no value, or which accounts its value leaves out. */
  const lackOn = (point: DayPoint): string | null => {
    const lacks = lacksOn(overview, figure, point)
    const [first] = lacks
    if (!first) return null
    if (point.value === null) return t(`gaps.${first.reason}`, { account: nameOf(first.accountId) })
    return t('without', { accounts: say.list([...new Set(lacks.map(({ accountId }) => nameOf(accountId)))]) })
  }
  const sayPoint = ({ at }: Point) => {
    const one = days.find(({ day }) => at === day + NOON)
    if (!one) return ''
    const lack = lackOn(one)
    return [
      t('point', { day: say.weekday(one.day), value: spoken(one.value) }),
      ...(lack ? [lack] : []),
      ...(one.mayChange ? [t('legend.mayChange')] : []),
      ...(one.before ? [t('point', { day: say.day(one.before.day), value: spoken(one.before.value) })] : []),
    ].join(' · ')
  }
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="min-w-0 grow basis-60 text-13">{sentence}</p>
        {!isTable && (
          <Legend
            hasBefore={overview.previous !== null}
            hasGaps={bands.length > 0}
            mayChange={days.some((day) => day.mayChange)}
          />
        )}
        <Button size="sm" variant="ghost" className="ms-auto" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? <ChartLine className="size-3.5" aria-hidden /> : <Table2 className="size-3.5" aria-hidden />}
          {figures(isTable ? 'asChart' : 'asTable')}
        </Button>
      </figcaption>
      {isTable ? (
        <DaysTable name={name} days={days} say={value} lackOn={lackOn} />
      ) : (
        <Suspense fallback={<div className="skeleton h-55" aria-hidden />}>
          <Curve
            points={points}
            bands={bands}
            label={`${sentence} ${figures('keys')}`}
            timeZone="UTC"
            say={sayPoint}
            {...(figure === 'rate' && { tick: say.share })}
          />
        </Suspense>
      )}
      {gaps.length > 0 && (
        <ul aria-label={t('missingDays')} className="grid gap-0.5 text-xs text-muted">
          {gaps.slice(0, 6).map((gap) => (
            <li key={`${gap.accountId} ${gap.metric} ${gap.from}`}>
              {t('gap', {
                days: say.days(gap.from, gap.to),
                reason: t(`gaps.${gap.reason}`, { account: nameOf(gap.accountId) }),
              })}
            </li>
          ))}
          {gaps.length > 6 && <li>{t('moreGaps', { count: gaps.length - 6 })}</li>}
        </ul>
      )}
    </figure>
  )
}

/** Returns what the chart shows, as a sentence. */
function useSentence(overview: AnalyticsOverview, figure: ChartFigure, days: readonly DayPoint[]): string {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const sayGrowth = useGrowthWords()
  const name = t(`figures.${figure}`)
  if (figure === 'followers') {
    const { value } = overview.totals.followers
    if (value === null) return t('nothingKnown', { figure: name })
    const first = t('followersNow', { value: say.whole(value) })
    const growth = sayGrowth(overview.totals.followers, say.weekday)
    return growth === null ? first : `${first} ${growth}.`
  }
  const story = storyOf(overview, figure, days)
  if (!story) return t('nothingKnown', { figure: name })
  const { now, before, total, best } = story
  const key = before === null ? 'isPerDay' : now > before ? 'rose' : now < before ? 'fell' : 'stayed'
  const value = figure === 'rate' ? say.share : say.whole
  const what = figure === 'rate' ? ('rate' as const) : ('sum' as const)
  const first =
    total === null
      ? t(key, { figure: name, before: value(before ?? 0), now: value(now), what })
      : t('isTotal', { figure: name, value: value(total) })
  return `${first} ${t('bestDay', { day: say.weekday(best) })}`
}

function Legend({ hasBefore, hasGaps, mayChange }: { hasBefore: boolean; hasGaps: boolean; mayChange: boolean }) {
  const t = useTranslations('analytics.legend')
  const line = 'inline-block w-4 border-t-2'
  return (
    <p aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      <span className="inline-flex items-center gap-1.5">
        <span className={`${line} border-accent`} /> {t('now')}
      </span>
      {hasBefore && (
        <span className="inline-flex items-center gap-1.5">
          <span className={`${line} border-control`} /> {t('before')}
        </span>
      )}
      {mayChange && (
        <span className="inline-flex items-center gap-1.5">
          <span className={`${line} border-dotted border-accent`} /> {t('mayChange')}
        </span>
      )}
      {hasGaps && (
        <span className="inline-flex items-center gap-1.5">
          <span
            className="size-3 rounded-sm border"
            style={{ background: 'repeating-linear-gradient(135deg, var(--line-strong) 0 1px, transparent 1px 4px)' }}
          />{' '}
          {t('gap')}
        </span>
      )}
    </p>
  )
}

const Lack = ({ children }: { children: string | null }) =>
  children === null ? null : <span className="ms-2 text-xs text-muted">{children}</span>

interface TableProps {
  name: string
  days: readonly DayPoint[]
  say: (value: number) => string
  lackOn: (day: DayPoint) => string | null
}

function DaysTable({ name, days, say, lackOn }: TableProps) {
  const t = useTranslations('analytics')
  const figures = useTranslations('figures')
  const words = useFigureWords()
  const hasBefore = days.some(({ before }) => before !== null)
  const heads = [figures('day'), name, ...(hasBefore ? [t('legend.before')] : [])]
  return (
    <table className="w-full text-13 tabular-nums">
      <thead>
        <tr className="text-xs text-muted">
          {heads.map((head, index) => (
            <th key={head} scope="col" className={`py-1.5 font-medium ${index === 0 ? 'text-start' : 'text-end'}`}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((point) => (
          <tr key={point.day} className="border-t">
            <th scope="row" className="py-1.5 text-start font-normal">
              {words.weekday(point.day)}
              {point.mayChange && <span className="ms-2 text-xs text-muted">{t('legend.mayChange')}</span>}
              <Lack>{lackOn(point)}</Lack>
            </th>
            <td className="py-1.5 text-end font-medium">
              <Value of={point.value} say={say} />
            </td>
            {hasBefore && (
              <td className="py-1.5 text-end text-muted">
                <Value of={point.before?.value ?? null} say={say} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
