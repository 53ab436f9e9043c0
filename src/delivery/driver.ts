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
import type { DeliveryKind, DeliveryState, ThreadDeliveryKind, WaitReason } from './api.ts'
import type { CallClass, DeliveryPhase, StoredWait, Verdict } from './rules.ts'

/** A delivery that this worker has claimed. `subject` is everything that its driver needs to compose it. */
export type Claimed<Subject = unknown> = Columns<Subject> & ({ state: 'PREPARING'; phase: null } | Submitting)

/** A claimed delivery whose outcome is unknown or being confirmed. */
export type Submitted = Columns<unknown> & Submitting

interface Submitting {
  state: 'SUBMITTING'
  phase: DeliveryPhase
}

interface Columns<Subject> {
  workspaceId: string
  id: string
  kind: DeliveryKind
  subjectId: string
  /** The delivery that it refers to: the post of a comment or of a removal. */
  afterId: string | null
  accountId: string
  fence: number
  tries: number
  failures: number
  backoffs: number
  dueAt: Date
  /** Why it waited until this claim. */
  waited: WaitReason | null
  intentAt: Date | null
  /** The intent of the earliest try, to which a live post may belong. */
  firstIntentAt: Date | null
  absentReads: number
  absentAt: Date | null
  lateReads: number
  lateReadAt: Date | null
  handles: Handles
  /** The hash of the content that the handles were made for. */
  composed: string | null
  /** The content that the latest try sent. */
  sent: Sent | null
  platform: Platform
  networkUser: string
  /** The class of its calls in the budget. */
  calls: CallClass
  externalAccountId: string
  accessToken: string | null
  acceptedAt: Date | null
  unreadSince: Date | null
  /** The network's clock just before the earliest try. */
  networkAt: Date | null
  limitedUntil: Date | null
  /** Whether it was UNCONFIRMED once. The network is then read before it is sent again. */
  unproven: boolean
  subject: Subject
}

/** The content of a try, stored with the intent. Drivers add what they need to recognize the content. */
export interface Sent {
  text: string
  media: string[]
}

/** The content to send. Equal content has an equal `hash`, so that handles can be reused. */
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

/** A delivery of a sequence, locked, as a settlement sees it. */
export interface Sibling {
  id: string
  state: DeliveryState
  position: number
  fence: number
  dropped: boolean
  nextAt: Date | null
  waitReason: StoredWait | null
  externalId: string | null
  /** Whether it was UNCONFIRMED once. */
  unproven: boolean
  /** The code of its failure. */
  code: string | null
  afterId: string | null
}

/** The effect of a settlement on its sequence. */
export interface Effects {
  /** Whether the deliveries that are still open end as superseded. */
  closing: boolean
  /** Further statements of the settlement, each `name as (…)`. They may read `mine`, the settled delivery. */
  statements: RawBuilder<unknown>
}

/** How to settle the most frequent outcome of deliveries in batches: see `settleLive`. */
export interface Bulk {
  /** SQL that restricts the deliveries `t`. */
  only: RawBuilder<unknown>
  /** Further statements of the settlement. They may read `mine`. */
  statements: RawBuilder<unknown>
}

/**
 * Everything that the delivery machine needs to know about one kind of delivery. main.ts passes the drivers to the
 * machine, so delivery/ imports nothing that it delivers. `Subject` is read with a claim, `Content` is passed to a
 * network, and `Head` is the owner of a sequence, such as the post.
 */
export interface Driver<Subject = unknown, Content = unknown, Head = unknown> {
  readonly kind: DeliveryKind
  /** Selects the texts for outcomes that this service determined itself. */
  readonly words: 'post' | 'comment' | 'removal' | 'answer'
  /** SQL of the class of the calls of delivery `c` in the budget. */
  readonly calls: RawBuilder<unknown>
  /**
   * Returns a function that decides again in the transaction that writes the intent, and makes the changes that belong
   * to the intent. A verdict from it is settled instead of writing the intent. Undefined if this row needs no guard.
   */
  guard?(row: Claimed<Subject>): ((tx: Tx) => Promise<Verdict | null>) | undefined
  /**
   * A delivery that is proven absent fails instead of being sent again. A person decides, since they may have answered
   * in another way.
   */
  readonly sentOnce?: true
  /**
   * SQL of one JSON value: the subject of the claimed row `c`, with its account `a` and workspace `w`. Read within the
   * claim.
   */
  subject(filesUrl: string): RawBuilder<unknown>

