import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { AppError, type Code } from '../errors.ts'
import type { Clock } from './clock.ts'
import { codeOf, explain, isLost, type Query, type Row, query, send, sendPlain, unavailable } from './db.ts'
import type { Event, Events } from './events.ts'
import { type DomainEvent, hintOf } from './record.ts'
import { keepEffect, type Once } from './idempotency-keys.ts'
import { type Jobs, sharedTurns, tries } from './job-names.ts'
import type { LocalJob, LocalRunner } from './local-dispatch.ts'
import type { Log } from './log.ts'
import { securityEvent } from './security-events.ts'

export type WorkspaceId = string
export type Json = Record<string, unknown>

/** The actor of a request or job. */
export type Actor =
  | {
      kind: 'user'
      userId: string
      sessionId: string
      /**
       * The standing that each of the person's transactions must find. Null only for code that checks the role itself, after
       * its request.
       */
      standing: Standing | null
      ip?: string | undefined
      requestId?: string | undefined
      /** The first transaction marks the key done, or has no effect. */
      once?: Once | undefined
    }
  | { kind: 'anonymous'; ip?: string | undefined; requestId?: string | undefined }
  | { kind: 'system'; name: string; once?: Once | undefined }

/** The requirement for a person to act, besides a live session: none, the operator flag, or a role in a workspace. */
export type Standing = 'session' | 'operator' | { workspaceId: WorkspaceId; roles: readonly string[]; least: string }

export interface JobPlace {
  /** At most one waiting job has this key: a newer job replaces it. */
  key?: string
  runAt?: Date
  /**
   * This process runs the job as soon as it is committed, if it runs such jobs and has room. The queue runs it after so many
   * milliseconds, for when this process dies: its work is idempotent all the same. Its key is new.
   */
  localFor?: number
}

type Results<P extends readonly Promise<unknown>[]> = { -readonly [I in keyof P]: Awaited<P[I]> }

/** A transaction in one workspace. It cannot reach the outside world. It is unusable after its end. */
export interface Tx {
  readonly workspaceId: WorkspaceId
  readonly actor: Actor
  readonly now: Date
  /** Rows of one statement. Several reads at once share one round trip; a statement that writes goes alone. */
  run<R>(statement: Query<R>): Promise<R[]>
  /** The first row. Without a row it throws the coded error. */
  one<R>(statement: Query<R>, otherwise: Code, more?: Json): Promise<R>
  /**
   * Sends the statements that are begun in `statements` in one round trip, in their order, even if they write: each sees the
   * effects of those before it. A statement that does not find its row throws, which undoes all of them.
   */
  together<P extends readonly Promise<unknown>[]>(statements: () => readonly [...P]): Promise<Results<P>>
  /**
   * A lock that only makes others wait. It shares a round trip with the next statement, which sees the effects of earlier
   * holders.
   */
  lock(statement: Query<unknown>): void
  /**
   * The last statement, which leaves together with the commit. Nobody sees its rows, so it must refuse by itself if a row is
   * missing: `must_find(count)` of no row undoes the transaction, which then throws the coded error.
   */
  last(statement: Query<unknown>, otherwise: Code): void
  /** Enqueues a job with the commit. Answers whether this process then runs it itself (`localFor`). */
  enqueue<J extends keyof Jobs>(job: J, data: Jobs[J], at?: JobPlace): boolean
  /**
   * Records a fact: the audit history gets it with the commit, and the concerned screens get a hint after it (`hintOf`).
   * `notify` sends notices, since it knows the people.
   */
  record(event: DomainEvent): void
  /** Sends a hint about a change that is no fact of the history. */
  emit(event: Event): void
}

export interface TransactionOptions {
  /** The commit does not wait for the disk. Only for changes that can be repeated after a crash of the database. */
  relaxed?: boolean
  /** The answer to a repeat of a request whose process ended before it answered; default: 2xx with the result of `work`. */
  unanswered?: { status: number; headers: Record<string, string> }
  /**
   * For changes of people's standing: one transaction at a time. It waits before it locks the standing of its own person.
   * Otherwise two such transactions could wait for each other.
   */
  alone?: Alone
}

