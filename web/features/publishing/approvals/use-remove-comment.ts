import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { commentsQuery } from './queries.ts'

/** The comments that are about to be deleted. No list shows them. */
const removing = new Set<string>()

/** Deletes a comment once its message closes. Until then, Undo brings it back. */
export function useRemoveComment(postId: string) {
  const t = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => new Set(removing))
  const show = () => setHidden(new Set(removing))
  const remove = (commentId: string) => {
    let waits = true
    const settle = async (undone: boolean) => {
      if (!waits) return
      waits = false
      removeEventListener('pagehide', commit)
      if (!undone) {
        await call('deleteComment', { workspace: ws, params: { id: postId, commentId } }).catch((error: unknown) =>
          toast.error(text(error)),
        )
        await client.invalidateQueries({ queryKey: commentsQuery(ws, postId).queryKey })
      }
      removing.delete(commentId)
      show()
    }
    const commit = () => void settle(false)
    removing.add(commentId)
    show()
    addEventListener('pagehide', commit)
    toast.message(t('commentRemoved'), {
      action: { label: t('undo'), onClick: () => void settle(true) },
      onAutoClose: commit,
      onDismiss: commit,
    })
  }
  return { hidden, remove }
}
