import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import { fill } from '../../core/texts/fill.ts'
import { lettersFor } from '../../core/texts/letters.ts'
import type { ReportFigures } from './api.ts'

interface Told {
  workspace: string
  name: string
  note: string
  from: string
  to: string
  figures: ReportFigures
}

const KEY_FIGURES = ['impressions', 'engagement', 'rate', 'followers'] as const

/** The monthly mail of a report: its key figures in words, in the reader's language, and the link to its snapshot. */
export function reportLetter(
  reader: { name: string; language: string },
  { workspace, name, note, from, figures }: Told,
  { url, endsAt, timezone }: { url: string; endsAt: Date; timezone: string },
): Letter {
  const { words, language, hello } = lettersFor(reader)
  const locale = `${language}-u-nu-latn`
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: timezone })
  const number = new Intl.NumberFormat(locale)
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const valueOf = (figure: (typeof KEY_FIGURES)[number]) => {
    const value = figures.overview?.totals[figure].value ?? null
    if (value === null) return words.reportUnknown
    return figure === 'rate' ? share.format(value) : number.format(value)
  }
  return writeLetter({
    language,
    subject: fill(words.reportSubject, { name, workspace }),
    before: [
      hello,
      fill(words.report, { name, workspace, month: month.format(new Date(`${from}T12:00Z`)) }),
      ...(figures.overview
        ? KEY_FIGURES.map((figure) =>
            fill(words.reportFigure, { figure: words.reportFigures[figure], value: valueOf(figure) }),
          )
        : []),
      ...(figures.posts ? [fill(words.reportPosts, { count: number.format(figures.posts.count) })] : []),
      ...(note ? [note] : []),
    ],
    button: { label: words.reportButton, url },
    after: [fill(words.reportEnd, { until: date.format(endsAt) })],
  })
}
