import { medianOf } from '../predictions/rules.ts'

// How two accounts compare. Pure.

export interface CountedInteractions {
  likes: number | null
  comments: number | null
}

export interface Followed {
  followers: number | null
}

/** Returns the public likes and comments of a post, or null, never 0, if the account hides one of them. */
const interactionsOf = ({ likes, comments }: CountedInteractions): number | null =>
  likes === null || comments === null ? null : likes + comments

/**
 * Measures one side of a comparison. `days` has the readings of the account, oldest first. `interactions` is the median
 * per 1,000 followers, so that neither a single post nor the size of the account decides.
 */
export function measure(
  days: readonly Followed[],
  posts: readonly CountedInteractions[],
): { followers: number | null; followersChange: number | null; posts: number; interactions: number | null } {
  const told = days.flatMap(({ followers }) => (followers === null ? [] : [followers]))
  const [first] = told
  const followers = told.at(-1) ?? null
  const counted = posts.flatMap((post) => interactionsOf(post) ?? [])
  const median = medianOf(counted)
  return {
    followers,
    followersChange: first === undefined || followers === null || told.length < 2 ? null : followers - first,
    posts: counted.length,
    interactions: median === null || !followers ? null : (median / followers) * 1000,
  }
}

interface Seen {
  start: string
  end: string
  /** The time of the oldest post that was seen, or null if nothing was read. */
  seenFrom: string | null
  /** Whether all posts of the account were seen. */
  isWhole: boolean
}

/**
 * Returns the share of a period whose posts are known, because the network shows only the newest ones. Times are RFC
 * 3339 in UTC.
 */
export function coverageOf({ start, end, seenFrom, isWhole }: Seen): number {
  if (isWhole) return 1
  const [first, last] = [Date.parse(start), Date.parse(end)]
  if (seenFrom === null || last <= first) return 0
  return Math.min(1, Math.max(0, (last - Date.parse(seenFrom)) / (last - first)))
}
