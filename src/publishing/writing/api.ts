import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { NewPost, Post } from '../posts/api.ts'

const tags = ['Writing'] as const
const read = { role: 'VIEWER' } as const
const write = { role: 'EDITOR', feature: 'publishing' } as const

/** The maximum number of hashtag sets, and of templates, of a workspace. */
export const MOST_SAVED = 200

const saved = { id: Id, name: z.string(), version: z.int(), createdAt: Timestamp, updatedAt: Timestamp }
const Name = z.string().trim().min(1).max(80)

/** Hashtags that are inserted together. No two sets of a workspace have the same name. */
export const HashtagSet = z.strictObject({ ...saved, hashtags: Post.shape.hashtags }).meta({ id: 'HashtagSet' })
export type HashtagSet = z.infer<typeof HashtagSet>

const texts = {
  caption: true,
  hashtags: true,
  cta: true,
  captionOverrides: true,
  hashtagOverrides: true,
  platformOptions: true,
  linkTags: true,
} as const

/**
 * A starting point for posts. `placeholders` are the names in its {{braces}}, which people fill in when they use it.
 * Options that must be chosen for each post, or that belong to one video, are not kept.
 */
export const Template = Post.pick(texts)
  .extend({ ...saved, placeholders: z.array(z.string()) })
  .meta({ id: 'Template' })
export type Template = z.infer<typeof Template>

const setFields = { name: Name, hashtags: z.array(z.string().trim().min(1).max(200)).min(1).max(100) }
const templateFields = { name: Name, ...NewPost.pick(texts).shape }

export const NewHashtagSet = z.strictObject(setFields)
export type NewHashtagSet = z.infer<typeof NewHashtagSet>
export const HashtagSetPatch = patchOf(z.strictObject(setFields).partial().shape, HashtagSet)
export type HashtagSetPatch = z.infer<typeof HashtagSetPatch>
export const NewTemplate = z.strictObject(templateFields)
export type NewTemplate = z.infer<typeof NewTemplate>
export const TemplatePatch = patchOf({ ...templateFields, name: Name.optional() }, Template)
export type TemplatePatch = z.infer<typeof TemplatePatch>

export const listHashtagSets = {
  method: 'GET',
  url: '/hashtag-sets',
  config: { gate: read },
  schema: {
    operationId: 'listHashtagSets',
    summary: 'List hashtag sets by name',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(HashtagSet) },
  },
} as const satisfies Endpoint

export const createHashtagSet = {
  method: 'POST',
  url: '/hashtag-sets',
  config: { gate: write },
  schema: {
    operationId: 'createHashtagSet',
    summary: 'Create a hashtag set',
    tags,
    body: NewHashtagSet,
    response: { 201: HashtagSet },
  },
} as const satisfies Endpoint

export const updateHashtagSet = {
  method: 'PATCH',
  url: '/hashtag-sets/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateHashtagSet',
    summary: 'Update a hashtag set (supports If-Match)',
    tags,
    params: IdParams,
    body: HashtagSetPatch,
    response: { 200: HashtagSet },
  },
} as const satisfies Endpoint

export const deleteHashtagSet = {
  method: 'DELETE',
  url: '/hashtag-sets/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteHashtagSet',
    summary: 'Delete a hashtag set; posts keep their hashtags',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const listTemplates = {
  method: 'GET',
  url: '/templates',
  config: { gate: read },
  schema: {
    operationId: 'listTemplates',
    summary: 'List post templates by name',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(Template) },
  },
} as const satisfies Endpoint

export const createTemplate = {
  method: 'POST',
  url: '/templates',
  config: { gate: write },
  schema: {
    operationId: 'createTemplate',
    summary: 'Create a post template',
    tags,
    body: NewTemplate,
    response: { 201: Template },
  },
} as const satisfies Endpoint

export const updateTemplate = {
  method: 'PATCH',
  url: '/templates/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateTemplate',
    summary: 'Update a post template (supports If-Match)',
    tags,
    params: IdParams,
    body: TemplatePatch,
    response: { 200: Template },
  },
} as const satisfies Endpoint

export const deleteTemplate = {
  method: 'DELETE',
  url: '/templates/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteTemplate',
    summary: 'Delete a post template; posts made from it stay',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
