import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { removeLater } from '../../../removals.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { commentsQuery } from './queries.ts'

/** Deletes a comment, with an undo. */
export function useRemoveComment(postId: string) {
  const t = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  return (commentId: string) =>
    removeLater(commentId, {
      said: t('commentRemoved'),
      undo: t('undo'),
      remove: async (keepalive) => {
        await call('deleteComment', { workspace: ws, params: { id: postId, commentId }, keepalive })
        await client.invalidateQueries({ queryKey: commentsQuery(ws, postId).queryKey })
      },
      onRefused: (error) => toast.error(text(error)),
    })
}
