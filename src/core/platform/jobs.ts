import { EventEmitter } from 'node:events'
import { Logger, type Runner, run, type TaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import * as z from 'zod'
import { type ConnectionConfig, openClient, openPool } from './db.ts'
import { atOnce, type JobName, type Jobs, jobs, lanes, timetable } from './job-names.ts'
import type { createLocalDispatch, LocalJob } from './local-dispatch.ts'
import { JOB_LANE_SEED } from './lock-ids.ts'
import type { Log } from './log.ts'
import { NO_WORKSPACE, type Scopes, type Scope } from './scope.ts'

/**
 * Handles one job of a queue. A job may run twice, so its handler is idempotent by key or locks its object. `stopping`
 * aborts when the process is about to end: long work ends then.
 */
export type JobHandler<J extends JobName> = (scope: Scope, data: Jobs[J], stopping?: AbortSignal) => Promise<void>
export type JobHandlers = { [J in JobName]: JobHandler<J> }

export interface JobRunner {
  /** Whether jobs are taken: the connection that proves our life is open. */
  alive(): boolean
  stop(): Promise<void>
}

interface JobParts {
  connection: ConnectionConfig
  scopes: Scopes
  log: Log
  handlers: JobHandlers
  /** Hands over the jobs that this process writes and runs itself. */
  local?: ReturnType<typeof createLocalDispatch>
  /** Milliseconds that a stop gives running jobs before it tells them to end. */
  grace?: number
}

/** `enqueue_jobs` and the sweep notify the lanes here, with the number of due jobs by name. */
const CHANNEL = 'parley_jobs'
const Payload = z.object({ workspaceId: z.uuid(), data: z.unknown() })
/** Lanes borrow these for single statements. */
const CONNECTIONS = 4
const SWEEP_EVERY = 1_000
const REOPEN_AFTER = 500
/** Milliseconds within which a worker learns of a job that it took, and the queue of a job that has ended. */
const KNOWN_AFTER = 15_000
/** Milliseconds after which a lane that nothing wakes polls for jobs. */
const LOOK_EVERY = 5_000
/** The lane that also enqueues the jobs of the timetable. Any one will do. */
const TIMETABLE_LANE: JobName = 'storage-clean'

/**
 * The pool as a lane sees it. The library would keep a connection for each lane, to listen to the queue's own
 * notification, which reaches every lane for every job. `wake` replaces that, so the lane listens to nothing. The library
 * would also warn that there are fewer connections than concurrent jobs, but each job borrows one only for a statement.
 */
function withoutListeners(pool: pg.Pool): pg.Pool {
  type Listen = (error: undefined, client: object, release: () => void) => void
  const connect = (listen?: Listen) => {
    if (!listen) return pool.connect()
    const nobody = Object.assign(new EventEmitter(), { query: () => Promise.resolve() })
    setImmediate(() => listen(undefined, nobody, () => undefined))
    return undefined
  }
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect
      if (name === 'options') return { ...target.options, max: Infinity }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/**
 * Takes jobs until stopped. A worker proves that it lives by an advisory lock on a connection of its own. Every second,
 * each process frees the jobs of workers without a lock, so that a killed process's jobs run again at once instead of
 * hours later. It also frees jobs that the queue says we hold but that we do not work on: the connection broke before
 * we received them.
 */
export async function startJobs(parts: JobParts): Promise<JobRunner> {
  const { connection, scopes, log, handlers, local, grace = 0 } = parts
  const onError = (error: Error) => log.warn({ err: error }, 'a job connection failed')
  const pool = openPool(connection, CONNECTIONS, onError)
  async function handle(name: JobName, payload: unknown, stopping?: AbortSignal): Promise<void> {
    const { workspaceId, data } = Payload.parse(payload)
    const handler = handlers[name] as JobHandler<JobName>
    await handler(scopes.scope(workspaceId, { kind: 'system', name }), jobs[name].parse(data), stopping)
  }
  const stopping = new AbortController()
  const tasks: TaskList = {}
  for (const name of Object.keys(handlers) as JobName[]) {
    tasks[name] = (payload) => handle(name, payload, stopping.signal)
  }

  const runningLocally = new Map<Promise<void>, JobName>()
  /** Finished jobs of local dispatch. The next sweep removes their copies from the queue. */
  const done = new Set<Pick<LocalJob, 'key' | 'runAt'>>()
  async function runLocally({ name, workspaceId, data, key, runAt }: LocalJob): Promise<void> {
    try {
      await handle(name, { workspaceId, data }, stopping.signal)
      done.add({ key, runAt })
    } catch (error) {
      log.error({ err: error, task: name }, 'a job of local dispatch failed; the queue has it')
    }
  }
  async function removeCopies(): Promise<void> {
    const removed = [...done]
    if (removed.length > 0) await pool.query(completeCopies, [JSON.stringify(removed)])
    for (const job of removed) done.delete(job)
  }

  /** The queue's names for our lanes, which it writes into the jobs that a lane holds. */
  const holders: string[] = []
  const workersOf = new Map<JobName[], WorkerPool>()
  let lock: pg.Client | undefined
  let stopped = false

  /** Makes the lane of each name look for that many jobs. */
  function wake(due: Record<string, number>): void {
    for (const [name, count] of Object.entries(due))
      for (const [names, workers] of workersOf) if (names.some((one) => one === name)) workers.nudge(count)
  }

  async function proveLife(): Promise<void> {
    const client = await openClient(connection, onError)
    client.on('end', () => {
      if (lock === client) lock = undefined
    })
    client.on('notification', ({ payload }) => wake(JSON.parse(payload ?? '{}')))
    await client.query(`listen ${CHANNEL}`)
    for (const holder of holders) await client.query(takeLock, [holder])
    // Notifications sent before this connection listened are lost, so each lane looks once.
    for (const workers of workersOf.values()) workers.nudge(1)
    if (stopped) await client.end()
    else lock = client
  }

  /**
   * The jobs that our lanes work on, with the time until which each counts: the queue may not know yet that a job has
   * ended.
   */
  const worked = new Map<string, number>()
  function eventsOf(names: JobName[]): WorkerEvents {
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => {
      holders.push(workerPool.id)
      workersOf.set(names, workerPool)
      lock?.query(takeLock, [workerPool.id]).catch(onError)
    })
    // The workers of an ending lane refuse to be woken.
    for (const ending of ['pool:gracefulShutdown', 'pool:forcefulShutdown'] as const)
      events.on(ending, () => workersOf.delete(names))
    // The jobs of an ended lane are free, like those of a dead process.
    events.on('pool:release', ({ workerPool: { id } }) => {
      holders.splice(holders.indexOf(id), 1)
      workersOf.delete(names)
      lock?.query(`select pg_advisory_unlock(hashtextextended($1, ${JOB_LANE_SEED}))`, [id]).catch(onError)
    })
    events.on('job:start', ({ job }) => worked.set(job.id, Infinity))
    events.on('job:complete', ({ job }) => worked.set(job.id, Date.now() + KNOWN_AFTER))
    return events
  }
  const runners = new Map<JobName[], Runner>()
  const kept: Promise<void>[] = []
  async function stop(): Promise<void> {
    stopped = true
    clearInterval(timer)
    local?.setRunner(undefined)
    // From here on, the lanes take no more jobs.
    const ends = [...runners.values()].map((runner) => runner.stop().catch(onError))
    const patience = setTimeout(() => stopping.abort(), grace)
    await Promise.all([...runningLocally.keys(), ...ends])
    clearTimeout(patience)
    await Promise.all(kept)
    await removeCopies().catch(onError)
    await pool.end()
    await lock?.end()
  }

  const open = (names: JobName[]) =>
    run({
      pgPool: withoutListeners(pool),
      taskList: Object.fromEntries(names.map((name) => [name, tasks[name]])),
      concurrency: Math.max(...names.map((name) => atOnce[name] ?? 1)),
      pollInterval: LOOK_EVERY,
      noHandleSignals: true,
      logger: queueLogger(log),
      events: eventsOf(names),
      ...(names.includes(TIMETABLE_LANE) && { crontab: timetable(NO_WORKSPACE) }),
    })

  /** Reopens a lane that ended because the database was unreachable, until the lane stays open. */
  async function keep(names: JobName[]): Promise<void> {
    for (;;) {
      await runners.get(names)?.promise.catch(onError)
      if (stopped) return
      log.warn({ lane: names[0] }, 'a lane of jobs ended; it is opened again')
      await sleep(REOPEN_AFTER)
      if (stopped) return
      const runner = await open(names).catch(onError)
      if (!runner) continue
      runners.set(names, runner)
      if (stopped) await runner.stop()
    }
  }

  let sweeping = false
  let timer: NodeJS.Timeout | undefined
  async function sweep(): Promise<void> {
    if (sweeping) return
    sweeping = true
    try {
      if (!lock && !stopped) await proveLife()
      await removeCopies()
      // After a pause of this process, read first what the queue has answered.
      await yieldToOthers()
      for (const [id, until] of worked) if (until < Date.now()) worked.delete(id)
      const swept = await lock?.query<{ freed: number }>(sweepJobs, [holders, [...worked.keys()], KNOWN_AFTER / 1_000])
      const freed = swept?.rows[0]?.freed ?? 0
      if (freed > 0) log.warn({ jobs: freed }, 'abandoned jobs were freed')
    } catch (error) {
      log.warn({ err: error }, 'the sweep for abandoned jobs failed')
    } finally {
      sweeping = false
    }
  }

  try {
    await pool.query(nameJobs, [Object.keys(handlers)])
    for (const names of lanes) runners.set(names, await open(names))
    await proveLife()
    for (const names of lanes) kept.push(keep(names))
  } catch (error) {
    await stop()
    throw error
  }
  timer = setInterval(() => void sweep(), SWEEP_EVERY)
  local?.setRunner({
    takes: (name) => [...runningLocally.values()].filter((each) => each === name).length < (atOnce[name] ?? 1),
    take(job) {
      const running = runLocally(job).finally(() => runningLocally.delete(running))
      runningLocally.set(running, job.name)
    },
  })
  return { alive: () => lock !== undefined && !stopped, stop }
}

/** Leaves a newer job that has the key. */
const completeCopies = `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
  join jsonb_to_recordset($1) as copy (key text, "runAt" timestamptz) using (key) where run_at = "runAt"))`

/**
 * A lane registers its job names some time after it opens. The copy of a job of local dispatch is written by that name,
 * and would be missing before.
 */
const nameJobs = `insert into graphile_worker._private_tasks (identifier) select unnest($1::text[]) on conflict do nothing`

const takeLock = `select pg_advisory_lock(hashtextextended($1, ${JOB_LANE_SEED}))`

/**
 * Frees jobs locked by workers that hold no advisory lock; a new worker has two seconds from its first job to take it.
 * Also frees jobs that our own workers hold but do not work on. Wakes the lanes for these jobs and for those that
 * became due in the last two seconds. A job that is due when it is written wakes its lane at once (`enqueue_jobs`).
 */
const sweepJobs = `
  with lost as (
    select id, job_queue_id, locked_by, locked_at from graphile_worker._private_jobs
    where locked_at < now() - interval '2 seconds' and not exists (
      select from pg_locks where locktype = 'advisory' and objsubid = 1
        and ((classid::bigint << 32) | objid::bigint) = hashtextextended(locked_by, ${JOB_LANE_SEED})
        and database = (select oid from pg_database where datname = current_database()))
      or locked_by = any ($1) and id <> all ($2::bigint[]) and locked_at < now() - make_interval(secs => $3)
  ), queues as (
    update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
    from lost where q.id = lost.job_queue_id and q.locked_by = lost.locked_by
  ), freed as (
    update graphile_worker._private_jobs j set locked_at = null, locked_by = null, run_at = now(),
      attempts = greatest(j.attempts - 1, 0)
    from lost where j.id = lost.id and (j.locked_by, j.locked_at) = (lost.locked_by, lost.locked_at)
    returning j.task_id
  ), due as (
    select task_id from graphile_worker._private_jobs
    where is_available and run_at > now() - interval '2 seconds' and run_at <= now()
  ), woken as (
    select t.identifier as name, count(*) as jobs
    from (select task_id from freed union all select task_id from due) w
    join graphile_worker._private_tasks t on t.id = w.task_id group by 1
  )
  select (select count(*) from freed)::int as freed,
    (select pg_notify('${CHANNEL}', json_object_agg(name, jobs)::text) from woken having count(*) > 0)`

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

/** Writes the queue's messages to our log, its everyday ones a level lower. Job data is not logged. */
const queueLogger = (log: Log) =>
  new Logger(({ label, jobId, taskIdentifier }) => (level, message) => {
    log[levels[level as keyof typeof levels] ?? 'debug']({ queue: label, jobId, task: taskIdentifier }, message)
  })

/** Counts the jobs by name and state. A job without attempts left has failed for good. */
export async function countJobs(
  pool: pg.Pool,
): Promise<{ job: string; state: 'waiting' | 'running' | 'failed'; count: number }[]> {
  const { rows } = await pool.query<{ job: string; state: 'waiting' | 'running' | 'failed'; count: number }>(
    `select task_identifier as job,
       case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed' else 'waiting' end as state,
       count(*)::int as count
     from graphile_worker.jobs group by 1, 2`,
  )
  return rows
}
