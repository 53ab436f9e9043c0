import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Message, Thread } from '../../../../src/conversations/threads/api.ts'
import { call } from '../../../client.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { useInboxProblem } from './problem.ts'

/** The actions on one message. */
export function useMessageActs({ id }: Pick<Thread, 'id'>, message: Message) {
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const at = { workspace: ws, params: { id, messageId: message.id } }
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ act }: { name: string; act: () => Promise<unknown> }) => act(),
    onError: (error) => toast.error(text(error)),
    onSettled: () => renewThread(client, ws, id),
  })
  return {
    /** The action in progress. */
    busy: isPending ? variables.name : null,
    hide: () => mutate({ name: 'hide', act: () => call('hideMessage', at) }),
    unhide: () => mutate({ name: 'unhide', act: () => call('unhideMessage', at) }),
    retry: () => mutate({ name: 'retry', act: () => call('retryMessage', at) }),
    resolve: (outcome: 'live' | 'not_live') =>
      mutate({ name: outcome, act: () => call('resolveMessage', { ...at, body: { outcome } }) }),
  }
}
