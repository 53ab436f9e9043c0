import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { METRICS } from '../../networks/api.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { holdReadings, inDays, tellDays, tellPost } from '../../../test/insights.ts'
import { confirmEmail, connect, join, newPerson, type Person, type Problem, untilStatus } from '../../../test/world.ts'
import type { Post } from '../../publishing/posts/api.ts'
import {
  type AnalyticsBasis,
  type AnalyticsOverview,
  type HourCell,
  type MetricEntry,
  type PostAnalysis,
  type RankedPost,
  TAG_DIMENSIONS,
  type TagGroup,
  type TagGroups,
} from './api.ts'

const { product, sql } = useProduct({ env: FAST })
let ann: Person
let page: SocialAccount
let photo: SocialAccount
let clip: SocialAccount

interface List {
  data: RankedPost[]
  nextCursor: string | null
  count: number
  leftOut: number
  divisor: string | null
  basis: AnalyticsBasis
}

beforeAll(async () => {
  ann = await newPerson(product.url)
  ;[page] = (await connect(ann, 'NET_PAGE', 'u6401')) as [SocialAccount]
  photo = (await connect(ann, 'NET_PHOTO', 'u6402')).find(({ platform }) => platform === 'NET_PHOTO')!
  clip = (await connect(ann, 'NET_VIDEO', 'u6403')).find(({ platform }) => platform === 'NET_VIDEO')!
  // A sandbox person has several pages.
  const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts?limit=100')
  const kept = [page, photo, clip].map(({ id }) => id)
  for (const { id } of data) if (!kept.includes(id)) await ann.must('DELETE', `/social-accounts/${id}`)
  await holdReadings(sql, ann.workspaceId)
})

const place = (account: SocialAccount, from = inDays(-28), person = ann) => ({
  workspaceId: person.workspaceId,
  accountId: account.id,
  from,
})
const alike = <T>(count: number, day: T) => Array.from({ length: count }, () => day)
const ask = (path: string, query: object = {}, person = ann) =>
  person.call<Problem>('GET', `/analytics/${path}?${new URLSearchParams(query as Record<string, string>)}`)
const must = async <T>(path: string, query: object = {}) =>
  ann.must<T>('GET', `/analytics/${path}?${new URLSearchParams(query as Record<string, string>)}`)
const four = (more: object = {}) => ({ from: inDays(-28), to: inDays(0), ...more })

