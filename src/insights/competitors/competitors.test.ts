import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { Page } from '../../core/platform/cursor.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { tellDays, tellPost } from '../../../test/insights.ts'
import { addJob } from '../../../test/jobs.ts'
import { onPlanWithoutFeatures } from '../../../test/plans.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  newPerson,
  type Person,
  type Problem,
  untilClockKnown,
} from '../../../test/world.ts'
import { long } from '../../../test/tier.ts'
import type { Competitor, CompetitorComparison, CompetitorSnapshot } from './api.ts'

const DAY = 86_400_000
const { product, sql, sandbox } = useProduct({ env: { TIME_SCALE: '20', DEFAULT_PLAN: 'business' }, own: true })
let ann: Person
let photo: SocialAccount
let page: SocialAccount
/** The username of another sandbox person's photo account. */
let name: string

beforeAll(async () => {
  ann = await newPerson(product.url)
  const accounts = await connect(ann, 'NET_PHOTO', 'u6100')
  photo = accounts.find(({ platform }) => platform === 'NET_PHOTO')!
  page = (await connect(ann, 'NET_PAGE', 'u6100')).find(({ platform }) => platform === 'NET_PAGE')!
  const bob = await newPerson(product.url)
  const theirs = (await connect(bob, 'NET_PHOTO', 'u6101')).find(({ platform }) => platform === 'NET_PHOTO')!
  name = theirs.username!
})
beforeEach(async () => {
  await call(sandbox.url, 'DELETE', '/faults')
  await sql.query('delete from competitor; delete from network_call')
})

const add = (username: string, accountId = photo.id) => ann.call('POST', '/competitors', { accountId, username })
const list = async () => (await ann.must<Page<Competitor>>('GET', '/competitors')).data
const get = ({ id }: Pick<Competitor, 'id'>) => ann.must<Competitor>('GET', `/competitors/${id}`)
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

async function now(): Promise<number> {
  const { rows } = await sql.query<{ now: Date }>('select app_now() as now')
  return rows[0]!.now.getTime()
}

/** Returns a query for the days around now, wide enough for any clock of these tests. */
async function days() {
  const time = await now()
  return `from=${dayOf(time - 30 * DAY)}&to=${dayOf(time + 2 * DAY)}`
}
const snapshotsOf = async ({ id }: Competitor) =>
  (await ann.must<Page<CompetitorSnapshot>>('GET', `/competitors/${id}/snapshots?${await days()}`)).data

async function pass(milliseconds: number): Promise<void> {
  await call(sandbox.url, 'POST', '/clock', { advanceMs: milliseconds })
  await sql.query('update app_clock set shift = shift + make_interval(secs => $1::float8 / 1000)', [milliseconds])
  await untilClockKnown(sql, ann)
}

/** Reads a competitor as its scheduled job does. */
async function read({ id }: Competitor): Promise<void> {
  const key = `competitor:${id}`
  await addJob(sql, 'competitor-reading', { competitorId: id }, { workspaceId: ann.workspaceId, key })
  await eventually(async () => {
    const { rows } = await sql.query<{ error: string | null; waits: boolean }>(
      'select last_error as error, run_at > now() as waits from graphile_worker.jobs where key = $1',
      [key],
    )
    if (rows[0]?.error) throw new Error(rows[0].error)
    return rows.every(({ waits }) => waits)
  })
}

/** Enqueues a reading of the accounts that are overdue. */
async function sweep(): Promise<void> {
  await addJob(sql, 'competitor-reading', {})
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `select from graphile_worker.jobs where task_identifier = 'competitor-reading' and (run_at <= now() or locked_at is not null)
        and attempts < max_attempts`,
    )
    return rowCount === 0
  })
}

test('an account is looked up by its name, with what the network shows publicly', async () => {
  const { status, body } = await add(`@${name}`)
  expect(status).toBe(201)
  expect(body).toMatchObject({ accountId: photo.id, platform: 'NET_PHOTO', username: name, error: null })
  expect(body).toEqual(await get(body as Competitor))
  const [snapshot, ...others] = await snapshotsOf(body as Competitor)
  expect(others).toEqual([])
  expect(snapshot!.followers).toBe((body as Competitor).followers)
  expect(snapshot!.followers).toBeGreaterThan(100)
  expect(snapshot!.posts.length).toBe(25)
  const times = snapshot!.posts.map(({ publishedAt }) => publishedAt)
  expect(times).toEqual(times.toSorted().toReversed())
  for (const post of snapshot!.posts) expect(post.likes).toBeGreaterThanOrEqual(0)
})

