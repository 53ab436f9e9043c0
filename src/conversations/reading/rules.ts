import type { CountedPost } from '../../networks/network.ts'

/** The comments of each post, by the network's id. */
export type Counts = Readonly<Record<string, number>>

export interface Risen extends CountedPost {
  /** The number of the reading before. */
  before: number
}

/**
 * The posts with more comments than at the last reading. A post that was not there had none. Nothing has risen at the first
 * reading: what was written before is not taken in.
 */
export const risenSince = (last: Counts | null, posts: readonly CountedPost[]): Risen[] =>
  last === null
    ? []
    : posts.flatMap((post) => {
        const before = last[post.id] ?? 0
        return post.comments > before ? [{ ...post, before }] : []
      })

/** What the next reading compares with. A list that was not read to its end leaves the numbers of the other posts. */
export const countsAfter = (last: Counts | null, posts: readonly CountedPost[], isWhole: boolean): Counts => ({
  ...(isWhole ? {} : last),
  ...Object.fromEntries(posts.map(({ id, comments }) => [id, comments])),
})

/** The part of the calls of an hour that one reading takes at most, and the least that one needs to get on. */
const SHARE = 0.1
const LEAST_CALLS = 5

/** The calls of one reading, of those that a network allows in an hour; null where it counts none. */
export const callsOf = (hourly: number | null): number | null =>
  hourly === null ? null : Math.max(LEAST_CALLS, Math.floor(hourly * SHARE))