describe('the overview', () => {
  beforeAll(async () => {
    const days = (count: number, one: (index: number) => object | null) =>
      Array.from({ length: count }, (_, index) => one(index))
    // The days before and within the period. Two days of the page are missing within it.
    await tellDays(
      sql,
      place(page, inDays(-56)),
      days(56, (index) =>
        index === 40 || index === 41
          ? null
          : {
              impressions: index < 28 ? 100 : 150,
              engagement: 10,
              reach: 50,
              followers: 1000 + index,
              reach_28: 900,
              reach_7: 300,
            },
      ),
    )
    await tellDays(
      sql,
      place(photo, inDays(-56)),
      days(56, () => ({ impressions: 50, engagement: 5, reach: 30, followers: 200 })),
    )
    await tellDays(
      sql,
      place(clip, inDays(-56)),
      days(56, () => ({ followers: 7 })),
    )
    await sql.query(`update account_sync set gaps = $2, next_at = now() + interval '1 hour' where account_id = $1`, [
      page.id,
      JSON.stringify(
        [12, 13].map((index) => ({ day: inDays(-28 + index), metric: 'impressions', reason: 'network_error' })),
      ),
    ])
  })

  test('sums what every account reports; a day that one account lacks is a gap in the series', async () => {
    const { totals, days, series, basis } = await must<AnalyticsOverview>('overview', four())
    expect(days).toBe(28)
    expect(totals.impressions).toEqual({ value: 26 * 150 + 28 * 50, perDay: 200, days: 26 })
    expect(totals.engagement).toEqual({ value: 26 * 10 + 28 * 5, perDay: 15, days: 26 })
    expect(totals.followers).toEqual({ value: 1055 + 207, gained: 28, since: inDays(-29), days: 26 })
    expect(totals.rate).toEqual({ value: 400 / 5300, divisor: 'impressions', of: 5300, days: 26 })
    expect(series.filter(({ impressions }) => impressions === null).map(({ day }) => day)).toEqual([
      inDays(-16),
      inDays(-15),
    ])
    expect(basis).toMatchObject({
      kind: 'activity',
      gaps: expect.arrayContaining([
        { accountId: page.id, day: inDays(-16), days: 2, metric: 'impressions', reason: 'network_error' },
        { accountId: page.id, day: inDays(-16), days: 2, metric: 'reach', reason: 'not_read' },
      ]),
    })
    // A network without daily figures gets them from readings of its posts, and there are none yet.
    expect(basis.coverage).toBeCloseTo(1 - (8 + 2 * 28) / (28 * 11), 2)
    expect(basis.provisionalDays).toContain(inDays(-1))
    expect(basis.provisionalDays).not.toContain(inDays(-8))
    expect(Date.parse(basis.nextAt!)).toBeGreaterThan(Date.now())
  })

  test("never sums reach: it has the network's window for one account, or else the mean of its days", async () => {
    const reach = async (more: object) => (await must<AnalyticsOverview>('overview', more)).totals.reach
    expect(await reach(four())).toEqual({ value: null, over: 'day', days: 0 })
    expect(await reach(four({ accountId: page.id }))).toEqual({ value: 900, over: 'four_weeks', days: 28 })
    expect(await reach({ accountId: page.id, from: inDays(-7), to: inDays(0) })).toEqual({
      value: 300,
      over: 'week',
      days: 7,
    })
    expect(await reach({ accountId: page.id, from: inDays(-20), to: inDays(0) })).toEqual({
      value: 50,
      over: 'day',
      days: 18,
    })
    expect(await reach(four({ platform: 'NET_VIDEO' }))).toMatchObject({ value: null })
  })

  test('returns null, never 0, for what no account reports', async () => {
    const { totals, series } = await must<AnalyticsOverview>(
      'overview',
      four({ platform: 'NET_VIDEO', compare: 'previous' }),
    )
    expect(totals.impressions).toEqual({ value: null, perDay: null, days: 0 })
    expect(totals.rate).toMatchObject({ value: null, divisor: 'followers' })
    expect(totals.followers.value).toBe(7)
    expect(new Set(series.map(({ impressions }) => impressions))).toEqual(new Set([null]))
  })

  test('compares per day with as many days, whole weeks earlier, but not with less than 80 % of them', async () => {
    const { change, previous, previousPeriod, series } = await must<AnalyticsOverview>(
      'overview',
      four({ compare: 'previous' }),
    )
    expect(previousPeriod).toEqual({ from: inDays(-56), to: inDays(-28) })
    expect(previous!.impressions).toEqual({ value: 28 * 150, perDay: 150, days: 28 })
    expect(change!.impressions).toBeCloseTo(200 / 150 - 1)
    expect(change!.engagement).toBe(0)
    expect(change!.rate).toBeCloseTo(400 / 5300 - 15 / 150)
    expect(series[0]).toMatchObject({ day: inDays(-28), previous: { day: inDays(-56), impressions: 150 } })
    const ten = await must<AnalyticsOverview>('overview', { from: inDays(-22), to: inDays(-12), compare: 'previous' })
    expect(ten.previousPeriod).toEqual({ from: inDays(-36), to: inDays(-26) })
    expect(ten.change!.impressions).not.toBeNull()
    const thin = await must<AnalyticsOverview>('overview', {
      from: inDays(-18),
      to: inDays(-11),
      accountId: page.id,
      compare: 'previous',
    })
    expect(thin.totals.impressions.days).toBe(5)
    expect(thin.change!.impressions).toBeNull()
  })

  test('counts a new account from its first day on, and compares the others', async () => {
    const nora = await newPerson(product.url, 'Nora')
    const [old] = (await connect(nora, 'NET_PAGE', 'u6408')) as [SocialAccount]
    const young = (await connect(nora, 'NET_PHOTO', 'u6409')).find(({ platform }) => platform === 'NET_PHOTO')!
    await holdReadings(sql, nora.workspaceId)
    const of = (account: SocialAccount, days: number) => place(account, inDays(-days), nora)
    await tellDays(sql, of(old, 56), alike(56, { impressions: 100, engagement: 10, followers: 1000 }))
    await tellDays(sql, of(young, 3), [
      { impressions: 40, engagement: 8, followers: 200 },
      { impressions: 40, engagement: 8, followers: 203 },
      // The network reports the last day later.
    ])
    const asked = async (more: object = {}) =>
      nora.must<AnalyticsOverview>(
        'GET',
        `/analytics/overview?${new URLSearchParams({ ...four({ compare: 'previous' }), ...more })}`,
      )
    const { totals, change, compared, series, byAccount } = await asked()
    expect(totals.impressions).toEqual({ value: 28 * 100 + 80, perDay: 140, days: 27 })
    expect(totals.impressions.value).toBe(
      byAccount.reduce((sum, account) => sum + (account.totals.impressions.value ?? 0), 0),
    )
    // Each account counts from a different day.
    expect(totals.followers).toEqual({ value: 1203, gained: 3, since: null, days: 27 })
    expect(byAccount.flatMap(({ countsFrom }) => countsFrom?.impressions ?? [])).toEqual([inDays(-28), inDays(-3)])
    expect(series.map(({ impressions }) => impressions)).toEqual([...alike(25, 100), 140, 140, null])
    // There is no rise, because the new account is not compared.
    expect(change).toMatchObject({ impressions: 0, engagement: 0, rate: 0, followers: 0 })
    expect(compared).toMatchObject({
      impressions: { accounts: 1, of: 2 },
      rate: { accounts: 1, of: 2 },
      reach: { accounts: 0, of: 0 },
    })
    // A disconnected account does not count after its last day, and its followers belong to the past.
    await nora.must('DELETE', `/social-accounts/${young.id}`)
    const ended = await asked()
    expect(ended.totals.impressions).toEqual({ value: 28 * 100 + 80, perDay: 140, days: 28 })
    expect(ended.totals.followers).toMatchObject({ value: 1000, gained: 0 })
    expect(ended.series.map(({ impressions }) => impressions)).toEqual([...alike(25, 100), 140, 140, 100])
    // If it reports nothing in a period, the period before has only the others too.
    await tellDays(sql, of(young, 56), alike(20, { impressions: 1000, engagement: 8, followers: 200 }))
    const after = await asked({ from: inDays(-30), to: inDays(-10) })
    expect(after.previous!.impressions.perDay).toBe(100)
    expect(after.series.map(({ previous }) => previous!.impressions)).toEqual(alike(20, 100))
  })

  test('computes the daily rate from accounts that report both figures, and knows an old account by its earlier days', async () => {
    const ora = await newPerson(product.url, 'Ora')
    const [whole] = (await connect(ora, 'NET_PAGE', 'u6410')) as [SocialAccount]
    const partly = (await connect(ora, 'NET_PHOTO', 'u6411')).find(({ platform }) => platform === 'NET_PHOTO')!
    await holdReadings(sql, ora.workspaceId)
    const of = (account: SocialAccount, days: number) => place(account, inDays(-days), ora)
    await tellDays(sql, of(whole, 56), alike(56, { impressions: 100, engagement: 10 }))
    // It reports engagement all the time, and views only from a later day on. Two days at the edge of the period are
    // missing.
    await tellDays(sql, of(partly, 40), [
      ...alike(12, { engagement: 90 }),
      null,
      null,
      ...alike(16, { engagement: 90 }),
      ...alike(10, { impressions: 400, engagement: 90 }),
    ])
    const { series, totals } = await ora.must<AnalyticsOverview>(
      'GET',
      `/analytics/overview?${new URLSearchParams(four({ compare: 'previous' }))}`,
    )
    expect(series.map(({ rate }) => rate)).toEqual([...alike(18, 0.1), ...alike(10, 0.2)])
    expect(totals.rate.value).toBeCloseTo((28 * 10 + 10 * 90) / (28 * 100 + 10 * 400))
    expect(series.map(({ engagement }) => engagement)).toEqual([null, null, ...alike(26, 100)])
  })

  test('expects no day of a disconnected account after its last one', async () => {
    const bob = await newPerson(product.url)
    const accounts = await connect(bob, 'NET_PAGE', 'u6407')
    const [kept, gone] = accounts as [SocialAccount, SocialAccount]
    for (const { id } of accounts.slice(2)) await bob.must('DELETE', `/social-accounts/${id}`)
    await holdReadings(sql, bob.workspaceId)
    const day = { impressions: 10, engagement: 1, reach: 5, followers: 100 }
    await tellDays(sql, place(kept, inDays(-56), bob), alike(56, day))
    await tellDays(sql, place(gone, inDays(-56), bob), alike(20, day))
    await bob.must('DELETE', `/social-accounts/${gone.id}`)
    const basisOf = async (query: object) =>
      (await ask('overview', { ...query, compare: 'previous' }, bob)).body as unknown as AnalyticsOverview
    const [after, during] = [await basisOf(four()), await basisOf({ from: inDays(-42), to: inDays(-28) })]
    expect(after.basis).toMatchObject({ coverage: 1, gaps: [] })
    expect(after.basis.readAt).toBe(after.byAccount.find(({ accountId }) => accountId === kept.id)!.readAt)
    expect(during.basis).toMatchObject({ coverage: 1, gaps: [] })
    expect(during.byAccount).toHaveLength(2)
    expect(during.basis.readAt).toBe(during.byAccount.find(({ accountId }) => accountId === kept.id)!.readAt)
  })

  test("shows the progress of an account's first reading, and which accounts have no new figures", async () => {
    const dora = await newPerson(product.url, 'Dora')
    const [shop] = (await connect(dora, 'NET_PAGE', 'u6406')) as [SocialAccount]
    await holdReadings(sql, dora.workspaceId, 'new')
    const found = async () => {
      const { byAccount } = await dora.must<AnalyticsOverview>(
        'GET',
        `/analytics/overview?${new URLSearchParams({ ...four(), accountId: shop.id })}`,
      )
      return byAccount[0]!
    }
    const sync = (change: string) => sql.query(`update account_sync set ${change} where account_id = $1`, [shop.id])
    expect(await found()).toMatchObject({
      state: 'read',
      firstReading: { hasDays: false, hasPosts: false, postsSince: null },
    })
    const publishedAt = new Date(Date.now() - 10 * 86_400_000)
    await tellPost(sql, { workspaceId: dora.workspaceId, accountId: shop.id }, { publishedAt, readings: {} })
    await sync(`days_at = now(), found_after = 'next'`)
    expect((await found()).firstReading).toEqual({
      hasDays: true,
      hasPosts: false,
      postsSince: publishedAt.toISOString(),
    })
    await sync(`found_at = now(), found_after = null, failures = 1, next_at = now() + interval '1 hour'`)
    expect(await found()).toMatchObject({ state: 'failing', firstReading: null, nextAt: expect.any(String) })
    await sql.query(`update social_account set status = 'RECONNECT_NEEDED' where id = $1`, [shop.id])
    expect(await found()).toMatchObject({ state: 'not_connected', firstReading: null, nextAt: null })
  })

  test('separates networks and accounts', async () => {
    const { byPlatform, byAccount } = await must<AnalyticsOverview>('overview', four())
    expect(byPlatform.map(({ platform, totals }) => [platform, totals.impressions.value])).toEqual([
      ['NET_PAGE', 26 * 150],
      ['NET_PHOTO', 28 * 50],
      ['NET_VIDEO', null],
    ])
    expect(byAccount.find(({ accountId }) => accountId === photo.id)?.totals.reach).toMatchObject({
      value: 30,
      over: 'day',
    })
  })

  test('shows a CLIENT the totals and nothing about single accounts', async () => {
    await confirmEmail(ann)
    const client = await join(ann, 'Client', 'CLIENT')
    const { body, status } = await client.call<AnalyticsOverview>(
      'GET',
      `/analytics/overview?from=${inDays(-28)}&to=${inDays(0)}`,
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      totals: { impressions: { value: 5300 } },
      byPlatform: [],
      byAccount: [],
      series: [],
      basis: { gaps: [] },
    })
    for (const path of ['posts', 'hours', 'tags'])
      expect((await ask(path, four({ by: 'topic' }), client)).body.code).toBe('role_required')
    for (const filter of [{ accountId: page.id }, { platform: 'NET_PAGE' }]) {
      const { status, body: refusal } = await ask('overview', four(filter), client)
      expect([status, refusal.code, refusal.detail]).toEqual([403, 'role_required', expect.stringContaining('totals')])
    }
  })

  test.each([
    [{ from: '2026-02-02', to: '2026-02-02' }, 'after_end'],
    [{ from: '2024-01-01', to: '2026-02-02' }, 'too_long'],
    [{ from: '0001-01-01', to: '0001-01-02' }, 'out_of_range'],
  ])('refuses the period %j', async (query, code) => {
    for (const path of ['overview', 'posts', 'hours', 'tags'])
      expect((await ask(path, path === 'tags' ? { ...query, by: 'topic' } : query)).body).toMatchObject({
        status: 422,
        errors: [{ path: '/from', code }],
      })
  })

  test('accepts `compare` in every query of a period; only the overview compares', async () => {
    const compared = four({ compare: 'previous' })
    expect((await must<AnalyticsOverview>('overview', compared)).previousPeriod).not.toBeNull()
    for (const [path, more] of [
      ['posts', {}],
      ['hours', {}],
      ['tags', { by: 'topic' }],
      ['export', { of: 'days' }],
    ] as const) {
      const { status, body } = await ask(path, { ...compared, ...more })
      expect([path, status, body]).toEqual([path, 200, (await ask(path, four(more))).body])
      expect((await ask(path, four({ ...more, compare: 'next' }))).body).toMatchObject({
        status: 422,
        errors: [{ path: '/compare' }],
      })
    }
  })

  test('is refused on a plan without analytics', async () => {
    await sql.query(`delete from plan_feature where plan_id = 'business' and feature_id = 'analytics'`)
    try {
      expect(await ask('overview', four())).toMatchObject({ status: 402, body: { code: 'feature_not_in_plan' } })
    } finally {
      await sql.query(`insert into plan_feature values ('business', 'analytics')`)
    }
  })
})