/** The people whose standing a transaction changes: the members of its workspace, one's own sessions, or anybody. */
export type Alone = 'members' | 'sessions' | 'everybody'

export interface WriteOptions extends Pick<TransactionOptions, 'relaxed'> {
  /** Taken before the statement, in the same trip. */
  lock?: Query<unknown>
}

type RowsOf<Q extends readonly unknown[]> = { [I in keyof Q]: Row<Q[I]>[] }

/** The only access of product code to data: reads and transactions in one workspace, as one actor. */
export interface Scope {
  readonly workspaceId: WorkspaceId
  readonly actor: Actor
  readonly log: Log
  now(): Date
  /** Reads the database's time, and returns since when nobody has moved its clock (`Clock.steadySince`). */
  steadySince(): Promise<Date>
  /** The rows of each query, in one round trip and one snapshot each. Nothing can be written. */
  read<Q extends readonly Query<unknown>[]>(...queries: Q): Promise<RowsOf<Q>>
  /**
   * One statement in one round trip with its own begin and commit. It guards itself: it names the state that it expects, and
   * its rows show whether it found it. It has no audit, job or event; those need a transaction.
   */
  write<R>(statement: Query<R>, options?: WriteOptions): Promise<R[]>
  /**
   * Runs `work` in a transaction. The database may demand up to 3 repetitions, so `work` must have no effect outside its `tx`.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Reads as `read` does. Throws the gate's refusal where the person may no longer act. For what has no transaction: a stream. */
  confirm<Q extends readonly Query<unknown>[]>(...queries: Q): Promise<RowsOf<Q>>
  /** The same workspace in the name of the product. Releases what a request reserved, even after the caller lost access. */
  asSystem(): Scope
}

export type AcrossReason =
  | 'gate'
  | 'limit'
  | 'sweep'
  | 'claim'
  | 'reserve'
  | 'intent'
  | 'settle'
  | 'reconcile'
  | 'watch'
  | 'storage'
  | 'ideas'
  | 'overview'
  | 'webhook'
  | 'inbox'

export interface AcrossTx {
  run<R>(statement: Query<R>): Promise<R[]>
}

/** Only for the gate, the job runner and the publishing loop. All other code gets a scope. */
export interface Scopes {
  /** One statement over all workspaces, in one round trip. It guards itself, as with `Scope.write`. */
  ask<R>(why: AcrossReason, statement: Query<R>, options?: TransactionOptions): Promise<R[]>
  across<T>(why: AcrossReason, work: (tx: AcrossTx) => Promise<T>, options?: TransactionOptions): Promise<T>
  scope(workspaceId: WorkspaceId, actor: Actor): Scope
  /** The scope of the operators, over all workspaces: only after the gate `super-admin`. */
  adminScope(actor: Actor): Scope
  /** A scope of a workspace that does not exist yet, for the one operation that makes it. */
  foundingScope(actor: Actor): Scope
}

/** The scope of data without a workspace: sign-in and one's own profile. No tenant's row is visible in it. */
export const NO_WORKSPACE: WorkspaceId = '00000000-0000-0000-0000-000000000000'

/** The error code of `must_find`. */
const NOT_FOUND = 'PA001'

const STATEMENT_LIMIT = 5_000
/** A batch of statements without an answer by then has lost its connection, which is not used again. */
const WAVE_LIMIT = 8_000

/** The transaction that this chain of calls holds: a second connection for it could wait for the first one forever. */
const holding = new AsyncLocalStorage<string>()

type RoleName = 'parley_app' | 'parley_across' | 'parley_admin'

const writes = /\b(insert\s+into|delete\s+from|update\s+"?\w+"?\s+((as\s+)?"?\w+"?\s+)?set)\b/i

