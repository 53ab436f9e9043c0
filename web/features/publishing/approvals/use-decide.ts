import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { mayDecide } from '../../../../src/publishing/approvals/rules.ts'
import { isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery, postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useMomentIn } from './people.ts'
import { waitsForClient } from './waits.ts'

type Verdict = { reason: string } | null

/**
 * Returns whether the caller can decide a post as it is now. A post that was scheduled by a person with permission
 * needs no decision, and the requester is not asked to decide for the client.
 */
export function useMayDecide() {
  const { membership } = usePlace()
  const me = useQuery(meQuery).data
  const client = membership.role === 'CLIENT'
  return (post: Post) =>
    !refusal(membership, 'approvePost') &&
    mayDecide(post, client ? 'client' : 'member') &&
    !(waitsForClient(post) && post.approval?.requestedBy?.id === me?.id) &&
    (post.status === 'DRAFT' || client || !post.approved)
}

/** Approves the version of a post that the person saw, or requests changes. */
export function useDecide(post: Post, onDecided?: () => void) {
  const t = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, workspace, membership } = usePlace()
  const moment = useMomentIn(workspace.timezone)
  const key = postQuery(ws, post.id).queryKey
  const navigate = useNavigate()
  const schedule = useTranslations('schedule')
  /** Stays longer than a success message, because the approver expects the post to be published. */
  const tellOfLate = ({ id }: Post) =>
    refusal(membership, 'schedulePost')
      ? toast.message(t('approvedLateOthers'), { duration: 15_000 })
      : toast.message(t('approvedLate'), {
          duration: 15_000,
          action: {
            label: schedule('newTime'),
            onClick: () => void navigate({ to: '/w/$ws/posts/$id', params: { ws, id } }),
          },
        })
  return useMutation({
    mutationFn: (verdict: Verdict) => {
      const at = { workspace: ws, params: { id: post.id }, ifMatch: post.version }
      return verdict ? call('rejectPost', { ...at, body: verdict }) : call('approvePost', at)
    },
    onSuccess: (answer, verdict) => {
      // Clients cannot see drafts, so a post that they send back disappears for them.
      if (membership.role === 'CLIENT' && answer.status === 'DRAFT') client.removeQueries({ queryKey: key })
      else client.setQueryData(key, answer)
      for (const kind of ['approvals', 'posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, kind] })
      onDecided?.()
      if (verdict) toast.success(t('rejected'))
      else if (answer.status === 'SCHEDULED' && answer.scheduledAt)
        toast.success(t('approvedFor', { time: moment(answer.scheduledAt) }))
      else if (answer.checks.some(isTimePassed)) tellOfLate(answer)
      else toast.success(t(answer.status === 'PUBLISHING' ? 'approvedNow' : 'approvedDraft'))
    },
    onError: (error) => {
      toast.error(text(error))
      if (isProblem(error, 'stale_version', 'invalid_state', 'not_found'))
        for (const kind of ['approvals', 'post']) void client.invalidateQueries({ queryKey: [ws, kind] })
    },
  })
}
