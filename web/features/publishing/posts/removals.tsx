import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Removal } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { usePlace } from '../../shell/workspace.tsx'

const isOpen = ({ state }: Removal) => state === 'PENDING' || state === 'REMOVING'

/**
 * The progress of deleting posts on their networks: running deletions and any that start later, until the person closes
 * it.
 */
export function Removals() {
  const t = useTranslations('bulk')
  const common = useTranslations('common')
  const { ws } = usePlace()
  const { data: all } = useQuery({
    ...live,
    // Invalidated together with the posts.
    queryKey: [ws, 'posts', 'removals'],
    queryFn: async ({ signal }) => (await call('listRemovals', { workspace: ws, query: { limit: 100 }, signal })).data,
  })
  // A deletion may end before it was seen running.
  const [past, setPast] = useState<ReadonlySet<string>>()
  if (all && !past) setPast(new Set(all.filter((one) => !isOpen(one)).map(({ id }) => id)))
  const shown = (all ?? []).filter(({ id }) => past && !past.has(id))
  if (shown.length === 0) return null
  const open = shown.filter(isOpen).length
  const done = shown.filter(({ state }) => state === 'REMOVED').length
  const failed = shown.length - open - done
  return (
    <section
      aria-label={t('removals.title')}
      className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-bg px-4 py-1.5 text-13 lg:px-6"
    >
      {open > 0 ? (
        <>
          <span className="font-medium">{t('removals.title')}</span>
          <progress
            className="h-1.5 min-w-20 grow sm:max-w-64"
            aria-label={t('removals.title')}
            value={shown.length - open}
            max={shown.length}
          />
          <span className="text-muted tabular-nums">
            {t('progressOf', { done: shown.length - open, total: shown.length })}
          </span>
        </>
      ) : (
        <p role="status" className="flex min-w-0 grow flex-wrap items-center gap-x-3">
          {done > 0 && (
            <span className="flex items-center gap-2">
              <CircleCheck className="size-4 shrink-0 text-ok" aria-hidden />
              {t('removals.done', { count: done })}
            </span>
          )}
          {failed > 0 && (
            <span className="flex items-center gap-2">
              <TriangleAlert className="size-4 shrink-0 text-bad" aria-hidden />
              {t('removals.failed', { count: failed })}
              <Link
                to="/w/$ws/trouble"
                params={{ ws }}
                className="inline-flex min-h-6 items-center font-medium text-accent-text underline max-sm:min-h-11"
              >
                {t('removals.see')}
              </Link>
            </span>
          )}
        </p>
      )}
      {open === 0 && (
        <Button
          variant="ghost"
          size="icon"
          aria-label={common('close')}
          onClick={() => setPast(new Set(all?.map(({ id }) => id)))}
        >
          <X className="size-4" aria-hidden />
        </Button>
      )}
    </section>
  )
}
