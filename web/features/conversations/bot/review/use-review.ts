import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { DraftReply } from '../../../../../src/conversations/decisions/api.ts'
import { call } from '../../../../client.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { type Choice, useDraftProblem } from '../held/use-draft.ts'

/**
 * Decides about drafts in sequence without waiting for responses. A decided draft leaves the list immediately. If the
 * service refuses the decision, an error appears and the draft returns with its edited text if it is still open.
 */
export function useReview() {
  const client = useQueryClient()
  const problem = useDraftProblem()
  const { ws } = usePlace()
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  const [pending, setPending] = useState(0)
  const [done, setDone] = useState(0)
  const sending = useRef(0)
  /** The edited texts by the ids of their drafts, until they are sent. */
  const [edits] = useState(() => new Map<string, string>())
  const [late, setLate] = useState<{ customer: string; said: string } | null>(null)
  const decide = async (draft: DraftReply, choice: Choice) => {
    const { id, conversationId } = draft
    setTaken((before) => new Set([...before, id]))
    sending.current += 1
    setPending(sending.current)
    if (choice.do === 'approve' && choice.text !== undefined) edits.set(id, choice.text)
    const at = { workspace: ws, params: { id }, idempotencyKey: crypto.randomUUID() }
    try {
      await (choice.do === 'approve'
        ? call('approveDraftReply', { ...at, body: choice.text === undefined ? {} : { text: choice.text } })
        : call('flagDraftReply', { ...at, body: { reason: choice.reason, ...(choice.note && { note: choice.note }) } }))
      setDone((count) => count + 1)
      edits.delete(id)
    } catch (error) {
      setLate({ customer: draft.customer, said: problem(error) })
      // Refetch first: the list then contains only drafts that are still open.
      await client.invalidateQueries({ queryKey: [ws, 'drafts'] })
      setTaken((before) => new Set([...before].filter((one) => one !== id)))
    } finally {
      sending.current -= 1
      setPending(sending.current)
      if (sending.current === 0) void client.invalidateQueries({ queryKey: [ws, 'drafts'] })
      void client.invalidateQueries({ queryKey: [ws, 'conversations'] })
      void client.invalidateQueries({ queryKey: [ws, 'conversation', conversationId] })
    }
  }
  return {
    taken,
    pending,
    done,
    late,
    edits,
    decide: (draft: DraftReply, choice: Choice) => void decide(draft, choice),
  }
}
