import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { sized } from '../../../test/tier.ts'
import { eventually } from '../../../test/world.ts'
import { createModel } from '../../core/platform/model/provider.ts'
import { askTopics, write } from './ai-write.ts'
import type { Option } from './api.ts'

// What is kept of a model's answers over HTTP: complete, partial, broken off, and with invalid characters.

/** `heard`: how many items the client has received so far. */
type Answer = (response: ServerResponse, heard: () => number) => void | Promise<void>

const servers: (() => void)[] = []
afterEach(() => {
  for (const close of servers.splice(0)) close()
})

/** Starts a model that gives these answers in turn, and records its requests. */
async function modelThat(...answers: Answer[]) {
  const asked: { prompt: { count: number; repair?: unknown } }[] = []
  let items = 0
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      const { messages } = JSON.parse(text) as { messages: { content: string | { text: string }[] }[] }
      const said = messages.at(-1)?.content ?? ''
      asked.push({ prompt: JSON.parse(typeof said === 'string' ? said : (said[0]?.text ?? '')) as { count: number } })
      void (answers.shift() ?? writes([]))(response, () => items)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  servers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const provided = createModel({
    provider: 'openai-compatible',
    baseUrl: () => `http://127.0.0.1:${port}`,
    apiKey: undefined,
    model: 'any',
    imageModel: 'any',
    limits: { wholeMs: 2000, retryMs: 5 },
  })
  const model: typeof provided = {
    ...provided,
    items: (ask, onItem) =>
      provided.items(ask, (item) => {
        onItem(item)
        items += 1
      }),
  }
  return { model, asked, heard: () => items }
}

