import type { Readable } from 'node:stream'
import type { Platform } from './api.ts'
import type { NetworkClock, Since } from './clock.ts'
import { type ErrorKind, type FailureCode, failures, type FailureRow } from './failures/rules.ts'

export type { Since } from './clock.ts'

// The seam before the networks: nobody behind it knows what a container or a page token is.

/** What a network refused, or how it failed to answer. `committed` says whether the call may have had its effect. */
export class NetworkError extends Error {
  readonly failure: FailureCode
  readonly kind: ErrorKind
  readonly committed: 'no' | 'maybe'
  /** As the network gives it, subcode after a slash. */
  readonly networkCode: string | null
  readonly retryAfterMs: number | undefined
  readonly traceId: string | undefined
  /** What was prepared is of no use any more: a new try begins from nothing. */
  readonly spoilt: boolean
  /** What the network adds, in its own shape. */
  readonly data: unknown

  constructor(
    failure: FailureCode,
    message: string,
    more: Partial<Pick<NetworkError, 'committed' | 'retryAfterMs' | 'traceId' | 'spoilt' | 'data'>> & {
      networkCode?: string
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'NetworkError'
    this.failure = failure
    this.kind = failures[failure].kind
    this.committed = more.committed ?? 'no'
    this.networkCode = more.networkCode ?? null
    this.retryAfterMs = more.retryAfterMs
    this.traceId = more.traceId
    this.spoilt = more.spoilt ?? false
    this.data = more.data
  }
}

/** What a network answered, as the table of failures has it. */
export const refusal = (
  { code, subcode, failure, committed, spoilt }: FailureRow,
  message: string,
  more: ConstructorParameters<typeof NetworkError>[2] = {},
) =>
  new NetworkError(failure, message, {
    networkCode: subcode === null ? code : `${code}/${subcode}`,
    committed,
    spoilt,
    ...more,
  })

/** Leave for a number of calls in the name of one connected person. Each call takes one; there is none without. */
export interface Reservation {
  /** Throws when all are taken: a step that calls more often than it reserved is a fault of ours. */
  take(): void
  /** What the network says of its own count, in percent of its limit. */
  report(usage: { percent: number; regainMs?: number }): void
}

/** An account that somebody let us act for. `userKey` is the person whose calls the network counts. */
export interface Connection {
  externalId: string
  userKey: string
  name: string
  username: string | null
  avatarUrl: string | null
  profileUrl: string | null
  accessToken: string
  /** The person's own token behind an account's; null where there is only one. */
  userToken: string | null
  /** Null: does not expire by itself. */
  tokenExpiresAt: Date | null
  /** Renews the access token, and is itself replaced by that; null where there is none. */
  refreshToken: string | null
  refreshExpiresAt: Date | null
  grantedScopes: string[]
}

/** New tokens of an account; the refresh token that they were traded for is dead. */
export type Renewal = Pick<
  Connection,
  'accessToken' | 'userToken' | 'tokenExpiresAt' | 'refreshToken' | 'refreshExpiresAt'
>

export interface StepMedia {
  id: string
  kind: 'IMAGE' | 'VIDEO'
  url: string
  mimeType: string
  altText: string
  aiGenerated: boolean
  size: number
  /** Seconds; null for a picture. */
  duration: number | null
  /** The bytes from `start` to before `end`, read while they are sent: a video is never held whole. */
  read(start: number, end: number): Readable
}

/** What one publication shows, and where it has got to. */
export interface Step {
  account: { externalId: string; accessToken: string }
  text: string
  media: StepMedia[]
  /** What the author chose for this network alone, checked by its rules. */
  options: Readonly<Record<string, unknown>>
  /** What prepare made at the network, saved under the network's own names. */
  handles: Handles
  reservation: Reservation
  /** By our clock. */
  now: Date
}

/** Below which live post an account comments. */
export interface CommentPlace {
  account: Step['account']
  postId: string
  text: string
  reservation: Reservation
}

export type Handles = Record<string, unknown>

/** A post on the network. Some tell its id only later. */
export interface RemotePost {
  externalId: string | null
  permalink: string | null
  publishedAt: Date | null
}

/** Prepare must go on later: the network still works on what it was given. Milliseconds. */
export interface NotYet {
  after: number
}

/** What a commit or a read tells: live, or taken and not yet live. */
export type CommitResult = RemotePost | 'accepted'

/** Taken, and only now there is something by which it is known. */
export interface Accepted {
  handles: Handles
}

export interface Network {
  readonly platform: Platform
  /** The application whose calls are counted together. */
  readonly app: string
  readonly clock: NetworkClock
  readonly configured: boolean
  /** What each permission is for; `publish` and `connect` cannot be done without. */
  readonly scopes: readonly { scope: string; neededFor: string }[]

