import { useLocale } from 'use-intl'

/** The languages that posts are most often written in. */
const OFTEN = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'tr', 'nl', 'ru', 'hi', 'zh', 'ja']

/** Returns a language's name in the reader's language. Text that is not a language code stays as typed. */
export function useLanguageName(): (language: string) => string {
  const names = new Intl.DisplayNames([useLocale()], { type: 'language' })
  return (language) => {
    try {
      return names.of(language) ?? language
    } catch {
      return language // already a name
    }
  }
}

/** The languages to choose from, named in the reader's language, with `first` on top. */
export function useLanguageChoices(first: string): [tag: string, name: string][] {
  const locale = useLocale()
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  return [first, ...OFTEN.filter((tag) => tag !== first)].map((tag) => [tag, names.of(tag) ?? tag])
}
