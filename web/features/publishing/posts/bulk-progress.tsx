import { useTranslations } from 'use-intl'

/** The progress of an action on many items, which runs in this tab. */
export function BulkProgress({ done, total }: { done: number; total: number }) {
  const t = useTranslations('bulk')
  return (
    <span className="flex grow flex-wrap items-center gap-x-3 text-13 text-muted">
      <progress className="h-1.5 min-w-20 grow sm:max-w-64" aria-label={t('progress')} value={done} max={total} />
      <span className="tabular-nums">{t('progressOf', { done, total })}</span>
      <span>{t('stay')}</span>
    </span>
  )
}
