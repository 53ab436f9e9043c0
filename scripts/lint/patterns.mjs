// Refuses regular expressions of the product that can take more than linear time. A text of many characters would stall
// the process, and everybody who uses it.
import scslre from 'scslre'
import { srcPath } from './paths.mjs'

export const linearPatterns = {
  create(context) {
    const file = srcPath(context.filename ?? context.getFilename())
    if (!/^(?:src|web)\//.test(file) || /\.test\.tsx?$/.test(file)) return {}
    return {
      Literal(node) {
        if (!node.regex) return
        const { pattern: source, flags } = node.regex
        const { reports } = scslre.analyse({ source, flags }, { reportTypes: { Move: true } })
        if (reports.length === 0) return
        context.report({
          node,
          message: reports.every(({ type }) => type === 'Move')
            ? 'each start of this pattern reads the same text again: let it begin after (?<!…) or at ^'
            : 'two parts of this pattern can take the same characters in many ways: leave one way',
        })
      },
    }
  },
}
