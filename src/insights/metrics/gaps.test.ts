import { beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { pacificDays } from '../../networks/graph/account.ts'
import { addDays } from '../../publishing/scheduler/rules.ts'
import { DAY, useFigures } from '../../../test/figures.ts'
import { long } from '../../../test/tier.ts'
import { addFault, call, type Problem } from '../../../test/world.ts'
import type { AccountGap } from './rules.ts'

const { sql, sandbox, person, pass, sync, connected, readOnlyPosts, atNine, daysOf, now, calls } = useFigures(5600)

const gapsOf = async ({ id }: SocialAccount) =>
  (await sql.query<{ gaps: AccountGap[] }>('select gaps from account_sync where account_id = $1', [id])).rows[0]!.gaps

const forget = ({ id }: SocialAccount, day: string) =>
  sql.query('update account_metric set impressions = null where account_id = $1 and day = $2', [id, day])

/** Lets a day pass and reads the account. Returns how many calls that took. */
async function nextDay(account: SocialAccount): Promise<number> {
  await pass(DAY)
  await sql.query('delete from network_call')
  await sync(account)
  return calls(account)
}

test.runIf(long)('a missing day is requested again, and filled', async () => {
  const page = await connected('NET_PAGE')
  await atNine()
  await sync(page)
  expect(await gapsOf(page)).toEqual([])
  const day = addDays(pacificDays.at(await now()), -40)
  const before = (await daysOf(page)).find((row) => row.day === day)!
  await forget(page, day)
  // The one call for the days begins earlier, so the missing day costs no call.
  expect(await nextDay(page)).toBe(3 + 1)
  expect((await daysOf(page)).find((row) => row.day === day)!.impressions).toBe(before.impressions)
  expect(await gapsOf(page)).toEqual([])
})

test.runIf(long)('a day that the network does not report is a gap, and is requested three more times', async () => {
  const photo = await connected('NET_PHOTO')
  await atNine()
  await sync(photo)
  const today = pacificDays.at(await now())
  // Followers are known only for the present, and each single total takes a call, so neither was requested.
  const first = await gapsOf(photo)
  expect(first.map(({ reason, tries }) => [reason, tries])).toEqual(first.map(() => ['not_read', 0]))
  expect(first.filter(({ metric }) => metric === 'reach')).toEqual([])
  expect(first.filter(({ metric }) => metric === 'impressions')).toHaveLength(87)
  expect(await nextDay(photo)).toBe(3 + 3 + 1)

  await call(sandbox.url, 'POST', '/metrics', { gone: ['views'] })
  await sql.query(`update account_metric set impressions = null where account_id = $1 and day = $2`, [
    photo.id,
    addDays(today, -3),
  ])
  const made: number[] = []
  for (let night = 0; night < 5; night += 1) made.push(await nextDay(photo))
  const gap = (await gapsOf(photo)).find(({ day, metric }) => day === addDays(today, -3) && metric === 'impressions')
  expect(gap).toEqual({ day: addDays(today, -3), metric: 'impressions', reason: 'not_told', tries: 3 })
  // Days that have become gaps since are requested too, but none of them forever.
  const again = await nextDay(photo)
  expect(again).toBeLessThanOrEqual(3 + 3 + 1 + 3)
  expect(made.at(-1)).toBeLessThanOrEqual(3 + 3 + 1 + 4)
})

test('days on which the network failed are read when it answers again', async () => {
  const page = await connected('NET_PAGE')
  await atNine()
  await sync(page)
  await pass(6 * DAY)
  await addFault(sandbox.url, { match: { method: 'GET', path: '/insights' }, do: { status: 503 }, times: 1 })
  await sync(page)
  const failed = await gapsOf(page)
  expect(failed.length).toBeGreaterThan(0)
  expect(failed.every(({ reason, tries }) => reason === 'network_error' && tries === 0)).toBe(true)
  await sync(page)
  expect(await gapsOf(page)).toEqual([])
  const days = (await daysOf(page)).map(({ day }) => day)
  const until = addDays(pacificDays.at(await now()), -3)
  for (let day = days[0]!; day <= until; day = addDays(day, 1)) expect(days).toContain(day)
})

describe('a manual reading', () => {
  const byHand = (account: Pick<SocialAccount, 'id'>) =>
    person().call<Problem & { accountId: string; nextAt: string }>('POST', '/analytics/sync', { accountId: account.id })
  let page: SocialAccount

  beforeAll(async () => {
    page = await connected('NET_PAGE')
  })

  test('runs immediately, and at most once in 15 minutes', async () => {
    await sync(page)
    const day = addDays(pacificDays.at(await now()), -40)
    await forget(page, day)
    const answer = await byHand(page)
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ accountId: page.id, nextAt: expect.any(String) })
    await expect
      .poll(async () => (await daysOf(page)).find((row) => row.day === day)!.impressions, { timeout: 30_000 })
      .not.toBeNull()
    const early = await byHand(page)
    expect([early.status, early.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(800)
    await sql.query(`update account_sync set by_hand_at = by_hand_at - interval '15 minutes' where account_id = $1`, [
      page.id,
    ])
    expect((await byHand(page)).status).toBe(202)
  })

  test.runIf(long)('during an unfinished first search lets the search continue where it stopped', async () => {
    // The reading of the test before may still run.
    const fresh = await connected('NET_PAGE')
    // As if a process were reading the account now, so that nothing else continues the search.
    await sql.query(
      `insert into account_sync (workspace_id, account_id, found_after, lease_until) select workspace_id, id, 'cursor', 'infinity'
        from social_account where id = $1
        on conflict (workspace_id, account_id) do update set found_at = null, days_at = null, found_after = 'cursor',
          lease_until = 'infinity'`,
      [fresh.id],
    )
    expect((await byHand(fresh)).status).toBe(202)
    const { rows } = await sql.query(
      `select found_at, days_at, found_after, next_at <= app_now() as "isDue" from account_sync where account_id = $1`,
      [fresh.id],
    )
    expect(rows).toEqual([{ found_at: null, days_at: null, found_after: 'cursor', isDue: true }])
  })

  test('is refused for an account that is not connected', async () => {
    await readOnlyPosts(page)
    const ends = {
      RECONNECT_NEEDED: () =>
        sql.query(`update social_account set status = 'RECONNECT_NEEDED' where id = $1`, [page.id]),
      DISCONNECTED: () => person().must('DELETE', `/social-accounts/${page.id}`),
    }
    for (const [current, end] of Object.entries(ends)) {
      await end()
      const answer = await byHand(page)
      expect(answer).toMatchObject({ status: 409, body: { code: 'invalid_state', current, allowed: ['CONNECTED'] } })
    }
    expect((await byHand({ id: person().workspaceId })).status).toBe(404)
  })
})
