import { beforeAll, expect, test } from 'vitest'
import type { Post } from '../src/publishing/posts/api.ts'
import type { SocialAccount } from '../src/channels/api.ts'
import { startSandbox } from '../sandbox/testing.ts'
import { useProduct } from './fixtures.ts'
import { call, connectPages, eventually, newPerson, type Person, untilStatus } from './world.ts'

// The clock of the sandbox moves the networks, and the product as well where a tester asks for it.

const HOUR = 3_600_000
const { product, sandbox, sql } = useProduct({ own: true })
let ann: Person
let page: SocialAccount

beforeAll(async () => {
  ann = await newPerson(product.url)
  page = (await connectPages(ann))[0]!
})

const advance = (advanceMs: number, product: boolean) =>
  call<{ now: string; productNow?: string }>(sandbox.url, 'POST', '/clock', { advanceMs, product })

test('the clock of the product moves with that of the networks, at once and with everything that waits for a time', async () => {
  const start = Date.now()
  const schedule = (hours: number) =>
    ann.must<Post>('POST', '/posts', {
      caption: `In ${hours} hours`,
      targets: [page.id],
      scheduledAt: new Date(start + hours * HOUR).toISOString(),
      action: 'schedule',
    })
  const [soon, later] = [await schedule(50), await schedule(400)]
  const looks = async (id: string) => {
    const { rows } = await sql.query<{ hours: number }>(
      `select (extract(epoch from run_at - now()) / 3600)::float8 as hours from graphile_worker._private_jobs
        where payload -> 'data' ->> 'postId' = $1 and run_at > now()`,
      [id],
    )
    return rows.map(({ hours }) => Math.round(hours))
  }
  await eventually(async () => (await looks(later.id))[0] === 24)

  expect((await advance(20 * HOUR, false)).body.productNow).toBeUndefined()
  expect((await untilStatus(ann, soon.id, ['SCHEDULED'])).status).toBe('SCHEDULED')
  expect((await advance(10 * HOUR, true)).status).toBe(200)
  // What waits for 24 hours waits for the 14 that are left.
  expect(await looks(later.id)).toEqual([14])

  const { body } = await advance(20 * HOUR, true)
  expect(Math.abs(Date.parse(body.productNow!) - start - 30 * HOUR)).toBeLessThan(60_000)
  // The look that was due plans the next one, a day from the new time.
  await eventually(async () => (await looks(later.id))[0] === 24)
  await advance(20 * HOUR, true)
  await untilStatus(ann, soon.id, ['PUBLISHED'])
  expect((await ann.must<Post>('GET', `/posts/${later.id}`)).status).toBe('SCHEDULED')
})

test('a sandbox without a product refuses to move the clock of a product', async () => {
  const alone = await startSandbox()
  try {
    expect((await call(alone.url, 'POST', '/clock', { advanceMs: 1_000, product: true })).status).toBe(409)
    expect((await call(alone.url, 'POST', '/clock', { advanceMs: 1_000, product: false })).status).toBe(200)
  } finally {
    await alone.close()
  }
})