describe('posts', () => {
  const at = (days: number, hour = 9) => new Date(Date.parse(`${inDays(-days)}T00:00Z`) + hour * 3_600_000)
  const values = (views: number, more: object = {}) => ({
    impressions: views,
    reach: views / 2,
    likes: views / 10,
    ...more,
  })
  let best: string
  let late: string
  let video: string

  beforeAll(async () => {
    const of = place(page)
    // Ten equal posts: their median is 100 after a day and 200 after a week.
    for (let index = 0; index < 10; index += 1)
      await tellPost(sql, of, {
        publishedAt: at(20 + index),
        readings: { 24.5: values(100), 169: values(200), 340: values(250) },
      })
    best = await tellPost(sql, of, {
      caption: 'The best one',
      publishedAt: at(12),
      readings: { 25: values(300, { shares: 50 }), 170: values(500) },
    })
    late = await tellPost(sql, of, { caption: 'Not read in time', publishedAt: at(10), readings: { 50: values(90) } })
    video = await tellPost(sql, place(clip), { publishedAt: at(5), readings: { 24: { video_views: 400, likes: 8 } } })
  })

  test('are ranked by one figure, with unknown ones last, and paged without gaps', async () => {
    const whole = await must<List>('posts', four({ sort: 'views' }))
    expect(whole.count).toBe(12)
    expect(whole.data.map(({ views }) => views)).toEqual([500, 400, ...Array.from({ length: 9 }, () => 250), 90])
    const paged: RankedPost[] = []
    for (let cursor = ''; ;) {
      const found = await must<List>('posts', four({ sort: 'views', limit: '5', ...(cursor && { cursor }) }))
      paged.push(...found.data)
      if (!found.nextCursor) break
      cursor = found.nextCursor
    }
    expect(paged).toEqual(whole.data)
    const byReach = await must<List>('posts', four({ sort: 'reach' }))
    expect(byReach.data.at(-1)).toMatchObject({ id: video, reach: null })
    const newest = await must<List>('posts', four())
    expect(newest.data.map(({ id }) => id).slice(0, 3)).toEqual([video, late, best])
    expect(newest.data).toEqual((await must<List>('posts', four({ sort: 'publishedAt' }))).data)
  })

  test('have rates with one divisor, which every network in the list reports', async () => {
    const all = await must<List>('posts', four({ sort: 'rate' }))
    expect(all.divisor).toBe('views')
    expect(all.data.find(({ id }) => id === video)?.rate).toBeCloseTo(8 / 400)
    const ofPage = await must<List>('posts', four({ sort: 'rate', platform: 'NET_PAGE' }))
    expect(ofPage.divisor).toBe('reach')
    expect(ofPage.data.every(({ rate, engagement, reach }) => rate === engagement! / reach!)).toBe(true)
  })

  test('are compared at the same age by the first reading within a day, and are left out without one', async () => {
    const week = await must<List>('posts', four({ sort: 'views', at: '7d' }))
    expect(week).toMatchObject({ count: 10, leftOut: 2 })
    expect(week.data[0]).toMatchObject({ id: best, views: 500 })
    expect(new Set(week.data.slice(1).map(({ views }) => views))).toEqual(new Set([200]))
    const day = await must<List>('posts', four({ at: '1d' }))
    expect(day.data.map(({ id }) => id)).not.toContain(late)
    expect(day.data.find(({ id }) => id === best)).toMatchObject({
      views: 300,
      readAt: new Date(at(12).getTime() + 25 * 3_600_000).toISOString(),
    })
  })

  test('count for an age with a reading up to ten minutes before it, but no earlier one', async () => {
    const eve = await newPerson(product.url, 'Eve')
    const [shop] = (await connect(eve, 'NET_PAGE', 'u6407')) as [SocialAccount]
    await holdReadings(sql, eve.workspaceId)
    const tell = (hours: number) =>
      tellPost(
        sql,
        { workspaceId: eve.workspaceId, accountId: shop.id },
        { caption: String(hours), publishedAt: at(12), readings: { [hours]: values(100) } },
      )
    for (const hours of [167.7, 167.9, 192, 192.2]) await tell(hours)
    const asked = new URLSearchParams(four({ at: '7d' }))
    const { data, leftOut } = await eve.must<List>('GET', `/analytics/posts?${asked}`)
    expect(data.map(({ caption }) => caption).toSorted()).toEqual(['167.9', '192'])
    expect(leftOut).toBe(2)
    // By hour, a late reading counts too.
    const hours = await eve.must<{ count: number; leftOut: number }>('GET', `/analytics/hours?${asked}`)
    expect([hours.count, hours.leftOut]).toEqual([3, 1])
  })

  test('are compared with the median of their kind at the same age, if there are 5 others', async () => {
    const { data } = await must<List>('posts', four())
    expect(data.find(({ id }) => id === best)?.againstMedian).toBe(2.5)
    expect(data.find(({ id }) => id === video)?.againstMedian).toBeNull()
  })

  test('are found by their text', async () => {
    expect((await must<List>('posts', four({ text: 'BEST' }))).data.map(({ id }) => id)).toEqual([best])
    expect((await must<List>('posts', four({ text: '%' }))).count).toBe(0)
  })

  test('are each shown with a curve, the median of the others, and where they differ', async () => {
    const found = await must<PostAnalysis>(`posts/${best}`)
    expect(found.curve.map(({ ageHours, views }) => [ageHours, views])).toEqual([
      [25, 300],
      [170, 500],
    ])
    expect(found.kindMedian).toEqual([
      expect.objectContaining({ ageHours: 24, n: 10, views: 100, shares: null }),
      expect.objectContaining({ ageHours: 168, n: 10, views: 200 }),
      expect.objectContaining({ ageHours: 336, n: 10, views: 250 }),
    ])
    expect(found.percentile).toEqual({ value: 100, ageHours: 168, n: 10 })
    expect(found.reasons.map(({ metric, ratio }) => [metric, ratio])).toEqual(
      expect.arrayContaining([
        ['views', 2.5],
        ['likes', 2.5],
      ]),
    )
    expect((await ask(`posts/${ann.workspaceId}`)).status).toBe(404)
  })

  test('by hour are compared with the median of their kind', async () => {
    const { data, leftOut } = await must<{ data: HourCell[]; leftOut: number }>('hours', {
      from: inDays(-40),
      to: inDays(0),
    })
    expect(data.reduce((sum, { n }) => sum + n, 0)).toBe(11)
    expect(leftOut).toBe(2)
    expect(data.every(({ median }) => median !== null && median > 0)).toBe(true)
    expect(Math.max(...data.map(({ median }) => median!))).toBeGreaterThanOrEqual(1)
  })

  test('are never in the lists of another workspace', async () => {
    const bea = await newPerson(product.url, 'Bea')
    expect((await bea.must<List>('GET', `/analytics/posts?from=${inDays(-40)}&to=${inDays(0)}`)).count).toBe(0)
    expect((await bea.call('GET', `/analytics/posts/${best}`)).status).toBe(404)
  })

  describe('as CSV', () => {
    const csv = async (of: string, query = four()) => {
      const { body, headers } = await ann.call<string>(
        'GET',
        `/analytics/export?${new URLSearchParams({ ...query, of })}`,
      )
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
      const [head, ...lines] = body
        .replace('\uFEFF', '')
        .trim()
        .split('\n')
        .map((line) => line.split(','))
      return lines.map((cells) => Object.fromEntries(head!.map((name, index) => [name, cells[index]])))
    }

    test('leave unknown figures empty, and never 0', async () => {
      const posts = await csv('posts')
      expect(posts).toHaveLength(12)
      expect(posts.find(({ network }) => network === 'NET_VIDEO')).toMatchObject({
        reach: '',
        video_views: '400',
        saves: '',
      })
      const days = await csv('days')
      expect(days).toHaveLength(28 * 3)
      expect(days.find(({ day, account }) => day === inDays(-16) && account === page.name)).toMatchObject({
        impressions: '',
        engagement: '',
      })
    })

    test('say when a value was last known that the last reading lacked', async () => {
      const known = { reach: '2026-01-02T03:04:05.000Z', likes: '2026-01-01T03:04:05.000Z' }
      await sql.query('update measured_post set known_at = $2 where id = $1', [best, JSON.stringify(known)])
      const posts = await csv('posts')
      expect(posts.find(({ id }) => id === best)!.known_at).toBe(`likes=${known.likes}; reach=${known.reach}`)
      expect(posts.find(({ id }) => id !== best)!.known_at).toBe('')
      await sql.query(`update measured_post set known_at = '{}' where id = $1`, [best])
    })

    test('include every day of a year, and no cell begins a formula', async () => {
      await sql.query(`update measured_post set caption = '=HYPERLINK("x")' where id = $1`, [best])
      const { body } = await ann.call<string>(
        'GET',
        `/analytics/export?${new URLSearchParams({ ...four(), of: 'posts' })}`,
      )
      expect(body).toContain(`'=HYPERLINK`)
      expect(await csv('days', { from: inDays(-366), to: inDays(0) })).toHaveLength(366 * 3)
    })
  })
})

