import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { eventually } from '../../../test/world.ts'
import { AppError } from '../errors.ts'
import { createClock } from './clock.ts'
import { openPool, type Query, query, sql as raw } from './db.ts'
import { type Events, openEvents } from './events.ts'
import { createLog } from './log.ts'
import type { DomainEvent } from './record.ts'
import {
  createScopes,
  LastRefused,
  NO_WORKSPACE,
  ReadAtCommit,
  type Scope,
  type Scopes,
  on,
  type Subscribers,
  type Tx,
} from './scope.ts'

let database: TestDatabase
let sql: pg.Client
let pool: pg.Pool
let events: Events
let scopes: Scopes
const log = createLog('silent')
const clock = createClock()

beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query(`
    create table tally (id uuid primary key, count int not null default 0);
    grant select, insert, update on tally to parley_app;
    create function fail_with(code text) returns void language plpgsql as
      $$ begin raise exception using errcode = code, message = 'failed on purpose'; end $$`)
  pool = openPool(database.url, 5, () => undefined, { prepare: true })
  events = await openEvents(database.url, log)
  scopes = createScopes({ pool, events, clock, log, subscribers: [{ hints: { post: ['post', 'postId'] } }] })
})

afterAll(async () => {
  await events?.close()
  await pool?.end()
  await sql?.end()
  await database?.drop()
})

