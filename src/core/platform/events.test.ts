import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { eventually } from '../../../test/world.ts'
import { createClock } from './clock.ts'
import { openPool, query } from './db.ts'
import { type Event, type Events, type Hint, openEvents } from './events.ts'
import { createLog } from './log.ts'
import { createScopes } from './scope.ts'

let database: TestDatabase
let sql: pg.Client
let here: Events
let there: Events
const log = createLog('silent')
const workspace = randomUUID()

beforeEach(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  here = await hub('here')
  there = await hub('there')
})

afterEach(async () => {
  await here?.close()
  await there?.close()
  await sql?.end()
  await database?.drop()
})

/** Opens the hub of one process; its connection carries the name. */
const hub = (name: string) => openEvents({ connectionString: database.url, application_name: name }, log)

const changed = (id: string): Event => ({ kind: 'post', id })
const ids = (hints: Hint[]) => hints.map(({ event }) => event.id)

function listen(events: Events, workspaceId = workspace): Hint[] {
  const heard: Hint[] = []
  events.subscribe(workspaceId, undefined, (hint) => heard.push(hint))
  return heard
}

async function until(heard: Hint[], count: number): Promise<Hint[]> {
  await eventually(async () => heard.length >= count)
  return heard
}

/** The events that a client gets when it reconnects with the last id that it saw. */
function missed(events: Events, lastEventId: string, workspaceId = workspace) {
  const subscription = events.subscribe(workspaceId, lastEventId, () => undefined)
  subscription.close()
  return subscription.missed
}

const backend = async (name: string): Promise<number | undefined> =>
  (await sql.query<{ pid: number }>('select pid from pg_stat_activity where application_name = $1', [name])).rows[0]
    ?.pid

/** Cuts a hub's connection. */
async function cut(name: string): Promise<number> {
  const pid = (await backend(name)) as number
  await sql.query('select pg_terminate_backend($1, 5000)', [pid])
  return pid
}

/** Collects each notification as it passes through the database. */
async function tapped(work: (payloads: string[]) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  const payloads: string[] = []
  client.on('notification', ({ payload }) => payloads.push(payload ?? ''))
  await client.connect()
  await client.query('listen parley_events')
  await work(payloads).finally(() => client.end())
}

describe('an event', () => {
  test('reaches the subscribers of every process once, in order', async () => {
    const [heardHere, heardThere] = [listen(here), listen(there)]
    for (const id of ['first', 'second', 'third']) here.publish(workspace, changed(id))
    expect(ids(await until(heardThere, 3))).toEqual(['first', 'second', 'third'])
    expect(ids(await until(heardHere, 3))).toEqual(['first', 'second', 'third'])
  })

  test('reaches subscribers in its own process at once, without the database, and only once', async () => {
    const [heard, heardThere] = [listen(here), listen(there)]
    await cut('here')
    here.publish(workspace, changed('ours'))
    await yieldToOthers()
    expect(ids(heard)).toEqual(['ours'])
    // Another process has heard it, so it has passed through the database, also to us.
    await until(heardThere, 1)
    there.publish(workspace, changed('theirs'))
    expect(ids(await until(heard, 2))).toEqual(['ours', 'theirs'])
  })

  test('is published only after its transaction has committed', async () => {
    const pool = openPool(database.url, 1, () => undefined)
    const scopes = createScopes({ pool, events: here, clock: createClock(), log, subscribers: [] })
    const heard = listen(there)
    await scopes.scope(workspace, { kind: 'system', name: 'test' }).transaction(async (tx) => {
      await tx.run(query`select 1`)
      tx.emit(changed('saved'))
      // Once this later hint is heard, the other would have been heard too.
      here.publish(workspace, changed('beside'))
      expect(ids(await until(heard, 1))).toEqual(['beside'])
    })
    expect(ids(await until(heard, 2))).toEqual(['beside', 'saved'])
    await pool.end()
  })

  test("does not reach another workspace's subscriber, now or later", async () => {
    const stranger = randomUUID()
    const [heard, strangers] = [listen(here), listen(here, stranger)]
    here.publish(workspace, changed('ours'))
    here.publish(stranger, changed('theirs'))
    here.publish(workspace, changed('ours again'))
    await until(heard, 2)
    expect(ids(heard)).toEqual(['ours', 'ours again'])
    expect(ids(strangers)).toEqual(['theirs'])
    expect(missed(here, (strangers[0] as Hint).id, stranger)).toEqual([])
  })

  test('does not reach a closed subscription', async () => {
    const heard: Hint[] = []
    const subscription = here.subscribe(workspace, undefined, (hint) => heard.push(hint))
    const others = listen(here)
    subscription.close()
    here.publish(workspace, changed('late'))
    await until(others, 1)
    expect(heard).toEqual([])
  })

  test('reaches a subscriber to all workspaces until it unsubscribes', async () => {
    const heard: Event[] = []
    const unsubscribe = there.subscribeAll((event) => heard.push(event))
    const last = listen(there)
    here.publish(randomUUID(), changed('one'))
    here.publish(randomUUID(), { kind: 'account', id: 'two' })
    await eventually(async () => heard.length === 2)
    expect(heard).toEqual([changed('one'), { kind: 'account', id: 'two' }])
    unsubscribe()
    here.publish(workspace, changed('three'))
    await until(last, 1)
    expect(heard).toHaveLength(2)
  })

  test('that waits for its batch is still sent when the process stops', async () => {
    const heard = listen(there)
    here.publish(workspace, changed('last'))
    await here.close()
    expect(ids(await until(heard, 1))).toEqual(['last'])
  })
})

