import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY } from '../days.ts'
import { figuresOf } from '../metrics.ts'
import { findPage, findPhotoAccount, photoAccountOf } from '../people.ts'
import type { StoredComment } from '../state.ts'
import type { Store } from '../store.ts'
import type { StoredMessage } from './inbox-state.ts'
import { FEWEST_VIEWERS, ofPhoto } from './insights.ts'
import type { GraphApp } from './tokens.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The waits after each failed try of a webhook, then every six hours. Any answer but 200 is a failure. */
const AGAIN = [0, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR] as const
const SELDOM = 6 * HOUR
const GIVEN_UP = 36 * HOUR

/** Queues the event of a comment in the network's format, if the app is subscribed to it. */
export function tellComment(
  store: Store,
  comment: StoredComment,
  verb: 'add' | 'edited' | 'remove' | 'hide' | 'unhide',
): void {
  const photo = findPhotoAccount(ownerOf(store, comment.postId))
  const at = store.clock.now()
  if (photo) {
    // The photo network reports only new comments.
    if (verb !== 'add') return
    const field = isLive(comment.postId) ? 'live_comments' : 'comments'
    if (!listens(store, photo.id, field)) return
    const value = {
      id: comment.id,
      text: comment.text,
      from: { id: comment.by, username: comment.name ?? photo.username },
      media: { id: comment.postId, media_product_type: isLive(comment.postId) ? 'LIVE' : 'FEED' },
      ...(comment.parentId !== undefined && { parent_id: comment.parentId }),
    }
    queue(store, 'instagram', {
      id: photo.id,
      time: Math.floor(comment.at / 1000),
      changes: [{ field, value }],
    })
    return
  }
  const page = findPage(ownerOf(store, comment.postId))
  if (!page || !listens(store, page.id, 'feed')) return
  const value = {
    item: 'comment',
    verb,
    from: { id: comment.by, name: comment.name ?? page.name },
    post_id: comment.postId,
    comment_id: comment.id,
    parent_id: comment.parentId ?? comment.postId,
    created_time: Math.floor(comment.at / 1000),
    ...(verb !== 'remove' && comment.text !== '' && { message: comment.text }),
    ...(verb !== 'remove' && comment.picture !== undefined && { photo: comment.picture }),
    post: { id: comment.postId, is_published: true },
  }
  // The `time` of an edit is in milliseconds here, so that two edits within a second have an order.
  queue(store, 'page', {
    id: page.id,
    time: verb === 'add' ? Math.floor(at / 1000) : at,
    changes: [{ field: 'feed', value }],
  })
}

/** Queues an item of `messaging` for an account. Returns the id of the webhook; undefined if none is sent. */
export function tellMessaging(
  store: Store,
  accountId: string,
  personId: string,
  item: object,
  by = personId,
  at = store.clock.now(),
): string | undefined {
  const photo = findPhotoAccount(accountId)
  if (!listens(store, accountId, 'messages')) return undefined
  const other = by === accountId ? personId : accountId
  const messaging = [{ sender: { id: by }, recipient: { id: other }, timestamp: at, ...item }]
  return queue(store, photo ? 'instagram' : 'page', { id: accountId, time: at, messaging })
}

/**
 * Queues a message for an account, as an echo if the account wrote it. Returns the id of the webhook; undefined if none
 * is sent.
 */
export function tellMessage(store: Store, stored: StoredMessage): string | undefined {
  const { id, accountId, personId, by, text, attachments = [], metadata, story } = stored
  const own = by === accountId
  const message = {
    mid: id,
    ...(text !== '' && { text }),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ type, url }) => ({ type, payload: { url } })),
    }),
    ...(own && { is_echo: true, app_id: 1 }),
    ...(own && metadata !== undefined && { metadata }),
    ...(story && { reply_to: { story } }),
  }
  return tellMessaging(store, accountId, personId, { message }, by, stored.at)
}

/** Reports the final figures of stories whose day has ended. Small counts become -1. */
function tellEnded(store: Store): void {
  const { photoPosts, endedStories } = store.state
  const now = store.clock.now()
  for (const post of photoPosts.values()) {
    const endsAt = post.at + DAY
    if (!post.story || endsAt > now || endedStories.has(post.id)) continue
    store.record({ type: 'story.ended', id: post.id })
    const figures = figuresOf(ofPhoto(post, false).measured, endsAt)
    if (!figures || !listens(store, post.accountId, 'story_insights')) continue
    const { reach, impressions } = figures
    const told = { reach, impressions, taps_forward: impressions - reach, taps_back: 0, exits: 0, replies: 0 }
    const counts = Object.entries(told).map(([name, count]) => [name, count < FEWEST_VIEWERS ? -1 : count])
    const value = { media_id: post.id, ...Object.fromEntries(counts) }
    queue(store, 'instagram', {
      id: post.accountId,
      time: Math.floor(now / 1000),
      changes: [{ field: 'story_insights', value }],
    })
  }
}

