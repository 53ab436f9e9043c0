import { type ReactNode, Suspense, use, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { besideOf } from './beside.ts'
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

interface RemoveProps extends Omit<ConfirmProps, 'open' | 'onOpenChange' | 'onConfirm' | 'onCloseAutoFocus'> {
  children: string
  /** The accessible name of the button. */
  label: string
  variant?: 'ghost'
  /** What takes the focus after the last row is removed, as a selector. */
  field: string
  /** Settles when the row is removed or the removal was refused. */
  onRemove: () => Promise<unknown>
}

/** A button that removes its row after a question, and then gives the focus to the row beside it. */
export function RemoveButton({ children, label, variant, busy, field, onRemove, ...question }: RemoveProps) {
  const [asking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const next = useRef<HTMLElement>(null)
  const remove = async () => {
    next.current = button.current && besideOf(button.current, field)
    await onRemove().catch(() => {
      next.current = null
    })
    setAsking(false)
  }
  return (
    <>
      <Button
        ref={button}
        size="sm"
        {...(variant && { variant })}
        data-remove
        aria-label={label}
        onClick={() => setAsking(true)}
      >
        {children}
      </Button>
      <Confirm
        {...question}
        danger
        busy={busy}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() => void remove()}
        onCloseAutoFocus={(event) => {
          if (!next.current?.isConnected) return
          event.preventDefault()
          next.current.focus()
        }}
      />
    </>
  )
}

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
