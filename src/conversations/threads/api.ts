import * as z from 'zod'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  NoBody,
  pageOf,
  PageQuery,
  patchOf,
  Time,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { DELIVERY_STATES, DeliveryError, WaitReason } from '../../delivery/api.ts'
import { Platform } from '../../networks/api.ts'
import { LabelMark } from '../../team/labels/api.ts'
import { DraftReply, HeldFor, LogEntry } from '../decisions/api.ts'

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
    type: z.string().describe('image, video, audio, file, sticker, share, or another type that the network names'),
    url: z
      .string()
      .nullable()
      .describe(
        'With state `LINK` or `SKIPPED`: URL on the network. With `KEPT`: path of a customer’s file in Parley. Otherwise, and for clients, null',
      ),
    mediaFileId: Id.nullable().describe('ID of the file in the media library, if Parley sent the attachment'),
    contentType: z.string().nullable(),
    size: z.int().nullable(),
    state: z
      .enum(['LINK', 'KEPT', 'TOO_LARGE', 'GONE', 'SKIPPED'])
      .describe(
        '`KEPT`: stored in Parley. `TOO_LARGE`: over 25 MiB. `GONE`: the network no longer had it. `SKIPPED`: over 100 files of this customer, or 2,000 of all, in a day',
      ),
  })
  .meta({ id: 'Attachment' })

export const Message = z
  .strictObject({
    id: Id,
    kind: MessageKind,
    direction: z.enum(['IN', 'OUT', 'INTERNAL']),
    source: MessageSource,
    author: Named.nullable().describe(
      'The member who wrote the message. Null if no member did, for example for customers and the network’s own inbox',
    ),
    text: z.string().nullable().describe('Null if the message was removed or has only attachments'),
    parentId: Id.nullable().describe('ID of the comment that the message replies to'),
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
      .describe('State of sending the message. For a customer’s comment: of hiding or unhiding it'),
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
    live: z.boolean().describe('Whether the conversation is on a live broadcast, where the bot doesn’t reply'),
    status: ThreadStatus,
    customer: z
      .strictObject({ id: Id, name: z.string(), username: z.string().nullable(), erased: z.boolean() })
      .nullable()
      .describe('Null if the network reports only how many comments a post has'),
    comments: z
      .strictObject({
        count: z.int(),
        new: z.int().describe('Number of comments since a person last closed the conversation'),
      })
      .nullable()
      .describe('Number of comments on the post. Null unless the network reports nothing else about them'),
    post: z
      .strictObject({
        externalId: z.string(),
        id: Id.nullable(),
        excerpt: z.string().nullable(),
        permalink: z.string().nullable(),
      })
      .nullable()
      .describe(
        'The post that was commented on. `id`, and in most cases `permalink`, is set only if Parley published it',
      ),
    assignee: Named.nullable(),
    urgency: Urgency.nullable().describe('Null only for clients, like all classifications'),
    sentiment: Sentiment.nullable(),
    language: z.string().nullable(),
    tags: z.array(z.string()),
    labels: z.array(LabelMark),
    replyStyle: z.string().nullable(),
    botPausedAt: Timestamp.nullable(),
    botStreak: z.int(),
    windowUntil: Timestamp.nullable().describe(
      'End of the network’s standard time to reply by direct message. Null for comments',
    ),
    humanUntil: Timestamp.nullable().describe('End of the time in which a person can still reply by direct message'),
    unansweredAt: Timestamp.nullable().describe('When the customer started waiting for a reply. Null if nobody waits'),
    snoozedUntil: Timestamp.nullable(),
    openedAt: Timestamp,
    lastInAt: Timestamp.nullable(),
    lastOutAt: Timestamp.nullable(),
    unread: z.boolean().describe('Whether the caller hasn’t seen the customer’s newest message'),
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
      .describe('Why the bot left the newest message to people, and its draft reply if it wrote one'),
    version: z.int(),
  })
  .meta({ id: 'Thread' })
export type Thread = z.infer<typeof Thread>

export const OpenThread = Thread.extend({
  messages: z.array(Message).describe('The 50 newest messages, oldest first'),
  parent: z
    .strictObject({ author: z.string(), text: z.string(), at: Timestamp })
    .nullable()
    .describe('The comment of somebody else that this conversation is below'),
  presence: z
    .array(z.strictObject({ ...Named.shape, typing: z.boolean(), until: Timestamp }))
    .describe(
      'Other members who have the conversation open. Each counts as present until `until`, unless they are seen again',
    ),
  drafts: z.array(DraftReply).describe('Draft replies by the bot that wait for a person'),
  decisionId: Id.nullable().describe('The newest decision that the bot made by itself here, not at a person’s request'),
  contextSnapshot: z.unknown().describe('The facts that this decision was based on'),
  decisionLog: z.array(LogEntry).nullable().describe('The steps of this decision'),
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
  postId: Id.optional().describe('Only comments on this post'),
  customerId: Id.optional().describe('Only conversations with this customer'),
  tag: z.string().max(50).optional(),
  unread: z.enum(['true', 'false']).optional(),
  q: z.string().trim().min(1).max(200).optional().describe('Words in names and messages'),
  sort: z
    .enum(['priority', 'newest'])
    .default('priority')
    .describe('`priority`: most urgent first, then the longest unanswered. For a CLIENT always `newest`'),
})
export type ListQuery = z.infer<typeof ListQuery>

