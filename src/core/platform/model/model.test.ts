import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import sharp from 'sharp'
import * as z from 'zod'
import { addFaultTo, call, startSandbox, type ShownState } from '../../../../sandbox/testing.ts'
import { createModel } from './provider.ts'
import type { ModelError } from './model.ts'

// Calls to a model over HTTP, against the stand-in of the sandbox and against servers that support less.

let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterEach(() => call(`${sandbox.url}/reset`, { json: {} }))
afterAll(() => sandbox.close())

type Provider = 'openai-compatible' | 'anthropic'
const LIMITS = { wholeMs: 4_000, retryMs: 5 }
/** Longer than any test waits. */
const NEVER = 3_600_000
const modelOf = (provider: Provider = 'openai-compatible', more: object = {}) =>
  createModel({
    provider,
    baseUrl: () => `${sandbox.url}/ai${provider === 'anthropic' ? '/anthropic' : ''}/v1`,
    apiKey: 'sandbox-ai-key',
    model: 'sandbox-writer',
    imageModel: 'sandbox-painter',
    limits: LIMITS,
    ...more,
  })

const Caption = z.object({
  text: z.string().min(1).max(9000),
  hashtags: z.array(z.string()),
  cta: z.string().nullable(),
})
const brief = { task: 'caption', count: 3, topic: 'Fresh bread on Saturday', language: { code: 'en', name: 'English' } }
const askOf = (signal = new AbortController().signal) => ({
  system: 'You write captions.',
  prompt: JSON.stringify(brief),
  item: Caption,
  most: 5,
  maxTokens: 4000,
  signal,
})

/** The outcome of a call: its items, and how it failed. */
async function asked(model = modelOf(), more: Partial<ReturnType<typeof askOf>> = {}) {
  const items: z.infer<typeof Caption>[] = []
  const began = performance.now()
  const outcome = await model
    .items({ ...askOf(), ...more }, (item) => items.push(item))
    .then(
      (use) => ({ use, kind: 'answered' as const, message: '' }),
      ({ kind, message }: ModelError) => ({ use: null, kind, message }),
    )
  return { items, ...outcome, took: performance.now() - began }
}

const behave = (behaviour: object) => call(`${sandbox.url}/ai/behaviour`, { method: 'PUT', json: behaviour })
const fault = (action: object, times = 1) => addFaultTo(sandbox.url, { match: { network: 'AI' }, do: action, times })
/** How often a fault was used. */
const faultsUsed = async () =>
  (await call<ShownState>(`${sandbox.url}/state`)).body.faults.reduce((sum, { used }) => sum + used, 0)
const calls = async () =>
  (await call<{ data: { prompt: string; system: string }[] }>(`${sandbox.url}/ai/calls`)).body.data

