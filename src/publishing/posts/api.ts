import * as z from 'zod'
import { Platform, PlatformOptions, PlatformOptionsInput, RenditionUse } from '../../networks/api.ts'
import {
  type Endpoint,
  Empty,
  Id,
  IdParams,
  NoBody,
  PageQuery,
  pageOf,
  patchOf,
  Time,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { DELIVERY_STATES, DeliveryError, WaitReason } from '../../delivery/api.ts'
import { RejectionCode, Renditions } from '../media/api.ts'
import { LabelMark } from '../../team/labels/api.ts'
import { LinkTagValue } from '../../team/workspaces/api.ts'

const tags = ['Posts'] as const

export const STATUSES = ['DRAFT', 'SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'] as const
export const Status = z.enum(STATUSES)
export type Status = z.infer<typeof Status>

export const MediaType = z.enum(['IMAGE', 'VIDEO', 'CAROUSEL'])

/**
 * One finding of the checks. `field` is a JSON pointer into the post; `target` is an account, or null if it concerns
 * all of them.
 */
export const Check = z
  .strictObject({
    severity: z.enum(['error', 'warning']),
    target: Id.nullable(),
    platform: Platform.nullable(),
    field: z.string(),
    code: z.string(),
    limit: z.number().nullable(),
    value: z.union([z.number(), z.string()]).nullable(),
    message: z.string(),
    fix: z.string(),
  })
  .meta({ id: 'Check' })
export type Check = z.infer<typeof Check>

/** The outcome of the first comment below a live post. If it fails, the post still counts as published. */
export const FirstComment = z
  .strictObject({
    text: z.string(),
    state: z.enum(['PENDING', 'SENDING', 'POSTED', 'FAILED', 'UNCONFIRMED']),
    error: DeliveryError.nullable(),
  })
  .meta({ id: 'FirstComment' })
export type FirstComment = z.infer<typeof FirstComment>

/** One target of a post. `waitReason` says what a PENDING target waits for; `dropped` targets no longer count. */
export const Publication = z
  .strictObject({
    id: Id,
    postId: Id,
    accountId: Id,
    accountName: z.string(),
    platform: Platform,
    position: z.int(),
    state: z.enum(DELIVERY_STATES),
    phase: z.enum(['commit', 'confirm']).nullable(),
    dropped: z.boolean(),
    waitReason: WaitReason.nullable(),
    attempts: z.int(),
    dueAt: Timestamp.nullable(),
    nextAttemptAt: Timestamp.nullable(),
    externalId: z.string().nullable(),
    permalink: z.string().nullable(),
    publishedAt: Timestamp.nullable(),
    error: DeliveryError.nullable(),
    stoppedBy: z.string().nullable().describe('Name of the person who stopped it, if `error` is `stopped`'),
    editedSince: z.boolean().describe('Whether the post was edited after this publication failed'),
    /** Set once the post is live, if a first comment was written for the target. */
    firstComment: FirstComment.nullable(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'Publication' })
export type Publication = z.infer<typeof Publication>

const Person = z.strictObject({ id: Id.nullable(), name: z.string() })

/**
 * A request to approve a post as it is. `asks.act` happens on approval; with `asks.client` a client decides too. Any
 * edit of the post withdraws it. `id` of a person is null to a CLIENT, and for a person who decided by a link.
 */
export const Approval = z
  .strictObject({
    id: Id,
    postId: Id,
    postVersion: z.int(),
    state: z.enum(['PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN']),
    asks: z.strictObject({ act: z.enum(['schedule', 'publish', 'draft']), client: z.boolean() }),
    requestedBy: Person.nullable(),
    decidedBy: Person.nullable(),
    decidedAt: Timestamp.nullable(),
    reason: z.string().nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Approval' })
export type Approval = z.infer<typeof Approval>

const CaptionOverride = z.strictObject({
  caption: z.string().max(100_000).optional(),
  cta: z.string().max(1000).optional(),
})

export const CaptionOverrides = z.partialRecord(Platform, CaptionOverride)
export const HashtagOverrides = z.partialRecord(Platform, z.array(z.string()))

const Side = z.int().min(1).max(100_000)

/** The part of a picture that a network gets, in pixels of the upright picture. */
const Area = z.strictObject({
  x: z.int().min(0).max(100_000),
  y: z.int().min(0).max(100_000),
  width: Side,
  height: Side,
})
const Crops = z.partialRecord(Platform, Area)

/** `crops` is what the author chose; `cropped` are the pictures made from that so far. */
const PostMedia = z.strictObject({
  mediaFileId: Id,
  sortOrder: z.int(),
  platforms: z.array(Platform).nullable(),
  crops: Crops,
  file: z.strictObject({
    kind: z.enum(['IMAGE', 'VIDEO']),
    state: z.enum(['PROCESSING', 'READY', 'REJECTED']),
    rejectedCode: RejectionCode.nullable(),
    rejectedReason: z.string().nullable(),
    fileName: z.string(),
    mimeType: z.string(),
    fileSize: z.int(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    duration: z.number().nullable(),
    codec: z.string().nullable(),
    frameRate: z.number().nullable(),
    altText: z.string(),
    aiGenerated: z.boolean(),
    storageUrl: z.string().nullable(),
    thumbnailUrl: z.string().nullable(),
    renditions: Renditions,
    cropped: z.array(
      z.strictObject({
        use: RenditionUse,
        area: Area,
        url: z.string(),
        mimeType: z.string(),
        fileSize: z.int(),
        width: z.int(),
        height: z.int(),
      }),
    ),
  }),
})
export type PostMedia = z.infer<typeof PostMedia>

/**
 * Whether the links of a post get the workspace's parameters; null follows the workspace's setting. `campaign`
 * overrides that of the workspace.
 */
export const PostLinkTags = z
  .strictObject({ on: z.boolean().nullable(), campaign: z.string().nullable() })
  .meta({ id: 'PostLinkTags' })

/**
 * A post with its targets. An override never changes `caption`. `checks` are the obstacles to going live, and warnings.
 * `happensAt` is the time by which lists and the calendar sort: publishedAt once live, the time of the last live target
 * of a partly live post, else scheduledAt, else createdAt.
 */
export const Post = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    caption: z.string(),
    hashtags: z.array(z.string()),
    cta: z.string(),
    mediaType: MediaType.nullable(),
    captionOverrides: CaptionOverrides,
    hashtagOverrides: HashtagOverrides,
    platformOptions: PlatformOptions,
    linkTags: PostLinkTags,
    labels: z.array(LabelMark).describe('Sorted by name. Changing only labels adds no version and keeps the approval'),
    status: Status,
    scheduledAt: Timestamp.nullable(),
    publishedAt: Timestamp.nullable(),
    happensAt: Timestamp,
    late: z.boolean(),
    targets: z.array(Id),
    media: z.array(PostMedia),
    publications: z.array(Publication),
    approval: Approval.nullable().describe('Latest approval request'),
    approved: z.boolean().describe('Whether the post is approved and unchanged since'),
    checks: z.array(Check),
    version: z.int(),
    /** A CLIENT does not get the id. */
    createdBy: Person.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Post' })
export type Post = z.infer<typeof Post>

/** The part of a post that a person writes, with ids instead of the objects behind them. */
export const PostContent = Post.pick({
  caption: true,
  hashtags: true,
  cta: true,
  mediaType: true,
  captionOverrides: true,
  hashtagOverrides: true,
  platformOptions: true,
  scheduledAt: true,
  targets: true,
})
  .extend({
    /** Versions saved before `linkTags` and `crops` existed lack them. */
    linkTags: PostLinkTags.optional(),
    media: z.array(PostMedia.omit({ file: true }).extend({ crops: Crops.optional() })),
  })
  .meta({ id: 'PostContent' })

const MediaInput = z.array(
  z.union([
    Id,
    z.looseObject({
      mediaFileId: Id,
      sortOrder: z.int().min(0).max(1000).optional(),
      platforms: z.array(Platform).nullable().optional(),
      crops: Crops.nullable().optional(),
    }),
  ]),
)

/** The maximum number of labels of a post. */
const MOST_LABELS_OF_POST = 20

/** The input of a person. `targets` names accounts; `platforms` means the only connected account of each network. */
const writable = {
  caption: z.string().max(100_000).nullable().optional(),
  hashtags: z.array(z.string().trim().min(1).max(200)).max(200).nullable().optional(),
  cta: z.string().max(1000).nullable().optional(),
  mediaType: MediaType.nullable().optional(),
  captionOverrides: z
    .partialRecord(Platform, z.union([z.string().max(100_000), CaptionOverride]).nullable())
    .nullable()
    .optional(),
  hashtagOverrides: z
    .partialRecord(Platform, z.array(z.string().trim().min(1).max(200)).max(200).nullable())
    .nullable()
    .optional(),
  platformOptions: PlatformOptionsInput.nullable().optional(),
  linkTags: z
    .strictObject({ on: z.boolean().nullable(), campaign: LinkTagValue.nullable() })
    .partial()
    .nullable()
    .optional(),
  labels: z
    .array(z.union([Id, z.looseObject({ id: Id })]))
    .max(MOST_LABELS_OF_POST)
    .nullable()
    .optional(),
  targets: z.array(Id).max(50).nullable().optional(),
  platforms: z.array(Platform).max(10).optional(),
  media: MediaInput.max(50).nullable().optional(),
  mediaIds: z.array(Id).max(50).optional(),
  scheduledAt: Time.nullable().optional(),
}

/** `onApproval` is the act after the approval. Default: `schedule` if the post has a time, else `draft`. */
const submission = {
  onApproval: Approval.shape.asks.shape.act.optional(),
  client: z
    .boolean()
    .optional()
    .describe(
      'Whether a client decides too, which requires `onApproval` schedule. Default: true with `schedule`, otherwise false',
    ),
}

export type Submission = z.infer<z.ZodObject<typeof submission>>

export const NewPost = z.strictObject({
  ...writable,
  ...submission,
  workspaceId: Id.optional(),
  action: z.enum(['draft', 'submit', 'schedule', 'publish']).optional(),
  status: z.enum(['DRAFT', 'SCHEDULED']).optional(),
})
export type NewPost = z.infer<typeof NewPost>

export const PostPatch = patchOf(writable, Post)
export type PostPatch = z.infer<typeof PostPatch>

const write = { role: 'EDITOR', feature: 'publishing' } as const
const read = { role: 'VIEWER', client: true } as const

export const createPost = {
  method: 'POST',
  url: '/posts',
  config: { gate: { ...write, quota: 'posts' } },
  schema: {
    operationId: 'createPost',
    summary: 'Create a post as a draft, schedule it, or publish it now',
    tags,
    body: NewPost,
    response: { 201: Post },
  },
} as const satisfies Endpoint

/** Checks a post without storing it. */
export const validatePost = {
  method: 'POST',
  url: '/posts/validate',
  config: { gate: write },
  schema: {
    operationId: 'validatePost',
    summary: 'Check a post without saving it',
    tags,
    body: NewPost,
    response: {
      200: z.strictObject({
        checks: z.array(Check),
        previews: z.array(
          z.strictObject({ target: Id, platform: Platform, text: z.string(), length: z.int(), limit: z.int() }),
        ),
      }),
    },
  },
} as const satisfies Endpoint

/** The filters of the list and the calendar. */
const narrowing = {
  workspaceId: z.string().optional(),
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(Status))
    .optional()
    .describe('One status, or several separated by commas'),
  approval: Approval.shape.state
    .optional()
    .describe('State of the latest approval request. A DRAFT whose latest request is PENDING is in review'),
  platform: Platform.optional(),
  accountId: Id.optional(),
  /** Posts with this file. */
  mediaFileId: Id.optional(),
  label: z
    .string()
    .max(2000)
    .transform((text) => text.split(','))
    .pipe(z.array(Id))
    .optional()
    .describe('Posts with any of these labels, separated by commas'),
  text: z.string().max(200).optional(),
}

export const PostFilter = z.strictObject({ ...PageQuery, ...narrowing, from: Time.optional(), to: Time.optional() })
export type PostFilter = z.infer<typeof PostFilter>

export const CalendarFilter = z.strictObject({ ...narrowing, from: Time, to: Time })
export type CalendarFilter = z.infer<typeof CalendarFilter>

export const listPosts = {
  method: 'GET',
  url: '/posts',
  config: { gate: read },
  schema: {
    operationId: 'listPosts',
    summary: 'List posts, newest first. `from` and `to` (exclusive) apply to `happensAt`',
    tags,
    querystring: PostFilter,
    response: { 200: pageOf(Post) },
  },
} as const satisfies Endpoint

export const getCalendar = {
  method: 'GET',
  url: '/scheduler/calendar',
  config: { gate: read },
  schema: {
    operationId: 'getCalendar',
    summary: 'List posts for the calendar, up to 100 days, in time order',
    description: 'Contains all posts of the period except drafts without a time.',
    tags,
    querystring: CalendarFilter,
    response: {
      200: z.strictObject({
        data: z.array(
          z.strictObject({
            id: Id,
            status: Status,
            happensAt: Timestamp,
            scheduledAt: Timestamp.nullable(),
            caption: z.string(),
            platforms: z.array(Platform),
            labels: z.array(LabelMark),
            thumbnailUrl: z.string().nullable(),
            stopped: z.boolean().describe('Whether the post is FAILED because all of its publications were stopped'),
            problems: z.int().describe('Number of findings that will most likely make publishing fail'),
            approval: Approval.pick({ state: true }).nullable().describe('State of the latest approval request'),
            approved: z.boolean(),
            version: z.int(),
          }),
        ),
        nextCursor: z.null(),
      }),
    },
  },
} as const satisfies Endpoint

export const getPost = {
  method: 'GET',
  url: '/posts/:id',
  config: { gate: read },
  schema: { operationId: 'getPost', summary: 'Get a post', tags, params: IdParams, response: { 200: Post } },
} as const satisfies Endpoint

export const updatePost = {
  method: 'PATCH',
  url: '/posts/:id',
  config: { gate: write },
  schema: {
    operationId: 'updatePost',
    summary: 'Update a post (supports If-Match)',
    tags,
    params: IdParams,
    body: PostPatch,
    response: { 200: Post },
  },
} as const satisfies Endpoint

export const REMOVAL_STATES = ['PENDING', 'REMOVING', 'REMOVED', 'FAILED', 'UNCONFIRMED'] as const

/** The removal of a live post from its network. UNCONFIRMED: the network did not answer whether the post is gone. */
export const Removal = z
  .strictObject({
    id: Id,
    postId: Id,
    publicationId: Id,
    caption: z.string().describe('First 200 characters'),
    platform: Platform,
    accountId: Id,
    accountName: z.string(),
    permalink: z.string().nullable().describe('Address of the live post on its network'),
    state: z.enum(REMOVAL_STATES),
    waitReason: WaitReason.nullable(),
    error: DeliveryError.nullable(),
    removedAt: Timestamp.nullable(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'Removal' })
export type Removal = z.infer<typeof Removal>

export const deletePost = {
  method: 'DELETE',
  url: '/posts/:id',
  config: { gate: write },
  schema: {
    operationId: 'deletePost',
    summary: 'Delete a post, and with `alsoOn` also from its networks',
    description: 'The post can be restored for 30 days. It stays live on networks that `alsoOn` doesn’t name.',
    tags,
    params: IdParams,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      alsoOn: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(Platform).min(1))
        .optional()
        .describe('Networks to delete the live post from as well, separated by commas'),
    }),
    response: {
      200: z
        .strictObject({
          liveOnNetworks: z.int().describe('Number of publications that stay live on their networks'),
          removals: z.array(Removal).describe('Deletions of live posts from their networks'),
          message: z.string(),
        })
        .describe('Deleted in Parley. Still live on the networks, or being deleted there'),
      204: Empty,
    },
  },
} as const satisfies Endpoint

const act = <N extends string, B extends z.ZodType>(operationId: N, path: string, summary: string, body: B) =>
  ({
    method: 'POST',
    url: `/posts/:id/${path}`,
    config: { gate: write },
    schema: { operationId, summary, tags, params: IdParams, body, response: { 200: Post } },
  }) as const satisfies Endpoint

export const restorePost = act('restorePost', 'restore', 'Restore a deleted post within 30 days', NoBody)
export const schedulePost = act(
  'schedulePost',
  'schedule',
  'Schedule a post, or move it to another time',
  z.strictObject({ scheduledAt: Time.optional() }).optional(),
)
export const cancelPost = act('cancelPost', 'cancel', 'Move a scheduled post to drafts', NoBody)
export const unschedulePost = act(
  'unschedulePost',
  'unschedule',
  'Move a scheduled post to drafts (alias of cancel)',
  NoBody,
)
export const submitPost = {
  ...act(
    'submitPost',
    'submit',
    'Request approval of the current version of a post',
    z.strictObject(submission).optional(),
  ),
  config: { gate: { ...write, feature: ['publishing', 'approvals'] } },
} as const satisfies Endpoint
export const publishPost = act('publishPost', 'publish', 'Publish a post now', NoBody)

export const duplicatePost = {
  method: 'POST',
  url: '/posts/:id/duplicate',
  config: { gate: { ...write, quota: 'posts' } },
  schema: {
    operationId: 'duplicatePost',
    summary: 'Duplicate a post as a new draft',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 201: Post },
  },
} as const satisfies Endpoint
