import { invalid } from '../../core/errors.ts'

export interface WritingLanguage {
  code: string
  name: string
}

const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** Codes of more than two letters whose languages people also ask for by name. */
const longer = [
  'pt-BR',
  'pt-PT',
  'en-GB',
  'en-US',
  'es-419',
  'es-MX',
  'fr-CA',
  'zh-Hans',
  'zh-Hant',
  'fil',
  'yue',
  'haw',
  'ckb',
]

let known: ReadonlyMap<string, string> | undefined

const plain = (name: string) => name.normalize('NFKC').toLocaleLowerCase('en').trim()

/** Maps the names of all languages, in English and in themselves, to their codes. */
function byName(): ReadonlyMap<string, string> {
  if (known) return known
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  const names = new Map<string, string>()
  for (const code of [...letters.flatMap((a) => letters.map((b) => a + b)), ...longer]) {
    const name = english.of(code)
    if (!name || Intl.getCanonicalLocales(code)[0] !== code) continue
    const own = new Intl.DisplayNames([code], { type: 'language', fallback: 'none' }).of(code)
    for (const each of [name, own]) if (each && !names.has(plain(each))) names.set(plain(each), code)
  }
  known = names
  return names
}

function canonical(text: string): string | undefined {
  try {
    const [code] = Intl.getCanonicalLocales(text.replaceAll('_', '-'))
    return code && english.of(code) ? code : undefined
  } catch {
    return undefined
  }
}

const named = (code: string): WritingLanguage => ({ code, name: english.of(code) ?? code })

/** Finds a language by its name in English or in itself, or by BCP 47. Returns undefined for an unknown one. */
export function findLanguage(text: string): WritingLanguage | undefined {
  const code = canonical(text) ?? byName().get(plain(text))
  return code === undefined ? undefined : named(code)
}

/** Finds a language. Throws `validation_failed` for this field if it is unknown. */
export function languageOf(text: string, path: string): WritingLanguage {
  const language = findLanguage(text)
  if (language) return language
  throw invalid({
    path,
    code: 'unknown_language',
    message: 'Enter a language, such as Arabic, or its code, such as ar.',
  })
}
