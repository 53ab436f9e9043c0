import type { RawBuilder } from 'kysely'
import type { Platform } from '../networks/api.ts'
import type { Accepted, Handles, Network, NetworkError, NotYet, Permit, Sighting, Since } from '../networks/network.ts'
import type { Query } from '../core/platform/db.ts'
import type { Log } from '../core/platform/log.ts'
import type { Scopes, Scope, Tx } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import type { DeliveryState, WaitReason } from './api.ts'
import type { Held, Verdict } from './rules.ts'

/** A delivery that this worker holds by its fence. `subject` is all that its driver needs to compose it. */
export interface Claimed<Subject = unknown> {
  workspaceId: string
  id: string
  postId: string
  accountId: string
  state: 'PREPARING' | 'SUBMITTING'
  phase: 'commit' | 'confirm' | null
  fence: number
  tries: number
  failures: number
  backoffs: number
  dueAt: Date
  /** What it waited for until now. */
  waited: WaitReason | null
  intentAt: Date | null
  /** Of its earliest try: what is live may be of that one. */
  firstIntentAt: Date | null
  absentReads: number
  absentAt: Date | null
  lateReads: number
  lateReadAt: Date | null
  handles: Handles
  /** The hash of what the handles were made for. */
  composed: string | null
  /** What the latest try sent. */
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

/** What a try sends, as it is kept with the intent. Drivers add what they need to know it again. */
export interface Sent {
  text: string
  media: string[]
}

/** What is to be sent. `hash` is equal for what shows the same, so that handles can be used again. */
export interface ComposedDelivery<Content = unknown> {
  hash: string
  sent: Sent
  content: Content
}

/** One step's way to a network: whose account, by what permit, and where preparing has got to. */
export interface Call<Content = unknown> {
  network: Network
  account: { externalId: string; accessToken: string }
  content: Content
  handles: Handles
  permit: Permit
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
}

/** What a settlement makes of its sequence. */
export interface Effects {
  /** The deliveries that are still open end as superseded. */
  closing: boolean
  /** Further statements of the settlement, each `name as (…)`; they may read `mine`, the delivery that was settled. */
  statements: RawBuilder<unknown>
}

/**
 * All that the machine must know of one kind of delivery. A driver is registered in main.ts, so that delivery/ imports nothing of
 * what it delivers. `Subject` is what it reads with a claim, `Content` what it gives to a network, `Head` what a sequence belongs to.
 */
export interface Driver<Subject = unknown, Content = unknown, Head = unknown> {
  /** SQL of one JSON value: the subject of the claimed row `c`, whose account is `a` and workspace `w`. Read within the claim. */
  subject(filesUrl: string): RawBuilder<unknown>
  /**
   * SQL, as statements `name as (…)`, that decides what becomes of the due rows `firsts` at the time `clock`. It defines `judged`:
   * the columns of `firsts`, a verdict (`go`, `start`, `held`, `missed`) and its reason; and `started` (workspace_id, id).
   */
  readonly admission: RawBuilder<unknown>
  /** SQL of a condition: delivery `t` is under way, and does not wait for a time that a person chose. */
  readonly underWay: RawBuilder<unknown>

  /** Why it is not sent now: a wait or an end, before any call is made. Null when it may be sent. */
  stop(row: Claimed<Subject>, settings: Ports['settings'], now: Date): Verdict | null
  compose(row: Claimed<Subject>, storage: Ports['storage']): ComposedDelivery<Content>
  /** What the latest try sent, for reading back. */
  recall(row: Claimed<Subject>, storage: Ports['storage']): Content

  /** Calls that preparing and committing make at most. */
  cost(call: Pick<Call<Content>, 'network' | 'content' | 'handles'>): number
  /** Calls that one `find` makes at most. */
  readCost(network: Network): number
  /** Everything before the irreversible call, repeatable. */
  prepare(call: Call<Content>, save: (handles: Handles) => Promise<void>): Promise<NotYet | undefined>
  /** The one call that cannot be undone, never repeated by a client. */
  commit(call: Call<Content>): Promise<Sighting | 'accepted' | Accepted>
  /** Every post at the network that may be this one; see `Network.find`. */
  find(call: Call<Content>, since: Since): Promise<Sighting[] | 'accepted' | 'unprovable'>
  /** Whether what was accepted is live; see `Network.confirm`. */
  confirm(call: Call<Content>): Promise<Sighting | 'accepted' | NetworkError | 'doubtful' | undefined>
  /** The address of what is live, where the commit does not tell it. */
  permalink(call: Call<Content>, externalId: string): Promise<string | null>

  /** Locks what the sequence belongs to, before its deliveries. No row: there is nothing to settle. */
  lock(workspaceId: string, postId: string): Query<Head>
  /** What a settlement changes beside the deliveries themselves. Pure. */
  effects(tx: Tx, at: { postId: string; head: Head; after: readonly Sibling[] }): Effects
  /** Tells what a settlement means: audit, hints, notices, jobs. In the same transaction. */
  onSettled(tx: Tx, at: Settled<Head>): Promise<void>
  /** The commonest end, in one statement for several: see `settleLive`. */
  readonly bulk: { only: RawBuilder<unknown>; statements: RawBuilder<unknown> }

  /** Ends what was missed by more than a day. */
  endMissed(scope: Scope, postId: string, reason: string | null): Promise<void>
  /** Runs each minute: moves on what is stuck, and tells of what failures have delayed for `after` milliseconds. */
  watch(parts: { platform: Scopes; log: Log }, after: number): Promise<void>
}

/** A settlement, as its driver is told of it. */
export interface Settled<Head> {
  postId: string
  head: Head
  /** The delivery as it was. */
  mine: Sibling
  held: Held
  verdict: Verdict
  /** All deliveries of the sequence as they are now. */
  after: readonly Sibling[]
}
