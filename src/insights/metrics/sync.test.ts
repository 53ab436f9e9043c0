import { describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { DAY, HOUR, useFigures, valuesOf } from '../../../test/figures.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  untilStatus,
  uploadPicture,
  uploadVideo,
  video,
} from '../../../test/world.ts'
import { connect as consent } from '../../../sandbox/testing.ts'

const { sql, sandbox, person, user, nextUser, pass, sync, metricsOf, truthAt, open, waitOf, calls } = useFigures(5200)

describe.each(['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const)('a post of %s', (platform) => {
  test('shows, by day, what its network showed at each reading', async () => {
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

    const ages = [0.25, 1, 3, 6, 12, 24, 48, 72, 96, 120, 144, 168, 240].map((hours) => hours * HOUR)
    let age = 0
    for (const next of ages) {
      await pass(next - age)
      age = next
      await sync(account)
    }
    const { data, posts } = await metricsOf(post)
    expect(data.length).toBeGreaterThanOrEqual(8)
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
    expect(last.ageHours).toBeGreaterThan(239.9)
    expect(Date.parse(posts[0]!.nextReadAt!) - Date.parse(posts[0]!.publishedAt)).toBe(14 * DAY)
    if (platform !== 'NET_VIDEO') expect(last.reach).toBeGreaterThan(0)
    else expect([last.reach, last.saves]).toEqual([null, null])
  })
})

test('a post costs twelve calls to its seventh day, and none between its readings', async () => {
  const { account, publish } = await open('NET_PAGE')
  await publish()
  await sync(account)
  let made = 0
  let age = 0
  for (let hours = 0.25; hours <= 168; hours += hours < 2 ? 0.25 : hours < 24 ? 1 : 12) {
    await pass(hours * HOUR - age)
    age = hours * HOUR
    await sql.query('delete from network_call')
    await sync(account)
    made += await calls(account)
  }
  // Each day the posts of the account are listed besides.
  expect(made).toBe(12 + 7)
})

