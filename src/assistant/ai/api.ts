import * as z from 'zod'
import { Platform } from '../../networks/api.ts'
import { VoiceText } from '../brand-voices/api.ts'
import { type Endpoint, Id, IdParams, NoBody, PageQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { MediaFile } from '../../publishing/media/api.ts'

const tags = ['AI'] as const
const quota = ['ai_credits', 'ai_generations'] as const
const write = { role: 'EDITOR', feature: 'ai_content', quota } as const

export const KINDS = [
  'caption',
  'rewrite',
  'hashtags',
  'cta',
  'translate',
  'image',
  'suggestions',
  'voice',
  'alt_text',
] as const
export const Kind = z.enum(KINDS)
export type Kind = z.infer<typeof Kind>

const Topic = z.string().trim().min(1).max(2000)
const Caption = z.string().trim().min(1).max(10_000)
const Tone = z.string().trim().min(1).max(100)
/** A name such as Arabic, in English or its own language, or BCP 47. */
const Language = z.string().trim().min(2).max(60)
const Count = z.int().min(0).max(30)

const useOfHashtags = z
  .strictObject({ include: z.boolean(), count: Count, min: Count, max: Count })
  .partial()
  .refine(({ min = 0, max = 30 }) => min <= max, { path: ['max'], error: 'Must be at least min' })
const useOfCta = z
  .strictObject({
    include: z.boolean(),
    style: z.string().trim().min(1).max(100),
    text: z.string().trim().min(1).max(300),
  })
  .partial()

const brief = {
  tone: Tone.optional(),
  /** short: one or two lines. `long` is the same as `long-form`. */
  length: z
    .enum(['short', 'medium', 'long-form', 'long'])
    .transform((length) => (length === 'long' ? ('long-form' as const) : length))
    .optional(),
  language: Language.optional(),
  hashtags: z.union([z.boolean(), useOfHashtags]).optional(),
  emoji: z.enum(['none', 'minimal', 'heavy']).optional(),
  cta: z.union([z.boolean(), useOfCta]).optional(),
  ctaOptions: z.union([z.boolean(), useOfCta]).optional().describe('Alias of `cta`'),
  platform: Platform.optional(),
  count: z.int().min(2).max(5).optional().describe('Number of options. Default: 3'),
  brandVoiceId: Id.nullable()
    .optional()
    .describe('Default: the default brand voice of the workspace. Null: no brand voice'),
  postId: Id.optional(),
}

export const CaptionInput = z.strictObject({ topic: Topic, ...brief })
export type CaptionInput = z.infer<typeof CaptionInput>

/** The fields that a spelling correction accepts. */
const OF_SPELLING = new Set(['change', 'caption', 'platform', 'postId'])

export const RewriteInput = z
  .strictObject({
    ...brief,
    topic: Topic.optional(),
    caption: Caption,
    instruction: z.string().trim().min(1).max(1000).optional(),
    change: z
      .enum(['shorter', 'longer', 'spelling'])
      .optional()
      .describe(
        '`shorter` and `longer`: every option is shorter or longer than the caption. `spelling`: one option, in no brand voice, that only corrects mistakes',
      ),
  })
  .refine((asked) => asked.change !== 'spelling' || Object.keys(asked).every((key) => OF_SPELLING.has(key)), {
    path: ['change'],
    error: 'With spelling, only caption, platform and postId can be sent',
  })

export type RewriteInput = z.infer<typeof RewriteInput>
export type Change = NonNullable<RewriteInput['change']>

const voiced = { brandVoiceId: brief.brandVoiceId, language: Language.optional() }

export const HashtagsInput = z
  .strictObject({
    caption: Caption.optional(),
    mediaIds: z.array(Id).min(1).max(10).optional(),
    niche: z.string().trim().min(1).max(300).optional(),
    platform: Platform.optional(),
    count: z.int().min(1).max(30).optional().describe('Number of hashtags. Default: 10'),
    postId: Id.optional().describe('The post that gets the hashtags, in its override for `platform` if one is named'),
    ...voiced,
  })
  .refine(({ caption, mediaIds, niche }) => caption !== undefined || mediaIds !== undefined || niche !== undefined, {
    path: ['caption'],
    error: 'Send at least one of caption, mediaIds and niche',
  })

export type HashtagsInput = z.infer<typeof HashtagsInput>

export const CtaInput = z
  .strictObject({
    caption: Caption.optional(),
    topic: Topic.optional(),
    goal: z.string().trim().min(1).max(300).optional(),
    platform: Platform.optional(),
    style: z.string().trim().min(1).max(100).optional(),
    count: brief.count,
    postId: Id.optional(),
    ...voiced,
  })
  .refine(({ caption, topic, goal }) => caption !== undefined || topic !== undefined || goal !== undefined, {
    path: ['caption'],
    error: 'Send at least one of caption, topic and goal',
  })

export type CtaInput = z.infer<typeof CtaInput>

export const TranslateInput = z
  .strictObject({
    caption: Caption,
    targetLanguage: Language.optional(),
    language: Language.optional().describe('Alias of `targetLanguage`'),
    cta: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .optional()
      .describe('Call to action to translate too. Options return it as `cta`'),
    hashtags: z
      .array(z.string().trim().min(1).max(200))
      .min(1)
      .max(200)
      .optional()
      .describe('Hashtags besides those in the caption. Options return their equivalents as `hashtags`'),
    platform: Platform.optional(),
    postId: Id.optional(),
    brandVoiceId: brief.brandVoiceId,
  })
  .refine(({ targetLanguage, language }) => (targetLanguage ?? language) !== undefined, {
    path: ['targetLanguage'],
    error: 'Name the target language',
  })

export type TranslateInput = z.infer<typeof TranslateInput>

export const ImageInput = z.strictObject({
  prompt: z.string().trim().min(1).max(2000),
  aspectRatio: z.enum(['1:1', '4:5', '2:3', '3:2', '9:16', '16:9']).optional(),
  style: z.string().trim().min(1).max(100).optional(),
  postId: Id.optional().describe('The post whose media the picture is added to'),
  brandVoiceId: brief.brandVoiceId,
})

export type ImageInput = z.infer<typeof ImageInput>

/** The sample texts from which a voice is described. */
export const VoiceInput = z.strictObject({ samplePosts: VoiceText.shape.samplePosts.min(1) })
export type VoiceInput = z.infer<typeof VoiceInput>

export const AltTextInput = z.strictObject({
  mediaId: Id.describe('A READY picture in the media library'),
  language: Language.optional().describe(
    'Default: the language of the samples in the default brand voice, otherwise that of the workspace',
  ),
})

/** How an option differs from the others, then its strengths. The score is the mean of the strengths. */
export const REASONS = [
  'shortest',
  'longest',
  'asks_question',
  'covers_brief',
  'right_length',
  'in_voice',
  'fits_network',
  'unlike_others',
] as const
export type Reason = (typeof REASONS)[number]

export const Option = z
  .strictObject({
    text: z.string(),
    hashtags: z.array(z.string()).optional(),
    cta: z.string().optional(),
    score: z.number().min(0).max(1),
    reasons: z.array(z.enum(REASONS)),
  })
  .meta({ id: 'AiOption' })
export type Option = z.infer<typeof Option>

/** Why an answer of the model was dropped. */
export const FINDINGS = [
  'wrong_length',
  'wrong_language',
  'emoji_policy',
  'forbidden_word',
  'network_limit',
  'leaked_instruction',
  'foreign_link',
  'same_as_another',
  'lost_part',
  'missing_cta',
  'wrong_hashtags',
  'changed_too_much',
  'empty',
  'missing',
] as const
export type Finding = (typeof FINDINGS)[number]

const Dropped = z.strictObject({ code: z.enum(FINDINGS), count: z.int() })
export type Dropped = z.infer<typeof Dropped>

export const Usage = z.strictObject({
  credits: z.int().describe('Credits used'),
  remaining: z.int().nullable().describe('Credits left this month. Null if unlimited'),
})

/**
 * A request to the model and its result, kept as history. `options` are sorted best first once the status is SUCCEEDED.
 */
export const Generation = z
  .strictObject({
    id: Id,
    kind: Kind,
    status: z.enum(['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED']),
    input: z.record(z.string(), z.unknown()),
    asked: z.int().describe('Number of options requested'),
    options: z.array(Option),
    dropped: z
      .array(Dropped)
      .describe('Options dropped because they didn’t match the brief, by the first problem found'),
    media: MediaFile.nullable(),
    voice: VoiceText.nullable().describe('Only for kind `voice`: what the samples have in common'),
    applied: z.boolean().nullable().describe('Whether the result was added to its post. Null if that wasn’t requested'),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    credits: z.int().describe('Credits used, or to be used while in progress'),
    brandVoiceId: Id.nullable(),
    postId: Id.nullable(),
    model: z.string().nullable(),
    createdBy: z.strictObject({ id: Id.nullable(), name: z.string() }).nullable(),
    createdAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Generation' })
export type Generation = z.infer<typeof Generation>

const answered = { id: Id, usage: Usage }
export const OptionsAnswer = z
  .strictObject({
    ...answered,
    options: z.array(Option),
    asked: Generation.shape.asked,
    dropped: Generation.shape.dropped,
    applied: Generation.shape.applied,
  })
  .meta({ id: 'AiOptions' })
export type OptionsAnswer = z.infer<typeof OptionsAnswer>
export const ImageAnswer = z
  .strictObject({ ...answered, media: MediaFile, applied: Generation.shape.applied })
  .meta({ id: 'AiImage' })
export type ImageAnswer = z.infer<typeof ImageAnswer>
export const VoiceAnswer = z.strictObject({ ...answered, voice: VoiceText }).meta({ id: 'AiVoice' })
export type VoiceAnswer = z.infer<typeof VoiceAnswer>

const asks = <const N extends string, A extends z.ZodType>(operationId: N, summary: string, answer: A) =>
  ({
    operationId,
    summary,
    description:
      'After 25 seconds the response is 202, the work continues, and `Location` is the URL of its result. With text/event-stream, options are sent as they arrive.',
    tags,
    produces: ['application/json', 'text/event-stream'],
    response: { 200: answer, 202: Generation },
  }) as const

export const generateCaption = {
  method: 'POST',
  url: '/ai/caption/generate',
  config: { gate: write, goesOn: true },
  schema: {
    ...asks('generateCaption', 'Generate captions from a brief, best first', OptionsAnswer),
    body: CaptionInput,
  },
} as const satisfies Endpoint

export const rewriteCaption = {
  method: 'POST',
  url: '/ai/caption/rewrite',
  config: { gate: write, goesOn: true },
  schema: {
    ...asks('rewriteCaption', 'Rewrite a caption', OptionsAnswer),
    body: RewriteInput,
  },
} as const satisfies Endpoint

export const generateHashtags = {
  method: 'POST',
  url: '/ai/hashtags/generate',
  config: { gate: write, goesOn: true },
  schema: {
    ...asks('generateHashtags', 'Generate hashtags for a caption, media or a niche', OptionsAnswer),
    body: HashtagsInput,
  },
} as const satisfies Endpoint

export const generateCta = {
  method: 'POST',
  url: '/ai/cta/generate',
  config: { gate: write, goesOn: true },
  schema: { ...asks('generateCta', 'Generate calls to action, best first', OptionsAnswer), body: CtaInput },
} as const satisfies Endpoint

export const translateCaption = {
  method: 'POST',
  url: '/ai/translate',
  config: { gate: write, goesOn: true },
  schema: {
    ...asks('translateCaption', 'Translate a caption with its links, mentions, hashtags and emoji', OptionsAnswer),
    body: TranslateInput,
  },
} as const satisfies Endpoint

export const generateImage = {
  method: 'POST',
  url: '/ai/image/generate',
  config: { gate: { ...write, cost: 10 }, goesOn: true },
  schema: {
    ...asks('generateImage', 'Create a picture, saved to the library and marked as AI-made', ImageAnswer),
    body: ImageInput,
  },
} as const satisfies Endpoint

export const suggestVoice = {
  method: 'POST',
  url: '/ai/brand-voice/suggest',
  config: { gate: write, goesOn: true },
  schema: {
    ...asks('suggestVoice', 'Suggest a brand voice from sample posts', VoiceAnswer),
    body: VoiceInput,
  },
} as const satisfies Endpoint

export const generateAltText = {
  method: 'POST',
  url: '/ai/alt-text',
  config: { gate: write, goesOn: true },
  schema: {
    ...asks('generateAltText', 'Write alt text for a picture without saving it', OptionsAnswer),
    body: AltTextInput,
  },
} as const satisfies Endpoint

export const listGenerations = {
  method: 'GET',
  url: '/ai/generations',
  config: { gate: { role: 'VIEWER', feature: 'ai_content' } },
  schema: {
    operationId: 'listGenerations',
    summary: 'List AI requests with their author and cost, newest first',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      workspaceId: z.string().optional(),
      kind: Kind.optional(),
      postId: Id.optional(),
    }),
    response: { 200: pageOf(Generation) },
  },
} as const satisfies Endpoint

export const getGeneration = {
  method: 'GET',
  url: '/ai/generations/:id',
  config: { gate: { role: 'VIEWER', feature: 'ai_content' } },
  schema: {
    operationId: 'getGeneration',
    summary: 'Get an AI request and its result',
    tags,
    params: IdParams,
    response: { 200: Generation },
  },
} as const satisfies Endpoint

export const cancelGeneration = {
  method: 'POST',
  url: '/ai/generations/:id/cancel',
  config: { gate: { role: 'EDITOR', feature: 'ai_content' } },
  schema: {
    operationId: 'cancelGeneration',
    summary: 'Stop an AI request; it’s free before its first option',
    description: 'Before its first option, a request costs nothing. Afterwards it costs its full amount.',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Generation },
  },
} as const satisfies Endpoint

