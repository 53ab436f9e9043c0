import { describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { ACCOUNT_METRICS, type AccountMetric } from '../../networks/api.ts'
import { pacificDays } from '../../networks/graph/account.ts'
import { addDays } from '../../publishing/scheduler/rules.ts'
import { DAY, type DayRow, HOUR, useFigures } from '../../../test/figures.ts'
import { long, sized } from '../../../test/tier.ts'
import { addFault, call, connect, uploadPicture } from '../../../test/world.ts'

const { sql, sandbox, person, pass, sync, open, readDaysToo, connected, atNine, daysOf, now, calls } = useFigures(5400)

const truthOf = async ({ externalId }: SocialAccount, { day, readAt }: Pick<DayRow, 'day' | 'readAt'>) => {
  const query = new URLSearchParams({ id: externalId, day, at: readAt.toISOString() })
  const { body } = await call<{ values: Record<AccountMetric, number | null> }>(sandbox.url, 'GET', `/metrics?${query}`)
  return body.values
}
const told = (row: DayRow) => Object.fromEntries(ACCOUNT_METRICS.map((metric) => [metric, row[metric]]))

test('a day of the network begins at midnight in California, in summer and in winter', () => {
  const starts = ['2026-03-08', '2026-03-09', '2026-11-01', '2026-11-02'].map((day) => pacificDays.startOf(day))
  expect(starts.map((start) => start.toISOString().slice(11, 16))).toEqual(['08:00', '07:00', '07:00', '08:00'])
  expect(pacificDays.at(new Date('2026-11-02T07:59:59Z'))).toBe('2026-11-01')
})

test('a newly connected page gets its last 90 days as the network shows them, and each day the last three again', async () => {
  const page = await connected('NET_PAGE')
  await atNine()
  await sql.query('delete from network_call')
  await sync(page)
  expect(await calls(page)).toBe(3 + 1)
  const first = await daysOf(page)
  const today = pacificDays.at(await now())
  expect(first[0]!.day).toBe(addDays(today, -90))
  // The last day ended an hour ago, and the network shows a day only a day after its end.
  expect([addDays(today, -2), addDays(today, -3)]).toContain(first.at(-1)!.day)
  for (const row of first) {
    expect(told(row), row.day).toEqual(await truthOf(page, row))
    expect(row.endsAt).toEqual(pacificDays.startOf(addDays(row.day, 1)))
    expect(row.source).toBe('network')
  }
  const nights = sized(1, 4)
  for (let passed = 0; passed < nights; passed += 1) {
    await pass(DAY)
    await sql.query('delete from network_call')
    await sync(page)
    expect(await calls(page)).toBe(3 + 1)
  }
  const later = await daysOf(page)
  expect(later.length).toBeGreaterThanOrEqual(first.length + nights)
  const end = new Date((await now()).getTime() + 30 * DAY)
  for (const row of later) {
    expect(told(row), row.day).toEqual(await truthOf(page, row))
    // A day is complete three days after it began.
    if (row.day <= addDays(today, nights - 3))
      expect(told(row), row.day).toEqual(await truthOf(page, { ...row, readAt: end }))
  }
})

test('a photo account gets the reach of 90 days and the totals of three, within twenty calls', async () => {
  const photo = await connected('NET_PHOTO')
  await atNine()
  await sql.query('delete from network_call')
  await sync(photo)
  expect(await calls(photo)).toBe(3 * 3 + 3 + 1)
  const rows = await daysOf(photo)
  const today = pacificDays.at(await now())
  expect(rows[0]!.day).toBe(addDays(today, -90))
  expect(rows.at(-1)).toMatchObject({
    day: today,
    followers: (await truthOf(photo, rows.at(-1)!)).followers,
    reach: null,
  })
  for (const row of rows.slice(0, -1)) {
    const { followers: _, impressions, engagement, ...truth } = await truthOf(photo, row)
    const isSummed = row.day >= addDays(today, -3)
    const sums = isSummed ? { impressions, engagement } : { impressions: null, engagement: null }
    expect(told(row), row.day).toEqual({ ...truth, ...sums, followers: null })
  }
  expect(rows.find(({ day }) => day === addDays(today, -3))!.impressions).toBeGreaterThan(0)
  await pass(DAY)
  await sql.query('delete from network_call')
  await sync(photo)
  expect(await calls(photo)).toBe(3 + 3 + 1)
  expect((await daysOf(photo)).find(({ day }) => day === today)!.followers).toBe(rows.at(-1)!.followers)
})

test('a video account gets its followers each day, and the daily differences of its videos', async () => {
  const options = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } }
  const { account, publish } = await open('NET_VIDEO', {
    media: [(await uploadPicture(person())).id],
    platformOptions: options,
  })
  await publish()
  // The sweep reads an account whose post is not measured yet. From now on, only the clock makes a reading due.
  await sync(account)
  await readDaysToo(account)
  const nights = sized(3, 12)
  // By itself, a post would be read only on days 10 and 14 after day 7.
  await atNine(12 - nights)
  await sync(account)
  for (let passed = 0; passed < nights; passed += 1) {
    await pass(DAY)
    await sync(account)
  }
  const all = await daysOf(account)
  const rows = all.filter(({ followers }) => followers !== null)
  expect(rows).toHaveLength(nights + 1)
  // The video was not read on the day it was published.
  expect(all.every(({ followers, impressions }) => followers !== null || impressions === null)).toBe(true)
  const { rows: read } = await sql.query<{ day: string; views: number; engagement: number }>(
    `select day::text, m.video_views::int as views, m.engagement::int from post_metric m
      join measured_post p on p.workspace_id = m.workspace_id and p.id = m.post_id where p.account_id = $1 order by day`,
    [account.id],
  )
  expect(read).toHaveLength(nights + 1)
  rows.slice(1, -1).forEach((row, index) => {
    const [before, after] = [read[index]!, read[index + 1]!]
    const happened = { impressions: after.views - before.views, engagement: after.engagement - before.engagement }
    expect(row, row.day).toMatchObject({ source: 'difference', reach: null, ...happened })
  })
  expect(rows.at(-1)).toMatchObject({ followers: (await truthOf(account, rows.at(-1)!)).followers, impressions: null })

  // A day without a reading is unknown, and so is the next one.
  const [unread, next] = [rows.at(-3)!.day, rows.at(-2)!.day]
  await sql.query(
    'delete from post_metric where day = $2 and post_id in (select id from measured_post where account_id = $1)',
    [account.id, unread],
  )
  await sql.query(
    'update account_metric set impressions = null, engagement = null where account_id = $1 and day >= $2',
    [account.id, unread],
  )
  await sql.query('update account_sync set days_at = null where account_id = $1', [account.id])
  await sync(account)
  for (const row of await daysOf(account))
    if (row.day === unread || row.day === next) expect(row).toMatchObject({ impressions: null, engagement: null })
})

