import { useQueryClient } from '@tanstack/react-query'
import { MailCheck } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/team/identity/api.ts'
import { useProblemText } from '../../problem.ts'
import { meQuery } from '../../queries.ts'
import { FormError } from '../../ui/field.tsx'
import { lazy } from '../../ui/part.tsx'
import { useSendCode } from '../team/auth/code-step.tsx'

const ConfirmForm = lazy(() => import('./confirm-form.tsx'))

/**
 * Shown above every screen until the email address is confirmed. Takes the code, and sends one first if none is valid.
 * Not shown in the demo, whose addresses receive nothing.
 */
export default function ConfirmBar({ me, email }: { me: Profile; email: string }) {
  const t = useTranslations('codes')
  const text = useProblemText()
  const client = useQueryClient()
  const sending = useSendCode(me.emailCodeSentAt)
  const [open, setOpen] = useState(false)
  const { send } = sending
  const sent = open || me.emailCodeSentAt !== null
  // The open form says where the code was sent.
  const says = t(sent && !open ? 'confirmEmail' : 'notConfirmed')
  const ask = () =>
    send.mutate(
      { email },
      {
        onSuccess: () => {
          setOpen(true)
          void client.invalidateQueries({ queryKey: meQuery.queryKey })
        },
      },
    )
  return (
    <section aria-label={t('confirmTitle')} className="border-b bg-accent-soft px-4 py-1.5 text-13 lg:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="flex min-w-0 grow gap-x-2">
          <MailCheck className="mt-0.5 size-4 shrink-0 text-accent-text" aria-hidden />
          <p role="status" className="min-w-0">
            {says}
          </p>
        </div>
        <button
          type="button"
          aria-expanded={sent ? open : undefined}
          aria-busy={send.isPending}
          className="inline-flex min-h-6 items-center font-medium underline max-sm:min-h-11 pointer-coarse:min-h-11"
          onClick={() => (sent ? setOpen(!open) : send.isPending || ask())}
        >
          {t(open ? 'later' : sent ? 'enterCode' : 'send')}
        </button>
      </div>
      {!open && send.error && <FormError>{text(send.error)}</FormError>}
      {open && (
        <Suspense>
          <ConfirmForm email={email} sending={sending} />
        </Suspense>
      )}
    </section>
  )
}
