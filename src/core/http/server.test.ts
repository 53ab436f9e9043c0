import { once } from 'node:events'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { AppError, type Code, errors } from '../errors.ts'
import { type Problem, Time } from './endpoint.ts'
import { createServer, type ServerOptions } from './server.ts'

let app: Awaited<ReturnType<typeof createServer>> | undefined
afterEach(() => app?.close())

/** How a server with these options sees a request with these headers. */
async function seen(options: Pick<ServerOptions, 'trustProxy' | 'publicUrl'>, headers: Record<string, string> = {}) {
  await app?.close()
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, ...options })
  app.get('/docs/seen', async ({ ip, overHttps }) => ({ ip, overHttps }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const sent = send({ port, host: '127.0.0.1', path: '/docs/seen', headers, agent: false }).end()
  const [answer] = await once(sent, 'response')
  return (await json(answer)) as { ip: string; overHttps: boolean }
}

const forwarded = (addresses: string) => ({ 'x-forwarded-for': addresses })

test('an address that a client writes before those of the proxies is never trusted', async () => {
  const forged = forwarded('198.51.100.1, 203.0.113.7')
  expect((await seen({ trustProxy: 0 }, forged)).ip).toBe('127.0.0.1')
  expect((await seen({ trustProxy: 1 }, forged)).ip).toBe('203.0.113.7')
  expect((await seen({ trustProxy: ['127.0.0.0/8'] }, forged)).ip).toBe('203.0.113.7')
  expect((await seen({ trustProxy: ['192.0.2.1'] }, forged)).ip).toBe('127.0.0.1')
  const two = forwarded('198.51.100.1, 203.0.113.7, 192.0.2.1')
  expect((await seen({ trustProxy: 2 }, two)).ip).toBe('203.0.113.7')
  expect((await seen({ trustProxy: ['127.0.0.1', '192.0.2.1'] }, two)).ip).toBe('203.0.113.7')
})

test('a forwarded value that is not an address is ignored', async () => {
  for (const words of ['<b>me</b>', '203.0.113.7, unknown', '203.0.113.7:80', ''])
    expect((await seen({ trustProxy: 1 }, forwarded(words))).ip).toBe('127.0.0.1')
})

test('cookies are for https alone when a trusted proxy or the public address says https', async () => {
  const https = { 'x-forwarded-proto': 'https' }
  expect((await seen({ trustProxy: 0 }, https)).overHttps).toBe(false)
  expect((await seen({ trustProxy: 1 }, https)).overHttps).toBe(true)
  expect((await seen({ trustProxy: 0, publicUrl: 'https://parley.example.test' })).overHttps).toBe(true)
  expect((await seen({ trustProxy: 0, publicUrl: 'http://parley.example.test' })).overHttps).toBe(false)
})

test('every 503 says when to try again', async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  const codes = (Object.keys(errors) as Code[]).filter((code) => errors[code][0] === 503)
  for (const code of codes)
    app.get(`/api/v1/${code}`, async () => {
      throw new AppError(code)
    })
  const answers = await Promise.all(codes.map((code) => app!.inject(`/api/v1/${code}`)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(codes.map(() => 503))
  for (const { headers } of answers) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(codes).toEqual(expect.arrayContaining(['unavailable', 'provider_not_configured', 'ai_not_configured']))
})

test('a sign-in body has at most 16 KiB', async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  for (const path of ['/api/v1/auth/login', '/api/v1/posts']) app.post(path, async () => ({}))
  const status = async (url: string, length: number) =>
    (await app?.inject({ method: 'POST', url, payload: { text: 'x'.repeat(length) } }))?.statusCode
  expect(await status('/api/v1/auth/login', 16_000)).toBe(200)
  expect(await status('/api/v1/auth/login', 17_000)).toBe(413)
  expect(await status('/api/v1/posts', 17_000)).toBe(200)
})

test('a malformed address is refused with the usual error and the usual headers', async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  const [malformed, missing] = await Promise.all(['/%zz', '/none'].map((url) => app!.inject(url)))
  expect([malformed!.statusCode, malformed!.json<Problem>().code]).toEqual([400, 'malformed_request'])
  expect(malformed!.json<Problem>().requestId).toBe(malformed!.headers['x-request-id'])
  expect(malformed!.headers['content-security-policy']).toContain("default-src 'self'")
  const named = (headers: object) => Object.keys(headers).toSorted()
  expect(named(malformed!.headers)).toEqual(named(missing!.headers))
})

