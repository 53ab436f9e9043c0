import type { RawBuilder } from 'kysely'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { AppError, type Code, type StateRefusal } from '../errors.ts'
import { type Actor, type Alone, NO_WORKSPACE, type WorkspaceId } from './actor.ts'
import type { Clock } from './clock.ts'
import { codeOf, type Query, type Row, query, sql, whole } from './db.ts'
import type { Event, Events } from './events.ts'
import type { DomainEvent, Hints } from './record.ts'
import { keepEffect, type KeptEffect, withoutShownOnce } from './idempotency-keys.ts'
import type { Jobs } from './job-names.ts'
import type { Json } from './json.ts'
import type { LocalRunner } from './local-dispatch.ts'
import type { Log } from './log.ts'
import { createOutbox, type JobPlace } from './outbox.ts'
import {
  again,
  inTransaction,
  oneTrip,
  type Open,
  opening,
  refuseNested,
  type Results,
  type RoleName,
  standingOf,
} from './transaction.ts'

export { type Actor, type Alone, NO_WORKSPACE, type Standing, type WorkspaceId } from './actor.ts'

export type { JobPlace } from './outbox.ts'

type Refused<C extends Code> = C extends 'invalid_state' ? [more: StateRefusal] : [more?: Json | undefined]

/** A transaction in one workspace. It cannot reach the outside world, and is unusable after its end. */
export interface Tx {
  readonly workspaceId: WorkspaceId
  readonly actor: Actor
  readonly now: Date
  /**
   * Returns the rows of one statement. Several reads at once share one round trip; a statement that writes goes alone.
   */
  run<R>(statement: Query<R>): Promise<R[]>
  /** Returns the first row. Throws the coded error if there is none. `invalid_state` has the state that the caller saw. */
  one<R, C extends Code>(statement: Query<R>, otherwise: C, ...more: Refused<C>): Promise<R>
  /**
   * Sends the statements that `statements` begins in one round trip and in order, even if they write: each sees the
   * effects of those before it. A statement that does not find its row throws, which undoes all of them. An operation
   * begun inside may send its own statements together.
   */
  together<P extends readonly Promise<unknown>[]>(statements: () => readonly [...P]): Promise<Results<P>>
  /**
   * Takes a lock that only makes others wait. It shares a round trip with the next statement, which sees the effects of
   * earlier holders.
   */
  lock(statement: Query<unknown>): void
  /**
   * Sends a statement with the commit, before the last one. Nothing can depend on its rows, so it must fail by itself
   * if it cannot be done.
   */
  atCommit(statement: Query<unknown>): void
  /**
   * Sets the last statement, which leaves together with the commit. Only jobs follow it, so its locks are not held while
   * other statements run. Nothing can depend on its rows before the commit, so it must itself refuse if a row is
   * missing: `must_find(count)` of no row undoes the transaction, which then throws `LastRefused` with the coded error.
   */
  last<R>(statement: Query<R>, otherwise: Code, more?: LastOptions<R>): void
  /** Enqueues a job with the commit. Returns whether this process will run it itself (`localFor`). */
  enqueue<J extends keyof Jobs>(job: J, data: Jobs[J], at?: JobPlace): boolean
  /**
   * Records a fact. Its subscribers run when the work of the transaction is done, the audit history gets it with the
   * commit, and the screens concerned get a hint afterwards.
   */
  record(event: DomainEvent): void
  /** Sends a hint about a change that is not a fact of the history. */
  emit(event: Event): void
}

export interface LastOptions<R> {
  /**
   * Statements that leave immediately before the last one: locks, so that others wait for no further trip, and
   * statements that refuse by themselves too.
   */
  before?: readonly Query<unknown>[]
  /** Gets the rows of the last statement after the commit, before the hints and the jobs of this process. */
  seen?: (rows: R[]) => void
}

/**
 * Adds what follows from an event to its transaction, such as notices and jobs. It runs after the transaction's own
 * work and before the statements that leave with the commit. An error undoes the transaction.
 */