/** Records the use of an option. Posts with used options get topic tags. */
export const acceptGeneration = {
  method: 'POST',
  url: '/ai/generations/:id/accept',
  config: { gate: { role: 'EDITOR', feature: 'ai_content' } },
  schema: {
    operationId: 'acceptGeneration',
    summary: 'Record which option a post uses, and tag the post',
    description: 'The post is tagged with the topic, format and tone of the option.',
    tags,
    params: IdParams,
    body: z.strictObject({ option: z.int().min(0).max(29), postId: Id }),
    response: { 200: Generation },
  },
} as const satisfies Endpoint

/** The longest topic or tone. */
const LONGEST_TAG = 60
const Tag = z.string().trim().min(1).max(LONGEST_TAG)

/** What a post is about. Tags set by a person are never overwritten. */
export const PostTags = z
  .strictObject({
    postId: Id,
    topic: z.string(),
    format: z.enum(['text', 'picture', 'carousel', 'video']),
    tone: z.string(),
    source: z.enum(['model', 'rules', 'person']),
    taggedAt: Timestamp,
  })
  .meta({ id: 'PostTags' })
export type PostTags = z.infer<typeof PostTags>

const answersTags = { 200: z.strictObject({ data: PostTags.nullable() }) }

export const getPostTags = {
  method: 'GET',
  url: '/posts/:id/tags',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'getPostTags',
    summary: 'Get the tags of a post; null until it’s tagged',
    tags,
    params: IdParams,
    response: answersTags,
  },
} as const satisfies Endpoint

