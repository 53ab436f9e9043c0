import type { RawBuilder } from 'kysely'
import type { Platform } from '../networks/api.ts'
import type {
  Accepted,
  Handles,
  Network,
  NetworkError,
  NotYet,
  Reservation,
  RemotePost,
  Since,
} from '../networks/network.ts'
import type { Query } from '../core/platform/db.ts'
import type { Log } from '../core/platform/log.ts'
import type { Scopes, Scope, Tx } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import type { DeliveryError, DeliveryKind, DeliveryState, ThreadDeliveryKind, WaitReason } from './api.ts'
import type { CallClass, Held, Verdict } from './rules.ts'

/** A delivery that this worker holds under its fence. `subject` is everything that its driver needs to compose it. */
export interface Claimed<Subject = unknown> {
  workspaceId: string
  id: string
  kind: DeliveryKind
  subjectId: string
  /** The delivery below which it lies. */
  afterId: string | null
  accountId: string
  state: 'PREPARING' | 'SUBMITTING'
  phase: 'commit' | 'confirm' | null
  fence: number
  tries: number
  failures: number
  backoffs: number
  dueAt: Date
  /** The reason for its wait until now. */
  waited: WaitReason | null
  intentAt: Date | null
  /** The intent of the earliest try: a live post may belong to it. */
  firstIntentAt: Date | null
  absentReads: number
  absentAt: Date | null
  lateReads: number
  lateReadAt: Date | null
  handles: Handles
  /** The hash of what the handles were made for. */
  composed: string | null
  /** The content that the latest try sent. */
  sent: Sent | null
  platform: Platform
  networkUser: string
  externalAccountId: string
  accessToken: string | null
  acceptedAt: Date | null
  unreadSince: Date | null
  /** The network's clock when its earliest try was about to be made. */
  networkAt: Date | null
  limitedUntil: Date | null
  /** It was UNCONFIRMED once: the network is read before it is sent again. */
  unproven: boolean
  subject: Subject
}

/** The content of a try, stored with the intent. Drivers add what they need to recognize it. */
export interface Sent {
  text: string
  media: string[]
}

/** The content to send. Equal content has an equal `hash`, so that handles can be used again. */
export interface ComposedDelivery<Content = unknown> {
  hash: string
  sent: Sent
  content: Content
}

/** The input of one call to a network: account, content, reservation, and the handles that prepare made so far. */
export interface Call<Content = unknown> {
  network: Network
  account: { externalId: string; accessToken: string }
  content: Content
  handles: Handles
  reservation: Reservation
  /** By our clock. */
  now: Date
}

/** The deliveries of one sequence, locked, as a settlement sees them. */
export interface Sibling {
  id: string
  state: DeliveryState
  position: number
  fence: number
  dropped: boolean
  nextAt: Date | null
  waitReason: string | null
  externalId: string | null
  /** It was UNCONFIRMED once. */
  unproven: boolean
  /** Why it failed. */
  code: string | null
  afterId: string | null
}

/** The effect of a settlement on its sequence. */
export interface Effects {
  /** The deliveries that are still open end as superseded. */
  closing: boolean
  /** Further statements of the settlement, each `name as (…)`; they may read `mine`, the delivery that was settled. */
  statements: RawBuilder<unknown>
}

/** Texts for people, when this service itself found out the outcome of a delivery. */
export interface Words {
  /** The service failed before it sent anything. */
  broke: string
  /** The network did not answer, and shows that it has nothing. */
  absent: string
  /** The network did not answer, and cannot be read. */
  unknown: Pick<DeliveryError, 'message' | 'fix' | 'retryable'>
}

/** Settles the most frequent end of a delivery together with others: see `settleLive`. */
export interface Bulk {
  /** SQL: which deliveries `t` may be. */
  only: RawBuilder<unknown>
  /** Further statements of the settlement; they read `mine`. */
  statements: RawBuilder<unknown>
}

/**
 * Everything that the delivery machine must know of one kind of delivery. main.ts gives the drivers to the machine, so that
 * delivery/ imports nothing of what it delivers. `Subject` is read with a claim, `Content` is given to a network, `Head` is the
 * owner of a sequence, such as the post.
 */
