import { clsx } from 'clsx'
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleStop,
  Clock,
  Hourglass,
  type LucideIcon,
  MessageSquareWarning,
  RefreshCw,
  ShieldCheck,
  TriangleAlert,
  Undo2,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Approval, Post, Status } from '../../src/publishing/posts/api.ts'
import { Pill } from './pill.tsx'

export const STATUS_LOOK: Record<Status, { icon: LucideIcon; text: string; soft: string; edge: string }> = {
  DRAFT: { icon: CircleDashed, text: 'text-muted', soft: 'bg-sunken', edge: 'border-s-control' },
  SCHEDULED: { icon: Clock, text: 'text-accent-text', soft: 'bg-accent-soft', edge: 'border-s-accent' },
  PUBLISHING: { icon: RefreshCw, text: 'text-accent-text', soft: 'bg-accent-soft', edge: 'border-s-accent' },
  PUBLISHED: { icon: CircleCheck, text: 'text-ok', soft: 'bg-ok-soft', edge: 'border-s-ok' },
  PARTIALLY_PUBLISHED: { icon: TriangleAlert, text: 'text-warn', soft: 'bg-warn-soft', edge: 'border-s-warn' },
  FAILED: { icon: CircleAlert, text: 'text-bad', soft: 'bg-bad-soft', edge: 'border-s-bad' },
}

/** The look of posts that a person stopped. This is not an error. */
export const STOPPED_LOOK = { ...STATUS_LOOK.DRAFT, icon: CircleStop }

/** A post in the shape that lists or the calendar have. */
type Shown = Decided & (Pick<Post, 'publications'> | { stopped: boolean })

/** Whether nothing of a post was published because people stopped all of its targets. */
export function isStopped(post: Shown): boolean {
  if ('stopped' in post) return post.stopped
  const counted = post.publications.filter(({ dropped }) => !dropped)
  return post.status === 'FAILED' && counted.length > 0 && counted.every(({ error }) => error?.code === 'stopped')
}

/** A post's status as icon, colour and word, never as colour alone. A draft that waits for approval is in review. */
export function StatusBadge({ post }: { post: Shown }) {
  const t = useTranslations('status')
  const { status } = post
  if (isInReview(post)) return <ApprovalBadge post={post} inReview />
  const stopped = isStopped(post)
  const look = stopped ? STOPPED_LOOK : STATUS_LOOK[status]
  return (
    <Pill icon={look.icon} look={clsx(look.soft, look.text)} spins={status === 'PUBLISHING'}>
      {t(stopped ? 'STOPPED' : status)}
    </Pill>
  )
}

export const APPROVAL_LOOK: Record<Approval['state'], { icon: LucideIcon; text: string; soft: string }> = {
  PENDING: { icon: Hourglass, text: 'text-warn', soft: 'bg-warn-soft' },
  APPROVED: { icon: ShieldCheck, text: 'text-ok', soft: 'bg-ok-soft' },
  REJECTED: { icon: MessageSquareWarning, text: 'text-bad', soft: 'bg-bad-soft' },
  WITHDRAWN: { icon: Undo2, text: 'text-muted', soft: 'bg-sunken' },
}

type Decided = Pick<Post, 'status' | 'approved'> & { approval: Pick<Approval, 'state'> | null }

/** The approval status of an unpublished post; null if its request no longer applies. */
function standing({ status, approval, approved }: Decided): Exclude<Approval['state'], 'WITHDRAWN'> | null {
  if (!approval || (status !== 'DRAFT' && status !== 'SCHEDULED')) return null
  if (approval.state === 'PENDING') return 'PENDING'
  if (approval.state === 'APPROVED') return approved ? 'APPROVED' : null
  return approval.state === 'REJECTED' && status === 'DRAFT' ? 'REJECTED' : null
}

export const isInReview = (post: Decided) => post.status === 'DRAFT' && standing(post) === 'PENDING'

interface ApprovalBadgeProps {
  post: Decided
  /** Shows the icon alone, with a label for screen readers. */
  small?: boolean
  /** Set where the badge replaces the status of a post in review. Next to a status it would repeat it. */
  inReview?: boolean
}

/** Whether a post waits for approval, is approved or was rejected. Renders nothing without a request. */
export function ApprovalBadge({ post, small, inReview }: ApprovalBadgeProps) {
  const t = useTranslations('status.approval')
  const state = standing(post)
  if (!state || (isInReview(post) && !inReview)) return null
  const { icon: Icon, text, soft } = APPROVAL_LOOK[state]
  if (small) return <Icon className={clsx('size-3.5', text)} role="img" aria-label={t(state)} />
  return (
    <Pill icon={Icon} look={clsx(soft, text)}>
      {t(state)}
    </Pill>
  )
}
