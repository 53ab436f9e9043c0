import { describe, expect, test } from 'vitest'
import { DAY, HOUR, useFigures, valuesOf } from '../../../test/figures.ts'
import { addJob } from '../../../test/jobs.ts'
import { long, sized } from '../../../test/tier.ts'
import {
  addFault,
  connect,
  eventually,
  newPerson,
  type Problem,
  uploadPicture,
  uploadVideo,
  video,
} from '../../../test/world.ts'
import type { Page } from '../../core/platform/cursor.ts'
import type { MeasuredPost, PostMetric } from './api.ts'

const { product, sql, sandbox, person, user, pass, sync, metricsOf, truthAt, open, waitOf, calls, atNine } =
  useFigures(5200)

const platforms = ['NET_PAGE', 'NET_VIDEO'] as const

describe.each(long ? platforms : platforms.slice(0, 1))('a post of %s', (platform) => {
  test('shows for each day what its network showed at the reading', async () => {
    const media = platform === 'NET_PAGE' ? [] : [(await uploadPicture(person())).id]
    const options = platform === 'NET_VIDEO' ? { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } } : {}
    const { account, publish } = await open(platform, { media, platformOptions: options })
    const post = await publish()
    await sync(account)
    const first = await metricsOf(post)
    expect(first.data).toEqual([])
    const [planned] = first.posts
    expect(planned).toMatchObject({ reach: null, likes: null, engagement: null, readAt: null, goneAt: null })
    expect(Date.parse(planned!.nextReadAt!) - Date.parse(planned!.publishedAt)).toBe(HOUR / 4)

    const hours = sized([0.25, 24, 264], [0.25, 1, 3, 6, 12, 24, 48, 72, 96, 120, 144, 168, 264])
    const ages = hours.map((each) => each * HOUR)
    let age = 0
    for (const next of ages) {
      await pass(next - age)
      age = next
      await sync(account)
    }
    const { data, posts } = await metricsOf(post)
    expect(data.length).toBeGreaterThanOrEqual(sized(2, 8))
    const id = post.publications[0]!.externalId!
    for (const metric of data) {
      expect(valuesOf(metric), metric.readAt).toEqual(await truthAt(id, metric.readAt))
      const sum = [metric.likes, metric.comments, metric.shares, metric.saves].reduce<number>(
        (all, each) => all + (each ?? 0),
        0,
      )
      expect(metric.engagement).toBe(sum)
    }
    const last = data.at(-1)!
    expect(posts[0]).toMatchObject({ ...valuesOf(last), readAt: last.readAt, knownAt: {} })
    expect(last.ageHours).toBeGreaterThan(263.9)
    const wait = (Date.parse(posts[0]!.nextReadAt!) - Date.parse(posts[0]!.publishedAt)) / DAY
    expect([wait >= 14, wait < 15]).toEqual([true, true])
    if (platform !== 'NET_VIDEO') expect(last.reach).toBeGreaterThan(0)
    else expect([last.reach, last.saves]).toEqual([null, null])
  })
})

