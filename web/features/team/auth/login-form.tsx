import { Link } from '@tanstack/react-router'
import { type FormEvent, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { EmailField } from './email-field.tsx'
import { PasswordField } from './password-field.tsx'
import { useLogin } from './use-auth.ts'

export function LoginForm({ to }: { to?: string | undefined }) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const login = useLogin(to)
  const form = useRef<HTMLFormElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (login.isPending) return
    const data = new FormData(event.currentTarget)
    login.mutate(
      { email: String(data.get('email')), password: String(data.get('password')) },
      { onError: () => form.current?.querySelector<HTMLInputElement>('[name=password]')?.select() },
    )
  }
  return (
    <form ref={form} onSubmit={submit} className="grid gap-4">
      {login.error && (
        <FormError>
          {text(login.error)}
          {isProblem(login.error, 'rate_limited') && (
            <>
              {' '}
              {t.rich('codeInstead', {
                link: (chunks) => (
                  <Link to="/login" search={{ ...(to && { to }), by: 'email' }} className="font-medium underline">
                    {chunks}
                  </Link>
                ),
              })}
            </>
          )}
        </FormError>
      )}
      <EmailField label={t('email')} autoComplete="username" />
      <div className="grid gap-1.5">
        <PasswordField label={t('password')} name="password" autoComplete="current-password" required />
        <Link
          to="/forgot"
          search={to ? { to } : {}}
          className="inline-flex items-center justify-self-start text-13 font-medium text-accent-text underline min-h-6 max-sm:min-h-11"
        >
          {t('forgot')}
        </Link>
      </div>
      <Button type="submit" variant="primary" busy={login.isPending} className="mt-1 min-h-10">
        {t('signIn')}
      </Button>
    </form>
  )
}
