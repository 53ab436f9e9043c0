import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { toast } from '../../../toast.ts'
import { useTranslations } from 'use-intl'
import { type Answer, call, type CallOptions } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { finishRemovals } from '../../../removals.ts'
import { session } from '../../../session.ts'

/** After sign-in, caches the person and goes to the requested page. */
export function useEnter(to?: string) {
  const client = useQueryClient()
  const router = useRouter()
  return async (answer: Answer<'login'>) => {
    client.clear()
    session.enter(answer)
    client.setQueryData(['me'], answer.user)
    router.history.push(`/app${to ?? '/'}`)
  }
}

export function useLogin(to?: string) {
  const enter = useEnter(to)
  return useMutation({
    mutationFn: (body: NonNullable<CallOptions<'login'>['body']>) => call('login', { body }),
    onSuccess: enter,
  })
}

export function useRegister(to?: string) {
  const enter = useEnter(to)
  return useMutation({
    mutationFn: (body: NonNullable<CallOptions<'register'>['body']>) => call('register', { body }),
    onSuccess: enter,
  })
}

export function useSignOut() {
  const t = useTranslations('auth')
  const text = useProblemText()
  return useMutation({
    mutationFn: async () => {
      await finishRemovals()
      return call('logout', {})
    },
    onSuccess: () => session.leave(),
    onError: (error) => toast.error(t('signOutFailed'), { description: text(error) }),
  })
}
