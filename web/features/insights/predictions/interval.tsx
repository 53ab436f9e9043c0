import { useFormatter, useTranslations } from 'use-intl'
import type { Prediction } from '../../../../src/insights/predictions/api.ts'

/** The prediction interval as a bar from 0, with its midpoint and the usual value. Always left to right. */
export function Interval({ low, middle, high, usual }: Pick<Prediction, 'low' | 'middle' | 'high' | 'usual'>) {
  const t = useTranslations('predictions')
  const format = useFormatter()
  const most = Math.max(high, usual, 1) * 1.05
  const at = (value: number) => `${(value / most) * 100}%`
  const range = { low: format.number(low), high: format.number(high) }
  return (
    <div className="grid gap-1">
      <p className="text-13">
        {t.rich('range', { ...range, number: (parts) => <b className="font-semibold tabular-nums">{parts}</b> })}
      </p>
      <div dir="ltr" aria-hidden className="relative h-3 rounded-full bg-sunken">
        <span
          className="absolute inset-y-0 rounded-full bg-accent/40"
          style={{ left: at(low), width: at(high - low) }}
        />
        <span
          className="absolute -inset-y-0.5 w-1 -translate-x-1/2 rounded-full bg-accent"
          style={{ left: at(middle) }}
        />
        <span className="absolute -inset-y-1 w-0.5 -translate-x-1/2 bg-muted" style={{ left: at(usual) }} />
      </div>
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        <span className="inline-flex items-center gap-1.5">
          <span className="h-3 w-1 rounded-full bg-accent" aria-hidden />
          {t('middle', { value: format.number(middle) })}
        </span>
        <span className="inline-flex items-center gap-1.5">
          <span className="h-3 w-0.5 bg-muted" aria-hidden />
          {t('usual', { value: format.number(usual) })}
        </span>
      </p>
    </div>
  )
}
