import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { startProduct } from '../../../test/product.ts'
import { long } from '../../../test/tier.ts'
import { eventually } from '../../../test/world.ts'
import { createClock } from './clock.ts'
import { openPool, query } from './db.ts'
import { type JobHandler, type JobHandlers, type JobRunner, startJobs } from './jobs.ts'
import { createLocalDispatch } from './local-dispatch.ts'
import { createLog } from './log.ts'
import { createScopes, type Scopes, type Scope } from './scope.ts'

let database: TestDatabase
let sql: pg.Client
let pool: pg.Pool
let scopes: Scopes
let scope: Scope
let logged: string[]
let runners: JobRunner[]
/** Hands the jobs that this process writes to the worker that is started with it. */
let local: ReturnType<typeof createLocalDispatch>

beforeEach(async () => {
  logged = []
  runners = []
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  pool = openPool(database.url, 5, () => undefined)
  const log = createLog('silent')
  local = createLocalDispatch()
  scopes = createScopes({ pool, events: { publish() {} }, clock: createClock(), log, local, subscribers: [] })
  scope = scopes.scope(randomUUID(), { kind: 'system', name: 'test' })
})

afterEach(async () => {
  for (const runner of runners) await runner.stop()
  await pool?.end()
  await sql?.end()
  await database?.drop()
})

type FlightCheck = JobHandler<'flight-check'>

const nothing = async () => undefined

/** Starts a worker as a process of its own. With `local`, it is the process that writes the jobs. */
async function worker(
  check: FlightCheck,
  media: JobHandler<'media'> = nothing,
  place: 'local' | 'elsewhere' = 'elsewhere',
  url = database.url,
): Promise<JobRunner> {
  const handlers: JobHandlers = {
    media,
    'flight-check': check,
    'ice-process': nothing,
    'media-video': nothing,
    'media-slow': nothing,
    'media-crops': nothing,
    'storage-removal': nothing,
    'storage-clean': nothing,
    'workspace-erasure': nothing,
    'account-revocation': nothing,
    'token-refresh': nothing,
    'id-lookup': nothing,
    mail: nothing,
    sms: nothing,
    'one-time-code': nothing,
    'password-reset': nothing,
    'notification-mail': nothing,
    'approval-reminder': nothing,
    'ai-suggestions': nothing,
    'suggestions-daily': nothing,
    'post-classify': nothing,
    'webhook-subscription': nothing,
    'webhook-process': nothing,
    'thread-wake': nothing,
    'customer-profile': nothing,
    attachment: nothing,
    'inbox-reading': nothing,
    'analytics-sync': nothing,
    'customer-erasure': nothing,
    'inbox-watch': nothing,
    'competitor-reading': nothing,
    'ab-test-check': nothing,
    'report-monthly': nothing,
    'report-mail': nothing,
  }
  const log = createLog('warn', { write: (line) => void logged.push(line) })
  const connection = { connectionString: url, application_name: 'worker' }
  const runner = await startJobs({ connection, scopes, log, handlers, ...(place === 'local' && { local }) })
  runners.push(runner)
  return runner
}

const enqueue = (accountId: string, key?: string) =>
  scope.transaction(async (tx) => tx.enqueue('flight-check', { accountId }, key === undefined ? {} : { key }))

/** Collects all further notifications to the lanes. */
async function listenToLanes(): Promise<unknown[]> {
  const notices: unknown[] = []
  sql.on('notification', ({ payload }) => notices.push(JSON.parse(payload ?? '')))
  await sql.query('listen parley_jobs')
  return notices
}

/** Enqueues a job that typed code could not enqueue. */
const enqueueRaw = (job: object) => scope.write(query`select enqueue_jobs(${JSON.stringify([job])}::jsonb)`)

interface Waiting {
  data: unknown
  attempts: number
  lastError: string | null
  lockedBy: string | null
}
/** The jobs that a test enqueued, without those of the timetable, which come at any time. */
const waiting = async (): Promise<Waiting[]> =>
  (
    await sql.query<Waiting>(`select payload -> 'data' as data, attempts, last_error as "lastError",
      locked_by as "lockedBy" from graphile_worker._private_jobs where payload ->> 'data' <> '{}' order by id`)
  ).rows

/** Makes all jobs look as if a dead worker had taken them. */
const takenByTheDead = () =>
  sql.query(`with taken as (update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() - interval '3 seconds', attempts = 1)
    update graphile_worker._private_job_queues set locked_by = 'dead', locked_at = now()`)

