import { useLocale } from 'use-intl'

/** Those that posts are often written in, beside that of the workspace. */
const OFTEN = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'tr', 'nl', 'ru', 'hi', 'zh', 'ja']

/** Languages to choose from, the one that is used most first, named in the reader's. */
export function useLanguageChoices(first: string): [tag: string, name: string][] {
  const locale = useLocale()
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  return [first, ...OFTEN.filter((tag) => tag !== first)].map((tag) => [tag, names.of(tag) ?? tag])
}