/**
 * Begin and context as one message. This message takes no parameters, so the function checks that all values are ours or ids.
 */
function opening(
  role: RoleName,
  workspaceId: WorkspaceId | null,
  how: 'read' | 'write' | 'relaxed',
  actor?: Actor,
  alone?: Alone,
) {
  if (workspaceId !== null && !isId(workspaceId)) throw new Error('Not a workspace id')
  return `begin${how === 'read' ? ' read only' : ''}; select set_config('role', '${role}', true),
    set_config('app.workspace_id', '${workspaceId ?? ''}', true),
    set_config('statement_timeout', '${STATEMENT_LIMIT}', true),
    set_config('idle_in_transaction_session_timeout', '${STATEMENT_LIMIT}', true),
    set_config('synchronous_commit', '${how === 'relaxed' ? 'off' : 'on'}', true)${lockFor(alone, workspaceId, actor)}${standingOf(actor)}`
}

/** A lock that waits for other transactions that change the standing of the same people. */
function lockFor(alone: Alone | undefined, workspaceId: WorkspaceId | null, actor: Actor | undefined): string {
  if (alone === undefined) return ''
  const whose = {
    members: workspaceId,
    sessions: actor?.kind === 'user' ? actor.userId : null,
    everybody: NO_WORKSPACE,
  }[alone]
  if (whose === null) return ''
  if (!isId(whose)) throw new Error('Not an id of whom to change')
  return `; select pg_advisory_xact_lock(standing_key('${whose}', '${whose}'))`
}

const isId = (text: string) => /^[0-9a-f-]{36}$/i.test(text)

/** Checks a person's standing and locks it, in the message that begins the transaction. */
function standingOf(actor: Actor | undefined): string {
  if (actor?.kind !== 'user' || actor.standing === null) return ''
  const { userId, sessionId, standing } = actor
  const { workspaceId, roles, least } = typeof standing === 'object' ? standing : NO_ROLE
  if (![userId, sessionId, workspaceId ?? userId].every(isId)) throw new Error('Not ids of a person and a session')
  if (![least, ...roles].every((role) => /^[A-Z]*$/.test(role))) throw new Error('Not names of roles')
  const asked = workspaceId === null ? 'null' : `'${workspaceId}'`
  return `; select require_standing('${sessionId}', '${userId}', ${asked}, '{${roles.join(',')}}', '${least}', ${standing === 'operator'})`
}

const NO_ROLE = { workspaceId: null, roles: [], least: '' }

interface Open {
  pool: pg.Pool
  begin: string
}

