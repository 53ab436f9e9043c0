import type { Behaviour } from './ai/behaviour.ts'
import { applyPhoto, emptyPhotoState } from './graph/photo-state.ts'
import { applyInbox, emptyInboxState, type InboxEvent, type InboxState } from './graph/inbox-state.ts'
import type { PhotoEvent, PhotoState } from './graph/photo-state.ts'
import {
  applyPageVideo,
  emptyPageVideoState,
  type PageVideoEvent,
  type PageVideoState,
} from './graph/page-video-state.ts'
import { type MetricEvent, type MetricFaults, noMetricFaults } from './metrics.ts'
import { applyVideo, emptyVideoState, type VideoEvent, type VideoState } from './video/state.ts'

/**
 * Everything the stand-ins know, as one fold over the journal. All times are in milliseconds by the sandbox's clock.
 */

type Code = { appId: string; userId: string; redirectUri: string; at: number; used: boolean }
type Ending = 'expired' | 'password' | 'removed'
export type Token = {
  kind: 'user' | 'page'
  appId: string
  userId: string
  pageId?: string
  at: number
  /** 0 if it does not expire. */
  expiresAt: number
  ended?: Ending
}
export type Grant = { scopes: Record<string, 'granted' | 'declined'>; pages: string[]; at: number }
export type Photo = {
  id: string
  pageId: string
  appId: string
  at: number
  sha256: string
  mime: string
  width: number
  height: number
  caption: string
  altText?: string
  postId?: string
}
export type StoredPost = {
  id: string
  pageId: string
  appId: string
  /** When it went live; when it was created, if it is unpublished. */
  at: number
  editedAt?: number
  message: string
  link?: string
  photoIds: string[]
  published: boolean
  /** The video of the post, which is live from `at` on. */
  video?: { id: string; sha256: string; mime: string; reel?: boolean }
  /**
   * The position among all posts that ever went live, set when it goes live. Cursors of lists refer to it, whatever was
   * added or removed.
   */
  order?: number
}
/** A comment below a live post. */
export type StoredComment = {
  id: string
  postId: string
  by: string
  text: string
  at: number
  /** The name of a customer. */
  name?: string
  /** The top-level comment that it answers. */
  parentId?: string
  hidden?: boolean
  /** The URL of its picture. */
  picture?: string
}
/** `times` is sorted and covers only the last hour. `max` is the maximum number of calls in any sliding hour so far. */
type Calls = { total: number; max: number; times: number[] }
type Refusal = {
  at: number
  network: string
  method: string
  path: string
  status: number
  code: number | string
  subcode?: number
  message: string
}
/** A message accepted by SMTP. */
export type StoredMail = {
  /** The Message-ID, without brackets. */
  id: string
  at: number
  from: string
  to: string
  subject: string
  text: string
  html: string
}
/** A text message accepted for a phone. */
export type TextMessage = { id: string; at: number; from: string; to: string; text: string }
type FaultMatch = {
  network?: string
  method?: string
  path?: string
  fields?: Record<string, string>
  nth?: number
  probability?: number
}
export type FaultAction = {
  status?: number
  body?: unknown
  delayMs?: number
  drop?: 'before' | 'after'
  after?: boolean
}
export type StoredFault = {
  id: string
  match: FaultMatch
  do: FaultAction
  times?: number
  /** The state of the seeded random numbers. */
  chance: number
  seen: number
  used: number
}

export type State = PhotoState &
  InboxState &
  VideoState &
  PageVideoState & {
    offsetMs: number
    /** The next id of a post, photo or fault. It never decreases, not even with a reset. */
    nextId: number
    codes: Map<string, Code>
    tokens: Map<string, Token>
    /** By `${appId}:${userId}`. */
    grants: Map<string, Grant>
    /** Tasks by page, if the console has changed them. */
    tasks: Map<string, string[]>
    /** Webhook fields by page. */
    subscriptions: Map<string, string[]>
    posts: Map<string, StoredPost>
    photos: Map<string, Photo>
    /** By post, in the order of arrival. */
    comments: Map<string, StoredComment[]>
    /** The number of posts that ever went live. */
    wentLive: number
    /** Live posts by page, in the order in which they went live. */
    feeds: Map<string, string[]>
    deleted: Map<string, number>
    calls: Map<string, Calls>
    faults: StoredFault[]
    refused: Refusal[]
    /** Texts whose `[sim:drop-after]` has been played. */
    dropped: Map<string, true>
    /** The latest ones, in the order of arrival. */
    mails: StoredMail[]
    /** The latest ones, in the order of arrival. */
    texts: TextMessage[]
    /** The misbehaviour of the language model. `times` counts down. */
    aiBehaviour: Behaviour | null
    metricFaults: MetricFaults
  }

