import { createHmac } from 'node:crypto'
import * as z from 'zod'
import { foreign, NetworkError } from '../answers.ts'
import { windowFrom } from '../clock.ts'
import type { Inbox, InboxPlace, MessagePlace } from '../inbox.ts'
import { sameText } from '../rules.ts'
import { graphComments } from './comments.ts'
import { type Graph, timeOf } from './graph.ts'
import { readBack } from './read-back.ts'
import { isSigned, readWebhook } from './webhook.ts'

const Done = z.looseObject({ success: z.literal(true) })
const Sent = z.looseObject({ message_id: z.string().min(1) })
const Profile = z.looseObject({
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  name: z.string().optional(),
  username: z.string().optional(),
})
const Callbacks = z.looseObject({
  data: z.array(
    z.looseObject({
      object: z.string(),
      callback_url: z.string(),
      fields: z.array(z.looseObject({ name: z.string() })),
    }),
  ),
})
const Subscriptions = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), subscribed_fields: z.array(z.string()).default([]) })),
})
const Conversations = z.looseObject({
  data: z.array(
    z.looseObject({
      messages: z.looseObject({
        data: z.array(
          z.looseObject({
            id: z.string(),
            message: z.string().optional(),
            from: z.looseObject({ id: z.string() }),
            created_time: z.string(),
            attachments: z.looseObject({ data: z.array(z.looseObject({})) }).optional(),
          }),
        ),
        paging: z.looseObject({ next: z.string().optional() }).optional(),
      }),
    }),
  ),
})

/**
 * Both networks share the subscription of the page, so each requests all fields and none removes those of the other.
 */
const FIELDS = ['feed', 'messages', 'message_echoes', 'message_edits', 'message_reads', 'message_reactions']
const OBJECTS = { page: FIELDS, instagram: ['comments', 'live_comments', 'messages', 'story_insights'] }

interface InboxSettings {
  object: 'page' | 'instagram'
  appId: string
  appSecret: string
  verifyToken: string | undefined
}

