import { useLocale } from 'use-intl'

/** The name of a language in the reader's own. */
export function useLanguageName() {
  const locale = useLocale()
  return (code: string) => new Intl.DisplayNames([locale], { type: 'language' }).of(code) ?? code
}
