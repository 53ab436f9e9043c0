import { sql } from '../../core/platform/db.ts'

/** How many rows are scanned in order before an index is used. A common word fills a page from these. */
const MANY = 500
/** How many of them are scanned first. They show how common a word is, so that a rare word does not scan them all. */
const FEW = 100

/**
 * Finds the rows of a search page, and one more: among the first rows of its list, or by an index if that is likely to
 * be faster. `among` finds matching rows in the first `most` of the list.
 */
export async function searchRows<Row>(
  limit: number,
  { among, byIndex }: { among: (most: number) => Promise<readonly Row[]>; byIndex: () => Promise<readonly Row[]> },
): Promise<readonly Row[]> {
  let found = await among(FEW)
  // If the word is as common in the other rows, they fill the page.
  if (found.length <= limit && found.length * (MANY / FEW) > limit) found = await among(MANY)
  return found.length > limit ? found : byIndex()
}

/** Returns the search query for words in names. The last word may be a prefix. */
export function nameWords(q: string) {
  const words = q.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return sql`to_tsquery('simple', ${words.map((word) => `'${word}'`).join(' & ') + (words.length > 0 ? ':*' : '')})`
}
