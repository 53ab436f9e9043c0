import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { removeLater } from '../../../removals.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { useInboxProblem } from './problem.ts'

/** Deletes a note, with an undo. */
export function useRemoveNote(threadId: string) {
  const t = useTranslations('inbox')
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  return (noteId: string) =>
    removeLater(noteId, {
      said: t('noteDeleted'),
      undo: t('undo'),
      remove: async (keepalive) => {
        await call('deleteNote', { workspace: ws, params: { id: threadId, noteId }, keepalive })
        renewThread(client, ws, threadId)
      },
      onRefused: (error) => toast.error(text(error)),
    })
}
