import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { ProviderName } from '../../../../src/team/identity/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { configQuery } from '../../../queries.ts'
import { session } from '../../../session.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { isProvider, PROVIDERS } from './provider-names.ts'

/** The identity providers that this installation has configured. */
export function useProviders(): ProviderName[] {
  const { data: config } = useQuery(configQuery)
  return config?.providers.filter(isProvider) ?? []
}

/** Goes to a provider to sign in. The provider returns to `redirect`, a path of this app. */
export const useLeave = (redirect: string) =>
  useMutation({
    mutationFn: async (provider: ProviderName) =>
      go(await call('startSignIn', { params: { letter: PROVIDERS[provider].letter }, query: { redirect } })),
  })

/**
 * Goes to a provider to link it to the account. The service requires the password if the last sign-in is not recent.
 */
export const useJoin = (redirect: string) =>
  useMutation({
    mutationFn: async ({ provider, currentPassword }: { provider: ProviderName; currentPassword?: string }) => {
      const body = { redirect, ...(currentPassword && { currentPassword }) }
      go(await call('joinProvider', { params: { letter: PROVIDERS[provider].letter }, body }))
    },
  })

function go(answer: { authorizationUrl: string } | null) {
  if (!answer) throw new Error('The service named no address')
  session.expect()
  location.assign(answer.authorizationUrl)
}

/** Why a provider could not be used, and what to do next. */
export function ProviderError({ error, provider }: { error: string; provider?: string | undefined }) {
  const t = useTranslations('auth')
  const key = `providerErrors.${error}` as 'providerErrors.access_denied'
  const name = provider && isProvider(provider) ? PROVIDERS[provider].name : t('provider')
  return <FormError>{t.has(key) ? t(key, { name }) : t('providerErrors.other', { name })}</FormError>
}

/** Buttons to sign in or up with a provider. */
export function Providers({ to }: { to?: string | undefined }) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const providers = useProviders()
  const leave = useLeave(`/app${to ?? ''}`)
  if (providers.length === 0) return null
  return (
    <div className="grid gap-3">
      <p className="flex items-center gap-3 text-xs text-muted before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        {t('or')}
      </p>
      {leave.error && <FormError>{text(leave.error)}</FormError>}
      <div className="flex flex-wrap gap-2">
        {providers.map((provider) => (
          <Button
            key={provider}
            className="grow"
            busy={leave.variables === provider && (leave.isPending || leave.isSuccess)}
            onClick={() => leave.mutate(provider)}
          >
            {t('continueWith', { name: PROVIDERS[provider].name })}
          </Button>
        ))}
      </div>
    </div>
  )
}