test('a late or repeated answer about a day changes nothing, and a value that is no longer reported stays', async () => {
  const page = await connected('NET_PAGE')
  await atNine()
  await sync(page)
  const before = await daysOf(page)
  const again = () => sql.query('update account_sync set days_at = null where account_id = $1', [page.id])
  await again()
  await sync(page)
  expect((await daysOf(page)).map(told)).toEqual(before.map(told))
  await sql.query(
    `update account_metric set reach = 4711, read_at = read_at + interval '1 hour' where account_id = $1 and day = $2`,
    [page.id, before[5]!.day],
  )
  await again()
  await sync(page)
  expect((await daysOf(page))[5]!.reach).toBe(4711)

  await call(sandbox.url, 'POST', '/metrics', { gone: ['page_media_view'] })
  await pass(DAY)
  await again()
  await sync(page)
  const after = await daysOf(page)
  expect(told(after[4]!)).toEqual(told(before[4]!))
  const isNew = after.filter(({ day }) => day > before.at(-1)!.day)
  expect(isNew[0]).toMatchObject({ impressions: null, reach: expect.any(Number), engagement: expect.any(Number) })
  expect((await sql.query('select kind, metric from metric_gone')).rows).toEqual([
    { kind: 'account', metric: 'page_media_view' },
  ])
})

describe('figures that the network does not report', () => {
  test('are missing for a small page, and never 0', async () => {
    // This person's second page is small.
    const user = 'u8300'
    const small = (await connect(person(), 'NET_PAGE', user)).find(({ externalId }) => externalId.endsWith('2'))!
    await sync(small)
    expect(await daysOf(small)).toEqual([])
  })

  test('are missing without the permission, while posts are still read', async () => {
    const { account, publish } = await open('NET_PAGE')
    await publish()
    await readDaysToo(account)
    await sql.query(
      `update social_account set granted_scopes = array_remove(granted_scopes, 'read_insights') where id = $1`,
      [account.id],
    )
    await pass(DAY)
    await sync(account)
    expect(await daysOf(account)).toEqual([])
    const { rows } = await sql.query(`select from measured_post where account_id = $1 and likes is not null`, [
      account.id,
    ])
    expect(rows).toHaveLength(1)
  })

  test.runIf(long)('are requested again soon if the network failed', async () => {
    const page = await connected('NET_PAGE')
    await addFault(sandbox.url, { match: { method: 'GET', path: '/insights' }, do: { status: 503 }, times: 1 })
    await sync(page)
    const { rows } = await sql.query<{ error: string; minutes: number }>(
      `select error, extract(epoch from next_at - app_now())::float8 / 60 as minutes from account_sync where account_id = $1`,
      [page.id],
    )
    expect(rows[0]).toEqual({ error: 'transient', minutes: expect.any(Number) })
    expect(rows[0]!.minutes).toBeLessThan(20)
    await sync(page)
    expect((await daysOf(page)).length).toBeGreaterThan(80)
  })

  test('count as a failure of the network, even if the posts after them have no calls', async () => {
    const { account, publish } = await open('NET_PAGE')
    await publish()
    await sync(account)
    await pass(HOUR)
    await sql.query('update account_sync set days_at = null where account_id = $1', [account.id])
    await addFault(sandbox.url, { match: { method: 'GET', path: '/insights' }, do: { status: 503 }, times: 1 })
    // All calls of the hour are used once the days have failed.
    await sql.query(`create function use_calls() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
        begin
          insert into network_call select 'graph', network_user, date_trunc('minute', app_now()), 200 from social_account
            where id = new.account_id on conflict (app, user_key, minute) do update set calls = 200;
          return new;
        end $$;
      create trigger use_calls after update of gaps on account_sync for each row execute function use_calls()`)
    try {
      await sync(account)
    } finally {
      await sql.query('drop trigger use_calls on account_sync; drop function use_calls')
    }
    const { rows } = await sql.query('select error, failures from account_sync where account_id = $1', [account.id])
    expect(rows).toEqual([{ error: 'transient', failures: 1 }])
  })
})
