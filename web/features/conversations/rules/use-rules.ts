import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { EscalationRule } from '../../../../src/conversations/escalation/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { rulesQuery } from './queries.ts'

/** Moves and deletes rules, and refetches the list afterwards in any case. */
export function useRules() {
  const t = useTranslations('rules')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const { queryKey } = rulesQuery(ws)
  const shared = {
    onSettled: () => client.invalidateQueries({ queryKey }),
    onError: (error: Error) => toast.error(problem(error)),
  }
  const move = useMutation({
    ...shared,
    mutationFn: async (rules: readonly EscalationRule[]) => {
      for (const [position, { id, version, position: before }] of rules.entries())
        if (position !== before)
          await call('updateEscalationRule', { workspace: ws, params: { id }, ifMatch: version, body: { position } })
    },
    onMutate: (rules) => {
      client.setQueryData(queryKey, [...rules])
    },
  })
  const bringBack = useMutation({
    ...shared,
    mutationFn: ({ id: _, version: __, createdAt: ___, updatedAt: ____, ...rule }: EscalationRule) =>
      call('createEscalationRule', { workspace: ws, body: rule }),
  })
  const remove = useMutation({
    ...shared,
    mutationFn: (rule: EscalationRule) => call('deleteEscalationRule', { workspace: ws, params: { id: rule.id } }),
    onSuccess: (_, rule) =>
      toast.success(t('deleted'), { action: { label: t('undo'), onClick: () => bringBack.mutate(rule) } }),
  })
  return { move, remove }
}
