import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { parseHashtags } from './draft.ts'

/** Hashtags in one line, with spaces or commas between. Keeps what is typed while it means the same. */
export function HashtagField({ value, onChange }: { value: string[]; onChange: (tags: string[]) => void }) {
  const t = useTranslations('composer')
  const [typed, setTyped] = useState(value.join(' '))
  const shown = parseHashtags(typed).join(' ') === value.join(' ') ? typed : value.join(' ')
  return (
    <input
      id="field-hashtags"
      className="input"
      dir="auto"
      autoCapitalize="none"
      placeholder={t('hashtagsPlaceholder')}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(parseHashtags(event.target.value).slice(0, 200))
      }}
    />
  )
}
