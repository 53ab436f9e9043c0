import * as z from 'zod'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  NoBody,
  pageOf,
  PageQuery,
  Time,
  Timestamp,
} from '../core/http/endpoint.ts'
import { DELIVERY_STATES, DeliveryError, WaitReason } from '../delivery/api.ts'
import { Platform } from '../networks/api.ts'
import { LabelMark } from '../team/labels/api.ts'
import { DraftReply, HeldFor, LogEntry } from './bot/decisions/api.ts'

const tags = ['Conversations'] as const
const read = { role: 'VIEWER', client: true, feature: 'auto_reply' } as const
const work = { role: 'EDITOR', feature: 'auto_reply' } as const

/** The maximum number of characters of a person's message. Networks allow less (`NetworkRules.answers`). */
export const LONGEST_MESSAGE = 8000
export const LONGEST_NOTE = 4000

export const ThreadKind = z.enum(['COMMENT', 'DM'])
export const ThreadStatus = z.enum(['OPEN', 'ESCALATED', 'SNOOZED', 'CLOSED'])
export const Urgency = z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])
export const Sentiment = z.enum(['positive', 'neutral', 'negative'])
export const THREAD_VIEWS = ['mine', 'unassigned', 'review', 'escalated', 'unanswered', 'snoozed', 'all'] as const
export const ThreadView = z.enum(THREAD_VIEWS)
export type Urgency = z.infer<typeof Urgency>
export type ThreadStatus = z.infer<typeof ThreadStatus>
export type ThreadView = z.infer<typeof ThreadView>

export const MessageSource = z.enum(['CUSTOMER', 'BOT_AUTO', 'BOT_SUGGESTED', 'AGENT_MANUAL', 'SYSTEM'])
/**
 * Where a message belongs: below a post, in private because of a comment, in a direct conversation, or among
 * colleagues.
 */
export const MessageKind = z.enum(['COMMENT', 'PRIVATE_REPLY', 'DM', 'NOTE'])
const Named = z.strictObject({ id: Id, name: z.string() })

export const Attachment = z
  .strictObject({
    id: Id,
    type: z.string().describe('image, video, audio, file, sticker, share, or a name that the network gives'),
    url: z.string().nullable().describe('LINK: the network’s address. KEPT: the path of its bytes here'),
    mediaFileId: Id.nullable().describe('The file of the library that we sent'),
    contentType: z.string().nullable(),
    size: z.int().nullable(),
    state: z.enum(['LINK', 'KEPT', 'TOO_LARGE', 'GONE']),
  })
  .meta({ id: 'Attachment' })

