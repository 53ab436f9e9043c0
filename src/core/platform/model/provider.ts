import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { callModel, type Heard, LIMITS, type Limits, RefusedCall } from './call.ts'
import { listSchema, readItems } from './items.ts'
import { type Ask, type Model, ModelError, type Picture, type Use } from './model.ts'
import { fetchOnce } from '../send-once.ts'

interface ModelParts {
  provider: 'openai-compatible' | 'anthropic'
  /** Without a trailing slash. */
  baseUrl(): string
  /** Undefined: the server needs no key. */
  apiKey: string | undefined
  model: string
  imageModel: string
  headers?: Record<string, string>
  limits?: Partial<Limits>
}

/** The address and the default models of each provider. */
export const PROVIDERS = {
  'openai-compatible': { url: 'https://api.openai.com/v1', model: 'gpt-4.1-mini', imageModel: 'gpt-image-1' },
  anthropic: { url: 'https://api.anthropic.com/v1', model: 'claude-haiku-4-5', imageModel: '' },
} as const

/** The parameters that this server supports. A parameter that it rejected is not sent again. */
interface Dialect {
  schema: boolean
  tokens: 'max_tokens' | 'max_completion_tokens'
  imageAsk: Record<string, string>
}

/**
 * A model through the API of its provider. Null: no provider is configured. The libraries are loaded with the first
 * call.
 */
export function createModel(parts: ModelParts | null): Model {
  const limits = { ...LIMITS, ...parts?.limits }
  let dialect: Dialect | undefined

  function begin() {
    if (!parts) throw new ModelError('not_configured', 'No AI provider is set up')
    // OpenAI's newer models know only the new name, many other servers only the old one.
    const isOwn = new URL(parts.baseUrl()).host === 'api.openai.com'
    dialect ??= { schema: true, tokens: isOwn ? 'max_completion_tokens' : 'max_tokens', imageAsk: AS_JPEG }
    return { known: parts, learned: dialect }
  }

  const speakers = new Map<string, LanguageModel>()

  /** The text model of a dialect, created once. */
  async function speaker(known: ModelParts, used: Dialect): Promise<LanguageModel> {
    const key = `${used.schema} ${used.tokens}`
    const made =
      speakers.get(key) ?? (await (known.provider === 'anthropic' ? anthropic(known) : compatible(known, used)))
    speakers.set(key, made)
    return made
  }

  return {
    configured: parts !== null,
    async items(ask, onItem) {
      const { known, learned } = begin()
      let used = learned
      return callModel(ask.signal, limits, {
        run: async (signal, heard) => {
          used = { ...learned }
          const stream = await open(await speaker(known, used), known.provider, used, ask, signal)
          heard.begun()
          return readAnswer(stream, known.model, ask, onItem)
        },
        relearn: ({ status, body }) => {
          if (status !== 400 && status !== 422) return false
          if (used.schema && /response_format|json_schema|output_config|structured.?output/i.test(body)) {
            learned.schema = false
            return true
          }
          if (!body.includes(used.tokens)) return false
          learned.tokens = used.tokens === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
          return true
        },
      })
    },
    async image({ prompt, size, signal: asked }) {
      const { known, learned } = begin()
      if (known.provider === 'anthropic')
        throw new ModelError('not_configured', 'This AI provider does not create pictures')
      let used = learned
      return callModel(asked, limits, {
        run: (signal, heard) => {
          used = { ...learned }
          return paint(known, { prompt, size, n: 1, ...used.imageAsk }, signal, heard)
        },
        relearn: ({ status, body }) => {
          if ((status !== 400 && status !== 422) || used.imageAsk !== AS_JPEG || !body.includes('output_format'))
            return false
          learned.imageAsk = AS_BASE64
          return true
        },
      })
    },
  }
}

const AS_JPEG = { output_format: 'jpeg' }
/** The older API, which most other servers support. */
const AS_BASE64 = { response_format: 'b64_json' }

type LanguageModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
type Stream = Awaited<ReturnType<LanguageModel['doStream']>>['stream']

async function open(
  model: LanguageModel,
  provider: ModelParts['provider'],
  dialect: Dialect,
  ask: Ask<unknown>,
  signal: AbortSignal,
): Promise<Stream> {
  const schema = listSchema(ask.item)
  const system =
    dialect.schema || provider === 'anthropic'
      ? ask.system
      : `${ask.system}\n\nAnswer with one JSON object alone, by this JSON schema:\n${JSON.stringify(schema)}`
  const { stream } = await model.doStream({
    prompt: [
      { role: 'system', content: system },
      {
        role: 'user',
        content: [
          { type: 'text', text: ask.prompt },
          ...(ask.picture ? [{ type: 'file' as const, mediaType: ask.picture.mimeType, data: ask.picture.bytes }] : []),
        ],
      },
    ],
    maxOutputTokens: ask.maxTokens,
    responseFormat: { type: 'json', schema, name: 'items' },
    // A model without structured answers writes them as the input of a tool call.
    providerOptions: { anthropic: { structuredOutputMode: dialect.schema ? 'outputFormat' : 'jsonTool' } },
    includeRawChunks: true,
    abortSignal: signal,
  })
  return stream
}

