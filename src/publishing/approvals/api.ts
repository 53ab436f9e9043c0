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
  caption: z.string().describe('Its first 200 characters'),
  status: Post.shape.status,
  scheduledAt: Timestamp.nullable(),
  platforms: z.array(Platform),
  thumbnailUrl: z.string().nullable(),
})

/** An approval request with a summary of its post and the people it waits for. */
export const ListedApproval = Approval.extend({
  post: PostInBrief,
  waitsFor: z.array(z.string()).describe('Names of who is asked to decide, while it is PENDING'),
  mayDecideToo: z
    .array(z.string())
    .describe('Names of the owner and admins who can decide a request for the client too; none for a CLIENT'),
  waitsForCaller: z
    .boolean()
    .describe('The request is PENDING and waits for the caller. One for the client does not wait for an ADMIN'),
}).meta({ id: 'ListedApproval' })
export type ListedApproval = z.infer<typeof ListedApproval>

export const listApprovals = {
  method: 'GET',
  url: '/approvals',
  config: { gate: { ...read, feature: 'approvals' } },
  schema: {
    operationId: 'listApprovals',
    summary: 'Requests for approval, newest first; with `state=PENDING`, those that wait for the caller first',
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
  post: Post.describe('With the finding `time_passed` where it was approved after its time: choose a new one'),
}).meta({ id: 'DecidedApproval' })
export type DecidedApproval = z.infer<typeof DecidedApproval>

const Reason = z.string().trim().min(1).max(2000)

const ofApproval = <N extends string, B extends z.ZodType>(operationId: N, path: string, summary: string, body: B) =>
  ({
    method: 'POST',
    url: `/approvals/:id/${path}`,
    config: { gate: decide },
    schema: { operationId, summary, tags, params: IdParams, body, response: { 200: DecidedApproval } },
  }) as const satisfies Endpoint

export const approveRequest = ofApproval(
  'approveRequest',
  'approve',
  'Approve: the post is scheduled, published or stays a draft, as was asked; a draft too where its time has passed',
  NoBody,
)
export const rejectRequest = ofApproval(
  'rejectRequest',
  'reject',
  'Reject, with a reason; the post stays a draft',
  z.strictObject({ reason: Reason }),
)
export const withdrawRequest = {
  method: 'POST',
  url: '/approvals/:id/withdraw',
  config: { gate: { role: 'EDITOR', feature: 'approvals' } },
  schema: {
    operationId: 'withdrawRequest',
    summary: 'Withdraw a request: its author, or an ADMIN',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Approval },
  },
} as const satisfies Endpoint

const ofPost = <N extends string, B extends z.ZodType>(operationId: N, path: string, summary: string, body: B) =>
  ({
    method: 'POST',
    url: `/posts/:id/${path}`,
    config: { gate: decide },
    schema: { operationId, summary, tags, params: IdParams, body, response: { 200: Post } },
  }) as const satisfies Endpoint

export const approvePost = ofPost(
  'approvePost',
  'approve',
  'Approve the pending request of a post, or a scheduled post that has none',
  NoBody,
)
export const rejectPost = ofPost(
  'rejectPost',
  'reject',
  'Reject the pending request of a post, or a scheduled post that has none: it becomes a draft',
  z.strictObject({ reason: Reason }),
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
    summary: 'What was said about a post, newest first',
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
    summary: 'Comment on a post; who is mentioned is told',
    tags,
    params: IdParams,
    body: z.strictObject({
      text: CommentText,
      mentions: z.array(Id).max(20).optional().describe('Members, by their user ids'),
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
    summary: 'Remove a comment: its author, or an ADMIN',
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
    summary:
      'What a post said before, newest first; a draft that its author goes on with is one version for ten minutes',
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
    name: z.string().nullable().describe('Who it is for; null until somebody who acts by it gives a name'),
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
    summary: 'The links by which people without an account look at a post',
    tags,
    params: IdParams,
    response: { 200: pageOf(ReviewLink) },
  },
} as const satisfies Endpoint

export const addReviewLink = {
  method: 'POST',
  url: '/posts/:id/review-links',
  config: { gate: share, shownOnce: ['url'] },
  schema: {
    operationId: 'addReviewLink',
    summary: 'A link to look at a post, comment and decide without an account; its address is shown once',
    tags,
    params: IdParams,
    body: z.strictObject({
      name: z.string().trim().min(1).max(100).describe('Who gets it'),
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
    summary: 'Ends all links of a post, or the one named',
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
    deletedPosts: z.int().describe('Posts of the link that were deleted since'),
  })
  .meta({ id: 'SharedReviewLink' })
export type SharedReviewLink = z.infer<typeof SharedReviewLink>

export const listSharedReviewLinks = {
  method: 'GET',
  url: '/review-links',
  config: { gate: share },
  schema: {
    operationId: 'listSharedReviewLinks',
    summary: 'All review links of the workspace with their posts, newest first',
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
    summary: 'One link to look at several posts, comment and decide without an account; its address is shown once',
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
          'Who gets it. Default: the only address of `emails`, else the name that the first who acts by it gives',
        ),
      expiresAt: Time.optional().describe('Within 60 days; default: in 14 days'),
      emails: z.array(Email).max(20).optional().describe('Each address gets a letter with the link'),
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
    summary: 'Ends a review link for all its posts',
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
    .describe('What whom the link is for asked to change last, and when the post was changed after that'),
})
export type ReviewedPost = z.infer<typeof ReviewedPost>

/**
 * All posts of a link are in `posts`. The first one is repeated at the top level, in the shape of a link with one post.
 */
export const Review = ReviewedPost.extend({
  workspace: z.strictObject({ name: z.string(), timezone: z.string(), language: z.string(), linkTags: LinkTags }),
  link: z.strictObject({ name: ReviewLink.shape.name, expiresAt: Timestamp }),
  posts: z.array(ReviewedPost).describe('All posts of the link in their order, the first one too'),
  deletedPosts: z.int().describe('Posts of the link that were deleted since'),
}).meta({ id: 'Review' })
export type Review = z.infer<typeof Review>

export const getReview = {
  method: 'GET',
  url: '/review/:token',
  config: { gate: 'public' },
  schema: {
    operationId: 'getReview',
    summary: 'What a link shows',
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
  .describe('The name of who acts; required, and kept, where the link has none. Ignored where it has one')

/** The posts that the reviewer saw, with their versions: a post that has changed since cannot be decided. */
const Seen = {
  name: Name,
  postId: Id.optional().describe('May be left out by a link over one post'),
  postVersion: z.int().optional().describe('The version of the post that was looked at; with one post'),
  posts: everyPost(z.strictObject({ postId: Id, postVersion: z.int() }))
    .optional()
    .describe('Several posts at once: all are decided, or none'),
}

export const approveReview = reviewAct('approveReview', 'approve', 'Approve by a link', z.strictObject(Seen))
export const rejectReview = reviewAct(
  'rejectReview',
  'reject',
  'Ask for changes by a link',
  z.strictObject({ ...Seen, reason: Reason }),
)
export const commentReview = reviewAct(
  'commentReview',
  'comments',
  'Comment by a link',
  z.strictObject({
    name: Name,
    text: CommentText,
    postId: Id.optional().describe('May be left out by a link over one post'),
    postIds: everyPost(Id).optional().describe('Several posts at once: each gets the comment'),
  }),
)
