import { afterEach, beforeAll, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { connectPages, eventually, newPerson, type Person, untilClockKnown } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'

const HOUR = 3_600_000

const { product, sql } = useProduct({ own: true })
let ann: Person
let page: SocialAccount
let other: SocialAccount

beforeAll(async () => {
  ann = await newPerson(product.url)
  const pages = await connectPages(ann)
  page = pages[0]!
  other = pages[1]!
})

afterEach(async () => {
  await sql.query(`update app_clock set shift = '0'`)
  await untilClockKnown(sql, ann)
})

const schedule = (at: Date, caption: string) =>
  ann.must<Post>('POST', '/posts', { caption, targets: [page.id], scheduledAt: at.toISOString() })

const job = `graphile_worker._private_jobs where payload -> 'data' ->> 'postId' = $1`

/** Returns the time of the next check, once a job waits and none runs. */
const nextLook = (id: string) =>
  eventually(async () => {
    const { rows } = await sql.query<{ at: Date; now: boolean }>(
      `select run_at as at, run_at <= now() as now from ${job}`,
      [id],
    )
    return rows.length === 1 && !rows[0]!.now && rows[0]!.at
  })

/** Moves the clock of the service and runs the check that is due by then. */
async function lookAt(id: string, time: Date): Promise<void> {
  await sql.query('update app_clock set shift = $1::timestamptz - clock_timestamp()', [time])
  await untilClockKnown(sql, ann)
  await sql.query(`update graphile_worker._private_jobs set run_at = now() where payload -> 'data' ->> 'postId' = $1`, [
    id,
  ])
}

/** Waits until no check of a post waits or runs. */
const untilChecked = (id: string) =>
  eventually(async () => (await sql.query(`select from ${job}`, [id])).rowCount === 0)

const risks = async () => {
  const { data } = await ann.must<{ data: { kind: string; data: { postId?: string; codes: string[] } }[] }>(
    'GET',
    '/api/v1/notifications',
  )
  return data.filter(({ kind }) => kind === 'post_at_risk').map(({ data: told }) => [told.postId, told.codes])
}

test('a scheduled post is checked daily, and 24 hours, 1 hour and 10 minutes before its time; a new risk is told', async () => {
  const start = new Date()
  const at = new Date(start.getTime() + 60 * HOUR)
  const { id } = await schedule(at, 'Looked at again')
  const near = (found: Date, wanted: number) => Math.abs(found.getTime() - wanted) < 60_000
  expect(near(await nextLook(id), start.getTime() + 24 * HOUR)).toBe(true)
  expect(await risks()).toEqual([])

  // No event reports that the end of the token has come closer: only a check notices.
  await sql.query(`update social_account set token_expires_at = $2, user_token = null where id = $1`, [
    page.id,
    new Date(at.getTime() - HOUR / 2),
  ])
  await lookAt(id, new Date(start.getTime() + 24 * HOUR))
  expect(near(await nextLook(id), at.getTime() - 24 * HOUR)).toBe(true)
  expect(await risks()).toEqual([[id, ['token_ends']]])
  const listed = await ann.must<{ data: Post[] }>('GET', '/posts')
  expect(listed.data[0]?.checks).toMatchObject([{ code: 'token_ends', severity: 'warning', target: page.id }])
  expect((await ann.must<Post>('GET', `/posts/${id}`)).checks).toMatchObject([{ code: 'token_ends' }])

  await lookAt(id, new Date(at.getTime() - 24 * HOUR + 1000))
  expect(near(await nextLook(id), at.getTime() - HOUR)).toBe(true)
  expect(await risks()).toHaveLength(2)
  await lookAt(id, new Date(at.getTime() - HOUR + 1000))
  expect(near(await nextLook(id), at.getTime() - HOUR / 6)).toBe(true)
  await lookAt(id, new Date(at.getTime() - HOUR / 6 + 1000))
  await untilChecked(id)
  expect(await risks()).toEqual([1, 2, 3].map(() => [id, ['token_ends']]))
})

test('a post at risk is reported at once, 24 hours and 1 hour before its time, each once, and again for a new time', async () => {
  const at = new Date(Date.now() + 60 * HOUR)
  const { id } = await ann.must<Post>('POST', '/posts', {
    caption: 'For nobody yet',
    targets: [],
    scheduledAt: at.toISOString(),
  })
  const told = async () => (await risks()).filter(([postId]) => postId === id)
  const times = (count: number) => Array.from({ length: count }, () => [id, ['no_target']])
  await nextLook(id)
  expect(await told()).toEqual(times(1))
  await ann.must('PATCH', `/posts/${id}`, { caption: 'Still for nobody' })
  await nextLook(id)
  expect(await told()).toEqual(times(1))

  // Several processes check the post at the same moment.
  await sql.query(
    `select graphile_worker.add_job('flight-check', payload, run_at => run_at) from generate_series(1, 3), ${job}`,
    [id],
  )
  await lookAt(id, new Date(at.getTime() - 24 * HOUR + 1000))
  await nextLook(id)
  expect(await told()).toEqual(times(2))
  await lookAt(id, new Date(at.getTime() - HOUR + 1000))
  await nextLook(id)
  expect(await told()).toEqual(times(3))

  // The new time is less than 24 hours away.
  await ann.must('POST', `/posts/${id}/schedule`, { scheduledAt: new Date(at.getTime() + 5 * HOUR).toISOString() })
  await nextLook(id)
  expect(await told()).toEqual(times(4))
  await lookAt(id, new Date(at.getTime() + 4 * HOUR + 1000))
  await nextLook(id)
  expect(await told()).toEqual(times(5))

  await ann.must('POST', `/posts/${id}/schedule`, { scheduledAt: new Date(at.getTime() + 60 * HOUR).toISOString() })
  await nextLook(id)
  await ann.must('PATCH', `/posts/${id}`, { targets: [other.id] })
  await nextLook(id)
  await lookAt(id, new Date(at.getTime() + 36 * HOUR + 1000))
  await nextLook(id)
  expect(await told()).toEqual(times(6))
})

test('the 31st reel of a day on a page has a warning, and ordinary posts beside it have none', async () => {
  const scheduledAt = new Date(Date.now() + 60 * HOUR).toISOString()
  const write = (kind: 'reel' | 'post', caption: string) =>
    ann.must<Post>('POST', '/posts', {
      caption,
      targets: [other.id],
      action: 'draft',
      scheduledAt,
      platformOptions: { NET_PAGE: { kind } },
    })
  const reels: Post[] = []
  while (reels.length < 31) reels.push(await write('reel', `Reel ${reels.length}`))
  const plain = await write('post', 'No reel')
  await sql.query(`update post set status = 'SCHEDULED' where id = any ($1)`, [[...reels, plain].map(({ id }) => id)])
  const quotas = async ({ id }: Post) =>
    (await ann.must<Post>('GET', `/posts/${id}`)).checks.filter(({ code }) => code === 'network_quota')
  expect(await quotas(reels[0]!)).toMatchObject([{ severity: 'warning', limit: 30, value: 31, target: other.id }])
  expect(await quotas(plain)).toEqual([])
  await sql.query(`update post set status = 'DRAFT' where id = $1`, [reels[1]!.id])
  expect(await quotas(reels[0]!)).toEqual([])
})

test('a check that read the post before an edit does not plan the next one from the old time', async () => {
  const { id } = await schedule(new Date(Date.now() + 60 * HOUR), 'Moved while it is checked')
  await nextLook(id)
  const client = await sql.connect()
  try {
    // The check reads the post, then waits for the table.
    await client.query('begin; lock table post in share row exclusive mode')
    await sql.query(
      `update graphile_worker._private_jobs set run_at = now() where payload -> 'data' ->> 'postId' = $1`,
      [id],
    )
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%set checks = locked.checks%'`,
      )
      return rowCount === 1
    })
    await client.query(
      `update post set scheduled_at = scheduled_at - interval '58 hours', version = version + 1 where id = $1`,
      [id],
    )
  } finally {
    await client.query('commit')
    client.release()
  }
  await eventually(async () => {
    const { rows } = await sql.query(`select from ${job} and (locked_at is not null or run_at <= now())`, [id])
    return rows.length === 0
  })
  expect((await sql.query(`select from ${job}`, [id])).rowCount).toBe(0)
})