/** A connection inside a transaction. Statements leave at once, the first one with begin and context. */
function openWave({ pool, begin }: Open) {
  let connection: Promise<pg.PoolClient> | undefined
  let broken: unknown
  const locks: Query<unknown>[] = []
  let pending = 0
  let pendingWrite = false
  let joint = false
  let over = false

  const connect = () => {
    connection ??= pool.connect().then((client) => {
      // Begin and context cannot fail by themselves. If the connection fails, the next statement reports it.
      sendPlain(client, begin).catch((error: unknown) => (broken ??= error))
      return client
    })
    return connection
  }

  async function run<R>(statement: Query<R>): Promise<R[]> {
    if (over) throw new Error('This transaction has ended')
    const isWrite = writes.test(statement.compile().sql)
    if (!joint && pending > 0 && (isWrite || pendingWrite)) {
      throw new Error('A statement that writes goes alone: its row count decides what follows')
    }
    pending += 1
    pendingWrite = isWrite
    const before = locks.splice(0)
    try {
      const client = await connect()
      // If a lock fails, the statement after it fails too: the lock's error is the reason.
      for (const lock of before) send(client, lock).catch((error: unknown) => (broken ??= error))
      return await limit(send(client, statement))
    } catch (error) {
      broken ??= error
      throw broken
    } finally {
      pending -= 1
      if (pending === 0) pendingWrite = false
    }
  }

  /** Ends the transaction with the closing statements. Throws if it was not committed. */
  async function end(how: 'commit' | 'rollback', closing: Query<unknown>[] = []): Promise<void> {
    if (over) throw broken ?? new Error('This transaction has ended')
    const forgotten = pending > 0
    over = true
    if (!connection) {
      if (closing.length === 0) return
      void connect()
    }
    const client = await (connection as Promise<pg.PoolClient>)
    if (forgotten) how = 'rollback'
    let destroy = false
    try {
      const last = how === 'commit' ? [...locks, ...closing].map((statement) => send(client, statement)) : []
      const settled = await limit(Promise.allSettled<unknown>([...last, sendPlain(client, how)]))
      const failed = settled.find((result) => result.status === 'rejected')
      if (failed) {
        destroy = isLost(failed.reason)
        if (!destroy) await sendPlain(client, 'rollback')
        throw broken ?? failed.reason
      }
    } catch (error) {
      destroy ||= isLost(error)
      throw error
    } finally {
      client.release(destroy || isLost(broken))
    }
    if (forgotten) throw new Error('A statement was still under way at the end of its transaction: an await is missing')
    if (how === 'commit' && broken) throw broken
  }

  const lock = (statement: Query<unknown>) => void locks.push(statement)

  function together<P extends readonly Promise<unknown>[]>(statements: () => readonly [...P]): Promise<Results<P>> {
    joint = true
    try {
      return Promise.all(statements())
    } finally {
      joint = false
    }
  }

  return { run, together, lock, end }
}

function limit<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('The database did not answer in time'), { code: 'ETIMEDOUT' })),
      WAVE_LIMIT,
    )
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function refuseNested() {
  const held = holding.getStore()
  if (held) throw new Error(`A transaction is open here already (${held}): use its tx`)
}

/** Repeats an attempt while the database demands it. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const code = codeOf(error)
      if (code !== '40001' && code !== '40P01') throw explain(error)
      if (tries > 3) throw unavailable('Too many changes at the same place at this moment.', error)
    }
  }
}

async function inWave<T>(
  open: Open,
  what: string,
  work: (
    wave: Pick<ReturnType<typeof openWave>, 'run' | 'together' | 'lock'>,
  ) => Promise<{ result: T; closing: Query<unknown>[] }>,
): Promise<T> {
  const wave = openWave(open)
  let done: { result: T; closing: Query<unknown>[] }
  try {
    done = await holding.run(what, () => work(wave))
  } catch (error) {
    // The first error is the reason, not the error of the rollback.
    await wave.end('rollback').catch(() => undefined)
    throw error
  }
  await wave.end('commit', done.closing)
  return done.result
}

export interface PlatformParts {
  pool: pg.Pool
  events: Pick<Events, 'publish'>
  clock: Clock
  log: Log
  /** Without it every job waits for a look into the queue. */
  local?: LocalRunner
}

