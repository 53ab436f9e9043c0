import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Inbound } from '../inbox.ts'
import { wholeNumber } from '../metrics.ts'

// The webhooks of the Graph API: a signature over the raw bytes, and entries with `changes` and `messaging`.

/**
 * Whether the app's secret signed these bytes. A body that was parsed and serialized again would have another
 * signature.
 */
export function isSigned(secret: string, body: Uint8Array, signature: string | undefined): boolean {
  const told = Buffer.from(signature ?? '')
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  return secret !== '' && told.length === right.length && timingSafeEqual(told, right)
}

const Id = z.union([z.string(), z.number()]).transform(String)
const Person = z.looseObject({ id: Id, name: z.string().optional(), username: z.string().optional() })
const Change = z.looseObject({ field: z.string(), value: z.looseObject({}) })
const Attachment = z.looseObject({
  type: z.string(),
  payload: z.looseObject({ url: z.string().optional() }).optional(),
})
const Messaging = z.looseObject({
  sender: z.looseObject({ id: Id }),
  recipient: z.looseObject({ id: Id }),
  timestamp: z.number(),
  message: z
    .looseObject({
      mid: z.string(),
      text: z.string().optional(),
      is_echo: z.boolean().optional(),
      is_deleted: z.boolean().optional(),
      metadata: z.string().optional(),
      attachments: z.array(Attachment).optional(),
      reply_to: z.looseObject({ story: z.looseObject({ url: z.string().optional() }).optional() }).optional(),
    })
    .optional(),
  message_edit: z.looseObject({ mid: z.string(), text: z.string(), num_edit: z.number() }).optional(),
  reaction: z.looseObject({ mid: z.string(), action: z.string(), emoji: z.string().optional() }).optional(),
  read: z.looseObject({ watermark: z.number().optional() }).optional(),
})
const Body = z.looseObject({
  object: z.string(),
  entry: z.array(
    z.looseObject({
      id: Id,
      time: z.number(),
      changes: z.array(z.unknown()).optional(),
      messaging: z.array(z.unknown()).optional(),
      standby: z.array(z.unknown()).optional(),
    }),
  ),
})

const PageComment = z.looseObject({
  item: z.literal('comment'),
  verb: z.string(),
  comment_id: z.string(),
  from: Person.optional(),
  post_id: z.string().optional(),
  post: z.looseObject({ id: Id.optional() }).optional().catch(undefined),
  parent_id: z.string().optional(),
  created_time: z.number().optional(),
  message: z.string().optional(),
  photo: z.string().optional(),
  video: z.string().optional(),
})
const PhotoComment = z.looseObject({
  id: z.string(),
  text: z.string().optional(),
  from: Person,
  media: z.looseObject({ id: z.string(), original_media_id: Id.optional().catch(undefined) }),
  parent_id: z.string().optional(),
})

const StoryEnd = z.looseObject({ media_id: Id, reach: z.unknown(), impressions: z.unknown() })

/** Reads a count; null for -1, which the network reports below five. */
const counted = (value: unknown): number | null => {
  const number = wholeNumber(value)
  return number !== null && number >= 0 ? number : null
}

/** The network reports seconds in some places and milliseconds in others. */
const isoTime = (time: number) => new Date(time < 1e11 ? time * 1000 : time).toISOString()

/** Returns the items of a body; empty if it is about another object. Throws if the body is malformed. */
export function readWebhook(bytes: Uint8Array, object: 'page' | 'instagram'): Inbound[] {
  const body = Body.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  if (body.object !== object) return []
  return body.entry.flatMap((entry) => [
    ...(entry.changes ?? []).map((change) => readChange(entry, change)),
    ...[...(entry.messaging ?? []), ...(entry.standby ?? [])].map((item) => readMessaging(entry, item)),
  ])
}

interface Entry {
  id: string
  time: number
}

/**
 * Returns the fields that every item has. `other` also adds a key, the item's hash, for items without a key of their
 * own.
 */
function toldIn(entry: Entry, item: unknown) {
  const told = { accountId: entry.id, at: isoTime(entry.time) }
  const other = () => ({ ...told, kind: 'other' as const, key: hashed(entry, item) })
  return { told, other }
}

const hashed = (entry: Entry, item: unknown) =>
  createHash('sha256')
    .update(`${entry.time} ${JSON.stringify(item)}`)
    .digest('hex')

