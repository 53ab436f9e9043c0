import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type OwnDatabase } from '../../test/scopes.ts'
import { tappedLine } from '../../test/killable.ts'
import { sized } from '../../test/tier.ts'
import { eventually } from '../../test/world.ts'
import { type CallBudget, createCallBudget } from './budget.ts'
import { createClock } from '../core/platform/clock.ts'
import { openPool } from '../core/platform/db.ts'
import { createLog } from '../core/platform/log.ts'
import { createScopes, type Scopes } from '../core/platform/scope.ts'
import { drivers } from '../../test/drivers.ts'
import { postDriver } from '../publishing/sending/post.ts'
import { enqueueTargets, writeIntents } from './deliveries.ts'
import { settleAlone } from './settle.ts'
import type { Claimed } from './driver.ts'
import { claim, othersOn, postpone, sweep } from './queue.ts'
import { subscribers } from '../subscribers.ts'

let database: OwnDatabase
let sql: OwnDatabase['sql']
let pool: OwnDatabase['pool']
let scopes: Scopes
let budget: CallBudget
const log = createLog('silent')

beforeAll(async () => {
  database = await openDatabase({ connections: 10, subscribers })
  ;({ sql, pool, scopes } = database)
  budget = createCallBudget({ scopes, log }, 200)
})

afterAll(() => database?.close())

const somebody = (): string => randomUUID()