type Subscriber<E extends DomainEvent> = (tx: Tx, event: E) => Promise<unknown> | void

export interface Follower {
  readonly type: string
  readonly run: Subscriber<never>
}

/** Subscribes to the events of a type. Each type has the shape of its event. */
export const on = <E extends DomainEvent>(type: E['type'], run: Subscriber<E>): Follower => ({ type, run })

/** What an area does with events, its own and those of areas to its left. */
export interface Subscribers {
  hints?: Hints
  /** Those of one event run one after the other, in the order of the areas. */
  subscriptions?: readonly Follower[]
}

/** The result of a transaction that a statement of one row reads in the packet of the commit, when all rows are written. */
export class ReadAtCommit<T> {
  readonly row: RawBuilder<{ json: T }>

  constructor(row: RawBuilder<{ json: T }>) {
    this.row = row
  }
}

/** The statements that left with the commit did not find the expected state, so the transaction was undone. */
export class LastRefused extends AppError {}

export interface TransactionOptions {
  /** The commit does not wait for the disk. Only for changes that can be repeated after a crash of the database. */
  relaxed?: boolean
  /**
   * The answer to a repeat of a request whose process ended before it answered; by default 2xx with the result of
   * `work`.
   */
  unanswered?: { status: number; headers: Record<string, string> }
  /**
   * For changes of people's standing, which run one at a time. The transaction waits for its turn before it locks the
   * standing of its own person. Otherwise two such transactions could wait for each other.
   */
  alone?: Alone
}

export interface WriteOptions extends Pick<TransactionOptions, 'relaxed'> {
  /** Taken before the statement, in the same round trip. */
  lock?: Query<unknown>
}

export type RowsOf<Q extends readonly unknown[]> = { [I in keyof Q]: Row<Q[I]>[] }

