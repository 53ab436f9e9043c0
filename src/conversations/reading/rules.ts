import type { CountedPost } from '../../networks/network.ts'
import type { CountedRise } from '../threads/inbound.ts'

/** The comment count of each post, by the network's id. */
export type Counts = Readonly<Record<string, number>>

/**
 * Returns the posts with more comments than at the last reading. A post that is new had none. At the first reading
 * nothing has risen, because older comments are not imported.
 */
export const risenSince = (last: Counts | null, posts: readonly CountedPost[]): CountedRise[] =>
  last === null
    ? []
    : posts.flatMap((post) => {
        const before = last[post.id] ?? 0
        return post.comments > before ? [{ ...post, before }] : []
      })

/**
 * Returns the counts that the next reading compares with. If the list was not read to its end, the other posts keep
 * their counts.
 */
export const countsAfter = (last: Counts | null, posts: readonly CountedPost[], isWhole: boolean): Counts => ({
  ...(isWhole ? {} : last),
  ...Object.fromEntries(posts.map(({ id, comments }) => [id, comments])),
})

/**
 * The maximum share of the hourly calls that one reading uses, and the minimum number of calls it needs to make
 * progress.
 */
const SHARE = 0.1
const LEAST_CALLS = 5

/** Returns the number of calls for one reading out of a network's hourly limit, or null if there is no limit. */
export const callsOf = (hourly: number | null): number | null =>
  hourly === null ? null : Math.max(LEAST_CALLS, Math.floor(hourly * SHARE))
