import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client.ts'
import { meQuery } from '../../queries.ts'
import type { CodeTo } from '../auth/code-step.tsx'

/** Confirms an address or number by the code that came there. */
export function useConfirm(done: () => void) {
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: CodeTo & { code: string }) => call('verifyCode', { body }),
    onSuccess: ({ user }) => {
      client.setQueryData(meQuery.queryKey, user)
      done()
    },
  })
  return (to: CodeTo) => ({ mutate: (code: string) => mutate({ ...to, code }), isPending, error })
}
