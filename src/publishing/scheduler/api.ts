import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, Time, TimeOfDay, Timestamp } from '../../core/http/endpoint.ts'
import { Post } from '../posts/api.ts'

const tags = ['Queue'] as const
const read = { role: 'VIEWER' } as const
const write = { role: 'EDITOR', feature: 'publishing' } as const

export const MOST_SLOTS = 168

export const Slot = z
  .strictObject({
    day: z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']),
    time: TimeOfDay,
    accounts: z.array(Id).min(1).max(50).nullable().describe('Accounts that the slot is for. Null for all accounts'),
  })
  .meta({ id: 'Slot' })
export type Slot = z.infer<typeof Slot>

export const Slots = z
  .strictObject({
    timezone: z.string().describe('Time zone of the workspace, in which the times are'),
    slots: z.array(Slot),
    version: z.int(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'Slots' })
export type Slots = z.infer<typeof Slots>

export const getSlots = {
  method: 'GET',
  url: '/scheduler/slots',
  config: { gate: read },
  schema: {
    operationId: 'getSlots',
    summary: 'Get the weekly queue times',
    tags,
    response: { 200: Slots },
  },
} as const satisfies Endpoint

export const setSlots = {
  method: 'PUT',
  url: '/scheduler/slots',
  config: { gate: write },
  schema: {
    operationId: 'setSlots',
    summary: 'Replace queue times; scheduled posts stay (supports If-Match)',
    description: 'Scheduled posts keep their times.',
    tags,
    body: z.strictObject({
      slots: z
        .array(Slot.extend({ accounts: Slot.shape.accounts.optional() }))
        .max(MOST_SLOTS)
        .optional(),
    }),
    response: { 200: Slots },
  },
} as const satisfies Endpoint
export type SlotsChange = z.infer<(typeof setSlots)['schema']['body']>

export const FreeSlotsQuery = z.strictObject({
  workspaceId: z.string().optional(),
  from: Time.optional().describe('Default: now'),
  to: Time.optional().describe('End, exclusive. At most 100 days after `from`'),
  accountIds: z
    .string()
    .max(2000)
    .transform((text) => text.split(',').filter(Boolean))
    .optional()
    .describe('Only slots for all of these accounts, separated by commas'),
  postId: Id.optional().describe('Counts the slot of this post as free'),
  limit: z.coerce.number().int().min(1).max(100).default(25).describe('Ignored if `to` is given'),
})
export type FreeSlotsQuery = z.infer<typeof FreeSlotsQuery>

export const FreeSlot = z.strictObject({ at: Timestamp, accounts: Slot.shape.accounts }).meta({ id: 'FreeSlot' })
export type FreeSlot = z.infer<typeof FreeSlot>

export const listFreeSlots = {
  method: 'GET',
  url: '/scheduler/slots/free',
  config: { gate: read },
  schema: {
    operationId: 'listFreeSlots',
    summary: 'List the next free slots in time order',
    tags,
    querystring: FreeSlotsQuery,
    response: { 200: z.strictObject({ data: z.array(FreeSlot), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint

export const queuePost = {
  method: 'POST',
  url: '/posts/:id/queue',
  config: { gate: write },
  schema: {
    operationId: 'queuePost',
    summary: 'Schedule a post to the next free slot of all its accounts',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Post },
  },
} as const satisfies Endpoint