test('posts that are due together are read by one list', async () => {
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

test('a late answer changes nothing, and nor does a repeated one', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(3 * HOUR)
  await sync(account)
  const before = await metricsOf(post)
  // The reading of an earlier time, which comes now.
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

test('a failing network is asked later, and the figures stay', async () => {
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

test('the sweep finds the accounts with a new live post and those that are due', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  const sweep = () =>
    sql.query(`select graphile_worker.add_job('analytics-sync', $1::json)`, [
      JSON.stringify({ workspaceId: person().workspaceId, data: {} }),
    ])
  await sweep()
  await eventually(async () => (await metricsOf(post)).posts.length === 1)
  await pass(HOUR)
  await sweep()
  await eventually(async () => (await metricsOf(post)).data.length === 1)
  expect(account.id).toBe((await metricsOf(post)).posts[0]!.accountId)
})

test('a reading leaves the calls of the hour that publishing and people need', async () => {
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

test.each([
  ['NET_PHOTO', { platformOptions: {} }, 1],
  // The figures of a reel belong to its video, which is one more call.
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

test('a dead metric takes nothing with it, is not asked for again, and is tried once more after a week', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await call(sandbox.url, 'POST', '/metrics', { gone: ['post_media_view'] })
  await pass(HOUR)
  await sync(account)
  const first = (await metricsOf(post)).data.at(-1)!
  expect(first).toMatchObject({ impressions: null, reach: expect.any(Number), likes: expect.any(Number) })
  expect(valuesOf(first)).toEqual(await truthAt(post.publications[0]!.externalId!, first.readAt))
  const { rows } = await sql.query<{ metric: string }>('select metric from metric_gone')
  expect(rows).toEqual([{ metric: 'post_media_view' }])

  await pass(2 * HOUR)
  await sql.query('delete from network_call')
  await sync(account)
  expect(await calls(account)).toBe(1)

  await call(sandbox.url, 'POST', '/metrics', {})
  await pass(8 * DAY)
  await sync(account)
  expect((await metricsOf(post)).data.at(-1)!.impressions).toBeGreaterThan(0)
})

test('a value that the network reports no more stays, with the time when it was known', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  await sync(account)
  const known = (await metricsOf(post)).posts[0]!
  await call(sandbox.url, 'POST', '/metrics', { gone: ['post_media_view'] })
  for (const hours of [2, 24]) {
    await pass(hours * HOUR)
    await sync(account)
    const { data, posts } = await metricsOf(post)
    expect(posts[0]).toMatchObject({ impressions: known.impressions, knownAt: { impressions: known.readAt } })
    expect(data.at(-1)!.impressions).toBeNull()
  }
})

test('a post that the network does not have twice, a day apart, is gone; one that is too old has no figures', async () => {
  const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
  const [old, other] = [await publish(), await publish()]
  await sync(account)
  await call(sandbox.url, 'POST', '/metrics', { older: [old.publications[0]!.externalId] })
  await pass(HOUR)
  await sync(account)
  const [tooOld] = (await metricsOf(old)).posts
  expect(tooOld).toMatchObject({ unmeasurable: true, reach: null, likes: expect.any(Number) })
  expect((await metricsOf(other)).posts[0]).toMatchObject({ unmeasurable: false, reach: expect.any(Number) })

  const page = await open('NET_PAGE')
  const post = await page.publish()
  await sync(page.account)
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET' },
    do: { status: 400, body: { error: { message: 'Unsupported get request', code: 100, error_subcode: 33 } } },
  })
  await pass(HOUR)
  await sync(page.account)
  const [missing] = (await metricsOf(post)).posts
  expect(missing).toMatchObject({ goneAt: null })
  expect(Date.parse(missing!.nextReadAt!) - Date.now()).toBeGreaterThan(20 * HOUR)
  await pass(DAY)
  await sync(page.account)
  const [gone] = (await metricsOf(post)).posts
  expect(gone).toMatchObject({ goneAt: expect.any(String), nextReadAt: null })
})

test('a figure that is no whole number is none, and the others are kept', async () => {
  const page = await open('NET_PAGE')
  const post = await page.publish()
  await sync(page.account)
  await pass(HOUR)
  const id = post.publications[0]!.externalId!
  await addFault(sandbox.url, {
    match: { method: 'GET', path: id },
    do: {
      status: 200,
      body: {
        id,
        reactions: { summary: { total_count: 12.5 } },
        comments: { summary: { total_count: 3 } },
        shares: { count: 1e21 },
        insights: {
          data: [
            { name: 'post_total_media_view_unique', values: [{ value: 1.5 }] },
            { name: 'post_media_view', values: [{ value: 7 }] },
          ],
        },
      },
    },
  })
  await sync(page.account)
  const told = { likes: null, comments: 3, shares: null, reach: null, impressions: 7 }
  expect((await metricsOf(post)).posts[0]).toMatchObject(told)

  const options = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } }
  const films = await open('NET_VIDEO', { media: [(await uploadPicture(person())).id], platformOptions: options })
  const film = await films.publish()
  await sync(films.account)
  await pass(HOUR)
  const videos = [
    { id: film.publications[0]!.externalId, view_count: 12.5, like_count: 1e21, comment_count: 3, share_count: 4 },
  ]
  await addFault(sandbox.url, {
    match: { method: 'POST', path: '/video/query/' },
    do: { status: 200, body: { data: { videos }, error: { code: 'ok', message: '', log_id: 'x' } } },
  })
  await sync(films.account)
  expect((await metricsOf(film)).posts[0]).toMatchObject({ videoViews: null, likes: null, comments: 3, shares: 4 })
})

test('a metric that is dead for stories is still read of posts', async () => {
  const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
  const post = await publish()
  const story = await publish({ platformOptions: { NET_PHOTO: { kind: 'story' } } })
  await sync(account)
  await pass(HOUR)
  await addFault(sandbox.url, {
    match: { method: 'GET', path: story.publications[0]!.externalId! },
    do: { status: 400, body: { error: { message: 'shares is not a valid insights metric', code: 100 } } },
    times: 1,
  })
  await sync(account)
  const { rows } = await sql.query('select kind, metric from metric_gone')
  expect(rows).toEqual([{ kind: 'story', metric: 'shares' }])
  expect((await metricsOf(post)).posts[0]).toMatchObject({ shares: expect.any(Number) })
})

test('a refusal that does not repeat makes no metric dead', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET' },
    do: { status: 400, body: { error: { message: '(#100) The value must be a valid insights metric', code: 100 } } },
    times: 1,
  })
  await sync(account)
  expect((await sql.query('select from metric_gone')).rowCount).toBe(0)
  const [metric] = (await metricsOf(post)).data
  expect(valuesOf(metric!)).toEqual(await truthAt(post.publications[0]!.externalId!, metric!.readAt))
})

