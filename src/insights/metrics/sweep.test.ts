import { expect, test } from 'vitest'
import { HOUR, useFigures } from '../../../test/figures.ts'
import { addJob } from '../../../test/jobs.ts'
import { eventually } from '../../../test/world.ts'

const { sql, person, pass, sync, metricsOf, open, waitOf, calls } = useFigures(5700)

const sweep = async () => {
  await addJob(sql, 'analytics-sync', {}, { workspaceId: person().workspaceId })
}

/** Waits until every reading job has ended or is scheduled for later. */
const swept = () =>
  eventually(async () => {
    const { rowCount } = await sql.query(
      `select from graphile_worker.jobs where task_identifier = 'analytics-sync' and (run_at <= now() or locked_at is not null)`,
    )
    return rowCount === 0
  })

test('the sweep finds accounts with a new live post and accounts that are due', async () => {
  const { account, publish } = await open('NET_PAGE')
  const post = await publish()
  await sweep()
  await eventually(async () => (await metricsOf(post)).posts.length === 1)
  await pass(HOUR)
  await sweep()
  await eventually(async () => (await metricsOf(post)).data.length === 1)
  expect(account.id).toBe((await metricsOf(post)).posts[0]!.accountId)
})

test('the sweep finds an account whose first reading ended with its process', async () => {
  const { account } = await open('NET_PAGE')
  await sync(account)
  await sql.query(
    `update account_sync set next_at = null, lease_until = app_now() - interval '1 second' where account_id = $1`,
    [account.id],
  )
  await sql.query('delete from graphile_worker._private_jobs where key = $1', [`sync:${account.id}`])
  await addJob(sql, 'analytics-sync', {})
  await eventually(async () => (await waitOf(account)) !== null)
})

test('an account of a deleted workspace is not read', async () => {
  const { account, publish } = await open('NET_PAGE')
  await publish()
  await sync(account)
  await pass(HOUR)
  await sql.query(`update workspace set deleted_at = app_now() where id = $1`, [person().workspaceId])
  try {
    await sql.query('delete from network_call')
    await sweep()
    await addJob(
      sql,
      'analytics-sync',
      { accountId: account.id },
      { workspaceId: person().workspaceId, key: `sync:${account.id}` },
    )
    await swept()
    expect(await calls(account)).toBe(0)
  } finally {
    await sql.query(`update workspace set deleted_at = null where id = $1`, [person().workspaceId])
  }
})

test('readings that begin a month at the same time share one partition', async () => {
  const begun = await Promise.allSettled(
    Array.from({ length: 8 }, () =>
      sql.query(`select post_metric_month((app_now() - interval '20 months')::date), pg_sleep(0.1)`),
    ),
  )
  expect(begun.filter(({ status }) => status === 'rejected')).toEqual([])
})

test('the figures of months that ended more than 25 months ago are dropped, and no others', async () => {
  const months = async () => {
    const { rows } = await sql.query<{ name: string }>(
      `select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid
        where inhparent = 'post_metric'::regclass order by 1`,
    )
    return rows.map(({ name }) => name)
  }
  const partition = async (monthsAgo: number) => {
    const { rows } = await sql.query<{ month: string; name: string }>(
      `select month::date::text as month, 'post_metric_' || to_char(month, 'YYYY_MM') as name
        from date_trunc('month', app_now() - make_interval(months => $1)) month`,
      [monthsAgo],
    )
    const { month, name } = rows[0]!
    await sql.query(
      `create table ${name} partition of post_metric for values from ('${month}') to ('${month}'::date + interval '1 month')`,
    )
    return name
  }
  const [old, kept] = [await partition(27), await partition(24)]
  expect(await months()).toEqual(expect.arrayContaining([old, kept]))
  await sweep()
  await swept()
  expect(await months()).toContain(kept)
  expect(await months()).not.toContain(old)
})