describe.each<Provider>(['openai-compatible', 'anthropic'])('with the API %s', (provider) => {
  test('items arrive with the tokens used, and the prompt is sent unchanged', async () => {
    const { items, use, kind } = await asked(modelOf(provider))
    expect(kind).toBe('answered')
    expect(items).toHaveLength(3)
    expect(items[0]?.text).toContain('resh bread')
    expect(use).toMatchObject({ model: 'sandbox-writer', inputTokens: expect.any(Number) as number })
    expect(use?.outputTokens).toBeGreaterThan(50)
    expect(await calls()).toMatchObject([{ prompt: JSON.stringify(brief), system: 'You write captions.' }])
  })

  test('the model sees a picture that is sent with the prompt', async () => {
    const bytes = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#3273dc' } })
      .jpeg()
      .toBuffer()
    const texts: string[] = []
    const ask = {
      ...askOf(),
      prompt: JSON.stringify({ ...brief, task: 'alt_text', count: 1 }),
      item: z.object({ text: z.string() }),
    }
    await modelOf(provider).items({ ...ask, picture: { bytes, mimeType: 'image/jpeg' } }, ({ text }) =>
      texts.push(text),
    )
    expect(texts).toEqual(['A plain surface across a wide view in shades of blue.'])
    expect(await calls()).toMatchObject([
      { prompt: ask.prompt, picture: { type: 'image/jpeg', width: 60, height: 40 } },
    ])
    const broken = { ...ask, picture: { bytes: bytes.subarray(0, 20), mimeType: 'image/jpeg' as const } }
    await expect(modelOf(provider).items(broken, () => undefined)).rejects.toMatchObject({ kind: 'failed' })
  })

  test('the first item arrives long before the last', async () => {
    await behave({ chunkDelayMs: 5 })
    const times: number[] = []
    await modelOf(provider).items(askOf(), () => times.push(performance.now()))
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100)
  })

  test('no more items are returned than were requested', async () => {
    expect((await asked(modelOf(provider), { most: 2 })).items).toHaveLength(2)
  })

  test.each([
    ['refusal', 'refused'],
    ['broken_json', 'failed'],
    ['half', 'failed'],
  ] as const)('the answer %s counts as %s', async (answer, kind) => {
    await behave({ answer })
    expect((await asked(modelOf(provider))).kind).toBe(kind)
  })

  test('items that do not match the schema are skipped', async () => {
    await behave({ answer: 'no_schema' })
    expect(await asked(modelOf(provider))).toMatchObject({ kind: 'answered', items: [] })
  })

  test('an answer cut at its maximum length counts if it has whole items', async () => {
    expect(await asked(modelOf(provider), { maxTokens: 100 })).toMatchObject({ kind: 'answered', items: [{}] })
    expect(await asked(modelOf(provider), { maxTokens: 20 })).toMatchObject({ kind: 'failed', items: [] })
  })

  test('a wrong key fails at once', async () => {
    const { kind, message } = await asked(modelOf(provider, { apiKey: 'guessed-key' }))
    expect([kind, message]).toEqual(['failed', expect.stringMatching(/401 (invalid_api_key|authentication_error)$/)])
  })

  test('a busy or broken provider is asked three times at most', async () => {
    await fault({ status: 429 }, 2)
    expect((await asked(modelOf(provider))).items).toHaveLength(3)
    await fault({ status: 500 }, 2)
    expect((await asked(modelOf(provider))).items).toHaveLength(3)
    await fault({ drop: 'before' }, 2)
    expect((await asked(modelOf(provider))).items).toHaveLength(3)
    await fault({ status: 429 }, 3)
    expect((await asked(modelOf(provider))).kind).toBe('busy')
    await fault({ status: 500 }, 3)
    expect((await asked(modelOf(provider))).kind).toBe('failed')
    expect((await asked(modelOf(provider))).kind).toBe('answered')
  })

  test('a provider that reports an exhausted budget is not asked again', async () => {
    const body = {
      error: { message: 'You exceeded your quota', type: 'insufficient_quota', code: 'insufficient_quota' },
    }
    await fault({ status: 429, body })
    expect(await asked(modelOf(provider))).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('insufficient_quota') as string,
    })
  })

  test('a silent or slow provider has the time of the whole call', async () => {
    await fault({ delayMs: NEVER }, 3)
    expect((await asked(modelOf(provider, { limits: { ...LIMITS, wholeMs: 150 } }))).kind).toBe('timeout')
    // Not repeated, since the time is up.
    expect(await faultsUsed()).toBe(1)
    await call(`${sandbox.url}/faults`, { method: 'DELETE' })
    await behave({ chunkDelayMs: 60_000 })
    expect((await asked(modelOf(provider, { limits: { ...LIMITS, wholeMs: 400 } }))).kind).toBe('timeout')
  })

  test('a stop by the caller takes effect at once', async () => {
    const patient = modelOf(provider, { limits: { ...LIMITS, wholeMs: NEVER } })
    const silent = new AbortController()
    await fault({ delayMs: NEVER })
    const stopped = asked(patient, { signal: silent.signal })
    await expect.poll(faultsUsed).toBe(1)
    silent.abort()
    expect((await stopped).kind).toBe('aborted')
    // In the middle of an answer that takes long to finish.
    await behave({ chunkDelayMs: 20 })
    const speaking = new AbortController()
    const items: unknown[] = []
    const cut = patient.items(askOf(speaking.signal), (item) => {
      items.push(item)
      speaking.abort()
    })
    await expect(cut).rejects.toMatchObject({ kind: 'aborted' })
    expect(items).toHaveLength(1)
    const before = await calls()
    expect((await asked(patient, { signal: AbortSignal.abort() })).kind).toBe('aborted')
    expect(await calls()).toEqual(before)
  })

  test('no failure contains any part of the request', async () => {
    const marked = { prompt: JSON.stringify({ ...brief, topic: 'MARKER-7' }), system: 'MARKER-8' }
    const problem = (status: number) => ({
      status,
      body: { error: { message: 'MARKER-9', code: 'MARKER_9 x', type: null } },
    })
    for (const [set, times] of [
      [problem(400), 1],
      [problem(500), 3],
      [{ drop: 'before' }, 3],
    ] as const) {
      await fault(set, times)
      const failure = await modelOf(provider)
        .items({ ...askOf(), ...marked }, () => {})
        .catch((error: unknown) => error)
      const { message, stack, cause } = failure as Error
      expect(`${message} ${stack} ${JSON.stringify(failure)} ${String(cause)}`).not.toContain('MARKER')
    }
  })
})