/** Returns the page or photo account that a post belongs to. */
export const ownerOf = ({ state }: Store, postId: string): string =>
  isLive(postId)
    ? postId.slice(LIVE.length)
    : (state.photoPosts.get(postId)?.accountId ?? state.posts.get(postId)?.pageId ?? '')

/** Returns the live broadcast of a photo account, which is always on. */
export const liveOf = (accountId: string) => `${LIVE}${accountId}`
const isLive = (postId: string) => postId.startsWith(LIVE)
const LIVE = '9000'

/**
 * Whether an app receives these events of the account. For a photo account, any subscription of the linked page
 * suffices.
 */
function listens({ state }: Store, accountId: string, field: string): boolean {
  const photo = findPhotoAccount(accountId)
  const fields = state.subscriptions.get(photo?.pageId ?? accountId)
  const callback = state.callbacks.get(photo ? 'instagram' : 'page')
  return (
    callback !== undefined &&
    (photo ? callback.fields.includes(field) && fields !== undefined : (fields?.includes(field) ?? false))
  )
}

function queue(store: Store, object: 'page' | 'instagram', entry: object): string | undefined {
  const { webhookFaults: faults, nextId } = store.state
  if (faults.drop) return undefined
  const at = store.clock.now()
  const dueAt = at + (faults.delayMs ?? 0)
  const id = String(nextId)
  store.record({ type: 'webhook.queued', webhook: { id, object, entry, tries: 0, at, dueAt } })
  return id
}

/** The maximum time that an answer waits for its webhook to be accepted. */
const TOLD_WITHIN = 5 * SECOND

/** Waits until a webhook is accepted, but not longer than `TOLD_WITHIN`. */
export async function untilTold({ state }: Store, id: string): Promise<void> {
  for (const end = Date.now() + TOLD_WITHIN; state.webhooks.has(id) && Date.now() < end;) await sleep(5)
}

/** Returns the page and the photo account linked to it, which a page's token gives access to. */
export const accountsOf = (pageId: string): string[] => {
  const page = findPage(pageId)
  const photo = page && photoAccountOf(page)
  return photo ? [pageId, photo.id] : [pageId]
}

/** Sends webhooks, signed over their raw bytes, until stopped. Any answer but 200 causes a retry. */
export function startWebhooks(store: Store, apps: readonly GraphApp[], timeScale: number): () => void {
  let sending = false
  const timer = setInterval(() => {
    if (sending || store.state.webhooks.size === 0) return
    sending = true
    void pump().finally(() => (sending = false))
  }, 20).unref()
  const ending = setInterval(() => tellEnded(store), 250).unref()

  async function pump(): Promise<void> {
    const { webhookFaults: faults, webhooks, callbacks } = store.state
    const now = store.clock.now()
    const due = [...webhooks.values()].filter(({ dueAt }) => dueAt <= now)
    if (faults.shuffle) due.reverse()
    for (const object of ['page', 'instagram'] as const) {
      const callback = callbacks.get(object)
      const items = due.filter((each) => each.object === object)
      for (const batch of faults.batch ? [items.slice(0, 1000)] : items.map((item) => [item])) {
        if (!callback || batch.length === 0) continue
        const secret = apps.find(({ id }) => id === callback.appId)?.secret ?? ''
        const body = escaped({ object, entry: batch.map(({ entry }) => entry) })
        const signature = createHmac('sha256', faults.badSignature ? 'wrong' : secret)
          .update(body)
          .digest('hex')
        const taken = await send(callback.url, body, signature)
        if (taken && faults.duplicate) await send(callback.url, body, signature)
        for (const { id, tries, at } of batch) {
          const isOver = taken || store.clock.now() - at > GIVEN_UP
          const wait = (AGAIN[tries] ?? SELDOM) / timeScale
          store.record({ type: 'webhook.tried', id, ...(!isOver && { dueAt: store.clock.now() + wait }) })
        }
      }
    }
  }
  return () => {
    clearInterval(timer)
    clearInterval(ending)
  }
}

/** Escapes all non-ASCII characters, as the real network does before it signs the bytes. */
const escaped = (body: object) =>
  JSON.stringify(body).replaceAll(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

async function send(url: string, body: string, signature: string): Promise<boolean> {
  try {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
    })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false // no answer: sent again later
  }
}
