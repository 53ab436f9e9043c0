import * as z from 'zod'
import type { Inbound, Inbox, InboxPlace, ReadBack, ReadStep } from '../inbox.ts'
import { type Graph, timeOf } from './graph.ts'
import { Paging } from './login.ts'

// Reads what webhooks missed: conversations, the messages of one, and the comments below a post. Networks list the
// newest first. Events are returned oldest first, since their times in whole seconds cannot order them.

const Person = z.looseObject({ id: z.string(), name: z.string().optional(), username: z.string().optional() })
const Attachment = z.looseObject({
  mime_type: z.string().optional(),
  image_data: z.looseObject({ url: z.string() }).optional(),
  video_data: z.looseObject({ url: z.string() }).optional(),
  file_url: z.string().optional(),
})
const Message = z.looseObject({
  id: z.string(),
  message: z.string().default(''),
  from: Person,
  to: z.looseObject({ data: z.array(Person) }),
  created_time: z.string(),
  attachments: z.looseObject({ data: z.array(Attachment) }).optional(),
})
const Messages = z.looseObject({ data: z.array(Message), paging: Paging })
const Conversations = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), updated_time: z.string(), messages: Messages.optional() })),
  paging: Paging,
})
const Comment = z.looseObject({
  id: z.string(),
  message: z.string().optional(),
  text: z.string().optional(),
  created_time: z.string().optional(),
  timestamp: z.string().optional(),
  from: Person.optional(),
  parent: z.looseObject({ id: z.string() }).optional(),
  attachment: z
    .looseObject({ media: z.looseObject({ image: z.looseObject({ src: z.string() }) }).optional() })
    .optional(),
})
const Comments = z.looseObject({
  data: z.array(Comment.extend({ replies: z.looseObject({ data: z.array(Comment) }).optional() })),
  paging: Paging,
})
const Found = z.looseObject({ id: z.string() })
type Comment = z.infer<typeof Comment>
type Message = z.infer<typeof Message>

const MESSAGE = 'id,message,from,to,created_time,attachments{mime_type,image_data,video_data,file_url}'
/** The number of replies that a list of comments includes for each comment. */
const REPLIES = 50
const FIELDS = {
  page: 'id,message,from{id,name},created_time,parent{id},attachment{media{image{src}}}',
  instagram: `id,text,from{id,username},timestamp,replies.limit(${REPLIES}){id,text,from{id,username},timestamp}`,
}

interface Entry {
  accountId: string
  object: 'page' | 'instagram'
}

