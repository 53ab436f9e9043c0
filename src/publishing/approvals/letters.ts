import { writeLetter } from '../../core/platform/letter.ts'
import type { Letter } from '../../core/platform/mail.ts'
import { fill } from '../../core/texts/fill.ts'
import { lettersFor } from '../../core/texts/letters.ts'

/** Writes the letter with a review link, in the workspace's language. */
export function reviewLetter(
  workspace: { name: string; language: string; timezone: string },
  { by, posts, until }: { by: string; posts: number; until: Date },
  url: string,
): Letter {
  const { words, language, hello } = lettersFor({ language: workspace.language })
  const date = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { dateStyle: 'long', timeZone: workspace.timezone })
  return writeLetter({
    language,
    subject: fill(words.reviewSubject, { workspace: workspace.name }),
    before: [
      hello,
      fill(posts === 1 ? words.reviewOne : words.reviewSeveral, {
        by: by || workspace.name,
        workspace: workspace.name,
      }),
      words.reviewMay,
    ],
    button: { label: words.reviewButton, url },
    after: [fill(words.reviewEnd, { until: date.format(until) })],
  })
}
