import { once } from 'node:events'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callbackOrigin, ownOrigin } from './origin.ts'
import { createServer } from './server.ts'

const PUBLIC_URL = 'https://parley.example.test'
const STARTED_AS = 'http://127.0.0.1:3000'

let app: Awaited<ReturnType<typeof createServer>>
let port: number
beforeAll(async () => {
  app = await createServer({ log: pino({ level: 'silent' }), strictAnswers: true, trustProxy: 0 })
  const settings = { publicUrl: () => STARTED_AS }
  for (const [path, publicUrl] of [
    ['/docs/local', undefined],
    ['/docs/public', PUBLIC_URL],
  ] as const)
    app.get(path, async (request) => ({
      own: ownOrigin(publicUrl)(request),
      callback: callbackOrigin(request, { config: { publicUrl }, settings }),
    }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())

/** How the server judges a request with these headers. `fetch` cannot set `Host`. */
async function seen(path: '/docs/local' | '/docs/public', headers: Record<string, string>) {
  const sent = send({ port, host: '127.0.0.1', path, headers, agent: false }).end()
  const [answer] = await once(sent, 'response')
  return (await json(answer)) as { own: boolean; callback: string }
}

/** The headers that a browser sends from a page of the same host, whatever address that name resolves to. */
const pageOf = (host: string) => ({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })

test('a page is our own by its Host only on this machine; a foreign name that resolves here stays foreign', async () => {
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost'])
    expect([host, await seen('/docs/local', pageOf(host))]).toEqual([host, { own: true, callback: `http://${host}` }])
  const foreign = [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    'evil.localhost',
    '127.0.0.1.evil.example',
  ]
  for (const host of foreign)
    expect([host, await seen('/docs/local', pageOf(host))]).toEqual([host, { own: false, callback: STARTED_AS }])
})

test('a page of the public address is our own, a lookalike is not', async () => {
  const own = async (origin: string) =>
    (await seen('/docs/public', { host: 'parley.example.test', origin, 'sec-fetch-site': 'same-origin' })).own
  expect(await own(PUBLIC_URL)).toBe(true)
  for (const origin of [`${PUBLIC_URL}.evil.example`, `${PUBLIC_URL}:444`, 'http://parley.example.test', 'null'])
    expect([origin, await own(origin)]).toEqual([origin, false])
  const { callback } = await seen('/docs/public', pageOf('evil.example'))
  expect(callback).toBe(PUBLIC_URL)
})
