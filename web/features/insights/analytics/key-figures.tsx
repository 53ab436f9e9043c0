import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { useAnyPlace } from '../../shell/workspace.tsx'
import { About } from './about.tsx'
import { type ChartFigure, FIGURES } from './read-search.ts'
import { isEven, partsOf } from './rules.ts'
import { Change, Value } from './value.tsx'
import { useFigureWords, useGrowthWords } from './words.ts'

interface Props {
  overview: AnalyticsOverview
  chosen: ChartFigure
  onChoose?: ((figure: ChartFigure) => void) | undefined
}

/**
 * The four figures of a period, each with its change and its divisor. The person picks one for the chart. Members can
 * open an explanation of each.
 */
export function KeyFigures({ overview, chosen, onChoose }: Props) {
  const t = useTranslations('analytics')
  const place = useAnyPlace()
  return (
    <div role="group" aria-label={t('keyFigures')} className="-ms-px grid sm:grid-cols-2 lg:grid-cols-4">
      {FIGURES.map((figure) => (
        <div key={figure} className="relative grid border-s border-b">
          {onChoose ? (
            <button
              type="button"
              aria-pressed={figure === chosen}
              onClick={() => onChoose(figure)}
              className="grid content-start gap-0.5 border-b-2 border-transparent p-4 text-start -outline-offset-2! hover:bg-hover aria-pressed:border-accent"
            >
              <Face overview={overview} figure={figure} />
            </button>
          ) : (
            <div className="grid content-start gap-0.5 p-4">
              <Face overview={overview} figure={figure} />
            </div>
          )}
          {place && (
            <About
              className="absolute end-0 top-0"
              name={t(`figures.${figure}`)}
              basis="activity"
              metrics={figure === 'rate' ? ['engagement', overview.totals.rate.divisor] : [figure]}
              note={figure === 'rate' ? t(`rateNote.${overview.totals.rate.divisor}`) : undefined}
              readAt={overview.basis.readAt}
            />
          )}
        </div>
      ))}
    </div>
  )
}

function Face({ overview, figure }: { overview: AnalyticsOverview; figure: ChartFigure }) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const { totals, previous, change, compared } = overview
  const by = change?.[figure] ?? null
  // Older reports do not contain the number of compared accounts.
  const { accounts, of } = compared?.[figure] ?? { accounts: 0, of: previous && by === null ? totals[figure].days : 0 }
  return (
    <>
      <span className="pe-8 text-xs font-medium text-muted">{t(`figures.${figure}`)}</span>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-xl font-semibold tabular-nums">
          <Value of={totals[figure].value} say={figure === 'rate' ? say.share : say.short} />
        </span>
        {by !== null && (
          <Change
            by={by}
            words={figure === 'rate' ? t('points', { value: say.points(by) }) : say.share(Math.abs(by))}
          />
        )}
      </span>
      <span className="text-xs text-muted tabular-nums">
        <Divisor overview={overview} figure={figure} />
      </span>
      {of > 0 && accounts === 0 && <span className="text-xs text-warn">{t('notEnough')}</span>}
      {by !== null && accounts > 0 && accounts < of && (
        <span className="text-xs text-muted">{t('comparedFor', { accounts, of })}</span>
      )}
    </>
  )
}

function Divisor({ overview, figure }: { overview: AnalyticsOverview; figure: ChartFigure }) {
  const sayGrowth = useGrowthWords()
  const { totals, days } = overview
  const t = useTranslations('analytics')
  const say = useFigureWords()
  if (figure === 'followers') {
    return sayGrowth(totals.followers, say.day)
  }
  if (figure === 'rate') {
    const { of, divisor } = totals.rate
    return of === null ? null : t(`of.${divisor}`, { value: say.whole(of) })
  }
  const { value, perDay, days: known } = totals[figure]
  if (value === null || perDay === null) return null
  if (!isEven(totals[figure], days)) return t('partDays')
  const a = say.whole(perDay)
  // If accounts count on different days, the sum of their means is not the mean of the days.
  if (Math.abs(perDay * known - value) < 1) return t('perDay', { value: a, known, days })
  const parts = partsOf(overview, figure).length
  return parts < 2 ? t('perDayAlone', { value: a }) : t('perDayOfAll', { value: a, accounts: parts })
}
