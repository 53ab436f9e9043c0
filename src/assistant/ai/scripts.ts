/** The Unicode scripts in which languages with a given script code are written. */
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

const letters = new Map(
  Object.entries(scripts).map(([script, names]) => [
    script,
    new RegExp(`[${names.map((name) => `\\p{Script=${name}}`).join('')}]`, 'gu'),
  ]),
)

/** Matches the letters of a language's script. Undefined for a script that is not listed here. */
export const lettersOf = (code: string): RegExp | undefined =>
  letters.get(new Intl.Locale(code).maximize().script ?? '')

/** Each script with the language most often written in it. A script that is part of another comes first. */
export const byScript: readonly { letters: RegExp; code: string }[] = [...letters]
  .toSorted(([a], [b]) => (scripts[a]?.length ?? 0) - (scripts[b]?.length ?? 0))
  .map(([script, own]) => ({ letters: own, code: new Intl.Locale(`und-${script}`).maximize().language }))
