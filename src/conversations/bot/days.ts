import { termsIn, wordsOf } from '../../assistant/ai/words/rules.ts'
import { COMMON } from './common-words.ts'

// Days that a reply names: weekdays, months, today and tomorrow, in the words of most languages.

const LANGUAGES = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'tr', 'pl', 'ru', 'uk', 'fa', 'he', 'sv', 'ro', 'cs']

/** Returns the words of each day in all languages: the weekdays from Monday, today, the months, and tomorrow. */
function daysOf(): { isInWeek: boolean; words: readonly string[] }[] {
  const names = (options: Intl.DateTimeFormatOptions, at: (place: number) => Date, count: number) =>
    Array.from({ length: count }, (_, place) =>
      LANGUAGES.map((code) => new Intl.DateTimeFormat(code, { ...options, timeZone: 'UTC' }).format(at(place))),
    )
  const weekdays = names({ weekday: 'long' }, (place) => new Date(Date.UTC(2026, 0, 5 + place)), 7)
  const months = names({ month: 'long' }, (place) => new Date(Date.UTC(2026, place, 15)), 12)
  const near = (days: number) =>
    LANGUAGES.map((code) => new Intl.RelativeTimeFormat(code, { numeric: 'auto' }).format(days, 'day'))
  // Without its article, the Arabic "today" is "day".
  const today = near(0).filter((word) => !word.startsWith('ال'))
  // "May" is more often a verb than a month.
  const own = (words: readonly string[]) => words.filter((word) => !wordsOf(word).every((each) => COMMON.has(each)))
  return [
    ...[...weekdays, today].map((words) => ({ isInWeek: true, words })),
    ...[...months.map(own), near(1)].map((words) => ({ isInWeek: false, words })),
  ]
}

/** Phrases that mean every day. */
const DAILY = ['every day', 'daily', 'each day', 'all week', 'seven days a week', 'jeden tag', 'täglich', 'alle tage', 'tous les jours',
  'chaque jour', 'todos los días', 'cada día', 'a diario', 'كل يوم', 'يوميا', 'tutti i giorni', 'ogni giorno', 'todos os dias',
  'elke dag', 'dagelijks', 'her gün', 'codziennie', 'каждый день', 'ежедневно'] // prettier-ignore
const UNTIL = '(?:[-–—]|to|till|through|thru|bis|à|au|a|al|hasta|até|إلى|الى|حتى)'

let days: ReturnType<typeof read> | undefined

function read() {
  const all = daysOf()
  const words = all.flatMap((each) => each.words)
  const weekdays = all.slice(0, 7).map((each) => each.words.map((word) => word.toLowerCase()))
  const names = weekdays.flat().join('|')
  return {
    all,
    words,
    parts: new Set(words.flatMap(wordsOf)),
    known: new Set(words.filter((word) => wordsOf(word).length === 1).flatMap(wordsOf)),
    weekdays,
    range: new RegExp(`(?<!\\p{L})(${names})s?\\s*${UNTIL}\\s*(${names})s?(?!\\p{L})`, 'giu'),
  }
}

/** Whether a word names a day or a month. */
export function isDay(word: string): boolean {
  const { known } = (days ??= read())
  return known.has(word) || (word.endsWith('s') && known.has(word.slice(0, -1)))
}

const ARABIC = /\p{Script=Arabic}/u
/** So many letters may be joined before an Arabic word. */
const JOINED = [1, 2, 3, 4] as const

/** Returns the places of the days that a text names. */
export function daysIn(text: string): Set<number> {
  const { all, words, parts } = (days ??= read())
  const mayBe = (word: string) =>
    parts.has(word) ||
    (word.endsWith('s') && parts.has(word.slice(0, -1))) ||
    (ARABIC.test(word) && JOINED.some((letters) => parts.has(word.slice(letters))))
  if (!wordsOf(text).some(mayBe)) return new Set()
  const found = new Set(termsIn(text, words))
  if (found.size === 0) return new Set()
  return new Set(all.flatMap((day, place) => (day.words.some((word) => found.has(word)) ? [place] : [])))
}

/** Returns the places in the week of the days that a text has between the ends of a range, as in "Monday to Friday". */
export function daysInRanges(text: string): Set<number> {
  const { weekdays, range } = (days ??= read())
  const placeOf = (name: string) => weekdays.findIndex((words) => words.includes(name.toLowerCase()))
  return new Set(
    Array.from(text.matchAll(range)).flatMap(([, from = '', until = '']) => {
      const [first, last] = [placeOf(from), placeOf(until)]
      // A rare letter that counts as the same in a pattern, such as "ſ", names no day.
      if (first < 0 || last < 0) return []
      return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, more) => (first + more) % 7)
    }),
  )
}

/**
 * Whether a text names a day that the passages do not name, in any language. "Every day" names today and all weekdays,
 * and "Monday to Friday" five of them.
 */
export function hasForeignDay(text: string, passages: string): boolean {
  const named = daysIn(text)
  if (named.size === 0) return false
  const { all } = (days ??= read())
  const known = new Set([...daysIn(passages), ...daysInRanges(passages)])
  const isDaily = termsIn(passages, DAILY).length > 0
  return [...named].some((day) => !known.has(day) && !(isDaily && all[day]?.isInWeek))
}