export function createScopes({ pool, events, clock, log, local }: PlatformParts): Scopes {
  /** Begin, context, statements and commit in one message: nothing in between is read. */
  async function oneTrip<R>(begin: string, queries: readonly Query<R>[]): Promise<R[][]> {
    refuseNested()
    return again(async () => {
      const client = await pool.connect()
      let failure: unknown
      try {
        const settled = await limit(
          Promise.allSettled<unknown>([
            sendPlain(client, begin),
            ...queries.map((each) => send(client, each)),
            sendPlain(client, 'commit'),
          ]),
        )
        const failed = settled.find((result) => result.status === 'rejected')
        if (failed) throw failed.reason
        return settled.slice(1, -1).map((result) => (result as PromiseFulfilledResult<R[]>).value)
      } catch (error) {
        failure = error
        throw error
      } finally {
        client.release(isLost(failure))
      }
    })
  }

  function scope(workspaceId: WorkspaceId, actor: Actor, role: RoleName = 'parley_app'): Scope {
    const scopeLog = log.child({
      workspaceId,
      ...(actor.kind === 'user' && { userId: actor.userId, requestId: actor.requestId }),
    })

    const read = <Q extends readonly Query<unknown>[]>(...queries: Q) =>
      oneTrip(opening(role, workspaceId, 'read'), queries) as Promise<RowsOf<Q>>

    const write = async <R>(statement: Query<R>, { relaxed = false, lock }: WriteOptions = {}) => {
      const begin = opening(role, workspaceId, relaxed ? 'relaxed' : 'write', actor)
      const rows = await oneTrip<unknown>(begin, lock ? [lock, statement] : [statement])
      return rows.at(-1) as R[]
    }

    function transaction<T>(
      work: (tx: Tx) => Promise<T>,
      { relaxed = false, unanswered, alone }: TransactionOptions = {},
    ): Promise<T> {
      refuseNested()
      const once = actor.kind === 'anonymous' ? undefined : actor.once
      return again(async () => {
        const now = clock.now()
        const audits: Query<unknown>[] = []
        const jobs: Json[] = []
        const localJobs: LocalJob[] = []
        /** By subject: several changes of one thing are one hint. */
        const emitted = new Map<string, Event>()
        let last: { statement: Query<unknown>; otherwise: Code } | undefined
        let ended = false
        const alive = () => {
          if (ended) throw new Error('This transaction has ended')
        }
        const result = await inWave(
          { pool, begin: opening(role, workspaceId, relaxed ? 'relaxed' : 'write', actor, alone) },
          `workspace ${workspaceId}`,
          async ({ run, together, lock }) => {
            const tx: Tx = {
              workspaceId,
              actor,
              now,
              run,
              together,
              async one(statement, otherwise, more) {
                const [row] = await run(statement)
                if (row === undefined) throw new AppError(otherwise, undefined, more)
                return row
              },
              lock(statement) {
                alive()
                lock(statement)
              },
              last(statement, otherwise) {
                alive()
                if (last) throw new Error('A transaction has one last statement')
                last = { statement, otherwise }
              },
              enqueue(name, data, at) {
                alive()
                const { key, localFor = 0 } = at ?? {}
                const isLocal = localFor > 0 && key !== undefined && local?.takes(name) === true
                const runAt = isLocal ? new Date(Date.now() + localFor) : at?.runAt
                if (isLocal && runAt) localJobs.push({ name, workspaceId, data, key, runAt })
                jobs.push({
                  name,
                  data,
                  ...(key && { key }),
                  ...(runAt && { runAt: runAt.toISOString() }),
                  ...(isLocal && { own: true }),
                  ...(tries[name] && { maxAttempts: tries[name] }),
                  ...(sharedTurns[name] && { turns: sharedTurns[name] }),
                })
                return isLocal
              },
              record(event) {
                alive()
                const { type, subject, data = {} } = event
                audits.push(auditEntry(workspaceId, actor, type, subject, data))
                const hint = hintOf(event, workspaceId)
                if (hint) emitted.set(`${hint.kind} ${hint.id}`, hint)
              },
              emit(event) {
                alive()
                emitted.set(`${event.kind} ${event.id}`, event)
              },
            }
            try {
              const value = await work(tx)
              if (once && !once.done) await run(keepEffect(once, now, value, unanswered)).then(refuseLostClaim)
              const enqueued = jobs.length > 0 ? [enqueueing(workspaceId, jobs)] : []
              return { result: value, closing: [...(last ? [last.statement] : []), ...audits, ...enqueued] }
            } finally {
              ended = true
            }
          },
        ).catch((error: unknown) => {
          throw last && codeOf(error) === NOT_FOUND ? new AppError(last.otherwise) : error
        })
        if (once) once.done = true
        for (const event of emitted.values()) events.publish(workspaceId, event)
        for (const job of localJobs) local?.take(job)
        return result
      })
    }

    async function steadySince(): Promise<Date> {
      const asked = performance.now()
      const [[told]] = await read(query<{ now: Date }>`select app_now() as now`)
      if (told && clock.sync(told.now, asked)) scopeLog.warn('the clock of the database was moved')
      return clock.steadySince()
    }

    const confirm = async <Q extends readonly Query<unknown>[]>(...queries: Q) => {
      const isNeeded = queries.length > 0 || standingOf(actor) !== ''
      return (isNeeded ? await oneTrip(opening(role, workspaceId, 'read', actor), queries) : []) as RowsOf<Q>
    }
    const asSystem = () => scope(workspaceId, { kind: 'system', name: 'Parley' }, role)
    return {
      workspaceId,
      actor,
      log: scopeLog,
      now: clock.now,
      steadySince,
      read,
      write,
      transaction,
      confirm,
      asSystem,
    }
  }

  function across<T>(
    why: AcrossReason,
    work: (tx: AcrossTx) => Promise<T>,
    { relaxed = false }: TransactionOptions = {},
  ) {
    refuseNested()
    return again(() =>
      inWave({ pool, begin: opening('parley_across', null, relaxed ? 'relaxed' : 'write') }, why, async ({ run }) => ({
        result: await work({ run }),
        closing: [],
      })),
    )
  }

  async function ask<R>(_why: AcrossReason, statement: Query<R>, { relaxed = false }: TransactionOptions = {}) {
    const [rows = []] = await oneTrip(opening('parley_across', null, relaxed ? 'relaxed' : 'write'), [statement])
    return rows
  }

  return {
    scope: (workspaceId, actor) => scope(workspaceId, actor),
    adminScope: (actor) => scope(NO_WORKSPACE, actor, 'parley_admin'),
    ask,
    across,
    foundingScope: (actor) => scope(uuidv7(), actor),
  }
}

