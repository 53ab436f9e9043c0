import { useEffect, useSyncExternalStore } from 'react'
import { Toaster, toast } from 'sonner'
import { useTranslations } from 'use-intl'
import { toastsReady } from '../toast.ts'

/** An attribute of the body while a dialog is open. */
const LOCKED = 'data-scroll-locked'
const subscribe = (listener: () => void) => {
  const observer = new MutationObserver(listener)
  observer.observe(document.body, { attributeFilter: [LOCKED] })
  return () => observer.disconnect()
}
/** Whether a dialog is open in a narrow window, where dialogs are bottom sheets. */
const hasSheet = () => document.body.hasAttribute(LOCKED) && matchMedia('(width < 40rem)').matches

const ABOVE = 'calc(max(0.75rem, var(--kept-clear, 0px)) + 0.75rem)'

/**
 * Toasts appear at the bottom, above what `keepClear` has marked. Over a bottom sheet, they appear at the top,
 * next to its close button, so that they cover none of its controls.
 */
export default function ToastRegion() {
  const t = useTranslations('common')
  const sheet = useSyncExternalStore(subscribe, hasSheet)
  useEffect(() => toastsReady((kind, text, options) => void toast[kind](text, options)), [])
  return (
    <Toaster
      position={sheet ? 'top-center' : 'bottom-center'}
      containerAriaLabel={t('notifications')}
      offset={{ bottom: ABOVE }}
      mobileOffset={sheet ? { top: '0.5rem', left: '4rem', right: '4rem' } : { bottom: ABOVE }}
      // Content under a dialog ignores clicks. Toasts must stay clickable.
      style={{ pointerEvents: 'auto' }}
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
