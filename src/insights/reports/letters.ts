import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import { fill } from '../../core/texts/fill.ts'
import { lettersFor } from '../../core/texts/letters.ts'
import type { AnalyticsOverview } from '../analytics/api.ts'
import type { ReportFigures } from './api.ts'

interface Told {
  workspace: string
  name: string
  note: string
  from: string
  to: string
  figures: ReportFigures
}

type Words = ReturnType<typeof lettersFor>['words']

const noon = (day: string) => new Date(`${day}T12:00Z`)

/**
 * Composes the monthly mail of a report in the reader's language: the key figures in words, what they are based on, and
 * the link to the snapshot.
 */
export function reportLetter(
  reader: { name: string; language: string },
  { workspace, name, note, from, figures }: Told,
  { url, endsAt, timezone }: { url: string; endsAt: Date; timezone: string },
): Letter {
  const { words, language, hello } = lettersFor(reader)
  const locale = `${language}-u-nu-latn`
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: timezone })
  const count = figures.posts && new Intl.NumberFormat(locale).format(figures.posts.count)
  return writeLetter({
    language,
    subject: fill(words.reportSubject, { name, workspace }),
    before: [
      hello,
      fill(words.report, { name, workspace, month: month.format(noon(from)) }),
      ...(figures.overview
        ? [...keyFigures(figures.overview, words, locale), ...basisOf(figures.overview, words, { locale, timezone })]
        : []),
      ...(count === null ? [] : [fill(words.reportPosts, { count })]),
      ...(note ? [note] : []),
    ],
    button: { label: words.reportButton, url },
    after: [fill(words.reportEnd, { until: date.format(endsAt) })],
  })
}

const KEY_FIGURES = ['impressions', 'engagement', 'rate', 'followers'] as const

/**
 * Returns one line for each key figure. The line of the rate names its divisor, and a figure that lacks days says so.
 */
function keyFigures({ totals, days, byAccount }: AnalyticsOverview, words: Words, locale: string): string[] {
  const number = new Intl.NumberFormat(locale)
  const share = shareIn(locale)
  return KEY_FIGURES.map((key) => {
    const { value, days: known } = totals[key]
    const parts = byAccount.filter(
      (account) =>
        account.totals[key].days > 0 && (key !== 'rate' || account.totals.rate.divisor === totals.rate.divisor),
    )
    // Followers are counted on the last day.
    const isWhole = key === 'followers' || value === null || parts.every((account) => account.totals[key].days === days)
    return fill(isWhole ? words.reportFigure : parts.length > 1 ? words.reportPartly : words.reportSomeDays, {
      figure: key === 'rate' ? words.reportRates[totals.rate.divisor] : words.reportFigures[key],
      value: value === null ? words.reportUnknown : (key === 'rate' ? share : number).format(value),
      known: number.format(known),
      days: number.format(days),
    })
  })
}

/** Returns one line that says how much is known, when it was read, and which days may still change. */
function basisOf(
  { basis: { coverage, readAt, provisionalDays } }: AnalyticsOverview,
  words: Words,
  { locale, timezone }: { locale: string; timezone: string },
): string[] {
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: timezone })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  const days = new Intl.ListFormat(locale).format(provisionalDays.map((one) => day.format(noon(one))))
  const parts = [
    ...(coverage === null ? [] : [fill(words.reportKnown, { share: shareIn(locale).format(coverage) })]),
    ...(readAt === null ? [] : [fill(words.reportRead, { time: time.format(new Date(readAt)) })]),
    ...(days === '' ? [] : [fill(words.reportMayChange, { days })]),
  ]
  return parts.length === 0 ? [] : [parts.join(' ')]
}

const shareIn = (locale: string) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
