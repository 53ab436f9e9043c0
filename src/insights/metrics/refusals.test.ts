import { expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { DAY, HOUR, useFigures, valuesOf } from '../../../test/figures.ts'
import { addJob } from '../../../test/jobs.ts'
import { long, sized } from '../../../test/tier.ts'
import { addFault, call, eventually, uploadPicture, uploadVideo, video, graphError } from '../../../test/world.ts'

const { sql, sandbox, person, pass, sync, metricsOf, truthAt, open, calls } = useFigures(5900)

test('a retired metric affects no other, is not requested again, and is retried after a week', async () => {
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

test.runIf(long)('a value that the network no longer reports stays, with the time when it was known', async () => {
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

test('a post that the network does not find twice, a day apart, is gone; a post that is too old has no figures', async () => {
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
    match: { method: 'GET', path: post.publications[0]!.externalId! },
    do: { status: 400, body: graphError({ message: 'Unsupported get request', code: 100, error_subcode: 33 }) },
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

test('a figure that is not a whole number is ignored, and the others are kept', async () => {
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
})

test.runIf(long)('a figure of a video that is not a whole number is ignored, and the others are kept', async () => {
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

test.runIf(long)('a metric that is retired for stories is still read for posts', async () => {
  const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
  const post = await publish()
  const story = await publish({ platformOptions: { NET_PHOTO: { kind: 'story' } } })
  await sync(account)
  await pass(HOUR)
  await addFault(sandbox.url, {
    match: { method: 'GET', path: story.publications[0]!.externalId! },
    do: { status: 400, body: graphError({ message: 'shares is not a valid insights metric', code: 100 }) },
    times: 1,
  })
  await sync(account)
  const { rows } = await sql.query('select kind, metric from metric_gone')
  expect(rows).toEqual([{ kind: 'story', metric: 'shares' }])
  expect((await metricsOf(post)).posts[0]).toMatchObject({ shares: expect.any(Number) })
})

test.runIf(long)('a metric that is retired for reels is still read for the posts in the same list', async () => {
  const { account, publish } = await open('NET_PHOTO', { media: [(await uploadPicture(person())).id] })
  const film = (await uploadVideo(person(), await video({ width: 1080, height: 1920, seconds: 4 }))).id
  const reel = await publish({ media: [film] })
  await sync(account)
  await pass(HOUR)
  // The network reports that it is a reel.
  await sync(account)
  await pass(2 * HOUR)
  const refusal = { status: 400, body: graphError({ message: 'shares is not a valid insights metric', code: 100 }) }
  await addFault(sandbox.url, {
    match: { method: 'GET', path: reel.publications[0]!.externalId! },
    do: refusal,
    times: 1,
  })
  await sync(account)
  const gone = async () =>
    (await sql.query<{ kind: string; metric: string }>('select kind, metric from metric_gone')).rows
  expect(await gone()).toEqual([{ kind: 'reel', metric: 'shares' }])
  const posts = [await publish(), await publish()]
  await sync(account)
  const readIn = async (hours: number) => {
    await pass(hours * HOUR)
    await sql.query('delete from network_call')
    await sync(account)
    const all = await Promise.all([...posts, reel].map(async (post) => (await metricsOf(post)).data.at(-1)!))
    return { made: await calls(account), shares: all.map(({ shares }) => shares !== null) }
  }
  expect(await readIn(3)).toEqual({ made: 2, shares: [true, true, false] })

  // The refusal of a list with several kinds does not say which kind it is about.
  await sql.query('delete from metric_gone')
  await addFault(sandbox.url, { match: { method: 'GET', path: '/media.*views' }, do: refusal, times: 1 })
  expect(await readIn(6)).toEqual({ made: 3, shares: [true, true, true] })
  expect(await gone()).toEqual([])
})

test('a refusal that does not repeat retires no metric', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET' },
    do: { status: 400, body: graphError({ message: '(#100) The value must be a valid insights metric', code: 100 }) },
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

const refusals = [
  ['100/33', refusedWith(100, { error_subcode: 33 })],
  ['100', refusedWith(100)],
  ['10', refusedWith(10)],
] as const

test.each(refusals.slice(0, sized(1, 3)))(
  'a reel whose video refuses its figures with %s keeps its public counts',
  async (_, refused) => {
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
  },
)

test('an account whose posts the network does not list has an error, but its posts are not missing', async () => {
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

test.runIf(long)('a post that the network shows again is no longer gone', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sync(account)
  await pass(HOUR)
  // The post is marked as gone while its reading is running: the reading waits for this transaction.
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

test.runIf(long)('the only post of an account is not missing if the network does not find it', async () => {
  const { account, publish } = await open('NET_PAGE')
  await publish()
  await sync(account)
  await pass(HOUR)
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET' },
    do: refusedWith(100, { error_subcode: 33 }),
  })
  await sync(account)
  expect(await failureOf(account)).toBe('not_found')
  const { rows } = await sql.query('select missing_at as missing from measured_post where account_id = $1', [
    account.id,
  ])
  expect(rows).toEqual([{ missing: null }])
})

test('a token that the network refuses marks the account, whatever was read, and no further reading is planned', async () => {
  const { account, publish } = await open('NET_PAGE')
  await publish()
  await sync(account)
  await pass(HOUR)
  const fault = { match: { network: 'NET_PAGE', method: 'GET' }, do: refusedWith(190) }
  const due = {
    posts: 'days_at = s.days_at',
    days: 'days_at = null',
    search: 'found_at = null, days_at = now() + interval $$5 years$$',
  }
  for (const [part, change] of Object.entries(due)) {
    await sql.query(`update account_sync s set ${change} where account_id = $1`, [account.id])
    await call(sandbox.url, 'DELETE', '/faults')
    await addFault(sandbox.url, fault)
    await addJob(
      sql,
      'analytics-sync',
      { accountId: account.id },
      { workspaceId: person().workspaceId, key: `sync:${account.id}` },
    )
    const ended = await eventually(async () => {
      const { rows } = await sql.query(
        `select a.status, s.failures, s.next_at as next, s.error from account_sync s
          join social_account a on a.id = s.account_id
          where a.id = $1 and s.lease_until is null and (s.failures > 0 or s.next_at is null)`,
        [account.id],
      )
      return rows[0]
    })
    expect({ part, ...ended }).toEqual({ part, status: 'RECONNECT_NEEDED', failures: 0, next: null, error: null })
    await sql.query(`update social_account set status = 'CONNECTED' where id = $1`, [account.id])
    await sql.query('update account_sync set next_at = app_now() where account_id = $1', [account.id])
  }
})
