import type { Readable } from 'node:stream'
import { NetworkError } from './answers.ts'
import type { Platform } from './api.ts'
import type { NetworkClock, Since } from './clock.ts'
import type { Discovery } from './discovery.ts'
import type { CommentCounts, Inbox } from './inbox.ts'
import type { Metrics } from './metrics.ts'
import type { Reservation } from './reservation.ts'

export { NetworkError } from './answers.ts'
export type { Reservation } from './reservation.ts'
export type { DiscoveredAccount } from './discovery.ts'
export type { ContentKind, FiguresTold } from './facts.ts'
export type { Since } from './clock.ts'
export type { AccountAsk, AccountFigures, AccountRead, FoundPage, FoundPost, MetricsAsk, PostsRead } from './metrics.ts'
export type { CountedPage, CountedPost, Inbound, Inbox, Listed, ReadBack, ReadStep } from './inbox.ts'

// The interface to the networks. Code that uses it does not need to know about containers or page tokens.

/** A connected account. `userKey` identifies the person whose calls the network counts. */
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
  /** Null if the token does not expire. */
  tokenExpiresAt: Date | null
  /** Renews the access token, and is itself replaced by each renewal. Null if there is none. */
  refreshToken: string | null
  refreshExpiresAt: Date | null
  grantedScopes: string[]
}

/** The new tokens of an account. The refresh token that they replace is no longer valid. */
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
  /** In seconds; null for a picture. */
  duration: number | null
  /** The bytes from `start` to before `end`, read while they are sent: a whole video is never in memory. */
  read(start: number, end: number): Readable
}

/** The content of one publication, and its handles so far. */
export interface Step {
  account: { externalId: string; accessToken: string }
  text: string
  media: StepMedia[]
  /** The author's options for this network, already checked by its rules. */
  options: Readonly<Record<string, unknown>>
  /** The handles that prepare has made, under the network's own names. */
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
  /** Empty if there is a picture. */
  text: string
  /** The URL of a picture, which the network fetches. */
  picture?: string | null
}

export type Handles = Record<string, unknown>

/** A post on the network. Some networks give its id only later. */
export interface RemotePost {
  externalId: string | null
  permalink: string | null
  publishedAt: Date | null
}

/** The network is still processing the files, so prepare must continue after this many milliseconds. */
export interface NotYet {
  after: number
}

/** The result of a commit or a read: live, or accepted but not yet live. */
export type CommitResult = RemotePost | 'accepted'

/** Accepted. The network returns the handles that identify the post only now. */
export interface Accepted {
  handles: Handles
}

export interface Network {
  readonly platform: Platform
  /** The application whose calls the network counts together. */
  readonly app: string
  readonly clock: NetworkClock
  readonly configured: boolean
  /** The permissions, and what each is needed for. `publish` and `connect` are required. */
  readonly scopes: readonly { scope: string; neededFor: string }[]

  /**
   * Returns the address of the consent page. `verifier` is 64 hex digits derived from a secret of the browser, which
   * only the same browser can present on its return (PKCE). Networks without PKCE ignore it.
   */
  authorizeUrl(request: { state: string; redirectUri: string; verifier: string }): string
  /** Exchanges the code of the consent page for the accounts that the person granted there. */
  connect(grant: { code: string; redirectUri: string; verifier: string }): Promise<Connection[]>
  /**
   * Renews the tokens of an account with its refresh token, or else with the person's own token. A refresh token works
   * only once.
   */
  refresh(
    account: Pick<Connection, 'externalId' | 'userToken' | 'refreshToken'>,
    reservation?: Reservation,
  ): Promise<Renewal>
  /** The maximum number of calls that `refresh` makes in the budget of a person. */
  readonly renewCost: number
  /** Revokes our permission for one account. */
  revoke(account: { externalId: string; accessToken: string }, reservation: Reservation): Promise<void>

