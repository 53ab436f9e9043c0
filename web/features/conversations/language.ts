import { useLocale } from 'use-intl'

/** Returns the name of a language in the reader's language. */
export function useLanguageName() {
  const locale = useLocale()
  return (code: string) => new Intl.DisplayNames([locale], { type: 'language' }).of(code) ?? code
}
