import * as z from 'zod'
import { Platform } from '../../networks/api.ts'
import {
  type Endpoint,
  Empty,
  Id,
  IdParams,
  NoBody,
  PageQuery,
  pageOf,
  Time,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { Approval, Post, PostContent } from '../posts/api.ts'
import { Email } from '../../team/identity/api.ts'
import { LinkTags } from '../../team/workspaces/api.ts'

const tags = ['Approvals'] as const
const decide = { role: 'ADMIN', client: true, feature: 'approvals' } as const
const read = { role: 'VIEWER', client: true } as const
const share = { role: 'EDITOR', feature: ['publishing', 'approvals'] } as const

// ---- deciding

/** A summary of a post for lists. */
const PostInBrief = z.strictObject({
  caption: z.string().describe('First 200 characters'),
  status: Post.shape.status,
  scheduledAt: Timestamp.nullable(),
  platforms: z.array(Platform),
  thumbnailUrl: z.string().nullable(),
})

/** An approval request with a summary of its post and the people it waits for. */
export const ListedApproval = Approval.extend({
  post: PostInBrief,
  waitsFor: z.array(z.string()).describe('Names of the people asked to decide, while the request is PENDING'),
  mayDecideToo: z
    .array(z.string())
    .describe('Names of the owner and admins who can also decide a request to the client. Empty for a CLIENT'),
  waitsForCaller: z
    .boolean()
    .describe(
      'Whether the request is PENDING and waits for the caller. A request to the client doesn’t wait for an ADMIN',
    ),
}).meta({ id: 'ListedApproval' })
export type ListedApproval = z.infer<typeof ListedApproval>

export const listApprovals = {
  method: 'GET',
  url: '/approvals',
  config: { gate: { ...read, feature: 'approvals' } },
  schema: {
    operationId: 'listApprovals',
    summary: 'List approval requests, newest first (PENDING: yours first)',
    description: 'With `state=PENDING`, requests that wait for the caller come first.',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      workspaceId: z.string().optional(),
      state: Approval.shape.state.optional(),
    }),
    response: { 200: pageOf(ListedApproval) },
  },
} as const satisfies Endpoint

/** A decided request and its post after the decision. */
export const DecidedApproval = Approval.extend({
  post: Post.describe('Has the finding `time_passed` if it was approved after its scheduled time, and needs a new one'),
}).meta({ id: 'DecidedApproval' })
export type DecidedApproval = z.infer<typeof DecidedApproval>

const Reason = z.string().trim().min(1).max(2000)

const ofApproval = <N extends string, B extends z.ZodType>(
  operationId: N,
  path: string,
  summary: string,
  body: B,
  description?: string,
) =>
  ({
    method: 'POST',
    url: `/approvals/:id/${path}`,
    config: { gate: decide },
    schema: { operationId, summary, description, tags, params: IdParams, body, response: { 200: DecidedApproval } },
  }) as const satisfies Endpoint

export const approveRequest = ofApproval(
  'approveRequest',
  'approve',
  'Approve a request, and schedule or publish the post as asked',
  NoBody,
  'As requested, the post is scheduled, published or stays a draft. It also stays a draft if its scheduled time has passed.',
)
export const rejectRequest = ofApproval(
  'rejectRequest',
  'reject',
  'Request changes, with a reason; the post stays a draft',
  z.strictObject({ reason: Reason }),
)
export const withdrawRequest = {
  method: 'POST',
  url: '/approvals/:id/withdraw',
  config: { gate: { role: 'EDITOR', feature: 'approvals' } },
  schema: {
    operationId: 'withdrawRequest',
    summary: 'Withdraw an approval request, as its author or an ADMIN',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Approval },
  },
} as const satisfies Endpoint

const ofPost = <N extends string, B extends z.ZodType>(
  operationId: N,
  path: string,
  summary: string,
  body: B,
  description?: string,
) =>
  ({
    method: 'POST',
    url: `/posts/:id/${path}`,
    config: { gate: decide },
    schema: { operationId, summary, description, tags, params: IdParams, body, response: { 200: Post } },
  }) as const satisfies Endpoint

export const approvePost = ofPost(
  'approvePost',
  'approve',
  'Approve a post’s pending request, or a scheduled post',
  NoBody,
  'Approves the pending request of the post, or else the scheduled post itself.',
)
export const rejectPost = ofPost(
  'rejectPost',
  'reject',
  'Request changes; a scheduled post moves to drafts',
  z.strictObject({ reason: Reason }),
  'Rejects the pending request of the post. A scheduled post without one becomes a draft.',
)

// ---- comments