async function newScope(): Promise<Scope> {
  const id = randomUUID()
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'Bakery', 'UTC')`, [id])
  return scopes.scope(id, { kind: 'system', name: 'test' })
}

const GONE = { current: 'gone', allowed: [] }
const one = query<{ one: number }>`select 1 as one`
const fail = (code: string) => query`select fail_with(${code})`
const draft = (workspaceId: string, id = randomUUID()) =>
  query`insert into post (workspace_id, id, status) values (${workspaceId}, ${id}, 'DRAFT')`
const post = (id: string) => query<{ id: string }>`select id from post where id = ${id}`

async function rows<R extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<R[]> {
  return (await sql.query<R>(text, values)).rows
}
const savedPosts = (scope: Scope) => rows('select id from post where workspace_id = $1', scope.workspaceId)
const audits = (scope: Scope) => rows('select action from audit_entry where workspace_id = $1', scope.workspaceId)
const jobsOf = ({ workspaceId }: Scope) =>
  rows<{ payload: { workspaceId: string; data: unknown } }>(
    `select payload from graphile_worker._private_jobs where payload ->> 'workspaceId' = $1`,
    workspaceId,
  )

describe('a transaction', () => {
  test('delivers its rows, audit entries, jobs and events with the commit', async () => {
    const scope = await newScope()
    const heard: unknown[] = []
    const { close } = events.subscribe(scope.workspaceId, undefined, ({ event }) => heard.push(event))
    const accountId = randomUUID()
    const id = await scope.transaction(async (tx) => {
      const made = randomUUID()
      await tx.run(draft(tx.workspaceId, made))
      tx.record({ type: 'post.created', subject: { postId: made } })
      tx.record({ type: 'post.edited', subject: { postId: made } })
      tx.enqueue('flight-check', { accountId })
      tx.emit({ kind: 'post', id: made })
      expect(await audits(scope)).toEqual([])
      return made
    })
    expect(await savedPosts(scope)).toEqual([{ id }])
    expect(await audits(scope)).toEqual([{ action: 'post.created' }, { action: 'post.edited' }])
    expect(await jobsOf(scope)).toMatchObject([{ payload: { data: { accountId } } }])
    await eventually(async () => heard.length > 0)
    // One hint for the post, however many facts about it were recorded.
    expect(heard).toEqual([{ kind: 'post', id }])
    close()
  })

  test('that throws leaves no row, audit entry, job or event', async () => {
    const scope = await newScope()
    const heard: unknown[] = []
    const { close } = events.subscribe(scope.workspaceId, undefined, ({ event }) => heard.push(event))
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(tx.workspaceId))
      tx.record({ type: 'post.created', subject: { postId: 'rolled back' } })
      tx.enqueue('flight-check', { accountId: randomUUID() })
      tx.emit({ kind: 'post', id: 'rolled back' })
      throw new Error('changed my mind')
    })
    await expect(attempt).rejects.toThrow('changed my mind')
    await scope.transaction(async (tx) => tx.emit({ kind: 'post', id: 'committed' }))
    await eventually(async () => heard.length > 0)
    expect(heard).toEqual([{ kind: 'post', id: 'committed' }])
    expect(await savedPosts(scope)).toEqual([])
    expect(await audits(scope)).toEqual([])
    expect(await jobsOf(scope)).toEqual([])
    close()
  })

  test('whose statement failed cannot commit, even if the failure was caught', async () => {
    const scope = await newScope()
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(tx.workspaceId))
      await tx.run(fail('22012')).catch(() => undefined)
    })
    await expect(attempt).rejects.toMatchObject({ code: '22012' })
    expect(await savedPosts(scope)).toEqual([])
  })

  test('throws when it is used after its end', async () => {
    const scope = await newScope()
    const kept = await scope.transaction(async (tx) => {
      await tx.run(one)
      return [tx]
    })
    const tx = kept[0] as Tx
    await expect(tx.run(one)).rejects.toThrow('has ended')
    await expect(tx.one(one, 'not_found')).rejects.toThrow('has ended')
    expect(() => tx.enqueue('flight-check', { accountId: randomUUID() })).toThrow('has ended')
    expect(() => tx.emit({ kind: 'post', id: 'late' })).toThrow('has ended')
    expect(() => tx.record({ type: 'post.created', subject: {} })).toThrow('has ended')
  })

  test('with a forgotten await rolls back and throws', async () => {
    const scope = await newScope()
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(tx.workspaceId))
      void tx.run(one)
    })
    await expect(attempt).rejects.toThrow('an await is missing')
    expect(await savedPosts(scope)).toEqual([])
  })

  test('runs several reads at once, but refuses a write beside another statement', async () => {
    const scope = await newScope()
    const other = query<{ two: number }>`select 2 as two`
    const reads = await scope.transaction((tx) => Promise.all([tx.run(one), tx.run(other)]))
    expect(reads).toEqual([[{ one: 1 }], [{ two: 2 }]])

    const writes = [
      draft(scope.workspaceId),
      query`update post set caption = 'x' where status = 'DRAFT'`,
      query`update post p set caption = 'x' where p.status = 'DRAFT'`,
      query`delete from post_media where workspace_id = ${scope.workspaceId}`,
    ]
    for (const write of writes) {
      await expect(scope.transaction((tx) => Promise.all([tx.run(one), tx.run(write)]))).rejects.toThrow(
        'must run alone',
      )
      await expect(scope.transaction((tx) => Promise.all([tx.run(write), tx.run(one)]))).rejects.toThrow(
        'must run alone',
      )
    }
  })

  test('sends statements begun together in one trip and in order; one that throws undoes all of them', async () => {
    const scope = await newScope()
    const id = randomUUID()
    const insert = query<{ count: number }>`insert into tally (id) values (${id}) returning count`
    const raise = query<{ count: number }>`update tally set count = count + 1 where id = ${id} returning count`
    const read = query<{ count: number }>`select count from tally where id = ${id}`
    const undone = scope.transaction((tx) =>
      tx.together(() => [tx.run(insert), tx.run(raise).then(() => Promise.reject(new Error('not so'))), tx.run(raise)]),
    )
    await expect(undone).rejects.toThrow('not so')
    const broken = scope.transaction((tx) =>
      tx.together(() => [tx.run(insert), tx.run(query`select 1 / 0`), tx.run(raise)]),
    )
    await expect(broken).rejects.toThrow('division by zero')
    const seen = await scope.transaction(async (tx) => {
      const [, raised, [again]] = await tx.together(() => [tx.run(insert), tx.run(raise), tx.run(raise)])
      await expect(Promise.all([tx.run(one), tx.run(raise)])).rejects.toThrow('must run alone')
      return [...raised, again, ...(await tx.run(read))]
    })
    expect(seen).toEqual([{ count: 1 }, { count: 2 }, { count: 2 }])
    const other = query<{ count: number }>`insert into tally (id) values (${randomUUID()}) returning count`
    const within = await scope.transaction((tx) =>
      tx.together(() => [tx.together(() => [tx.run(raise), tx.run(raise)]), tx.run(other)]),
    )
    expect(within).toEqual([[[{ count: 3 }], [{ count: 4 }]], [{ count: 0 }]])
  })

  test('waits at a lock, and the next statement sees what earlier holders did', async () => {
    const scope = await newScope()
    const id = randomUUID()
    await sql.query('insert into tally (id) values ($1)', [id])
    await sql.query('begin')
    await sql.query('select pg_advisory_xact_lock(4711)')
    await sql.query('update tally set count = 7 where id = $1', [id])
    const lock = query`select pg_advisory_xact_lock(4711)`
    const read = query<{ count: number }>`select count from tally where id = ${id}`
    const raise = query<{ count: number }>`update tally set count = count + 1 where id = ${id} returning count`
    const both = Promise.all([
      scope.transaction((tx) => {
        tx.lock(lock)
        return tx.run(read)
      }),
      scope.write(raise, { lock }),
    ])
    await eventually(
      async () =>
        (await rows(`select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`)).length === 2,
    )
    await sql.query('commit')
    const [[seen], [raised]] = await both
    expect(seen!.count).toBeGreaterThanOrEqual(7)
    expect(raised).toEqual({ count: 8 })
  })

  test('throws the coded error when a required row is missing', async () => {
    const scope = await newScope()
    const attempt = scope.transaction((tx) => tx.one(post(randomUUID()), 'invalid_state', GONE))
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_state', status: 409, more: GONE })
  })

  test('refuses a state only with the state and what is possible, by the types', async () => {
    const scope = await newScope()
    const attempt = scope.transaction((tx) =>
      // @ts-expect-error -- `allowed` is missing
      tx.one(post(randomUUID()), 'invalid_state', { current: 'gone' }),
    )
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_state' })
    // @ts-expect-error -- both are missing
    await expect(scope.transaction((tx) => tx.one(post(randomUUID()), 'invalid_state'))).rejects.toThrow()
    // @ts-expect-error -- `current` is missing
    expect(new AppError('invalid_state', undefined, { allowed: [] }).status).toBe(409)
    // @ts-expect-error -- both are missing
    expect(new AppError('invalid_state').status).toBe(409)
    expect(new AppError('invalid_state', undefined, GONE).more).toEqual(GONE)
  })

  test('is undone with the coded error if its last statement finds nothing; it has only one last statement', async () => {
    const scope = await newScope()
    const id = randomUUID()
    const change = (wanted: string) => query`with found as (update post set caption = 'changed'
      where workspace_id = ${scope.workspaceId} and id = ${wanted} returning id) select must_find(count(*)) from found`
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(scope.workspaceId, id))
      tx.last(change(randomUUID()), 'invalid_state')
    })
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await scope.read(post(id))).toEqual([[]])
    await scope.transaction(async (tx) => {
      await tx.run(draft(scope.workspaceId, id))
      tx.last(change(id), 'invalid_state')
      expect(() => tx.last(change(id), 'invalid_state')).toThrow('one last statement')
    })
    const [found] = await scope.read(query<{ caption: string }>`select caption from post where id = ${id}`)
    expect(found).toEqual([{ caption: 'changed' }])
  })

  test('sends statements with the last one, and gives its rows after the commit', async () => {
    const scope = await newScope()
    const id = randomUUID()
    const raise = query<{ count: number }>`update tally set count = count + 1 where id = ${id} returning count`
    const raiseBelow = (most: number) => query`with raised as (update tally set count = count + 1
      where id = ${id} and count < ${most} returning id) select must_find(count(*)) from raised`
    const seen: unknown[] = []
    const attempt = (most: number) =>
      scope.transaction(async (tx) => {
        tx.record({ type: 'post.created', subject: {} })
        tx.last(raise, 'invalid_state', { before: [raiseBelow(most)], seen: (rows) => seen.push(rows) })
        expect(seen).toEqual([])
      })
    await sql.query('insert into tally (id) values ($1)', [id])
    const refusal = await attempt(0).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(LastRefused)
    expect(refusal).toMatchObject({ code: 'invalid_state' })
    await attempt(1)
    expect(seen).toEqual([[{ count: 2 }]])
    expect(await audits(scope)).toHaveLength(1)
  })

  test('takes the locks of its last statement when the history is written and its result is read', async () => {
    const scope = await newScope()
    const lock = query`select pg_advisory_xact_lock(7), must_find(1)`
    const whileRead = await scope.transaction(async (tx) => {
      tx.record({ type: 'post.created', subject: {} })
      tx.last(lock, 'invalid_state')
      return new ReadAtCommit(raw<{ json: { locks: number; entries: number } }>`select json_build_object(
        'locks', (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
        'entries', (select count(*) from audit_entry where workspace_id = ${scope.workspaceId})) as json`)
    })
    expect(whileRead).toEqual({ locks: 0, entries: 1 })
  })

  test('refuses every way to a second connection from inside it', async () => {
    const scope = await newScope()
    const another = await newScope()
    const ways: ((() => Promise<unknown>) | (() => unknown))[] = [
      () => scope.read(one),
      () => scope.write(one),
      () => another.transaction(async () => undefined),
      () => scopes.ask('gate', one),
      () => scopes.across('sweep', async () => undefined),
    ]
    for (const way of ways) {
      await expect(scope.transaction(async () => way())).rejects.toThrow('A transaction is already open here')
      await expect(scopes.across('sweep', async () => way())).rejects.toThrow('A transaction is already open here')
    }
    expect(await scope.read(one)).toEqual([[{ one: 1 }]])
  })
})

describe('the subscribers of an event', () => {
  const scopeWith = async (...subscribers: Subscribers[]) => {
    const { workspaceId, actor } = await newScope()
    return createScopes({ pool, events, clock, log, subscribers }).scope(workspaceId, actor)
  }

  test('run in the order of the areas, after the work of the transaction and before its closing', async () => {
    const order: string[] = []
    const says =
      (what: string) =>
      async (tx: Tx, { subject: { postId }, context }: DomainEvent) => {
        const found = await tx.run(post(postId as string))
        order.push(`${what} ${String(context?.['name'])} ${found.length}`)
      }
    const scope = await scopeWith(
      { subscriptions: [on('post.created', says('first'))] },
      { subscriptions: [on('post.created', says('second')), on('post.edited', says('edited'))] },
    )
    const id = randomUUID()
    await scope
      .transaction(async (tx) => {
        tx.record({ type: 'post.created', subject: { postId: id }, context: { name: 'Ann' } })
        tx.record({ type: 'post.deleted', subject: { postId: id } })
        await tx.run(draft(tx.workspaceId, id))
        order.push('work')
        tx.last(query`select must_find(0)`, 'invalid_state')
      })
      .catch((error: unknown) => order.push((error as LastRefused).code))
    expect(order).toEqual(['work', 'first Ann 1', 'second Ann 1', 'invalid_state'])
  })

  test('write, enqueue and record with the transaction', async () => {
    const scope = await scopeWith({
      subscriptions: [
        on('post.created', async (tx) => {
          await tx.run(draft(tx.workspaceId))
          tx.record({ type: 'post.edited', subject: {} })
        }),
        on('post.edited', (tx) => void tx.enqueue('flight-check', { accountId: randomUUID() })),
      ],
    })
    await scope.transaction(async (tx) => tx.record({ type: 'post.created', subject: {}, context: { secret: 'no' } }))
    expect(await savedPosts(scope)).toHaveLength(1)
    expect(await jobsOf(scope)).toHaveLength(1)
    const kept = await rows('select action, detail from audit_entry where workspace_id = $1', scope.workspaceId)
    expect(kept).toEqual([
      { action: 'post.created', detail: {} },
      { action: 'post.edited', detail: {} },
    ])
  })

  test('undo the transaction when one of them fails', async () => {
    const scope = await scopeWith({
      subscriptions: [
        on('post.created', async (tx) => {
          await tx.run(draft(tx.workspaceId))
          throw new Error('nobody was told')
        }),
      ],
    })
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(tx.workspaceId))
      tx.record({ type: 'post.created', subject: {} })
      tx.enqueue('flight-check', { accountId: randomUUID() })
    })
    await expect(attempt).rejects.toThrow('nobody was told')
    expect(await savedPosts(scope)).toEqual([])
    expect(await audits(scope)).toEqual([])
    expect(await jobsOf(scope)).toEqual([])
  })
})

describe('a conflict', () => {
  test('is retried three times', async () => {
    const scope = await newScope()
    let attempts = 0
    await scope.transaction(async (tx) => {
      attempts += 1
      await tx.run(draft(tx.workspaceId))
      tx.record({ type: 'post.created', subject: {} })
      if (attempts <= 3) await tx.run(fail(attempts === 2 ? '40P01' : '40001'))
    })
    expect(attempts).toBe(4)
    expect(await savedPosts(scope)).toHaveLength(1)
    expect(await audits(scope)).toHaveLength(1)
  })

  test('at a lock is a conflict too', async () => {
    const scope = await newScope()
    let attempts = 0
    await scope.transaction(async (tx) => {
      attempts += 1
      if (attempts === 1) tx.lock(fail('40P01'))
      await tx.run(draft(tx.workspaceId))
    })
    expect([attempts, (await savedPosts(scope)).length]).toEqual([2, 1])
  })

  test('that persists is answered as unavailable', async () => {
    const scope = await newScope()
    let attempts = 0
    const attempt = scope.transaction(async (tx) => {
      attempts += 1
      await tx.run(fail('40001'))
    })
    await expect(attempt).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    expect(attempts).toBe(4)
  })

  test('is the only failure that is retried', async () => {
    const scope = await newScope()
    let attempts = 0
    const attempt = scope.transaction(async (tx) => {
      attempts += 1
      await tx.run(fail('23505'))
    })
    await expect(attempt).rejects.toMatchObject({ code: '23505' })
    expect(attempts).toBe(1)
  })

  test('of two transactions that wait for each other ends with the work of both done', async () => {
    const scope = await newScope()
    const [first, second] = [randomUUID(), randomUUID()]
    await sql.query('insert into tally (id) values ($1), ($2)', [first, second])
    const raise = (id: string) => query`update tally set count = count + 1 where id = ${id}`
    const begun: string[] = []
    const raiseBoth = (ids: string[]) =>
      scope.transaction(async (tx) => {
        await tx.run(raise(ids[0]!))
        begun.push(ids[0]!)
        await eventually(async () => begun.length >= 2)
        await tx.run(raise(ids[1]!))
      })
    await Promise.all([raiseBoth([first, second]), raiseBoth([second, first])])
    expect(await rows('select count from tally where id in ($1, $2)', first, second)).toEqual([
      { count: 2 },
      { count: 2 },
    ])
  })
})

describe('a read', () => {
  test('cannot write', async () => {
    const scope = await newScope()
    await expect(scope.read(draft(scope.workspaceId))).rejects.toMatchObject({ code: '25006' })
    expect(await savedPosts(scope)).toEqual([])
  })

  test('returns the rows of each of its queries', async () => {
    const scope = await newScope()
    const both = await scope.read(one, query<{ name: string }>`select name from workspace`)
    expect(both).toEqual([[{ one: 1 }], [{ name: 'Bakery' }]])
  })
})

test('a write of one statement is saved, and a failing one leaves nothing behind', async () => {
  const scope = await newScope()
  await scope.write(draft(scope.workspaceId))
  const both = query`with made as (insert into post (workspace_id, id, status)
    values (${scope.workspaceId}, ${randomUUID()}, 'DRAFT') returning id) select fail_with('22012') from made`
  await expect(scope.write(both)).rejects.toMatchObject({ code: '22012' })
  expect(await savedPosts(scope)).toHaveLength(1)
})

describe('a lost connection', () => {
  const ownBackend = query<{ pid: number }>`select pg_backend_pid() as pid`
  const terminate = (pid: number) => sql.query('select pg_terminate_backend($1, 5000)', [pid])

  test('is answered as unavailable, destroyed, and replaced by the pool', async () => {
    const scope = await newScope()
    let lost = 0
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(tx.workspaceId))
      const [{ pid }] = (await tx.run(ownBackend)) as [{ pid: number }]
      lost = pid
      await terminate(pid)
      await tx.run(one)
    })
    await expect(attempt).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    expect(await savedPosts(scope)).toEqual([])
    const pids = await Promise.all(Array.from({ length: 5 }, () => scope.read(ownBackend)))
    expect(pids.map(([[row]]) => row?.pid)).not.toContain(lost)
    expect(pool.idleCount).toBe(pool.totalCount)
  })

  test('at the commit does not count as success', async () => {
    const scope = await newScope()
    const attempt = scope.transaction(async (tx) => {
      await tx.run(draft(tx.workspaceId))
      const [{ pid }] = (await tx.run(ownBackend)) as [{ pid: number }]
      await terminate(pid)
    })
    await expect(attempt).rejects.toMatchObject({ code: 'unavailable' })
    expect(await savedPosts(scope)).toEqual([])
  })

  test('includes one whose statement was cancelled: it is not used again', async () => {
    const scope = await newScope()
    const cancelled = async (statement: Promise<unknown>) => {
      const refused = expect(statement).rejects.toMatchObject({ code: 'unavailable' })
      const { pid } = await eventually(async () => {
        const busy = await rows<{ pid: number }>(`select pid from pg_stat_activity
          where datname = current_database() and query like 'select pg_sleep(9)%' and state = 'active'`)
        return busy[0]
      })
      await sql.query('select pg_cancel_backend($1)', [pid])
      await refused
      return pid
    }
    const slow = query`select pg_sleep(9)`
    const lost = [await cancelled(scope.transaction((tx) => tx.run(slow))), await cancelled(scope.read(slow))]
    const left = () => rows('select from pg_stat_activity where pid = any ($1)', lost)
    await eventually(async () => (await left()).length === 0, 3_000)
  })

  test('is the result of a statement or an idle transaction of more than five seconds', async () => {
    const scope = await newScope()
    // Without the limit, it would end well.
    const slow = query`select pg_sleep(7)`
    const started = Date.now()
    const cutOff = async (attempt: Promise<unknown>) => {
      await expect(attempt).rejects.toMatchObject({ code: 'unavailable' })
      return Date.now() - started
    }
    const times = await Promise.all([
      cutOff(scope.read(slow)),
      cutOff(scope.transaction((tx) => tx.run(slow))),
      cutOff(scopes.ask('gate', slow)),
      cutOff(
        scope.transaction(async (tx) => {
          await tx.run(draft(tx.workspaceId))
          await eventually(async () => (await backendsIdleInTransaction()) === 0)
          await tx.run(one)
        }),
      ),
    ])
    for (const time of times) expect(time).toBeGreaterThan(4_900)
    expect(await savedPosts(scope)).toEqual([])
    expect(await scope.read(one)).toEqual([[{ one: 1 }]])
  })

  const backendsIdleInTransaction = async () =>
    (await rows(`select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`))
      .length
})

describe('another workspace', () => {
  test('has rows that no query of a scope sees or changes, even without a filter', async () => {
    const [ours, theirs] = [await newScope(), await newScope()]
    const id = randomUUID()
    await theirs.write(draft(theirs.workspaceId, id))
    const all = query`select id from post`
    expect(await ours.read(all)).toEqual([[]])
    expect(await ours.write(query`update post set caption = 'ours' returning id`)).toEqual([])
    expect(await theirs.read(all)).toEqual([[{ id }]])
    expect(await scopes.scope(NO_WORKSPACE, { kind: 'anonymous' }).read(all)).toEqual([[]])
  })

  test('cannot be written into, and rows cannot be moved to it', async () => {
    const [ours, theirs] = [await newScope(), await newScope()]
    await expect(ours.write(draft(theirs.workspaceId))).rejects.toMatchObject({ code: '42501' })
    await ours.write(draft(ours.workspaceId))
    const move = query`update post set workspace_id = ${theirs.workspaceId}`
    await expect(ours.write(move)).rejects.toMatchObject({ code: '42501' })
    expect(await savedPosts(theirs)).toEqual([])
  })

  test('is not left set for the next user of a connection', async () => {
    const scope = await newScope()
    const single = openPool(database.url, 1, () => undefined)
    const lone = createScopes({ pool: single, events, clock, log, subscribers: [] }).scope(
      scope.workspaceId,
      scope.actor,
    )
    const left = async () =>
      (
        await single.query(`select current_user = session_user as reset, current_setting('app.workspace_id') as workspace,
        current_setting('transaction_read_only') as read_only`)
      ).rows
    const clean = [{ reset: true, workspace: '', read_only: 'off' }]
    await lone.read(one)
    expect(await left()).toEqual(clean)
    await lone.transaction((tx) => tx.run(one))
    expect(await left()).toEqual(clean)
    await expect(lone.read(fail('22012'))).rejects.toThrow('on purpose')
    expect(await left()).toEqual(clean)
    await expect(lone.transaction((tx) => tx.run(fail('22012')))).rejects.toThrow('on purpose')
    expect(await left()).toEqual(clean)
    await single.end()
  })

  test('can be named only by an id', async () => {
    const scope = scopes.scope(`'; drop table post; --`, { kind: 'anonymous' })
    expect(() => scope.read(one)).toThrow('Not a workspace id')
  })

  test.each([
    ['a person', { userId: `'); drop table post; --` }],
    ['a session', { sessionId: `'); drop table post; --` }],
    [
      'the workspace of a standing',
      { standing: { workspaceId: `'); drop table post; --`, roles: ['OWNER'], least: '' } },
    ],
    ['a role', { standing: { workspaceId: randomUUID(), roles: [`}'); drop table post; --`], least: '' } }],
    [
      'a feature',
      { standing: { workspaceId: randomUUID(), roles: ['OWNER'], least: '', features: [`}'); drop table post; --`] } },
    ],
    ['the least role', { standing: { workspaceId: randomUUID(), roles: ['OWNER'], least: `'); drop table post; --` } }],
  ])('cannot be reached by words in place of %s; none of them are sent', async (_what, words) => {
    const person = { kind: 'user', userId: randomUUID(), sessionId: randomUUID(), standing: 'session' } as const
    const scope = scopes.scope(randomUUID(), { ...person, ...words })
    await expect(scope.write(one)).rejects.toThrow(
      /^Not (the IDs of a user and a session|role names|the IDs of features)$/,
    )
    await expect(scope.transaction((tx) => tx.run(one))).rejects.toThrow(/^Not (the IDs of|role names)/)
  })

  test('gets no job, whatever the caller writes into one', async () => {
    const [ours, theirs] = [await newScope(), await newScope()]
    const forged = { name: 'flight-check', workspaceId: theirs.workspaceId, data: { workspaceId: theirs.workspaceId } }
    await ours.write(query`select enqueue_jobs(${JSON.stringify([forged])}::jsonb)`)
    expect(await jobsOf(ours)).toMatchObject([{ payload: { workspaceId: ours.workspaceId } }])
    expect(await jobsOf(theirs)).toEqual([])
  })
})

