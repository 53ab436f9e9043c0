import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import { answerWithFaults } from '../faults.ts'
import { same } from '../http.ts'
import type { Store } from '../store.ts'
import type { Desk } from './desk.ts'
import { look, type Seen } from './look.ts'
import { listIn, looseness, WRITER } from './openai.ts'

const Texts = z.union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).min(1)])
const Contents = z.union([
  z.string(),
  z
    .array(
      z.discriminatedUnion('type', [
        z.looseObject({ type: z.literal('text'), text: z.string() }),
        z.looseObject({
          type: z.literal('image'),
          source: z.strictObject({
            type: z.literal('base64'),
            media_type: z.enum(['image/jpeg', 'image/png', 'image/webp', 'image/gif']),
            data: z.base64(),
          }),
        }),
      ]),
    )
    .min(1),
])
const Tool = z.looseObject({ name: z.string(), input_schema: z.record(z.string(), z.unknown()) })
const Messages = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: Contents })).min(1),
  system: Texts.optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().optional(),
  top_k: z.int().optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.looseObject({}).optional(),
  output_config: z
    .strictObject({
      format: z.strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).optional(),
      effort: z.string().optional(),
    })
    .optional(),
  tools: z.array(Tool).optional(),
  tool_choice: z.looseObject({ type: z.string(), name: z.string().optional() }).optional(),
})

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}
const bodyOf = (status: number, message: string) => ({
  type: 'error',
  error: { type: TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  request_id: `req_${randomUUID().replaceAll('-', '')}`,
})

const textOf = (said: z.infer<typeof Contents> | undefined) =>
  typeof said === 'string' ? said : (said ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')

/** Returns the picture of a message; null if it has none, undefined if it cannot be decoded. */
async function pictureOf(said: z.infer<typeof Contents> | undefined): Promise<Seen | null | undefined> {
  const part = typeof said === 'string' ? undefined : said?.find(({ type }) => type === 'image')
  return part?.type === 'image' ? look(part.source.media_type, part.source.data) : null
}

/** The subset of Anthropic's API that text generation needs. */
export function anthropicRoutes(app: FastifyInstance, store: Store, desk: Desk, key: string): void {
  app.post('/messages', (request, reply) =>
    answerWithFaults(
      store,
      { network: 'AI', request, reply },
      (status) => bodyOf(status, 'The service is unavailable'),
      async () => {
        const refuse = (status: number, message: string) => {
          const { method, url } = request
          store.record({
            type: 'refused',
            refusal: {
              at: store.clock.now(),
              network: 'AI',
              method,
              path: url,
              status,
              code: TYPES[status] ?? status,
              message,
            },
          })
          return { status, body: bodyOf(status, message) }
        }
        if (!same(String(request.headers['x-api-key'] ?? ''), key)) return refuse(401, 'invalid x-api-key')
        if (!request.headers['anthropic-version']) return refuse(400, 'anthropic-version: header is required')
        const { success, data: asked, error } = Messages.safeParse(request.body)
        if (!success) {
          const [issue] = error.issues
          return refuse(
            400,
            `${issue?.path.join('.') || (issue?.code === 'unrecognized_keys' && issue.keys[0])}: ${issue?.message}`,
          )
        }
        const { model, output_config: config, tools, tool_choice: choice } = asked
        if (model !== WRITER) return refuse(404, `model: ${model}`)
        const tool =
          choice?.type === 'tool' || choice?.type === 'any'
            ? (tools ?? []).find(({ name }) => choice.name === undefined || name === choice.name)
            : undefined
        const schema = config?.format?.schema ?? tool?.input_schema
        const fault = config?.format && looseness(config.format.schema, '')
        if (fault) return refuse(400, `output_config.format.schema: ${fault}`)
        const said = asked.messages.findLast(({ role }) => role === 'user')?.content
        const [system, prompt] = [textOf(asked.system), textOf(said)]
        const picture = await pictureOf(said)
        if (picture === undefined) return refuse(400, 'Could not process image')
        const behaviour = desk.behave(prompt)
        await store.clock.wait(behaviour?.delayMs ?? 0)
        const written = desk.write(
          { system, prompt, picture, list: listIn(schema) ?? 'items', maxTokens: asked.max_tokens },
          behaviour,
        )
        desk.note({ path: '/anthropic/v1/messages', model, system, prompt, picture, status: 200, answer: written.text })
        const usage = {
          input_tokens: written.inputTokens,
          output_tokens: written.outputTokens,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        }
        const stop_reason = written.refusal ? 'refusal' : written.cut ? 'max_tokens' : tool ? 'tool_use' : 'end_turn'
        const message = {
          id: `msg_${randomUUID().replaceAll('-', '')}`,
          type: 'message',
          role: 'assistant',
          model,
          stop_sequence: null,
        }
        if (!asked.stream) {
          const block = tool
            ? { type: 'tool_use', id: 'toolu_sandbox', name: tool.name, input: JSON.parse(written.text) as unknown }
            : { type: 'text', text: written.text }
          return { status: 200, body: { ...message, content: [block], stop_reason, usage } }
        }
        const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
        const block = tool
          ? { type: 'tool_use', id: 'toolu_sandbox', name: tool.name, input: {} }
          : { type: 'text', text: '' }
        return {
          status: 200,
          headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
          body: desk.stream(request, written, behaviour, {
            before: [
              event('message_start', {
                message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
              }),
              event('content_block_start', { index: 0, content_block: block }),
              event('ping', {}),
            ],
            piece: (text) =>
              event('content_block_delta', {
                index: 0,
                delta: tool ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text },
              }),
            after: [
              event('content_block_stop', { index: 0 }),
              event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
              event('message_stop', {}),
            ],
          }),
        }
      },
    ),
  )
}
