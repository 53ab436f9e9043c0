import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** Deletes a saved reply, with an undo. */
export function useRemove() {
  const t = useTranslations('inbox.saved')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const shared = {
    onSettled: () => client.invalidateQueries({ queryKey: [ws, 'saved-replies'] }),
    onError: (error: Error) => toast.error(problem(error)),
  }
  const bringBack = useMutation({
    ...shared,
    mutationFn: ({ name, text }: SavedReply) => call('createSavedReply', { workspace: ws, body: { name, text } }),
  })
  return useMutation({
    ...shared,
    mutationFn: ({ id }: SavedReply) => call('deleteSavedReply', { workspace: ws, params: { id } }),
    onSuccess: (_, reply) =>
      toast.success(t('deleted'), { action: { label: t('undo'), onClick: () => bringBack.mutate(reply) } }),
  })
}
