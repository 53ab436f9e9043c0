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

/** The times between which all posts of an account were seen. `from` is null if there is no earlier post. */
export interface SeenSpan {
  from: string | null
  to: string
}

interface Seen {
  start: string
  end: string
  seen: readonly SeenSpan[]
}

const DAY = 86_400_000
const startOf = ({ from }: SeenSpan) => (from === null ? -Infinity : Date.parse(from))

/**
 * Returns the share of a period whose posts are known, because the network shows only the newest ones, and only until
 * it was read. An account is read once a day, so the last 24 hours before `now` are not expected. Times are RFC 3339 in
 * UTC.
 */
export function coverageOf({ start, end, seen }: Seen, now: Date): number {
  const first = Date.parse(start)
  const last = Math.min(Date.parse(end), now.getTime() - DAY)
  if (last <= first) return seen.length > 0 ? 1 : 0
  let known = 0
  let until = first
  for (const span of seen.toSorted((a, b) => startOf(a) - startOf(b))) {
    const [from, to] = [Math.max(startOf(span), until), Math.min(Date.parse(span.to), last)]
    if (to <= from) continue
    known += to - from
    until = to
  }
  return Math.round((known / (last - first)) * 1_000) / 1_000
}

/** Returns the start of the known posts, or null if no earlier post of the period is unknown or nothing was seen. */
export function knownFromOf({ start, seen }: Pick<Seen, 'start' | 'seen'>): string | null {
  const from = seen.toSorted((a, b) => startOf(a) - startOf(b))[0]?.from ?? null
  return from !== null && Date.parse(from) > Date.parse(start) ? from : null
}
