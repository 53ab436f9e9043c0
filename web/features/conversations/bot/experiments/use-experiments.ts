import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { ReplyExperiment } from '../../../../../src/conversations/experiments/api.ts'
import { call, isProblem } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { toast } from '../../../../toast.ts'
import { usePlace } from '../../../shell/workspace.tsx'
import { configQuery, experimentsQuery } from '../queries.ts'

/**
 * Starts, stops and deletes experiments. Starting one also turns on `abTestingEnabled`, without which the bot ignores
 * experiments.
 */
export function useExperiments() {
  const t = useTranslations('bot.experiments')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  /** The handlers that both actions share. `refused` is the text for an action that the experiment's state forbids. */
  const shared = (refused: string) => ({
    onSettled: () => client.invalidateQueries({ queryKey: experimentsQuery(ws).queryKey }),
    onError: (error: Error) => toast.error(isProblem(error, 'invalid_state') ? refused : problem(error)),
  })
  const turn = useMutation({
    ...shared(t('oneOnly')),
    mutationFn: async ({ id, version, state }: Pick<ReplyExperiment, 'id' | 'version' | 'state'>) => {
      const wanted = state === 'RUNNING' ? 'STOPPED' : 'RUNNING'
      const answer = await call('updateExperiment', {
        workspace: ws,
        params: { id },
        ifMatch: version,
        body: { state: wanted },
      })
      if (wanted === 'RUNNING') {
        const config = await call('updateBotConfig', { workspace: ws, body: { abTestingEnabled: true } })
        client.setQueryData(configQuery(ws).queryKey, config)
      }
      return answer
    },
    onSuccess: ({ state }) => toast.success(t(state === 'RUNNING' ? 'started' : 'stopped')),
  })
  const remove = useMutation({
    ...shared(t('isRunning')),
    mutationFn: ({ id }: ReplyExperiment) => call('deleteExperiment', { workspace: ws, params: { id } }),
    onSuccess: () => toast.success(t('deleted')),
  })
  return { turn, remove }
}
