import { useEffect, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useShortcuts } from '../../../../shortcuts.ts'
import { Button } from '../../../../ui/button.tsx'
import { MOD } from '../../../../ui/kbd.tsx'

interface Props {
  /** The text of the draft. */
  text: string
  /** The text to begin with, if it was edited before. */
  edited?: string | undefined
  /** Whether the field takes the focus. */
  focuses: boolean
  busy: boolean
  /** Why it cannot be sent. */
  refused?: string | null
  onWrite?: (text: string) => void
  onSend: (text: string) => void
  onClose: () => void
}

/** Edits the text of a draft before it is sent. */
export function DraftEditor({
  text: first,
  edited = first,
  focuses,
  busy,
  refused = null,
  onWrite,
  onSend,
  onClose,
}: Props) {
  const t = useTranslations('why.draft')
  const common = useTranslations('common')
  const id = useId()
  const [text, setText] = useState(edited)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focuses) field.current?.focus()
  }, [focuses])
  useShortcuts({ 'shift e': () => field.current?.focus() })
  const empty = text.trim() === ''
  const send = () => !empty && !busy && refused === null && onSend(text.trim())
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
        ref={field}
        id={id}
        dir="auto"
        rows={3}
        maxLength={8000}
        className="input field-sizing-content max-h-48"
        // New text goes after the bot's.
        onFocus={({ target }) => target.setSelectionRange(text.length, text.length)}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          onWrite?.(event.target.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            send()
          } else if (event.key === 'Escape' && text === first) {
            event.stopPropagation()
            onClose()
          }
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" busy={busy} reason={refused ?? (empty && t('empty'))}>
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
