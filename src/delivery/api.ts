import * as z from 'zod'

/** What is delivered: a post on one account, the comment below it, or the removal of the live post. */
export const DELIVERY_KINDS = ['post', 'comment', 'remove'] as const
export type DeliveryKind = (typeof DELIVERY_KINDS)[number]

/** The states of a delivery. PENDING, PREPARING and SUBMITTING are open. */
export const DELIVERY_STATES = ['PENDING', 'PREPARING', 'SUBMITTING', 'PUBLISHED', 'FAILED', 'UNCONFIRMED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** What a PENDING delivery waits for. */
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
  })
  .meta({ id: 'PublicationError' })
export type DeliveryError = z.infer<typeof DeliveryError>
