import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isolate } from '../../../bidi.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'

interface Props {
  author: string
  busy: boolean
  error?: string | null
  /** The text of an earlier attempt. */
  first?: string
  onClose: () => void
  onReject: (reason: string) => void
}

/** Asks which changes are needed. The reason is required, because the author needs it to fix the post. */
export function RejectDialog({ author, busy, error, first = '', onClose, onReject }: Props) {
  const t = useTranslations('approvals')
  const id = useId()
  const [reason, setReason] = useState(first)
  const [tried, setTried] = useState(false)
  const fault = tried && reason.trim() === '' ? t('reasonMissing') : error
  const submit = () => {
    setTried(true)
    if (reason.trim() !== '') onReject(reason.trim())
  }
  return (
    <FormDialog
      title={t('reject')}
      description={author ? t('rejectLead', { name: isolate(author) }) : t('rejectLeadAll')}
      action={t('reject')}
      busy={busy}
      onClose={onClose}
      onSubmit={submit}
    >
      <div className="grid gap-1.5">
        <label htmlFor={`${id}-reason`} className="text-13 font-medium">
          {t('reason')}
        </label>
        <textarea
          id={`${id}-reason`}
          className="input min-h-24"
          dir="auto"
          required
          maxLength={2000}
          value={reason}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? `${id}-fault` : undefined}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit()
          }}
        />
        {fault && (
          <p id={`${id}-fault`} role="alert" className="text-xs text-bad">
            {fault}
          </p>
        )}
      </div>
    </FormDialog>
  )
}
