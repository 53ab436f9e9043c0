// Refuses words that make a sentence read like a translation, in comments and strings, and more of them in texts for
// people.
import { BANNED } from './banned.mjs'
import { srcPath } from './paths.mjs'

/** Texts for people use other words for these: the glossary of the screens has one word for each meaning. */
const BANNED_ON_SCREENS = /\b(?:somebody|meanwhile|at once|any more|e-mail|cannot|rendition|delivery)\b/gi
const TEXTS = /^(?:web\/locales\/|src\/core\/(?:texts\/|errors\.ts))/

export const plainWords = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (file === 'scripts/lint/banned.mjs' || file === 'test/lint.test.ts') return {}
    const check = (node, text, banned = [BANNED]) => {
      for (const [found] of banned.flatMap((words) => [...text.matchAll(words)])) {
        context.report({ node, message: `"${found}": say it in plain English (CONTRIBUTING.md)` })
      }
    }
    const ofStrings = TEXTS.test(file) ? [BANNED, BANNED_ON_SCREENS] : [BANNED]
    return {
      Program() {
        for (const paragraph of paragraphsOf((context.sourceCode ?? context.getSourceCode()).getAllComments())) {
          check(paragraph.node, paragraph.text)
        }
      },
      TemplateElement: (node) => check(node, node.value.raw),
      Literal(node) {
        if (typeof node.value === 'string') check(node, node.value, ofStrings)
      },
      JSXText: (node) => check(node, node.value),
    }
  },
}

/** Returns comments as running text: consecutive line comments are joined, and leading asterisks are removed. */
function paragraphsOf(comments) {
  const paragraphs = []
  for (const comment of comments) {
    const text = comment.value.replaceAll(/\s*\n\s*\*?\s*/g, ' ')
    const before = paragraphs.at(-1)
    const follows = comment.type === 'Line' && before?.node.type === 'Line' && before.end + 1 === comment.loc.start.line
    if (follows) before.text += ` ${text.trim()}`
    else paragraphs.push({ node: comment, text, end: 0 })
    paragraphs.at(-1).end = comment.loc.end.line
  }
  return paragraphs
}
