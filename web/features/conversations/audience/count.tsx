import { useFormatter, useTranslations } from 'use-intl'

/** The number of customers, a lower bound if `more`. null: counting took too long. */
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
