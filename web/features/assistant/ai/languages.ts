import { useLocale } from 'use-intl'

/** Those that posts are often written in, beside that of the workspace. */
const OFTEN = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'tr', 'nl', 'ru', 'hi', 'zh', 'ja']

/** A language as its reader calls it; what is no code is named as it was typed. */
export function useLanguageName(): (language: string) => string {
  const names = new Intl.DisplayNames([useLocale()], { type: 'language' })
  return (language) => {
    try {
      return names.of(language) ?? language
    } catch {
      return language // a name
    }
  }
}

/** Languages to choose from, the one that is used most first, named in the reader's. */
export function useLanguageChoices(first: string): [tag: string, name: string][] {
  const locale = useLocale()
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  return [first, ...OFTEN.filter((tag) => tag !== first)].map((tag) => [tag, names.of(tag) ?? tag])
}
