import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Message, NewMessage, OpenThread } from '../../../../src/conversations/threads/api.ts'
import { call, isProblem } from '../../../client.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { renewThread } from './cache.ts'
import { threadQuery } from './queries.ts'
import { dropSent } from './unsent-reply.ts'

type Answer = Pick<NewMessage, 'text' | 'attachments' | 'privately' | 'parentId'>

/** The newest message that is not a note. It tells the service what the sender has seen. */
const newestOf = ({ messages }: Pick<OpenThread, 'messages'>) =>
  messages.findLast(({ direction }) => direction !== 'INTERNAL')

/**
 * Sends an answer exactly once: without a response, a retry of the same text reuses the idempotency key. `newer` is a
 * message that another person sent first, in which case nothing was sent.
 */
export function useSend(thread: OpenThread) {
  const client = useQueryClient()
  const { ws } = usePlace()
  const [newer, setNewer] = useState<Message | null>(null)
  const attempt = useRef<{ body: NewMessage; key: string } | null>(null)
  const { id } = thread
  const mutation = useMutation({
    mutationFn: (answer: Answer) => {
      const seen = newer?.id ?? newestOf(thread)?.id
      const again = attempt.current
      const same =
        again !== null &&
        again.body.text === answer.text &&
        again.body.attachments?.[0] === answer.attachments?.[0] &&
        again.body.privately === answer.privately &&
        again.body.parentId === answer.parentId
      const { body, key } = same ? again : { body: { ...answer, seen }, key: crypto.randomUUID() }
      attempt.current = { body, key }
      return call('createMessage', { workspace: ws, params: { id }, body, idempotencyKey: key })
    },
    onSuccess: (message, answer) => {
      attempt.current = null
      setNewer(null)
      dropSent(id, answer)
      client.setQueryData(threadQuery(ws, id).queryKey, (open) =>
        open && open.messages.every((one) => one.id !== message.id)
          ? { ...open, messages: [...open.messages, message], unansweredAt: null }
          : open,
      )
    },
    onError: (error) => {
      // A request without a response may have succeeded. Only a refusal ends the attempt.
      if (isProblem(error) && error.status !== 0 && error.status < 500) attempt.current = null
      if (isProblem(error, 'newer_message')) setNewer(error.problem['message'] as Message)
    },
    onSettled: () => renewThread(client, ws, id),
  })
  return { ...mutation, newer, forget: () => setNewer(null) }
}