describe('an answer that breaks off is not requested again', () => {
  const cut = (start: (response: ServerResponse) => void) => {
    let asked = 0
    return serve((_body, _request, response) => {
      asked += 1
      start(response)
      // Ends the connection after the bytes that were written.
      response.socket?.end()
    }).then((server) => ({ ...server, asked: () => asked }))
  }

  test.each([
    ['after its status', ''],
    [
      'after its first words',
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '{"items":[' } }] })}\n\n`,
    ],
  ])('%s', async (_when, words) => {
    const server = await cut((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      response.write(words)
    })
    expect((await asked(server.model)).kind).toBe('failed')
    expect(server.asked()).toBe(1)
    await server.close()
  })

  test('in the middle of a picture', async () => {
    const server = await cut((response) => response.writeHead(200).write('{"data":[{"b64_json":"'))
    const ask = { prompt: 'Bread', size: '1024x1024', signal: new AbortController().signal } as const
    await expect(server.model.image(ask)).rejects.toMatchObject({ kind: 'failed' })
    expect(server.asked()).toBe(1)
    await server.close()
  })
})

test("the end of the caller's own time counts as a timeout, a stop as a stop", async () => {
  const patient = modelOf(undefined, { limits: { ...LIMITS, wholeMs: NEVER } })
  await fault({ delayMs: NEVER }, 2)
  expect((await asked(patient, { signal: AbortSignal.timeout(100) })).kind).toBe('timeout')
  const stop = new AbortController()
  const stopped = asked(patient, { signal: stop.signal })
  await expect.poll(faultsUsed).toBe(2)
  stop.abort()
  expect((await stopped).kind).toBe('aborted')
})

test('a Retry-After is kept, unless it is too long', async () => {
  let answers = 0
  const server = await serve((_body, _request, response) => {
    answers += 1
    response.writeHead(429, { 'retry-after': answers === 1 ? '0.2' : '30' }).end('{}')
  })
  const { kind, took } = await asked(server.model)
  expect([kind, answers]).toEqual(['busy', 2])
  expect(took).toBeGreaterThan(190)
  expect(took).toBeLessThan(10_000)
  await server.close()
})

describe('servers that support less', () => {
  test('a server without schemas gets the schema in words, from the second call on at once', async () => {
    const bodies: Record<string, unknown>[] = []
    const server = await serve((body, _request, response) => {
      bodies.push(body)
      const format = body['response_format'] as { type: string }
      if (format.type === 'json_schema') return refuse(response, "response_format type 'json_schema' is not supported")
      return stream(response, '```json\n{"items":[{"text":"One","hashtags":[],"cta":null}]}\n```')
    })
    expect((await asked(server.model)).items).toEqual([{ text: 'One', hashtags: [], cta: null }])
    expect((await asked(server.model)).items).toHaveLength(1)
    expect(bodies.map((body) => (body['response_format'] as { type: string }).type)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ])
    expect(JSON.stringify(bodies.at(-1)?.['messages'])).toContain('JSON schema')
    await server.close()
  })

  test('a server that wants the other name for the maximum of tokens gets it', async () => {
    const server = await serve((body, _request, response) =>
      'max_tokens' in body
        ? refuse(response, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        : stream(response, '{"items":[{"text":"One","hashtags":[],"cta":null}]}'),
    )
    expect((await asked(server.model)).items).toHaveLength(1)
    await server.close()
  })

  test.each([
    ['words before it, and a list alone', 'Here you are:\n[{"text":"a } ] \\" b","hashtags":["x"],"cta":null}]', 1],
    ['one item without a list', '{"text":"One","hashtags":["[","{"],"cta":null}', 1],
    [
      'a list by another name, with one that does not match',
      '{"captions":[{"text":"One","hashtags":[],"cta":null},{"text":1}]}',
      1,
    ],
    ['an empty list', '{"items":[]}', 0],
  ])('%s is read', async (_what, text, count) => {
    const server = await serve((_body, _request, response) => stream(response, text))
    expect(await asked(server.model)).toMatchObject({ kind: 'answered', items: { length: count } })
    await server.close()
  })

  test('words alone are not an answer', async () => {
    const server = await serve((_body, _request, response) => stream(response, 'I would rather not.'))
    expect((await asked(server.model)).kind).toBe('failed')
    await server.close()
  })
})

describe('pictures', () => {
  const ask = { prompt: 'A loaf of bread', size: '1536x1024', signal: new AbortController().signal } as const
  const kindOf = (model: ReturnType<typeof modelOf>) =>
    model.image(ask).then(
      () => 'answered',
      ({ kind }: ModelError) => kind,
    )

  test('are bytes of the requested size', async () => {
    const { default: sharp } = await import('sharp')
    // The stand-in paints, which can take longer than a text on a busy machine.
    const picture = await modelOf('openai-compatible', { limits: {} }).image(ask)
    expect(await sharp(picture.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1536, height: 1024 })
    expect(picture).toMatchObject({ mimeType: 'image/jpeg', model: 'sandbox-painter', outputTokens: 272 })
  })

  test('a refusal, bytes that are not a picture, and a provider without pictures are distinguished', async () => {
    await behave({ answer: 'refusal' })
    expect(await kindOf(modelOf())).toBe('refused')
    await behave({ answer: 'broken_json' })
    expect(await kindOf(modelOf())).toBe('failed')
    expect(await kindOf(modelOf('anthropic'))).toBe('not_configured')
  })

  test('an answer with an address is refused, and the address is not fetched', async () => {
    const paths: string[] = []
    const server = await serve((_body, request, response) => {
      paths.push(request.url ?? '')
      const { host } = request.headers
      response.end(JSON.stringify({ data: [{ url: `http://${host}/inside.jpg` }] }))
    })
    expect(await kindOf(server.model)).toBe('failed')
    expect(paths).toEqual(['/images/generations'])
    await server.close()
  })

  test('an answer larger than any picture is refused, even if its beginning is valid', async () => {
    const picture = Buffer.alloc(37 * 1024 * 1024)
    picture.set([0xff, 0xd8, 0xff])
    const whole = JSON.stringify({ data: [{ b64_json: picture.toString('base64') }] })
    const limits = { ...LIMITS, wholeMs: NEVER }
    const server = await serve((_body, _request, response) => response.end(whole), { limits })
    expect(await kindOf(server.model)).toBe('failed')
    await server.close()
  })

  test('a server that does not know output_format gets the older parameter', async () => {
    const bodies: Record<string, unknown>[] = []
    const server = await serve((body, _request, response) => {
      bodies.push(body)
      if ('output_format' in body) return refuse(response, "Unknown parameter: 'output_format'")
      response.end(JSON.stringify({ data: [{ b64_json: Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64') }] }))
    })
    expect(await kindOf(server.model)).toBe('answered')
    expect(bodies.at(-1)).toMatchObject({ response_format: 'b64_json' })
    await server.close()
  })
})

test('without a provider, no call is made', async () => {
  const model = createModel(null)
  expect(model.configured).toBe(false)
  expect((await asked(model)).kind).toBe('not_configured')
})

test('the built server loads the libraries with the first call, not at the start', () => {
  const folder = join(import.meta.dirname, '../../../../server')
  const built = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
  expect(built).toContain('import("@ai-sdk/openai-compatible")')
  expect(built).not.toMatch(/(?:from|import) ?"@ai-sdk/)
})

// ---- servers of our own

type Handler = (body: Record<string, unknown>, request: IncomingMessage, response: ServerResponse) => unknown

async function serve(handler: Handler, more: object = {}) {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => void handler(JSON.parse(text) as Record<string, unknown>, request, response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    model: modelOf('openai-compatible', { baseUrl: () => `http://127.0.0.1:${port}`, ...more }),
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}

const refuse = (response: ServerResponse, message: string) =>
  response
    .writeHead(400, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }))

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (choice: object) =>
    response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`)
  for (const sign of text) chunk({ delta: { content: sign }, finish_reason: null })
  chunk({ delta: {}, finish_reason: 'stop' })
  response.end('data: [DONE]\n\n')
}
