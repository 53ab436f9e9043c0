import { type FormEvent, type ReactNode, useId } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { Cancel, Dialog } from './dialog.tsx'
import { FormError } from './field.tsx'

interface Props {
  title: string
  description?: ReactNode
  /** The label of the submit button; "Save" by default. */
  action?: string
  danger?: boolean
  busy?: boolean
  /** Why the form cannot be submitted. */
  reason?: string | null
  /** The service's refusal, as text. */
  error?: string | null
  /** An action at the other end of the footer. */
  beside?: ReactNode
  onClose: () => void
  /** Not called while there is a `reason` or a submission is running. */
  onSubmit: () => void
  children: ReactNode
}

/** A form in a dialog, with its submit and cancel buttons in the footer. Asks before changed fields are lost. */
export function FormDialog({
  title,
  description,
  action,
  danger,
  busy = false,
  reason = null,
  error,
  beside,
  onClose,
  onSubmit,
  children,
}: Props) {
  const t = useTranslations('common')
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React bubbles the event to a form that contains the dialog in the component tree. That form must not submit.
    event.stopPropagation()
    if (!busy && reason === null) onSubmit()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      // Before a dangerous act, a field holds no work but a confirmation.
      guarded={!danger}
      footer={
        <>
          {beside && <span className="me-auto">{beside}</span>}
          <Cancel />
          <Button variant={danger ? 'danger' : 'primary'} type="submit" form={id} busy={busy} reason={reason}>
            {action ?? t('save')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {error && <FormError>{error}</FormError>}
        {children}
      </form>
    </Dialog>
  )
}
