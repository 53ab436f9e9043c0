import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, CircleDashed, Clock, type LucideIcon, RefreshCw, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Status } from '../../src/posts/api.ts'

export const STATUS_LOOK: Record<Status, { icon: LucideIcon; text: string; soft: string; edge: string }> = {
  DRAFT: { icon: CircleDashed, text: 'text-muted', soft: 'bg-sunken', edge: 'border-s-control' },
  SCHEDULED: { icon: Clock, text: 'text-accent-text', soft: 'bg-accent-soft', edge: 'border-s-accent' },
  PUBLISHING: { icon: RefreshCw, text: 'text-accent-text', soft: 'bg-accent-soft', edge: 'border-s-accent' },
  PUBLISHED: { icon: CircleCheck, text: 'text-ok', soft: 'bg-ok-soft', edge: 'border-s-ok' },
  PARTIALLY_PUBLISHED: { icon: TriangleAlert, text: 'text-warn', soft: 'bg-warn-soft', edge: 'border-s-warn' },
  FAILED: { icon: CircleAlert, text: 'text-bad', soft: 'bg-bad-soft', edge: 'border-s-bad' },
}

/** Icon, colour and word: the status of a post is never told by colour alone. */
export function StatusBadge({ status }: { status: Status }) {
  const t = useTranslations('status')
  const look = STATUS_LOOK[status]
  const Icon = look.icon
  return (
    <span
      className={clsx(
        'inline-flex h-6 shrink-0 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        look.soft,
        look.text,
      )}
    >
      <Icon className={clsx('size-3.5', status === 'PUBLISHING' && 'motion-safe:animate-spin')} aria-hidden />
      {t(status)}
    </span>
  )
}
