import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { findComment } from './graph/comments.ts'
import { conversationKey, type StoredMessage } from './graph/inbox-state.ts'
import { photoPermalink } from './graph/photo.ts'
import { liveOf, ownerOf, tellComment, tellMessage, tellMessaging } from './graph/webhooks.ts'
import { onlyOwnJson } from './guard.ts'
import { HttpError } from './http.ts'
import { NETWORKS, videosOf } from './networks.ts'
import { findCreator, findPhotoAccount } from './people.ts'
import type { StoredComment } from './state.ts'
import type { Store } from './store.ts'

/** An action of a customer, or of the account in the network's own inbox (`echo`). */
export const Inbound = z.strictObject({
  network: z.enum(NETWORKS),
  accountId: z.string(),
  kind: z.enum(['comment', 'dm', 'echo', 'edit', 'remove', 'hide', 'unhide', 'react', 'read', 'story', 'live']),
  from: z
    .strictObject({ id: z.string().optional(), name: z.string().default('Customer') })
    .default({ name: 'Customer' }),
  text: z.string().default(''),
  postId: z.string().optional(),
  parentId: z.string().optional(),
  /** The files of a direct message, by their URLs at the network. */
  attachments: z
    .array(z.strictObject({ type: z.string(), url: z.url() }))
    .max(10)
    .optional(),
  /** The URL of a picture in a comment. */
  picture: z.url().optional(),
  /** The comment or message to change. */
  id: z.string().optional(),
  /** When a comment or message happened at the network; now by default. */
  at: z.iso.datetime().optional(),
  /** The number of the edit of a message. */
  number: z.int().min(1).default(1),
})
type Inbound = z.infer<typeof Inbound>

export const NewWebhookFaults = z.strictObject({
  duplicate: z.boolean().optional(),
  shuffle: z.boolean().optional(),
  batch: z.boolean().optional(),
  delayMs: z.int().min(0).max(86_400_000).optional(),
  drop: z.boolean().optional(),
  badSignature: z.boolean().optional(),
  echoFirst: z.boolean().optional(),
  listedAfterMs: z.int().min(0).max(86_400_000).optional(),
})

/** `POST /inbound` plays a customer, for a test or a person. `PUT /webhooks` sets how webhooks misbehave. */
export function inboundRoutes(app: FastifyInstance, store: Store, base: (request: FastifyRequest) => string): void {
  app.post('/inbound', async (request, reply) => {
    onlyOwnJson(request)
    return reply.code(201).send(happen(store, Inbound.parse(request.body), base(request)))
  })
  app.put('/webhooks', async (request) => {
    onlyOwnJson(request)
    const faults = NewWebhookFaults.parse(request.body)
    store.record({ type: 'webhooks.set', faults })
    return faults
  })
  app.get('/webhooks', async () => {
    const { webhooks, webhooksSent: sent } = store.state
    return { waiting: webhooks.size, sent }
  })
}

/**
 * Makes an action happen at the network, which reports it. `base` is the address of the sandbox as the caller sees it.
 */
export function happen(store: Store, input: Inbound, base: string): { id: string; threadKey: string } {
  const { accountId, kind, text, from } = input
  if (findCreator(accountId)) return onVideo(store, input)
  const personId = from.id ?? personOf(from.name)
  const direct = { threadKey: `dm:${personId}` }
  switch (kind) {
    case 'comment':
      return comment(store, input, personId)
    case 'live':
      if (!findPhotoAccount(accountId)) throw new HttpError(400, 'Only photo accounts can broadcast.')
      return comment(store, { ...input, postId: liveOf(accountId) }, personId)
    case 'story':
    case 'dm':
    case 'echo': {
      const id = `m_${store.state.nextId}`
      const message: StoredMessage = {
        id,
        accountId,
        personId,
        by: kind === 'echo' ? accountId : personId,
        text,
        ...(kind === 'story' && { story: storyOf(store, input, base) }),
        name: from.name,
        ...(input.attachments && { attachments: input.attachments }),
        at: timeOf(store, input),
      }
      store.record({ type: 'message.made', message })
      tellMessage(store, message)
      return { id, ...direct }
    }
    case 'read':
      tellMessaging(store, accountId, personId, { read: { watermark: store.clock.now() } })
      return { id: personId, ...direct }
    default:
      return change(store, input, personId)
  }
}