test('it is not added if the plan loses competitors while the network is asked', async () => {
  // This fault never happens, but counts the calls.
  await addFault(sandbox.url, { match: { path: 'business_discovery', nth: 1_000_000 }, do: { status: 500 } })
  const asked = async () =>
    (await call<{ faults: { seen: number }[] }>(sandbox.url, 'GET', '/state')).body.faults[0]?.seen === 1
  const client = await sql.connect()
  try {
    await client.query('begin')
    await onPlanWithoutFeatures(client, ann.workspaceId, async () => {
      // The gate still sees the plan, and the network is asked. The change comes first all the same.
      const added = add(name)
      await eventually(asked)
      await client.query('commit')
      const { status, body } = await added
      expect({ status, body }).toMatchObject({
        status: 402,
        body: { code: 'feature_not_in_plan', feature: 'competitors', plans: ['pro', 'business'] },
      })
    })
  } finally {
    await client.query('rollback')
    client.release()
  }
  expect(await list()).toEqual([])
})

test('it is read once a day, and each day keeps what it showed then', async () => {
  const competitor = (await add(name)).body as Competitor
  const next = Date.parse(competitor.nextReadAt)
  expect(next - (await now())).toBeLessThanOrEqual(DAY + 6 * 3_600_000)
  await pass(next - (await now()) + 1000)
  const after = await eventually(async () => {
    await read(competitor)
    const found = await snapshotsOf(competitor)
    return found.length === 2 ? found : undefined
  })
  expect(after.map(({ day }) => day)).toEqual(
    after
      .map(({ day }) => day)
      .toSorted()
      .toReversed(),
  )
  // A second reading on the same day replaces the first.
  await read(competitor)
  const again = await snapshotsOf(competitor)
  expect(again).toHaveLength(2)
  expect(again[1]).toEqual(after[1])
  expect(Date.parse(again[0]!.readAt)).toBeGreaterThan(Date.parse(after[0]!.readAt))
})

test.runIf(long)('it costs one call to the network a day, however often the service checks', async () => {
  const competitor = (await add(name)).body as Competitor
  // This fault never happens, but counts the calls.
  await addFault(sandbox.url, { match: { path: 'business_discovery', nth: 1_000_000 }, do: { status: 500 } })
  const asked = async () =>
    (await call<{ faults: { seen: number }[] }>(sandbox.url, 'GET', '/state')).body.faults[0]!.seen
  for (let hours = 0; hours < 60; hours += 10) {
    await pass(10 * 3_600_000)
    await sweep()
  }
  const after = (await snapshotsOf(competitor)).length - 1
  expect(after).toBeGreaterThanOrEqual(2)
  expect(await asked()).toBe(after)
})

test('the sweep reads an overdue competitor whose job is gone or has failed for good, and no other', async () => {
  const competitor = (await add(name)).body as Competitor
  const key = `competitor:${competitor.id}`
  await sweep()
  expect(await get(competitor)).toEqual(competitor)
  await pass(Date.parse(competitor.nextReadAt) - (await now()) + 2 * 3_600_000)
  await sql.query(
    `update graphile_worker._private_jobs set attempts = max_attempts, run_at = now() - interval '1 hour' where key = $1`,
    [key],
  )
  await sql.query(`update workspace set deleted_at = app_now() where id = $1`, [ann.workspaceId])
  try {
    await sweep()
  } finally {
    await sql.query(`update workspace set deleted_at = null where id = $1`, [ann.workspaceId])
  }
  expect(await get(competitor)).toEqual(competitor)
  await sweep()
  expect(await snapshotsOf(competitor)).toHaveLength(2)
  // The readings continue.
  const { rows } = await sql.query<{ attempts: number; waits: boolean }>(
    'select attempts, run_at > now() as waits from graphile_worker.jobs where key = $1',
    [key],
  )
  expect(rows).toEqual([{ attempts: 0, waits: true }])
})

