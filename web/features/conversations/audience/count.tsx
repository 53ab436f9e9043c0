import { useFormatter, useTranslations } from 'use-intl'

/** How many customers there are, as far as they were counted. */
export function Count({ count, more }: { count: number | null; more: boolean }) {
  const t = useTranslations('audience.segments')
  const format = useFormatter()
  if (count === null) return <p className="text-muted">{t('countSlow')}</p>
  return (
    <p className="font-medium tabular-nums">
      {more ? t('countMore', { number: format.number(count) }) : t('count', { count })}
    </p>
  )
}
