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
    summary: 'List the publications of a post with their states and fixes',
    tags,
    params: IdParams,
    response: { 200: pageOf(Publication) },
  },
} as const satisfies Endpoint

/** The actions of the history that tell how a post went out. Its edits are its versions. */
export const POST_ACTIONS = [
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.withdrawn',
  'post.scheduled',
  'post.cancelled',
  'post.publish_requested',
  'post.retried',
  'publication.attempt_failed',
  'publication.failed',
  'publication.stopped',
  'publication.retried_now',
] as const

/** An entry of a post's history. */
export const PostEvent = z
  .strictObject({
    id: Id,
    at: Timestamp,
    action: z.enum(POST_ACTIONS),
    publicationIds: z.array(Id).describe('The affected publications. Empty if the whole post was affected'),
    by: z.string().nullable().describe('Name of the person, or the name on the review link'),
    scheduledAt: Timestamp.nullable().describe('The chosen time, if `action` is `post.scheduled`'),
  })
  .meta({ id: 'PostEvent' })
export type PostEvent = z.infer<typeof PostEvent>

export const listPostEvents = {
  method: 'GET',
  url: '/posts/:id/events',
  config: { gate: { role: 'VIEWER', client: true } },
  schema: {
    operationId: 'listPostEvents',
    summary: 'List what happened to a post on its way out, oldest first, the newest 100',
    description: 'Contains its approvals, its schedule, failed attempts and retries.',
    tags,
    params: IdParams,
    response: { 200: pageOf(PostEvent) },
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
      .describe('`time_passed`: approved after its scheduled time. Only for its author and those who can schedule'),
    postId: Id,
    caption: z.string().describe('First 200 characters'),
    scheduledAt: Timestamp.nullable(),
    since: Timestamp,
    publication: Publication.nullable().describe('Null if it concerns the whole post'),
    checks: z.array(Check),
    removal: Removal.nullable().describe('Set only for `removal_failed`'),
  })
  .meta({ id: 'Trouble' })
export type Trouble = z.infer<typeof Trouble>

export const listTrouble = {
  method: 'GET',
  url: '/publishing/trouble',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listTrouble',
    summary: 'List posts and publications that need attention, newest first',
    description:
      'Contains what wasn’t published, what may not be published, and what has an unknown outcome. The order is that in which posts and publications were created, so it stays the same while pages are read.',
    tags,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(Trouble).extend({ count: z.int().describe('Total across all pages') }) },
  },
} as const satisfies Endpoint

export const retryPost = {
  method: 'POST',
  url: '/posts/:id/retry',
  config: { gate: write },
  schema: {
    operationId: 'retryPost',
    summary: 'Retry failed publications of a post, all or some of them',
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
    summary: 'Resolve an UNCONFIRMED publication with what you saw',
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
    summary: 'Retry a publication now, or check it if its outcome is unknown',
    description:
      'The next attempt after a failure starts now. If the response of the network was lost, Parley checks the network and sends nothing.',
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
    summary: 'Stop a PENDING publication while its post is being published',
    description: 'The publication becomes FAILED and can be retried.',
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
    summary: 'Retry a first comment, or check it if its outcome is unknown',
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
    summary: 'List posts deleted or being deleted from networks, newest first',
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
    summary: 'Retry a network deletion, or check it if its outcome is unknown',
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
    summary: 'Backdate a published post for demos (sandbox only)',
    description: 'Returns 404 unless the networks are the sandbox.',
    tags,
    params: IdParams,
    body: z.strictObject({ publishedAt: Time }),
    response: { 200: Post },
  },
} as const satisfies Endpoint
