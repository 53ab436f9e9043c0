import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { LONGEST_MESSAGE } from '../threads/api.ts'

const tags = ['Conversations'] as const
const read = { role: 'VIEWER', feature: 'auto_reply' } as const
const write = { role: 'EDITOR', feature: 'auto_reply' } as const

/** The placeholders of a saved reply: the customer, their first name, the account, and the writer. */
export const PLACEHOLDERS = ['customer', 'first_name', 'account', 'me'] as const

/** The maximum number of saved replies of a workspace. */
export const MOST_REPLIES = 500

/** A text for answers. Names are unique within a workspace, ignoring case. */
export const SavedReply = z
  .strictObject({
    id: Id,
    name: z.string(),
    text: z
      .string()
      .describe(
        `May contain placeholders: ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}. A fallback for unknown names follows a bar: {{first_name|there}}`,
      ),
    filled: z
      .string()
      .nullable()
      .describe('The text with its placeholders filled in for `conversationId`. Null without it'),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'SavedReply' })
export type SavedReply = z.infer<typeof SavedReply>

export const NewSavedReply = z.strictObject({
  name: z.string().trim().min(1).max(80),
  text: z.string().trim().min(1).max(LONGEST_MESSAGE),
})
export type NewSavedReply = z.infer<typeof NewSavedReply>
export const SavedReplyPatch = patchOf(NewSavedReply.partial().shape, SavedReply)
export type SavedReplyPatch = z.infer<typeof SavedReplyPatch>

export const listSavedReplies = {
  method: 'GET',
  url: '/saved-replies',
  config: { gate: read },
  schema: {
    operationId: 'listSavedReplies',
    summary: 'List saved replies by name',
    tags,
    querystring: ListQuery.extend({
      conversationId: Id.optional().describe('Fills the placeholders for this conversation'),
    }),
    response: { 200: pageOf(SavedReply) },
  },
} as const satisfies Endpoint

export const createSavedReply = {
  method: 'POST',
  url: '/saved-replies',
  config: { gate: write },
  schema: {
    operationId: 'createSavedReply',
    summary: 'Create a saved reply',
    tags,
    body: NewSavedReply,
    response: { 201: SavedReply },
  },
} as const satisfies Endpoint

export const updateSavedReply = {
  method: 'PATCH',
  url: '/saved-replies/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateSavedReply',
    summary: 'Update a saved reply (supports If-Match)',
    tags,
    params: IdParams,
    body: SavedReplyPatch,
    response: { 200: SavedReply },
  },
} as const satisfies Endpoint

export const deleteSavedReply = {
  method: 'DELETE',
  url: '/saved-replies/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteSavedReply',
    summary: 'Delete a saved reply',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