test('the readings of a post are listed in pages, oldest first', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  // No other reading happens in between.
  await sql.query(
    `update measured_post set next_read_at = null, published_at = published_at - interval '40 days' where delivery_id = $1`,
    [post.publications[0]!.id],
  )
  await sql.query(
    `select post_metric_month((m.published_at + n * interval '1 day')::date) from measured_post m, generate_series(1, 30) n
      where m.delivery_id = $1`,
    [post.publications[0]!.id],
  )
  await sql.query(
    `insert into post_metric (workspace_id, post_id, day, read_at, age_hours, likes)
      select m.workspace_id, m.id, (m.published_at + n * interval '1 day')::date, m.published_at + n * interval '1 day', n * 24, n
      from measured_post m, generate_series(1, 30) n where m.delivery_id = $1`,
    [post.publications[0]!.id],
  )
  const list = (query: string) =>
    person().call<Page<PostMetric> & { posts: MeasuredPost[] } & Problem>('GET', `/posts/${post.id}/metrics${query}`)
  const first = (await list('')).body
  expect(first.data.map(({ likes }) => likes)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
  const second = (await list(`?limit=100&cursor=${first.nextCursor}`)).body
  expect(second.data.map(({ likes }) => likes)).toEqual([26, 27, 28, 29, 30])
  expect(second.nextCursor).toBeNull()
  expect(second.posts).toEqual(first.posts)
  expect((await metricsOf(post)).data).toEqual([...first.data, ...second.data])
  for (const query of ['?limit=0', '?limit=101', '?cursor=none'])
    expect(await list(query)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
})

test.runIf(long)('posts that are due together are read with one list', async () => {
  const { account, publish } = await open('NET_PAGE')
  const posts = [await publish(), await publish(), await publish()]
  await sync(account)
  await pass(HOUR)
  await sql.query('delete from network_call')
  await sync(account)
  expect(await calls(account)).toBe(1)
  for (const post of posts) {
    const [metric] = (await metricsOf(post)).data
    expect(valuesOf(metric!)).toEqual(await truthAt(post.publications[0]!.externalId!, metric!.readAt))
  }
})

test('the network reports the last figures of a story when its day is over', async () => {
  const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
  const story = await publish({ platformOptions: { NET_PHOTO: { kind: 'story' } } })
  await sync(account)
  await pass(22 * HOUR)
  await sync(account)
  const [before] = (await metricsOf(story)).posts
  // No other reading happens in between.
  await sql.query('update measured_post set next_read_at = null where account_id = $1', [account.id])
  await pass(2 * HOUR)
  const last = await eventually(async () => {
    const { data, posts } = await metricsOf(story)
    const metric = data.at(-1)!
    return metric.ageHours > 23.9 && metric.reach !== null && { metric, post: posts[0]! }
  })
  // The network updates its counts every quarter of an hour, and dates a post a moment before we do.
  const end = Date.parse(last.post.publishedAt) + DAY
  const truths = await Promise.all(
    [1, 30_000].map((ms) => truthAt(story.publications[0]!.externalId!, new Date(end - ms).toISOString())),
  )
  const seen = ({ reach, impressions }: Record<string, number | null>) => ({ reach, impressions })
  expect(truths.map(seen)).toContainEqual(seen(valuesOf(last.metric)))
  // Figures that it does not report stay as they were, with their times.
  const { shares, comments } = before!
  const known = { comments: before!.readAt, likes: before!.readAt, shares: before!.readAt }
  expect(last.post).toMatchObject({ ...seen(valuesOf(last.metric)), shares, comments, knownAt: known })

  // Figures from before the end are not final.
  await addJob(
    sql,
    'analytics-sync',
    {
      accountId: account.id,
      story: { externalId: last.post.externalId, at: before!.readAt, reach: 1, impressions: 1 },
    },
    { workspaceId: person().workspaceId, key: 'late' },
  )
  await eventually(async () => (await sql.query(`select from graphile_worker.jobs where key = 'late'`)).rowCount === 0)
  expect((await metricsOf(story)).posts).toEqual([last.post])
})

test.runIf(long)(
  'each workspace that has the account of a story gets its last figures, by a job for that workspace',
  async () => {
    const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
    const story = await publish({ platformOptions: { NET_PHOTO: { kind: 'story' } } })
    await sync(account)
    const bob = await newPerson(product.url)
    const theirs = (await connect(bob, 'NET_PHOTO', user())).find(
      ({ externalId }) => externalId === account.externalId,
    )!
    const { externalId } = story.publications[0]!
    await sql.query(
      `insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, published_at)
      select $1, gen_random_uuid(), $2, external_id, kind, caption, published_at from measured_post where external_id = $3`,
      [bob.workspaceId, theirs.id, externalId],
    )
    await sql.query('update measured_post set next_read_at = null where external_id = $1', [externalId])
    // The jobs are held back, so that a job that replaces another one is noticed.
    await sql.query(`create function hold() returns trigger language plpgsql as
      $$ begin new.run_at = now() + interval '1 day'; return new; end $$;
    create trigger hold before insert on graphile_worker._private_jobs for each row when (new.key like 'story:%')
      execute function hold()`)
    try {
      await pass(DAY)
      const jobs = () =>
        sql.query<{ key: string }>(`select key from graphile_worker.jobs where key like $1`, [`story:%:${externalId}`])
      await eventually(async () => (await jobs()).rowCount === 2)
      await sql.query(`update graphile_worker._private_jobs set run_at = now() where key like 'story:%'`)
    } finally {
      await sql.query('drop function hold() cascade')
    }
    const figures = async () => {
      const { rows } = await sql.query<{ workspaceId: string; reach: number }>(
        `select m.workspace_id as "workspaceId", m.reach::int from post_metric m join measured_post p
        on p.workspace_id = m.workspace_id and p.id = m.post_id where p.external_id = $1 and m.age_hours > 23.9`,
        [externalId],
      )
      return rows
    }
    const told = await eventually(async () => {
      const rows = await figures()
      return rows.length === 2 && rows
    })
    const { reach } = told[0]!
    expect(reach).toBeGreaterThan(0)
    expect(new Set(told.map(({ workspaceId }) => workspaceId))).toEqual(
      new Set([person().workspaceId, bob.workspaceId]),
    )
    expect(told.map((each) => each.reach)).toEqual([reach, reach])
  },
)

test('a late answer changes nothing, and neither does a repeated one', async () => {
  // All its readings are on one day.
  await atNine()
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(3 * HOUR)
  await sync(account)
  const before = await metricsOf(post)
  // This is the late reading, from an earlier time.
  await sql.query(`update measured_post set next_read_at = app_now() where account_id = $1`, [account.id])
  await sql.query(`update measured_post set read_at = read_at + interval '1 hour' where account_id = $1`, [account.id])
  await sql.query(
    `update post_metric set read_at = read_at + interval '1 hour', likes = 4711 where post_id = (select id from measured_post where account_id = $1)`,
    [account.id],
  )
  await pass(HOUR / 2)
  await sync(account)
  const after = await metricsOf(post)
  expect(after.data.map(({ likes }) => likes)).toEqual([4711])
  expect(after.posts[0]!.likes).toBe(before.posts[0]!.likes)
})

test.runIf(long)('a failing network is asked again later, and the figures stay', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  await sync(account)
  const before = await metricsOf(post)
  expect(before.data).toHaveLength(1)
  await pass(2 * HOUR)
  await addFault(sandbox.url, { match: { network: 'NET_PAGE', method: 'GET' }, do: { status: 503 }, times: 1 })
  await sync(account)
  expect((await metricsOf(post)).posts[0]).toMatchObject(valuesOf(before.posts[0]!))
  const { rows } = await sql.query<{ error: string; failures: number }>(
    'select error, failures from account_sync where account_id = $1',
    [account.id],
  )
  expect(rows).toEqual([{ error: 'transient', failures: 1 }])
  expect(await waitOf(account)).toBeGreaterThan(9)
  await sync(account)
  expect((await metricsOf(post)).posts[0]!.readAt).not.toBe(before.posts[0]!.readAt)
})

