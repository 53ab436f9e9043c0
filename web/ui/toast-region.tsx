import { useEffect } from 'react'
import { Toaster, toast } from 'sonner'
import { useTranslations } from 'use-intl'
import { toastsReady } from '../toast.ts'

export default function ToastRegion() {
  const t = useTranslations('common')
  useEffect(() => toastsReady((kind, text, options) => void toast[kind](text, options)), [])
  return (
    <Toaster
      position="bottom-center"
      containerAriaLabel={t('notifications')}
      mobileOffset={{ bottom: '5rem' }}
      toastOptions={{
        duration: 6000,
        style: {
          background: 'var(--surface)',
          color: 'var(--fg)',
          border: '1px solid var(--line)',
          boxShadow: 'var(--shadow-pop)',
          fontFamily: "'Inter Variable', system-ui, sans-serif",
        },
        classNames: { description: '!text-muted', actionButton: '!bg-accent !text-on-accent !min-h-7' },
      }}
    />
  )
}
