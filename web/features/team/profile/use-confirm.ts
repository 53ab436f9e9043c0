import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, isProblem } from '../../../client.ts'
import { meQuery } from '../../../queries.ts'
import { useFaults } from '../../../problem.ts'
import type { CodeTo } from '../auth/code-to.ts'
import { methodsQuery } from '../settings/methods.ts'

/**
 * Confirms an address or number with the code sent there. `password` is the service's error about the current password,
 * which it may require.
 */
export function useConfirm(done: () => void) {
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: CodeTo & { code: string; currentPassword?: string }) => call('verifyCode', { body }),
    onSuccess: ({ user }) => {
      client.setQueryData(meQuery.queryKey, user)
      void client.invalidateQueries({ queryKey: methodsQuery.queryKey })
      done()
    },
  })
  const fault = useFaults(error)('/currentPassword')
  const asked = isProblem(error, 'validation_failed') && error.errors.some(({ code }) => code === 'required')
  const password = asked ? undefined : fault
  return (to: CodeTo, currentPassword = '') => ({
    mutate: (code: string) => mutate({ ...to, code, ...(currentPassword && { currentPassword }) }),
    isPending,
    error,
    password,
  })
}