test('an unknown or hidden account, or one on a network without an official way, is refused and not stored', async () => {
  const refusalOf = async (answer: ReturnType<typeof add>) => {
    const { status, body } = await answer
    return { status, faults: (body as { errors?: { path: string; code: string }[] }).errors }
  }
  const no = (path: string, code: string) => ({ status: 422, faults: [expect.objectContaining({ path, code })] })
  expect(await refusalOf(add('nobody_of_this_name_6100'))).toEqual(no('/username', 'not_discoverable'))
  expect(await refusalOf(add('not a name'))).toMatchObject({ status: 422, faults: [{ path: '/username' }] })
  // In the sandbox, accounts of every 83rd person are for adults only.
  const adult = await newPerson(product.url)
  const limited = (await connect(adult, 'NET_PHOTO', 'u6142')).find(({ platform }) => platform === 'NET_PHOTO')!
  expect(await refusalOf(add(limited.username!))).toEqual(no('/username', 'not_discoverable'))
  expect(await refusalOf(add(name, page.id))).toEqual(no('/accountId', 'not_discoverable'))
  expect(await refusalOf(add(name, '01900000-0000-7000-8000-000000000000'))).toEqual(no('/accountId', 'unknown_id'))
  expect(await list()).toEqual([])
})

test('without the permission our account makes no lookups: earlier readings stay, and say why they are old', async () => {
  const competitor = (await add(name)).body as Competitor
  await sql.query(
    `update social_account set granted_scopes = array_remove(granted_scopes, 'instagram_manage_insights') where id = $1`,
    [photo.id],
  )
  const counted = async () =>
    (await sql.query<{ calls: number }>('select coalesce(sum(calls), 0)::int as calls from network_call')).rows[0]!
      .calls
  try {
    const before = await counted()
    const { status, body } = await add(photo.username!)
    expect([status, (body as { errors?: object[] }).errors]).toEqual([
      422,
      [expect.objectContaining({ path: '/accountId', code: 'not_connected' })],
    ])
    await read(competitor)
    expect(await get(competitor)).toMatchObject({
      error: 'not_connected',
      followers: competitor.followers,
      readAt: competitor.readAt,
    })
    expect(await counted()).toBe(before)
  } finally {
    await sql.query(
      `update social_account set granted_scopes = granted_scopes || 'instagram_manage_insights'::text where id = $1`,
      [photo.id],
    )
  }
})

