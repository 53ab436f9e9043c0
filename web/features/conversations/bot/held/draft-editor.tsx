import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../../ui/button.tsx'
import { MOD } from '../../../../ui/kbd.tsx'

interface Props {
  text: string
  busy: boolean
  onSend: (text: string) => void
  onClose: () => void
}

/** Edits the text of a draft before it is sent. */
export function DraftEditor({ text: first, busy, onSend, onClose }: Props) {
  const t = useTranslations('why.draft')
  const common = useTranslations('common')
  const id = useId()
  const [text, setText] = useState(first)
  const empty = text.trim() === ''
  const send = () => !empty && !busy && onSend(text.trim())
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label htmlFor={id} className="sr-only">
        {t('text')}
      </label>
      <textarea
        id={id}
        dir="auto"
        rows={3}
        maxLength={8000}
        className="input field-sizing-content max-h-48"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
        autoFocus
        // New text goes after the bot's.
        onFocus={({ target }) => target.setSelectionRange(text.length, text.length)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            send()
          } else if (event.key === 'Escape') {
            event.stopPropagation()
            onClose()
          }
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" busy={busy} reason={empty && t('empty')}>
          {t('sendEdited')}
          <span aria-hidden dir="ltr" className="text-xs font-normal opacity-80 max-sm:hidden">
            {MOD} ↵
          </span>
        </Button>
        <Button onClick={onClose}>{common('cancel')}</Button>
      </div>
    </form>
  )
}
