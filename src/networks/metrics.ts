import type { AccountMetric, Metric } from './api.ts'
import type { ContentKind } from './facts.ts'
import type { NetworkError, Reservation } from './network.ts'

// What networks tell of live posts and of accounts, in numbers.

/** Null: the network tells none. That is never 0. */
export type MetricValues = Record<Metric, number | null>

/** A figure as it can be kept; null for anything but an exact whole number. */
export const wholeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null

/** The name of a metric for a kind of post, or for accounts. A network may take a name for one kind and refuse it for another. */
export const nameOfKind = (kind: ContentKind | 'account', name: string): string => `${kind}/${name}`

export interface AskedPost {
  id: string
  kind: ContentKind
  publishedAt: Date
  /** How many live posts of the account are newer. */
  place: number
}

export interface MetricsAsk {
  /** The newest first. */
  posts: readonly AskedPost[]
  /** Names of metrics that the network no longer takes, each for a kind of post: see `nameOfKind`. */
  gone: ReadonlySet<string>
  /** Whether the account granted the permission for figures. Without it only public counts are asked for. */
  isGranted: boolean
  /** Calls beyond the cost, to find out what the network refuses. */
  spare: number
}

export interface MetricsPlace {
  account: { externalId: string; accessToken: string }
  reservation: Reservation
}

export interface PostReading {
  id: string
  /** Where the network tells it. */
  kind: ContentKind | null
  values: MetricValues
  /** The network keeps no figures of it: it is older than the professional account. */
  unmeasurable: boolean
}

export interface PostsRead {
  /** Also of posts that a list brought along. */
  readings: PostReading[]
  /** Posts that the network does not have. */
  missing: string[]
  /** Posts whose figures the network refuses. */
  refused: string[]
  /** Names of metrics that the network no longer takes, each for a kind of post. */
  gone: string[]
  /** What ended the reading before its end. */
  error: NetworkError | null
}

/** A live post as a list shows it, made here or elsewhere. */
export interface FoundPost extends Omit<PostReading, 'unmeasurable'> {
  text: string
  permalink: string | null
  publishedAt: Date
  /** Whether this application made it; null where the network does not tell. */
  isOurs: boolean | null
}

export interface ListAsk extends Omit<MetricsAsk, 'posts'> {
  gone: Set<string>
  after: string | null
}

/** A page of the live posts of an account, the newest first. */
export interface FoundPage {
  posts: FoundPost[]
  /** Where older posts follow. */
  after: string | null
}

/** A day by the network's own label, `2026-11-25`. */
export type NetworkDay = string

export interface AccountAsk extends Omit<MetricsAsk, 'posts'> {
  /** The first day. */
  from: NetworkDay
  /** The day after the last one. */
  to: NetworkDay
  /** The days on which the values are read that take a call for each day. */
  singleDays: readonly NetworkDay[]
}

export interface AccountDay {
  day: NetworkDay
  /** A metric that was not told of this day is missing. */
  values: Partial<Record<AccountMetric, number | null>>
}

export interface AccountRead {
  days: AccountDay[]
  /** The followers right now, where the network tells them only so. */
  followers: number | null
  /** Names of metrics that the network no longer takes, each for accounts: see `nameOfKind`. */
  gone: string[]
  /** The network refused a part. */
  isRefused: boolean
  /** What ended the reading before its end. */
  error: NetworkError | null
}

/** Reading the figures of an account day by day. */
export interface AccountFigures {
  /** The network's own days; null where it has none, and tells only what is true right now. */
  readonly days: { at(time: Date): NetworkDay; startOf(day: NetworkDay): Date } | null
  /** The metrics that the network tells by day. */
  readonly metrics: readonly AccountMetric[]
  /** Those of them that take a call for each day. */
  readonly singles: readonly AccountMetric[]
  /** The metrics that the network tells only as they are right now. */
  readonly present: readonly AccountMetric[]
  /** Calls that `read` makes at most, without the spare ones. */
  cost(ask: AccountAsk): number
  /** Reads what there is. An error that concerns all days ends it, and what was read before is returned. */
  read(place: MetricsPlace, ask: AccountAsk): Promise<AccountRead>
}

/** Reading the figures of an account and of its live posts. */
export interface Metrics {
  /** The version of the network's interface: names of metrics die with one. */
  readonly version: string
  /** The permission for figures. */
  readonly scope: string
  /** Calls that `posts` makes at most, without the spare ones. */
  cost(ask: MetricsAsk): number
  /** Reads what there is. An error that concerns all posts ends it, and what was read before is returned. */
  posts(place: MetricsPlace, ask: MetricsAsk): Promise<PostsRead>
  /** Calls that `list` makes at most, without the spare ones. */
  readonly listCost: number
  /** A page of all live posts with their figures. Adds to the names that are gone, and throws the network's error. */
  list(place: MetricsPlace, ask: ListAsk): Promise<FoundPage>
  readonly account: AccountFigures
}
