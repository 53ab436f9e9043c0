/**
 * Rows as JSON for a statement, without what the database refuses in a text: the character U+0000 and half a surrogate pair. JSON
 * has both escaped, so a look at the whole tells whether any text may have one.
 */
export function asJson(rows: object[]): string {
  const json = JSON.stringify(rows)
  if (!ESCAPED.test(json)) return json
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(NO_TEXTS, '') : value,
  )
}
const ESCAPED = /\\u(0000|d[89a-f])/
const NO_TEXTS = /[\0\p{Cs}]/gu
