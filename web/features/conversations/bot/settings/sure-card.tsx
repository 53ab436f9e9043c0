import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { useDegree } from '../degree.ts'
import { Card } from './card.tsx'
import { Histogram, Suggested } from './suggested.tsx'
import type { CardProps } from './use-settings.ts'

/** How confident the bot must be to send a reply without a person. */
export function SureCard({ now, set, fixed }: CardProps) {
  const t = useTranslations('bot.sure')
  const degree = useDegree()
  const hint = useId()
  const value = now.maxConfidenceForAuto
  return (
    <Card
      id="sure"
      number={2}
      title={t('title')}
      end={<output className="text-xl font-semibold tracking-tight tabular-nums">{degree(value)}</output>}
    >
      <div className="grid gap-1">
        <Histogram threshold={value} />
        <input
          type="range"
          className="slider"
          min={0}
          max={1}
          step={0.01}
          value={value}
          disabled={fixed}
          style={{ '--at': `${value * 100}%` } as React.CSSProperties}
          aria-label={t('title')}
          aria-valuetext={degree(value)}
          aria-describedby={hint}
          onChange={(event) => set({ maxConfidenceForAuto: Number(event.target.value) })}
        />
        <div className="flex justify-between text-xs text-muted tabular-nums" aria-hidden>
          <span>{degree(0)}</span>
          <span>{degree(0.5)}</span>
          <span>{degree(1)}</span>
        </div>
      </div>
      <p id={hint} className="text-13 text-muted">
        {t(value === 0 ? 'all' : value === 1 ? 'nearlyNone' : 'body', { degree: degree(value) })}
      </p>
      <Suggested threshold={value} fixed={fixed} onUse={(maxConfidenceForAuto) => set({ maxConfidenceForAuto })} />
    </Card>
  )
}
