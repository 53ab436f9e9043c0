import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Decision, DraftReply } from '../../../../../src/conversations/decisions/api.ts'
import { call, isProblem } from '../../../../client.ts'
import { useNoAsk } from '../../../assistant/ai/cost.tsx'
import { PlanLink } from '../../../team/plan/plan-link.tsx'
import { usePlace } from '../../../shell/workspace.tsx'
import { renewThread } from '../../inbox/cache.ts'
import { useInboxProblem } from '../../inbox/problem.ts'
import { decisionQuery } from '../queries.ts'
import { useHoldWords } from '../why/steps.ts'

/** The price of a suggestion, in credits. */
const COST = 1

const isDecision = (answer: Decision | DraftReply): answer is Decision => 'decisionLog' in answer

/** Asks the bot to reply to the newest message. The result is a draft in the thread, or a reason why there is none. */
export function useSuggestion(conversationId: string) {
  const t = useTranslations('why.suggest')
  const hold = useHoldWords()
  const said = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const none = useNoAsk('suggestReply', COST)
  /** A decision that outlasts its request. */
  const [waiting, setWaiting] = useState<string | null>(null)
  const [nothing, setNothing] = useState<Decision | null>(null)
  const renew = () => {
    renewThread(client, ws, conversationId)
    void client.invalidateQueries({ queryKey: [ws, 'usage'] })
  }
  const took = (decision: Decision) => {
    setWaiting(decision.state === 'DONE' ? null : decision.id)
    if (decision.state !== 'DONE') return
    setNothing(decision.draftId === null ? decision : null)
    renew()
  }
  const ask = useMutation({
    mutationFn: () => {
      setNothing(null)
      return call('suggestReply', {
        workspace: ws,
        params: { id: conversationId },
        idempotencyKey: crypto.randomUUID(),
      })
    },
    onSuccess: (answer) => isDecision(answer) && took(answer),
    onSettled: renew,
  })
  const late = useQuery({ ...decisionQuery(ws, waiting ?? ''), enabled: waiting !== null }).data
  const taken = useEffectEvent(took)
  useEffect(() => {
    if (late?.state === 'DONE') taken(late)
  }, [late])
  const { error } = ask
  const problem: ReactNode = error ? (
    isProblem(error, 'quota_exceeded') ? (
      <>
        {t('usedUp')} <PlanLink quota="ai_credits" />
      </>
    ) : (
      said(error)
    )
  ) : nothing ? (
    t('nothing', { reason: nothing.hold ? hold(nothing.hold) : '' })
  ) : null
  return {
    ask: () => ask.mutate(),
    busy: ask.isPending || waiting !== null,
    hidden: none.hidden,
    reason: none.reason,
    cost: COST,
    problem,
    /** The decision that produced no draft. */
    nothing,
  }
}
