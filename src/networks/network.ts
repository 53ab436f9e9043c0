import type { Readable } from 'node:stream'
import type { Platform } from './api.ts'
import type { NetworkClock, Since } from './clock.ts'
import type { Discovery } from './discovery.ts'
import type { CommentCounts, Inbox } from './inbox.ts'
import type { Metrics } from './metrics.ts'
import { type ErrorKind, type FailureCode, failures, type FailureRow } from './failures/rules.ts'

export type { DiscoveredAccount } from './discovery.ts'
export type { ContentKind, FiguresTold } from './facts.ts'
export type { Since } from './clock.ts'
export type { AccountAsk, AccountFigures, AccountRead, FoundPage, FoundPost, MetricsAsk, PostsRead } from './metrics.ts'
export type { CountedPage, CountedPost, Inbound, Inbox, Listed, ReadBack, ReadStep } from './inbox.ts'

// The interface to the networks: code that uses it needs no knowledge of containers or page tokens.

/** The refusal of a network, or its failure to answer. `committed`: whether the call may have had its effect. */
export class NetworkError extends Error {
  readonly failure: FailureCode
  readonly kind: ErrorKind
  readonly committed: 'no' | 'maybe'
  /** The network's own code, with the subcode after a slash. */
  readonly networkCode: string | null
  readonly retryAfterMs: number | undefined
  readonly traceId: string | undefined
  /** The prepared handles are of no further use: a new try starts from the beginning. */
  readonly spoilt: boolean
  /** The limit that the content exceeds, where the text of the failure tells it. */
  readonly limit: number | undefined
  /** More data of the network, in its own shape. */
  readonly data: unknown

  constructor(
    failure: FailureCode,
    message: string,
    more: Partial<Pick<NetworkError, 'committed' | 'retryAfterMs' | 'traceId' | 'spoilt' | 'limit' | 'data'>> & {
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
    this.limit = more.limit
    this.data = more.data
  }
}

/** The error of an answer, by its row in the table of failures. */
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

/** A reservation of calls in the name of one connected person. Each call takes one; no call is possible without one. */
export interface Reservation {
  /** Throws when all calls are taken: a step that calls more often than it reserved is a bug. */
  take(): void
  /** Reports the network's own count, in percent of its limit. */
  report(usage: { percent: number; regainMs?: number }): void
}

/** A connected account. `userKey`: the person whose calls the network counts. */
export interface Connection {
  externalId: string
  userKey: string
  name: string
  username: string | null
  avatarUrl: string | null
  profileUrl: string | null
  accessToken: string
  /** The token of the person behind the account; null if there is only one token. */
  userToken: string | null
  /** Null: it does not expire. */
  tokenExpiresAt: Date | null
  /** Renews the access token; each renewal replaces it. Null if there is none. */
  refreshToken: string | null
  refreshExpiresAt: Date | null
  grantedScopes: string[]
}

/** New tokens of an account. The refresh token that was exchanged for them is no longer valid. */
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
  /** The bytes from `start` to before `end`, read while they are sent: a video is never in memory as a whole. */
  read(start: number, end: number): Readable
}

/** The content of one publication, and the handles so far. */
export interface Step {
  account: { externalId: string; accessToken: string }
  text: string
  media: StepMedia[]
  /** The options of the author for this network, checked by its rules. */
  options: Readonly<Record<string, unknown>>
  /** The handles that prepare made, under the network's own names. */
  handles: Handles
  reservation: Reservation
  /** By our clock. */
  now: Date
}

/** A live post of an account. */
export interface PostPlace {
  account: Step['account']
  postId: string
  reservation: Reservation
}

/** A comment of an account below its live post. */
export interface CommentPlace extends PostPlace {
  /** Empty with a picture. */
  text: string
  /** The address of a picture, which the network fetches. */
  picture?: string | null
}

export type Handles = Record<string, unknown>

/** A post on the network. Some networks give its id only later. */
export interface RemotePost {
  externalId: string | null
  permalink: string | null
  publishedAt: Date | null
}

/** The network still processes the files, so prepare must continue later. Milliseconds. */
export interface NotYet {
  after: number
}

/** The result of a commit or a read: live, or accepted and not yet live. */
export type CommitResult = RemotePost | 'accepted'

/** Accepted. Only now does the network give the handles by which it can be found. */
export interface Accepted {
  handles: Handles
}

export interface Network {
  readonly platform: Platform
  /** The application whose calls are counted together. */
  readonly app: string
  readonly clock: NetworkClock
  readonly configured: boolean
  /** The use of each permission. `publish` and `connect` are required. */
  readonly scopes: readonly { scope: string; neededFor: string }[]

