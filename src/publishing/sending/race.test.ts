import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import { connectPages, eventually, liveOn, newPerson, type Problem } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'

const COUNT = sized(40, 1000)
const LANES = 8

const { product, database } = useProduct({ env: FAST })
let sql: pg.Pool

beforeAll(async () => {
  sql = new pg.Pool({ connectionString: database.url, max: LANES })
})

afterAll(async () => {
  await sql?.end()
})

async function inLanes(work: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < COUNT) await work(next++)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

test(`cancel and start race for ${COUNT} posts: each has one winner`, async () => {
  const ann = await newPerson(product.url)
  const accounts = new Set<string>()
  for (let i = 0; i < sized(2, 9); i += 1)
    for (const page of await connectPages(ann, `u${10 + i}`)) accounts.add(page.id)
  const targets = [...accounts]
  const posts: Post[] = []
  await inLanes(async (i) => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const body = { caption: `race ${i}`, targets: [targets[i % targets.length]], scheduledAt }
    posts[i] = await ann.must<Post>('POST', '/posts', body)
  })
  const ids = posts.map((post) => post.id)

  // Each post falls due while its cancel is under way, sometimes before it and sometimes after.
  const won = new Set<string>()
  await inLanes(async (i) => {
    await sql.query(
      `with moved as (update post set scheduled_at = now() + interval '200 milliseconds' where id = $1 returning scheduled_at)
       update publication set due_at = moved.scheduled_at, next_at = moved.scheduled_at from moved where post_id = $1`,
      [ids[i]],
    )
    // A deliberate fixed delay: the two must meet at a different moment each time.
    await sleep((i * 37) % 400)
    const answer = await ann.call<Problem>('POST', `/posts/${ids[i]}/cancel`)
    if (answer.status === 200) won.add(ids[i]!)
    else expect([answer.status, answer.body.current]).toEqual([409, expect.stringMatching(/^PUBLISH(ING|ED)$/)])
  })
  const moving = "select from post where id = any ($1::uuid[]) and status = 'PUBLISHING'"
  await eventually(async () => (await sql.query(moving, [ids])).rows.length === 0, 120_000)

  const live = new Set([...(await liveOn(`${product.url}/sandbox`)).values()].flat().map((each) => each.message))
  expect(live.size).toBe(COUNT - won.size)
  for (const post of posts) expect([post.caption, live.has(post.caption)]).toEqual([post.caption, !won.has(post.id)])
  const { rows } = await sql.query<{ status: string; count: number }>(
    'select status, count(*)::int from post where id = any ($1::uuid[]) group by status',
    [ids],
  )
  expect(Object.fromEntries(rows.map((row) => [row.status, row.count]))).toEqual({
    DRAFT: won.size,
    PUBLISHED: COUNT - won.size,
  })
  // Both outcomes occur, otherwise there was no race.
  expect(won.size).toBeGreaterThan(COUNT * 0.05)
  expect(won.size).toBeLessThan(COUNT * 0.95)
})
