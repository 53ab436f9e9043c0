import { wordsOf } from '../../assistant/ai/words/rules.ts'

// Numbers, prices, times and amounts in words that a reply names.

/** Replaces the digits of every script by Latin digits. */
const latinDigits = (text: string) =>
  text.normalize('NFKC').replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)))
/** Returns the value of a decimal digit. Unicode has decimal digits in runs of ten that begin with zero. */
function valueOf(point: number): number {
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1
  return value
}

const HALVES =
  /(?<![\d.:])(\d{1,2})(?:[:.](\d\d))?\s?(?:uhr\s|heures?\s|h\s)?(?:(a\.?m\.?|in the morning|morgens|vormittags|du matin|de la mañana|صباحًا|صباحا)|(p\.?m\.?|in the (?:evening|afternoon)|at night|nachts|nachmittags|abends|de l['’]après-midi|du soir|le soir|de la tarde|de la noche|مساءً|مساء))(?!\p{L})/giu

/** Replaces "6 pm" by "18:00", and digits of every script by Latin ones. */
const asWritten = (text: string) =>
  latinDigits(text).replaceAll(HALVES, (_, hour: string, minutes = '00', morning?: string) =>
    morning === undefined ? `${(Number(hour) % 12) + 12}:${minutes}` : `${Number(hour) % 12}:${minutes}`,
  )

/** Writes a number in one way: "18:00", "18.00" and "18" are the same, and so are "4,50" and "4.50". */
const normal = (number: string) =>
  number
    .replace(/(?<![.,:/-])[.,:/-]+$/, '')
    .replaceAll(/[.,](?=\d{3}(?!\d))/g, '')
    .replaceAll(',', '.')
    .replace(/^0(?=\d)/, '')
    .replace(/^(\d{1,2})\.(\d\d)$/, '$1:$2')
    .replace(/[.:]00$/, '')
    .toLowerCase()

/** Returns every word with a digit: numbers, prices, dates, times, percentages and codes. A range is its two ends. */
const numbersIn = (text: string): string[] =>
  (text.match(/(?<![\p{L}\d])[\p{L}\d]*\d[\p{L}\d.,:/-]*/gu) ?? [])
    .flatMap((each) => (/^\d[\d.,:]*-\d[\d.,:]*$/.test(each) ? each.split('-') : [each]))
    .map(normal)

/** Strips the unit after a number, so that "18h" is found as "18". */
const plain = (number: string) => /^\d[\d.:/-]*/.exec(number)?.[0] ?? number

/** Words that turn a number word into a share, as in "twenty percent". */
const SHARE_IN_WORDS = /\b(?:per ?cent|prozent|pour ?cent|por ?ciento)\b|بالمئة|بالمائة|في المئة/iu
const CURRENCIES = {
  EUR: ['€', 'eur', 'euro', 'euros', 'يورو'],
  USD: ['$', 'usd', 'dollar', 'dollars', 'bucks', 'دولار', 'دولارا', 'دولارات'],
  GBP: ['£', 'gbp', 'quid'],
  JPY: ['¥'],
  TRY: ['₺', 'lira', 'liradır'],
  RUB: ['₽'],
  INR: ['₹'],
  SAR: ['sar', 'ريال', 'ريالا', 'ريالات'],
  AED: ['aed', 'درهم', 'درهما'],
  EGP: ['egp', 'جنيه', 'جنيها'],
  cent: ['cent', 'cents'],
} as const
const MONEY = Object.values(CURRENCIES)
  .flat()
  .map((name) => (/^\p{L}/u.test(name) ? `(?<!\\p{L})${name}(?!\\p{L})` : `[${name}]`))
  .join('|')
const HAS_MONEY = new RegExp(MONEY, 'iu')
const PRICE = new RegExp(`(${MONEY})\\s*(\\d[\\d.,]*)|(?<!\\d)(\\d[\\d.,]*)\\s*(${MONEY})`, 'giu')
const currencyOf = (name: string) =>
  Object.entries(CURRENCIES).find(([, names]) => names.some((each) => each === name.toLowerCase()))?.[0]
/** Returns the prices of a text, such as "38 GBP". */
const pricesIn = (text: string) =>
  Array.from(text.matchAll(PRICE), ([, first, after, before, last]) =>
    numbersIn(after ?? before ?? '').map((number) => `${number} ${currencyOf(first ?? last ?? '')}`),
  ).flat()
/** Whether a text has an amount in words, as in "five euros". */
const isSpelled = (text: string) => HAS_MONEY.test(text.replaceAll(PRICE, ' '))

/** Numbers and times in words, from the value 2 on. "One" is more often an article. */
const IN_WORDS = [
  ['two', 'zwei', 'deux', 'اثنين', 'يومين', 'ساعتين'],
  ['three', 'drei', 'trois', 'ثلاثة', 'ثلاث'],
  ['four', 'vier', 'quatre', 'cuatro', 'أربعة', 'أربع'],
  ['five', 'fünf', 'cinq', 'cinco', 'خمسة', 'خمس'],
  ['six', 'sechs', 'seis', 'ستة', 'ست'],
  ['seven', 'sieben', 'sept', 'siete', 'سبعة', 'سبع'],
  ['eight', 'acht', 'huit', 'ocho', 'ثمانية', 'ثمان'],
  ['nine', 'neun', 'neuf', 'nueve', 'تسعة', 'تسع'],
  ['ten', 'zehn', 'dix', 'diez', 'عشرة', 'عشر'],
  ['eleven', 'elf', 'onze'],
  ['twelve', 'zwölf', 'douze', 'doce', 'noon', 'midday', 'mittags', 'midi', 'mediodía', 'ظهرا', 'midnight', 'mitternacht', 'minuit', 'medianoche', 'منتصف الليل'],
].map((words) => new Set(words.flatMap(wordsOf))) // prettier-ignore
const MORE_IN_WORDS = new Set(
  wordsOf(`zero twenty thirty forty fifty sixty hundred thousand dozen fiver tenner
  null zwanzig dreißig vierzig fünfzig hundert tausend dutzend vingt trente quarante cinquante cent mille
  veinte treinta cuarenta cincuenta cien mil عشرين ثلاثين خمسين مئة مائة ألف`),
)

/** Whether a text has a number in words that the passages have neither in words nor in digits. */
function hasForeignWord(text: string, passages: string, known: ReadonlySet<string>): boolean {
  const words = wordsOf(text)
  const theirs = new Set(wordsOf(passages))
  const isKnown = (each: string) => theirs.has(each)
  return (
    words.some((word) => MORE_IN_WORDS.has(word) && !isKnown(word)) ||
    IN_WORDS.some(
      (same, at) => words.some((word) => same.has(word)) && !known.has(String(at + 2)) && ![...same].some(isKnown),
    )
  )
}

/** Whether a text has a number, price, date, time, share or code that none of the passages has. */
export function hasForeignNumber(said: string, passages: readonly string[]): boolean {
  const text = asWritten(said)
  const all = asWritten(passages.join('\n'))
  const known = new Set(numbersIn(all).flatMap((each) => [each, plain(each)]))
  const isKnownShare = !SHARE_IN_WORDS.test(text) || SHARE_IN_WORDS.test(all) || /[%٪]/u.test(all)
  if (!isKnownShare || (isSpelled(text) && !isSpelled(all) && pricesIn(text).length === 0)) return true
  if (hasForeignWord(text, all, known)) return true
  // A number of a passage is no price because the reply calls it one.
  const prices = new Set(pricesIn(all))
  return (
    pricesIn(text).some((price) => !prices.has(price)) ||
    numbersIn(text).some((number) => !known.has(number) && !known.has(plain(number)))
  )
}

const RANGE =
  /(?<!\d)(\d[\d.,:]*)(?:\s?(?:uhr|h|€))?\s*(?:[-–—]|to|until|till|bis|à|au|a|al|hasta|y|and|und|et|إلى|الى|حتى)\s*(\d[\d.,:]*)/giu

/** Whether a text has the two ends of a range in the opposite order than a passage, as in "from 18:00 to 8:00". */
export function turnsNumbers(said: string, passages: readonly string[]): boolean {
  const ranges = Array.from(
    asWritten(said).matchAll(RANGE),
    ([, from = '', to = '']) => [normal(from), normal(to)] as const,
  )
  return passages
    .map((passage) => numbersIn(asWritten(passage)).map(plain))
    .some((theirs) =>
      ranges.some(
        ([from, to]) =>
          from !== to && theirs.includes(from) && theirs.includes(to) && theirs.lastIndexOf(to) < theirs.indexOf(from),
      ),
    )
}

/** Words before a number that make it the least or the most, and the units of time after it. */
const BEFORE = {
  least:
    /(?:from|over|above|more than|at least|since|ab|über|mehr als|mindestens|à partir de|dès|plus de|desde|a partir de|más de|أكثر من|ابتداء من)$/iu,
  most: /(?:until|till|up to|under|below|less than|at most|within|bis|unter|höchstens|innerhalb von|jusqu'à|moins de|hasta|menos de|en menos de|حتى|أقل من|خلال)$/iu,
} as const
const AFTER = {
  minutes: /^(?:minutes?|minuten?|minutos?|دقائق|دقيقة)/iu,
  hours: /^(?:hours?|stunden?|heures? (?=avant|après)|horas?|ساعات|ساعة)/iu,
  days: /^(?:(?:working|business) )?(?:days?|tage?n?|werktage?n?|jours?|días?|أيام|يوما|يومًا|يوم)/iu,
  weeks: /^(?:weeks?|wochen?|semaines?|semanas?|أسابيع|أسبوع)/iu,
  months: /^(?:months?|monate?n?|mois|mes(?:es)?|أشهر|شهر)/iu,
  years: /^(?:years?|jahre?n?|ans?|années?|años?|سنوات|سنة)/iu,
} as const

/** What a price is for, behind the number and its currency. */
const EACH = {
  'each hour':
    /^\P{N}{0,12}?(?:(?:pro|per|an|par|por|al|la)\s(?:hour|stunde|heure|hora)|\/h|hourly|stündlich|للساعة)(?!\p{L})/iu,
  'each day':
    /^\P{N}{0,12}?(?:(?:pro|per|a|am|par|por|al|le)\s(?:day|tag|jour|día|giorno)|daily|täglich|لليوم|في اليوم|يوميا)(?!\p{L})/iu,
  'each night':
    /^\P{N}{0,12}?(?:(?:pro|per|a|par|por)\s(?:night|nacht|nuit|noche|notte)|nightly|لليلة|في الليلة)(?!\p{L})/iu,
  'each week':
    /^\P{N}{0,12}?(?:(?:pro|per|a|par|por|a la)\s(?:week|woche|semaine|semana|settimana)|weekly|wöchentlich|أسبوعيا|للأسبوع|في الأسبوع)(?!\p{L})/iu,
  'each month':
    /^\P{N}{0,12}?(?:(?:pro|per|a|im|par|por|al)\s(?:month|monat|mois|mes|mese)|monthly|monatlich|شهريا|للشهر|في الشهر)(?!\p{L})/iu,
  'each year':
    /^\P{N}{0,12}?(?:(?:pro|per|a|im|par|por|al)\s(?:year|jahr|an|año|anno)|yearly|annual|jährlich|سنويا|للسنة|في السنة)(?!\p{L})/iu,
} as const

/** Returns each number of a text with the words around it: "least" or "most", and a unit of time. */
function boundsIn(text: string): { number: string; kinds: string[] }[] {
  const kindsOf = (around: string, kinds: Readonly<Record<string, RegExp>>) =>
    Object.entries(kinds).flatMap(([kind, words]) => (words.test(around) ? [kind] : []))
  return Array.from(text.matchAll(/(?<![\p{L}\d])\d[\d.,:]*/gu), (found) => ({
    number: normal(found[0]),
    kinds: [
      ...kindsOf(text.slice(Math.max(0, found.index - 20), found.index).replace(/(?<![\s€$£])[\s€$£]+$/u, ''), BEFORE),
      ...kindsOf(text.slice(found.index + found[0].length, found.index + found[0].length + 24).trimStart(), AFTER),
      ...kindsOf(text.slice(found.index + found[0].length, found.index + found[0].length + 30), EACH),
    ],
  }))
}

const RIVALS: readonly (readonly string[])[] = [Object.keys(BEFORE), Object.keys(AFTER), Object.keys(EACH)]

/** Whether a text says "until 3" or "4 hours" where the passages say "from 3" or "4 days". */
export function rebindsNumber(said: string, passages: readonly string[]): boolean {
  const theirs = passages.flatMap((passage) => boundsIn(asWritten(passage)))
  return boundsIn(asWritten(said)).some(({ number, kinds }) =>
    RIVALS.some((rivals) => {
      const own = kinds.filter((kind) => rivals.includes(kind))
      const known = theirs
        .filter((each) => each.number === number)
        .map((each) => each.kinds.filter((kind) => rivals.includes(kind)))
      // A passage that binds the number in no way, or in the same, allows it.
      return (
        own.length > 0 &&
        known.length > 0 &&
        known.every((each) => each.length > 0 && !own.some((kind) => each.includes(kind)))
      )
    }),
  )
}

/** How many words before and after a number say what it counts. */
const NEAR = 4

/** Returns each number of a text with the words around it. */
export function numbersWithWords(said: string): { number: string; words: string[] }[] {
  const parts = asWritten(said).match(/[\p{L}\d][\p{L}\p{M}\d.,:/-]*/gu) ?? []
  return parts.flatMap((part, at) =>
    /^\d/.test(part)
      ? numbersIn(part).map((number) => ({
          number: plain(number),
          words: wordsOf(parts.slice(Math.max(0, at - NEAR), at + NEAR + 1).join(' ')).filter(
            (word) => !/\d/.test(word),
          ),
        }))
      : [],
  )
}

/** Whether a passage has a number. */
export const hasNumber = (passage: string, number: string): boolean =>
  numbersIn(asWritten(passage)).map(plain).includes(number)
