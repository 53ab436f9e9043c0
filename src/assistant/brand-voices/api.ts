import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Brand voices'] as const
const read = { role: 'VIEWER' } as const
const write = { role: 'ADMIN', feature: 'ai_content' } as const

/** The maximum number of brand voices of a workspace. */
export const MOST_VOICES = 20

const Term = z.string().trim().min(1).max(80)

/** The style of a brand, without name and owner, for the model and for the checks of its answers. */
export const VoiceText = z.strictObject({
  toneAttributes: z.array(z.string().trim().min(1).max(40)).max(12),
  vocabulary: z.strictObject({
    /** Words that the brand uses for its products. */
    terms: z.array(Term).max(100),
    phrases: z.array(z.string().trim().min(1).max(200)).max(50),
    /** Words that answers must never contain. */
    avoid: z.array(Term).max(100),
  }),
  writingStyle: z.string().trim().max(2000),
  samplePosts: z.array(z.string().trim().min(1).max(3000)).max(10),
})
export type VoiceText = z.infer<typeof VoiceText>

/**
 * Names are unique within a workspace. At most one voice is the default, which every AI endpoint uses unless another is
 * named.
 */
export const BrandVoice = VoiceText.extend({
  id: Id,
  name: z.string(),
  isDefault: z.boolean(),
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: 'BrandVoice' })
export type BrandVoice = z.infer<typeof BrandVoice>

const { toneAttributes, vocabulary, writingStyle, samplePosts } = VoiceText.shape
const { terms, phrases, avoid } = vocabulary.shape
const fields = {
  toneAttributes: toneAttributes.optional(),
  vocabulary: z
    .strictObject({ terms: terms.optional(), phrases: phrases.optional(), avoid: avoid.optional() })
    .optional(),
  writingStyle: writingStyle.optional(),
  samplePosts: samplePosts.optional(),
  isDefault: z.boolean().optional(),
}
const Name = z.string().trim().min(1).max(80)

/** The first voice of a workspace becomes the default unless `isDefault` is false. */
export const NewBrandVoice = z.strictObject({ name: Name, ...fields })
export type NewBrandVoice = z.infer<typeof NewBrandVoice>
export const BrandVoicePatch = patchOf({ name: Name.optional(), ...fields }, BrandVoice)
export type BrandVoicePatch = z.infer<typeof BrandVoicePatch>

export const listBrandVoices = {
  method: 'GET',
  url: '/brand-voices',
  config: { gate: read },
  schema: {
    operationId: 'listBrandVoices',
    summary: 'List brand voices, the default first, then by name',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(BrandVoice) },
  },
} as const satisfies Endpoint

export const getBrandVoice = {
  method: 'GET',
  url: '/brand-voices/:id',
  config: { gate: read },
  schema: {
    operationId: 'getBrandVoice',
    summary: 'Get a brand voice',
    tags,
    params: IdParams,
    response: { 200: BrandVoice },
  },
} as const satisfies Endpoint

export const createBrandVoice = {
  method: 'POST',
  url: '/brand-voices',
  config: { gate: write },
  schema: {
    operationId: 'createBrandVoice',
    summary: 'Create a brand voice, optionally as the new default',
    tags,
    body: NewBrandVoice,
    response: { 201: BrandVoice },
  },
} as const satisfies Endpoint

export const updateBrandVoice = {
  method: 'PATCH',
  url: '/brand-voices/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateBrandVoice',
    summary: 'Update a brand voice (supports If-Match)',
    tags,
    params: IdParams,
    body: BrandVoicePatch,
    response: { 200: BrandVoice },
  },
} as const satisfies Endpoint

export const deleteBrandVoice = {
  method: 'DELETE',
  url: '/brand-voices/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteBrandVoice',
    summary: 'Delete a brand voice; deleting the default leaves none',
    description: 'Without a default, the AI writes in no brand voice.',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