export const setPostTags = {
  method: 'PUT',
  url: '/posts/:id/tags',
  config: { gate: { role: 'EDITOR' } },
  schema: {
    operationId: 'setPostTags',
    summary: 'Correct the tags of a live post; omitted tags don’t change',
    description: 'The same tags change nothing: the source and the time stay.',
    tags,
    params: IdParams,
    body: patchOf({ topic: Tag.optional(), format: PostTags.shape.format.optional(), tone: Tag.optional() }, PostTags),
    response: answersTags,
  },
} as const satisfies Endpoint
export type PostTagsChange = z.infer<(typeof setPostTags)['schema']['body']>

export const SUGGESTION_KINDS = ['topic', 'gap', 'repost', 'hashtag', 'time'] as const

export const Suggestion = z
  .strictObject({
    id: Id,
    kind: z.enum(SUGGESTION_KINDS),
    title: z.string(),
    reason: z.string(),
    brief: CaptionInput,
    score: z.number().min(0).max(1),
    scheduledAt: Timestamp.nullable().describe('Suggested time for kinds `gap` and `time`. Null for other kinds'),
  })
  .meta({ id: 'Suggestion' })
export type Suggestion = z.infer<typeof Suggestion>

const suggestions = z.strictObject({ data: z.array(Suggestion), nextCursor: z.null() })

export const listSuggestions = {
  method: 'GET',
  url: '/ai/suggestions',
  config: { gate: { role: 'VIEWER', feature: 'ai_suggestions' } },
  schema: {
    operationId: 'listSuggestions',
    summary: 'List today’s post ideas, best first, at no cost',
    tags,
    response: { 200: suggestions },
  },
} as const satisfies Endpoint

export const refreshSuggestions = {
  method: 'POST',
  url: '/ai/suggestions/refresh',
  config: { gate: { role: 'EDITOR', feature: ['ai_content', 'ai_suggestions'], quota }, goesOn: true },
  schema: {
    operationId: 'refreshSuggestions',
    summary: 'Refresh the post ideas',
    tags,
    body: NoBody,
    response: { 200: suggestions, 202: Generation },
  },
} as const satisfies Endpoint
