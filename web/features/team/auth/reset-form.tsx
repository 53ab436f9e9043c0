import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { call, isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { AuthFrame } from './frame.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { Notice } from './notice.tsx'
import { OtherWays } from './other-ways.tsx'

export function ResetForm({ token }: { token: string }) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const reset = useMutation({
    mutationFn: (newPassword: string) => call('resetPassword', { body: { token, newPassword } }),
  })
  const fault = useFaults(reset.error)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (reset.error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [reset.error])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!reset.isPending) reset.mutate(String(new FormData(event.currentTarget).get('password')))
  }
  if (reset.isSuccess)
    return (
      <AuthFrame title={t('resetDone')} lead={t('resetDoneLead')}>
        <Notice icon="done">
          <p>{t('resetDoneBody')}</p>
        </Notice>
        <OtherWays token={token} />
        <Link to="/login" className={buttonClass('primary', 'md', 'min-h-10')}>
          {t('signIn')}
        </Link>
      </AuthFrame>
    )
  if (isProblem(reset.error, 'link_expired'))
    return (
      <AuthFrame title={t('linkExpired')} lead={t('linkExpiredLead')}>
        <Link to="/forgot" className={buttonClass('primary', 'md', 'min-h-10')}>
          {t('linkAgain')}
        </Link>
      </AuthFrame>
    )
  return (
    <AuthFrame title={t('resetTitle')} lead={t('resetLead')}>
      <form ref={form} onSubmit={submit} className="grid gap-4">
        {reset.error && !fault('/newPassword') && <FormError>{text(reset.error)}</FormError>}
        <NewPasswordField label={t('newPassword')} name="password" error={fault('/newPassword')} />
        <Button type="submit" variant="primary" busy={reset.isPending} className="mt-1 min-h-10">
          {t('resetSubmit')}
        </Button>
      </form>
    </AuthFrame>
  )
}