/** `author.id` is null for a person who commented by a review link, and always null to a CLIENT. */
export const Comment = z
  .strictObject({
    id: Id,
    postId: Id,
    author: z.strictObject({ id: Id.nullable(), name: z.string() }),
    text: z.string(),
    mentions: z.array(z.strictObject({ userId: Id, name: z.string() })),
    createdAt: Timestamp,
  })
  .meta({ id: 'Comment' })
export type Comment = z.infer<typeof Comment>

const CommentText = z.string().trim().min(1).max(5000)

export const listComments = {
  method: 'GET',
  url: '/posts/:id/comments',
  config: { gate: read },
  schema: {
    operationId: 'listComments',
    summary: 'List comments on a post, newest first',
    tags,
    params: IdParams,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(Comment) },
  },
} as const satisfies Endpoint

export const addComment = {
  method: 'POST',
  url: '/posts/:id/comments',
  config: { gate: { role: 'EDITOR', client: true } },
  schema: {
    operationId: 'addComment',
    summary: 'Comment on a post and notify mentioned members',
    tags,
    params: IdParams,
    body: z.strictObject({
      text: CommentText,
      mentions: z.array(Id).max(20).optional().describe('User IDs of members'),
    }),
    response: { 201: Comment },
  },
} as const satisfies Endpoint

export const deleteComment = {
  method: 'DELETE',
  url: '/posts/:id/comments/:commentId',
  config: { gate: { role: 'EDITOR', client: true } },
  schema: {
    operationId: 'deleteComment',
    summary: 'Delete a comment, as its author or an ADMIN',
    tags,
    params: z.object({ id: z.string(), commentId: z.string() }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

// ---- versions

export const PostVersion = z
  .strictObject({
    id: Id,
    version: z.int(),
    content: PostContent,
    savedBy: z.strictObject({ id: Id.nullable(), name: z.string() }).nullable(),
    savedAt: Timestamp,
  })
  .meta({ id: 'PostVersion' })
export type PostVersion = z.infer<typeof PostVersion>

export const listVersions = {
  method: 'GET',
  url: '/posts/:id/versions',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listVersions',
    summary: 'List versions, newest first (drafts: at most one per 10 minutes)',
    description: 'While its author keeps editing a draft, at most one version is added per 10 minutes.',
    tags,
    params: IdParams,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(PostVersion) },
  },
} as const satisfies Endpoint

// ---- links for people without an account

/** `url` is returned only once, when the link is made. */
export const ReviewLink = z
  .strictObject({
    id: Id,
    postId: Id,
    name: z.string().nullable().describe('Who the link is for. Null until the first reviewer to act enters a name'),
    url: z.string().nullable(),
    createdBy: z.strictObject({ id: Id, name: z.string() }).nullable(),
    expiresAt: Timestamp,
    revokedAt: Timestamp.nullable(),
    openedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'ReviewLink' })
export type ReviewLink = z.infer<typeof ReviewLink>

export const listReviewLinks = {
  method: 'GET',
  url: '/posts/:id/review-links',
  config: { gate: share },
  schema: {
    operationId: 'listReviewLinks',
    summary: 'List the review links of a post',
    tags,
    params: IdParams,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(ReviewLink) },
  },
} as const satisfies Endpoint

export const addReviewLink = {
  method: 'POST',
  url: '/posts/:id/review-links',
  config: { gate: share, shownOnce: ['url'] },
  schema: {
    operationId: 'addReviewLink',
    summary: 'Create a review link to a post; its `url` is shown once',
    description:
      'People without an account can use the link to view the post, comment and decide. A post has at most 20 valid links; one more is refused with `too_many_saved`.',
    tags,
    params: IdParams,
    body: z.strictObject({
      name: z.string().trim().min(1).max(100).describe('Who the link is for'),
      days: z.int().min(1).max(60).default(14),
    }),
    response: { 201: ReviewLink },
  },
} as const satisfies Endpoint

