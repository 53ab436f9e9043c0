import type { ContentKind } from '../../networks/facts.ts'

// When a post is read. Pure.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The ages at which a post is read, in milliseconds. Its curve is steep at first, and a network keeps the figures of a story for a day. */
const AGES = [
  15 * MINUTE,
  ...[1, 3, 6, 12, 24].map((hours) => hours * HOUR),
  ...[2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90].map((days) => days * DAY),
]
const STORY_AGES = [1, 3, 6, 12, 20, 23].map((hours) => hours * HOUR)

const agesOf = (kind: ContentKind) => (kind === 'story' ? STORY_AGES : AGES)

/** Readings within this time become one. */
const TOGETHER = 10 * MINUTE

/** The next reading of a post that was read at `after`, or is new; null after the last one. */
export function nextReading(post: { kind: ContentKind; publishedAt: Date }, after: Date | null): Date | null {
  const age = after === null ? -Infinity : after.getTime() - post.publishedAt.getTime() + TOGETHER
  const next = agesOf(post.kind).find((each) => each > age)
  return next === undefined ? null : new Date(post.publishedAt.getTime() + next)
}
