import { termsIn, wordsOf } from '../../assistant/ai/words/rules.ts'
import { COMMON } from './common-words.ts'

// Days that a reply names: weekdays, months, today and tomorrow, in the words of most languages.

const LANGUAGES = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'tr', 'pl', 'ru', 'uk', 'fa', 'he', 'sv', 'ro', 'cs']

/** The words of each day, in all languages. */
let read: readonly { isInWeek: boolean; words: readonly string[] }[] | undefined
let all: readonly string[] | undefined

function daysOf() {
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

/** What says that something holds on each day. */
const DAILY = ['every day', 'daily', 'each day', 'all week', 'seven days a week', 'jeden tag', 'täglich', 'alle tage', 'tous les jours',
  'chaque jour', 'todos los días', 'cada día', 'a diario', 'كل يوم', 'يوميا', 'tutti i giorni', 'ogni giorno', 'todos os dias',
  'elke dag', 'dagelijks', 'her gün', 'codziennie', 'каждый день', 'ежедневно'] // prettier-ignore

/** Whether a text names a day that the passages do not name, in any language. "Every day" names today and all weekdays. */
export function hasForeignDay(text: string, passages: string): boolean {
  read ??= daysOf()
  all ??= read.flatMap(({ words }) => words)
  const found = new Set(termsIn(text, all))
  if (found.size === 0) return false
  const isDaily = termsIn(passages, DAILY).length > 0
  return read
    .filter(({ words }) => words.some((word) => found.has(word)))
    .some(({ isInWeek, words }) => !(isInWeek && isDaily) && termsIn(passages, words).length === 0)
}
