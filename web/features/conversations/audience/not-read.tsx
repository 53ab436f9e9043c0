import { TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'

/** A part of a screen that failed to load, with a retry. */
export function NotRead({ children, query }: { children?: string; query: { refetch: () => unknown } }) {
  const t = useTranslations('states')
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-muted">
      <TriangleAlert className="size-4 shrink-0" aria-hidden />
      <span className="min-w-0">{children ?? t('failed')}</span>
      <Button size="sm" onClick={() => void query.refetch()}>
        {t('retry')}
      </Button>
    </div>
  )
}