  /** Returns why it cannot be sent now, as a wait or an end, before any call is made. Null if it may be sent. */
  stop(row: Claimed<Subject>, settings: Ports['settings'], now: Date): Verdict | null
  /** Returns the time until which it waits for its account; a day after its time by default. */
  heldUntil?(row: Claimed<Subject>): Date
  compose(row: Claimed<Subject>, storage: Ports['storage']): ComposedDelivery<Content>
  /** Returns the content that the latest try sent, for reading it back. */
  recall(row: Claimed<Subject>, storage: Ports['storage']): Content

  /** The maximum number of calls for preparing and committing. */
  cost(call: Pick<Call<Content>, 'network' | 'content' | 'handles'>): number
  /** The maximum number of calls that `find` makes. */
  readCost(network: Network): number
  /** Does everything before the irreversible call. Repeatable. */
  prepare?(call: Call<Content>, save: (handles: Handles) => Promise<void>): Promise<NotYet | undefined>
  /** Makes the one call that cannot be undone. No client repeats it. */
  commit(call: Call<Content>): Promise<RemotePost | 'accepted' | Accepted>
  /** Returns everything at the network that may be this delivery; see `Network.find`. */
  find(call: Call<Content>, since: Since): Promise<RemotePost[] | 'accepted' | 'unprovable'>
  /** Reads whether an accepted delivery is live; see `Network.confirm`. */
  confirm?(call: Call<Content>): Promise<RemotePost | 'accepted' | NetworkError | 'missing' | undefined>
  /** Returns the address of a live delivery, if the commit does not. */
  permalink?(call: Call<Content>, externalId: string): Promise<string | null>

  /**
   * Reads the owner of the sequence, and locks it if a settlement changes it. Without a row, there is nothing to
   * settle.
   */
  lock(workspaceId: string, subjectId: string): Query<Head>
  /** Returns the changes of a settlement in addition to those of the deliveries. Pure. */
  effects?(tx: Tx, at: { subjectId: string; head: Head; after: readonly Sibling[] }): Effects
  /** Announces a settlement, in its transaction: audit, hints, notices, jobs. */
  onSettled(tx: Tx, at: Settled<Head>): Promise<void>
  /** Announces that the network shows the delivery twice. */
  onTwice?(tx: Tx, at: { subjectId: string; id: string; externalId: string | null }): void
}

/** How deliveries start at a time that a person chose, and end if that time was missed. Applies only to posts. */
export interface Schedule {
  /**
   * SQL, as statements `name as (…)`, that decides about the due rows `firsts` of posts at the time `clock`. It defines
   * `judged_posts`: the columns of `firsts`, a verdict (`go`, `start`, `held`, `missed`) and its reason; and `started`
   * (workspace_id, id).
   */
  readonly admission: RawBuilder<unknown>
  /** SQL condition: delivery `t` is under way, and does not wait for a time that a person chose. */
  readonly underWay: RawBuilder<unknown>
  readonly bulk: Bulk
  /** Ends a post that is more than a day late. */
  endMissed(scope: Scope, subjectId: string, reason: string | null): Promise<void>
  /**
   * Runs every minute: moves stuck posts on, and notifies people of posts that failures have delayed for `after`
   * milliseconds. It handles no further post after `isStopped`.
   */
  watch(parts: { scopes: Scopes; log: Log; isStopped(): boolean }, after: number): Promise<void>
}

export type PostDrivers = Readonly<Record<Exclude<DeliveryKind, ThreadDeliveryKind>, Driver>>
export type ThreadDrivers = Readonly<Record<ThreadDeliveryKind, Driver>>

/** All kinds of delivery, and what the machine needs to know only about posts. */
export interface Drivers {
  readonly of: Readonly<Record<DeliveryKind, Driver>>
  readonly schedule: Schedule
}

/** The settlement that a driver announces. */
export interface Settled<Head> {
  subjectId: string
  head: Head
  /** The delivery before the settlement. */
  mine: Sibling
  verdict: Verdict
  /** All deliveries of the sequence after the settlement. */
  after: readonly Sibling[]
}
