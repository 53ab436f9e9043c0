import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type Answer, call } from '../../../client.ts'
import { browserZone } from '../../../i18n.tsx'
import { language } from '../../../language.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { CodeStep, useSendCode } from './code-step.tsx'
import type { CodeTo } from './code-to.ts'
import { EmailField } from './email-field.tsx'
import { useEnter } from './use-auth.ts'

/** Signs in with a code sent to a phone or email address. */
export function CodeForm({ by, to }: { by: 'phone' | 'email'; to?: string | undefined }) {
  const t = useTranslations('codes')
  const text = useProblemText()
  const sending = useSendCode()
  const { send } = sending
  const [target, setTarget] = useState<CodeTo | null>(null)
  const enter = useEnter(to)
  const signIn = useMutation({
    mutationFn: async (code: string): Promise<Answer<'login'>> => {
      if (target?.phone) {
        const body = { phone: target.phone, code, timezone: browserZone(), language: language.get() }
        return call('loginByPhone', { body })
      }
      const answer = await call('verifyCode', { body: { ...target, code } })
      if (!('accessToken' in answer)) throw new Error('The code signed nobody in')
      return answer
    },
    onSuccess: enter,
  })
  const fault = useFaults(send.error)
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (send.isPending) return
    const wanted = { [by]: String(new FormData(event.currentTarget).get(by)).trim() }
    send.mutate(wanted, { onSuccess: () => setTarget(wanted) })
  }
  if (target)
    return (
      <div className="grid gap-4">
        <CodeStep to={target} sending={sending} submit={signIn} label={t('signIn')} />
        <button
          type="button"
          className="min-h-6 justify-self-start text-13 font-medium text-accent-text underline max-sm:min-h-11"
          onClick={() => {
            send.reset()
            signIn.reset()
            setTarget(null)
          }}
        >
          {t(by === 'phone' ? 'otherPhone' : 'otherEmail')}
        </button>
      </div>
    )
  return (
    <form onSubmit={ask} className="grid gap-4">
      {send.error && !fault(`/${by}`) && <FormError>{text(send.error)}</FormError>}
      {by === 'phone' ? (
        <TextField
          label={t('phone')}
          name="phone"
          type="tel"
          autoComplete="tel"
          required
          maxLength={40}
          dir="ltr"
          placeholder="+1 202 555 0142"
          hint={t('phoneHint')}
          faults={{ missing: t('phoneMissing') }}
          error={fault('/phone')}
        />
      ) : (
        <EmailField label={t('email')} autoComplete="username" error={fault('/email')} />
      )}
      <Button type="submit" variant="primary" busy={send.isPending} className="mt-1 min-h-10">
        {t('send')}
      </Button>
    </form>
  )
}