export type StoredEvent =
  | { type: 'started'; firstId: number }
  | { type: 'clock.advanced'; ms: number }
  | { type: 'ai.behaviour'; behaviour: Behaviour | null }
  | { type: 'ai.behaved' }
  | {
      type: 'consented'
      at: number
      appId: string
      userId: string
      granted: string[]
      declined: string[]
      pages: string[]
      code: string
      redirectUri: string
    }
  | { type: 'token.issued'; token: string; of: Token; code?: string }
  | { type: 'tokens.ended'; id: string; ending: Ending }
  | { type: 'permissions.removed'; appId: string; userId: string; scope?: string }
  | { type: 'tasks.changed'; pageId: string; tasks?: string[] }
  | { type: 'subscribed'; pageId: string; fields?: string[] }
  | { type: 'photo.made'; photo: Photo }
  | { type: 'photo.deleted'; id: string }
  | { type: 'post.made'; post: StoredPost; photos: Photo[] }
  | { type: 'post.published'; id: string; at: number }
  | { type: 'post.edited'; id: string; at: number; message: string }
  | { type: 'post.deleted'; id: string }
  | { type: 'post.dated'; id: string; at: number }
  | { type: 'comment.made'; comment: StoredComment }
  | { type: 'drop.played'; key: string }
  | { type: 'called'; userId: string; at: number }
  | { type: 'refused'; refusal: Refusal }
  | { type: 'fault.set'; fault: StoredFault }
  | { type: 'fault.seen'; id: string; used: boolean; chance: number }
  | { type: 'faults.cleared'; id?: string }
  | { type: 'mailed'; mail: StoredMail }
  | { type: 'texted'; text: TextMessage }
  | PhotoEvent
  | InboxEvent
  | VideoEvent
  | PageVideoEvent
  | MetricEvent

export const HOUR = 3_600_000
const KEPT_REFUSALS = 200
const KEPT_MAILS = 500
const KEPT_TEXTS = 500

export function emptyState(): State {
  return {
    offsetMs: 0,
    nextId: 0,
    codes: new Map(),
    tokens: new Map(),
    grants: new Map(),
    tasks: new Map(),
    subscriptions: new Map(),
    posts: new Map(),
    photos: new Map(),
    comments: new Map(),
    wentLive: 0,
    feeds: new Map(),
    deleted: new Map(),
    calls: new Map(),
    faults: [],
    refused: [],
    dropped: new Map(),
    mails: [],
    texts: [],
    aiBehaviour: null,
    metricFaults: noMetricFaults(),
    ...emptyPhotoState(),
    ...emptyInboxState(),
    ...emptyVideoState(),
    ...emptyPageVideoState(),
  }
}

/**
 * Folds one event into the state, in place, since a copy per event would make a load test quadratic. Uses no clock, no
 * random numbers and no IO: the same events always give the same state.
 */
export function apply(state: State, event: StoredEvent): void {
  switch (event.type) {
    case 'started':
      state.nextId = event.firstId
      return
    case 'clock.advanced':
      state.offsetMs += event.ms
      return
    case 'consented':
      return consent(state, event)
    case 'token.issued': {
      state.tokens.set(event.token, event.of)
      const code = event.code === undefined ? undefined : state.codes.get(event.code)
      if (code) code.used = true
      return
    }
    case 'tokens.ended':
      return endTokens(state, event.ending, (token) => token.userId === event.id || token.pageId === event.id)
    case 'permissions.removed':
      return removePermissions(state, event)
    case 'tasks.changed':
      if (event.tasks) state.tasks.set(event.pageId, event.tasks)
      else state.tasks.delete(event.pageId)
      return
    case 'subscribed':
      if (event.fields) state.subscriptions.set(event.pageId, event.fields)
      else state.subscriptions.delete(event.pageId)
      return
    case 'photo.made':
      return addPhoto(state, event.photo)
    case 'photo.deleted':
      state.photos.delete(event.id)
      return
    case 'post.made':
      for (const photo of event.photos) addPhoto(state, photo)
      return addPost(state, event.post)
    case 'post.published': {
      const post = state.posts.get(event.id)
      if (!post) return
      post.at = event.at
      return goLive(state, post)
    }
    case 'post.edited': {
      const post = state.posts.get(event.id)
      if (post) Object.assign(post, { message: event.message, editedAt: event.at })
      return
    }
    case 'post.deleted':
      return deletePost(state, event.id)
    case 'post.dated':
      return datePost(state, event)
    case 'comment.made': {
      const { comment } = event
      state.comments.set(comment.postId, [...(state.comments.get(comment.postId) ?? []), comment])
      state.nextId += 1
      return
    }
    case 'drop.played':
      state.dropped.set(event.key, true)
      return
    case 'called':
      return countCall(state, event.userId, event.at)
    case 'refused':
      state.refused.push(event.refusal)
      if (state.refused.length > KEPT_REFUSALS) state.refused.shift()
      return
    case 'fault.set':
      state.faults.push(event.fault)
      state.nextId += 1
      return
    case 'fault.seen': {
      const fault = state.faults.find(({ id }) => id === event.id)
      if (!fault) return
      fault.seen += 1
      fault.chance = event.chance
      if (event.used) fault.used += 1
      return
    }
    case 'faults.cleared':
      state.faults = event.id === undefined ? [] : state.faults.filter(({ id }) => id !== event.id)
      return
    case 'texted':
      state.texts.push(event.text)
      if (state.texts.length > KEPT_TEXTS) state.texts.shift()
      return
    case 'mailed':
      state.mails.push(event.mail)
      if (state.mails.length > KEPT_MAILS) state.mails.shift()
      return
    case 'ai.behaviour':
      state.aiBehaviour = event.behaviour
      return
    case 'ai.behaved': {
      const { times } = state.aiBehaviour ?? {}
      if (times === 1) state.aiBehaviour = null
      else if (times !== undefined) state.aiBehaviour = { ...state.aiBehaviour, times: times - 1 }
      return
    }
    case 'metrics.set':
      state.metricFaults = event.faults
      return
    case 'callback.set':
    case 'comment.changed':
    case 'message.made':
    case 'message.changed':
    case 'webhook.queued':
    case 'webhook.tried':
    case 'webhooks.set':
      return applyInbox(state, event)
    case 'container.made':
    case 'container.filled':
    case 'container.published':
    case 'story.ended':
      return applyPhoto(state, event)
    case 'page-video.begun':
    case 'page-video.part':
    case 'page-video.ended':
      return applyPageVideo(state, event)
    case 'video.consented':
    case 'video.tokens':
    case 'video.tokens.ended':
    case 'video.begun':
    case 'video.part':
    case 'video.ended':
    case 'video.commented':
    case 'video.called':
      return applyVideo(state, event)
    default:
      throw new Error(`unknown event ${JSON.stringify(event satisfies never)}`)
  }
}