const refusedWith = (code: number, more: object = {}) => ({
  status: code === 10 ? 403 : 400,
  body: { error: { message: 'Refused on purpose', code, ...more } },
})
const failureOf = async ({ id }: SocialAccount) => {
  const { rows } = await sql.query<{ error: string | null }>('select error from account_sync where account_id = $1', [
    id,
  ])
  return rows[0]!.error
}

test.each([
  ['10', refusedWith(10)],
  ['100', refusedWith(100)],
  ['100/33', refusedWith(100, { error_subcode: 33 })],
])('a reel whose video refuses its figures with %s keeps its public counts', async (_, refused) => {
  const media = [(await uploadVideo(person(), await video({ width: 1080, height: 1920, seconds: 4 }))).id]
  const { account, publish } = await open('NET_PAGE', { media, platformOptions: { NET_PAGE: { kind: 'reel' } } })
  const reel = await publish()
  await sync(account)
  await addFault(sandbox.url, { match: { method: 'GET', path: '/video_insights' }, do: refused })
  await pass(HOUR)
  await sync(account)
  const alone = (await metricsOf(reel)).posts[0]!
  expect(alone).toMatchObject({ reach: null, likes: expect.any(Number), goneAt: null })
  expect(await failureOf(account)).toBeNull()

  const post = await publish({ media: [], platformOptions: {} })
  await sync(account)
  await pass(3 * HOUR)
  await sync(account)
  const together = (await metricsOf(reel)).posts[0]!
  expect(Date.parse(together.readAt!)).toBeGreaterThan(Date.parse(alone.readAt!))
  expect(together).toMatchObject({ reach: null, likes: expect.any(Number) })
  expect((await metricsOf(post)).posts[0]).toMatchObject({ reach: expect.any(Number), likes: expect.any(Number) })
  const { rowCount } = await sql.query('select from measured_post where account_id = $1 and missing_at is not null', [
    account.id,
  ])
  expect(rowCount).toBe(0)
})

test('a post that a list tells twice is stored once', async () => {
  const { account } = await open('NET_PAGE')
  const { rows: clock } = await sql.query<{ now: Date }>('select app_now() as now')
  const item = {
    id: `${account.externalId}_1`,
    message: 'Told twice',
    created_time: new Date(clock[0]!.now.getTime() - HOUR).toISOString(),
    reactions: { summary: { total_count: 3 } },
  }
  await addFault(sandbox.url, {
    match: { method: 'GET', path: '/published_posts' },
    do: { status: 200, body: { data: [item, item] } },
    times: 1,
  })
  await sync(account)
  const { rows } = await sql.query('select likes::int from measured_post where account_id = $1', [account.id])
  expect(rows).toEqual([{ likes: 3 }])
})

