import { randomBytes } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { type ConnectionConfig, openClient, sql } from './db.ts'
import { KEY_SEED, PROCESS_SEED } from './lock-ids.ts'
import type { Log } from './log.ts'

/** SQL: whether the process of this name lives. A process without a connection counts as dead until it reconnects. */
export const isAlive = (name: RawBuilder<unknown>) => sql`exists (select from pg_locks where locktype = 'advisory'
  and objsubid = 1 and ((classid::bigint << 32) | objid::bigint) = hashtextextended(${name}, ${sql.lit(PROCESS_SEED)})
  and database = (select oid from pg_database where datname = current_database()))`

/** A hint that something changed. It has no data; interested clients fetch the data. */
export interface Event {
  kind:
    | 'post'
    | 'media'
    | 'account'
    | 'conversation'
    | 'presence'
    | 'workspace'
    | 'notification'
    | 'session'
    | 'generation'
  id: string
}

export interface Hint {
  id: string
  event: Event
}

export interface EventSubscription {
  /** The missed events, or `reset` if they are no longer known. */
  missed: Hint[] | 'reset'
  close(): void
}

export interface Events {
  /**
   * The name of this process. While the process lives and reaches the database, it holds an advisory lock on this name
   * (`isAlive`).
   */
  readonly process: string
  /**
   * Notifies subscribers in this process at once, and those in other processes within 50 ms. If this process dies in
   * between, the others never hear of it.
   */
  publish(workspaceId: string, event: Event): void
  subscribe(workspaceId: string, lastEventId: string | undefined, listener: (hint: Hint) => void): EventSubscription
  /** Calls the listener when events of other processes may have been lost. Returns a function that unsubscribes it. */
  subscribeToLoss(listener: () => void): () => void
  /** Calls the listener for events of all workspaces. Returns a function that unsubscribes it. */
  subscribeAll(listener: (event: Event) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'parley_events'
const BATCH_EVERY = 50
const RING = 500
/** The workspaces whose last events are kept: those that had an event or a subscriber last. */
const RINGS = 1_000
/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const PAYLOAD = 7_000

/**
 * The hub of this process. Events of other processes arrive over one LISTEN connection. After a loss it reconnects, and
 * all clients are told to fetch again, those with an open stream and those that reconnect. The connection also shares a
 * lock on the encryption key of this process, so that a change of the key finds processes with another one.
 */
export async function openEvents(connection: ConnectionConfig, log: Log, keyId?: string): Promise<Events> {
  const boot = randomBytes(12).toString('hex')
  const rings = new LRUCache<string, Ring>({
    max: RINGS,
    dispose({ hints }) {
      forgotten = Math.max(forgotten, numberOf(hints.at(-1)!.id))
    },
  })
  const listeners = new Map<string, Set<(hint: Hint) => void>>()
  const listenersToAll = new Set<(event: Event) => void>()
  const listenersToLoss = new Set<() => void>()
  const queue: [string, Event['kind'], string][] = []
  let seq = 0
  /** A subscriber with a lower number may have missed an event. */
  let knownSince = 0
  /** The number of the last event of a dropped ring. */
  let forgotten = 0
  let client: pg.Client | undefined
  let closed = false
  let batch: NodeJS.Timeout | undefined
  let reconnect: NodeJS.Timeout | undefined

  function deliver([workspaceId, kind, id]: [string, Event['kind'], string]) {
    seq += 1
    const hint: Hint = { id: `${boot}-${seq}`, event: { kind, id } }
    let ring = rings.get(workspaceId)
    if (!ring) rings.set(workspaceId, (ring = { since: forgotten, hints: [] }))
    ring.hints.push(hint)
    if (ring.hints.length > RING) ring.hints.shift()
    for (const listener of listeners.get(workspaceId) ?? []) listener(hint)
    for (const listener of listenersToAll) listener(hint.event)
  }

  async function listen(delay: number): Promise<void> {
    try {
      const opened = await openClient(connection, (error) => log.warn({ err: error }, 'the event connection failed'))
      let pid: number | undefined
      opened.on('notification', ({ processId, payload }) => {
        // `publish` has already notified our own subscribers.
        if (processId === pid) return
        for (const entry of JSON.parse(payload ?? '[]') as [string, Event['kind'], string][]) deliver(entry)
      })
      opened.on('end', () => {
        client = undefined
        if (!closed) retry(100)
      })
      await opened.query(`listen ${CHANNEL}`)
      const { rows } = await opened.query<{ pid: number }>(
        `select pg_advisory_lock(hashtextextended($1, $2)), pg_advisory_lock_shared(hashtextextended($3, $4)),
          pg_backend_pid() as pid`,
        [boot, PROCESS_SEED, keyId ?? null, KEY_SEED],
      )
      pid = rows[0]?.pid
      client = opened
      seq += 1
      knownSince = seq
      rings.clear()
      for (const listener of listenersToLoss) listener()
      flushSoon()
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for events; trying again')
      retry(Math.min(delay * 2, 5_000))
    }
  }

  function retry(delay: number) {
    if (closed) return
    clearTimeout(reconnect)
    reconnect = setTimeout(() => void listen(delay), delay)
  }

  function flushSoon() {
    if (queue.length > 0) batch ??= setTimeout(() => void flush(), BATCH_EVERY)
  }

  async function flush(): Promise<void> {
    batch = undefined
    if (!client || queue.length === 0) return
    const entries: string[] = []
    let size = 2
    while (queue.length > 0) {
      const entry = JSON.stringify(queue[0])
      if (size + entry.length + 1 > PAYLOAD) break
      entries.push(entry)
      size += entry.length + 1
      queue.shift()
    }
    try {
      await client.query('select pg_notify($1, $2)', [CHANNEL, `[${entries.join(',')}]`])
    } catch (error) {
      // Hints may be lost: clients fetch visible data each minute anyway.
      log.warn({ err: error, events: entries.length }, 'events were not sent to other processes')
    }
    flushSoon()
  }

  await listen(100)

  return {
    process: boot,
    publish(workspaceId, { kind, id }) {
      setImmediate(deliver, [workspaceId, kind, id])
      if (queue.length < 10_000) queue.push([workspaceId, kind, id])
      flushSoon()
    },
    subscribe(workspaceId, lastEventId, listener) {
      let set = listeners.get(workspaceId)
      if (!set) listeners.set(workspaceId, (set = new Set()))
      set.add(listener)
      return {
        missed: missedSince(lastEventId, rings.get(workspaceId) ?? { since: forgotten, hints: [] }),
        close() {
          set.delete(listener)
          if (set.size === 0) listeners.delete(workspaceId)
        },
      }
    },
    subscribeAll(listener) {
      listenersToAll.add(listener)
      return () => void listenersToAll.delete(listener)
    },
    subscribeToLoss(listener) {
      listenersToLoss.add(listener)
      return () => void listenersToLoss.delete(listener)
    },
    async close() {
      closed = true
      clearTimeout(reconnect)
      clearTimeout(batch)
      await flush()
      clearTimeout(batch)
      await client?.end()
    },
  }

  function missedSince(lastEventId: string | undefined, { since, hints }: Ring): Hint[] | 'reset' {
    if (lastEventId === undefined) return []
    const last = numberOf(lastEventId)
    if (!lastEventId.startsWith(`${boot}-`) || !Number.isInteger(last) || last < Math.max(knownSince, since))
      return 'reset'
    const after = hints.filter((hint) => numberOf(hint.id) > last)
    return hints.length === RING && after.length === RING ? 'reset' : after
  }
}

/** The last events of a workspace. A subscriber with a number below `since` may have missed one. */
interface Ring {
  since: number
  hints: Hint[]
}

const numberOf = (hintId: string): number => Number(hintId.split('-')[1])