test('every table with rows of a workspace forces its policy even on its owner; tables of a person have none', async () => {
  const open = await rows(`select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attname = 'workspace_id'
      and not (relrowsecurity and relforcerowsecurity) order by relname`)
  expect(open).toEqual([{ name: 'notification' }, { name: 'oauth_state' }])
})

test('every view runs with the rights of its reader', async () => {
  const views = await rows(`select relname as name, reloptions @> '{security_invoker=true}' as invoker from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('v', 'm') order by relname`)
  expect(views).toEqual([{ name: 'publication', invoker: true }])
})

describe('a role', () => {
  /** The tables with at least one readable column. */
  async function readable(ask: (statement: Query<unknown>) => Promise<unknown>): Promise<string[]> {
    const names = await rows<{ name: string }>(`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'tally' order by relname`)
    const open: string[] = []
    for (const { name } of names) {
      const answer = await ask(query`select from ${raw.table(name)} limit 0`).catch((error: { code: string }) => error)
      if (Array.isArray(answer)) open.push(name)
      else expect(answer).toMatchObject({ code: '42501' })
    }
    return open
  }

  test('that looks across workspaces reads only the tables that its reasons need', async () => {
    expect(await readable((statement) => scopes.ask('sweep', statement))).toEqual([
      'ab_test',
      'account_sync',
      'ai_generation',
      'app_clock',
      'approval_request',
      'audience_identity',
      'audience_node',
      'bot_claim',
      'bot_config',
      'bot_knowledge',
      'competitor',
      'decision',
      'delivery',
      'erased_person',
      'feature',
      'inbound_event',
      'inbox_alive',
      'inbox_reading',
      'measured_post',
      'media_crop',
      'media_file',
      'media_rendition',
      'media_upload',
      'message',
      'message_attachment',
      'metric_gone',
      'network_call',
      'network_user',
      'plan',
      'plan_feature',
      'plan_quota',
      'post',
      'post_media',
      'post_tags',
      'quota',
      'report',
      'request_window',
      'social_account',
      'subscription',
      'thread',
      'thread_presence',
      'webhook_subscription',
      'workspace',
    ])
  })

  test('that looks across workspaces sees the rows of all of them', async () => {
    const [one, another] = [await newScope(), await newScope()]
    await one.write(draft(one.workspaceId))
    await another.write(draft(another.workspaceId))
    const found = await scopes.ask('sweep', query<{ workspaceId: string }>`select workspace_id from post`)
    const workspaces = found.map(({ workspaceId }) => workspaceId)
    expect(workspaces).toEqual(expect.arrayContaining([one.workspaceId, another.workspaceId]))
  })

  const noted = (kind: string, action: string) =>
    query`insert into audit_entry (workspace_id, id, actor_kind, action, object)
      select id, gen_random_uuid(), ${kind}, ${action}, '{}' from workspace`

  test('that looks across workspaces may record that something went live', async () => {
    const scope = await newScope()
    await scopes.ask('settle', noted('system', 'publication.published'))
    expect(await audits(scope)).toEqual([{ action: 'publication.published' }])
  })

  test.each([
    ['rename a workspace', query`update workspace set name = 'x'`],
    ['change an account', query`update social_account set status = 'DISCONNECTED'`],
    ['delete a post', query`delete from post`],
    ['write a post', query`insert into post (workspace_id, id, status) select id, id, 'DRAFT' from workspace`],
    ['read a profile', query`select profile(gen_random_uuid())`],
    ['note any other end', noted('system', 'publication.failed')],
    ['note what somebody did', noted('user', 'publication.published')],
    ['read or change what is noted', query`update audit_entry set action = 'publication.published'`],
    [
      'date what it notes',
      query`insert into audit_entry (workspace_id, id, at, actor_kind, action, object)
        select id, id, '2020-01-01', 'system', 'publication.published', '{}' from workspace`,
    ],
  ])('that looks across workspaces cannot %s', async (_what, statement) => {
    await expect(scopes.across('sweep', (tx) => tx.run(statement))).rejects.toMatchObject({ code: '42501' })
  })

  const operator = () =>
    scopes.adminScope({
      kind: 'user',
      userId: randomUUID(),
      sessionId: randomUUID(),
      standing: null,
      ip: '192.0.2.1',
    })

  test('of an operator reads only the tables listed for operators, over all workspaces', async () => {
    expect(await readable(async (statement) => (await operator().read(statement))[0])).toEqual([
      'app_clock',
      'app_user',
      'delivery',
      'feature',
      'idempotency_key',
      'member',
      'plan',
      'plan_feature',
      'plan_quota',
      'post',
      'quota',
      'security_event',
      'session',
      'subscription',
      'workspace',
      'workspace_usage',
    ])
    const [one, another] = [await newScope(), await newScope()]
    const [found] = await operator().read(query<{ id: string }>`select id from workspace`)
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([one.workspaceId, another.workspaceId]))
  })

  test.each([
    ['read a password', query`select password_hash from app_user`],
    ['read what opens a session', query`select current_token from session`],
    ['read a post', query`select caption from post`],
    ['read what was answered to somebody', query`select body from idempotency_key`],
    ['make anybody a super admin', query`update app_user set is_super_admin = true`],
    ['take over an account', query`update app_user set email = 'x@example.test'`],
    ['move a session', query`update session set user_id = gen_random_uuid()`],
    ['make a user', query`insert into app_user (id) values (gen_random_uuid())`],
    ['change a workspace', query`update workspace set name = 'x'`],
    ['change a plan past its audit', query`update subscription set plan_id = 'business'`],
    ['become a member', query`insert into member select id, id, 'OWNER' from workspace`],
    ['make or remove a plan', query`delete from plan`],
    ['change what is noted', query`update security_event set action = 'x'`],
    ['delete what is noted', query`delete from security_event`],
    ['read what a job carries', query`select from graphile_worker.jobs`],
    ['enqueue a job', query`select enqueue_jobs('[]')`],
    ["ask for the gate's facts", query`select * from gate_facts(gen_random_uuid(), null, null)`],
  ])('of an operator cannot %s', async (_what, statement) => {
    await expect(operator().write(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test.each(['admin_jobs(null)', 'admin_retry_jobs(array[1])'])(
    'of an operator is the only one that may call %s',
    async (name) => {
      const statement = query`select ${raw.raw(name)}`
      await expect(operator().write(statement)).resolves.toBeInstanceOf(Array)
      await expect((await newScope()).write(statement)).rejects.toMatchObject({ code: '42501' })
      await expect(scopes.ask('sweep', statement)).rejects.toMatchObject({ code: '42501' })
    },
  )

  test('of a workspace reads no internal table', async () => {
    const scope = await newScope()
    const open = await readable(async (statement) => (await scope.read(statement))[0])
    const machinery = ['migration', 'network_call', 'network_user', 'secret_canary', 'security_event']
    expect(open.filter((name) => machinery.includes(name))).toEqual([])
    expect(open).toContain('post')
  })

  test.each([
    ['change an audit entry', query`update audit_entry set action = 'x'`],
    ['delete an audit entry', query`delete from audit_entry`],
    ['delete a post', query`delete from post`],
    ['delete a workspace', query`delete from workspace`],
    ['make anybody a super admin', query`update app_user set is_super_admin = true`],
    ['disable anybody', query`update app_user set disabled_at = now()`],
    ['raise a quota', query`update plan_quota set amount = null`],
    ['shift the clock', query`update app_clock set shift = '1 day'`],
    ['look into the job queue', query`select from graphile_worker.jobs`],
    ['enqueue a job past its own workspace', query`select graphile_worker.add_job('flight-check', '{}'::json)`],
    ["ask for the gate's facts", query`select * from gate_facts(gen_random_uuid(), null, null)`],
    ['create a table', query`create table mine (id int)`],
  ])('of a workspace cannot %s', async (_what, statement) => {
    const scope = await newScope()
    await expect(scope.write(statement)).rejects.toMatchObject({ code: '42501' })
  })
})
