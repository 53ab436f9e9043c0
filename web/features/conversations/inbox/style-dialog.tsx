import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'

/** The maximum number of characters that the service accepts. */
const LONGEST_STYLE = 200

interface Props {
  style: string | null
  onSave: (style: string | null) => void
  onClose: () => void
}

/** Asks how the bot writes to a customer. An empty field means as usual. */
export default function StyleDialog({ style, onSave, onClose }: Props) {
  const t = useTranslations('inbox.style')
  const [text, setText] = useState(style ?? '')
  const submit = () => {
    const next = text.trim() || null
    if (next !== style) onSave(next)
    onClose()
  }
  return (
    <FormDialog title={t('name')} onClose={onClose} onSubmit={submit}>
      <TextField
        label={t('field')}
        hint={t('hint')}
        dir="auto"
        autoComplete="off"
        maxLength={LONGEST_STYLE}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  )
}