test('an error instead of a file has none of its headers, so nobody keeps it', async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  const file = {
    etag: '"a"',
    'cache-control': 'public, max-age=31536000',
    'accept-ranges': 'bytes',
    'content-length': 9,
  }
  const broken = () =>
    new Readable({
      read() {
        this.destroy(new Error('The bucket is away'))
      },
    })
  app.get('/docs/file', (_request, reply) => reply.headers(file).type('image/png').send(broken()))
  const { statusCode, headers, body } = await app.inject('/docs/file')
  expect([statusCode, JSON.parse(body)]).toMatchObject([500, { code: 'internal' }])
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'application/problem+json; charset=utf-8',
  })
  expect(headers).not.toHaveProperty('etag')
  expect(headers).not.toHaveProperty('accept-ranges')
})

test('the faults of a body form one sentence that names each field and what it expects', async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  const brief = z.strictObject({
    topic: z.string().trim().min(1).max(20),
    tone: z.string(),
    hashtags: z.union([z.boolean(), z.strictObject({ count: z.int().max(30) })]),
    emoji: z.enum(['none', 'heavy']),
  })
  const own = {
    email: z.email(),
    name: z.stringFormat('name_format', /^[a-z]+$/, { error: 'Must be letters' }),
    odd: z.int().refine((value) => value % 2 === 1, { error: 'Must be odd', params: { code: 'even' } }),
    small: z.int().refine((value) => value < 9, 'Must be small'),
  }
  const schema = { body: z.strictObject({ brief: brief.partial(), 'a/b': z.uuid(), at: Time, ...own }).partial() }
  app.post('/api/v1/briefs', { schema }, async () => ({}))
  const told = async (payload: object) =>
    (await app!.inject({ method: 'POST', url: '/api/v1/briefs', payload })).json<Problem>()
  const { detail, errors } = await told({ brief: { topic: '', emoji: 'few' }, 'a/b': 'x', at: 'noon' })
  expect(detail).toBe(
    'brief.topic: At least 1 character; brief.emoji: Must be one of none, heavy; a/b: Must be a UUID; ' +
      'at: Must be an RFC 3339 time with an offset, such as 2026-11-24T09:00:00Z.',
  )
  expect(errors?.map(({ path, code }) => [path, code])).toEqual([
    ['/brief/topic', 'too_short'],
    ['/brief/emoji', 'not_allowed'],
    ['/a~1b', 'wrong_format'],
    ['/at', 'wrong_format'],
  ])
  const coded = (await told({ email: 'a@b', name: '7', odd: 2, small: 10 })).errors
  expect(coded?.map(({ code, message }) => [code, message])).toEqual([
    ['email_format', 'Must be an email address'],
    ['name_format', 'Must be letters'],
    ['even', 'Must be odd'],
    ['invalid', 'Must be small'],
  ])
  const of = async (value: object) => (await told({ brief: value })).detail
  expect(await of({ topic: 7, tone: null })).toBe('brief.topic: Must be text; brief.tone: Must be text.')
  expect(await of({ topic: 'x'.repeat(21), colour: 1 })).toBe(
    'brief.topic: At most 20 characters; brief.colour: Unknown field colour.',
  )
  expect(await of({ hashtags: 3 })).toBe('brief.hashtags: Must be true or false or an object.')
  expect(await of({ hashtags: { count: 31 } })).toBe('brief.hashtags.count: At most 30.')
  expect(await of({ hashtags: {} })).toBe('brief.hashtags: count: Required, must be a number.')
})