export const Message = z
  .strictObject({
    id: Id,
    kind: MessageKind,
    direction: z.enum(['IN', 'OUT', 'INTERNAL']),
    source: MessageSource,
    author: Named.nullable().describe('The member who wrote it; null for customers and the network’s own inbox'),
    text: z.string().nullable().describe('Null when it was removed, or has only attachments'),
    parentId: Id.nullable().describe('The comment that it answers'),
    externalId: z.string().nullable(),
    at: Timestamp,
    edited: z.boolean(),
    removedAt: Timestamp.nullable(),
    hiddenAt: Timestamp.nullable(),
    reaction: z.string().nullable(),
    attachments: z.array(Attachment),
    delivery: z
      .strictObject({
        kind: z.enum(['reply', 'private_reply', 'dm', 'hide']),
        state: z.enum(DELIVERY_STATES),
        waitReason: WaitReason.nullable(),
        error: DeliveryError.nullable(),
      })
      .nullable()
      .describe('How sending it stands; of a customer’s comment: hiding it or showing it again'),
    decisionId: Id.nullable(),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>

export const Thread = z
  .strictObject({
    id: Id,
    accountId: Id,
    platform: Platform,
    kind: ThreadKind,
    live: z.boolean().describe('Comments below a live broadcast, which the bot does not answer'),
    status: ThreadStatus,
    customer: z
      .strictObject({ id: Id, name: z.string(), username: z.string().nullable(), erased: z.boolean() })
      .nullable()
      .describe('Null where the network tells only how many comments a post has'),
    comments: z
      .strictObject({ count: z.int(), new: z.int().describe('Since people last closed the thread') })
      .nullable()
      .describe('The comments of the post, where the network tells only their number'),
    post: z
      .strictObject({
        externalId: z.string(),
        id: Id.nullable(),
        excerpt: z.string().nullable(),
        permalink: z.string().nullable(),
      })
      .nullable()
      .describe('The post that was commented on; `id` and most links when it was sent from here'),
    assignee: Named.nullable(),
    urgency: Urgency,
    sentiment: Sentiment.nullable(),
    language: z.string().nullable(),
    tags: z.array(z.string()),
    labels: z.array(LabelMark),
    replyStyle: z.string().nullable(),
    botPausedAt: Timestamp.nullable(),
    botStreak: z.int(),
    windowUntil: Timestamp.nullable().describe('Until when a direct message may be sent; null in threads of comments'),
    humanUntil: Timestamp.nullable().describe('Until when a person may still write one'),
    unansweredAt: Timestamp.nullable().describe('Since when the customer waits'),
    snoozedUntil: Timestamp.nullable(),
    openedAt: Timestamp,
    lastInAt: Timestamp.nullable(),
    lastOutAt: Timestamp.nullable(),
    unread: z.boolean().describe('The caller has not seen the newest message of the customer'),
    lastMessage: z
      .strictObject({
        id: Id,
        source: MessageSource,
        author: Message.shape.author,
        text: z.string().nullable(),
        at: Timestamp,
      })
      .nullable(),
    held: z
      .strictObject({
        reason: HeldFor,
        draftId: Id.nullable(),
        confidence: z.number().nullable(),
        threshold: z.number().nullable(),
      })
      .nullable()
      .describe('Why the bot leaves the newest message to people, and the reply that it wrote'),
    version: z.int(),
  })
  .meta({ id: 'Thread' })
export type Thread = z.infer<typeof Thread>

export const OpenThread = Thread.extend({
  messages: z.array(Message).describe('The 50 newest, oldest first'),
  presence: z
    .array(z.strictObject({ ...Named.shape, typing: z.boolean(), until: Timestamp }))
    .describe('Which other members have the thread open, and until when this holds without a sign of life'),
  drafts: z.array(DraftReply).describe('Replies of the bot that wait for a person'),
  decisionId: Id.nullable().describe('The newest decision of the bot in this thread'),
  contextSnapshot: z.unknown().describe('What that decision considered'),
  decisionLog: z.array(LogEntry).nullable().describe('Its steps'),
}).meta({ id: 'OpenThread' })
export type OpenThread = z.infer<typeof OpenThread>

export const ListQuery = z.strictObject({
  ...PageQuery,
  workspaceId: z.string().optional(),
  view: ThreadView.default('all'),
  status: ThreadStatus.optional(),
  assignee: Id.optional(),
  accountId: Id.optional(),
  kind: ThreadKind.optional(),
  urgency: Urgency.optional(),
  sentiment: Sentiment.optional(),
  label: Id.optional(),
  postId: Id.optional().describe('Comments below this post'),
  customerId: Id.optional().describe('All threads of a customer'),
  tag: z.string().max(50).optional(),
  unread: z.enum(['true', 'false']).optional(),
  q: z.string().trim().min(1).max(200).optional().describe('Words of names and messages'),
  sort: z.enum(['priority', 'newest']).default('priority').describe('priority: urgency, then the longest unanswered'),
})
export type ListQuery = z.infer<typeof ListQuery>

const MessageParams = z.object({ id: z.string(), messageId: z.string() })
const NoteParams = z.object({ id: z.string(), noteId: z.string() })
const Note = z.strictObject({
  text: z.string().trim().min(1).max(LONGEST_NOTE),
  mentions: z.array(Id).max(20).optional().describe('Members who are told'),
})
export type Note = z.infer<typeof Note>

export const NewMessage = z.strictObject({
  text: z.string().trim().min(1).max(LONGEST_MESSAGE).optional(),
  attachments: z
    .array(Id)
    .length(1)
    .optional()
    .describe(
      'A picture of the library, without text: in a direct message, or in a public reply where the network takes one',
    ),
  seen: Id.optional().describe(
    'The newest message that the writer has seen: 409 newer_message when there is a newer one',
  ),
  privately: z.boolean().optional().describe('As the one private reply to the comment'),
  parentId: Id.optional().describe('The comment to answer; default: the newest of the thread'),
})
export type NewMessage = z.infer<typeof NewMessage>

const act = <B extends z.ZodType>(name: string, summary: string, body: B) =>
  ({
    method: 'POST',
    url: `/conversations/:id/${name}`,
    config: { gate: work },
    schema: { operationId: `${name}Conversation`, summary, tags, params: IdParams, body, response: { 200: Thread } },
  }) as const satisfies Endpoint
const onMessage = <B extends z.ZodType>(name: string, summary: string, body: B) =>
  ({
    method: 'POST',
    url: `/conversations/:id/messages/:messageId/${name}`,
    config: { gate: work },
    schema: { operationId: `${name}Message`, summary, tags, params: MessageParams, body, response: { 200: Message } },
  }) as const satisfies Endpoint

export const listConversations = {
  method: 'GET',
  url: '/conversations',
  config: { gate: read },
  schema: {
    operationId: 'listConversations',
    summary: 'Threads of the inbox',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(Thread) },
  },
} as const satisfies Endpoint

export const countConversations = {
  method: 'GET',
  url: '/conversations/counts',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'countConversations',
    summary: 'How many open threads each view has',
    tags,
    response: {
      200: z.strictObject(
        Object.fromEntries(THREAD_VIEWS.map((view) => [view, z.int()])) as Record<ThreadView, z.ZodInt>,
      ),
    },
  },
} as const satisfies Endpoint

export const getConversation = {
  method: 'GET',
  url: '/conversations/:id',
  config: { gate: read },
  schema: {
    operationId: 'getConversation',
    summary: 'A thread with its newest messages',
    tags,
    params: IdParams,
    response: { 200: OpenThread },
  },
} as const satisfies Endpoint

