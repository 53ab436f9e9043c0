/** Rows that are looked through in order before an index is asked: a word that many have fills a page from these. */
const MANY = 500
/** The first of them show how common a word is, so that a rare one is not looked for in all. */
const FEW = 100

/**
 * The rows of a page of a search, and one more, from the first rows of its list; undefined where an index finds them faster.
 * `among` finds rows in the first `most` of the list.
 */
export async function lookThrough<Row>(
  limit: number,
  among: (most: number) => Promise<readonly Row[]>,
): Promise<readonly Row[] | undefined> {
  let found = await among(FEW)
  // If the others have the word as often, they fill the page.
  if (found.length <= limit && found.length * (MANY / FEW) > limit) found = await among(MANY)
  return found.length > limit ? found : undefined
}
