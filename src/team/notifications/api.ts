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
  'reply_failed',
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
    id: Id.describe('Changes when the notification counts one more'),
    kind: z.string().describe('For example post_failed. New kinds may be added'),
    workspaceId: Id.nullable().describe('Null if it concerns no workspace that you belong to'),
    workspaceName: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).describe('Values for the text of this kind: IDs, names and numbers'),
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
    summary: 'List your notifications, newest first',
    description: 'The response also has the number of unread notifications.',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      unread: z
        .enum(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .describe('true: unread notifications only'),
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
    summary: 'Mark a notification as read, so that it isn’t emailed',
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
    summary: 'Mark all notifications as read, or all up to one',
    tags,
    body: z
      .strictObject({ upTo: Id.optional().describe('The newest notification that was seen. Default: all') })
      .optional(),
    response: { 200: z.strictObject({ unreadCount: z.int() }) },
  },
} as const satisfies Endpoint

const Way = z.strictObject({ inApp: z.boolean(), mail: z.boolean() }).meta({ id: 'NotificationWays' })
const Wish = z.strictObject({ inApp: z.boolean().optional(), mail: z.boolean().optional() }).optional()

const forEach = <T extends z.ZodType>(schema: T) =>
  z.strictObject(Object.fromEntries(NOTICES.map((kind) => [kind, schema])) as Record<Notice, T>)

export const NotificationPreferences = z
  .strictObject({
    quietFrom: TimeOfDay.nullable().describe(
      'Start of quiet hours in the time zone of your profile. No emails are sent during quiet hours',
    ),
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
    summary: 'Get notification preferences and quiet hours',
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
    summary: 'Update notification preferences; security notices stay on',
    description: 'Omitted settings don’t change. Notices about the security of your account can’t be turned off.',
    tags,
    body: PreferencesChange,
    response: { 200: NotificationPreferences },
  },
} as const satisfies Endpoint