/** Another request took the key over, because this one had stalled for too long. */
function refuseLostClaim(rows: unknown[]) {
  if (rows.length === 0) throw new AppError('idempotency_in_progress', undefined, { retryAfter: 1 })
}

/** Enqueues jobs. Jobs with turns use the turn of the workspace's owner, since one person may have many workspaces. */
function enqueueing(workspaceId: string, jobs: readonly object[]) {
  const all = JSON.stringify(jobs)
  if (!jobs.some((job) => 'turns' in job)) return query`select enqueue_jobs(${all}::jsonb)`
  return query`select enqueue_jobs((select jsonb_agg(case when job ? 'turns'
      then job || jsonb_build_object('turnOf', (select user_id from member where workspace_id = ${workspaceId} and role = 'OWNER'))
      else job end order by position)
    from jsonb_array_elements(${all}::jsonb) with ordinality as each (job, position)))`
}

function auditEntry(
  workspaceId: WorkspaceId,
  actor: Actor,
  action: string,
  object: Json,
  detail: Json,
): Query<unknown> {
  // A person who signs up or joins by an invitation has no actor yet: the entry itself names the person.
  const newcomer = actor.kind === 'anonymous' && typeof object.userId === 'string' ? object.userId : null
  const userId = actor.kind === 'user' ? actor.userId : newcomer
  const ip = actor.kind === 'system' ? null : (actor.ip ?? null)
  const requestId = actor.kind === 'system' ? null : (actor.requestId ?? null)
  if (workspaceId === NO_WORKSPACE) {
    const subject = typeof object.userId === 'string' ? object.userId : null
    return securityEvent({ action, userId: userId ?? subject, object, detail, ip, requestId })
  }
  return query`insert into audit_entry (workspace_id, id, actor_kind, actor_id, action, object, detail, ip, request_id)
    values (${workspaceId}, ${uuidv7()}, ${userId ? 'user' : 'system'}, ${userId}, ${action},
      ${JSON.stringify(object)}, ${JSON.stringify(detail)}, ${ip}, ${requestId})`
}