export const revokeReviewLinks = {
  method: 'DELETE',
  url: '/posts/:id/review-links',
  config: { gate: share },
  schema: {
    operationId: 'revokeReviewLinks',
    summary: 'Revoke all review links of a post, or one of them',
    tags,
    params: IdParams,
    querystring: z.strictObject({ workspaceId: z.string().optional(), linkId: z.string().optional() }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

/** A link with its posts in order, without those that have been deleted. */
export const SharedReviewLink = ReviewLink.omit({ postId: true })
  .extend({
    posts: z.array(PostInBrief.extend({ id: Id })),
    deletedPosts: z.int().describe('Number of posts of the link that have since been deleted'),
  })
  .meta({ id: 'SharedReviewLink' })
export type SharedReviewLink = z.infer<typeof SharedReviewLink>

export const listSharedReviewLinks = {
  method: 'GET',
  url: '/review-links',
  config: { gate: share },
  schema: {
    operationId: 'listSharedReviewLinks',
    summary: 'List review links with their posts, newest first',
    tags,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(SharedReviewLink) },
  },
} as const satisfies Endpoint

/** The maximum number of posts of a review link. */
export const POSTS_PER_LINK = 50

export const shareReviewLink = {
  method: 'POST',
  url: '/review-links',
  config: { gate: share, shownOnce: ['url'] },
  schema: {
    operationId: 'shareReviewLink',
    summary: 'Create a review link to several posts; its `url` is shown once',
    description:
      'People without an account can use the link to view the posts, comment and decide. A post has at most 20 valid links; one more is refused with `too_many_saved`.',
    tags,
    body: z.strictObject({
      postIds: z.array(Id).min(1).max(POSTS_PER_LINK).describe('In the order in which the link shows them'),
      name: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe(
          'Who the link is for. Default: the only address in `emails`, otherwise the name that the first reviewer to act enters',
        ),
      expiresAt: Time.optional().describe('At most 60 days from now. Default: in 14 days'),
      emails: z.array(Email).max(20).optional().describe('Each address gets an email with the link'),
    }),
    response: { 201: SharedReviewLink },
  },
} as const satisfies Endpoint

export const endReviewLink = {
  method: 'DELETE',
  url: '/review-links/:id',
  config: { gate: share },
  schema: {
    operationId: 'endReviewLink',
    summary: 'Revoke a review link for all its posts',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

const TokenParams = z.object({ token: z.string().max(200) })

/** A post as a link shows it. `mayDecide`: the post waits for a decision, and this link may give it. */
const ReviewedPost = z.strictObject({
  post: Post,
  comments: z.array(Comment),
  mayDecide: z.boolean(),
  changesAsked: z
    .strictObject({ reason: z.string(), at: Timestamp, changedAt: Timestamp.nullable() })
    .nullable()
    .describe('The changes that the reviewer last requested, and when the post was edited after that'),
})
export type ReviewedPost = z.infer<typeof ReviewedPost>

/**
 * All posts of a link are in `posts`. The first one is repeated at the top level, in the shape of a link with one post.
 */
export const Review = ReviewedPost.extend({
  workspace: z.strictObject({ name: z.string(), timezone: z.string(), language: z.string(), linkTags: LinkTags }),
  link: z.strictObject({ name: ReviewLink.shape.name, expiresAt: Timestamp }),
  readOnly: z
    .boolean()
    .describe('The plan of the workspace includes no approvals, so the link takes neither decisions nor comments'),
  posts: z.array(ReviewedPost).describe('All posts of the link in order, including the first'),
  deletedPosts: z.int().describe('Number of posts of the link that have since been deleted'),
}).meta({ id: 'Review' })
export type Review = z.infer<typeof Review>

export const getReview = {
  method: 'GET',
  url: '/review/:token',
  config: { gate: 'public' },
  schema: {
    operationId: 'getReview',
    summary: 'Get the posts of a review link',
    tags,
    params: TokenParams,
    response: { 200: Review },
  },
} as const satisfies Endpoint

const reviewAct = <N extends string, B extends z.ZodType>(operationId: N, path: string, summary: string, body: B) =>
  ({
    method: 'POST',
    url: `/review/:token/${path}`,
    config: { gate: 'public' },
    schema: { operationId, summary, tags, params: TokenParams, body, response: { 200: Review } },
  }) as const satisfies Endpoint

const everyPost = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(POSTS_PER_LINK)

const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .optional()
  .describe('Name of the reviewer. Required if the link has none, and then kept; otherwise ignored')

/** The posts that the reviewer saw, with their versions: a post that has changed since cannot be decided. */
const Seen = {
  name: Name,
  postId: Id.optional().describe('Optional if the link has one post'),
  postVersion: z
    .int()
    .optional()
    .describe('The version of the post that was reviewed. Required unless `posts` is given'),
  posts: everyPost(z.strictObject({ postId: Id, postVersion: z.int() }))
    .optional()
    .describe('Decides several posts at once: either all or none'),
}

export const approveReview = reviewAct(
  'approveReview',
  'approve',
  'Approve posts through a review link',
  z.strictObject(Seen),
)
export const rejectReview = reviewAct(
  'rejectReview',
  'reject',
  'Request changes through a review link',
  z.strictObject({ ...Seen, reason: Reason }),
)
export const commentReview = reviewAct(
  'commentReview',
  'comments',
  'Comment through a review link',
  z.strictObject({
    name: Name,
    text: CommentText,
    postId: Id.optional().describe('Optional if the link has one post'),
    postIds: everyPost(Id).optional().describe('Adds the comment to several posts at once'),
  }),
)
