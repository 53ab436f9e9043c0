import { once } from 'node:events'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createServer, type ServerOptions } from './server.ts'

let app: Awaited<ReturnType<typeof createServer>> | undefined
afterEach(() => app?.close())

/** What a server with these settings takes a request with these headers for. */
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

test('an address that a client writes in front of those of the proxies is never believed', async () => {
  const forged = forwarded('198.51.100.1, 203.0.113.7')
  expect((await seen({ trustProxy: 0 }, forged)).ip).toBe('127.0.0.1')
  expect((await seen({ trustProxy: 1 }, forged)).ip).toBe('203.0.113.7')
  expect((await seen({ trustProxy: ['127.0.0.0/8'] }, forged)).ip).toBe('203.0.113.7')
  expect((await seen({ trustProxy: ['192.0.2.1'] }, forged)).ip).toBe('127.0.0.1')
  const two = forwarded('198.51.100.1, 203.0.113.7, 192.0.2.1')
  expect((await seen({ trustProxy: 2 }, two)).ip).toBe('203.0.113.7')
  expect((await seen({ trustProxy: ['127.0.0.1', '192.0.2.1'] }, two)).ip).toBe('203.0.113.7')
})

test('what is no address is never taken for one', async () => {
  for (const words of ['<b>me</b>', '203.0.113.7, unknown', '203.0.113.7:80', ''])
    expect((await seen({ trustProxy: 1 }, forwarded(words))).ip).toBe('127.0.0.1')
})

test('cookies are for https alone where a trusted proxy or the public address says https', async () => {
  const https = { 'x-forwarded-proto': 'https' }
  expect((await seen({ trustProxy: 0 }, https)).overHttps).toBe(false)
  expect((await seen({ trustProxy: 1 }, https)).overHttps).toBe(true)
  expect((await seen({ trustProxy: 0, publicUrl: 'https://parley.example.test' })).overHttps).toBe(true)
  expect((await seen({ trustProxy: 0, publicUrl: 'http://parley.example.test' })).overHttps).toBe(false)
})

test('a body of signing in has at most 16 KiB', async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  for (const path of ['/api/v1/auth/login', '/api/v1/posts']) app.post(path, async () => ({}))
  const status = async (url: string, length: number) =>
    (await app?.inject({ method: 'POST', url, payload: { text: 'x'.repeat(length) } }))?.statusCode
  expect(await status('/api/v1/auth/login', 16_000)).toBe(200)
  expect(await status('/api/v1/auth/login', 17_000)).toBe(413)
  expect(await status('/api/v1/posts', 17_000)).toBe(200)
})