test('a job runs once, with the scope of its workspace and its data, and then leaves the queue', async () => {
  const ran: { workspaceId: string; actor: unknown; data: unknown }[] = []
  await worker(async ({ workspaceId, actor }, data) => void ran.push({ workspaceId, actor, data }))
  const accountId = randomUUID()
  await enqueue(accountId)
  await eventually(async () => (await waiting()).length === 0)
  expect(ran).toEqual([
    { workspaceId: scope.workspaceId, actor: { kind: 'system', name: 'flight-check' }, data: { accountId } },
  ])
})

test('a job with invalid data does not run, is logged as an error without its data, and is kept', async () => {
  const ran: unknown[] = []
  await worker(async (_scope, data) => void ran.push(data))
  await enqueueRaw({ name: 'flight-check', data: { accountId: 'a word that is no id' } })
  const kept = await eventually(async () => {
    const [job] = await waiting()
    return job?.lastError ? job : undefined
  })
  expect(kept).toMatchObject({ data: { accountId: 'a word that is no id' }, attempts: 1, lockedBy: null })
  expect(kept.lastError).toMatch(/uuid/i)
  expect(ran).toEqual([])
  const errors = logged.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain('flight-check')
  expect(logged.join()).not.toContain('a word that is no id')
})

test('a failed job is kept and runs again', async () => {
  let tries = 0
  await worker(async () => {
    tries += 1
    if (tries === 1) throw new Error('not this time')
  })
  await enqueue(randomUUID())
  const failed = await eventually(async () => {
    const [job] = await waiting()
    return job?.lastError ? job : undefined
  })
  expect(failed).toMatchObject({ attempts: 1, lastError: expect.stringContaining('not this time') as string })
  await eventually(async () => (await waiting()).length === 0)
  expect(tries).toBe(2)
})

test('a newer job replaces the waiting one with the same key', async () => {
  const [older, newer, other] = [randomUUID(), randomUUID(), randomUUID()]
  await enqueue(older, 'same')
  await enqueue(other, 'other')
  await enqueue(newer, 'same')
  const ran: unknown[] = []
  await worker(async (_scope, data) => void ran.push(data))
  await eventually(async () => (await waiting()).length === 0)
  expect(ran).toHaveLength(2)
  expect(ran).toEqual(expect.arrayContaining([{ accountId: newer }, { accountId: other }]))
})

test('a job for later does not run before its time', async () => {
  const times: number[] = []
  await worker(async () => void times.push(Date.now()))
  const runAt = new Date(Date.now() + 1_500)
  await scope.transaction(async (tx) => tx.enqueue('flight-check', { accountId: randomUUID() }, { runAt }))
  await eventually(async () => times.length > 0)
  expect(times[0]).toBeGreaterThanOrEqual(runAt.getTime())
})

test('due jobs are announced at once, by name and count', async () => {
  const notices = await listenToLanes()
  await enqueue(randomUUID())
  const runAt = new Date(Date.now() + 3_600_000)
  await scope.transaction(async (tx) => {
    tx.enqueue('flight-check', { accountId: randomUUID() }, { runAt })
    for (let i = 0; i < 3; i += 1) tx.enqueue('storage-removal', { keys: [] })
  })
  await eventually(async () => notices.length > 1)
  expect(notices).toEqual([{ 'flight-check': 1 }, { 'storage-removal': 3 }])
})

test('a due job wakes its lane; with polling alone these jobs would take 50 seconds', async () => {
  const ran: string[] = []
  await worker(async (_, data) => void ran.push((data as { accountId: string }).accountId))
  const ids = Array.from({ length: 20 }, () => randomUUID())
  const end = Date.now() + 20_000
  for (const [index, id] of ids.entries()) {
    await enqueue(id)
    await eventually(async () => ran.length > index, end - Date.now(), 10)
  }
  expect(ran).toEqual(ids)
})

test.runIf(long)('a later job is announced when it becomes due', async () => {
  await worker(async () => {})
  const runAt = new Date(Date.now() + 1_500)
  await scope.transaction(async (tx) => tx.enqueue('flight-check', { accountId: randomUUID() }, { runAt }))
  const notices = await listenToLanes()
  await eventually(async () => (await waiting()).length === 0)
  expect(notices).toContainEqual({ 'flight-check': 1 })
})

