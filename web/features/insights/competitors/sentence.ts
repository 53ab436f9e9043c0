import type { CompetitorComparison, Side } from '../../../../src/insights/competitors/api.ts'

/** With fewer posts, a median means little. */
export const FEW_POSTS = 5

export const isKnown = ({ interactions, posts }: Pick<Side, 'interactions' | 'posts'>): boolean =>
  interactions !== null && posts >= FEW_POSTS

/** The rank of our account among all with enough posts, 1 being the best; null if it cannot be determined. */
export function placeOf({ ours, theirs }: CompetitorComparison): { place: number; of: number } | null {
  const others = theirs.filter(isKnown)
  if (!isKnown(ours) || others.length === 0) return null
  const better = others.filter(({ interactions }) => interactions! > ours.interactions!).length
  return { place: better + 1, of: others.length + 1 }
}

/** Sorts by interactions, highest first. Accounts with too few posts come last. */
export const inOrder = ({ ours, theirs }: CompetitorComparison): Side[] =>
  [ours, ...theirs].toSorted(
    (a, b) => Number(isKnown(b)) - Number(isKnown(a)) || (b.interactions ?? -1) - (a.interactions ?? -1),
  )