/** Returns the key of a grant: the permissions that one person gave one app. */
export const grantKey = (of: { appId: string; userId: string }) => `${of.appId}:${of.userId}`

function consent(state: State, event: Extract<StoredEvent, { type: 'consented' }>): void {
  const { appId, userId, redirectUri, at } = event
  const scopes = { ...state.grants.get(grantKey(event))?.scopes }
  for (const scope of event.granted) scopes[scope] = 'granted'
  for (const scope of event.declined) scopes[scope] = 'declined'
  state.grants.set(grantKey(event), { scopes, pages: event.pages, at })
  state.codes.set(event.code, { appId, userId, redirectUri, at, used: false })
}

function endTokens(state: State, ending: Ending, concerns: (token: Token) => boolean): void {
  for (const token of state.tokens.values()) if (concerns(token)) token.ended ??= ending
}

function removePermissions(state: State, event: Extract<StoredEvent, { type: 'permissions.removed' }>): void {
  if (event.scope !== undefined) {
    delete state.grants.get(grantKey(event))?.scopes[event.scope]
    return
  }
  state.grants.delete(grantKey(event))
  endTokens(state, 'removed', (token) => token.appId === event.appId && token.userId === event.userId)
}

function addPhoto(state: State, photo: Photo): void {
  state.photos.set(photo.id, photo)
  state.nextId += 1
}

function addPost(state: State, post: StoredPost): void {
  state.posts.set(post.id, post)
  state.nextId += 1
  for (const id of post.photoIds) {
    const photo = state.photos.get(id)
    if (photo) photo.postId = post.id
  }
  if (post.published) goLive(state, post)
}

function goLive(state: State, post: StoredPost): void {
  state.wentLive += 1
  Object.assign(post, { published: true, order: state.wentLive })
  feedOf(state, post.pageId).push(post.id)
}

function deletePost(state: State, id: string): void {
  const post = state.posts.get(id)
  if (!post) return
  state.posts.delete(id)
  for (const photoId of post.photoIds) state.photos.delete(photoId)
  state.feeds.set(
    post.pageId,
    feedOf(state, post.pageId).filter((live) => live !== id),
  )
  state.deleted.set(post.pageId, (state.deleted.get(post.pageId) ?? 0) + 1)
}

/** Changes the time of a live post of any network. */
function datePost({ posts, photoPosts, uploads }: State, { id, at }: { id: string; at: number }): void {
  const post = posts.get(id) ?? photoPosts.get(id)
  if (post) post.at = at
  for (const { end } of uploads.values()) if (end?.postId === id) end.doneAt = at
}

function feedOf(state: State, pageId: string): string[] {
  const feed = state.feeds.get(pageId) ?? []
  state.feeds.set(pageId, feed)
  return feed
}

function countCall(state: State, userId: string, at: number): void {
  const calls = state.calls.get(userId) ?? { total: 0, max: 0, times: [] }
  calls.times.push(at)
  while (calls.times[0] !== undefined && calls.times[0] <= at - HOUR) calls.times.shift()
  calls.total += 1
  calls.max = Math.max(calls.max, calls.times.length)
  state.calls.set(userId, calls)
}
