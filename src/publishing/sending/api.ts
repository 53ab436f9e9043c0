import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, PageQuery, pageOf, Time, Timestamp } from '../../core/http/endpoint.ts'
import { Check, Post, Publication, Removal } from '../posts/api.ts'

const tags = ['Publishing'] as const
const write = { role: 'EDITOR', feature: 'publishing' } as const

export const listPublications = {
  method: 'GET',
  url: '/posts/:id/publications',
  config: { gate: { role: 'VIEWER', client: true } },
  schema: {
    operationId: 'listPublications',
    summary: 'Where a post goes, how far each target is, and what to do',
    tags,
    params: IdParams,
    response: { 200: pageOf(Publication) },
  },
} as const satisfies Endpoint

/**
 * A failure of a target, or a person's retry of targets. The list of setbacks is a post's history, even once it is
 * live.
 */
export const Setback = z
  .strictObject({
    id: Id,
    at: Timestamp,
    kind: z.enum(['failed', 'retried']),
    publicationIds: z.array(Id),
    by: z.string().nullable().describe('The name of the person who retried'),
  })
  .meta({ id: 'Setback' })
export type Setback = z.infer<typeof Setback>

export const listSetbacks = {
  method: 'GET',
  url: '/posts/:id/setbacks',
  config: { gate: { role: 'VIEWER', client: true } },
  schema: {
    operationId: 'listSetbacks',
    summary: 'The failures of a post’s targets and the retries, oldest first, at most 100',
    tags,
    params: IdParams,
    response: { 200: pageOf(Setback) },
  },
} as const satisfies Endpoint

/**
 * One target or post that needs a person. `kind`: `failed` and `unconfirmed` are targets that ended, `stuck` is a
 * target under way for half an hour, `at_risk` a scheduled post with a problem, `twice` a target that the network shows
 * twice, `removal_failed` a live target of a deleted post that could not be removed.
 */
export const Trouble = z
  .strictObject({
    id: Id,
    kind: z
      .enum(['failed', 'unconfirmed', 'stuck', 'at_risk', 'twice', 'time_passed', 'removal_failed'])
      .describe('time_passed: approved after its time, for its author and those who may schedule'),
    postId: Id,
    caption: z.string().describe('Its first 200 characters'),
    scheduledAt: Timestamp.nullable(),
    since: Timestamp,
    publication: Publication.nullable().describe('null: it is the post as a whole'),
    checks: z.array(Check),
    removal: Removal.nullable().describe('Only of removal_failed'),
  })
  .meta({ id: 'Trouble' })
export type Trouble = z.infer<typeof Trouble>

export const listTrouble = {
  method: 'GET',
  url: '/publishing/trouble',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listTrouble',
    summary: 'What did not go out, may not go out, or is not known to have: everything that waits for somebody',
    tags,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(Trouble).extend({ count: z.int().describe('Of all pages') }) },
  },
} as const satisfies Endpoint

export const retryPost = {
  method: 'POST',
  url: '/posts/:id/retry',
  config: { gate: write },
  schema: {
    operationId: 'retryPost',
    summary: 'Send FAILED targets again: those named, else all',
    tags,
    params: IdParams,
    body: z.strictObject({ publicationIds: z.array(Id).min(1).max(50).optional() }).optional(),
    response: { 200: Post },
  },
} as const satisfies Endpoint

export const Resolution = z.strictObject({
  outcome: z.enum(['live', 'not_live']),
  permalink: z
    .url({ protocol: /^https?$/ })
    .max(1000)
    .optional(),
})
export type Resolution = z.infer<typeof Resolution>

export const resolvePublication = {
  method: 'POST',
  url: '/posts/:id/publications/:publicationId/resolve',
  config: { gate: write },
  schema: {
    operationId: 'resolvePublication',
    summary: 'Say what you saw on the network of an UNCONFIRMED target',
    tags,
    params: z.object({ id: z.string(), publicationId: z.string() }),
    body: Resolution,
    response: { 200: Post },
  },
} as const satisfies Endpoint

export const retryPublicationNow = {
  method: 'POST',
  url: '/posts/:id/publications/:publicationId/retry-now',
  config: { gate: write },
  schema: {
    operationId: 'retryPublicationNow',
    summary: 'Make the next try due now after a failure; a target whose answer was lost is read, not sent',
    tags,
    params: z.object({ id: z.string(), publicationId: z.string() }),
    body: NoBody,
    response: { 200: Post },
  },
} as const satisfies Endpoint

export const stopPublication = {
  method: 'POST',
  url: '/posts/:id/publications/:publicationId/stop',
  config: { gate: write },
  schema: {
    operationId: 'stopPublication',
    summary: 'Stop a PENDING target of a PUBLISHING post: it is FAILED, and can be retried',
    tags,
    params: z.object({ id: z.string(), publicationId: z.string() }),
    body: NoBody,
    response: { 200: Post },
  },
} as const satisfies Endpoint

export const retryFirstComment = {
  method: 'POST',
  url: '/posts/:id/publications/:publicationId/comment',
  config: { gate: write },
  schema: {
    operationId: 'retryFirstComment',
    summary: 'Try a failed first comment again; one whose outcome is unknown is looked for first',
    tags,
    params: z.object({ id: z.string(), publicationId: z.string() }),
    body: NoBody,
    response: { 200: Post },
  },
} as const satisfies Endpoint

export const listRemovals = {
  method: 'GET',
  url: '/removals',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listRemovals',
    summary: 'Live posts that were taken down from their networks, or are about to be, newest first',
    tags,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(Removal) },
  },
} as const satisfies Endpoint

export const retryRemoval = {
  method: 'POST',
  url: '/posts/:id/publications/:publicationId/remove',
  config: { gate: write },
  schema: {
    operationId: 'retryRemoval',
    summary: 'Try a failed removal from the network again; one whose outcome is unknown is looked at first',
    tags,
    params: z.object({ id: z.string(), publicationId: z.string() }),
    body: NoBody,
    response: { 200: Removal },
  },
} as const satisfies Endpoint

export const backdatePost = {
  method: 'POST',
  url: '/posts/:id/backdate',
  config: { gate: { role: 'ADMIN', feature: 'publishing' } },
  schema: {
    operationId: 'backdatePost',
    summary: 'Date a PUBLISHED post into the past, for demos; 404 unless the networks are the sandbox',
    tags,
    params: IdParams,
    body: z.strictObject({ publishedAt: Time }),
    response: { 200: Post },
  },
} as const satisfies Endpoint
