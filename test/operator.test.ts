import { beforeAll, expect, test } from 'vitest'
import { errors } from '../src/core/errors.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { freshDatabase } from './database.ts'
import { useProduct } from './fixtures.ts'
import { startProduct } from './product.ts'
import { connectPages, newPerson, type Person, untilStatus } from './world.ts'

// What operators and developers read: metrics, API reference and errors.

const TOKEN = 'let me see the figures'

const { product } = useProduct({ env: { METRICS_TOKEN: TOKEN } })
let ann: Person
beforeAll(async () => {
  ann = await newPerson(product.url)
})

const figures = (authorization?: string) =>
  fetch(`${product.url}/metrics`, { headers: authorization ? { authorization } : {} })
async function figure(line: RegExp): Promise<number> {
  const text = await (await figures(`Bearer ${TOKEN}`)).text()
  return Number(line.exec(text)?.[1])
}

/** A request through a proxy on this machine, like those of strangers. */
const forwarded = (url: string) => fetch(`${url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.7' } })

test('metrics are open to loopback, and to any caller with the token', async () => {
  for (const wrong of ['Bearer ', 'Bearer other', `Basic ${TOKEN}`]) {
    expect((await figures(wrong)).status).toBe(401)
  }
  expect([(await figures()).status, (await forwarded(product.url)).status]).toEqual([200, 401])
  const right = await figures(`Bearer ${TOKEN}`)
  expect([right.status, right.headers.get('content-type')]).toEqual([200, expect.stringContaining('version=0.0.4')])
})

test('metrics count waiting posts, and answers with their duration', async () => {
  const [page] = await connectPages(ann, 'u77')
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
  const waiting = /^parley_publications\{state="PENDING",reason=""\} (\d+)$/m
  const before = (await figure(waiting)) || 0
  for (const caption of ['one', 'two']) {
    await ann.must<Post>('POST', '/posts', { caption, targets: [page?.id], scheduledAt, action: 'schedule' })
  }
  expect((await figure(waiting)) - before).toBe(2)
  const post = await ann.must<Post>('POST', '/posts', { caption: 'now', targets: [page?.id], action: 'publish' })
  await untilStatus(ann, post.id, ['PUBLISHED'])
  expect(await figure(waiting)).toBe(before + 2)
  expect(await figure(/^parley_http_answer_seconds_count\{operation="createPost",status="201"\} (\d+)$/m)).toBe(3)
  expect(await figure(/^parley_database_connections\{state="open"\} (\d+)$/m)).toBeGreaterThan(0)
  expect(await figure(/^process_resident_memory_bytes (\d+)/m)).toBeGreaterThan(50_000_000)
})

test('metrics are open to loopback only if no token is set', async () => {
  const own = await freshDatabase()
  const other = await startProduct({ databaseUrl: own.url })
  try {
    expect((await fetch(`${other.url}/metrics`, { headers: { authorization: 'Bearer x' } })).status).toBe(404)
    expect([(await fetch(`${other.url}/metrics`)).status, (await forwarded(other.url)).status]).toEqual([200, 404])
  } finally {
    await other.stop()
    await own.drop()
  }
})

test('the API reference can be browsed, and loads nothing from other hosts', async () => {
  const page = await fetch(`${product.url}/docs`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  const html = await page.text()
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => new URL(file ?? '', page.url))
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    expect(file.origin).toBe(product.url)
    expect([file.pathname, (await fetch(file)).status]).toEqual([file.pathname, 200])
  }
  const description = (await (await fetch(`${product.url}/docs/openapi.json`)).json()) as { paths: object }
  expect(Object.keys(description.paths).join()).not.toContain('/docs')
})

test('every error is described at the address that its type names', async () => {
  const page = await (await fetch(`${product.url}/docs/errors`)).text()
  for (const code of Object.keys(errors)) expect(page).toContain(`<tr id="${code}">`)
  const problem = (await (await fetch(`${product.url}/api/v1/posts`)).json()) as { type: string }
  const [path, code] = problem.type.split('#')
  expect(path).toBe('/docs/errors')
  expect(Object.keys(errors)).toContain(code)
})
