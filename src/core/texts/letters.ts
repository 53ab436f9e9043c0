import { fill } from './fill.ts'
import { ar } from './letters/ar.ts'
import { en } from './letters/en.ts'

const letters = { en, ar }
type Language = keyof typeof letters

/** The language of letters to a reader: their own if letters exist in it, otherwise English. */
export const languageOf = (tag: string): Language => (tag in letters ? (tag as Language) : 'en')

/** The words of letters to a reader, and their greeting. */
export function lettersFor({ language: tag, name = '' }: { language: string; name?: string }) {
  const language = languageOf(tag)
  const words = letters[language]
  return { language, words, hello: fill(name ? words.hello : words.helloNobody, { name }) }
}
