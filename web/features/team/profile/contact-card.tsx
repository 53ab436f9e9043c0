import { BadgeCheck, CircleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../../src/team/identity/api.ts'
import { isProblem } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { PasswordField } from '../auth/password-field.tsx'
import { CodeStep, useSendCode } from '../auth/code-step.tsx'
import type { CodeTo } from '../auth/code-to.ts'
import { useFocus } from '../auth/use-focus.ts'
import { useConfirm } from './use-confirm.ts'

/** The person's email address and phone number. A code sent there confirms, adds or changes each. */
export function ContactCard({ me }: { me: Profile }) {
  const own = useTranslations('profile')
  return (
    <section className="card grid gap-5 p-5" aria-labelledby="contact">
      <div className="grid gap-1">
        <h2 id="contact" className="text-sm font-semibold">
          {own('contact')}
        </h2>
        <p className="text-xs text-muted">{own('contactNote')}</p>
      </div>
      <Way kind="email" value={me.email} confirmed={me.emailConfirmed} />
      <Way kind="phone" value={me.phone} confirmed={me.phoneConfirmed} />
    </section>
  )
}

interface WayProps {
  kind: 'email' | 'phone'
  value: string | null
  confirmed: boolean
}

function Way({ kind, value, confirmed }: WayProps) {
  const t = useTranslations('codes')
  const own = useTranslations('profile')
  const sending = useSendCode()
  const [step, setStep] = useState<'shown' | 'asked' | CodeTo>('shown')
  const [password, setPassword] = useState('')
  const confirm = useConfirm(() => {
    toast.success(t(kind === 'email' ? 'emailConfirmed' : 'phoneConfirmed'))
    setPassword('')
    setStep('shown')
  })
  const submit = confirm(typeof step === 'object' ? step : {}, password)
  // An account without a password is asked to sign in again instead.
  const asked =
    isProblem(submit.error, 'validation_failed') &&
    submit.error.errors.some(({ path, code }) => path === '/currentPassword' && code !== 'sign_in_again')
  const start = (to: CodeTo) => sending.send.mutate(to, { onSuccess: () => setStep(to) })
  const leave = () => {
    sending.send.reset()
    setStep('shown')
  }
  return (
    <div className="grid gap-3" role="group" aria-label={t(kind)}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="grid min-w-0 grow gap-0.5">
          <span className="text-13 font-medium">{t(kind)}</span>
          {value ? (
            <span className="flex flex-wrap items-center gap-x-2 text-muted">
              <bdi className="break-all">{value}</bdi>
              <State confirmed={confirmed} />
            </span>
          ) : (
            <span className="text-muted">{own('none')}</span>
          )}
        </div>
        {step === 'shown' && (
          <div className="flex flex-wrap gap-2">
            {value && !confirmed && (
              <Button variant="primary" busy={sending.send.isPending} onClick={() => start({ [kind]: value })}>
                {t('confirm')}
              </Button>
            )}
            <Button onClick={() => setStep('asked')}>{own(value ? 'change' : 'add')}</Button>
          </div>
        )}
      </div>
      {step === 'shown' && sending.send.error && <SendError error={sending.send.error} />}
      {step === 'asked' && <NewWay kind={kind} sending={sending} start={start} leave={leave} />}
      {typeof step === 'object' && (
        <div className="grid gap-3 rounded-lg border bg-bg p-4">
          <CodeStep
            to={step}
            sending={sending}
            submit={{ ...submit, error: asked ? null : submit.error }}
            label={t('confirm')}
          >
            {asked && (
              <PasswordField
                label={own('currentPassword')}
                hint={own('passwordWhy')}
                autoComplete="current-password"
                required
                value={password}
                onChange={(event) => setPassword(event.target.value)}
                error={submit.password}
              />
            )}
          </CodeStep>
          <Cancel leave={leave} />
        </div>
      )}
    </div>
  )
}

function State({ confirmed }: { confirmed: boolean }) {
  const own = useTranslations('profile')
  const Icon = confirmed ? BadgeCheck : CircleAlert
  return (
    <span className={`inline-flex items-center gap-1 text-xs ${confirmed ? 'text-ok' : 'text-warn'}`}>
      <Icon className="size-3.5" aria-hidden />
      {own(confirmed ? 'isConfirmed' : 'isNot')}
    </span>
  )
}

function SendError({ error }: { error: unknown }) {
  const text = useProblemText()
  return <FormError>{text(error)}</FormError>
}

interface NewWayProps {
  kind: WayProps['kind']
  sending: ReturnType<typeof useSendCode>
  start(to: CodeTo): void
  leave(): void
}

function NewWay({ kind, sending: { send }, start, leave }: NewWayProps) {
  const t = useTranslations('codes')
  const own = useTranslations('profile')
  const fault = useFaults(send.error)
  const field = useFocus()
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!send.isPending) start({ [kind]: String(new FormData(event.currentTarget).get(kind)).trim() })
  }
  return (
    <form onSubmit={ask} className="grid gap-4 rounded-lg border bg-bg p-4">
      {send.error && !fault(`/${kind}`) && <SendError error={send.error} />}
      <TextField
        label={own(kind === 'email' ? 'newEmail' : 'newPhone')}
        name={kind}
        type={kind === 'email' ? 'email' : 'tel'}
        autoComplete={kind === 'email' ? 'email' : 'tel'}
        required
        ref={field}
        dir="ltr"
        maxLength={kind === 'email' ? 254 : 40}
        hint={kind === 'phone' ? t('phoneHint') : own('newEmailHint')}
        error={fault(`/${kind}`)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={send.isPending}>
          {t('send')}
        </Button>
        <Cancel leave={leave} />
      </div>
    </form>
  )
}

function Cancel({ leave }: { leave(): void }) {
  const common = useTranslations('common')
  return (
    <div>
      <Button variant="ghost" onClick={leave}>
        {common('cancel')}
      </Button>
    </div>
  )
}
