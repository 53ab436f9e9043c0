import type { Platform } from '../accounts/api.ts'

// The seam before the networks: nobody behind it knows what a container or a page token is.

export type ErrorKind =
  | 'AUTH'
  | 'PERMISSION'
  | 'RATE_LIMIT'
  | 'QUOTA'
  | 'TRANSIENT'
  | 'AMBIGUOUS'
  | 'MEDIA_FETCH'
  | 'CONTENT'
  | 'POLICY'
  | 'DUPLICATE'
  | 'NOT_FOUND'
  | 'CONFIG'

/** What a network refused, or how it failed to answer. `committed` says whether the call may have had its effect. */
export class NetworkError extends Error {
  readonly kind: ErrorKind
  readonly committed: 'no' | 'maybe'
  /** As the network gives it, subcode after a slash. */
  readonly networkCode: string | null
  readonly retryAfterMs: number | undefined
  readonly traceId: string | undefined

  constructor(
    kind: ErrorKind,
    message: string,
    more: {
      committed?: 'no' | 'maybe'
      networkCode?: string
      retryAfterMs?: number
      traceId?: string
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'NetworkError'
    this.kind = kind
    this.committed = more.committed ?? 'no'
    this.networkCode = more.networkCode ?? null
    this.retryAfterMs = more.retryAfterMs
    this.traceId = more.traceId
  }
}

/** Leave for a number of calls in the name of one connected person. Each call takes one; there is none without. */
export interface Permit {
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
  userToken: string
  /** Null: does not expire by itself. */
  tokenExpiresAt: Date | null
  grantedScopes: string[]
}

export interface StepMedia {
  id: string
  kind: 'IMAGE' | 'VIDEO'
  url: string
  mimeType: string
  altText: string
}

/** What one publication shows, and where it has got to. */
export interface Step {
  account: { externalId: string; accessToken: string }
  text: string
  media: StepMedia[]
  /** What prepare made at the network, saved under the network's own names. */
  handles: Handles
  permit: Permit
}

export type Handles = Record<string, unknown>

/** A post on the network. */
export interface Sighting {
  externalId: string
  permalink: string | null
  publishedAt: Date | null
}

export interface Network {
  readonly platform: Platform
  /** The application whose calls are counted together. */
  readonly app: string
  readonly configured: boolean
  /** What each permission is for; `publish` and `connect` cannot be done without. */
  readonly scopes: readonly { scope: string; neededFor: string }[]

  authorizeUrl(request: { state: string; redirectUri: string }): string
  /** Trades the code of the consent page for the accounts granted there. */
  connect(grant: { code: string; redirectUri: string }): Promise<Connection[]>
  /** Takes our permission for one account back. */
  revoke(account: { externalId: string; accessToken: string }, permit: Permit): Promise<void>

  /** Calls that preparing and committing make at most, given what is prepared already. */
  cost(step: Pick<Step, 'text' | 'media' | 'handles'>): number
  /** Calls that one `find` makes at most. */
  readonly readCost: number
  /** Everything before the irreversible call; invisible and repeatable. Each thing made is saved before the next. */
  prepare(step: Step, save: (handles: Handles) => Promise<void>): Promise<void>
  /** The one call that cannot be undone. Never repeated by itself. */
  commit(step: Step): Promise<Sighting>
  /**
   * Every post of ours on the account, made since `since`, that matches this step by all that can be told. A complete read, or
   * it throws: an unreadable network has proven nothing. `since` and `now` are of our clock, from which the network's may differ.
   */
  find(step: Step, since: Date, now: Date): Promise<Sighting[]>
}

/** The networks by name. Throws for one that this build does not know. */
export interface Networks {
  get(platform: string): Network
  all(): Network[]
}