test('jobs of one queue run one after another, in all processes together', async () => {
  let running = 0
  let most = 0
  let passed = false
  const beside = randomUUID()
  const check: FlightCheck = async (_scope, data) => {
    if ((data as { accountId: string }).accountId === beside) return void (passed = true)
    running += 1
    most = Math.max(most, running)
    // Wait for a job of another queue, enqueued last: by then the others would have run too.
    await eventually(async () => passed)
    running -= 1
  }
  await worker(check)
  await worker(check)
  for (let i = 0; i < 4; i += 1) {
    await enqueueRaw({ name: 'flight-check', queue: 'serial', data: { accountId: randomUUID() } })
  }
  await enqueue(beside)
  await eventually(async () => (await waiting()).length === 0)
  expect(most).toBe(1)
})

test('a file that takes long to decode does not delay other jobs', async () => {
  let checked = false
  await worker(
    async () => void (checked = true),
    async () => void (await eventually(async () => checked)),
  )
  await scope.transaction(async (tx) => tx.enqueue('media', { mediaFileId: randomUUID() }))
  await eventually(async () => (await waiting()).some(({ lockedBy }) => lockedBy))
  await enqueue(randomUUID())
  await eventually(async () => (await waiting()).length === 0)
  expect(checked).toBe(true)
})

