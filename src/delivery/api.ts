import * as z from 'zod'

/**
 * The deliveries of a thread: an answer below a comment, the one private answer to a comment, a direct message, and
 * hiding a comment or showing it again.
 */
export const THREAD_DELIVERY_KINDS = ['reply', 'private_reply', 'dm', 'hide'] as const
export type ThreadDeliveryKind = (typeof THREAD_DELIVERY_KINDS)[number]

/**
 * The kinds of deliveries: a post on one account, the comment below it, the removal of the live post, and those of a
 * thread.
 */
export const DELIVERY_KINDS = ['post', 'comment', 'remove', ...THREAD_DELIVERY_KINDS] as const
export type DeliveryKind = (typeof DELIVERY_KINDS)[number]

/** Whether deliveries of this kind belong to a thread; the others belong to a post. */
export const isOfThread = (kind: DeliveryKind) => (THREAD_DELIVERY_KINDS as readonly string[]).includes(kind)

/** The states of a delivery. PENDING, PREPARING and SUBMITTING are open. */
export const DELIVERY_STATES = ['PENDING', 'PREPARING', 'SUBMITTING', 'PUBLISHED', 'FAILED', 'UNCONFIRMED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Why a PENDING delivery waits. */
export const WaitReason = z.enum([
  'limit',
  'container',
  'media',
  'quota',
  'account_paused',
  'reconnect_needed',
  'backoff',
  'publishing_paused',
])
export type WaitReason = z.infer<typeof WaitReason>

export const DeliveryError = z
  .strictObject({
    code: z.string(),
    networkCode: z.string().nullable(),
    message: z.string(),
    fix: z.string(),
    who: z.enum(['author', 'admin', 'operator', 'network', 'nobody']),
    retryable: z.boolean(),
    limit: z.number().optional().describe('The limit that the content exceeds, if `message` names one'),
    text: z
      .strictObject({ key: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) })
      .optional()
      .describe('The key and the values of the text in `message`. Absent if the network wrote `message`'),
  })
  .meta({ id: 'PublicationError' })
export type DeliveryError = z.infer<typeof DeliveryError>
