import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FormError, TextField } from './field.tsx'

interface Props {
  title: string
  description?: string | undefined
  label: string
  /** Said where no name is given. */
  missing: string
  initial: string
  busy: boolean
  /** The refusal of the service, in words. */
  error: string | null
  onClose: () => void
  onSave: (name: string) => void
  /** Choices beside the name. */
  children?: ReactNode
}

/** Asks what something is to be called. */
export function NameDialog({
  title,
  description,
  label,
  missing,
  initial,
  busy,
  error,
  onClose,
  onSave,
  children,
}: Props) {
  const common = useTranslations('common')
  const id = useId()
  const [name, setName] = useState(initial)
  const [tried, setTried] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (name.trim() && !busy) onSave(name)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={busy}>
            {common('save')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="grid gap-4">
        {error && <FormError>{error}</FormError>}
        <TextField
          label={label}
          dir="auto"
          autoComplete="off"
          maxLength={50}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && !name.trim() && missing}
        />
        {children}
      </form>
    </Dialog>
  )
}