describe('groups of posts', () => {
  let bea: Person
  let shop: SocialAccount
  const groups = async (by: string, more: object = {}, person = bea) =>
    person.must<TagGroups>(
      'GET',
      `/analytics/tags?${new URLSearchParams({ from: inDays(-60), to: inDays(2), by, ...more })}`,
    )
  const of = ({ data }: { data: TagGroup[] }, value: string) => data.find((group) => group.value === value)

  beforeAll(async () => {
    bea = await newPerson(product.url, 'Bea')
    ;[shop] = (await connect(bea, 'NET_PAGE', 'u6405')) as [SocialAccount]
    await holdReadings(sql, bea.workspaceId)
    const place = { workspaceId: bea.workspaceId, accountId: shop.id }
    const at = (days: number) => new Date(Date.now() - days * 86_400_000)
    // Posts about bread get three times the engagement of the others.
    for (let index = 0; index < 24; index += 1) {
      const topic = ['bread', 'tea', 'cake'][index % 3]!
      const likes = (topic === 'bread' ? 90 : 30) + (index % 4)
      await tellPost(sql, place, {
        topic,
        caption: `${index} ${index % 2 === 0 ? '#Latte' : '#crema'}`,
        publishedAt: at(30 + index),
        readings: { 169: { reach: 1000, likes } },
      })
    }
    await tellPost(sql, place, { topic: 'rare', publishedAt: at(9), readings: { 25: { reach: null, likes: 5 } } })
    await tellPost(sql, place, { topic: 'rare', publishedAt: at(8), readings: { 25: { reach: 900 } } })
  })

  test('have medians with one divisor, show a planted effect, and are marked if they have fewer than 5 posts', async () => {
    const found = await groups('topic')
    expect(found).toMatchObject({ divisor: 'reach', count: 25, leftOut: 1, untagged: 0, nextCursor: null })
    expect(found.data.map(({ value }) => value)).toEqual(['bread', expect.anything(), expect.anything(), 'rare'])
    expect(found.data[0]).toMatchObject({ n: 8, isFew: false })
    expect(found.data[0]!.median).toBeCloseTo(0.0915)
    expect(found.data[0]!.estimate).toBeGreaterThan(1.5)
    expect(of(found, 'tea')!.estimate).toBeLessThan(1)
    expect(found.basis).toMatchObject({ kind: 'posts', readAt: expect.any(String) })
  })

  test('have null, never 0, if no post reports both figures, and leave out posts without engagement', async () => {
    expect(of(await groups('topic'), 'rare')).toMatchObject({ n: 1, median: null, isFew: true })
  })

  test('are compared at the same age on request', async () => {
    const week = await groups('topic', { at: '7d' })
    expect([week.count, week.leftOut]).toEqual([24, 2])
    expect(of(week, 'rare')).toBeUndefined()
  })

  test('by hashtag ignore case', async () => {
    const { data, untagged } = await groups('hashtag')
    expect(data.map(({ value, n }) => `${value} ${n}`).toSorted()).toEqual(['#crema 12', '#latte 12'])
    expect(untagged).toBe(1)
  })

  test('by format use the kind of posts that are not tagged', async () => {
    const { data } = await groups('format')
    expect(data).toEqual([])
    const reel = await tellPost(
      sql,
      { workspaceId: bea.workspaceId, accountId: shop.id },
      { kind: 'reel', publishedAt: new Date(Date.now() - 20 * 86_400_000), readings: { 30: { reach: 10, likes: 1 } } },
    )
    try {
      expect((await groups('format')).data).toEqual([expect.objectContaining({ value: 'video', n: 1 })])
    } finally {
      await sql.query('delete from post_metric where post_id = $1', [reel])
      await sql.query('delete from measured_post where id = $1', [reel])
    }
  })

  test('include posts made here, by their labels and by a corrected topic', async () => {
    const { id: label } = await bea.must<{ id: string }>('POST', '/labels', { name: 'Autumn', color: 'orange' })
    const { id } = await bea.must<Post>('POST', '/posts', {
      caption: 'Two left',
      labels: [label],
      targets: [shop.id],
      action: 'publish',
    })
    const { publications } = await untilStatus(bea, id, ['PUBLISHED'])
    await tellPost(
      sql,
      { workspaceId: bea.workspaceId, accountId: shop.id },
      {
        publicationId: publications[0]!.id,
        caption: 'Two left',
        publishedAt: new Date(Date.now() - 86_400_000),
        readings: { 12: { reach: 1000, likes: 100 } },
      },
    )
    expect(of(await groups('label'), 'Autumn')).toMatchObject({ n: 1, median: 0.1 })
    expect((await groups('topic')).untagged).toBe(1)
    await bea.must('PUT', `/posts/${id}/tags`, { topic: 'Bread', tone: 'dry' })
    const corrected = await groups('topic')
    expect(corrected.untagged).toBe(0)
    expect(of(corrected, 'Bread')).toMatchObject({ n: 9 })
    expect(of(corrected, 'bread')).toBeUndefined()
    expect(of(await groups('tone'), 'dry')).toMatchObject({ n: 1 })
  })

  test('never include posts of another workspace', async () => {
    const cleo = await newPerson(product.url, 'Cleo')
    for (const by of TAG_DIMENSIONS)
      expect(await groups(by, {}, cleo)).toMatchObject({ data: [], count: 0, untagged: 0 })
  })
})

test('the catalogue lists each figure with its sources, and where it is missing', async () => {
  const { data } = await must<{ data: MetricEntry[] }>('metrics')
  const of = (basis: string, metric: string) => data.find((entry) => entry.basis === basis && entry.metric === metric)!
  expect(data.filter(({ basis }) => basis === 'posts').map(({ metric }) => metric)).toEqual([...METRICS])
  expect(of('posts', 'reach')).toMatchObject({
    additive: false,
    sources: expect.arrayContaining([
      expect.objectContaining({ platform: 'NET_PAGE', kind: 'reel', name: 'post_impressions_unique' }),
    ]),
    missing: [{ platform: 'NET_VIDEO', kind: null }],
  })
  expect(of('activity', 'impressions')).toMatchObject({ additive: true, missing: [] })
  for (const { sentence, sources, missing } of data) {
    expect(sentence).toMatch(/^[A-Z]/)
    expect(sources.length + missing.length).toBeGreaterThanOrEqual(3)
  }
})
