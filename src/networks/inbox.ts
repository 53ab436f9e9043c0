import type { Since } from './clock.ts'
import type { Reservation } from './reservation.ts'

// Conversations at a network: the customers' events that it reports, and the answers of an account.

/** The author. `own` is true for the account itself. */
interface Sender {
  id: string
  name: string | null
  username: string | null
  own: boolean
}

interface Happened {
  /** The account at the network, and a key that the event keeps however often and by whatever way it arrives. */
  accountId: string
  key: string
  at: string
}

/** An event of a conversation, converted from a network's own format. */
export type Inbound = Happened &
  (
    | {
        kind: 'comment'
        id: string
        from: Sender
        text: string
        postId: string
        /**
         * Other ids by which the network names the post: that of the original of a boosted copy, or of the post of a
         * picture.
         */
        alsoPosts?: readonly string[]
        /** The comment that it answers; null directly below the post. */
        parentId: string | null
        /** Whether it is below a live broadcast. */
        live?: true
        attachments: { type: string; url: string | null }[]
      }
    | {
        kind: 'message'
        id: string
        /** The customer, even if the account wrote the message. */
        withId: string
        own: boolean
        /** The metadata that we sent with the message, if it is ours. */
        metadata: string | null
        text: string
        attachments: { type: string; url: string | null }[]
      }
    | { kind: 'edit'; id: string; text: string; number: number }
    | { kind: 'remove'; id: string }
    | { kind: 'hide'; id: string; hidden: boolean }
    | { kind: 'reaction'; id: string; reaction: string | null }
    | { kind: 'read'; withId: string; until: string }
    /** The final figures of a story, at the end of its day. Null if too few people saw it. */
    | { kind: 'story_end'; id: string; reach: number | null; impressions: number | null }
    | { kind: 'other' }
  )

export interface InboxPlace {
  account: { externalId: string; accessToken: string }
  reservation: Reservation
}

/** An answer below a comment. */
export interface ReplyPlace extends InboxPlace {
  commentId: string
  /** Empty if there is a picture. */
  text: string
  /** The URL of a picture, which the network fetches. Only for networks that accept pictures in comments. */
  picture?: string | null
}

/** A direct message to a person within a window, or to the author of a comment. */
export interface MessagePlace extends InboxPlace {
  to: { personId: string; human: boolean } | { commentId: string }
  /** Empty if there is a picture. */
  text: string
  /** The URL of a picture, which the network fetches. */
  picture?: string | null
  /** Returned in the network's echo of the message. */
  metadata: string
}

/** A list of a network and a position in it, to be read for events that webhooks missed. Each step is one call. */
export type ReadStep =
  | { list: 'conversations'; after: string | null }
  | { list: 'messages'; conversation: string; after: string | null }
  | {
      list: 'comments'
      post: string
      after: string | null
      /** The time of the last comment before this page. */
      before?: string
    }
  /** Checks whether a comment that is missing from a list is gone. */
  | { list: 'comment'; comment: string; after: null }

/** A page of the comments below a post, and how far back in time it reaches. */
export interface Listed {
  ids: string[]
  /** The time of the oldest comment on the page that is directly below the post; null at the end of the list. */
  from: string | null
  /** Comments with more answers than the page shows. */
  cut: string[]
}

export interface ReadBack {
  events: Inbound[]
  next: ReadStep[]
  /** Only for a list of comments. */
  listed?: Listed
}

/** The conversations of a network's accounts. */
export interface Inbox {
  /** Returns the items of a webhook's body, whose signature has been verified. Unreadable items are `other`. */
  read(body: Uint8Array): Inbound[]
  /** Whether the network signed these bytes. A missing signature is invalid. */
  isSigned(body: Uint8Array, signature: string | undefined): boolean
  /** The token by which the network proves, in the handshake, that it got the callback address from us. */
  readonly verifyToken: string
  /** The maximum number of calls that `subscribe` makes. */
  readonly subscribeCost: number
  /** The maximum number of calls that `isSubscribed` makes. */
  readonly checkCost: number
  /** Makes the network send the account's events to this address. Repeatable. */
  subscribe(place: InboxPlace, callbackUrl: string): Promise<void>
  /** Whether the network sends all events that `subscribe` requests to this address. */
  isSubscribed(place: InboxPlace, callbackUrl: string): Promise<boolean>
  /** Returns the name of a person who wrote a direct message. Empty if the network does not report it. */
  profile(place: InboxPlace, personId: string): Promise<{ name: string; username: string | null }>
  /**
   * Reads messages and comments written since then, as events with the same keys that webhooks give them, and returns
   * the steps that have more.
   */
  readBack(place: InboxPlace, step: ReadStep, since: Date): Promise<ReadBack>
  /** Whether webhooks report comments that their authors removed. If not, only reading finds removals. */
  readonly tellsRemovals: boolean

  /** Answers a comment and returns the id of the answer. This is the commit: no client repeats it. */
  reply(place: ReplyPlace): Promise<string>
  /** Returns the ids of the account's answers with the same text since then. The read is complete, or it throws. */
  findReplies(place: ReplyPlace, since: Since): Promise<string[]>
  /** Sends a direct message and returns its id. This is the commit. */
  send(place: MessagePlace): Promise<string>
  /**
   * Returns the ids of the account's messages with the same text since then; `unprovable` if the network lists none.
   */
  findMessages(place: MessagePlace, since: Since): Promise<string[] | 'unprovable'>
  /** Hides a comment, or shows it again. Repeatable. */
  hide(place: InboxPlace & { commentId: string; hidden: boolean }): Promise<void>
  isHidden(place: InboxPlace & { commentId: string }): Promise<boolean>
}

/** A post with the number of its comments. */
export interface CountedPost {
  id: string
  at: string
  text: string
  url: string | null
  comments: number
}

export interface CountedPage {
  posts: CountedPost[]
  /** The cursor of older posts, if there are any. */
  after: string | null
}

/** The numbers of comments, for networks that report nothing more to apps. */
export interface CommentCounts {
  /** Returns a page of the account's posts, newest first. One call. */
  list(place: InboxPlace, after: string | null): Promise<CountedPage>
}