/** The only access of product code to data: reads and transactions in one workspace, as one actor. */
export interface Scope {
  readonly workspaceId: WorkspaceId
  readonly actor: Actor
  readonly log: Log
  now(): Date
  /** Reads the database's time, and returns since when its clock was not moved (`Clock.steadySince`). */
  steadySince(): Promise<Date>
  /** Returns the rows of each query, in one round trip and with one snapshot each. Nothing can be written. */
  read<Q extends readonly Query<unknown>[]>(...queries: Q): Promise<RowsOf<Q>>
  /**
   * Runs one statement in one round trip with its own begin and commit. The statement guards itself: it names the state
   * that it expects, and its rows show whether it found that state. It has no audit entry, job or event; those need a
   * transaction.
   */
  write<R>(statement: Query<R>, options?: WriteOptions): Promise<R[]>
  /**
   * Runs `work` in a transaction. The database may demand up to 3 repetitions, so `work` must have no effect outside
   * its `tx`.
   */
  transaction<T>(work: (tx: Tx) => Promise<T | ReadAtCommit<T>>, options?: TransactionOptions): Promise<T>
  /**
   * Reads like `read`, but throws the gate's refusal if the person may no longer act. For work without a transaction,
   * such as a stream.
   */
  confirm<Q extends readonly Query<unknown>[]>(...queries: Q): Promise<RowsOf<Q>>
  /**
   * The same scope for all transactions of a request but its last one: they leave its Idempotency-Key undone. If one of
   * them breaks off, a repeat with the key does the whole work again.
   */
  beforeLast(): Scope
  /**
   * The same workspace in the name of the product, to release what a request reserved even after the caller lost
   * access.
   */
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
  | 'metrics'

export interface AcrossTx {
  run<R>(statement: Query<R>): Promise<R[]>
}

/**
 * Statements over all workspaces: for the gate, and for sweeps that look for work. Code for one workspace takes a
 * `Scope`.
 */
export interface Scopes {
  /** Runs one statement over all workspaces, in one round trip. The statement guards itself, as with `Scope.write`. */
  ask<R>(why: AcrossReason, statement: Query<R>, options?: TransactionOptions): Promise<R[]>
  across<T>(why: AcrossReason, work: (tx: AcrossTx) => Promise<T>, options?: TransactionOptions): Promise<T>
  scope(workspaceId: WorkspaceId, actor: Actor): Scope
  /** The scope of the operators, over all workspaces. Only after the gate `super-admin`. */
  adminScope(actor: Actor): Scope
  /** The scope of a workspace that does not exist yet, for the one operation that creates it. */
  foundingScope(actor: Actor): Scope
}

/** The error code of `must_find`. */
const NOT_FOUND = 'PA001'

export interface ScopesParts {
  pool: pg.Pool
  events: Pick<Events, 'publish'>
  clock: Clock
  log: Log
  /** Without it, every job goes through the queue. */
  local?: LocalRunner
  /** What follows from events. With none, an event is only kept in the history. */
  subscribers: readonly Subscribers[]
}

export function createScopes({ pool, events, clock, log, local, subscribers }: ScopesParts): Scopes {
  const hints: Hints = Object.assign({}, ...subscribers.map((area) => area.hints))
  const subscriptions = subscribers.flatMap((area) => area.subscriptions ?? [])
  const open = (...how: Parameters<typeof opening>): Open => ({ pool, begin: opening(...how) })

  /** Runs the subscribers of events. A subscriber may record further events, whose subscribers run too. */
  async function runSubscribers(tx: Tx, recorded: Iterable<DomainEvent>): Promise<void> {
    for (const event of recorded) {
      for (const { type, run } of subscriptions) if (type === event.type) await run(tx, event as never)
    }
  }

  function scope(workspaceId: WorkspaceId, actor: Actor, role: RoleName = 'parley_app'): Scope {
    let scopeLog: Log | undefined
    // Created on first use: most requests write nothing, and a child log costs more than the rest of a scope.
    const logOf = () =>
      (scopeLog ??= log.child({
        workspaceId,
        ...(actor.kind === 'user' && { userId: actor.userId, requestId: actor.requestId }),
      }))

    const read = <Q extends readonly Query<unknown>[]>(...queries: Q) =>
      oneTrip(open(role, workspaceId, 'read'), queries) as Promise<RowsOf<Q>>

    const write = async <R>(statement: Query<R>, { relaxed = false, lock }: WriteOptions = {}) => {
      const opened = open(role, workspaceId, relaxed ? 'relaxed' : 'write', actor)
      const rows = await oneTrip<unknown>(opened, lock ? [lock, statement] : [statement])
      return rows.at(-1) as R[]
    }

    function transaction<T>(
      work: (tx: Tx) => Promise<T | ReadAtCommit<T>>,
      { relaxed = false, unanswered, alone }: TransactionOptions = {},
    ): Promise<T> {
      refuseNested()
      const once = actor.kind === 'anonymous' ? undefined : actor.once
      return again(async () => {
        const now = clock.now()
        const outbox = createOutbox({ workspaceId, actor, shift: clock.shift, hints, local })
        const atCommit: Query<unknown>[] = []
        let last: { statements: Query<unknown>[]; otherwise: Code; seen(rows: unknown[]): void } | undefined
        let ended = false
        const alive = () => {
          if (ended) throw new Error('This transaction has ended')
        }
        const result = await inTransaction(
          open(role, workspaceId, relaxed ? 'relaxed' : 'write', actor, alone),
          `workspace ${workspaceId}`,
          async ({ run, together, lock }) => {
            const tx: Tx = {
              workspaceId,
              actor,
              now,
              run,
              together,
              async one(statement, otherwise, ...more) {
                const [row] = await run(statement)
                if (row === undefined) throw new AppError<Code>(otherwise, undefined, more[0])
                return row
              },
              lock(statement) {
                alive()
                lock(statement)
              },
              atCommit(statement) {
                alive()
                atCommit.push(statement)
              },
              last<R>(statement: Query<R>, otherwise: Code, { before = [], seen }: LastOptions<R> = {}) {
                alive()
                if (last) throw new Error('A transaction can have only one last statement')
                last = { statements: [...before, statement], otherwise, seen: (rows) => seen?.(rows as R[]) }
              },
              enqueue(name, data, at) {
                alive()
                return outbox.enqueue(name, data, at)
              },
              record(event) {
                alive()
                outbox.record(event)
              },
              emit(event) {
                alive()
                outbox.emit(event)
              },
            }
            try {
              const made = await work(tx)
              await runSubscribers(tx, outbox.recorded)
              const read = made instanceof ReadAtCommit ? made.row : undefined
              let kept: KeptEffect | undefined
              if (once && !once.done) {
                const body = read
                  ? sql<string>`(select read.json::text from (${read}) read)`
                  : withoutShownOnce(made, once)
                const keeping = keepEffect(once, now, body, unanswered)
                // The key keeps the result, so the rows that it is read from leave first.
                kept = await keepResult({ run, together }, [...atCommit.splice(0), keeping])
              }
              const reading = read && !kept ? [whole(read)] : []
              // Others may wait for the locks of the last statement, so the history and the answer come before it.
              const ahead = [...atCommit, ...outbox.history(), ...reading]
              const lastly = last?.statements ?? []
              return {
                closing: [...ahead, ...lastly, ...outbox.enqueueing()],
                result(rows) {
                  last?.seen(rows[ahead.length + lastly.length - 1] ?? [])
                  if (!read) return made as T
                  return kept ? (JSON.parse(kept.result!) as T) : (rows[ahead.length - 1] as { json: T }[])[0]!.json
                },
              }
            } finally {
              ended = true
            }
          },
        ).catch((error: unknown) => {
          throw last && codeOf(error) === NOT_FOUND ? new LastRefused(last.otherwise) : error
        })
        if (once) once.done = true
        outbox.leave(events)
        return result
      })
    }

    async function steadySince(): Promise<Date> {
      const asked = performance.now()
      const [[told]] = await read(query<{ now: Date }>`select app_now() as now`)
      if (told && clock.sync(told.now, asked)) logOf().warn('the clock of the database was moved')
      return clock.steadySince()
    }

    const confirm = async <Q extends readonly Query<unknown>[]>(...queries: Q) => {
      const isNeeded = queries.length > 0 || standingOf(actor) !== ''
      return (isNeeded ? await oneTrip(open(role, workspaceId, 'read', actor), queries) : []) as RowsOf<Q>
    }
    const beforeLast = () => {
      if (actor.kind !== 'user') return scope(workspaceId, actor, role)
      const { once: _, ...keyless } = actor
      return scope(workspaceId, keyless, role)
    }
    const asSystem = () => scope(workspaceId, { kind: 'system', name: 'Parley' }, role)
    return {
      workspaceId,
      actor,
      get log() {
        return logOf()
      },
      now: clock.now,
      steadySince,
      read,
      write,
      transaction,
      confirm,
      beforeLast,
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
      inTransaction(open('parley_across', null, relaxed ? 'relaxed' : 'write'), why, async ({ run }) => {
        const value = await work({ run })
        return { closing: [], result: () => value }
      }),
    )
  }

  async function ask<R>(_why: AcrossReason, statement: Query<R>, { relaxed = false }: TransactionOptions = {}) {
    const [rows = []] = await oneTrip(open('parley_across', null, relaxed ? 'relaxed' : 'write'), [statement])
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

/**
 * Runs the statements. The last one stores the result of a request with its key. Throws
 * `idempotency_in_progress` if another request has taken the key over.
 */
async function keepResult(
  { run, together }: Pick<Tx, 'run' | 'together'>,
  statements: readonly Query<unknown>[],
): Promise<KeptEffect> {
  const [only, ...more] = statements
  // A single statement runs alone, so that it fails if an earlier one was not awaited.
  const sent = more.length > 0 ? await together(() => statements.map((each) => run(each))) : [await run(only!)]
  const [kept] = sent.at(-1) as KeptEffect[]
  if (!kept) throw new AppError('idempotency_in_progress', undefined, { retryAfter: 1 })
  return kept
}
