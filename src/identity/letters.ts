import { writeLetter } from '../platform/letter.ts'
import type { Letter } from '../platform/mail.ts'
import type { Language } from './api.ts'

/** Who a letter is for. */
interface Reader {
  name: string
  language: string
  timezone: string
}

interface Words {
  hello(name: string): string
  resetSubject: string
  reset: string
  resetButton: string
  resetEnd: string
  changedSubject: string
  changed(at: string): string
  changedNotYou: string
  changedButton: string
}

const en: Words = {
  hello: (name) => (name ? `Hello ${name},` : 'Hello,'),
  resetSubject: 'Choose a new password for Parley',
  reset: 'Somebody, most likely you, asked for a new password for your Parley account.',
  resetButton: 'Choose a new password',
  resetEnd: 'The link works once, for 30 minutes. If you did not ask for it, do nothing: your password stays as it is.',
  changedSubject: 'Your Parley password was changed',
  changed: (at) => `The password of your Parley account was changed on ${at}. Other devices were signed out.`,
  changedNotYou: 'If this was not you, choose a new password now: that ends every session.',
  changedButton: 'Choose a new password',
}

/** A language without a table gets English. */
const tables: Record<'en', Words> & Partial<Record<Language, Words>> = { en }

function wordsFor({ language }: Reader): { words: Words; language: string } {
  const words = tables[language as Language]
  return words ? { words, language } : { words: tables.en, language: 'en' }
}

export function resetLetter(reader: Reader, url: string): Letter {
  const { words, language } = wordsFor(reader)
  return writeLetter({
    language,
    subject: words.resetSubject,
    before: [words.hello(reader.name), words.reset],
    button: { label: words.resetButton, url },
    after: [words.resetEnd],
  })
}

export function changedLetter(reader: Reader, at: Date, url: string): Letter {
  const { words, language } = wordsFor(reader)
  const style = { dateStyle: 'long', timeStyle: 'short' } as const
  const time = new Intl.DateTimeFormat(language, { ...style, timeZone: reader.timezone }).format(at)
  return writeLetter({
    language,
    subject: words.changedSubject,
    before: [words.hello(reader.name), words.changed(`${time} (${reader.timezone})`), words.changedNotYou],
    button: { label: words.changedButton, url },
  })
}
