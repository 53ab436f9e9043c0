import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { type FaultyAnswer, answerWithFaults } from '../faults.ts'
import { same } from '../http.ts'
import type { Store } from '../store.ts'
import type { Desk } from './desk.ts'
import { look, type Seen } from './look.ts'
import { paint } from './paint.ts'

export const WRITER = 'sandbox-writer'
const PAINTER = 'sandbox-painter'
const MADE = 1_767_225_600

const DATA_URL = /^data:(image\/(?:jpeg|png|webp|gif));base64,([A-Za-z0-9+/=]+)$/
const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().regex(DATA_URL), detail: z.enum(['auto', 'low', 'high']).optional() }),
  }),
])
const Text = z.union([z.string(), z.array(Part).min(1)])
const textOf = (content: z.infer<typeof Text>) =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** Returns the picture of a message; null if it has none, undefined if it cannot be decoded. */
async function pictureOf(content: z.infer<typeof Text> | undefined): Promise<Seen | null | undefined> {
  const part = typeof content === 'string' ? undefined : content?.find(({ type }) => type === 'image_url')
  if (part?.type !== 'image_url') return null
  const [, type = '', base64 = ''] = DATA_URL.exec(part.image_url.url) ?? []
  return look(type, base64)
}
const Schema = z.record(z.string(), z.unknown())
const Chat = z.strictObject({
  model: z.string(),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'developer', 'user', 'assistant']),
        content: Text,
        name: z.string().optional(),
      }),
    )
    .min(1),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(1, 'only one answer at a time').nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          strict: z.boolean().nullish(),
          schema: Schema,
        }),
      }),
    ])
    .optional(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  seed: z.int().nullish(),
  user: z.string().optional(),
  reasoning_effort: z.string().nullish(),
})

const SIZES = ['auto', '1024x1024', '1024x1536', '1536x1024'] as const
const Picture = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1).max(32_000),
  n: z.int().min(1).max(1, 'only one picture at a time').nullish(),
  size: z.enum(SIZES).nullish(),
  quality: z.enum(['auto', 'low', 'medium', 'high']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  background: z.enum(['auto', 'opaque', 'transparent']).nullish(),
  moderation: z.enum(['auto', 'low']).nullish(),
  user: z.string().optional(),
})

class Refusal extends Error {
  readonly status: number
  readonly code: string | null
  readonly param: string | null

  constructor(status: number, message: string, code: string | null = null, param: string | null = null) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }
}

const bodyOf = (message: string, code: string | null, param: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param, code },
})
const standard = (status: number) =>
  status === 429
    ? bodyOf('Rate limit reached for requests', 'rate_limit_exceeded', null, 'requests')
    : bodyOf(
        'The server had an error while processing your request',
        null,
        null,
        status < 500 ? 'invalid_request_error' : 'server_error',
      )

