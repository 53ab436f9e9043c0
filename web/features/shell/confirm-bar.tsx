import { MailCheck } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'

const ConfirmForm = lazy(() => import('./confirm-form.tsx'))

/** Until the address is confirmed: says so above every screen, and takes the code that was mailed; but not in the demo, where nothing arrives. */
export default function ConfirmBar({ email }: { email: string }) {
  const t = useTranslations('codes')
  const [open, setOpen] = useState(false)
  return (
    <section aria-label={t('confirmEmail')} className="border-b bg-accent-soft px-4 py-1.5 text-13 lg:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <MailCheck className="size-4 shrink-0 text-accent-text" aria-hidden />
        <p className="min-w-0 grow">{t('confirmEmail')}</p>
        <button
          type="button"
          aria-expanded={open}
          className="inline-flex min-h-6 items-center font-medium underline max-sm:min-h-11 pointer-coarse:min-h-11"
          onClick={() => setOpen(!open)}
        >
          {t(open ? 'later' : 'enterCode')}
        </button>
      </div>
      {open && (
        <Suspense>
          <ConfirmForm email={email} />
        </Suspense>
      )}
    </section>
  )
}