describe('a job of local dispatch', () => {
  const enqueueLocally = (accountId: string) =>
    scope.transaction(async (tx) => tx.enqueue('flight-check', { accountId }, { key: accountId, localFor: 15_000 }))
  /** The jobs of accounts in the queue, and whether each may be taken from there. The timetable adds others. */
  const due = async () =>
    (
      await sql.query<{ id: string; isDue: boolean }>(
        `select payload #>> '{data,accountId}' as id, run_at <= now() as "isDue"
        from graphile_worker._private_jobs where payload #> '{data,accountId}' is not null order by id`,
      )
    ).rows
  const makeDue = () => sql.query('update graphile_worker._private_jobs set run_at = now()')

  test('runs at once with a copy in the queue, which is then removed', async () => {
    const ran: unknown[] = []
    await worker(
      async ({ workspaceId, actor }, data) => void ran.push({ workspaceId, actor, data }, ...(await due())),
      nothing,
      'local',
    )
    const accountId = randomUUID()
    await enqueueLocally(accountId)
    await eventually(async () => ran.length > 0 && (await waiting()).length === 0)
    expect(ran).toEqual([
      { workspaceId: scope.workspaceId, actor: { kind: 'system', name: 'flight-check' }, data: { accountId } },
      { id: accountId, isDue: false },
    ])
  })

  test('is copied to the queue even if the queue does not know its name yet', async () => {
    // A lane registers its job names some time after it starts; this trigger makes that slow.
    await sql.query(`delete from graphile_worker._private_tasks;
      create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return null; end $$;
      create trigger slow before insert on graphile_worker._private_tasks execute function slow()`)
    let go = false
    await worker(async () => void (await eventually(async () => go)), nothing, 'local')
    const accountId = randomUUID()
    try {
      await enqueueLocally(accountId)
      expect(await due()).toEqual([{ id: accountId, isDue: false }])
    } finally {
      go = true
    }
    await eventually(async () => (await waiting()).length === 0)
  })

  test('does not run when its transaction is rolled back', async () => {
    const ran: unknown[] = []
    await worker(async (_scope, data) => void ran.push(data), nothing, 'local')
    const accountId = randomUUID()
    const undone = scope.transaction(async (tx) => {
      tx.enqueue('flight-check', { accountId }, { key: accountId, localFor: 15_000 })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await enqueueLocally(accountId)
    await eventually(async () => ran.length > 0 && (await waiting()).length === 0)
    expect(ran).toEqual([{ accountId }])
  })

  test('runs in another process when its own one fails it or dies', async () => {
    const tries: string[] = []
    await worker(
      async () => {
        tries.push('local')
        throw new Error('not this time')
      },
      nothing,
      'local',
    )
    await worker(async () => void tries.push('elsewhere'))
    const accountId = randomUUID()
    await enqueueLocally(accountId)
    await eventually(async () => logged.length > 0)
    expect([tries, await due()]).toEqual([['local'], [{ id: accountId, isDue: false }]])
    expect(logged.join()).not.toContain(accountId)
    await runners.shift()?.stop()
    await makeDue()
    await eventually(async () => (await waiting()).length === 0)
    expect(tries).toEqual(['local', 'elsewhere'])
  })

  test('does not remove a newer job with its key', async () => {
    const ran: string[] = []
    const accountId = randomUUID()
    await worker(
      async () => {
        if (ran.push('a try') === 1) await enqueue(accountId, accountId)
        else ran.push('the newer one')
      },
      nothing,
      'local',
    )
    await enqueueLocally(accountId)
    await eventually(async () => ran.includes('the newer one'))
  })

  test('waits in the queue when there is no room and when no jobs are taken', async () => {
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
    await enqueueLocally(first)
    expect(await due()).toEqual([{ id: first, isDue: true }])
    await sql.query('delete from graphile_worker._private_jobs')
    let go = false
    await worker(async () => void (await eventually(async () => go)), nothing, 'local')
    await enqueueLocally(second)
    await enqueueLocally(third)
    expect(new Map((await due()).map(({ id, isDue }) => [id, isDue]))).toEqual(
      new Map([
        [second, false],
        [third, true],
      ]),
    )
    go = true
    await eventually(async () => (await waiting()).length === 0)
  })

  test('is told when the process ends, and the process waits for it', async () => {
    let told = false
    const runner = await worker(
      async (_scope, _data, stopping) => {
        await new Promise((resolve) => stopping?.addEventListener('abort', resolve))
        // Its remaining work takes longer than an end that does not wait for it.
        await sleep(100)
        told = true
      },
      nothing,
      'local',
    )
    await enqueueLocally(randomUUID())
    await runner.stop()
    runners = []
    expect([told, await waiting()]).toEqual([true, []])
  })
})

test('a job that is enqueued while the process ends does not disturb the end, and waits for the next process', async () => {
  let begun = false
  let finish = () => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const runner = await worker(async () => {
    begun = true
    await finished
  })
  await enqueue(randomUUID())
  await eventually(async () => begun)
  const notices = await listenToLanes()
  const end = runner.stop()
  // The lane takes no more jobs once it has begun to end.
  await eventually(async () => {
    await enqueue(randomUUID())
    return notices.length >= 5
  })
  finish()
  await end
  runners = []
  expect((await waiting()).length).toBeGreaterThanOrEqual(4)
})

describe("a dead worker's job", () => {
  test('runs again within five seconds after kill -9', async () => {
    const product = await startProduct({
      databaseUrl: database.url,
      env: { ROLE: 'worker' },
      ready: /Parley worker is ready/,
    })
    const accountId = randomUUID()
    await sql.query('begin; lock table post, social_account')
    await enqueue(accountId)
    const taken = await eventually(async () => {
      const [job] = await waiting()
      return job?.lockedBy ? job : undefined
    })
    await product.kill()
    await sql.query('rollback')
    const killed = Date.now()
    expect(await waiting()).toEqual([taken])

    const ran: unknown[] = []
    await worker(async (_scope, data) => void ran.push(data))
    await eventually(async () => ran.length > 0, 5_000 - (Date.now() - killed))
    await eventually(async () => (await waiting()).length === 0)
    expect(ran).toEqual([{ accountId }])
  })

  test('gets its attempt back, and its queue continues', async () => {
    await enqueueRaw({ name: 'flight-check', queue: 'serial', data: { accountId: randomUUID() } })
    await takenByTheDead()
    const attempts: unknown[] = []
    await worker(async () => void attempts.push(...(await waiting()).map((job) => job.attempts)))
    await eventually(async () => (await waiting()).length === 0, 5_000)
    expect(attempts).toEqual([1])
  })

  test.runIf(long)('is announced when it is freed', async () => {
    await enqueueRaw({ name: 'flight-check', data: { accountId: randomUUID() } })
    await takenByTheDead()
    const notices = await listenToLanes()
    await worker(async () => {})
    await eventually(async () => notices.length > 0, 5_000)
    expect(notices).toEqual([{ 'flight-check': 1 }])
    await eventually(async () => (await waiting()).length === 0, 5_000)
  })

  test('is found through columns that the job queue still has', async () => {
    const { rows } = await sql.query<{ name: string }>(`select table_name || '.' || column_name as name
      from information_schema.columns where table_schema = 'graphile_worker'`)
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        '_private_jobs.id',
        '_private_jobs.locked_at',
        '_private_jobs.locked_by',
        '_private_jobs.run_at',
        '_private_jobs.attempts',
        '_private_jobs.task_id',
        '_private_jobs.payload',
        '_private_jobs.max_attempts',
        '_private_jobs.key',
        '_private_jobs.job_queue_id',
        '_private_tasks.id',
        '_private_tasks.identifier',
        '_private_job_queues.id',
        '_private_job_queues.locked_at',
        '_private_job_queues.locked_by',
      ]),
    )
  })
})