/** The subset of OpenAI's API that text and picture generation need, equally strict. */
export function openAiRoutes(app: FastifyInstance, store: Store, desk: Desk, key: string): void {
  /** Answers a call, with refusals in the wording of the API. */
  const answer = (
    path: string,
    method: 'GET' | 'POST',
    work: (request: FastifyRequest) => Promise<FaultyAnswer> | FaultyAnswer,
  ) =>
    app.route({
      method,
      url: path,
      handler: (request, reply) =>
        answerWithFaults(store, { network: 'AI', request, reply }, standard, async () => {
          try {
            const shown = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
            if (!same(shown, key)) throw new Refusal(401, 'Incorrect API key provided.', 'invalid_api_key')
            return await work(request)
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
            const { status, message, code, param } = error
            const { method, url } = request
            const refusal = {
              at: store.clock.now(),
              network: 'AI',
              method,
              path: url,
              status,
              code: code ?? status,
              message,
            }
            store.record({ type: 'refused', refusal })
            return { status, body: bodyOf(message, code, param) }
          }
        }),
    })

  answer('/models', 'GET', () => ({
    status: 200,
    body: {
      object: 'list',
      data: [WRITER, PAINTER].map((id) => ({
        id,
        object: 'model',
        created: MADE,
        owned_by: 'sandbox: a stand-in, no real model',
      })),
    },
  }))

  answer('/chat/completions', 'POST', async (request) => {
    const asked = parsed(Chat, request.body)
    const { model, messages, stream, stream_options, response_format: format } = asked
    if (model !== WRITER)
      throw new Refusal(
        404,
        `The model \`${model}\` does not exist or you do not have access to it.`,
        'model_not_found',
      )
    if (asked.max_tokens != null && asked.max_completion_tokens != null) {
      throw new Refusal(
        400,
        'Setting `max_tokens` and `max_completion_tokens` at the same time is not supported.',
        'invalid_parameter_combination',
      )
    }
    if (stream_options && !stream)
      throw new Refusal(
        400,
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        null,
        'stream_options',
      )
    const say = (roles: string[]) =>
      messages.filter(({ role }) => roles.includes(role)).map(({ content }) => textOf(content))
    const [system, prompt] = [say(['system', 'developer']).join('\n'), say(['user']).at(-1) ?? '']
    if (
      format?.type === 'json_object' &&
      !/json/i.test(messages.map(({ content }) => JSON.stringify(content)).join('\n'))
    ) {
      throw new Refusal(
        400,
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        null,
        'messages',
      )
    }
    const schema = format?.type === 'json_schema' ? format.json_schema : undefined
    if (schema?.strict) {
      const fault = looseness(schema.schema, '')
      if (fault)
        throw new Refusal(400, `Invalid schema for response_format '${schema.name}': ${fault}`, null, 'response_format')
    }
    const picture = await pictureOf(messages.findLast(({ role }) => role === 'user')?.content)
    if (picture === undefined) {
      throw new Refusal(400, 'You uploaded an unsupported image.', 'invalid_image_format')
    }
    const behaviour = desk.behave(prompt)
    await store.clock.wait(behaviour?.delayMs ?? 0)
    const maxTokens = asked.max_completion_tokens ?? asked.max_tokens ?? 16_384
    const written = desk.write(
      { system, prompt, picture, list: listIn(schema?.schema) ?? listNamedIn(system) ?? 'items', maxTokens },
      behaviour,
    )
    desk.note({ path: '/v1/chat/completions', model, system, prompt, picture, status: 200, answer: written.text })
    const common = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(store.clock.now() / 1000),
      model,
      system_fingerprint: 'fp_sandbox',
    }
    const usage = {
      prompt_tokens: written.inputTokens,
      completion_tokens: written.outputTokens,
      total_tokens: written.inputTokens + written.outputTokens,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }
    const finish = written.cut ? 'length' : 'stop'
    if (!stream) {
      const message = written.refusal
        ? { role: 'assistant', content: null, refusal: written.text }
        : {
            role: 'assistant',
            content: written.half ? written.text.slice(0, written.text.length / 2) : written.text,
            refusal: null,
          }
      const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }]
      return { status: 200, body: { ...common, object: 'chat.completion', choices, usage } }
    }
    const wantsUsage = stream_options?.include_usage === true
    const event = (choices: object[], more: object = {}) =>
      `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...(wantsUsage && { usage: null }), ...more })}\n\n`
    const delta = (said: object, finish_reason: string | null = null) =>
      event([{ index: 0, delta: said, logprobs: null, finish_reason }])
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
      body: desk.stream(request, written, behaviour, {
        before: [delta({ role: 'assistant', content: written.refusal ? null : '', refusal: null })],
        piece: (text) => delta(written.refusal ? { refusal: text } : { content: text }),
        after: [delta({}, finish), wantsUsage ? event([], { usage }) : '', 'data: [DONE]\n\n'],
      }),
    }
  })

  answer('/images/generations', 'POST', async (request) => {
    const { model, prompt, size, output_format: format } = parsed(Picture, request.body)
    if (model !== PAINTER) throw new Refusal(404, `The model '${model}' does not exist.`, 'model_not_found')
    const behaviour = desk.behave(prompt)
    await store.clock.wait(behaviour?.delayMs ?? 0)
    if (behaviour?.answer === 'refusal') {
      throw new Refusal(400, 'Your request was rejected by the safety system.', 'moderation_blocked')
    }
    const [width = 1024, height = 1024] = size && size !== 'auto' ? size.split('x').map(Number) : []
    const bytes = await paint(prompt, width, height, format ?? 'png')
    desk.note({
      path: '/v1/images/generations',
      model,
      system: '',
      prompt,
      status: 200,
      answer: `${width}x${height} ${format ?? 'png'}`,
    })
    const inputTokens = Math.ceil(prompt.length / 4)
    return {
      status: 200,
      body: {
        created: Math.floor(store.clock.now() / 1000),
        data: [{ b64_json: behaviour?.answer === 'broken_json' ? 'bm90IGEgcGljdHVyZQ==' : bytes.toString('base64') }],
        output_format: format ?? 'png',
        quality: 'low',
        size: `${width}x${height}`,
        usage: {
          input_tokens: inputTokens,
          output_tokens: 272,
          total_tokens: inputTokens + 272,
          input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
        },
      },
    }
  })
}

