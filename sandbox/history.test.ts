import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, connect, startSandbox } from './testing.ts'

const DAY = 86_400_000

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let page: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  sandbox = await startSandbox()
  page = await connect(sandbox.url)
})
afterAll(() => sandbox.close())

/** In whole seconds, like the times of the networks. */
const NOW = Math.floor(Date.now() / 1000) * 1000
const ago = (days: number) => new Date(NOW - days * DAY).toISOString()
const tell = (posts: object[], accountId = page.page.id) =>
  call<{ ids: string[] }>(`${sandbox.url}/history`, { json: { accountId, posts } })
const reachOf = async (id: string, at: string) =>
  (await call<{ values: { reach: number | null } }>(`${sandbox.url}/metrics?id=${id}&at=${at}`)).body.values.reach
const times = async () =>
  (await page.graph(`${page.page.id}/published_posts?fields=id,message,created_time`)).body.data.map(
    ({ message, created_time: time }) => [message, Date.parse(String(time))],
  )

test('an account can have earlier posts, with the figures of their age', async () => {
  const { status, body } = await tell([{ text: 'Two months ago', at: ago(60) }])
  expect([status, body.ids]).toEqual([201, [expect.stringContaining(page.page.id)]])
  expect(await times()).toContainEqual(['Two months ago', Date.parse(ago(60))])
  expect(await reachOf(body.ids[0]!, ago(0))).toBeGreaterThan(await reachOf(body.ids[0]!, ago(59.9)).then(Number))
})

test('a live post can be backdated', async () => {
  const { body } = await page.post({ message: 'Last week' })
  await tell([{ id: body.id, at: ago(7) }])
  expect(await times()).toContainEqual(['Last week', Date.parse(ago(7))])
  expect(await reachOf(body.id, ago(0))).toBeGreaterThan(0)
})

test('a future time, an unknown account and an unknown post are refused', async () => {
  expect((await tell([{ text: 'Tomorrow', at: ago(-1) }])).status).toBe(400)
  expect((await tell([{ text: 'Where?', at: ago(1) }], '61')).status).toBe(404)
  expect((await tell([{ id: 'none', at: ago(1) }])).status).toBe(404)
})

test.each([
  ['a photo account', () => `1784${page.page.id.slice(2)}`, 1],
  ['a creator', () => '-0000000001-v1', 1],
])('%s can have a past too', async (_name, id, pictures) => {
  const { body } = await tell([{ text: 'Then', at: ago(5), pictures }], id())
  expect(await call(`${sandbox.url}/metrics?id=${body.ids[0]}&at=${ago(0)}`)).toMatchObject({
    status: 200,
    body: { values: { likes: expect.any(Number) } },
  })
})
