import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../../ui/button.tsx'
import { Cancel, Dialog } from '../../../../ui/dialog.tsx'
import { Frame } from '../../../../ui/field.tsx'
import type { FlagReason } from './use-draft.ts'

interface Props {
  busy: boolean
  onFlag: (reason: FlagReason, note: string) => void
  onClose: () => void
}

const REASONS = ['wrong', 'unsafe', 'off-brand'] as const
const LONGEST_NOTE = 500

/** Flags what is wrong with a draft, which is then never sent. */
export default function FlagDialog({ busy, onFlag, onClose }: Props) {
  const t = useTranslations('why.draft.flagging')
  const id = useId()
  const [reason, setReason] = useState<FlagReason>('wrong')
  const [note, setNote] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) onFlag(reason, note.trim())
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      guarded
      title={t('title')}
      description={t('body')}
      footer={
        <>
          <Cancel />
          <Button variant="primary" type="submit" form={id} busy={busy}>
            {t('flag')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <fieldset className="grid gap-1">
          <legend className="sr-only">{t('reason')}</legend>
          {REASONS.map((one) => (
            <label key={one} className="flex min-h-8 items-center gap-2 text-13 max-sm:min-h-11">
              <input
                type="radio"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the choice was asked for just now
                autoFocus={one === reason}
                name={`${id}-reason`}
                className="size-4 accent-(--accent) max-sm:size-6"
                checked={reason === one}
                onChange={() => setReason(one)}
              />
              {t(`reasons.${one}`)}
            </label>
          ))}
        </fieldset>
        <Frame id={`${id}-note`} label={t('note')}>
          <textarea
            id={`${id}-note`}
            rows={3}
            dir="auto"
            className="input"
            maxLength={LONGEST_NOTE}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Frame>
      </form>
    </Dialog>
  )
}