/** Parses a body by its schema. Throws the first fault in the wording of the API. */
function parsed<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  const [issue] = error.issues
  const param = issue?.path.join('.') || null
  if (issue?.code === 'unrecognized_keys') {
    const names = [...(param ? [param] : []), issue.keys[0] ?? ''].join('.')
    throw new Refusal(400, `Unrecognized request argument supplied: ${names}`, 'unknown_parameter', names)
  }
  const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined')
  throw new Refusal(
    400,
    isMissing ? `Missing required parameter: '${param}'.` : `Invalid value for '${param}': ${issue?.message}.`,
    isMissing ? 'missing_required_parameter' : 'invalid_value',
    param,
  )
}

const UNKNOWN = ['minLength', 'maxLength', 'default', 'allOf', 'not', 'if', 'patternProperties']

/** Returns why a schema is not strict enough for the API; undefined if it is. */
export function looseness(schema: unknown, at: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const { type, properties, required, additionalProperties, items, anyOf } = schema as {
    [name: string]: unknown
    properties?: Record<string, unknown>
  }
  const here = `In context=(${at})`
  const unknown = UNKNOWN.find((name) => name in schema)
  if (unknown) return `${here}, '${unknown}' is not permitted.`
  if (type === 'object') {
    if (additionalProperties !== false)
      return `${here}, 'additionalProperties' is required to be supplied and to be false.`
    const names = Object.keys(properties ?? {})
    const missing = names.find((name) => !(Array.isArray(required) && required.includes(name)))
    if (missing !== undefined) {
      return `${here}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
    }
  }
  const inner: [string, unknown][] = [
    ...Object.entries(properties ?? {}),
    ...(items === undefined ? [] : [['items', items] as [string, unknown]]),
    ...(Array.isArray(anyOf) ? anyOf.map((each): [string, unknown] => ['anyOf', each]) : []),
  ]
  for (const [name, each] of inner) {
    const fault = looseness(each, `${at}${at && ', '}'${name}'`)
    if (fault) return fault
  }
  return undefined
}

/** Returns the name of the requested list. */
export const listIn = (schema: unknown): string | undefined =>
  Object.entries((schema as { properties?: Record<string, { type?: unknown }> } | undefined)?.properties ?? {}).find(
    ([, { type }]) => type === 'array',
  )?.[0]

/** Returns the same name from a schema in the text of a prompt. */
const listNamedIn = (system: string) => /"properties":\{"(\w+)":\{"type":"array"/.exec(system)?.[1]
