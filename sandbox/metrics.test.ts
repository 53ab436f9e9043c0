import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, call, connect, startSandbox } from './testing.ts'

const HOUR = 3_600_000

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let page: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  sandbox = await startSandbox()
  page = await connect(sandbox.url)
})
afterAll(() => sandbox.close())

type Values = Record<string, number | null>
const truth = async (id: string, at: number) =>
  (await call<{ values: Values }>(`${sandbox.url}/metrics?id=${id}&at=${new Date(at).toISOString()}`)).body.values

const FIELDS =
  'id,reactions.limit(0).summary(total_count),shares,insights.metric(post_total_media_view_unique,post_media_view)'
type Shown = {
  reactions: { summary: { total_count: number } }
  insights: { data: { name: string; values: { value: number }[] }[] }
}
const shown = async (id: string) =>
  (await call<Shown>(`${sandbox.url}/graph/v25.0/${id}?fields=${FIELDS}`, { headers: bearer(page.page.access_token) }))
    .body
const advance = (advanceMs: number) => call(`${sandbox.url}/clock`, { json: { advanceMs } })

test('the figures of a post, in its fields and in lists, are those of the model at that time', async () => {
  const { body } = await page.post({ message: 'Is it ready?' })
  expect((await shown(body.id)).insights.data).toEqual([])
  const offset = 6 * HOUR
  await advance(offset)
  const values = await truth(body.id, Date.now() + offset)
  const { reactions, insights } = await shown(body.id)
  expect(reactions.summary.total_count).toBe(values['likes'])
  expect(insights.data.map(({ values: [told] }) => told?.value)).toEqual([values['reach'], values['impressions']])
  expect(values).toMatchObject({ saves: null, videoViews: null })
  expect(values['reach']).toBeGreaterThan(0)
  const list = await page.graph(`${page.page.id}/published_posts?fields=${FIELDS}`)
  expect(list.body.data[0]).toMatchObject({ insights, reactions })
})

test('the figures of a post depend only on the post and the time, and grow more slowly with age', async () => {
  const { body } = await page.post({ message: 'Same again' })
  const now = Date.now() + 6 * HOUR
  const at = async (hours: number) => (await truth(body.id, now + hours * HOUR))['impressions'] ?? 0
  expect(await at(30)).toBe(await at(30))
  const [day, two, three] = [await at(24), await at(48), await at(72)]
  expect(day).toBeGreaterThan(three - day)
  // A post of a small page may still gain a view or two on a later day.
  expect(two - day).toBeGreaterThanOrEqual(three - two)
})

test('one unsupported name makes the network refuse all names', async () => {
  const { body } = await page.post({ message: 'Dead names' })
  await call(`${sandbox.url}/metrics`, { json: { gone: ['post_media_view'] } })
  const refused = await call(`${sandbox.url}/graph/v25.0/${body.id}?fields=${FIELDS}`, {
    headers: bearer(page.page.access_token),
  })
  expect([refused.status, refused.body.error.code]).toEqual([400, 100])
  expect(refused.body.error.message).toContain('valid insights metric')
  expect((await truth(body.id, Date.now() + 30 * HOUR))['impressions']).toBeNull()
  await call(`${sandbox.url}/metrics`, { json: {} })
  expect((await shown(body.id)).insights.data).toEqual([])
})
