import { NO_TEXTS } from './rules.ts'

/** An object as JSON has it. */
export type Json = Record<string, unknown>

/**
 * Rows as JSON for a statement, without characters that the database refuses in a text: U+0000 and half a surrogate
 * pair. JSON escapes both, so one look at the whole shows whether any text may contain them.
 */
export function asJson(rows: object[]): string {
  const json = JSON.stringify(rows)
  if (!ESCAPED.test(json)) return json
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(NO_TEXTS, '') : value,
  )
}

const ESCAPED = /\\u(0000|d[89a-f])/