test('no account is added twice, and at most twenty are, even by concurrent requests', async () => {
  const both = await Promise.all([add(name), add(name)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect(both.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'name_taken' })
  await sql.query(
    `insert into competitor (workspace_id, id, account_id, external_id, username, name, next_at)
     select workspace_id, gen_random_uuid(), account_id, 'x' || n, 'x', 'x', now() + interval '9 days'
     from competitor, generate_series(1, 18) n`,
  )
  const bob = await newPerson(product.url)
  const more = (await connect(bob, 'NET_PHOTO', 'u6103')).find(({ platform }) => platform === 'NET_PHOTO')!
  const last = await Promise.all([add(more.username!), add(photo.username!)])
  expect(last.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect(last.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'too_many_saved', limit: 20 })
  expect(await list()).toHaveLength(20)
})

test('if the network fails, no competitor is added; a later failure keeps what was read, says why, and is retried', async () => {
  await addFault(sandbox.url, { match: { path: photo.externalId }, do: { status: 500 }, times: 1 })
  expect(await add(name)).toMatchObject({ status: 502, body: { code: 'network_error' } })
  expect(await list()).toEqual([])

  const competitor = (await add(name)).body as Competitor
  await addFault(sandbox.url, { match: { path: photo.externalId }, do: { status: 500 }, times: 1 })
  await read(competitor)
  const failed = await get(competitor)
  expect(failed).toMatchObject({ error: 'transient', followers: competitor.followers, readAt: competitor.readAt })
  expect(Date.parse(failed.nextReadAt) - (await now())).toBeLessThan(3_600_000)
  await read(competitor)
  expect(await get(competitor)).toMatchObject({ error: null })
})

test('an account whose name no longer exists keeps what was read, says so, and is looked up again the next morning', async () => {
  const competitor = (await add(name)).body as Competitor
  await sql.query(`update competitor set username = 'nobody_of_this_name_6100' where id = $1`, [competitor.id])
  await read(competitor)
  expect(await get(competitor)).toMatchObject({
    error: 'not_discoverable',
    followers: competitor.followers,
    readAt: competitor.readAt,
    nextReadAt: competitor.nextReadAt,
  })
  expect(await snapshotsOf(competitor)).toHaveLength(1)
})

test('an account that took the name of a renamed one adds nothing to its history', async () => {
  const competitor = (await add(name)).body as Competitor
  await sql.query(`update competitor set external_id = 'renamed' where id = $1`, [competitor.id])
  await sql.query(`update competitor_snapshot set followers = 7 where competitor_id = $1`, [competitor.id])
  await read(competitor)
  expect(await get(competitor)).toMatchObject({ error: 'not_discoverable', followers: 7, readAt: competitor.readAt })
  expect(await snapshotsOf(competitor)).toHaveLength(1)
})

test('a renamed account that is added by its new name keeps its history', async () => {
  const competitor = (await add(name)).body as Competitor
  await sql.query(`update competitor set username = 'old_name_6100' where id = $1`, [competitor.id])
  await sql.query(`update competitor_snapshot set day = day - 1 where competitor_id = $1`, [competitor.id])
  expect(await add(name)).toMatchObject({ status: 201, body: { id: competitor.id, username: name } })
  expect(await snapshotsOf(competitor)).toHaveLength(2)
  expect(await add(name)).toMatchObject({ status: 409, body: { code: 'name_taken' } })
})

test('an account without calls left adds no competitor, and says when it can again', async () => {
  await add(name)
  await sql.query('delete from competitor; update network_call set calls = 200')
  const { status, headers, body } = await add(name)
  const { detail, resetsAt } = body as { detail: string; resetsAt: string }
  expect([status, (body as Problem).code]).toEqual([429, 'rate_limited'])
  expect(detail).toContain(photo.name)
  const wait = (Date.parse(resetsAt) - (await now())) / 1000
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(3660)
  expect(Math.abs(Number(headers.get('retry-after')) - wait)).toBeLessThan(60)
  expect(await list()).toEqual([])
})

test('a removed competitor is no longer read, and its readings are gone', async () => {
  const competitor = (await add(name)).body as Competitor
  expect(await ann.call('DELETE', `/competitors/${competitor.id}`)).toMatchObject({ status: 204 })
  await read(competitor)
  expect((await sql.query('select from competitor_snapshot')).rowCount).toBe(0)
  expect(await ann.call('GET', `/competitors/${competitor.id}/snapshots?${await days()}`)).toMatchObject({
    status: 404,
  })
})

test('its readings are listed for a period of at most 366 days, whose start and end are required', async () => {
  const competitor = (await add(name)).body as Competitor
  const [{ day }] = (await snapshotsOf(competitor)) as [CompetitorSnapshot]
  const within = (query: string) => ann.call('GET', `/competitors/${competitor.id}/snapshots?${query}`)
  const next = dayOf(Date.parse(day) + DAY)
  expect((await within(`from=${day}&to=${next}`)).body).toMatchObject({ data: [{ day }] })
  expect((await within(`from=${next}&to=${dayOf(Date.parse(day) + 9 * DAY)}`)).body).toMatchObject({ data: [] })
  const faults = async (query: string) => {
    const { status, body } = await within(query)
    return [status, (body as Partial<Problem>).errors?.map(({ path, code }) => `${path} ${code}`)]
  }
  expect((await faults(''))[0]).toBe(422)
  expect((await faults(`from=${day}`))[0]).toBe(422)
  expect((await faults(`to=${day}`))[0]).toBe(422)
  expect(await faults(`from=${next}&to=${day}`)).toEqual([422, ['/from after_end']])
  expect(await faults('from=2025-01-01&to=2026-01-03')).toEqual([422, ['/from too_long']])
  expect(await faults('from=0001-01-01&to=0001-01-02')).toEqual([422, ['/from out_of_range']])
})

test('both sides are compared by the median of public likes and comments per follower', async () => {
  const competitor = (await add(name)).body as Competitor
  const [snapshot] = await snapshotsOf(competitor)
  const time = await now()
  // Computes what the network showed in a different way.
  const from = dayOf(time - 28 * DAY)
  const stable = snapshot!.posts.filter(
    ({ publishedAt }) => publishedAt >= from && Date.parse(publishedAt) <= Date.parse(snapshot!.readAt) - 3 * DAY,
  )
  const sums = stable.map(({ likes, comments }) => likes! + comments!).toSorted((a, b) => a - b)
  const median = (sums[Math.floor((sums.length - 1) / 2)]! + sums[Math.ceil((sums.length - 1) / 2)]!) / 2
  await sql.query(
    `insert into account_sync (workspace_id, account_id, found_at) values ($1, $2, app_now())
      on conflict (workspace_id, account_id) do update set found_at = app_now()`,
    [ann.workspaceId, photo.id],
  )
  const compare = (period: string) =>
    ann.must<CompetitorComparison>('GET', `/competitors/comparison?accountId=${photo.id}&${period}`)
  const { ours, theirs, basis } = await compare(`from=${from}&to=${dayOf(time + DAY)}`)
  expect(stable.length).toBeGreaterThan(3)
  expect(theirs).toEqual([
    {
      competitorId: competitor.id,
      name: competitor.name,
      username: name,
      followers: competitor.followers,
      followersChange: null,
      posts: stable.length,
      interactions: expect.closeTo((median / competitor.followers!) * 1000, 6),
      knownFrom: null,
      readAt: snapshot!.readAt,
    },
  ])
  expect(ours).toMatchObject({ competitorId: null, name: photo.name, posts: 0, interactions: null })
  expect(basis).toMatchObject({ kind: 'posts', coverage: 1, gaps: [], provisionalDays: [] })

  // Our posts count by the same rule: public likes and comments, read at an age of at least three days, and no stories.
  const place = { workspaceId: ann.workspaceId, accountId: photo.id }
  await sql.query('delete from account_metric where account_id = $1', [photo.id])
  await tellDays(sql, { ...place, from: dayOf(time - 2 * DAY) }, [{ followers: 400 }, { followers: 500 }])
  const publishedAt = new Date(time - 9 * DAY)
  const told = { shares: 50, saves: 50, reach: 70 }
  await tellPost(sql, place, {
    publishedAt,
    readings: { 24: { likes: 1, comments: 1 }, 80: { likes: 20, comments: 5, ...told } },
  })
  await tellPost(sql, place, { publishedAt, readings: { 60: { likes: 900, comments: 9, ...told } } })
  await tellPost(sql, place, { publishedAt, kind: 'story', readings: { 80: { likes: 900, comments: 9 } } })
  await tellPost(sql, place, { publishedAt, readings: { 80: { likes: null, comments: 5, ...told } } })
  expect((await compare(`from=${from}&to=${dayOf(time + DAY)}`)).ours).toMatchObject({
    followers: 500,
    followersChange: 100,
    posts: 1,
    interactions: 50,
  })

  // The network shows 25 posts. Of a longer period the earlier posts are unknown, and the answer says so.
  const longer = await compare(`from=${dayOf(time - 200 * DAY)}&to=${dayOf(time + DAY)}`)
  expect(longer.theirs[0]!.knownFrom).toBe(snapshot!.posts.at(-1)!.publishedAt)
  expect(longer.basis.coverage).toBeLessThan(0.5)
  // Posts that came after the last reading are unknown on either side.
  const month = `from=${from}&to=${dayOf(time + DAY)}`
  const coverage = async () => (await compare(month)).basis.coverage
  expect(await coverage()).toBe(1)
  await sql.query(`update competitor_snapshot set read_at = read_at - interval '14 days' where competitor_id = $1`, [
    competitor.id,
  ])
  expect(await coverage()).toBeCloseTo(14 / 27, 1)
  await sql.query(`update competitor_snapshot set read_at = read_at + interval '14 days' where competitor_id = $1`, [
    competitor.id,
  ])
  await sql.query(`update account_sync set found_at = found_at - interval '21 days' where account_id = $1`, [photo.id])
  expect(await coverage()).toBeCloseTo(7 / 27, 1)
  await sql.query(`update account_sync set found_at = null where account_id = $1`, [photo.id])
  expect(await coverage()).toBe(0)
})