const MessageParams = z.object({ id: z.string(), messageId: z.string() })
const NoteParams = z.object({ id: z.string(), noteId: z.string() })
const Note = z.strictObject({
  text: z.string().trim().min(1).max(LONGEST_NOTE),
  mentions: z.array(Id).max(20).optional().describe('User IDs of members to notify'),
})
export type Note = z.infer<typeof Note>
export const NotePatch = patchOf(Note.partial().shape, Message)
export type NotePatch = z.infer<typeof NotePatch>

export const NewMessage = z.strictObject({
  text: z.string().trim().min(1).max(LONGEST_MESSAGE).optional(),
  attachments: z
    .array(Id)
    .length(1)
    .optional()
    .describe(
      'A picture in the media library, sent without text. Allowed in direct messages, and in public replies if the network accepts pictures there',
    ),
  seen: Id.optional().describe(
    'The newest message that the writer has seen. If there is a newer one, the request fails with 409 `newer_message`',
  ),
  privately: z.boolean().optional().describe('Sends the one private reply that a comment can have'),
  parentId: Id.optional().describe('The comment to reply to. Default: the newest in the conversation'),
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
    summary: 'List conversations',
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
    summary: 'Count the conversations in each view',
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
    summary: 'Get a conversation with its newest messages',
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
    summary: 'List the messages in a conversation, newest first',
    tags,
    params: IdParams,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(Message) },
  },
} as const satisfies Endpoint

/** The maximum number of labels of a conversation. */
export const MOST_LABELS = 20
/** The maximum number of characters that tell the bot how to write. */
export const LONGEST_STYLE = 200

const writable = {
  labels: z.array(Id).max(MOST_LABELS).optional(),
  urgency: Urgency.optional(),
  replyStyle: z.string().trim().min(1).max(LONGEST_STYLE).nullable().optional(),
}
export const ThreadChange = patchOf(writable, Thread)
export type ThreadChange = z.infer<typeof ThreadChange>

export const updateConversation = {
  method: 'PATCH',
  url: '/conversations/:id',
  config: { gate: work },
  schema: {
    operationId: 'updateConversation',
    summary: 'Update the labels, urgency or reply style of a conversation',
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
    summary: 'Reply to the customer',
    description: 'The reply and its delivery are stored together, so that it’s sent only once, even after a crash.',
    tags,
    params: IdParams,
    body: NewMessage,
    response: { 201: Message },
  },
} as const satisfies Endpoint

export const retryMessage = onMessage('retry', 'Retry a failed reply', NoBody)
export const resolveMessage = onMessage(
  'resolve',
  'Resolve an unconfirmed reply with what you saw',
  z.strictObject({ outcome: z.enum(['live', 'not_live']) }),
)
export const hideMessage = onMessage('hide', 'Hide a customer’s comment on the network', NoBody)
export const unhideMessage = onMessage('unhide', 'Unhide a customer’s comment', NoBody)

export const createNote = {
  method: 'POST',
  url: '/conversations/:id/notes',
  config: { gate: work },
  schema: {
    operationId: 'createNote',
    summary: 'Add an internal note',
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
    summary: 'Update your note',
    tags,
    params: NoteParams,
    body: NotePatch,
    response: { 200: Message },
  },
} as const satisfies Endpoint

export const deleteNote = {
  method: 'DELETE',
  url: '/conversations/:id/notes/:noteId',
  config: { gate: work },
  schema: {
    operationId: 'deleteNote',
    summary: 'Delete a note, as its author or an ADMIN',
    tags,
    params: NoteParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const assignConversation = act(
  'assign',
  'Assign or unassign a conversation',
  z.strictObject({ userId: Id.nullable() }),
)
export const escalateConversation = act(
  'escalate',
  'Escalate a conversation',
  z
    .strictObject({
      reason: z.string().trim().min(1).max(500).optional().describe('Added to the conversation as a note'),
    })
    .optional(),
)
export const closeConversation = act('close', 'Close a conversation', NoBody)
export const reopenConversation = act('reopen', 'Reopen a conversation', NoBody)
export const snoozeConversation = act(
  'snooze',
  'Snooze a conversation until a given time',
  z.strictObject({ until: Time }),
)

export const pauseBot = act('bot', 'Pause or resume the bot in a conversation', z.strictObject({ paused: z.boolean() }))

export const seeConversation = {
  method: 'PUT',
  url: '/conversations/:id/seen',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'seeConversation',
    summary: 'Mark a conversation as read and yourself as present',
    description:
      'Records the newest message that you have read. Other members see you in the conversation for 15 more seconds.',
    tags,
    params: IdParams,
    body: z.strictObject({
      messageId: Id.optional().describe(
        'The newest message that the caller has read. Omit it in a conversation without messages: the caller has then read everything until now',
      ),
      typing: z.boolean().optional().describe('Whether the caller is writing a reply'),
      away: z.literal(true).optional().describe('Set when the caller leaves the conversation'),
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
    reopen: z.literal(true).optional().describe('Reopens closed, snoozed and escalated conversations'),
    snooze: z.strictObject({ until: Time }).optional(),
  })
  .refine(({ ids: _, ...acts }) => Object.values(acts).filter((each) => each !== undefined).length === 1, {
    error: 'Must set exactly one action',
  })
export type BulkAct = z.infer<typeof BulkAct>

export const bulkConversations = {
  method: 'POST',
  url: '/conversations/bulk',
  config: { gate: work },
  schema: {
    operationId: 'bulkConversations',
    summary: 'Assign, label, close, reopen or snooze conversations in bulk',
    description: 'Each conversation is changed separately and has its own result.',
    tags,
    body: BulkAct,
    response: {
      200: z.strictObject({
        data: z.array(z.strictObject({ id: Id, code: z.string().describe('`ok`, or the error code') })),
      }),
    },
  },
} as const satisfies Endpoint
