import { Info } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { MeasuredPost } from '../../../../src/insights/metrics/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { useAgo, useNow } from '../../../now.ts'
import { useMoment } from '../../shell/moment.ts'

const HOUR = 3_600_000

/** Whether the first reading of a post is overdue. */
export const isLate = (publishedAt: string, now: Date) => now.getTime() - Date.parse(publishedAt) > HOUR

/** Shown when the first reading of a post is overdue. */
export function Unread({ next }: { next: string | null }) {
  const t = useTranslations('figures')
  return (
    <p className="text-13 text-muted">
      {t('notRead')} {next !== null && t('nextAt', { time: next })}
    </p>
  )
}

/** When the figures were read, and when they are read next. */
export function Reading({
  post: { publishedAt, readAt, nextReadAt, goneAt },
}: {
  post: Pick<MeasuredPost, 'publishedAt' | 'readAt' | 'nextReadAt' | 'goneAt'>
}) {
  const t = useTranslations('figures')
  const moment = useMoment()
  const now = useNow()
  const ago = useAgo()
  const next = nextReadAt !== null && Date.parse(nextReadAt) > now.getTime() ? moment(nextReadAt) : null
  if (readAt === null) {
    if (isLate(publishedAt, now)) return <Unread next={next} />
    return <p className="text-13 text-muted">{next === null ? t('soon') : t('firstAt', { time: next })}</p>
  }
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-muted">
      <time dateTime={readAt} title={moment(readAt, 'any')}>
        {t('readAt', { ago: ago(readAt) })}
      </time>
      {next !== null && <span>{t('nextAt', { time: next })}</span>}
      {nextReadAt === null && goneAt === null && <span>{t('lastReading')}</span>}
    </p>
  )
}

/** Why no new figures arrive: the network no longer has the post, or keeps no figures of it. */
export function Ended({
  post: { goneAt, unmeasurable, platform },
}: {
  post: Pick<MeasuredPost, 'goneAt' | 'unmeasurable' | 'platform'>
}) {
  const t = useTranslations('figures')
  if (goneAt === null && !unmeasurable) return null
  return (
    <p className="flex items-start gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-13 text-warn">
      <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
      {t(goneAt === null ? 'unmeasurable' : 'gone', { network: NETWORKS[platform].short })}
    </p>
  )
}
