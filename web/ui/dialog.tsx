import { createContext, type ReactNode, Suspense, use } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import type { DialogProps } from './dialog-frame.tsx'
import { lazy } from './part.tsx'

const DialogFrame = lazy(() => import('./dialog-frame.tsx'))

/** Closes the dialog around, after a question if it is `guarded` and a field has changed. */
export const CloseDialog = createContext<() => void>(() => undefined)

/** The cancel button of a dialog. */
export function Cancel() {
  const t = useTranslations('common')
  return <Button onClick={use(CloseDialog)}>{t('cancel')}</Button>
}

/** A dialog. Its code loads when the first one opens. */
export const Dialog = (props: DialogProps) =>
  props.open && (
    <Suspense>
      <DialogFrame {...props} />
    </Suspense>
  )

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: ReactNode
  action: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  /** Choices below the question. */
  children?: ReactNode
}

export const Confirm = ({ action, danger, busy, onConfirm, ...rest }: ConfirmProps) => (
  <Dialog
    {...rest}
    footer={
      <>
        <Cancel />
        <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </>
    }
  />
)

interface DiscardProps {
  open: boolean
  onStay: () => void
  onDiscard: () => void
}

/** Asks before unsaved changes are lost. */
export function ConfirmDiscard({ open, onStay, onDiscard }: DiscardProps) {
  const t = useTranslations('common.discarding')
  return (
    <Dialog
      open={open}
      onOpenChange={onStay}
      title={t('title')}
      footer={
        <>
          <Button onClick={onStay}>{t('stay')}</Button>
          <Button variant="danger" onClick={onDiscard}>
            {t('discard')}
          </Button>
        </>
      }
    />
  )
}
