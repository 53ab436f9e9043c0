import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { parseHashtags } from './draft.ts'

const MOST = 200

/** Hashtags as chips. Typed text counts immediately; a space or comma turns it into a chip. */
export function HashtagField({ value, onChange }: { value: string[]; onChange: (tags: string[]) => void }) {
  const t = useTranslations('composer')
  const [typed, setTyped] = useState('')
  // After a change from outside, such as inserting a set, the typed text becomes a chip like the others.
  const typing = typed !== '' && value.at(-1) === typed
  const chips = typing ? value.slice(0, -1) : value
  const set = (tags: string[]) => onChange(tags.slice(0, MOST))
  const type = (text: string) => {
    const tags = parseHashtags(text)
    const ended = /[\s,،]$/.test(text) || tags.length === 0
    setTyped(ended ? '' : (tags.at(-1) ?? ''))
    set([...chips, ...tags])
  }
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey) {
      event.preventDefault()
      setTyped('')
    } else if (event.key === 'Backspace' && event.currentTarget.value === '') set(chips.slice(0, -1))
  }
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1.5">
      <ul className="contents" aria-label={t('hashtags')}>
        {chips.map((tag, index) => (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- the same tag can be there twice
            key={`${tag} ${index}`}
            className="flex h-6 max-w-full items-center rounded-md bg-hover ps-2 text-xs font-medium text-muted max-sm:h-11"
          >
            <bdi dir="auto" className="clip">
              {tag}
            </bdi>
            <button
              type="button"
              aria-label={t('removeHashtag', { tag })}
              onClick={() => set(chips.toSpliced(index, 1))}
              className="grid size-6 shrink-0 place-items-center rounded-md hover:text-fg max-sm:size-11"
            >
              <X className="size-3" aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <label className="flex items-center text-xs font-medium text-muted">
        {!typing && <Plus className="size-3" aria-hidden />}
        <input
          id="field-hashtags"
          className="h-6 min-w-16 rounded-md bg-transparent px-1 field-sizing-content max-sm:h-11 max-sm:text-base max-sm:placeholder:text-xs"
          dir="auto"
          autoCapitalize="none"
          aria-label={t('hashtags')}
          placeholder={t('hashtag')}
          value={typing ? typed : ''}
          onChange={(event) => type(event.target.value)}
          onKeyDown={keys}
          onBlur={() => setTyped('')}
        />
      </label>
    </div>
  )
}