test('an account whose posts the network does not list has an error, and its posts are not missing', async () => {
  const { account, publish } = await open('NET_PAGE')
  await publish()
  await publish()
  await sync(account)
  await pass(HOUR)
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET' },
    do: refusedWith(100, { error_subcode: 33 }),
  })
  await sync(account)
  expect(await failureOf(account)).toBe('not_found')
  const { rows } = await sql.query<{ missing: Date | null }>(
    'select missing_at as missing from measured_post where account_id = $1',
    [account.id],
  )
  expect(rows).toEqual([{ missing: null }, { missing: null }])
})

test('a post that the network shows again is not gone', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  // The post is taken for gone while its reading goes on: the reading waits for this transaction.
  const other = await sql.connect()
  try {
    await other.query('begin')
    await other.query(
      'update measured_post set gone_at = app_now(), missing_at = app_now(), next_read_at = null where account_id = $1',
      [account.id],
    )
    const read = sync(account)
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%measured_post%'`,
      )
      return rowCount === 1
    })
    await other.query('commit')
    await read
  } finally {
    other.release()
  }
  expect((await metricsOf(post)).posts[0]).toMatchObject({
    reach: expect.any(Number),
    goneAt: null,
    nextReadAt: expect.any(String),
  })
})

test('posts made elsewhere are found after connecting, and measured like ours', async () => {
  const there = await consent(sandbox.url, nextUser())
  for (const message of ['One', 'Two', 'Three']) await there.post({ message })
  await pass(3 * HOUR)
  const account = (await connect(person(), 'NET_PAGE', user())).find(({ externalId }) => externalId === there.page.id)!
  await sync(account)
  const found = async () => {
    const { rows } = await sql.query<{
      externalId: string
      caption: string
      reach: string
      readAt: Date
      deliveryId: null
    }>(
      `select external_id as "externalId", caption, reach, read_at as "readAt", delivery_id as "deliveryId" from measured_post
        where account_id = $1 order by published_at, external_id`,
      [account.id],
    )
    return rows
  }
  const rows = await found()
  expect(rows.map(({ caption, deliveryId }) => [caption, deliveryId])).toEqual([
    ['One', null],
    ['Two', null],
    ['Three', null],
  ])
  for (const { externalId, reach, readAt } of rows) {
    expect(Number(reach)).toBe((await truthAt(externalId, readAt.toISOString()))['reach'])
  }
  // As after a day on which the network hid it.
  await sql.query(
    `update measured_post set gone_at = app_now(), missing_at = app_now(), next_read_at = null where account_id = $1 and caption = 'One'`,
    [account.id],
  )
  await sql.query('update account_sync set found_at = null where account_id = $1', [account.id])
  await sync(account)
  const { rows: back } = await sql.query(
    'select from measured_post where account_id = $1 and gone_at is null and next_read_at is not null',
    [account.id],
  )
  expect(back).toHaveLength(3)
  await there.post({ message: 'Four' })
  await pass(DAY)
  await sync(account)
  expect((await found()).map(({ caption }) => caption)).toEqual(['One', 'Two', 'Three', 'Four'])
})