/** Conversations over the Graph API. Messages of both networks use the node of the page that the token belongs to. */
export function graphInbox(graph: Graph, { object, appId, appSecret, verifyToken }: InboxSettings): Inbox {
  const { call } = graph
  const isPage = object === 'page'
  const replies = graphComments(
    graph,
    isPage
      ? {
          fields: 'id,message,created_time,from{id},attachment{type}',
          filter: 'stream',
          order: 'reverse_chronological',
          limit: '100',
        }
      : { fields: 'id,text,timestamp,from{id}', limit: '50' },
    isPage ? 'comments' : 'replies',
  )
  const appToken = `${appId}|${appSecret}`
  const token = verifyToken ?? createHmac('sha256', appSecret).update('verify').digest('hex')
  const hiddenField = isPage ? 'is_hidden' : 'hidden'
  const Hidden = z.looseObject({ id: z.string(), is_hidden: z.boolean().optional(), hidden: z.boolean().optional() })

  return {
    isSigned: (body, signature) => isSigned(appSecret, body, signature),
    read: (body) => readWebhook(body, object),
    verifyToken: token,

    subscribeCost: 2,
    checkCost: 2,

    async subscribe({ account, reservation }, callbackUrl) {
      await call({
        method: 'POST',
        path: `/${appId}/subscriptions`,
        token: appToken,
        params: {
          object,
          callback_url: callbackUrl,
          verify_token: token,
          fields: OBJECTS[object].join(','),
          include_values: true,
        },
        answer: Done,
        reservation,
      })
      await call({
        method: 'POST',
        path: '/me/subscribed_apps',
        token: account.accessToken,
        params: { subscribed_fields: FIELDS.join(',') },
        answer: Done,
        reservation,
      })
    },

    async isSubscribed({ account, reservation }, callbackUrl) {
      const callbacks = await call({
        method: 'GET',
        path: `/${appId}/subscriptions`,
        token: appToken,
        answer: Callbacks,
        reservation,
      })
      const callback = callbacks.data.find((each) => each.object === object)
      const sent = new Set(callback?.fields.map(({ name }) => name))
      if (callback?.callback_url !== callbackUrl || !OBJECTS[object].every((field) => sent.has(field))) return false
      const { data } = await call({
        method: 'GET',
        path: '/me/subscribed_apps',
        token: account.accessToken,
        answer: Subscriptions,
        reservation,
      })
      const ours = data.find(({ id }) => id === appId)
      return FIELDS.every((field) => ours?.subscribed_fields.includes(field))
    },

    readBack: readBack(graph, object),
    tellsRemovals: isPage,

    async profile({ account, reservation }, personId) {
      const {
        first_name: first = '',
        last_name: last = '',
        name,
        username,
      } = await call({
        method: 'GET',
        path: `/${personId}`,
        token: account.accessToken,
        params: { fields: isPage ? 'first_name,last_name' : 'name,username' },
        answer: Profile,
        reservation,
      })
      const full = name ?? `${first} ${last}`.trim()
      return { name: full === '' ? (username ?? '') : full, username: username ?? null }
    },

    reply: ({ commentId, ...place }) => replies.write({ ...place, postId: commentId }),
    findReplies: ({ commentId, ...place }, since) => replies.find({ ...place, postId: commentId }, since),

    async send({ account, reservation, to, text, picture, metadata }) {
      const recipient = 'commentId' in to ? { comment_id: to.commentId } : { id: to.personId }
      const tagged = 'human' in to && to.human
      const sent = await call({
        method: 'POST',
        path: '/me/messages',
        token: account.accessToken,
        params: {
          recipient,
          messaging_type: tagged ? 'MESSAGE_TAG' : 'RESPONSE',
          ...(tagged && { tag: 'HUMAN_AGENT' }),
          message: picture
            ? { attachment: { type: 'image', payload: { url: picture } }, metadata }
            : { text, metadata },
        },
        answer: Sent,
        reservation,
        commit: true,
      })
      return sent.message_id
    },

    async findMessages(place, since) {
      // A private answer is in a conversation that no comment names, so only its echo or a person can prove it.
      if ('commentId' in place.to) return 'unprovable'
      return findMessages(graph, object, place, place.to.personId, since)
    },

    async hide({ account, reservation, commentId, hidden }) {
      const params = isPage ? { is_hidden: hidden } : { hide: hidden }
      await call({
        method: 'POST',
        path: `/${commentId}`,
        token: account.accessToken,
        params,
        answer: Done,
        reservation,
        commit: true,
      })
    },

    async isHidden({ account, reservation, commentId }: InboxPlace & { commentId: string }) {
      const params = { fields: `id,${hiddenField}` }
      const found = await call({
        method: 'GET',
        path: `/${commentId}`,
        token: account.accessToken,
        params,
        answer: Hidden,
        reservation,
      })
      if (found.id !== commentId) throw foreign()
      return found.is_hidden ?? found.hidden ?? false
    },
  }
}

/** Returns the account's messages to a person with this text. Throws if there may be older ones beyond the list. */
async function findMessages(
  { call, pacedRead }: Graph,
  object: InboxSettings['object'],
  { account, reservation, text, picture }: MessagePlace,
  personId: string,
  since: Parameters<Inbox['findMessages']>[1],
): Promise<string[]> {
  await pacedRead(account.externalId)
  const answer = await call({
    method: 'GET',
    path: '/me/conversations',
    token: account.accessToken,
    params: {
      platform: object === 'page' ? 'messenger' : 'instagram',
      user_id: personId,
      fields: 'id,messages.limit(20){id,message,from,created_time,attachments{mime_type}}',
    },
    answer: Conversations,
    reservation,
  })
  const from = windowFrom(since, answer.at)
  const messages = answer.data.flatMap((each) => each.messages.data)
  const recent = messages.filter((each) => timeOf(each.created_time) >= from)
  const hasPicture = picture !== null && picture !== undefined
  const ours = recent.filter(
    (each) =>
      each.from.id === account.externalId &&
      sameText(each.message ?? '', text) &&
      (each.attachments?.data.length ?? 0) > 0 === hasPicture,
  )
  if (ours.length === 0 && recent.length > 0 && recent.length === messages.length && messages.length >= 20) {
    const message = 'There are more new messages than can be read.'
    throw new NetworkError('ambiguous', message, { committed: 'maybe' })
  }
  return ours.map(({ id }) => id)
}
