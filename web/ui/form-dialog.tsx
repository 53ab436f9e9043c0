import { type FormEvent, type ReactNode, useId } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FormError } from './field.tsx'

interface Props {
  title: string
  description?: ReactNode
  /** The act of the form; without it, to save. */
  action?: string
  danger?: boolean
  busy?: boolean
  /** Why the form cannot be sent. */
  reason?: string | null
  /** The refusal of the service, in words. */
  error?: string | null
  /** An act beside those of the form. */
  beside?: ReactNode
  onClose: () => void
  /** Called unless a reason stands against it or the last time is still under way. */
  onSubmit: () => void
  children: ReactNode
}

/** A form in a dialog, with its act and the way out below it. */
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
    // A dialog may stand within another form, which is none of its own.
    event.stopPropagation()
    if (!busy && reason === null) onSubmit()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        <>
          {beside && <span className="me-auto">{beside}</span>}
          <Button onClick={onClose}>{t('cancel')}</Button>
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
