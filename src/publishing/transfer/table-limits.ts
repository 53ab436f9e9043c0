import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { MOST_ROWS } from './api.ts'

// The limits of a table.

/**
 * The maximum number of filled lines including the heading, of lines including empty ones, of columns of a line, of
 * cells in all, and of characters of a cell. The longest caption fits into a cell, and 500 lines with every column fit
 * into a table.
 */
export const limits = { rows: MOST_ROWS + 1, lines: 1_000, columns: 200, cells: 50_000, characters: 120_000 } as const

/** The number of characters that are counted before other work gets a turn, after about a millisecond. */
const PIECE = 65_536

/**
 * Returns the limit that a table exceeds, if any. One pass that builds nothing and stops at the limit, since the parser
 * takes a hundred times as long. Yields to other work between pieces. A quotation mark within an unquoted cell, which
 * the parser refuses, may count as an opening one here.
 */
export async function excessOf(csv: string, delimiter: string): Promise<keyof typeof limits | undefined> {
  const counted = { rows: 0, lines: 1, columns: 1, cells: 1, characters: 0 }
  let quoted = false
  let filled = false
  for (let at = 0; at < csv.length; at += 1) {
    if (at > 0 && at % PIECE === 0) await yieldToOthers()
    const sign = csv[at]
    counted.characters += 1
    if (sign === '"') quoted = !quoted
    const ends = !quoted && (sign === '\n' || (sign === '\r' && csv[at + 1] !== '\n'))
    if (ends || (!quoted && sign === delimiter)) {
      counted.cells += 1
      counted.characters = 0
      counted.columns = ends ? 1 : counted.columns + 1
      if (ends) {
        counted.lines += 1
        filled = false
      }
      if (counted.columns > limits.columns) return 'columns'
      if (counted.lines > limits.lines) return 'lines'
      if (counted.cells > limits.cells) return 'cells'
    } else {
      if (counted.characters > limits.characters) return 'characters'
      if (filled || sign === '"' || sign === ' ' || sign === '\r' || sign === '\n' || sign === '\t') continue
      filled = true
      counted.rows += 1
      if (counted.rows > limits.rows) return 'rows'
    }
  }
  return undefined
}
