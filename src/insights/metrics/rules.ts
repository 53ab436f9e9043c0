import type { AccountMetric } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'

// When posts and accounts are read. Pure.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * The ages at which a post is read, in milliseconds. Its curve is steep at first, and a network keeps the figures of a
 * story for a day.
 */
const AGES = [
  15 * MINUTE,
  ...[1, 3, 6, 12, 24].map((hours) => hours * HOUR),
  ...[2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90].map((days) => days * DAY),
]
const STORY_AGES = [1, 3, 6, 12, 20, 23].map((hours) => hours * HOUR)

const agesOf = (kind: ContentKind) => (kind === 'story' ? STORY_AGES : AGES)

/** Readings within this time become one. */
export const TOGETHER = 10 * MINUTE
/**
 * By how many hours a reading may miss an age and still count for it, because posts that are due together are read
 * together.
 */
export const EARLY_HOURS = TOGETHER / HOUR
/**
 * From this age on, readings of a post are far apart. They wait up to `LONGEST_LATE` for the reading of the account, so
 * that one list returns several posts.
 */
export const LATER = 7 * DAY
const LONGEST_LATE = 22 * HOUR

/** From this age on, a post is no longer read. */
export const LAST_AGE = 90 * DAY
/** The first search of an account's posts goes back to `LAST_AGE`, or to about this many posts. */
export const MOST_FOUND = 200

/** Returns the next reading of a post that was read at `after`, or that is new. Returns null after the last one. */
export function nextReading(post: { kind: ContentKind; publishedAt: Date }, after: Date | null): Date | null {
  const age = after === null ? -Infinity : after.getTime() - post.publishedAt.getTime()
  const next = agesOf(post.kind).find((each) => each > age + TOGETHER)
  if (next === undefined) return null
  const at = new Date(post.publishedAt.getTime() + next)
  const withDays = nextDays(new Date(at.getTime() - 1))
  // A reading within a day after an age counts for it.
  return next > LATER && withDays.getTime() - at.getTime() <= LONGEST_LATE ? withDays : at
}

/** The longest wait after consecutive failures. */
const LONGEST_WAIT = 6 * HOUR

/** Returns how long an account waits after consecutive failures, or as long as the network says, but at most a day. */
export const retryAfter = (failures: number, told = 0): number =>
  Math.max(Math.min(told, DAY), Math.min(2 ** Math.min(failures, 10) * 5 * MINUTE, LONGEST_WAIT))

/** The maximum share of the hourly calls that one reading uses. */
const SHARE = 0.15

/**
 * The share of the hourly calls that readings of figures may use. `RESERVED_ABOVE` in src/delivery/rules.ts leaves it
 * to them.
 */
const LEFT = 0.4
export const leftOf = (hourly: number) => hourly - Math.ceil(hourly * (1 - LEFT))

/** Returns the number of calls for one reading out of a network's hourly limit, or null if there is no limit. */
export const callsOf = (hourly: number | null): number | null =>
  hourly === null ? null : Math.min(Math.max(10, Math.floor(hourly * SHARE)), leftOf(hourly))

/** How many calls it may take to find the name that a network refuses: a few halvings of a list of names. */
const SPARE = 7
/** The maximum number of calls for a day of an account. */
const DAY_CALLS = 7

/**
 * Returns the spare calls of one reading. There are fewer if the hourly limit is low, so that the reading fits in at
 * all.
 */
export const spareOf = (hourly: number | null): number =>
  hourly === null ? SPARE : Math.max(0, Math.min(SPARE, leftOf(hourly) - DAY_CALLS))

/** How often the posts of an account are listed. */
export const SEARCHED_EVERY = DAY
/** How long a first search waits that had no calls, or got no answer. */
export const SEARCHED_AGAIN = HOUR

/** Whether it is time to list the posts of an account. */
export const isSearchDue = (foundAt: Date | null, now: Date): boolean =>
  foundAt === null || now.getTime() - foundAt.getTime() >= SEARCHED_EVERY - TOGETHER

/** The hour in UTC at which the days of accounts are read. */
const DAYS_READ_AT = 9 * HOUR
/**
 * How many days the first reading requests, and how many each later one requests again, because networks report days
 * late and correct them.
 */
export const FIRST_DAYS = 90
export const DAYS_AGAIN = 3

const lastDaysTime = (now: Date) => new Date(Math.floor((now.getTime() - DAYS_READ_AT) / DAY) * DAY + DAYS_READ_AT)

/** Whether it is time to read the days of an account that were last read at `daysAt`. */
export const areDaysDue = (daysAt: Date | null, now: Date): boolean => daysAt === null || daysAt < lastDaysTime(now)

/** Returns the first time after `after` at which the days of an account are read. */
export const nextDays = (after: Date): Date => new Date(lastDaysTime(after).getTime() + DAY)

/** How often a person may have an account read. */
export const BY_HAND_EVERY = 15 * MINUTE

// ---- gaps

/**
 * `not_read`: it was not requested while the network reported it. `not_told`: the network answered without it.
 * `network_error`: the network refused or failed.
 */
type GapReason = 'not_read' | 'not_told' | 'network_error'

interface Missing {
  day: string
  metric: AccountMetric
}

/** A metric that is missing on a day, and how often it was requested again. */
export interface AccountGap extends Missing {
  reason: GapReason
  tries: number
}

/** How often a missing metric is requested again. */
const TRIES = 3
/** How long gaps are kept: as long as the longest period of figures. */
const GAPS_KEPT = 366 * DAY

const keyOf = ({ day, metric }: Missing) => `${day} ${metric}`

/** Returns what is missing and should be requested again. */
export function repairable(missing: readonly Missing[], gaps: readonly AccountGap[]): Missing[] {
  const known = new Map(gaps.map((gap) => [keyOf(gap), gap]))
  return missing.filter((each) => {
    const gap = known.get(keyOf(each))
    return !gap || (gap.reason !== 'not_read' && gap.tries < TRIES)
  })
}

/** Returns the gaps after a reading. `missing` is what is still missing from the days since `since`. */
export function gapsAfter(
  before: readonly AccountGap[],
  missing: readonly Missing[],
  reading: { since: string; wasAsked(each: Missing): boolean; reason: GapReason; counts: boolean },
): AccountGap[] {
  const known = new Map(before.map((gap) => [keyOf(gap), gap]))
  const oldest = new Date(Date.parse(reading.since) - GAPS_KEPT).toISOString().slice(0, 10)
  const older = before.filter(({ day }) => day < reading.since && day >= oldest)
  const recent = missing.map(({ day, metric }): AccountGap => {
    const gap = known.get(keyOf({ day, metric }))
    if (!reading.wasAsked({ day, metric })) return gap ?? { day, metric, reason: 'not_read', tries: 0 }
    const tries = gap && reading.counts ? Math.min(gap.tries + 1, TRIES) : (gap?.tries ?? 0)
    return { day, metric, reason: reading.reason, tries }
  })
  return [...older, ...recent]
}
