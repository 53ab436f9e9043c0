import { type ReactNode, Suspense, use } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { CloseDialog } from './close-dialog.ts'
import type { DialogProps, DiscardQuestion } from './dialog-frame.tsx'
import { lazy } from './part.tsx'

const DialogFrame = lazy(() => import('./dialog-frame.tsx'))

/** The cancel button of a dialog. */
export function Cancel() {
  const t = useTranslations('common')
  return <Button onClick={use(CloseDialog)}>{t('cancel')}</Button>
}

/** A dialog. Its code loads when the first one opens. */
export const Dialog = (props: DialogProps) =>
  props.open && (
    <Suspense>
      <DialogFrame {...props} askToDiscard={(question) => <ConfirmDiscard {...question} />} />
    </Suspense>
  )

export interface ConfirmProps {
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
  onCloseAutoFocus?: (event: Event) => void
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

/** Asks before unsaved changes are lost. */
export function ConfirmDiscard({ open, onStay, onDiscard }: DiscardQuestion) {
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
