import * as z from 'zod'
import {
  type Endpoint,
  Empty,
  Id,
  IdParams,
  PageQuery,
  pageOf,
  patchOf,
  PIECE_TYPE,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { RenditionUse } from '../../networks/api.ts'

/** The maximum number of characters of an alternative text. */
export const LONGEST_ALT_TEXT = 1000

const tags = ['Media'] as const

/** The renditions of a file, one for each network, or kind of its posts, that needs another format, size or ratio. */
export const Renditions = z
  .partialRecord(
    RenditionUse,
    z.strictObject({ url: z.string(), mimeType: z.string(), fileSize: z.int(), width: z.int(), height: z.int() }),
  )
  .meta({ id: 'Renditions' })

/** Why a file is REJECTED. */
export const RejectionCode = z.enum([
  'unreadable',
  'truncated',
  'too_many_pixels',
  'too_many_parts',
  'no_pictures',
  'unknown_codec',
  'too_slow',
  'too_much_memory',
  'crop_impossible',
  'deleted',
])

/**
 * `fileSize`, `width` and `height` describe the file at `storageUrl`. `rejectedReason` explains `rejectedCode` in
 * English.
 */
export const MediaFile = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    kind: z.enum(['IMAGE', 'VIDEO']),
    state: z.enum(['PROCESSING', 'READY', 'REJECTED']),
    rejectedCode: RejectionCode.nullable(),
    rejectedReason: z.string().nullable(),
    fileName: z.string(),
    mimeType: z.string(),
    fileSize: z.int(),
    storageUrl: z.string().nullable(),
    thumbnailUrl: z.string().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    duration: z.number().nullable(),
    codec: z.string().nullable(),
    frameRate: z.number().nullable(),
    renditions: Renditions,
    altText: z.string(),
    /** Whether AI made the file. Networks that require this mark get it, and people see it. */
    aiGenerated: z.boolean(),
    tags: z.array(z.string()),
    /** The number of posts that use the file, without deleted ones. */
    uses: z.int(),
    version: z.int(),
    createdBy: Id.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'MediaFile' })
export type MediaFile = z.infer<typeof MediaFile>

export const MediaPatch = patchOf(
  {
    fileName: z.string().trim().min(1).max(255).optional(),
    altText: z.string().max(LONGEST_ALT_TEXT).optional(),
    aiGenerated: z.boolean().optional(),
    tags: z.array(z.string().trim().min(1).max(50)).max(20).optional(),
  },
  MediaFile,
)
export type MediaPatch = z.infer<typeof MediaPatch>

export const uploadMedia = {
  method: 'POST',
  url: '/media',
  config: { gate: { role: 'EDITOR', feature: 'publishing', quota: 'media_bytes' } },
  schema: {
    operationId: 'uploadMedia',
    summary: 'Upload one or more files; if one is refused, none is saved',
    description: 'Accepts pictures and videos. One file returns the file, several files return a list.',
    tags,
    consumes: ['multipart/form-data'],
    response: { 201: z.union([MediaFile, z.strictObject({ data: z.array(MediaFile) })]) },
  },
} as const satisfies Endpoint

/**
 * A resumable upload in pieces, by the protocol tus 1.0.0. `mediaFileId` names the file once the last byte has arrived.
 */
export const MediaUpload = z
  .strictObject({
    id: Id,
    fileName: z.string(),
    size: z.int(),
    offset: z.int(),
    mediaFileId: Id.nullable(),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'MediaUpload' })
export type MediaUpload = z.infer<typeof MediaUpload>

export const createUpload = {
  method: 'POST',
  url: '/media/uploads',
  config: { gate: { role: 'EDITOR', feature: 'publishing', quota: 'media_bytes' } },
  schema: {
    operationId: 'createUpload',
    summary: 'Start a resumable upload (tus 1.0.0) with `Upload-Length`',
    description:
      'Send the size in `Upload-Length`, and the name and type as `filename` and `filetype` in `Upload-Metadata`. `Location` is the URL to send the bytes to.',
    tags,
    response: { 201: MediaUpload },
  },
} as const satisfies Endpoint

export const getUpload = {
  method: 'GET',
  url: '/media/uploads/:id',
  config: { gate: { role: 'EDITOR', feature: 'publishing' } },
  schema: {
    operationId: 'getUpload',
    summary: 'Get your upload and its `Upload-Offset` (supports HEAD)',
    description: 'HEAD returns the same headers without the body.',
    tags,
    params: IdParams,
    response: { 200: MediaUpload },
  },
} as const satisfies Endpoint

export const continueUpload = {
  method: 'PATCH',
  url: '/media/uploads/:id',
  config: { gate: { role: 'EDITOR', feature: 'publishing' } },
  schema: {
    operationId: 'continueUpload',
    summary: 'Send bytes from `Upload-Offset` on; the last create the file',
    description:
      'The last bytes create the file, and `Content-Location` is its URL. If `Upload-Offset` isn’t the current offset, the request fails with 409.',
    tags,
    consumes: [PIECE_TYPE],
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const endUpload = {
  method: 'DELETE',
  url: '/media/uploads/:id',
  config: { gate: { role: 'EDITOR', feature: 'publishing' } },
  schema: {
    operationId: 'endUpload',
    summary: 'Cancel your unfinished upload and delete its bytes',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const listMedia = {
  method: 'GET',
  url: '/media',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listMedia',
    summary: 'List files, newest first',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      workspaceId: z.string().optional(),
      kind: z.enum(['IMAGE', 'VIDEO']).optional(),
      text: z.string().max(200).optional(),
      tag: z.string().max(50).optional(),
      /** `true` finds files that are in a post, `false` files that are in none. */
      used: z.enum(['true', 'false']).optional(),
      /** `true` finds files with an alternative text, `false` files without. */
      described: z.enum(['true', 'false']).optional(),
    }),
    response: { 200: pageOf(MediaFile) },
  },
} as const satisfies Endpoint

export const getMedia = {
  method: 'GET',
  url: '/media/:id',
  config: { gate: { role: 'VIEWER' } },
  schema: { operationId: 'getMedia', summary: 'Get a file', tags, params: IdParams, response: { 200: MediaFile } },
} as const satisfies Endpoint

export const updateMedia = {
  method: 'PATCH',
  url: '/media/:id',
  config: { gate: { role: 'EDITOR', feature: 'publishing' } },
  schema: {
    operationId: 'updateMedia',
    summary: 'Update the name, alt text or tags of a file',
    tags,
    params: IdParams,
    body: MediaPatch,
    response: { 200: MediaFile },
  },
} as const satisfies Endpoint

export const deleteMedia = {
  method: 'DELETE',
  url: '/media/:id',
  config: { gate: { role: 'EDITOR', feature: 'publishing' } },
  schema: {
    operationId: 'deleteMedia',
    summary: 'Delete a file that no unpublished post uses',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
