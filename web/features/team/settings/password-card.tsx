import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../../src/team/identity/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { methodsQuery } from './methods.ts'
import { NewPasswordField } from '../auth/new-password-field.tsx'
import { PasswordField } from '../auth/password-field.tsx'

/** Changes the password after checking the current one, or sets the first one. */
export function PasswordCard({ me }: { me: Profile }) {
  const t = useTranslations('profile')
  const text = useProblemText()
  const client = useQueryClient()
  const { data: methods, isPending: unknown } = useQuery(methodsQuery)
  const first = methods?.password === false
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    // A person without a password sends no current one.
    mutationFn: (body: { currentPassword?: string; newPassword: string }) => call('changePassword', { body }),
    onSuccess: () => {
      form.current?.reset()
      void client.invalidateQueries({ queryKey: methodsQuery.queryKey })
      toast.success(t('passwordChanged'), { description: t('passwordChangedBody') })
    },
  })
  const fault = useFaults(change.error)
  useEffect(() => {
    if (change.error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [change.error])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (change.isPending) return
    const data = new FormData(event.currentTarget)
    const currentPassword = String(data.get('current') ?? '')
    change.mutate({ ...(currentPassword && { currentPassword }), newPassword: String(data.get('new')) })
  }
  if (unknown) return <div className="card h-64 animate-pulse" aria-hidden />
  return (
    <form ref={form} onSubmit={submit} className="card grid gap-5 p-5">
      <div className="grid gap-1">
        <h2 className="text-sm font-semibold">{t('password')}</h2>
        <p className="text-xs text-muted">{t(first ? 'firstPasswordNote' : 'passwordNote')}</p>
      </div>
      {change.error && (first ? !fault('/newPassword') : !isProblem(change.error, 'validation_failed')) && (
        <FormError>{text(change.error)}</FormError>
      )}
      {/* Tells password managers whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={me.email ?? ''} readOnly hidden />
      {!first && (
        <PasswordField
          label={t('currentPassword')}
          name="current"
          autoComplete="current-password"
          error={fault('/currentPassword')}
        />
      )}
      <NewPasswordField label={t('newPassword')} name="new" error={fault('/newPassword')} />
      <div>
        <Button type="submit" variant="primary" busy={change.isPending}>
          {t(first ? 'setPassword' : 'changePassword')}
        </Button>
      </div>
    </form>
  )
}
