/** In what script a language is written, as Unicode knows it. */
const scripts: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Hiragana', 'Katakana', 'Han'],
  Kore: ['Hangul', 'Han'],
  Hans: ['Han'],
  Hant: ['Han'],
  Arab: ['Arabic'],
  Aran: ['Arabic'],
  Latn: ['Latin'],
  Cyrl: ['Cyrillic'],
  Grek: ['Greek'],
  Hebr: ['Hebrew'],
  Deva: ['Devanagari'],
  Beng: ['Bengali'],
  Thai: ['Thai'],
  Guru: ['Gurmukhi'],
  Gujr: ['Gujarati'],
  Taml: ['Tamil'],
  Telu: ['Telugu'],
  Knda: ['Kannada'],
  Mlym: ['Malayalam'],
  Sinh: ['Sinhala'],
  Khmr: ['Khmer'],
  Laoo: ['Lao'],
  Mymr: ['Myanmar'],
  Geor: ['Georgian'],
  Armn: ['Armenian'],
  Ethi: ['Ethiopic'],
}

const matching = (names: readonly string[]) =>
  new RegExp(`[${names.map((name) => `\\p{Script=${name}}`).join('')}]`, 'gu')

/** Matches the letters of a language's script; undefined where the script is not known here. */
export function lettersOf(code: string): RegExp | undefined {
  const names = scripts[new Intl.Locale(code).maximize().script ?? '']
  return names && matching(names)
}

/** Each script with the language that is written in it most often; where one holds another, the smaller first. */
export const byScript: readonly { letters: RegExp; code: string }[] = Object.entries(scripts)
  .toSorted(([, a], [, b]) => a.length - b.length)
  .map(([script, names]) => ({ letters: matching(names), code: new Intl.Locale(`und-${script}`).maximize().language }))
