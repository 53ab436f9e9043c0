import * as z from 'zod'
import { type Endpoint, Id, IdParams, PageQuery, pageOf, TimeOfDay, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Notifications'] as const

/** The kinds of notices. */
export const NOTICES = [
  'invitation_received',
  'invitation_accepted',
  'ownership_transferred',
  'role_changed',
  'member_removed',
  'approval_requested',
  'approval_decided',
  'comment_mention',
  'comment_added',
  'thread_mention',
  'thread_assigned',
  'thread_escalated',
  'thread_waiting',
  'reply_held',
  'bot_no_credits',
  'post_at_risk',
  'post_delayed',
  'post_failed',
  'outcome_unknown',
  'account_reconnect',
  'publishing_paused',
  'quota_near',
  'quota_reached',
  'security',
] as const
export type Notice = (typeof NOTICES)[number]

export const Notification = z
  .strictObject({
    id: Id,
    kind: z.string().describe('Such as post_failed; more may be added'),
    workspaceId: Id.nullable().describe('null: of none that one belongs to'),
    workspaceName: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).describe('What the kind needs to be said: ids, names, figures'),
    readAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Notification' })
export type Notification = z.infer<typeof Notification>

export const listNotifications = {
  method: 'GET',
  url: '/notifications',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'listNotifications',
    summary: 'What one was told, newest first, and how much of it is unread',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      unread: z
        .enum(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .describe('true: only what is unread'),
    }),
    response: { 200: pageOf(Notification).extend({ unreadCount: z.int() }) },
  },
} as const satisfies Endpoint

export const readNotification = {
  method: 'POST',
  url: '/notifications/:id/read',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'readNotification',
    summary: 'Mark one as read; it is not mailed any more',
    tags,
    params: IdParams,
    body: z.strictObject({}).optional(),
    response: { 200: Notification },
  },
} as const satisfies Endpoint

export const readNotifications = {
  method: 'POST',
  url: '/notifications/read',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'readNotifications',
    summary: 'Mark all as read, or all up to one',
    tags,
    body: z.strictObject({ upTo: Id.optional().describe('The newest that was seen') }).optional(),
    response: { 200: z.strictObject({ unreadCount: z.int() }) },
  },
} as const satisfies Endpoint

const Way = z.strictObject({ inApp: z.boolean(), mail: z.boolean() }).meta({ id: 'NotificationWays' })
const Wish = z.strictObject({ inApp: z.boolean().optional(), mail: z.boolean().optional() }).optional()

const forEach = <T extends z.ZodType>(schema: T) =>
  z.strictObject(Object.fromEntries(NOTICES.map((kind) => [kind, schema])) as Record<Notice, T>)

export const NotificationPreferences = z
  .strictObject({
    quietFrom: TimeOfDay.nullable().describe('Nothing is mailed from this time of day on, in the zone of the profile'),
    quietUntil: TimeOfDay.nullable(),
    kinds: forEach(Way),
  })
  .meta({ id: 'NotificationPreferences' })
export type NotificationPreferences = z.infer<typeof NotificationPreferences>

const PreferencesChange = z.strictObject({
  quietFrom: TimeOfDay.nullable().optional(),
  quietUntil: TimeOfDay.nullable().optional(),
  kinds: forEach(Wish).optional(),
})
export type PreferencesChange = z.infer<typeof PreferencesChange>

export const getNotificationPreferences = {
  method: 'GET',
  url: '/notifications/preferences',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'getNotificationPreferences',
    summary: 'By which way one is told of what, and when not by mail',
    tags,
    response: { 200: NotificationPreferences },
  },
} as const satisfies Endpoint

export const setNotificationPreferences = {
  method: 'PUT',
  url: '/notifications/preferences',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'setNotificationPreferences',
    summary: 'Change what is named; what concerns the security of the account cannot be switched off',
    tags,
    body: PreferencesChange,
    response: { 200: NotificationPreferences },
  },
} as const satisfies Endpoint