function readChange(entry: Entry, item: unknown): Inbound {
  const { told, other } = toldIn(entry, item)
  const change = Change.safeParse(item)
  if (!change.success) return other()
  const { field, value } = change.data
  const live = field === 'live_comments'
  const photo = field === 'comments' || live ? PhotoComment.safeParse(value) : undefined
  if (photo?.success) {
    const { id, from, media, text = '', parent_id: parentId = null } = photo.data
    return {
      ...told,
      key: `c:${id}`,
      kind: 'comment',
      id,
      from: sender(entry, from),
      text,
      postId: media.id,
      ...alsoPosts(media.id, [media.original_media_id]),
      parentId,
      ...(live && { live }),
      attachments: [],
    }
  }
  const story = field === 'story_insights' ? StoryEnd.safeParse(value) : undefined
  if (story?.success) {
    const { media_id: id, reach, impressions } = story.data
    return {
      ...told,
      key: `story:${id}`,
      kind: 'story_end',
      id,
      reach: counted(reach),
      impressions: counted(impressions),
    }
  }
  const parsed = field === 'feed' ? PageComment.safeParse(value) : undefined
  if (!parsed?.success) return other()
  const {
    comment_id: id,
    verb,
    from,
    message = '',
    photo: picture,
    video,
    post_id: postId,
    parent_id: parent,
  } = parsed.data
  switch (verb) {
    case 'add': {
      if (!from || !postId) return other()
      const isBelowPost = parent === postId || (parent !== undefined && isPost(entry, parent))
      return {
        ...told,
        key: `c:${id}`,
        at: isoTime(parsed.data.created_time ?? entry.time),
        kind: 'comment',
        id,
        from: sender(entry, from),
        text: message,
        postId,
        ...alsoPosts(postId, [parsed.data.post?.id, isBelowPost ? parent : undefined]),
        parentId: parent === undefined || isBelowPost ? null : parent,
        attachments: [
          ...(picture ? [{ type: 'image', url: picture }] : []),
          ...(video ? [{ type: 'video', url: video }] : []),
        ],
      }
    }
    case 'edit':
    case 'edited':
      return { ...other(), kind: 'edit', id, text: message, number: 0 }
    case 'remove':
      return { ...told, key: `del:${id}`, kind: 'remove', id }
    case 'hide':
    case 'unhide':
      return { ...other(), kind: 'hide', id, hidden: verb === 'hide' }
    default:
      return other()
  }
}

/** Whether an id is that of a post of a page: below a picture of a post, the parent of a comment may be the post. */
const isPost = (page: Entry, id: string) => id.startsWith(`${page.id}_`) && /^\d+$/.test(id.slice(page.id.length + 1))

/** Returns the ids of a comment's post besides the one that is given. */
function alsoPosts(postId: string, ids: readonly (string | undefined)[]) {
  const others = new Set(ids.filter((id) => id !== undefined && id !== postId) as string[])
  return others.size === 0 ? {} : { alsoPosts: [...others] }
}

const sender = (entry: Entry, { id, name, username }: z.infer<typeof Person>) => ({
  id,
  name: name ?? username ?? null,
  username: username ?? null,
  own: id === entry.id,
})

function readMessaging(entry: Entry, item: unknown): Inbound {
  const { told, other } = toldIn(entry, item)
  const parsed = Messaging.safeParse(item)
  if (!parsed.success) return other()
  const { sender: from, recipient, timestamp, message, message_edit: edit, reaction, read } = parsed.data
  const at = isoTime(timestamp)
  const own = from.id === entry.id
  const withId = own ? recipient.id : from.id
  if (message?.is_deleted) return { ...told, key: `del:${message.mid}`, at, kind: 'remove', id: message.mid }
  if (message) {
    const { mid, text = '', metadata = null, attachments = [], reply_to: answers } = message
    const files = attachments.map(({ type, payload }) => ({ type, url: payload?.url ?? null }))
    const { story } = answers ?? {}
    return {
      ...told,
      key: `${own || message.is_echo ? 'e' : 'm'}:${mid}`,
      at,
      kind: 'message',
      id: mid,
      withId,
      own: own || message.is_echo === true,
      metadata,
      text,
      attachments: story ? [{ type: 'story', url: story.url ?? null }, ...files] : files,
    }
  }
  if (edit) {
    const { mid, text, num_edit: number } = edit
    return { ...told, key: `edit:${mid}:${number}`, at, kind: 'edit', id: mid, text, number }
  }
  if (reaction) {
    return {
      ...other(),
      at,
      kind: 'reaction',
      id: reaction.mid,
      reaction: reaction.action === 'react' ? (reaction.emoji ?? '❤') : null,
    }
  }
  if (read?.watermark !== undefined) {
    return {
      ...told,
      key: `read:${withId}:${read.watermark}`,
      at,
      kind: 'read',
      withId,
      until: isoTime(read.watermark),
    }
  }
  return other()
}
