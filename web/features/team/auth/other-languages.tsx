import { useLocale } from 'use-intl'
import { language } from '../../../language.ts'
import { LANGUAGES } from '../../../languages.ts'

/** Switches to the other languages, each under its own name. */
export function OtherLanguages() {
  const shown = useLocale().split('-')[0]
  return Object.entries(LANGUAGES)
    .filter(([tag]) => tag !== shown)
    .map(([tag, name]) => (
      <button
        key={tag}
        type="button"
        lang={tag}
        onClick={() => language.set(tag)}
        className="min-h-8 rounded-md px-2 text-13 font-medium text-muted hover:bg-hover hover:text-fg max-sm:min-h-11"
      >
        {name}
      </button>
    ))
}
