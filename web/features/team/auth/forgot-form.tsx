import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { configQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { EmailField } from './email-field.tsx'
import { AuthFrame } from './frame.tsx'
import { Notice } from './notice.tsx'
import type { WantedPage } from './wanted.ts'

export function ForgotForm({ to }: WantedPage) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const { data: config } = useQuery(configQuery)
  const forgot = useMutation({ mutationFn: (email: string) => call('forgotPassword', { body: { email } }) })
  const fault = useFaults(forgot.error)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!forgot.isPending) forgot.mutate(String(new FormData(event.currentTarget).get('email')))
  }
  const signIn = (
    <Link
      to="/login"
      search={to ? { to } : {}}
      className="inline-flex items-center justify-self-start font-medium text-accent-text underline min-h-6 max-sm:min-h-11"
    >
      {t('backToSignIn')}
    </Link>
  )
  if (forgot.isSuccess)
    return (
      <AuthFrame title={t('forgotSent')} lead={signIn}>
        <Notice icon="mail">
          <p>{t.rich('forgotSentBody', { email: forgot.variables, b: (chunks) => <bdi>{chunks}</bdi> })}</p>
          {config?.sandbox && (
            <p className="text-13 text-muted">
              {t.rich('forgotSandbox', {
                link: (chunks) => (
                  <a href={config.sandbox ?? ''} target="_blank" rel="noreferrer" className="underline">
                    {chunks}
                  </a>
                ),
              })}
            </p>
          )}
        </Notice>
        <div>
          <Button onClick={() => forgot.reset()}>{t('forgotAgain')}</Button>
        </div>
      </AuthFrame>
    )
  return (
    <AuthFrame title={t('forgotTitle')} lead={t('forgotLead')}>
      <form onSubmit={submit} className="grid gap-4">
        {forgot.error && !fault('/email') && <FormError>{text(forgot.error)}</FormError>}
        <EmailField label={t('email')} autoComplete="username" error={fault('/email')} />
        <Button type="submit" variant="primary" busy={forgot.isPending} className="mt-1 min-h-10">
          {t('forgotSubmit')}
        </Button>
        {signIn}
      </form>
    </AuthFrame>
  )
}
