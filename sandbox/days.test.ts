import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDays, dayFigures, dayOf, startOf } from './days.ts'
import { bearer, call, connect, readState, startSandbox } from './testing.ts'

const DAY = 86_400_000

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let page: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  sandbox = await startSandbox()
  page = await connect(sandbox.url)
})
afterAll(() => sandbox.close())

type Shown = {
  data: { name: string; values: { value: number; end_time: string }[]; total_value?: { value: number } }[]
}
const insights = (from: string, to: string, more: Record<string, string> = {}, id = page.page.id) => {
  const [since, until] = [startOf(from), startOf(to)].map((time) => String(time / 1000)) as [string, string]
  const query = new URLSearchParams({ metric: 'page_media_view', period: 'day', since, until, ...more })
  return call<Shown & { error?: { code: number; message: string } }>(
    `${sandbox.url}/graph/v25.0/${id}/insights?${query}`,
    {
      headers: bearer(page.page.access_token),
    },
  )
}
const truth = async (day: string, at = Date.now(), id = page.page.id) =>
  (
    await call<{ values: Record<string, number | null> }>(
      `${sandbox.url}/metrics?id=${id}&day=${day}&at=${new Date(at).toISOString()}`,
    )
  ).body.values
const today = () => dayOf(Date.now())

test('each ended day of a page is shown with its end in California, a day or two late', async () => {
  const { body } = await insights(addDays(today(), -30), today())
  const shown = body.data[0]!.values
  const [first, last] = [shown[0]!, shown.at(-1)!]
  expect(Date.parse(first.end_time.replace('+0000', 'Z'))).toBe(startOf(addDays(today(), -29)))
  const late = Date.now() - Date.parse(last.end_time.replace('+0000', 'Z'))
  expect(late).toBeGreaterThan(DAY)
  expect(late).toBeLessThan(3 * DAY)
  for (const { value, end_time: end } of shown) {
    const day = dayOf(Date.parse(end.replace('+0000', 'Z')) - 1)
    expect((await truth(day))['impressions']).toBe(value)
  }
  // The figures of a day are corrected once, two days after its end.
  const day = addDays(today(), -1)
  const final = dayFigures({ id: page.page.id, followers: 157 }, day)
  const values = await truth(day, startOf(today()) + 3 * DAY)
  expect(Object.keys(values).toSorted()).toEqual(Object.keys(final).toSorted())
  expect((await truth(day, startOf(today()) + 2 * DAY - 1))['impressions'] ?? 0).toBeLessThan(values['impressions']!)
  expect(await truth(day, startOf(today()) + 40 * DAY)).toEqual(values)
  expect((await truth(day, startOf(today()) + DAY - 1))['impressions']).toBeNull()
})

test('a range that is too long or too old is refused', async () => {
  const photo = `1784${page.page.id.slice(2)}`
  expect((await insights(addDays(today(), -90), today())).status).toBe(200)
  const long = await insights(addDays(today(), -91), today())
  expect([long.status, long.body.error?.code]).toEqual([400, 100])
  const reach = { metric: 'reach' }
  expect((await insights(addDays(today(), -30), today(), reach, photo)).body.error?.code).not.toBe(100)
  expect((await insights(addDays(today(), -31), today(), reach, photo)).status).not.toBe(200)
  expect((await insights(addDays(today(), -731), addDays(today(), -700))).body.error?.message).toContain('2 years')
})

test('a call for daily figures counts like any other', async () => {
  const calls = async () => (await readState(sandbox.url)).users[0]?.calls ?? 0
  const before = await calls()
  await insights(addDays(today(), -3), today())
  expect(await calls()).toBe(before + 1)
})