/** A workspace with one account per target, and posts that became due `ago` milliseconds ago. */
async function workspaceWith(
  posts: number,
  { ago = 1000, networkUser = somebody(), targets = 1 } = {},
): Promise<string> {
  const workspace = randomUUID()
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspace])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
     select $1, gen_random_uuid(), 'NET_PAGE', 'page-' || n, $2, 'page', 'CONNECTED', now() from generate_series(1, $3) n`,
    [workspace, networkUser, targets],
  )
  await sql.query(
    `with made as (
       insert into post (workspace_id, id, caption, status, scheduled_at)
       select $1, gen_random_uuid(), 'text ' || n, 'SCHEDULED', now() - make_interval(secs => $3::float8 / 1000)
       from generate_series(1, $2) n returning workspace_id, id, scheduled_at)
     insert into publication (workspace_id, id, post_id, account_id, position, due_at, next_at)
     select m.workspace_id, gen_random_uuid(), m.id, a.id, a.rank, m.scheduled_at, case when a.rank = 0 then m.scheduled_at end
     from made m join (select workspace_id, id, (row_number() over (partition by workspace_id order by id) - 1)::int as rank from social_account) a
       on a.workspace_id = m.workspace_id`,
    [workspace, posts, ago],
  )
  return workspace
}

async function sweepAll(): Promise<void> {
  while ((await sweep(scopes, drivers.schedule)).full);
}

const clear = async () => {
  await sql.query('truncate delivery, post_media, post, thread, network_call, network_user cascade')
}

describe('turns', () => {
  test('a workspace with 9,000 due posts does not make 99 others with 10 wait behind it, even with statistics of one post', async () => {
    // The statistics of a young database when thousands of posts become due together. A sweep planned by these alone
    // took too long.
    await clear()
    await workspaceWith(1)
    await sql.query('analyze delivery, post, social_account, workspace')
    await clear()
    const big = await workspaceWith(9000, { ago: 5000 })
    for (let i = 0; i < 99; i += 1) await workspaceWith(10, { ago: 1000 })
    await sweepAll()
    const { rows } = await sql.query<{ big: boolean }>(
      'select workspace_id = $1 as big from publication where turn is not null order by turn',
      [big],
    )
    expect(rows).toHaveLength(9990)
    const lastSmall = rows.map((row) => row.big).lastIndexOf(false) + 1
    // The 990 posts of the small ones, ten of the big one, and those whose turns came while the sweeps were still
    // running.
    expect(lastSmall).toBeLessThanOrEqual(2000)
  })

  test('only one target of a post has a turn, and the next one has none while a worker holds it', async () => {
    await clear()
    await workspaceWith(5, { targets: 3 })
    await sweepAll()
    const { rows } = await sql.query<{ turns: string }>(
      'select count(turn) as turns from publication group by post_id having count(turn) <> 1',
    )
    expect(rows).toEqual([])
    const claimed = await claim(scopes, drivers, { slots: 100, filesUrl: 'http://x', timeScale: 1 })
    expect(claimed).toHaveLength(5)
    await sql.query('update publication set next_at = now() where next_at is null')
    await sweepAll()
    expect((await claim(scopes, drivers, { slots: 100, filesUrl: 'http://x', timeScale: 1 })).length).toBe(0)
  })

  test('two workers never hold the same row, and the row of a dead one is claimed again after its lease', async () => {
    await clear()
    await workspaceWith(400)
    await sweepAll()
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claim(scopes, drivers, { slots: 50, filesUrl: 'http://x', timeScale: 1 })),
    )
    const ids = claims.flat().map((row) => row.id)
    expect([ids.length, new Set(ids).size]).toEqual([400, 400])
    await sweepAll()
    expect((await claim(scopes, drivers, { slots: 100, filesUrl: 'http://x', timeScale: 1 })).length).toBe(0)
    // Only time passes: what the claim wrote is enough to bring the rows back.
    await sql.query(`update app_clock set shift = interval '61 seconds'`)
    try {
      await sweepAll()
      const again = await claim(scopes, drivers, { slots: 500, filesUrl: 'http://x', timeScale: 1 })
      expect(again).toHaveLength(400)
      expect(Math.min(...again.map((row) => row.fence))).toBe(2)
    } finally {
      await sql.query(`update app_clock set shift = interval '0'`)
    }
  })

  test('a claim skips a locked row, and a later claim takes it', async () => {
    await clear()
    await workspaceWith(3)
    await sweepAll()
    const other = await pool.connect()
    try {
      await other.query('begin')
      const { rows } = await other.query<{ id: string }>('select id from publication order by turn limit 1 for update')
      const free = (await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })).map(
        (row) => row.id,
      )
      expect([free.length, free.includes(rows[0]!.id)]).toEqual([2, false])
      await other.query('rollback')
      expect(
        (await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })).map((row) => row.id),
      ).toEqual([rows[0]!.id])
    } finally {
      await other.query('rollback')
      other.release()
    }
  })

  test('an intent is written once, under its fence, and not for a held target', async () => {
    await clear()
    const workspace = await workspaceWith(3)
    await sweepAll()
    const rows = await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })
    const intents = rows.map(({ workspaceId, id, fence }) => ({
      workspaceId,
      id,
      fence,
      composed: 'hash',
      sent: { text: 'x', media: [] },
      networkAt: null,
    }))
    const [first, second, third] = intents
    if (!first || !second || !third) throw new Error('not claimed')
    const foreign = { ...second, fence: second.fence + 1 }
    expect(await writeIntents(scopes, [first, foreign], 1)).toEqual([true, false])
    expect(await writeIntents(scopes, [first, second], 1)).toEqual([false, true])
    await sql.query('update social_account set paused_at = now() where workspace_id = $1', [workspace])
    expect(await writeIntents(scopes, [third], 1)).toEqual([false])
  })

  test('an intent keeps handles that were prepared for its content, and drops others', async () => {
    await clear()
    const workspace = await workspaceWith(2)
    await sql.query(`update publication set composed = 'hash', handles = '{"photos": {}}' where workspace_id = $1`, [
      workspace,
    ])
    await sweepAll()
    const rows = await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })
    const intents = rows.map(({ workspaceId, id, fence }, i) => ({
      workspaceId,
      id,
      fence,
      composed: i === 0 ? 'hash' : 'another',
      sent: { text: 'x', media: [] },
      networkAt: null,
    }))
    expect(await writeIntents(scopes, intents, 1)).toEqual([true, true])
    const { rows: kept } = await sql.query<{ id: string; handles: object }>(
      'select id, handles from publication where workspace_id = $1',
      [workspace],
    )
    expect(intents.map(({ id }) => kept.find((each) => each.id === id)?.handles)).toEqual([{ photos: {} }, {}])
  })

  test('another target of unknown outcome counts, whatever the white space in its text', async () => {
    await clear()
    await workspaceWith(2)
    await sweepAll()
    const rows = await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })
    const texts = ['The same  words ', 'The same words']
    const intents = rows.map(({ workspaceId, id, fence }, i) => ({
      workspaceId,
      id,
      fence,
      composed: 'hash',
      sent: { text: texts[i] as string, media: [] },
      networkAt: null,
    }))
    await writeIntents(scopes, intents, 1)
    const [first, second] = rows
    const outcomeUnknown = {
      ...(first as Claimed),
      sent: { text: 'The same  words ', media: [] },
      intentAt: new Date(),
    }
    expect((await othersOn(scopes, outcomeUnknown, ['77_1'])).withoutId.map(({ id }) => id)).toEqual([second?.id])
  })

  test('settling checks the state too: an equal fence does not end a delivery that was sent since', async () => {
    await clear()
    await workspaceWith(1)
    await sweepAll()
    const [row] = await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })
    if (!row) throw new Error('not claimed')
    const { workspaceId, id, fence } = row
    await writeIntents(
      scopes,
      [{ workspaceId, id, fence, composed: 'hash', sent: { text: 'x', media: [] }, networkAt: null }],
      1,
    )
    const scope = scopes.scope(workspaceId, { kind: 'system', name: 'publisher' })
    const wait = { state: 'PENDING', nextAt: new Date(), waitReason: null } as const
    expect(await settleAlone(scope, postDriver, row, wait)).toBe('lost')
    expect(await settleAlone(scope, postDriver, { ...row, state: 'SUBMITTING', fence: fence - 1 }, wait)).toBe('lost')
    expect(await settleAlone(scope, postDriver, { ...row, state: 'SUBMITTING' }, wait)).toBe('settled')
  })

  test('a target that would wait for its account is due now if the account came back in between', async () => {
    await clear()
    const workspaces = [await workspaceWith(1), await workspaceWith(1)]
    await sweepAll()
    const rows = await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })
    // The first account is paused, as its worker knew. The second was resumed, and its wake-up came before the wait.
    await sql.query('update social_account set paused_at = now() where workspace_id = $1', [workspaces[0]])
    const nextAt = new Date(Date.now() + 3_600_000)
    for (const row of rows) {
      const scope = scopes.scope(row.workspaceId, { kind: 'system', name: 'publisher' })
      await settleAlone(scope, postDriver, row, { state: 'PENDING', nextAt, waitReason: 'account_paused' })
    }
    const found = await sql.query(
      'select next_at <= now() as due, wait_reason from publication order by workspace_id = $1 desc',
      [workspaces[0]],
    )
    expect(found.rows).toEqual([
      { due: false, wait_reason: 'account_paused' },
      { due: true, wait_reason: null },
    ])
  })

  test('a paused workspace keeps its posts SCHEDULED, however many, and does not delay others', async () => {
    await clear()
    const paused = await workspaceWith(2500, { ago: 10_000 })
    await sql.query('update workspace set publishing_paused_at = now() where id = $1', [paused])
    await workspaceWith(3)
    const swept = await sweep(scopes, drivers.schedule)
    expect(swept.started).toHaveLength(3)
    await sql.query('update workspace set publishing_paused_at = null where id = $1', [paused])
    await sweepAll()
    expect((await sql.query("select from post where status = 'SCHEDULED'")).rows).toHaveLength(0)
  })

  test('an overdue post of a paused workspace costs a sweep no large statement', async () => {
    await clear()
    const paused = await workspaceWith(1)
    await sql.query('update workspace set publishing_paused_at = now() where id = $1', [paused])
    let large = 0
    const line = await tappedLine(database.url, (packet) => {
      if (packet.includes('judged_posts')) large += 1
    })
    const tapped = openPool(line.url, 1, (error) => console.error(error))
    try {
      const parts = { pool: tapped, events: { publish() {} }, clock: createClock(), log, subscribers }
      const sweepOnce = () => sweep(createScopes(parts), drivers.schedule)
      await sweepOnce()
      expect(large).toBe(0)
      await sql.query('update workspace set publishing_paused_at = null where id = $1', [paused])
      expect((await sweepOnce()).started).toHaveLength(1)
      expect(large).toBe(1)
    } finally {
      await tapped.end()
      await line.close()
    }
  })

  test('a sweep reports whether there is something to claim, whichever sweep gave the turn', async () => {
    await clear()
    await workspaceWith(1, { ago: -3_600_000 })
    expect((await sweep(scopes, drivers.schedule)).turns).toBe(false)
    await workspaceWith(1)
    expect((await sweep(scopes, drivers.schedule)).turns).toBe(true)
    expect((await sweep(scopes, drivers.schedule)).turns).toBe(true)
    await claim(scopes, drivers, { slots: 10, filesUrl: '', timeScale: 1 })
    expect((await sweep(scopes, drivers.schedule)).turns).toBe(false)
  })

  test('sweep and claim use their indexes: their cost does not grow with the number of waiting rows', async () => {
    await clear()
    await workspaceWith(20_000, { ago: -3_600_000 })
    await workspaceWith(20)
    await sql.query('analyze delivery; analyze post')
    await sweepAll()
    const claimed = await claim(scopes, drivers, { slots: 100, filesUrl: 'http://x', timeScale: 1 })
    expect(claimed).toHaveLength(20)
    const { rows } = await sql.query<{ 'QUERY PLAN': string }>(
      `explain select id from publication where turn is null and next_at <= now() and state in ('PENDING', 'PREPARING', 'SUBMITTING')
       order by next_at limit 1000`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('delivery_due')
  })
})

describe('calls on behalf of one person', () => {
  const who = { app: 'graph', userKey: 'somebody' }
  const tired = { networkUser: 'tired', platforms: ['NET_PAGE'], callsPerHour: 200 }

  test('never exceed 200 in any hour, however many are requested together, and a tenth is kept for finishing', async () => {
    await clear()
    const asked = await Promise.all(Array.from({ length: 300 }, () => budget.reserve(who, 1, 'begin', 'NET_PAGE')))
    expect(asked.filter((each) => 'reservation' in each)).toHaveLength(180)
    const finishing = await Promise.all(Array.from({ length: 40 }, () => budget.reserve(who, 1, 'finish', 'NET_PAGE')))
    expect(finishing.filter((each) => 'reservation' in each)).toHaveLength(20)
    const refused = await budget.reserve(who, 1, 'finish', 'NET_PAGE')
    expect('until' in refused && refused.until.getTime()).toBeGreaterThan(Date.now() + 58 * 60_000)
  })

  test('each class leaves its share to the classes above it, so the lowest class is refused first', async () => {
    await clear()
    const person = { ...who, userKey: 'busy' }
    const classes = ['metric_read', 'conversation_read', 'bot_reply', 'reply', 'begin', 'finish'] as const
    const granted: number[] = []
    for (const each of classes) {
      const asked = await Promise.all(Array.from({ length: 120 }, () => budget.reserve(person, 1, each, 'NET_PAGE')))
      granted.push(asked.filter((one) => 'reservation' in one).length)
    }
    expect(granted).toEqual([80, 20, 20, 40, 20, 20])
  })

  test('are limited by the setting, on networks that count calls', async () => {
    await clear()
    const small = createCallBudget({ scopes, log }, 50)
    expect([small.limit('NET_PAGE'), small.limit('NET_PHOTO'), small.limit('NET_VIDEO')]).toEqual([50, 50, null])
    const asked = await Promise.all(
      (['NET_PAGE', 'NET_VIDEO'] as const).map((network) =>
        Promise.all(
          Array.from({ length: 60 }, () => small.reserve({ ...who, userKey: 'small' }, 1, 'finish', network)),
        ),
      ),
    )
    expect(asked.map((all) => all.filter((each) => 'reservation' in each).length)).toEqual([50, 60])
  })

  test('count together for all accounts of the person on the networks of one application', async () => {
    await clear()
    const person = { ...who, userKey: 'both' }
    const asked = await Promise.all(
      (['NET_PAGE', 'NET_PHOTO', 'NET_PAGE'] as const).map((network) =>
        Promise.all(Array.from({ length: 80 }, () => budget.reserve(person, 1, 'finish', network))),
      ),
    )
    expect(asked.flat().filter((each) => 'reservation' in each)).toHaveLength(200)
    expect((await budget.counted(person)).calls).toBe(200)
  })

  test('count for an hour and the rest of their minute', async () => {
    const person = { ...who, userKey: 'patient' }
    const isGranted = async (calls: number) =>
      'reservation' in (await budget.reserve(person, calls, 'finish', 'NET_PAGE'))
    const moveBack = (minutes: number) =>
      sql.query(
        `update network_call set minute = date_trunc('minute', app_now()) - make_interval(mins => $2)
         where user_key = $1 and minute < date_trunc('minute', app_now())`,
        [person.userKey, minutes],
      )
    expect(await isGranted(180)).toBe(true)
    // The first seconds of the next minute, so that the minute does not end during the test.
    await sql.query(`update app_clock set shift = date_trunc('minute', now()) + interval '65 seconds' - now()`)
    try {
      await moveBack(60)
      expect(await isGranted(21)).toBe(false)
      expect(await isGranted(20)).toBe(true)
      await moveBack(61)
      expect(await isGranted(180)).toBe(true)
      expect(await isGranted(1)).toBe(false)
    } finally {
      await sql.query(`update app_clock set shift = interval '0'`)
    }
  })

  test('are reserved by one process after another', async () => {
    const person = { ...who, userKey: 'wanted' }
    expect('reservation' in (await budget.reserve(person, 1, 'begin', 'NET_PAGE'))).toBe(true)
    const holder = await pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select from network_user where user_key = $1 for update', [person.userKey])
      // Each process reserves separately. Within a process, concurrent requests share a statement.
      const asked = [budget, createCallBudget({ scopes, log }, 200)].map((each) =>
        each.reserve(person, 100, 'begin', 'NET_PAGE'),
      )
      await eventually(async () => {
        const { rowCount } = await sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rowCount === 2
      }, 10_000)
      await holder.query('commit')
      expect((await Promise.all(asked)).filter((each) => 'reservation' in each)).toHaveLength(1)
    } finally {
      holder.release(true)
    }
  })

  test('count separately from those of another person', async () => {
    expect('reservation' in (await budget.reserve({ ...who, userKey: 'another' }, 10, 'begin', 'NET_PAGE'))).toBe(true)
  })

  test('cannot exceed the reservation', async () => {
    const reserved = await budget.reserve({ ...who, userKey: 'third' }, 2, 'begin', 'NET_PAGE')
    if (!('reservation' in reserved)) throw new Error('refused')
    reserved.reservation.take()
    reserved.reservation.take()
    expect(() => reserved.reservation.take()).toThrow('more than the 2 calls')
  })

  test('are released if they were reserved but not made', async () => {
    const person = { ...who, userKey: 'saver' }
    const reserved = await budget.reserve(person, 180, 'begin', 'NET_PAGE')
    if (!('reservation' in reserved)) throw new Error('refused')
    reserved.reservation.take()
    expect('until' in (await budget.reserve(person, 1, 'begin', 'NET_PAGE'))).toBe(true)
    await reserved.release()
    const rest = await Promise.all(Array.from({ length: 200 }, () => budget.reserve(person, 1, 'begin', 'NET_PAGE')))
    expect(rest.filter((each) => 'reservation' in each)).toHaveLength(179)
  })

  test('stay counted if they cannot be given back, and the count of the network still applies', async () => {
    const person = { ...who, userKey: 'unlucky' }
    const reserved = await budget.reserve(person, 2, 'begin', 'NET_PAGE')
    if (!('reservation' in reserved)) throw new Error('refused')
    reserved.reservation.report({ percent: 99 })
    await sql.query(`create function refuse_change() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refused before update on network_call for each row execute function refuse_change()`)
    try {
      await reserved.release()
    } finally {
      await sql.query('drop trigger refused on network_call; drop function refuse_change()')
    }
    expect(await budget.counted(person)).toEqual({ calls: 2, blockedUntil: expect.any(Date) as Date })
  })

  test('are released without an error if the count of the network cannot be applied', async () => {
    const person = { ...who, userKey: 'unlucky too' }
    const reserved = await budget.reserve(person, 2, 'begin', 'NET_PAGE')
    if (!('reservation' in reserved)) throw new Error('refused')
    reserved.reservation.report({ percent: 99 })
    await sql.query('alter table network_user rename column usage_limit to away')
    try {
      await reserved.release()
    } finally {
      await sql.query('alter table network_user rename column away to usage_limit')
    }
    expect(await budget.counted(person)).toEqual({ calls: 0, blockedUntil: null })
  })

  test('count beyond the limit if they were made already', async () => {
    const person = { ...who, userKey: 'new' }
    await budget.count(person, 5, 'NET_PAGE')
    expect('reservation' in (await budget.reserve(person, 195, 'finish', 'NET_PAGE'))).toBe(true)
    await budget.count(person, 5, 'NET_PAGE')
    expect(await budget.counted(person)).toMatchObject({ calls: 205 })
    expect('until' in (await budget.reserve(person, 1, 'finish', 'NET_PAGE'))).toBe(true)
    await budget.count({ ...person, app: 'video' }, 5, 'NET_VIDEO')
    expect(await budget.counted({ ...person, app: 'video' })).toMatchObject({ calls: 0 })
  })

  test('slow down when the network counts more than we do, and stop for as long as it asks', async () => {
    const person = { ...who, userKey: 'busy' }
    const slow = await budget.reserve(person, 1, 'begin', 'NET_PAGE')
    if (!('reservation' in slow)) throw new Error('refused')
    slow.reservation.take()
    slow.reservation.report({ percent: 90 })
    await slow.release()
    const asked = await Promise.all(Array.from({ length: 200 }, () => budget.reserve(person, 1, 'begin', 'NET_PAGE')))
    expect(asked.filter((each) => 'reservation' in each)).toHaveLength(79)
    const full = { ...who, userKey: 'full' }
    const last = await budget.reserve(full, 1, 'begin', 'NET_PAGE')
    if (!('reservation' in last)) throw new Error('refused')
    last.reservation.take()
    last.reservation.report({ percent: 99, regainMs: 20 * 60_000 })
    await last.release()
    const refused = await budget.reserve(full, 1, 'finish', 'NET_PAGE')
    expect('until' in refused && Math.round((refused.until.getTime() - Date.now()) / 60_000)).toBe(20)
  })

  test('thousands of posts of a person without free calls wake one by one', async () => {
    await clear()
    const count = sized(2_000, 9_000)
    await workspaceWith(count, { networkUser: 'tired' })
    await sweepAll()
    const until = new Date(Date.now() + 3_600_000)
    await postpone(scopes, drivers, { ...tired, refused: 'begin', until })
    const { rows } = await sql.query<{ rows: string; most: string; waiting: string; turns: string }>(
      `select count(*) as rows, max(n) as most, (select count(*) from publication where wait_reason = 'limit') as waiting,
         (select count(turn) from publication) as turns
       from (select count(*) as n from publication group by date_trunc('minute', next_at)) minutes`,
    )
    expect(Number(rows[0]?.waiting)).toBe(count)
    expect(Number(rows[0]?.turns)).toBe(0)
    expect(Number(rows[0]?.most)).toBeLessThanOrEqual(4)
  })

  test('when a target is postponed, its sibling of another person goes first', async () => {
    await clear()
    const workspace = await workspaceWith(1, { networkUser: 'tired', targets: 2 })
    await sql.query(
      `update social_account set network_user = 'fresh' where workspace_id = $1 and id =
        (select account_id from publication where workspace_id = $1 order by position desc limit 1)`,
      [workspace],
    )
    await sweepAll()
    const until = new Date(Date.now() + 3_600_000)
    await postpone(scopes, drivers, { ...tired, refused: 'begin', until })
    await sweepAll()
    const claimed = await claim(scopes, drivers, { slots: 10, filesUrl: 'http://x', timeScale: 1 })
    expect(claimed.map((row) => row.networkUser)).toEqual(['fresh'])
  })

  test('if the next target is stopped just as the first is postponed, the one after it goes first', async () => {
    await clear()
    await workspaceWith(1, { networkUser: 'tired', targets: 3 })
    await sweepAll()
    const person = await pool.connect()
    try {
      await person.query('begin')
      await person.query(`update delivery set state = 'FAILED', fence = fence + 1, error = '{"code": "stopped"}'
        where position = 1`)
      const until = new Date(Date.now() + 3_600_000)
      await postpone(scopes, drivers, { ...tired, refused: 'begin', until })
      await person.query('commit')
    } finally {
      await person.query('rollback')
      person.release()
    }
    const { rows } = await sql.query(
      'select state, wait_reason, next_at <= now() as due from delivery order by position',
    )
    expect(rows).toEqual([
      { state: 'PENDING', wait_reason: 'limit', due: false },
      { state: 'FAILED', wait_reason: null, due: null },
      { state: 'PENDING', wait_reason: null, due: true },
    ])
  })

  test('a refused reply of the bot postpones no reply of a person, and a refused reply no post', async () => {
    await clear()
    const workspace = await workspaceWith(1, { networkUser: 'tired' })
    await sql.query(
      `with t as materialized (
         select gen_random_uuid() as thread, gen_random_uuid() as message, source, a.id as account
         from unnest(array['BOT_AUTO', 'AGENT_MANUAL']) source, social_account a where a.workspace_id = $1
       ), thread as (
         insert into thread (workspace_id, id, account_id, kind, key, comments, comments_before, opened_at)
         select $1, thread, account, 'DM', thread::text, 0, 0, now() from t
       ), message as (
         insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at)
         select $1, message, thread, account, 'DM', 'OUT', source, 'hello', now() from t
       )
       insert into delivery (workspace_id, id, kind, thread_id, message_id, account_id, position, content, due_at, next_at)
       select $1, gen_random_uuid(), 'dm', thread, message, account, 0, '{}', now(), now() from t`,
      [workspace],
    )
    await sweepAll()
    const until = new Date(Date.now() + 3_600_000)
    const ready: string[][] = []
    for (const refused of ['metric_read', 'bot_reply', 'reply', 'begin'] as const) {
      await postpone(scopes, drivers, { ...tired, refused, until })
      const { rows } = await sql.query<{ what: string }>(
        `select coalesce(m.source, 'POST') as what from delivery d left join message m on m.id = d.message_id
         where d.turn is not null order by 1`,
      )
      ready.push(rows.map(({ what }) => what))
    }
    expect(ready).toEqual([['AGENT_MANUAL', 'BOT_AUTO', 'POST'], ['AGENT_MANUAL', 'POST'], ['POST'], []])
  })
})

test('an answer of a network pauses its calls for a day at most, whatever wait it states', async () => {
  const who = { app: 'graph', userKey: somebody() }
  const reserved = await budget.reserve(who, 1, 'begin', 'NET_PAGE')
  if ('until' in reserved) throw new Error('There were calls left.')
  reserved.reservation.report({ percent: 100, regainMs: 1e300 })
  await reserved.release()
  const { blockedUntil } = await budget.counted(who)
  expect(blockedUntil!.getTime() - Date.now()).toBeGreaterThan(3_600_000)
  expect(blockedUntil!.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000 + 10_000)
})

test('only targets of the post itself are sent again, and one that cannot be is an error', async () => {
  await clear()
  const workspace = await workspaceWith(1, { targets: 2 })
  await sql.query(`update delivery set state = 'FAILED', next_at = null, due_at = null`)
  await sql.query(
    `insert into delivery (workspace_id, id, kind, post_id, account_id, position, after_id, content, state)
     select workspace_id, gen_random_uuid(), 'comment', post_id, account_id, position, id, '{"text": "first"}', 'FAILED'
     from delivery`,
  )
  const { rows } = await sql.query<{ id: string; kind: string; post: string }>(
    'select id, kind, post_id as post from delivery order by kind, position',
  )
  const ids = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id)
  const again = (only: string[]) =>
    scopes
      .scope(workspace, { kind: 'system', name: 'test' })
      .transaction((tx) => enqueueTargets(tx, rows[0]!.post, 'now', only))
  await expect(again([ids('post')[0]!, ids('comment')[0]!])).rejects.toMatchObject({ code: 'outcome_unknown' })
  await again(ids('post'))
  const { rows: after } = await sql.query('select kind, state from delivery order by kind, position')
  expect(after).toEqual([
    { kind: 'comment', state: 'FAILED' },
    { kind: 'comment', state: 'FAILED' },
    { kind: 'post', state: 'PENDING' },
    { kind: 'post', state: 'PENDING' },
  ])
})