describe('a batch', () => {
  test('is one notification for all events within 50 ms', () =>
    tapped(async (payloads) => {
      const heard = listen(there)
      for (let i = 0; i < 50; i += 1) here.publish(workspace, changed(String(i)))
      await until(heard, 50)
      here.publish(workspace, changed('later'))
      await eventually(async () => payloads.some((payload) => payload.includes('later')))
      expect(payloads).toHaveLength(2)
    }))

  test('is sent at most every 50 ms, however often something changes', () =>
    tapped(async (payloads) => {
      const heard = listen(there)
      const started = Date.now()
      while (Date.now() - started < 400) {
        here.publish(workspace, changed('again'))
        await sleep(2)
      }
      here.publish(workspace, changed('last'))
      await eventually(async () => payloads.some((payload) => payload.includes('last')))
      expect(payloads.length).toBeLessThanOrEqual((Date.now() - started) / 50 + 1)
      expect(payloads.join('').split('again').length - 1).toBeGreaterThan(payloads.length)
      await eventually(async () => ids(heard).includes('last'))
    }))

  test('that is too large for one notification is split without loss', () =>
    tapped(async (payloads) => {
      const heard = listen(there)
      const sent = Array.from({ length: 400 }, () => randomUUID())
      for (const id of sent) here.publish(workspace, changed(id))
      expect(ids(await until(heard, 400))).toEqual(sent)
      await eventually(async () => payloads.some((payload) => payload.includes(sent.at(-1) as string)))
      expect(payloads.length).toBeGreaterThan(1)
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
    }))
})

describe('a client that reconnects', () => {
  test('gets what it missed since its last event', async () => {
    const heard = listen(here)
    for (const id of ['seen', 'missed', 'missed too']) here.publish(workspace, changed(id))
    const [seen, ...rest] = await until(heard, 3)
    expect(missed(here, (seen as Hint).id)).toEqual(rest)
    expect(missed(here, (rest[1] as Hint).id)).toEqual([])
  })

  test('must fetch again when its last event is no longer kept', async () => {
    const heard = listen(here)
    for (let i = 0; i < 502; i += 1) here.publish(workspace, changed(String(i)))
    const [gone, alsoGone, kept] = await until(heard, 502)
    expect(missed(here, (gone as Hint).id)).toBe('reset')
    expect(missed(here, (alsoGone as Hint).id)).toBe('reset')
    expect(missed(here, (kept as Hint).id)).toHaveLength(499)
  })

  test('must fetch again when so many workspaces had events since that its own are no longer kept', async () => {
    const heard = listen(here)
    here.publish(workspace, changed('seen'))
    here.publish(workspace, changed('missed'))
    const [seen, last] = await until(heard, 2)
    for (let i = 0; i < 1_000; i += 1) here.publish(randomUUID(), changed('elsewhere'))
    await eventually(async () => missed(here, (seen as Hint).id) === 'reset')
    here.publish(workspace, changed('after'))
    const [, , after] = await until(heard, 3)
    expect(missed(here, (last as Hint).id)).toEqual([after])
    expect(missed(here, (after as Hint).id)).toEqual([])
  })

  test('must fetch again when its last event is unknown or from another process', async () => {
    const heard = listen(there)
    there.publish(workspace, changed('elsewhere'))
    const [elsewhere] = await until(heard, 1)
    expect(missed(here, (elsewhere as Hint).id)).toBe('reset')
    expect(missed(here, 'nonsense')).toBe('reset')
    expect(missed(here, '')).toBe('reset')
  })
})

describe('a lost connection', () => {
  test('is reopened, and events are then sent and received again', async () => {
    const [heardHere, heardThere] = [listen(here), listen(there)]
    const lost = await cut('here')
    here.publish(workspace, changed('told while away'))
    await eventually(async () => ![undefined, lost].includes(await backend('here')))
    expect(ids(await until(heardThere, 1))).toEqual(['told while away'])
    await eventually(async () => {
      there.publish(workspace, changed('heard after'))
      return ids(heardHere).includes('heard after')
    })
  })

  test('is told once it is reopened', async () => {
    let losses = 0
    const unsubscribe = here.subscribeToLoss(() => (losses += 1))
    await cut('here')
    await eventually(async () => losses > 0)
    unsubscribe()
    await cut('here')
    await eventually(async () => {
      there.publish(workspace, changed('after'))
      return missed(here, 'nonsense') === 'reset' && (await backend('here')) !== undefined
    })
    expect(losses).toBe(1)
  })

  test('makes clients whose last event came before it fetch again', async () => {
    const heard = listen(here)
    here.publish(workspace, changed('before'))
    const [before] = await until(heard, 1)
    await cut('here')
    await eventually(async () => {
      there.publish(workspace, changed('after'))
      // An event that comes before the connection is ready is heard, but does not count as known.
      return ids(heard).includes('after') && missed(here, (heard.at(-1) as Hint).id) !== 'reset'
    })
    expect(missed(here, (before as Hint).id)).toBe('reset')
    expect(missed(here, (heard.at(-1) as Hint).id)).toEqual([])
  })
})