export const listMessages = {
  method: 'GET',
  url: '/conversations/:id/messages',
  config: { gate: read },
  schema: {
    operationId: 'listMessages',
    summary: 'Messages of a thread, newest first',
    tags,
    params: IdParams,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(Message) },
  },
} as const satisfies Endpoint

export const ThreadChange = z.strictObject({
  labels: z.array(Id).max(20).optional(),
  urgency: Urgency.optional(),
  replyStyle: z.string().trim().min(1).max(200).nullable().optional(),
})
export type ThreadChange = z.infer<typeof ThreadChange>

export const updateConversation = {
  method: 'PATCH',
  url: '/conversations/:id',
  config: { gate: work },
  schema: {
    operationId: 'updateConversation',
    summary: 'Change labels, urgency or style of a thread',
    tags,
    params: IdParams,
    body: ThreadChange,
    response: { 200: Thread },
  },
} as const satisfies Endpoint

export const createMessage = {
  method: 'POST',
  url: '/conversations/:id/messages',
  config: { gate: work },
  schema: {
    operationId: 'createMessage',
    summary: 'Answer the customer, once',
    tags,
    params: IdParams,
    body: NewMessage,
    response: { 201: Message },
  },
} as const satisfies Endpoint

export const retryMessage = onMessage('retry', 'Send a failed answer again', NoBody)
export const resolveMessage = onMessage(
  'resolve',
  'Say whether an unconfirmed answer is at the network',
  z.strictObject({ outcome: z.enum(['live', 'not_live']) }),
)
export const hideMessage = onMessage('hide', 'Hide a customer’s comment at the network', NoBody)
export const unhideMessage = onMessage('unhide', 'Show a hidden comment again', NoBody)

export const createNote = {
  method: 'POST',
  url: '/conversations/:id/notes',
  config: { gate: work },
  schema: {
    operationId: 'createNote',
    summary: 'Write a note among colleagues',
    tags,
    params: IdParams,
    body: Note,
    response: { 201: Message },
  },
} as const satisfies Endpoint

export const updateNote = {
  method: 'PATCH',
  url: '/conversations/:id/notes/:noteId',
  config: { gate: work },
  schema: {
    operationId: 'updateNote',
    summary: 'Change a note of one’s own',
    tags,
    params: NoteParams,
    body: Note,
    response: { 200: Message },
  },
} as const satisfies Endpoint

export const deleteNote = {
  method: 'DELETE',
  url: '/conversations/:id/notes/:noteId',
  config: { gate: work },
  schema: {
    operationId: 'deleteNote',
    summary: 'Delete a note: its author, or an admin',
    tags,
    params: NoteParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const assignConversation = act(
  'assign',
  'Assign a thread to a member, or to nobody',
  z.strictObject({ userId: Id.nullable() }),
)
export const escalateConversation = act(
  'escalate',
  'Escalate a thread',
  z
    .strictObject({ reason: z.string().trim().min(1).max(500).optional().describe('Becomes a note in the thread') })
    .optional(),
)
export const closeConversation = act('close', 'Close a thread', NoBody)
export const reopenConversation = act('reopen', 'Open a thread again', NoBody)
export const snoozeConversation = act('snooze', 'Put a thread away until a time', z.strictObject({ until: Time }))

export const pauseBot = act(
  'bot',
  'Pause the bot in a thread, or let it answer again',
  z.strictObject({ paused: z.boolean() }),
)

export const seeConversation = {
  method: 'PUT',
  url: '/conversations/:id/seen',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'seeConversation',
    summary: 'Record up to which message the caller has read, and that they have the thread open for 15 seconds more',
    tags,
    params: IdParams,
    body: z.strictObject({
      messageId: Id,
      typing: z.boolean().optional().describe('Whether the caller is writing an answer'),
      away: z.literal(true).optional().describe('The caller has left the thread'),
    }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const BulkAct = z
  .strictObject({
    ids: z.array(Id).min(1).max(100),
    assign: z.strictObject({ userId: Id.nullable() }).optional(),
    labels: z.strictObject({ add: z.array(Id).max(20).optional(), remove: z.array(Id).max(20).optional() }).optional(),
    close: z.literal(true).optional(),
    reopen: z.literal(true).optional().describe('Undoes close and snooze'),
    snooze: z.strictObject({ until: Time }).optional(),
  })
  .refine(({ ids: _, ...acts }) => Object.values(acts).filter((each) => each !== undefined).length === 1, {
    error: 'Exactly one act',
  })
export type BulkAct = z.infer<typeof BulkAct>

export const bulkConversations = {
  method: 'POST',
  url: '/conversations/bulk',
  config: { gate: work },
  schema: {
    operationId: 'bulkConversations',
    summary: 'Assign, label, close, reopen or snooze many threads; each is told by itself',
    tags,
    body: BulkAct,
    response: {
      200: z.strictObject({ data: z.array(z.strictObject({ id: Id, code: z.string().describe('ok, or why not') })) }),
    },
  },
} as const satisfies Endpoint
