import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { DraftReply } from '../../../../../src/conversations/decisions/api.ts'
import type { OpenThread } from '../../../../../src/conversations/threads/api.ts'
import { call, isProblem } from '../../../../client.ts'
import { useInboxProblem } from '../../inbox/problem.ts'
import { renewThread } from '../../inbox/cache.ts'
import { toast } from '../../../../toast.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import '../endpoints.ts'

export type FlagReason = 'wrong' | 'unsafe' | 'off-brand'
export type Choice = { do: 'approve'; text?: string } | { do: 'flag'; reason: FlagReason; note?: string }

/** The text of an error, such as a choice about a draft that came too late. */
export function useDraftProblem() {
  const t = useTranslations('why.draft.problems')
  const problem = useInboxProblem()
  return (error: unknown) => {
    if (isProblem(error, 'newer_message')) return t('newer')
    if (isProblem(error, 'invalid_state')) {
      const now = error.problem['current']
      return t(now === 'APPROVED' || now === 'FLAGGED' || now === 'SUPERSEDED' || now === 'EXPIRED' ? now : 'other')
    }
    return problem(error)
  }
}

/** Approves or flags a draft exactly once. A retry after a lost response reuses the idempotency key. */
export function useDraft(draft: DraftReply, onDone?: (choice: Choice) => void) {
  const t = useTranslations('why.draft')
  const problem = useDraftProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const attempt = useRef<{ choice: string; key: string } | null>(null)
  const { id, conversationId } = draft
  const renew = () => {
    renewThread(client, ws, conversationId)
    void client.invalidateQueries({ queryKey: [ws, 'drafts'] })
  }
  return useMutation({
    mutationFn: (choice: Choice) => {
      const said = JSON.stringify(choice)
      if (attempt.current?.choice !== said) attempt.current = { choice: said, key: crypto.randomUUID() }
      const at = { workspace: ws, params: { id }, idempotencyKey: attempt.current.key }
      return choice.do === 'approve'
        ? call('approveDraftReply', { ...at, body: choice.text === undefined ? {} : { text: choice.text } })
        : call('flagDraftReply', { ...at, body: { reason: choice.reason, ...(choice.note && { note: choice.note }) } })
    },
    onSuccess: (_, choice) => {
      // Remove the draft right away, before the thread is refetched.
      client.setQueryData<OpenThread>(
        [ws, 'conversation', conversationId, 'open'],
        (open) => open && { ...open, drafts: open.drafts.filter((one) => one.id !== id) },
      )
      if (choice.do === 'flag') toast.success(t('flagged'))
      onDone?.(choice)
    },
    onError: (error) => {
      attempt.current = isProblem(error) && (error.status === 0 || error.status >= 500) ? attempt.current : null
      toast.error(problem(error))
    },
    onSettled: renew,
  })
}