  /** `verifier`: 64 hex digits that only the browser's way back proves (PKCE); networks without it leave it unused. */
  authorizeUrl(request: { state: string; redirectUri: string; verifier: string }): string
  /** Trades the code of the consent page for the accounts granted there. */
  connect(grant: { code: string; redirectUri: string; verifier: string }): Promise<Connection[]>
  /** Trades what renews an account's tokens for new ones: its refresh token, never twice the same; else the person's own token. */
  refresh(account: Pick<Connection, 'externalId' | 'userToken' | 'refreshToken'>): Promise<Renewal>
  /** Takes our permission for one account back. */
  revoke(account: { externalId: string; accessToken: string }, reservation: Reservation): Promise<void>

  /** Calls that preparing and committing make at most, given what is prepared already. */
  cost(step: Pick<Step, 'text' | 'media' | 'handles'>): number
  /** Calls that one `find` makes at most. */
  readonly readCost: number
  /**
   * Everything before the irreversible call; invisible and repeatable. Each thing made is saved before the next. Called again
   * after a wait or a failure, with the handles saved so far, it goes on from there.
   */
  prepare(step: Step, save: (handles: Handles) => Promise<void>): Promise<NotYet | undefined>
  /** The one call that cannot be undone. Never repeated by itself. */
  commit(step: Step): Promise<CommitResult | Accepted>
  /** The address of a live post, where the commit does not tell it. */
  permalink?(step: Step, externalId: string): Promise<string | null>
  /**
   * Whether what was accepted is live now, or what was refused in the end; `missing` when the network does not have what it
   * accepted. Throws when it cannot be read. Reads only.
   */
  confirm?(step: Step): Promise<CommitResult | NetworkError | 'missing'>
  /** Comments by an account below its own live posts; absent where the network has none. */
  comments?: {
    /** Writes one: the one call that cannot be undone, never repeated by itself. Its id. */
    write(place: CommentPlace): Promise<string>
    /** The ids of those that say the same, written by the account since then. A complete read, or it throws. Reads only. */
    find(place: CommentPlace, since: Since): Promise<string[]>
  }
  /** Calls that one `examine` makes at most. */
  readonly examineCost: number
  /** What the network says of an account right now; throws what it has against its token. Reads only. */
  examine(
    account: { externalId: string; accessToken: string; userToken: string | null },
    reservation: Reservation,
  ): Promise<Examination>
  /** What the account's owner lets be chosen for a post, right now. */
  postingOptions?(
    account: { externalId: string; accessToken: string },
    reservation: Reservation,
  ): Promise<AccountChoices>
  /**
   * Every post of ours on the account, made since `since`, that matches this step by all that can be told; `accepted` when its
   * handle says that the network has it, `unprovable` when nothing is there and nothing could prove that. A complete read, or it
   * throws: an unreadable network has proven nothing.
   */
  find(step: Step, since: Since): Promise<RemotePost[] | 'accepted' | 'unprovable'>
}

/** The permissions to ask for: those of a setting, told apart by the known ones, else the known ones. */
export const scopesOf = (setting: readonly string[] | undefined, known: Network['scopes']): Network['scopes'] =>
  setting?.map((scope) => ({ scope, neededFor: known.find((each) => each.scope === scope)?.neededFor ?? scope })) ??
  known

/** What a network tells of an account whose token works; null where it does not tell. */
export interface Examination {
  grantedScopes: string[] | null
  /** Posts of the last day and how many there may be; `may` where the network tells only that they are used up. */
  posts: { used: number; limit: number } | 'may' | null
}

/** A further question: what it does not tell is not known, and nothing more. */
export const unlessUnknown = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return null
  }
}

/** What the account's owner lets be chosen for a post. */
export interface AccountChoices {
  nickname: string
  privacyLevels: string[]
  commentDisabled: boolean
  duetDisabled: boolean
  stitchDisabled: boolean
  maxSeconds: number
}

/** The networks by name. Throws for one that this build does not know. */
export interface Networks {
  get(platform: string): Network
  all(): Network[]
}
