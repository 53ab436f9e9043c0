import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { isProblem } from '../../../client.ts'
import { browserZone } from '../../../i18n.tsx'
import { language } from '../../../language.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { DemoButton } from '../../shell/demo/demo-button.tsx'
import { EmailField } from './email-field.tsx'
import { AuthFrame } from './frame.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { Providers } from './providers.tsx'
import { useRegister } from './use-auth.ts'
import { type WantedPage, wantedByNew } from './wanted.ts'

export function RegisterForm({ to }: WantedPage) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const register = useRegister(wantedByNew(to))
  const fault = useFaults(register.error)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (register.error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [register.error])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (register.isPending) return
    const data = new FormData(event.currentTarget)
    const name = String(data.get('name')).trim()
    register.mutate({
      email: String(data.get('email')),
      password: String(data.get('password')),
      ...(name ? { name } : {}),
      timezone: browserZone(),
      language: language.get(),
    })
  }
  const taken = isProblem(register.error, 'email_taken')
  const whole = register.error && !taken && !fault('/email') && !fault('/password') && !fault('/name')
  return (
    <AuthFrame
      title={t('signUp')}
      lead={t.rich('haveAccount', {
        link: (chunks) => (
          <Link to="/login" search={to ? { to } : {}} className="font-medium text-accent-text underline">
            {chunks}
          </Link>
        ),
      })}
    >
      <form ref={form} onSubmit={submit} className="grid gap-4">
        {whole && <FormError>{text(register.error)}</FormError>}
        <TextField label={t('name')} name="name" autoComplete="name" error={fault('/name')} />
        <EmailField
          label={t('email')}
          autoComplete="email"
          error={
            taken
              ? t.rich('emailTaken', {
                  link: (chunks) => (
                    <Link to="/login" search={to ? { to } : {}} className="font-medium underline">
                      {chunks}
                    </Link>
                  ),
                  code: (chunks) => (
                    <Link to="/login" search={{ ...(to && { to }), by: 'email' }} className="font-medium underline">
                      {chunks}
                    </Link>
                  ),
                })
              : fault('/email')
          }
        />
        <NewPasswordField label={t('password')} name="password" error={fault('/password')} />
        <Button type="submit" variant="primary" busy={register.isPending} className="mt-1 min-h-10">
          {t('signUp')}
        </Button>
      </form>
      <Providers to={wantedByNew(to)} />
      <DemoButton />
    </AuthFrame>
  )
}
