import { useTranslations } from 'use-intl'
import { useDegree } from '../degree.ts'

/** A confidence next to the required one. */
export function Degrees({ confidence, threshold }: { confidence: number; threshold: number }) {
  const t = useTranslations('why.draft')
  const degree = useDegree()
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-hold tabular-nums">
      <span>
        {t.rich('confidence', {
          degree: degree(confidence, threshold),
          b: (words) => <strong className="font-semibold">{words}</strong>,
        })}
      </span>
      <span aria-hidden className="relative h-1 w-16 rounded-full bg-hold/20">
        <span
          className="absolute inset-y-0 start-0 rounded-full bg-hold"
          style={{ inlineSize: `${confidence * 100}%` }}
        />
        <span
          className="absolute -inset-y-1 w-0.5 bg-fg"
          style={{ insetInlineStart: `calc(${threshold * 100}% - 1px)` }}
        />
      </span>
      <span>{t('needed', { degree: degree(threshold) })}</span>
    </p>
  )
}