  /** The maximum number of calls that prepare and commit make, given the handles so far. */
  cost(step: Pick<Step, 'text' | 'media' | 'handles'>): number
  /** The maximum number of calls that `find` makes. */
  readonly readCost: number
  /**
   * Does everything before the commit. It has no visible effect and is repeatable. Each handle is saved before the next
   * call, so that after a wait or a failure it continues with the saved handles.
   */
  prepare(step: Step, save: (handles: Handles) => Promise<void>): Promise<NotYet | undefined>
  /** Makes the call that cannot be undone. No client repeats it. */
  commit(step: Step): Promise<CommitResult | Accepted>
  /** Returns the address of a live post, for networks whose commit does not return it. */
  permalink?(step: Step, externalId: string): Promise<string | null>
  /**
   * Reads whether an accepted post is live or was refused later. Returns `missing` if the network does not have the
   * post that it accepted. Throws if the post cannot be read.
   */
  confirm?(step: Step): Promise<CommitResult | NetworkError | 'missing'>
  /** Comments by an account below its own live posts. Absent if the network has none. */
  comments?: {
    /** Writes a comment and returns its id. This is the commit: no client repeats it. */
    write(place: CommentPlace): Promise<string>
    /** Returns the ids of the account's comments with the same text since then. The read is complete, or it throws. */
    find(place: CommentPlace, since: Since): Promise<string[]>
  }
  /** Deletes live posts of an account. Absent if only a person can do that, on the network itself. */
  removal?: {
    /** Deletes a post. This is the commit: no client repeats it. */
    remove(place: PostPlace): Promise<void>
    /** The maximum number of calls that `isGone` makes. */
    readonly readCost: number
    /** Whether the network no longer has the post. The read is complete, or it throws. */
    isGone(place: PostPlace): Promise<boolean>
  }
  /** Conversations with customers. Absent if the network does not let apps take part in them. */
  inbox?: Inbox
  /** The numbers of comments, for a network without conversations whose posts report them. */
  commentCounts?: CommentCounts
  /** The figures of an account and of its live posts. */
  metrics: Metrics
  /** Looks up accounts of others. Absent if the network has no official way. */
  discovery?: Discovery
  /** The maximum number of calls that `examine` makes. */
  readonly examineCost: number
  /** Reads the current state of an account. Throws the network's error about its token. */
  examine(
    account: { externalId: string; accessToken: string; userToken: string | null },
    reservation: Reservation,
  ): Promise<Examination>
  /** Returns the choices that the account's owner currently allows for a post. */
  postingOptions?(
    account: { externalId: string; accessToken: string },
    reservation: Reservation,
  ): Promise<AccountChoices>
  /**
   * Returns every post of ours on the account, made since `since`, that matches this step in everything that can be
   * compared. `accepted`: the handle shows that the network has the post. `unprovable`: nothing was found, but that
   * proves nothing. The read is complete, or it throws: an unreadable network proves nothing.
   */
  find(step: Step, since: Since): Promise<RemotePost[] | 'accepted' | 'unprovable'>
}

/** Returns the permissions to request: those of a setting, with their known uses, or else the known ones. */
export const scopesOf = (setting: readonly string[] | undefined, known: Network['scopes']): Network['scopes'] =>
  setting?.map((scope) => ({ scope, neededFor: known.find((each) => each.scope === scope)?.neededFor ?? scope })) ??
  known

/** The facts about an account with a working token, each null if the network does not report it. */
export interface Examination {
  grantedScopes: string[] | null
  /** The posts of the last day and their limit; `may` if the network reports only when the limit is reached. */
  posts: { used: number; limit: number } | 'may' | null
}

/**
 * Returns the time limit in milliseconds for a request that uploads `size` bytes and has no effect: `limit` divided by
 * `timeScale`, or what the bytes take at 500 kB a second. Bytes take their time on any clock.
 */
export const uploadLimit = (limit: number, timeScale: number, size: number): number =>
  Math.round(Math.max(limit / timeScale, size / 500))

/** Returns the result of an optional request; null if it fails with a `NetworkError`. */
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

/** The networks by name. `get` throws `unknown_provider` for a network that this build does not know. */
export interface Networks {
  get(platform: string): Network
  all(): Network[]
}
