import type { NetworkError } from './answers.ts'
import type { AccountMetric, Metric } from './api.ts'
import type { ContentKind } from './facts.ts'
import type { Reservation } from './reservation.ts'

// The figures that networks report for live posts and for accounts.

/** Null if the network reports no value, which is not the same as 0. */
export type MetricValues = Record<Metric, number | null>

/** Returns a figure in the form that is stored: an exact whole number, else null. */
export const wholeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null

/**
 * Returns the name of a metric for one kind of post, or for accounts. A network may support a name for one kind and
 * refuse it for another.
 */
export const nameOfKind = (kind: ContentKind | 'account', name: string): string => `${kind}/${name}`

export interface AskedPost {
  id: string
  kind: ContentKind
  publishedAt: Date
  /** The number of newer live posts of the account. */
  place: number
}

export interface MetricsAsk {
  /** Newest first. */
  posts: readonly AskedPost[]
  /** Names of metrics that the network no longer supports, each for one kind of post: see `nameOfKind`. */
  gone: ReadonlySet<string>
  /** Whether the account granted the permission for figures. Without it, only public counts are requested. */
  isGranted: boolean
  /** Extra calls, beyond the cost, to find out which names the network refuses. */
  spare: number
}

export interface MetricsPlace {
  account: { externalId: string; accessToken: string }
  reservation: Reservation
}

export interface PostReading {
  id: string
  /** Null if the network does not report it. */
  kind: ContentKind | null
  values: MetricValues
  /** The network has no figures of the post, which is older than the professional account. */
  unmeasurable: boolean
}

export interface PostsRead {
  /** Includes posts that a list returned along with others. */
  readings: PostReading[]
  /** Posts that the network does not have. */
  missing: string[]
  /** Posts whose figures the network refuses. */
  refused: string[]
  /** Names of metrics that the network no longer supports, each for one kind of post. */
  gone: string[]
  /** The error that ended the reading early. */
  error: NetworkError | null
}

/** A live post in a list, made here or elsewhere. */
export interface FoundPost extends Omit<PostReading, 'unmeasurable'> {
  text: string
  permalink: string | null
  publishedAt: Date
  /** Whether this application made the post; null if the network does not report it. */
  isOurs: boolean | null
}

export interface ListAsk extends Omit<MetricsAsk, 'posts'> {
  gone: Set<string>
  after: string | null
}

/** A page of the live posts of an account, newest first. */
export interface FoundPage {
  posts: FoundPost[]
  /** The cursor of older posts, if there are any. */
  after: string | null
}

/** A day in the network's own time zone, such as `2026-11-25`. */
export type NetworkDay = string

export interface AccountAsk extends Omit<MetricsAsk, 'posts'> {
  /** The first day. */
  from: NetworkDay
  /** The day after the last one. */
  to: NetworkDay
  /** The days for which to read the values that need a call for each day. */
  singleDays: readonly NetworkDay[]
}

export interface AccountDay {
  day: NetworkDay
  /** Without the metrics that the network did not report for this day. */
  values: Partial<Record<AccountMetric, number | null>>
}

export interface AccountRead {
  days: AccountDay[]
  /** The current number of followers, if the network reports only that. */
  followers: number | null
  /** Names of metrics that the network no longer supports for accounts: see `nameOfKind`. */
  gone: string[]
  /** Whether the network refused a part of the reading. */
  isRefused: boolean
  /** The error that ended the reading early. */
  error: NetworkError | null
}

/** Reads the figures of an account by day. */
export interface AccountFigures {
  /** The network's own days; null if it has none and reports only current values. */
  readonly days: { at(time: Date): NetworkDay; startOf(day: NetworkDay): Date } | null
  /** The metrics that the network reports by day. */
  readonly metrics: readonly AccountMetric[]
  /** Those `metrics` that need a call for each day. */
  readonly singles: readonly AccountMetric[]
  /** The metrics that the network reports only as current values. */
  readonly present: readonly AccountMetric[]
  /** The maximum number of calls that `read` makes, without the spare ones. */
  cost(ask: AccountAsk): number
  /**
   * Reads the available figures. An error that affects all days ends the reading, and returns what it has read so far.
   */
  read(place: MetricsPlace, ask: AccountAsk): Promise<AccountRead>
}

/** Reads the figures of an account and of its live posts. */
export interface Metrics {
  /** The version of the network's API. Names of metrics end with a version. */
  readonly version: string
  /** The permission for reading figures. */
  readonly scope: string
  /** The maximum number of calls that `posts` makes, without the spare ones. */
  cost(ask: MetricsAsk): number
  /**
   * Reads the available figures. An error that affects all posts ends the reading, and returns what it has read so far.
   */
  posts(place: MetricsPlace, ask: MetricsAsk): Promise<PostsRead>
  /** The maximum number of calls that `list` makes, without the spare ones. */
  readonly listCost: number
  /**
   * Returns a page of all live posts with their figures. Adds newly unsupported names to `gone`, and throws the
   * network's error.
   */
  list(place: MetricsPlace, ask: ListAsk): Promise<FoundPage>
  readonly account: AccountFigures
}
