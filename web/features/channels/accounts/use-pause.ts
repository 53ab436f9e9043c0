import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** Pauses or resumes publishing on an account. */
export function usePause({ id, version }: SocialAccount) {
  const t = useTranslations('accounts')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const key = accountsQuery(ws).queryKey
  return useMutation({
    mutationFn: (paused: boolean) =>
      call('updateSocialAccount', { workspace: ws, params: { id }, body: { paused }, ifMatch: version }),
    onSuccess: (answer) => {
      client.setQueryData(key, (all) => all?.map((one) => (one.id === answer.id ? answer : one)))
      toast.success(t(answer.paused ? 'pausedNow' : 'resumedNow', { name: answer.name }))
    },
    onError: (error) => {
      toast.error(text(error))
      void client.invalidateQueries({ queryKey: key })
    },
  })
}
