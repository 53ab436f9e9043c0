import type { AccountMetric } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'

// When posts and accounts are read. Pure.

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
export const TOGETHER = 10 * MINUTE
/** A reading counts for an age that it misses by so many hours: posts that are due together are read together. */
export const EARLY_HOURS = TOGETHER / HOUR
/** From this age on, the readings of a post are far apart, and wait for those of its account so long, so that a list tells several. */
export const LATER = 7 * DAY
const LONGEST_LATE = 22 * HOUR

/** The age from which on a post is not read any more. */
export const LAST_AGE = 90 * DAY

/** The next reading of a post that was read at `after`, or is new; null after the last one. */
export function nextReading(post: { kind: ContentKind; publishedAt: Date }, after: Date | null): Date | null {
  const age = after === null ? -Infinity : after.getTime() - post.publishedAt.getTime()
  const next = agesOf(post.kind).find((each) => each > age + TOGETHER)
  if (next === undefined) return null
  const at = new Date(post.publishedAt.getTime() + next)
  const withDays = nextDays(new Date(at.getTime() - 1))
  // A reading counts for an age within a day after it.
  return next > LATER && withDays.getTime() - at.getTime() <= LONGEST_LATE ? withDays : at
}

/** The longest wait after failures in a row. */
const LONGEST_WAIT = 6 * HOUR

/** How long an account waits after so many failures in a row, or as long as the network says, a day at most. */
export const retryAfter = (failures: number, told = 0): number =>
  Math.max(Math.min(told, DAY), Math.min(2 ** Math.min(failures, 10) * 5 * MINUTE, LONGEST_WAIT))

/** The part of the calls of an hour that one reading takes at most. */
const SHARE = 0.15

/** The part of an hour's calls that readings of figures may use: RESERVED_ABOVE in src/delivery/rules.ts leaves it to them. */
const LEFT = 0.4
export const leftOf = (hourly: number) => hourly - Math.ceil(hourly * (1 - LEFT))

/** The calls of one reading, of those that a network allows in an hour; null where it counts none. */
export const callsOf = (hourly: number | null): number | null =>
  hourly === null ? null : Math.min(Math.max(10, Math.floor(hourly * SHARE)), leftOf(hourly))

/** Calls that find out which name a network refuses: some halvings of a list of names. */
const SPARE = 7
/** A day of an account takes so many calls at most. */
const DAY_CALLS = 7

/** The spare calls of one reading: fewer where the hour has few calls, so that it can be made at all. */
export const spareOf = (hourly: number | null): number =>
  hourly === null ? SPARE : Math.max(0, Math.min(SPARE, leftOf(hourly) - DAY_CALLS))

/** The posts of an account are listed each day. */
export const SEARCHED_EVERY = DAY
/** A first search without calls, or without an answer, is tried again after this time. */
export const SEARCHED_AGAIN = HOUR

/** Whether it is time to list the posts of an account. */
export const isSearchDue = (foundAt: Date | null, now: Date): boolean =>
  foundAt === null || now.getTime() - foundAt.getTime() >= SEARCHED_EVERY - TOGETHER

/** The days of an account are read each day at this hour, by UTC. */
const DAYS_READ_AT = 9 * HOUR
/** Days that a first reading asks for, and that each later one asks for again: networks tell a day late, and correct it. */
export const FIRST_DAYS = 90
export const DAYS_AGAIN = 3

const lastDaysTime = (now: Date) => new Date(Math.floor((now.getTime() - DAYS_READ_AT) / DAY) * DAY + DAYS_READ_AT)

/** Whether it is time to read the days of an account that were last read then. */
export const areDaysDue = (daysAt: Date | null, now: Date): boolean => daysAt === null || daysAt < lastDaysTime(now)

/** The first time after this one at which the days of an account are read. */
export const nextDays = (after: Date): Date => new Date(lastDaysTime(after).getTime() + DAY)

/** A person may have an account read so often. */
export const BY_HAND_EVERY = 15 * MINUTE

// ---- gaps

/**
 * `not_read`: nobody asked for it while the network told it. `not_told`: the network answered without it. `network_error`: it
 * refused, or failed.
 */
type GapReason = 'not_read' | 'not_told' | 'network_error'

interface Missing {
  day: string
  metric: AccountMetric
}

/** A metric that is missing of a day, and how often it was asked for again. */
export interface AccountGap extends Missing {
  reason: GapReason
  tries: number
}

/** A missing metric is asked for again so often. */
const TRIES = 3
/** Gaps are kept as long as a period of figures may be. */
const GAPS_KEPT = 366 * DAY

const keyOf = ({ day, metric }: Missing) => `${day} ${metric}`

/** What is missing that is to be asked for again. */
export function repairable(missing: readonly Missing[], gaps: readonly AccountGap[]): Missing[] {
  const known = new Map(gaps.map((gap) => [keyOf(gap), gap]))
  return missing.filter((each) => {
    const gap = known.get(keyOf(each))
    return !gap || (gap.reason !== 'not_read' && gap.tries < TRIES)
  })
}

/** The gaps after a reading: `missing` is what is still missing of the days from `since` on. */
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
