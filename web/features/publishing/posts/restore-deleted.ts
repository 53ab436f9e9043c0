import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { demandsApproval } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { patiently } from './run-patiently.ts'

/**
 * Restores a deleted post, and schedules it again if it was scheduled. Takes the post as it was before. Rejects if the
 * post is not restored. `unscheduled` says why a restored post is only a draft.
 */
export function useRestoreDeleted() {
  const t = useTranslations('common')
  const text = useProblemText()
  const { ws, workspace, membership } = usePlace()
  return async ({
    id,
    status,
    scheduledAt,
  }: Pick<Post, 'id' | 'status' | 'scheduledAt'>): Promise<{ post: Post; unscheduled: string | null }> => {
    const at = { workspace: ws, params: { id } }
    const post = await call('restorePost', at)
    if (status !== 'SCHEDULED') return { post, unscheduled: null }
    // Deleting a post ends its approval.
    if (demandsApproval(workspace.approvalMode, membership.role))
      return { post, unscheduled: t('restoredAsDraft', { reason: t('approvalEnded') }) }
    try {
      const body = { scheduledAt: scheduledAt ?? undefined }
      return {
        post: await patiently(() => call('schedulePost', { ...at, ifMatch: post.version, body })),
        unscheduled: null,
      }
    } catch (error) {
      // The answer of a schedule that succeeded may be lost.
      const now = await call('getPost', at).catch(() => post)
      if (now.status === 'SCHEDULED') return { post: now, unscheduled: null }
      return { post: now, unscheduled: t('restoredAsDraft', { reason: text(error) }) }
    }
  }
}
