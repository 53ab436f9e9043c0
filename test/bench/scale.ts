import type pg from 'pg'
import { createClock } from '../../src/core/platform/clock.ts'
import { openPool } from '../../src/core/platform/db.ts'
import { createLog } from '../../src/core/platform/log.ts'
import { createScopes } from '../../src/core/platform/scope.ts'
import { claim, sweep } from '../../src/delivery/queue.ts'
import { drivers } from '../drivers.ts'
import type { Person } from '../world.ts'
import { percentile } from './fleet.ts'

// Measures the cost of a list, a month of the calendar and a claim as the data grows a hundredfold.

export interface Cost {
  list: number
  calendar: number
  claim: number
}

const LOOKED_AT = 200
const TRIES = 600
const DUE = 100

/**
 * Fills the database up to a number of workspaces with 100 posts each, a tenth of them scheduled. One person belongs to
 * some of the workspaces.
 */
export async function grow(direct: pg.Client, workspaces: number, person: Person): Promise<void> {
  const { rows } = await direct.query<{ count: number }>(`select count(*)::int from workspace where name = 'scale'`)
  const missing = workspaces - (rows[0]?.count ?? 0)
  const PORTION = 500
  for (let made = 0; made < missing; made += PORTION) {
    await direct.query(
      `with w as (
         insert into workspace (id, name, timezone) select gen_random_uuid(), 'scale', 'Europe/Berlin'
         from generate_series(1, $1::int) returning id
       ), s as (
         insert into subscription (workspace_id, plan_id, status) select id, 'business', 'active' from w
       ), a as (
         insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
         select id, gen_random_uuid(), 'NET_PAGE', 'page-' || id, 'user-' || id, 'A page', 'CONNECTED', now() from w
         returning workspace_id, id
       ), p as (
         insert into post (workspace_id, id, caption, hashtags, status, scheduled_at, published_at)
         select w.id, gen_random_uuid(), 'Post ' || n || ': autumn in a cup, every morning from seven.', '{coffee,autumn}',
           case when n % 10 = 0 then 'SCHEDULED' else 'PUBLISHED' end, case when n % 10 = 0 then now() + n * interval '1 day' end,
           case when n % 10 <> 0 then now() - n * interval '6 hours' end
         from w, generate_series(1, 100) n returning workspace_id, id, status, scheduled_at, published_at
       )
       insert into publication (workspace_id, id, post_id, account_id, position, state, due_at, next_at, published_at)
       select p.workspace_id, gen_random_uuid(), p.id, a.id, 0, case p.status when 'SCHEDULED' then 'PENDING' else 'PUBLISHED' end,
         p.scheduled_at, p.scheduled_at, p.published_at
       from p join a on a.workspace_id = p.workspace_id`,
      [Math.min(PORTION, missing - made)],
    )
  }
  await direct.query(
    `insert into member (workspace_id, user_id, role) select id, $1, 'OWNER' from
       (select id from workspace w where name = 'scale' and not exists (select from member m where m.workspace_id = w.id)
        order by md5(id::text) limit $2) chosen`,
    [person.session.user.id, LOOKED_AT],
  )
  await direct.query('vacuum analyze')
}

/** Returns the p99 of each in milliseconds. */
export async function measure(direct: pg.Client, databaseUrl: string, person: Person): Promise<Cost> {
  const { rows } = await direct.query<{ id: string }>(
    `select m.workspace_id as id from member m join workspace w on w.id = m.workspace_id
     where w.name = 'scale' and m.user_id = $1 order by m.workspace_id desc`,
    [person.session.user.id],
  )
  const from = new Date(Date.now() - 15 * 86_400_000).toISOString()
  const to = new Date(Date.now() + 15 * 86_400_000).toISOString()
  const timed = async (path: string): Promise<number> => {
    const times: number[] = []
    for (let i = -50; i < TRIES; i += 1) {
      const started = performance.now()
      await person.must('GET', path, undefined, { 'x-workspace-id': rows[(i + 50) % rows.length]!.id })
      if (i >= 0) times.push(performance.now() - started)
    }
    return percentile(times, 0.99)
  }
  const list = await timed('/posts?limit=50')
  const calendar = await timed(`/scheduler/calendar?from=${from}&to=${to}`)

  const pool = openPool(databaseUrl, 4, (error) => console.error(error.message), { prepare: true })
  const platform = createScopes({
    pool,
    events: { publish() {} },
    clock: createClock(),
    log: createLog('silent'),
    subscribers: [],
  })
  const times: number[] = []
  for (let i = -5; i < 60; i += 1) {
    await direct.query(
      `with due as (select workspace_id, id, post_id from publication where state = 'PENDING' and turn is null
         and next_at > now() order by md5(id::text || $2) limit $1), moved as (
         update post p set scheduled_at = now() - interval '1 second' from due d where p.workspace_id = d.workspace_id and p.id = d.post_id)
       update publication t set next_at = now() - interval '1 second', due_at = now() from due d
       where t.workspace_id = d.workspace_id and t.id = d.id`,
      [DUE, String(i)],
    )
    const started = performance.now()
    await sweep(platform, drivers.schedule)
    const claimed = await claim(platform, drivers, { slots: DUE, filesUrl: '', timeScale: 1 })
    if (i >= 0) times.push(performance.now() - started)
    if (claimed.length !== DUE) throw new Error(`${claimed.length} of ${DUE} were claimed`)
    // Reschedule the posts, so that each round finds as many as the previous one.
    await direct.query(
      `with back as (
         update publication set state = 'PENDING', turn = null, lease_until = null, due_at = now() + interval '20 days',
           next_at = now() + interval '20 days' where id = any ($1) returning workspace_id, post_id)
       update post p set status = 'SCHEDULED', scheduled_at = now() + interval '20 days' from back b
       where p.workspace_id = b.workspace_id and p.id = b.post_id`,
      [claimed.map((row) => row.id)],
    )
  }
  await pool.end()
  return { list, calendar, claim: percentile(times, 0.99) }
}