export function readBack({ call, pacedRead }: Graph, object: Entry['object']): Inbox['readBack'] {
  return async ({ account, reservation }: InboxPlace, step: ReadStep, since: Date): Promise<ReadBack> => {
    const get = <T extends z.ZodType>(path: string, params: Record<string, string>, answer: T) =>
      call({
        method: 'GET',
        path,
        token: account.accessToken,
        params: { ...params, ...(step.after !== null && { after: step.after }) },
        answer,
        reservation,
      }) as Promise<z.output<T>>
    const entry = { accountId: account.externalId, object }
    const isNew = (time: string) => timeOf(time) >= since.getTime()
    /** Returns the cursor of the next page, unless the last item is too old. */
    const more = (paging: z.infer<typeof Paging>, last: string | undefined) =>
      paging?.next !== undefined && last !== undefined && isNew(last) ? (paging.cursors?.after ?? null) : null
    const messagesOf = (messages: readonly Message[]) =>
      messages
        .filter((each) => isNew(each.created_time))
        .map((each) => asMessage(entry, each))
        .toReversed()

    if (step.list === 'comments') {
      const params = { fields: FIELDS[object], limit: '50' }
      const order: Record<string, string> =
        object === 'page' ? { filter: 'stream', order: 'reverse_chronological' } : {}
      const { data, paging } = await get(`/${step.post}/comments`, { ...params, ...order }, Comments)
      const events = data.flatMap((each) => [
        ...(each.replies?.data ?? []).flatMap((reply) => asComment(entry, step.post, reply, each.id)),
        ...asComment(entry, step.post, each, each.parent?.id ?? null),
      ])
      const last = data.at(-1)
      const after = more(paging, last && timeIn(last))
      const from = last && new Date(timeOf(timeIn(last))).toISOString()
      return {
        events: events.filter(({ at }) => new Date(at) >= since).toReversed(),
        next: after === null ? [] : [{ ...step, after, ...(from !== undefined && { before: from }) }],
        listed: {
          ids: data.flatMap((each) => [each.id, ...(each.replies?.data ?? []).map(({ id }) => id)]),
          from: paging?.next === undefined ? null : (from ?? null),
          cut: data.filter((each) => (each.replies?.data.length ?? 0) >= REPLIES).map(({ id }) => id),
        },
      }
    }
    if (step.list === 'comment') {
      await get(`/${step.comment}`, { fields: 'id' }, Found)
      return { events: [], next: [] }
    }
    await pacedRead(account.externalId)
    if (step.list === 'messages') {
      const { data, paging } = await get(`/${step.conversation}/messages`, { fields: MESSAGE, limit: '50' }, Messages)
      const after = more(paging, data.at(-1)?.created_time)
      return { events: messagesOf(data), next: after === null ? [] : [{ ...step, after }] }
    }
    const { data, paging } = await get(
      '/me/conversations',
      {
        platform: object === 'page' ? 'messenger' : 'instagram',
        fields: `id,updated_time,messages.limit(20){${MESSAGE}}`,
        limit: '25',
      },
      Conversations,
    )
    const fresh = data.filter((each) => isNew(each.updated_time))
    const deeper = fresh.flatMap(({ id, messages }): ReadStep[] => {
      const after = more(messages?.paging, messages?.data.at(-1)?.created_time)
      return after === null ? [] : [{ list: 'messages', conversation: id, after }]
    })
    const after = more(paging, data.at(-1)?.updated_time)
    return {
      events: fresh.flatMap(({ messages }) => messagesOf(messages?.data ?? [])),
      next: [...deeper, ...(after === null ? [] : [{ ...step, after }])],
    }
  }
}

const timeIn = ({ created_time: created, timestamp }: Comment) => created ?? timestamp ?? ''

/** Converts a comment to the event that its webhook would cause. Empty if the network does not report the author. */
function asComment({ accountId }: Entry, postId: string, comment: Comment, parentId: string | null): Inbound[] {
  const { id, from, message, text, attachment } = comment
  if (!from) return []
  const picture = attachment?.media?.image.src
  return [
    {
      kind: 'comment',
      accountId,
      key: `c:${id}`,
      at: new Date(timeOf(timeIn(comment))).toISOString(),
      id,
      from: {
        id: from.id,
        name: from.name ?? from.username ?? null,
        username: from.username ?? null,
        own: from.id === accountId,
      },
      text: message ?? text ?? '',
      postId,
      parentId,
      attachments: picture === undefined ? [] : [{ type: 'image', url: picture }],
    },
  ]
}

function asMessage({ accountId }: Entry, { id, message, from, to, created_time: at, attachments }: Message): Inbound {
  const own = from.id === accountId
  return {
    kind: 'message',
    accountId,
    key: `${own ? 'e' : 'm'}:${id}`,
    at: new Date(timeOf(at)).toISOString(),
    id,
    withId: own ? (to.data[0]?.id ?? '') : from.id,
    own,
    metadata: null,
    text: message,
    attachments: (attachments?.data ?? []).map(
      ({ mime_type: type, image_data: image, video_data: video, file_url: file }) => ({
        type: image ? 'image' : video ? 'video' : (type?.split('/', 1)[0] ?? 'file'),
        url: image?.url ?? video?.url ?? file ?? null,
      }),
    ),
  }
}
