import { type ReactNode, useState } from 'react'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface Props {
  title: string
  description?: string | undefined
  label: string
  /** Shown when the name is empty. */
  missing: string
  /** The label of the submit button; "Save" by default. */
  action?: string
  initial: string
  busy: boolean
  /** The service's refusal, as text. */
  error: string | null
  onClose: () => void
  onSave: (name: string) => void
  /** Choices below the name. */
  children?: ReactNode
}

/** Asks for a name. */
export function NameDialog({
  title,
  description,
  label,
  missing,
  action,
  initial,
  busy,
  error,
  onClose,
  onSave,
  children,
}: Props) {
  const [name, setName] = useState(initial)
  const [tried, setTried] = useState(false)
  const submit = () => {
    setTried(true)
    if (name.trim()) onSave(name)
  }
  return (
    <FormDialog
      title={title}
      description={description}
      action={action}
      busy={busy}
      error={error}
      onClose={onClose}
      onSubmit={submit}
    >
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
    </FormDialog>
  )
}
