// Prints each paragraph of the documentation that has more than five sentences or a word that plain English avoids, and
// fails if there is one. The records of decisions count too. List items and table cells count as separate paragraphs. Run by `npm run check`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BANNED } from './banned.mjs'
import { root } from './paths.mjs'

const MOST = 5
const PAGES = /^(?:README|ARCHITECTURE|CONTRIBUTING|CHANGELOG|docs\/(?!failures)[\w-]+|docs\/adr\/[\w-]+)\.md$/
const FENCED = /^\s*```.*?^\s*```/gms
const BETWEEN_PARAGRAPHS = /\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s|#|\|)| \| /
const LIST_MARKER = /^\s*(?:[-*]|\d+\.)\s+/
/**
 * The end of a sentence, including closing quotes and brackets, before whitespace without a lower-case letter after it.
 */
const SENTENCE_END = /[.!?]["'”’)\]*_`]*(?=\s+[^a-z\s]|\s*$)/g

const pages = ['', 'docs/', 'docs/adr/'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => folder + name),
)
for (const page of pages.filter((path) => PAGES.test(path))) {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(FENCED, '')
  for (const paragraph of text.split(BETWEEN_PARAGRAPHS).map((each) => each.replace(LIST_MARKER, '').trim())) {
    for (const [found] of paragraph.matchAll(BANNED)) {
      console.error(`${page}: "${found}": say it in plain English: ${paragraph.slice(0, 60)}…`)
      process.exitCode = 1
    }
    const sentences = paragraph.match(SENTENCE_END)?.length ?? 0
    if (sentences > MOST) {
      console.error(`${page}: ${sentences} sentences, at most ${MOST}: ${paragraph.slice(0, 60)}…`)
      process.exitCode = 1
    }
  }
}