  /** `verifier`: 64 hex digits that only the browser's return proves (PKCE). Networks without PKCE ignore it. */
  authorizeUrl(request: { state: string; redirectUri: string; verifier: string }): string
  /** Exchanges the code of the consent page for the accounts that were granted there. */
  connect(grant: { code: string; redirectUri: string; verifier: string }): Promise<Connection[]>
  /** Renews the tokens of an account, by its refresh token or else by the person's own token. A refresh token works once. */
  refresh(account: Pick<Connection, 'externalId' | 'userToken' | 'refreshToken'>): Promise<Renewal>
  /** Revokes our permission for one account. */
  revoke(account: { externalId: string; accessToken: string }, reservation: Reservation): Promise<void>

  /** The most calls that prepare and commit make, given the handles so far. */
  cost(step: Pick<Step, 'text' | 'media' | 'handles'>): number
  /** Calls that one `find` makes at most. */
  readonly readCost: number
  /**
   * Everything before the commit; invisible and repeatable. Each handle is saved before the next call. After a wait or a
   * failure it continues with the saved handles.
   */
  prepare(step: Step, save: (handles: Handles) => Promise<void>): Promise<NotYet | undefined>
  /** The call that cannot be undone. No client repeats it. */
  commit(step: Step): Promise<CommitResult | Accepted>
  /** The address of a live post, if the commit does not return it. */
  permalink?(step: Step, externalId: string): Promise<string | null>
  /**
   * Reads whether an accepted post is live or was refused in the end; `missing` when the network does not have the post that it
   * accepted. Throws when it cannot be read.
   */
  confirm?(step: Step): Promise<CommitResult | NetworkError | 'missing'>
  /** Comments by an account below its own live posts; absent where the network has none. */
  comments?: {
    /** Writes a comment and returns its id. This is the commit: no client repeats it. */
    write(place: CommentPlace): Promise<string>
    /** The ids of comments with the same text by the account since then. The read is complete, or it throws. */
    find(place: CommentPlace, since: Since): Promise<string[]>
  }
  /** Deleting live posts of an account; absent where only a person can do that, on the network itself. */
  removal?: {
    /** Deletes a post. This is the commit: no client repeats it. */
    remove(place: PostPlace): Promise<void>
    /** Calls that one `isGone` makes at most. */
    readonly readCost: number
    /** Whether the network no longer has the post. The read is complete, or it throws. */
    isGone(place: PostPlace): Promise<boolean>
  }
  /** Conversations with customers; absent where the network lets no app take part in them. */
  inbox?: Inbox
  /** Where there are no conversations, but posts tell how many comments they have. */
  commentCounts?: CommentCounts
  /** The figures of an account and of its live posts. */
  metrics: Metrics
  /** Looking up accounts of others; absent where the network has no official way. */
  discovery?: Discovery
  /** Calls that one `examine` makes at most. */
  readonly examineCost: number
  /** Reads the present state of an account. Throws the network's error about its token. */
  examine(
    account: { externalId: string; accessToken: string; userToken: string | null },
    reservation: Reservation,
  ): Promise<Examination>
  /** The choices that the account's owner allows for a post, at present. */
  postingOptions?(
    account: { externalId: string; accessToken: string },
    reservation: Reservation,
  ): Promise<AccountChoices>
  /**
   * Every post of ours on the account, made since `since`, that matches this step in everything that can be compared.
   * `accepted`: the handle shows that the network has it. `unprovable`: nothing is there, but that proves nothing. The read is
   * complete, or it throws: an unreadable network proves nothing.
   */
  find(step: Step, since: Since): Promise<RemotePost[] | 'accepted' | 'unprovable'>
}

/** The permissions to request: those of a setting, with their known uses, else the known ones. */
export const scopesOf = (setting: readonly string[] | undefined, known: Network['scopes']): Network['scopes'] =>
  setting?.map((scope) => ({ scope, neededFor: known.find((each) => each.scope === scope)?.neededFor ?? scope })) ??
  known

/** The facts about an account with a working token; null if the network does not report them. */
export interface Examination {
  grantedScopes: string[] | null
  /** Posts of the last day and their limit; `may` if the network reports only that the limit is used up. */
  posts: { used: number; limit: number } | 'may' | null
}

/** The result of an optional request; null if the network does not answer it. */
export const unlessUnknown = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return null
  }
}

/** The choices that the account's owner allows for a post. */
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