describe('a target with an unknown outcome', () => {
  /** A post that is live, and nobody knows it. */
  async function unconfirmed(account: SocialAccount, caption: string): Promise<Post> {
    const { rows } = await sql.query<{ token: string }>(
      'select access_token as token from social_account where id = $1',
      [account.id],
    )
    await addFault(sandbox.url, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
    const post = await person().must<Post>('POST', '/posts', { caption, targets: [account.id], action: 'publish' })
    const is = (condition: string) =>
      eventually(
        async () =>
          (await sql.query(`select from publication where post_id = $1 and ${condition}`, [post.id])).rowCount === 1,
      )
    await is(`state = 'SUBMITTING'`)
    await sql.query(`update social_account set access_token = 'v1.0.0.0.0' where id = $1`, [account.id])
    await is('fence >= 6')
    await sql.query(`update publication set intent_at = intent_at - interval '3 minutes' where post_id = $1`, [post.id])
    await untilStatus(person(), post.id, ['FAILED'])
    await sql.query('update social_account set access_token = $2 where id = $1', [account.id, rows[0]!.token])
    await call(sandbox.url, 'DELETE', '/faults')
    const { publications } = await person().must<Post>('GET', `/posts/${post.id}`)
    expect(publications[0]).toMatchObject({ state: 'UNCONFIRMED', externalId: null })
    return post
  }

  test('is settled by the reading that meets its post', async () => {
    const { account } = await open('NET_PAGE')
    const post = await unconfirmed(account, 'Nobody knows that this is live')
    await sync(account)
    const { status, publications } = await person().must<Post>('GET', `/posts/${post.id}`)
    expect([status, publications[0]!.state]).toEqual(['PUBLISHED', 'PUBLISHED'])
    const { posts } = await metricsOf(post)
    expect(posts[0]!.externalId).toBe(publications[0]!.externalId)
  })

  test('stays with a person where two posts say the same', async () => {
    const { account } = await open('NET_PAGE')
    const post = await unconfirmed(account, 'Said twice')
    const there = await consent(sandbox.url, user())
    const page = there.pages.find(({ id }) => id === account.externalId)!
    for (const message of ['Another', 'Said twice']) {
      const answer = await fetch(`${sandbox.url}/graph/v25.0/${page.id}/feed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${page.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      })
      expect(answer.status).toBe(200)
    }
    await sync(account)
    const { rows } = await sql.query(`select from measured_post where account_id = $1 and caption = 'Said twice'`, [
      account.id,
    ])
    expect(rows).toHaveLength(2)
    const { publications } = await person().must<Post>('GET', `/posts/${post.id}`)
    expect(publications[0]).toMatchObject({ state: 'UNCONFIRMED', externalId: null })
  })

  test('stays with a person where another one says the same, and a person has said that it is live', async () => {
    const { account } = await open('NET_PAGE')
    const live = await unconfirmed(account, 'Which one is it?')
    const { id } = live.publications[0]!
    await person().must('POST', `/posts/${live.id}/publications/${id}/resolve`, { outcome: 'live' })
    const lost = await unconfirmed(account, 'Which one is it, then?')
    await sql.query(`update delivery set sent = jsonb_set(sent, '{text}', '"Which one is it?"') where post_id = $1`, [
      lost.id,
    ])
    await sync(account)
    const { publications } = await person().must<Post>('GET', `/posts/${lost.id}`)
    expect(publications[0]).toMatchObject({ state: 'UNCONFIRMED', externalId: null })
  })
})

test('a list that fails, or has no calls, is asked for later, and the posts are read all the same', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(DAY)
  await addFault(sandbox.url, { match: { path: '/published_posts.*permalink_url' }, do: { status: 503 } })
  await sync(account)
  const { rows } = await sql.query<{ error: string | null }>('select error from account_sync where account_id = $1', [
    account.id,
  ])
  expect(rows).toEqual([{ error: 'transient' }])
  expect(await waitOf(account)).toBeGreaterThan(9)
  expect((await metricsOf(post)).data).not.toEqual([])
})

test('a process that dies in the first reading leaves an account that the sweep finds', async () => {
  const { account } = await open('NET_PAGE')
  await sync(account)
  await sql.query(
    `update account_sync set next_at = null, lease_until = app_now() - interval '1 second' where account_id = $1`,
    [account.id],
  )
  await sql.query('delete from graphile_worker._private_jobs where key = $1', [`sync:${account.id}`])
  await sql.query(`select graphile_worker.add_job('analytics-sync', $1::json)`, [
    JSON.stringify({ workspaceId: '00000000-0000-0000-0000-000000000000', data: {} }),
  ])
  await eventually(async () => (await waitOf(account)) !== null)
})
