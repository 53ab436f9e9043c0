import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { type Actor, type Alone, NO_WORKSPACE, type WorkspaceId } from './actor.ts'
import { codeOf, explain, isLost, type Query, send, sendPlain, unavailable } from './db.ts'

// One transaction on one connection. It begins in a role and a workspace, and its statements leave without waiting for
// answers.

export type Results<P extends readonly Promise<unknown>[]> = { -readonly [I in keyof P]: Awaited<P[I]> }

const STATEMENT_LIMIT = 5_000
/** Milliseconds. A batch of statements without an answer by then has lost its connection, which is not used again. */
const BATCH_LIMIT = 8_000

/** The transaction that this chain of calls holds. A second connection could wait for the first one forever. */
const holding = new AsyncLocalStorage<string>()

export type RoleName = 'parley_app' | 'parley_across' | 'parley_admin'

const writes = /\b(insert\s+into|delete\s+from|update\s+"?\w+"?\s+((as\s+)?"?\w+"?\s+)?set)\b/i

/**
 * Begin and context as one message. It takes no parameters, so this function checks that all values are ours or ids.
 */
export function opening(
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

/** A lock that makes transactions wait for each other if they change the standing of the same people. */
function lockFor(alone: Alone | undefined, workspaceId: WorkspaceId | null, actor: Actor | undefined): string {
  if (alone === undefined) return ''
  const whose = {
    members: workspaceId,
    sessions: actor?.kind === 'user' ? actor.userId : null,
    everybody: NO_WORKSPACE,
  }[alone]
  if (whose === null) return ''
  if (!isId(whose)) throw new Error('Not the ID of a user or workspace')
  return `; select pg_advisory_xact_lock(standing_key('${whose}', '${whose}'))`
}

const isId = (text: string) => /^[0-9a-f-]{36}$/i.test(text)

/** Checks and locks a person's standing, in the message that begins the transaction. */
export function standingOf(actor: Actor | undefined): string {
  const person = relyingOn(actor)
  if (!person?.standing) return ''
  const { userId, sessionId, standing } = person
  const { workspaceId, roles, least, features = [] } = typeof standing === 'object' ? standing : NO_ROLE
  if (![userId, sessionId, workspaceId ?? userId].every(isId)) throw new Error('Not the IDs of a user and a session')
  if (![least, ...roles].every((role) => /^[A-Z]*$/.test(role))) throw new Error('Not role names')
  if (!features.every((feature) => /^[a-z_]+$/.test(feature))) throw new Error('Not the IDs of features')
  const asked = workspaceId === null ? 'null' : `'${workspaceId}'`
  return `; select require_standing('${sessionId}', '${userId}', ${asked}, '{${roles.join(',')}}', '${least}', ${standing === 'operator'}, '{${features.join(',')}}')`
}

/** The person on whose standing the actor relies. */
function relyingOn(actor: Actor | undefined) {
  if (actor?.kind === 'system' && actor.operator) return { ...actor.operator, standing: 'operator' } as const
  return actor?.kind === 'user' ? actor : undefined
}

const NO_ROLE = { workspaceId: null, roles: [], least: '', features: [] }

export interface Open {
  pool: pg.Pool
  begin: string
}

/** A connection inside a transaction. Statements leave at once, the first one with begin and context. */
function openTransaction({ pool, begin }: Open) {
  let connection: Promise<pg.PoolClient> | undefined
  let broken: unknown
  const locks: Query<unknown>[] = []
  let pending = 0
  let pendingWrite = false
  let joint = false
  let over = false

  const connect = () => {
    connection ??= pool.connect().then((client) => {
      // If this message fails, the next statement fails too and throws this first error.
      sendPlain(client, begin).catch((error: unknown) => (broken ??= error))
      return client
    })
    return connection
  }

  async function run<R>(statement: Query<R>): Promise<R[]> {
    if (over) throw new Error('This transaction has ended')
    const isWrite = writes.test(statement.compile().sql)
    if (!joint && pending > 0 && (isWrite || pendingWrite)) {
      throw new Error('A statement that writes must run alone, because its row count decides what follows')
    }
    pending += 1
    pendingWrite = isWrite
    const before = locks.splice(0)
    try {
      const client = await connect()
      // If a lock fails, the next statement fails too, and the lock's error is the reason.
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

  /** Ends the transaction with the closing statements and returns their rows. Throws if it was not committed. */
  async function end(how: 'commit' | 'rollback', closing: Query<unknown>[] = []): Promise<unknown[][]> {
    if (over) throw broken ?? new Error('This transaction has ended')
    const forgotten = pending > 0
    over = true
    if (!connection) {
      if (closing.length === 0) return []
      void connect()
    }
    const client = await (connection as Promise<pg.PoolClient>)
    if (forgotten) how = 'rollback'
    let destroy = false
    let rows: unknown[][] = []
    try {
      const last = how === 'commit' ? [...locks, ...closing].map((statement) => send(client, statement)) : []
      const settled = await limit(Promise.allSettled<unknown>([...last, sendPlain(client, how)]))
      const failed = settled.find((result) => result.status === 'rejected')
      if (failed) {
        destroy = isLost(failed.reason)
        if (!destroy) await sendPlain(client, 'rollback')
        throw broken ?? failed.reason
      }
      const answers = settled.map((result) => (result as PromiseFulfilledResult<unknown[]>).value)
      rows = answers.slice(answers.length - 1 - closing.length, -1)
    } catch (error) {
      destroy ||= isLost(error)
      throw error
    } finally {
      client.release(destroy || isLost(broken))
    }
    if (forgotten) throw new Error('A statement was still running at the end of its transaction: an await is missing')
    if (how === 'commit' && broken) throw broken
    return rows
  }

  const lock = (statement: Query<unknown>) => void locks.push(statement)

  function together<P extends readonly Promise<unknown>[]>(statements: () => readonly [...P]): Promise<Results<P>> {
    const within = joint
    joint = true
    try {
      return Promise.all(statements())
    } finally {
      joint = within
    }
  }

  return { run, together, lock, end }
}

function limit<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('The database did not respond in time'), { code: 'ETIMEDOUT' })),
      BATCH_LIMIT,
    )
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

export function refuseNested() {
  const held = holding.getStore()
  if (held) throw new Error(`A transaction is already open here (${held}): use its tx`)
}

/** Repeats an attempt while the database demands it, at most three times. */
export async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const code = codeOf(error)
      if (code !== '40001' && code !== '40P01') throw explain(error)
      if (tries > 3) throw unavailable('Too many concurrent changes to the same data. Try again shortly.', error)
    }
  }
}

interface Closing<T> {
  /** Leave together with the commit. */
  closing: Query<unknown>[]
  /** Gets the rows of each closing statement after the commit, and returns the result. */
  result(rows: unknown[][]): T
}

export async function inTransaction<T>(
  open: Open,
  what: string,
  work: (opened: Pick<ReturnType<typeof openTransaction>, 'run' | 'together' | 'lock'>) => Promise<Closing<T>>,
): Promise<T> {
  const opened = openTransaction(open)
  let done: Closing<T>
  try {
    done = await holding.run(what, () => work(opened))
  } catch (error) {
    // The first error is the reason, not that of the rollback.
    await opened.end('rollback').catch(() => undefined)
    throw error
  }
  return done.result(await opened.end('commit', done.closing))
}

/** Sends begin, context, statements and commit in one message. Nothing is read in between. */
export async function oneTrip<R>({ pool, begin }: Open, queries: readonly Query<R>[]): Promise<R[][]> {
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
