import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { call, isProblem } from '../../../client.ts'
import { language } from '../../../language.ts'
import { useProblemText } from '../../../problem.ts'
import { configQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import type { CodeTo } from './code-to.ts'
import { SandboxCode } from './sandbox-code.tsx'
import { useFocus } from './use-focus.ts'

/** The minimum time between two codes, in milliseconds. */
const RESEND = 60_000

/** Sends codes and tracks when the next may be requested. `sentAt` is when the last code was sent, if any. */
export function useSendCode(sentAt: string | null = null) {
  const [nextAt, setNextAt] = useState(sentAt ? Date.parse(sentAt) + RESEND : 0)
  const send = useMutation({
    mutationFn: (to: CodeTo) => call('sendCode', { body: { ...to, language: language.get() } }),
    onSuccess: ({ resendAfterSeconds }) => setNextAt(Date.now() + resendAfterSeconds * 1000),
    onError: (error) => {
      if (isProblem(error, 'rate_limited') && error.retryAfter) setNextAt(Date.now() + error.retryAfter * 1000)
    },
  })
  return { send, nextAt }
}

const DIGITS = 6

/** The digits of a typed or pasted text, in Latin or Arabic numerals, without anything between them. */
const digitsOf = (text: string) =>
  text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/\D/g, '')
    .slice(0, DIGITS)

interface CodeStepProps {
  to: CodeTo
  sending: ReturnType<typeof useSendCode>
  submit: { mutate(code: string): void; isPending: boolean; error: unknown }
  label: string
  /** Additional fields below the code. */
  children?: ReactNode
}

/** The second step: enter the code, or request another. */
export function CodeStep({ to, sending: { send, nextAt }, submit, label, children }: CodeStepProps) {
  const t = useTranslations('codes')
  const text = useProblemText()
  const { data: config } = useQuery(configQuery)
  const [code, setCode] = useState('')
  const field = useFocus()
  const wait = useSecondsUntil(nextAt)
  const enter = (event: FormEvent) => {
    event.preventDefault()
    if (!submit.isPending && code.length === DIGITS) submit.mutate(code)
  }
  const wrong = isProblem(submit.error, 'invalid_code', 'code_exhausted')
  const whole = send.error ?? (wrong ? null : submit.error)
  return (
    <form onSubmit={enter} className="grid gap-4">
      {whole ? <FormError>{text(whole)}</FormError> : null}
      <p className="text-13 text-muted">
        {t.rich('sentTo', { to: to.email ?? to.phone ?? '', b: (chunks) => <bdi className="text-fg">{chunks}</bdi> })}
        {config?.sandbox && (
          <>
            {' '}
            <SandboxCode sandbox={config.sandbox} to={to} />
          </>
        )}
      </p>
      <TextField
        label={t('code')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        ref={field}
        dir="ltr"
        className="max-w-40 text-lg tracking-[0.3em] tabular-nums"
        value={code}
        onChange={(event) => setCode(digitsOf(event.target.value))}
        error={wrong ? text(submit.error) : undefined}
      />
      {children}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          busy={submit.isPending}
          reason={code.length < DIGITS ? t('incomplete') : null}
        >
          {label}
        </Button>
        <Button
          busy={send.isPending}
          reason={wait > 0 ? t('wait', { seconds: wait }) : null}
          onClick={() => send.mutate(to)}
        >
          {t('again')}
        </Button>
      </div>
    </form>
  )
}

function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(Date.now)
  const left = Math.max(0, Math.ceil((at - now) / 1000))
  const over = left === 0
  useEffect(() => {
    if (over && at <= Date.now()) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [at, over])
  return left
}