export interface Driver<Subject = unknown, Content = unknown, Head = unknown> {
  readonly kind: DeliveryKind
  readonly words: Words
  /** The class of its calls in the budget; default: `begin`. */
  calls?(row: Claimed<Subject>): CallClass
  /**
   * Decides once more in the transaction that writes the intent, and changes what changes with it. Undefined: this row needs no
   * guard. The verdict ends the delivery in place of its intent.
   */
  guard?(row: Claimed<Subject>): ((tx: Tx) => Promise<Verdict | null>) | undefined
  /** One that is proven absent is not sent again by itself, but fails: a person decides, who may have answered otherwise. */
  readonly sentOnce?: true
  /** SQL of one JSON value: the subject of the claimed row `c`, whose account is `a` and workspace `w`. Read within the claim. */
  subject(filesUrl: string): RawBuilder<unknown>

  /** The reason not to send it now, before any call is made: a wait or an end. Null when it may be sent. */
  stop(row: Claimed<Subject>, settings: Ports['settings'], now: Date): Verdict | null
  compose(row: Claimed<Subject>, storage: Ports['storage']): ComposedDelivery<Content>
  /** The content that the latest try sent, for reading it back. */
  recall(row: Claimed<Subject>, storage: Ports['storage']): Content

  /** Calls that preparing and committing make at most. */
  cost(call: Pick<Call<Content>, 'network' | 'content' | 'handles'>): number
  /** Calls that one `find` makes at most. */
  readCost(network: Network): number
  /** Everything before the irreversible call, repeatable. */
  prepare?(call: Call<Content>, save: (handles: Handles) => Promise<void>): Promise<NotYet | undefined>
  /** The one call that cannot be undone, never repeated by a client. */
  commit(call: Call<Content>): Promise<RemotePost | 'accepted' | Accepted>
  /** Everything at the network that may be this one; see `Network.find`. */
  find(call: Call<Content>, since: Since): Promise<RemotePost[] | 'accepted' | 'unprovable'>
  /** Whether what was accepted is live; see `Network.confirm`. */
  confirm?(call: Call<Content>): Promise<RemotePost | 'accepted' | NetworkError | 'missing' | undefined>
  /** The address of what is live, where the commit does not tell it. */
  permalink?(call: Call<Content>, externalId: string): Promise<string | null>

  /** Reads the owner of the sequence, locked if a settlement changes it. No row: there is nothing to settle. */
  lock(workspaceId: string, subjectId: string): Query<Head>
  /** The changes of a settlement beside the deliveries themselves. Pure. */
  effects?(tx: Tx, at: { subjectId: string; head: Head; after: readonly Sibling[] }): Effects
  /** Announces a settlement: audit, hints, notices, jobs. In the same transaction. */
  onSettled(tx: Tx, at: Settled<Head>): Promise<void>
  /** Announces that the network shows it a second time. */
  onTwice?(tx: Tx, at: { subjectId: string; id: string; externalId: string | null }): void
}

/** How deliveries begin at a time that a person chose, and end when that time was missed. Only posts do. */
export interface Schedule {
  /**
   * SQL, as statements `name as (…)`, that decides about the due rows `firsts` of posts at the time `clock`. It defines
   * `judged_posts`: the columns of `firsts`, a verdict (`go`, `start`, `held`, `missed`) and its reason; and `started`
   * (workspace_id, id).
   */
  readonly admission: RawBuilder<unknown>
  /** SQL of a condition: delivery `t` is under way, and does not wait for a time that a person chose. */
  readonly underWay: RawBuilder<unknown>
  readonly bulk: Bulk
  /** Ends a post that was missed by more than a day. */
  endMissed(scope: Scope, subjectId: string, reason: string | null): Promise<void>
  /** Runs each minute: moves stuck posts on, and tells people of posts that failures have delayed for `after` milliseconds. */
  watch(parts: { platform: Scopes; log: Log }, after: number): Promise<void>
}

export type PostDrivers = Readonly<Record<Exclude<DeliveryKind, ThreadDeliveryKind>, Driver>>
export type ThreadDrivers = Readonly<Record<ThreadDeliveryKind, Driver>>

/** All kinds of delivery, and what the machine must know of posts alone. */
export interface Drivers {
  readonly of: Readonly<Record<DeliveryKind, Driver>>
  readonly schedule: Schedule
}

/** The settlement that a driver announces. */
export interface Settled<Head> {
  subjectId: string
  head: Head
  /** The delivery as it was. */
  mine: Sibling
  held: Held
  verdict: Verdict
  /** All deliveries of the sequence as they are now. */
  after: readonly Sibling[]
}