/** Returns the live story of the account that a person answers. */
function storyOf({ state }: Store, { accountId, postId = '' }: Inbound, base: string) {
  const story = state.photoPosts.get(postId)
  if (story?.accountId !== accountId || !story.story) throw new HttpError(404, 'The account has no story with this ID.')
  return { id: postId, url: photoPermalink(base, story) }
}

const personOf = (name: string) => `7${parseInt(createHash('sha256').update(name).digest('hex').slice(0, 12), 16)}`

/** An event of the past can be reported late, but none can be in the future. */
function timeOf(store: Store, { at }: Inbound): number {
  const now = store.clock.now()
  const time = at === undefined ? now : Date.parse(at)
  if (time > now) throw new HttpError(400, 'The time must not be in the future.')
  return time
}

/** Adds or removes a comment on the video network, which reports only the number of comments of a post to apps. */
function onVideo(store: Store, { accountId, kind, postId = '' }: Inbound) {
  if (kind !== 'comment' && kind !== 'remove') throw new HttpError(400, 'This network notifies apps only of comments.')
  if (!videosOf(store, accountId).some(({ end }) => end?.postId === postId)) {
    throw new HttpError(404, 'The account has no post with this ID.')
  }
  if (findCreator(accountId)?.commentsOff) throw new HttpError(400, 'Comments are off on this account.')
  const id = `vc${store.state.nextId}`
  store.record({ type: 'video.commented', postId, by: kind === 'comment' ? 1 : -1 })
  return { id, threadKey: `post:${postId}` }
}

function comment(store: Store, input: Inbound, personId: string) {
  const { accountId, from, text, postId, parentId, picture } = input
  const parent = parentId === undefined ? undefined : findComment(store, parentId)
  const below = parent?.postId ?? postId ?? ''
  if (ownerOf(store, below) !== accountId) throw new HttpError(404, 'The account has no post with this ID.')
  const root = parent && (parent.parentId ?? parent.id)
  const made: StoredComment = {
    id: `${below}_${store.state.nextId}`,
    postId: below,
    by: personId,
    name: from.name,
    text,
    at: timeOf(store, input),
    ...(root !== undefined && { parentId: root }),
    ...(picture !== undefined && { picture }),
  }
  store.record({ type: 'comment.made', comment: made })
  tellComment(store, made, 'add')
  return { id: made.id, threadKey: `c:${root ?? made.id}:${personId}` }
}

function change(store: Store, { accountId, kind, id = '', text, number }: Inbound, personId: string) {
  const found = findComment(store, id)
  if (found) {
    if (kind === 'edit') store.record({ type: 'comment.changed', id, text })
    else if (kind === 'remove') store.record({ type: 'comment.changed', id, removed: true })
    else store.record({ type: 'comment.changed', id, hidden: kind === 'hide' })
    const verb = kind === 'edit' ? 'edited' : kind === 'remove' ? 'remove' : kind === 'hide' ? 'hide' : 'unhide'
    tellComment(store, { ...found, ...(kind === 'edit' && { text }) }, verb)
    return { id, threadKey: `c:${found.parentId ?? id}:${found.by}` }
  }
  const message = store.state.messages.get(conversationKey(accountId, personId))?.find((each) => each.id === id)
  if (!message) throw new HttpError(404, 'No comment or message has this ID.')
  if (kind === 'edit') store.record({ type: 'message.changed', accountId, personId, id, text })
  if (kind === 'remove') store.record({ type: 'message.changed', accountId, personId, id, removed: true })
  if (kind === 'edit') tellMessaging(store, accountId, personId, { message_edit: { mid: id, text, num_edit: number } })
  else if (kind === 'remove') tellMessaging(store, accountId, personId, { message: { mid: id, is_deleted: true } })
  else
    tellMessaging(store, accountId, personId, {
      reaction: { mid: id, action: kind === 'react' ? 'react' : 'unreact', emoji: text || '❤' },
    })
  return { id, threadKey: `dm:${personId}` }
}