test('a job runs again if its worker never received it, but not while its worker runs it', async () => {
  const [slow, lost, later] = [randomUUID(), randomUUID(), randomUUID()]
  const ran: string[] = []
  let end = false
  const check: FlightCheck = async (_scope, data) => {
    const { accountId } = data as { accountId: string }
    ran.push(accountId)
    if (accountId === slow) await eventually(async () => end)
  }
  await worker(check)
  await worker(check)
  await enqueue(slow)
  await eventually(async () => ran.length > 0)
  // The state of the database when the connection broke before the worker received the job.
  const lose = async (accountId: string, queue: string) => {
    await sql.query('begin')
    const payload = { workspaceId: scope.workspaceId, data: { accountId } }
    await sql.query(`select graphile_worker.add_job('flight-check', $1::json, $2)`, [JSON.stringify(payload), queue])
    await sql.query(`with holder as (select locked_by from graphile_worker._private_jobs where locked_by is not null),
    queue as (update graphile_worker._private_job_queues set locked_by = holder.locked_by, locked_at = now() from holder)
    update graphile_worker._private_jobs j set locked_by = holder.locked_by, locked_at = now() - interval '1 minute',
      attempts = 1 from holder`)
    await sql.query('commit')
  }
  await lose(lost, 'serial')
  await eventually(async () => ran.length > 1)
  // A later sweep must find this one, and sees the earlier jobs again.
  await lose(later, 'other')
  await eventually(async () => ran.length > 2)
  end = true
  await eventually(async () => (await waiting()).length === 0)
  expect(ran).toEqual([slow, lost, later])
})

test('a job of a living worker is never taken from it, however long it runs', async () => {
  let runs = 0
  const slow: FlightCheck = async () => {
    runs += 1
    // Longer than a lease would be, since the time is under test.
    await sleep(3_500)
  }
  await worker(slow)
  await worker(slow)
  await enqueue(randomUUID())
  await eventually(async () => (await waiting()).length === 0)
  expect(runs).toBe(1)
  expect(logged).toEqual([])
})

test('a worker that loses its proof of life reports it, and proves its life again', async () => {
  const runner = await worker(async () => undefined)
  expect(runner.alive()).toBe(true)
  await sql.query(`select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`)
  await eventually(async () => !runner.alive(), 1_000, 5)
  await eventually(async () => runner.alive(), 5_000)
  await runner.stop()
  expect(runner.alive()).toBe(false)
  runners = []
})

/** Opens a TCP proxy to the database. `silence` stops all its connections without closing them. */
async function openLine() {
  const sockets: Socket[] = []
  const at = new URL(database.url)
  const server = createServer({ pauseOnConnect: true }, (near) => {
    const far = connect(`${at.searchParams.get('host')}/.s.PGSQL.${at.port}`)
    sockets.push(near, far)
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database.url)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    silence: () => sockets.splice(0).map((socket) => socket.unpipe().pause()),
    close: () => server.close(),
  }
}

test('the lanes of a worker share four connections, besides the one that proves its life', async () => {
  const open = async () => {
    const { rows } = await sql.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return rows[0]!.count
  }
  await enqueue(randomUUID())
  const before = await open()
  const ran: unknown[] = []
  await worker(async (_scope, data) => void ran.push(data))
  await eventually(async () => ran.length === 1)
  expect(await open()).toBeLessThanOrEqual(before + 5)
})

test('a worker whose connections fall silent opens new ones and takes jobs again', async () => {
  const line = await openLine()
  const ran: unknown[] = []
  await worker(async (_scope, data) => void ran.push(data), nothing, 'elsewhere', line.url)
  const silent = line.silence()
  const accountId = randomUUID()
  await enqueue(accountId)
  await eventually(async () => ran.length > 0)
  expect(ran).toEqual([{ accountId }])
  await runners.pop()?.stop()
  for (const socket of silent) socket.destroy()
  line.close()
})