function says(response: ServerResponse, text: string): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: text } }] })}\n\n`)
}
function ends(response: ServerResponse): void {
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
  response.write(
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}
const listOf = (items: readonly object[]) => `{"items":[${items.map((item) => JSON.stringify(item)).join(',')}`

const writes =
  (items: readonly object[], end = ']}'): Answer =>
  (response) => {
    says(response, `${listOf(items)}${end}`)
    ends(response)
  }
const breaksOff =
  (items: readonly object[]): Answer =>
  async (response, heard) => {
    says(response, listOf(items))
    await eventually(async () => heard() >= items.length, 60_000, 5)
    response.socket?.end()
  }
const hangs =
  (items: readonly object[]): Answer =>
  (response) =>
    says(response, listOf(items))
const refuses: Answer = (response) =>
  response.writeHead(400, { 'content-type': 'application/json' }).end('{}') && undefined

const option = (text: string) => ({ text, hashtags: [], cta: null })
const TWO = [
  option('Fresh bread is on the counter this morning.'),
  option('Our ovens were busy all night, come and see.'),
]
const around = { workspace: { language: 'en', niche: '' }, voice: null, media: [] }

async function written(model: Parameters<typeof write>[0]['model'], signal = new AbortController().signal) {
  const given: Option[] = []
  const input = { topic: 'Fresh bread', count: 3 }
  const outcome = await write({ model }, 'caption', input, around, signal, (each) => given.push(each)).catch(
    (error: Error & { kind?: string; code?: string }) => ({ failed: error.kind ?? error.code, given }),
  )
  return { given, ...outcome }
}

describe('options written before a failure are kept, and the rest is missing', () => {
  const failures: [string, Answer[], number][] = [
    ['JSON that is broken at its end', [writes(TWO, ')} and so on')], 1],
    ['an answer that breaks off', [breaksOff(TWO)], 1],
    ['one that does not end in time', [hangs(TWO)], 1],
    ['a second round that is refused', [writes(TWO), refuses], 2],
    ['a second round that does not end in time', [writes(TWO), hangs([])], 2],
  ]
  test.each(failures.slice(0, sized(4, 5)))('%s', async (_what, answers, rounds) => {
    const { model, asked } = await modelThat(...answers)
    const outcome = await written(model)
    expect(outcome).toMatchObject({ options: [{}, {}], dropped: [{ code: 'missing', count: 1 }] })
    expect(outcome.given).toHaveLength(2)
    expect(outcome).toMatchObject({ use: rounds === 1 ? null : { inputTokens: 7, outputTokens: 5 } })
    expect(asked).toHaveLength(rounds)
  })

  test('with the fault of a refused option before the failure', async () => {
    const { model } = await modelThat(breaksOff([TWO[0] as object, option('Buy at https://evil.example now.')]))
    expect(await written(model)).toMatchObject({
      options: [{}],
      dropped: [
        { code: 'foreign_link', count: 1 },
        { code: 'missing', count: 1 },
      ],
    })
  })

  test('also if there is no time left for a second round', async () => {
    const time = new AbortController()
    const { model } = await modelThat(writes(TWO), () => time.abort(new DOMException('', 'TimeoutError')))
    expect(await written(model, time.signal)).toMatchObject({ options: [{}, {}] })
  })

  test('for topics too', async () => {
    const topic = { title: 'Bread', reason: 'It sells.', topic: 'Write about bread.', tone: 'warm' }
    const { model } = await modelThat(breaksOff([topic]))
    const brief = {
      task: 'topics',
      count: 4,
      language: { code: 'en', name: 'English' },
      hashtags: null,
      emoji: null,
      cta: null,
      network: null,
      voice: null,
    } as const
    expect(await askTopics({ model }, brief, new AbortController().signal)).toEqual({ topics: [topic], use: null })
  })
})

test('a failure without any accepted option is an error', async () => {
  expect(await written((await modelThat(breaksOff([]))).model)).toMatchObject({ failed: 'failed' })
  expect(await written((await modelThat(hangs([]))).model)).toMatchObject({ failed: 'timeout' })
})

test('a stopped call keeps nothing', async () => {
  const stop = new AbortController()
  const { model, heard } = await modelThat(hangs(TWO))
  const writing = written(model, stop.signal)
  await eventually(async () => heard() === 2)
  stop.abort()
  expect(await writing).toMatchObject({ failed: 'aborted', given: [{}, {}] })
})

test('an option longer than the limit is skipped without a check', async () => {
  const { model, asked } = await modelThat(writes([option('a'.repeat(10_001)), ...TWO]))
  expect(await written(model)).toMatchObject({ options: [{}, {}], dropped: [{ code: 'missing', count: 1 }] })
  expect(asked.map(({ prompt }) => prompt.repair ?? [])).toEqual([[], []])
})

describe('invalid characters', () => {
  // JSON escapes such characters, and jsonb rejects them.
  const isText = (value: unknown) => !/\\u(?:0000|d[89a-f])/i.test(JSON.stringify(value))

  test('are removed from what a model writes', async () => {
    const spoiled = { text: 'Fresh \uD83Cbread is\u0000 on the counter.', hashtags: [], cta: null }
    const { model } = await modelThat(writes([spoiled, ...TWO]))
    const outcome = await written(model)
    expect(outcome).toMatchObject({ dropped: [] })
    expect(outcome.given[0]?.text).toBe('Fresh bread is on the counter.')
    expect(isText(outcome)).toBe(true)
  })

  test('are not produced by truncation', async () => {
    const long = (longest: number) => `${'a'.repeat(longest - 1)}🎉🎉`
    const topic = { title: long(80), reason: long(300), topic: long(2000), tone: long(100) }
    const { model } = await modelThat(writes([topic]))
    const brief = {
      task: 'topics',
      count: 1,
      language: { code: 'eo', name: 'Esperanto' },
      hashtags: null,
      emoji: null,
      cta: null,
      network: null,
      voice: null,
    } as const
    const { topics } = await askTopics({ model }, brief, new AbortController().signal)
    expect(Object.values(topics[0] ?? {}).map((text) => text.length)).toEqual([79, 299, 1999, 99])
    expect(isText(topics)).toBe(true)
    const voice = { toneAttributes: [], terms: [], phrases: [], avoid: [], writingStyle: long(2000) }
    const learned = await modelThat(writes([voice]))
    const outcome = await write(
      { model: learned.model },
      'voice',
      { samplePosts: ['a'] },
      around,
      new AbortController().signal,
      () => {},
    )
    expect(outcome.voice?.writingStyle).toHaveLength(1999)
  })
})