test('a reading leaves enough of the hourly calls for publishing and people', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  const spend = (number: number) =>
    sql.query(
      `insert into network_call select 'graph', network_user, date_trunc('minute', app_now()), $2 from social_account where id = $1
        on conflict (app, user_key, minute) do update set calls = $2`,
      [account.id, number],
    )
  await spend(79)
  await sync(account)
  expect((await metricsOf(post)).data).toEqual([])
  await spend(60)
  await sync(account)
  expect((await metricsOf(post)).data).toHaveLength(1)
})

test.runIf(long).each([
  ['NET_PHOTO', { platformOptions: {} }, 1],
  // The figures of a reel belong to its video, which takes one more call.
  ['NET_PAGE', { platformOptions: { NET_PAGE: { kind: 'reel' } } }, 2],
] as const)('a reel of %s is read with the figures of its video', async (platform, options, cost) => {
  const media = [(await uploadVideo(person(), await video({ width: 1080, height: 1920, seconds: 4 }))).id]
  const { account, publish } = await open(platform, { media, ...options })
  const post = await publish()
  await sync(account)
  await pass(6 * HOUR)
  await sql.query('delete from network_call')
  await sync(account)
  expect(await calls(account)).toBe(cost)
  const { data, posts } = await metricsOf(post)
  expect(posts[0]!.kind).toBe('reel')
  expect(valuesOf(data.at(-1)!)).toEqual(await truthAt(post.publications[0]!.externalId!, data.at(-1)!.readAt))
  expect(data.at(-1)!.videoViews).toBeGreaterThan(0)
})
