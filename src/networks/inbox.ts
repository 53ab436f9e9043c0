import type { Reservation } from './network.ts'
import type { Since } from './clock.ts'

// Conversations at a network: what it tells of customers, and how an account answers them.

/** The writer. `own`: the account itself. */
interface Sender {
  id: string
  name: string | null
  username: string | null
  own: boolean
}

interface Happened {
  /** The account at the network, and a key that the same event has again, however often and on whichever way it comes. */
  accountId: string
  key: string
  at: string
}

/** An event of a conversation, read from a network's own form. */
export type Inbound = Happened &
  (
    | {
        kind: 'comment'
        id: string
        from: Sender
        text: string
        postId: string
        /** The comment that it answers; null below the post itself. */
        parentId: string | null
        /** Below a live broadcast. */
        live?: true
        attachments: { type: string; url: string | null }[]
      }
    | {
        kind: 'message'
        id: string
        /** The customer, also of a message by the account. */
        withId: string
        own: boolean
        /** The metadata that we sent with our own message. */
        metadata: string | null
        text: string
        attachments: { type: string; url: string | null }[]
      }
    | { kind: 'edit'; id: string; text: string; number: number }
    | { kind: 'remove'; id: string }
    | { kind: 'hide'; id: string; hidden: boolean }
    | { kind: 'reaction'; id: string; reaction: string | null }
    | { kind: 'read'; withId: string; until: string }
    /** The day of a story is over: the last figures of it. Null: too few people to be told. */
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
  /** Empty with a picture. */
  text: string
  /** The address of a picture, which the network fetches; where it takes pictures in comments. */
  picture?: string | null
}

/** A direct message: to a person within a window, or to the author of a comment. */
export interface MessagePlace extends InboxPlace {
  to: { personId: string; human: boolean } | { commentId: string }
  /** Empty with a picture. */
  text: string
  /** The address of a picture, which the network fetches. */
  picture?: string | null
  /** Comes back with the network's echo of the message. */
  metadata: string
}

/** A list of a network, and where in it, that is read to find what was not told. Each is one call. */
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
  /** Whether a comment that a list lacks is gone. */
  | { list: 'comment'; comment: string; after: null }

/** A page of the comments below a post, as far as it goes back in time. */
export interface Listed {
  ids: string[]
  /** The time of its oldest comment below the post itself; null where the list ends. */
  from: string | null
  /** Comments with more answers than the page has. */
  cut: string[]
}

export interface ReadBack {
  events: Inbound[]
  next: ReadStep[]
  /** Of a list of comments. */
  listed?: Listed
}

/** The conversations of a network's accounts. */
export interface Inbox {
  /** Reads the items of a webhook's body, which was verified before. What cannot be read is `other`. */
  read(body: Uint8Array): Inbound[]
  /** Whether the network signed these bytes. A missing signature is a bad one. */
  isSigned(body: Uint8Array, signature: string | undefined): boolean
  /** The word by which the network proves that it was told of our address. */
  readonly verifyToken: string
  /** Calls that `subscribe` makes at most. */
  readonly subscribeCost: number
  /** Calls that `isSubscribed` makes at most. */
  readonly checkCost: number
  /** Has the network send the account's events to this address. Repeatable. */
  subscribe(place: InboxPlace, callbackUrl: string): Promise<void>
  /** Whether the network sends to this address all the events that `subscribe` asks for. */
  isSubscribed(place: InboxPlace, callbackUrl: string): Promise<boolean>
  /** The name of a person who wrote a direct message. Empty if the network does not tell it. */
  profile(place: InboxPlace, personId: string): Promise<{ name: string; username: string | null }>
  /**
   * Reads what was written since then, as events with the keys that webhooks give them, and the steps in which there is more.
   */
  readBack(place: InboxPlace, step: ReadStep, since: Date): Promise<ReadBack>
  /** Whether webhooks tell of a comment that its author removed. Where they do not, only reading finds it. */
  readonly tellsRemovals: boolean

  /** Answers below a comment, and returns the id of the answer. This is the commit: no client repeats it. */
  reply(place: ReplyPlace): Promise<string>
  /** The ids of answers with the same text by the account since then. The read is complete, or it throws. */
  findReplies(place: ReplyPlace, since: Since): Promise<string[]>
  /** Sends a direct message, and returns its id. This is the commit. */
  send(place: MessagePlace): Promise<string>
  /** The ids of the account's messages with the same text since then; `unprovable` where the network lists none. */
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
  /** Where older posts follow. */
  after: string | null
}

/** How many comments there are, where a network tells apps no more than that. */
export interface CommentCounts {
  /** A page of the account's posts, the newest first. One call. */
  list(place: InboxPlace, after: string | null): Promise<CountedPage>
}