async function compatible(
  { baseUrl, apiKey, model, headers }: ModelParts,
  { schema, tokens }: Dialect,
): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({
    name: 'compatible',
    baseURL: baseUrl(),
    ...(apiKey && { apiKey }),
    ...(headers && { headers }),
    includeUsage: true,
    fetch: fetchOnce,
    supportsStructuredOutputs: schema,
    transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, [tokens]: max_tokens as unknown }),
  })
  return provider.chatModel(model)
}

async function anthropic({ baseUrl, apiKey, model, headers }: ModelParts): Promise<LanguageModel> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  return createAnthropic({
    baseURL: baseUrl(),
    apiKey: apiKey ?? '',
    fetch: fetchOnce,
    ...(headers && { headers }),
  }).languageModel(model)
}

async function readAnswer<T>(
  stream: Stream,
  model: string,
  { item, most }: Ask<T>,
  onItem: (item: T) => void,
): Promise<Use> {
  let given = 0
  const take = (value: unknown) => {
    const { success, data } = item.safeParse(value)
    if (!success || given === most) return
    given += 1
    onItem(data)
  }
  const items = readItems(take)
  let refused = false
  for await (const part of stream) {
    if (part.type === 'raw') {
      refused ||= isRefusal(part.rawValue)
    } else if (part.type === 'text-delta') {
      items.write(part.delta)
    } else if (part.type === 'error' && !items.isWhole()) {
      throw new ModelError('failed', 'The model’s response broke off')
    } else if (part.type === 'finish') {
      const { unified, raw } = part.finishReason
      if (given === 0 && (refused || unified === 'content-filter')) {
        throw new ModelError('refused', 'The model refused to answer')
      }
      const isCut = unified === 'length' || unified === 'content-filter'
      if (given === 0 && isCut) throw new ModelError('failed', `The model did not finish: ${raw ?? unified}`)
      if (!isCut && !items.isWhole()) throw new ModelError('failed', 'The model’s response is not JSON')
      if (given === 0) take(items.single())
      const { inputTokens, outputTokens } = part.usage
      return { model, inputTokens: inputTokens.total ?? null, outputTokens: outputTokens.total ?? null }
    }
  }
  throw new ModelError('failed', 'The model’s response broke off')
}

/** A refusal arrives in a separate field, which the library ignores. */
const isRefusal = (chunk: unknown) =>
  Boolean((chunk as { choices?: { delta?: { refusal?: unknown } }[] } | null)?.choices?.[0]?.delta?.refusal)

const LARGEST_ANSWER = 48 * 1024 * 1024
const KINDS = { 'image/jpeg': 'ffd8ff', 'image/png': '89504e47', 'image/webp': '52494646' }

/** Does not use the library, which fetches addresses in an answer and so could reach our own network. */
async function paint(parts: ModelParts, ask: object, signal: AbortSignal, heard: Heard): Promise<Picture> {
  const { baseUrl, apiKey, headers, imageModel: model } = parts
  const answer = await fetchOnce(`${baseUrl()}/images/generations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...headers },
    body: JSON.stringify({ model, ...ask }),
    signal,
  })
  if (answer.ok) heard.begun()
  const text = await textOf(answer)
  if (!answer.ok) {
    throw new RefusedCall({ status: answer.status, headers: Object.fromEntries(answer.headers), body: text })
  }
  const { data, usage } = parsed(text) as {
    data?: { b64_json?: unknown }[]
    usage?: { input_tokens?: number; output_tokens?: number }
  }
  const base64 = data?.[0]?.b64_json
  if (typeof base64 !== 'string') throw new ModelError('failed', 'The model’s response contains no picture')
  const bytes = Buffer.from(base64, 'base64')
  const start = bytes.subarray(0, 4).toString('hex')
  const mimeType = Object.entries(KINDS).find(([, magic]) => start.startsWith(magic))?.[0]
  if (!mimeType) throw new ModelError('failed', 'The model’s response is not a picture')
  return {
    model,
    inputTokens: usage?.input_tokens ?? null,
    outputTokens: usage?.output_tokens ?? null,
    bytes,
    mimeType,
  }
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > LARGEST_ANSWER) throw new ModelError('failed', 'The model’s response is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parsed(text: string): object {
  try {
    return (JSON.parse(text) ?? {}) as object
  } catch {
    throw new ModelError('failed', 'The model’s response is not JSON')
  }
}
