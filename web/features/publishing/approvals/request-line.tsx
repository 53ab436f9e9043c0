import { clsx } from 'clsx'
import { useTranslations } from 'use-intl'
import type { Approval } from '../../../../src/publishing/posts/api.ts'
import { isolate } from '../../../bidi.ts'
import { APPROVAL_LOOK } from '../../../ui/status.tsx'
import { useAgo } from '../../../now.ts'
import { useWaits, type Waiting } from './people.ts'

interface Props {
  approval: Approval
  /** The names of those asked to decide, and of others who may, if known. */
  waiting?: Waiting | undefined
}

/** The state of a request with person and time, and the reason of a rejection. */
export function RequestLine({ approval, waiting }: Props) {
  const t = useTranslations('approvals')
  const waits = useWaits()
  const ago = useAgo()
  const { state, reason, requestedBy, decidedBy } = approval
  const { icon: Icon, text } = APPROVAL_LOOK[state]
  const since = ago(approval.decidedAt ?? approval.createdAt)
  const by = isolate(decidedBy?.name ?? '')
  const said =
    state === 'PENDING'
      ? waits(waiting, since)
      : state === 'WITHDRAWN'
        ? t('withdrawnAt', { ago: since })
        : decidedBy
          ? t(state === 'APPROVED' ? 'approvedBy' : 'rejectedBy', { name: by, ago: since })
          : `${t(`states.${state}`)} · ${since}`
  return (
    <div className="grid gap-1 text-13">
      <p className="flex items-start gap-2">
        <Icon className={clsx('mt-0.5 size-4 shrink-0', text)} aria-hidden />
        <span className="min-w-0 break-words">
          <span className="font-medium">{said}</span>
          {state === 'PENDING' && requestedBy && (
            <span className="text-muted"> {t('askedBy', { name: isolate(requestedBy.name) })}</span>
          )}
        </span>
      </p>
      {reason && (
        <blockquote dir="auto" className="ms-6 border-s-2 border-bad ps-2.5 break-words whitespace-pre-wrap">
          {reason}
        </blockquote>
      )}
    </div>
  )
}
