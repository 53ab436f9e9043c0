import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf, threadsOf, untilSubscribed } from '../../../test/inbox.ts'
import { addJob } from '../../../test/jobs.ts'
import { beside, freePort, type Running, startProduct, startSandbox } from '../../../test/product.ts'
import { long } from '../../../test/tier.ts'
import { addFault, asPerson, call, connect, eventually, newPerson, type Person } from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { OpenThread } from '../threads/api.ts'

const { product, sql, sandbox } = useProduct({ env: FAST })
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const APP = { id: 'sandbox-page-app', secret: 'sandbox-page-secret' }
const webhooks = (sandboxUrl: string, faults: object) => call(sandboxUrl, 'PUT', '/webhooks', faults)
const begun = (account: string) =>
  eventually(async () => {
    const { rowCount } = await sql.query('select from inbox_reading where account_id = $1', [account])
    return rowCount === 1
  })
const readNow = async (account: string) => {
  await addJob(
    sql,
    'inbox-reading',
    { accountId: account },
    { workspaceId: ann.workspaceId, key: `reading:${account}` },
  )
  await eventually(async () => {
    const { rows } = await sql.query<{ error: string | null }>(
      'select last_error as error from graphile_worker.jobs where key = $1',
      [`reading:${account}`],
    )
    if (rows[0]?.error) throw new Error(rows[0].error)
    return rows.length === 0
  })
}
const textsOf = async (person: Person, name: string) => (await threadOf(person, name)).messages.map(({ text }) => text)
const stored = async (account: string) => {
  const { rows } = await sql.query<{ count: number }>(
    'select count(*)::int as count from message where account_id = $1',
    [account],
  )
  return rows[0]!.count
}

const networks = ['NET_PAGE', 'NET_PHOTO'] as const

describe.each(long ? networks : networks.slice(0, 1))('events that %s did not deliver', (network) => {
  let page: OpenedInbox

  beforeAll(async () => {
    page = await openInbox(ann, sandbox.url, network === 'NET_PAGE' ? 'u3701' : 'u3702', network)
    await begun(page.account.id)
  })

  test('are read back, each message once, however often it is read and delivered', async () => {
    const from = (name: string) => ({ name: `${name} ${network}` })
    const told = await page.play({ kind: 'comment', postId: page.postId, from: from('Told'), text: 'Told' })
    await eventually(async () => (await threadsOf(ann, '?limit=100')).some((each) => each.lastMessage?.text === 'Told'))
    await webhooks(sandbox.url, { drop: true })
    const first = await page.play({ kind: 'comment', postId: page.postId, from: from('Lost'), text: 'Lost' })
    await page.play({ kind: 'comment', parentId: first.id, from: from('Lost'), text: 'Lost too' })
    await page.play({ kind: 'comment', parentId: told.id, from: from('Told'), text: 'And lost' })
    const person = { id: `88${network === 'NET_PAGE' ? 1 : 2}00`, ...from('Dora') }
    for (let n = 1; n <= 45; n += 1) await page.play({ kind: 'dm', from: person, text: `Part ${n}` })
    await page.play({ kind: 'echo', from: person, text: 'From the phone' })
    await webhooks(sandbox.url, {})
    const before = await stored(page.account.id)
    await readNow(page.account.id)
    await eventually(async () => (await stored(page.account.id)) === before + 3 + 46)
    const at = (name: string) => textsOf(ann, `${name} ${network}`)
    expect(await at('Lost')).toEqual(['Lost', 'Lost too'])
    const [direct] = await threadsOf(ann, `?q=phone&accountId=${page.account.id}`)
    const { messages } = await ann.must<OpenThread>('GET', `/conversations/${direct!.id}`)
    // The network's times are whole seconds, so the order within a second is unknown.
    expect(new Set(messages.map(({ text }) => text))).toEqual(
      new Set([...Array.from({ length: 45 }, (_, n) => `Part ${n + 1}`), 'From the phone']),
    )
    expect(messages.find(({ text }) => text === 'From the phone')).toMatchObject({
      direction: 'OUT',
      source: 'AGENT_MANUAL',
    })
    await readNow(page.account.id)
    expect(await stored(page.account.id)).toBe(before + 3 + 46)
    // Events that were both delivered and read have the same key, so none of them met a message that already existed.
    const { rows: failed } = await sql.query('select from inbound_event where account_id = $1 and failures > 0', [
      page.account.id,
    ])
    expect(failed).toEqual([])
  })
})

test('a comment that its author removes on NET_PHOTO, which does not report removals, is noticed when its post is read', async () => {
  const photo = await openInbox(ann, sandbox.url, 'u3921', 'NET_PHOTO')
  await begun(photo.account.id)
  let minutes = 100
  const write = (name: string, text: string, parentId?: string) =>
    photo.play({
      kind: 'comment',
      from: { name },
      text,
      at: new Date(Date.now() - (minutes -= 1) * 60_000).toISOString(),
      ...(parentId ? { parentId } : { postId: photo.postId }),
    })
  const root = await write('Rosa', 'Stays')
  const gone = await write('Gil', 'Goes')
  const answer = await write('Ria', 'Goes too', root.id)
  await write('Ria', 'Stays too', root.id)
  // More comments than fit on a page, so that the first ones are on the second page.
  for (let n = 0; n < 55; n += 1) await write('Many', `Number ${n}`)
  await eventually(async () => (await stored(photo.account.id)) === 59)
  for (const { id } of [gone, answer]) await photo.play({ kind: 'remove', id })
  await readNow(photo.account.id)
  const removed = async () => {
    const { rows } = await sql.query<{ id: string; text: string | null }>(
      `select external_id as id, text from message where account_id = $1 and removed_at is not null order by external_id`,
      [photo.account.id],
    )
    return rows
  }
  await eventually(async () => (await removed()).length === 2)
  expect(await removed()).toEqual(
    [gone.id, answer.id].toSorted((a, b) => (a < b ? -1 : 1)).map((id) => ({ id, text: null })),
  )
  await readNow(photo.account.id)
  expect(await removed()).toHaveLength(2)
  expect(await textsOf(ann, 'Gil')).toEqual([null])
})

test('messages from before an account was connected are not imported', async () => {
  const page = await openInbox(ann, sandbox.url, 'u3703')
  await begun(page.account.id)
  await webhooks(sandbox.url, { drop: true })
  await page.play({ kind: 'dm', from: { name: 'Early' }, text: 'Long ago' })
  await webhooks(sandbox.url, {})
  await sql.query(`update inbox_reading set read_at = app_now() + interval '11 minutes' where account_id = $1`, [
    page.account.id,
  ])
  await readNow(page.account.id)
  expect(await stored(page.account.id)).toBe(0)
})

test('an account that is reconnected is read, and receives events again', async () => {
  const page = await openInbox(ann, sandbox.url, 'u3704')
  await begun(page.account.id)
  await webhooks(sandbox.url, { drop: true })
  await page.play({ kind: 'dm', from: { name: 'Gap' }, text: 'In the gap' })
  await webhooks(sandbox.url, {})
  await ann.must('DELETE', `/social-accounts/${page.account.id}?confirm=true`)
  await connect(ann, 'NET_PAGE', 'u3704')
  await eventually(async () => (await threadsOf(ann, '?q=gap')).length === 1)
  await page.play({ kind: 'dm', from: { name: 'After' }, text: 'After the gap' })
  await eventually(async () => (await threadsOf(ann, '?q=After')).length === 1)
})

test.runIf(long)('the daily check subscribes again to a network that sends less than Parley asked for', async () => {
  const photo = await openInbox(ann, sandbox.url, 'u3709', 'NET_PHOTO')
  const path = `/graph/v25.0/${APP.id}/subscriptions`
  const access_token = `${APP.id}|${APP.secret}`
  const subscription = async () => {
    const { body } = await call<{
      data: { object: string; callback_url: string; fields: { name: string }[] }[]
    }>(sandbox.url, 'GET', `${path}?access_token=${access_token}`)
    const { callback_url, fields } = body.data.find(({ object }) => object === 'instagram')!
    return { callback_url, fields: fields.map(({ name }) => name) }
  }
  const asked = await subscription()
  expect(asked.fields).toContain('story_insights')
  // Subscribes as an earlier release did.
  const { status } = await call(sandbox.url, 'POST', path, {
    object: 'instagram',
    callback_url: asked.callback_url,
    verify_token: createHmac('sha256', APP.secret).update('verify').digest('hex'),
    fields: 'comments,messages',
    access_token,
  })
  expect(status).toBe(200)
  expect((await subscription()).fields).toEqual(['comments', 'messages'])
  await sql.query(
    `update webhook_subscription set checked_at = app_now() - interval '25 hours' where account_id = $1`,
    [photo.account.id],
  )
  await addJob(sql, 'inbox-watch', {})
  await eventually(async () => (await subscription()).fields.length > 2)
  expect(await subscription()).toEqual(asked)
})

test('a reading that needs the calls of more than an hour goes on where it stopped, however often the watch runs', async () => {
  const page = await openInbox(ann, sandbox.url, 'u3710')
  await begun(page.account.id)
  const offers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => {
      const body = { caption: `Offer ${n}`, targets: [page.account.id], media: [], action: 'publish' }
      return ann.must<{ id: string }>('POST', '/posts', body)
    }),
  )
  const posts = await eventually(async () => {
    const { rows } = await sql.query<{ externalId: string }>(
      `select external_id as "externalId" from delivery where post_id = any($1) and state = 'PUBLISHED'`,
      [offers.map(({ id }) => id)],
    )
    return rows.length === offers.length && rows.map(({ externalId }) => externalId)
  })
  await webhooks(sandbox.url, { drop: true })
  for (const [n, postId] of posts.entries())
    await page.play({ kind: 'comment', postId, from: { name: 'Many offers' }, text: `About ${n}` })
  await webhooks(sandbox.url, {})
  await sql.query('delete from network_call')
  await sql.query(`update inbox_reading set read_at = app_now() - interval '7 hours' where account_id = $1`, [
    page.account.id,
  ])
  const watch = async () => {
    await addJob(sql, 'inbox-watch', {}, { key: 'watched' })
    await eventually(async () => {
      const { rowCount } = await sql.query(`select from graphile_worker.jobs where key = 'watched'`)
      return rowCount === 0
    })
  }
  /** The job of the reading, once it waits. */
  const waiting = () =>
    eventually(async () => {
      const { rows } = await sql.query<{ id: string; runAt: Date; steps: number }>(
        `select id, run_at as "runAt", json_array_length(payload -> 'data' -> 'steps') as steps
          from graphile_worker._private_jobs where key = $1 and locked_at is null and run_at > now() + interval '50 minutes'`,
        [`reading:${page.account.id}`],
      )
      return rows[0]
    })
  await watch()
  const waits = await waiting()
  expect(waits.steps).toBeGreaterThan(0)
  const readSoFar = await stored(page.account.id)
  expect(readSoFar).toBeLessThan(posts.length)

  await watch()
  expect(await waiting()).toEqual(waits)

  await sql.query('select graphile_worker.reschedule_jobs(array[$1::bigint], now())', [waits.id])
  await eventually(async () => (await stored(page.account.id)) === posts.length)
  // The reading has ended, so the account is read again only in six hours.
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `select from inbox_reading where account_id = $1 and read_at > app_now() - interval '1 hour' and underway_until is null`,
      [page.account.id],
    )
    return rowCount === 1
  })
})

test('an account that its network refuses to show is read again only after six hours', async () => {
  const page = await openInbox(ann, sandbox.url, 'u3711')
  await begun(page.account.id)
  await sql.query(`update inbox_reading set read_at = app_now() - interval '7 hours' where account_id = $1`, [
    page.account.id,
  ])
  const error = { message: 'Missing permission', type: 'OAuthException', code: 200 }
  await addFault(sandbox.url, {
    match: { network: 'NET_PAGE', method: 'GET', path: '/conversations' },
    do: { status: 403, body: { error } },
    times: 1,
  })
  await readNow(page.account.id)
  const { rows } = await sql.query<{ waits: boolean }>(
    `select underway_until > app_now() + interval '5 hours' as waits from inbox_reading where account_id = $1`,
    [page.account.id],
  )
  expect(rows).toEqual([{ waits: true }])
})

test('disconnecting a page does not silence its photo account', async () => {
  const [page] = (await connect(ann, 'NET_PAGE', 'u3705')) as [SocialAccount]
  const photo = await openInbox(ann, sandbox.url, 'u3705', 'NET_PHOTO')
  await untilSubscribed(ann, page.id)
  await ann.must('DELETE', `/social-accounts/${page.id}?confirm=true`)
  await eventually(async () => {
    const { rows } = await sql.query<{ url: string }>(
      `select from graphile_worker.jobs where task_identifier in ('account-revocation', 'webhook-subscription')`,
    )
    return rows.length === 0
  })
  await untilSubscribed(ann, photo.account.id)
  await photo.play({ kind: 'comment', postId: photo.postId, from: { name: 'Still' }, text: 'Still there?' })
  expect(await textsOf(ann, 'Still')).toEqual(['Still there?'])
})

describe('a service that was down', () => {
  const ports: number[] = []
  let stage: Running
  let running: Running
  let database: TestDatabase
  let pool: pg.Pool
  let dataDir: string
  let bea: Person
  let page: OpenedInbox

  const start = async (port: number | undefined) => {
    running = await startProduct({
      databaseUrl: database.url,
      dataDir,
      env: { ...FAST, ...beside(stage), PORT: String(port) },
    })
    if (bea) bea = asPerson(running.url, bea.session, bea.workspaceId)
  }

  beforeAll(async () => {
    database = await freshDatabase()
    pool = new pg.Pool({ connectionString: database.url })
    stage = await startSandbox({ env: { TIME_SCALE: '20' } })
    dataDir = await mkdtemp(join(tmpdir(), 'parley-away-'))
    ports.push(await freePort(), await freePort())
    await start(ports[0])
    bea = await newPerson(running.url, 'Bea')
    page = await openInbox(bea, stage.url, 'u3706')
    await eventually(
      async () =>
        (await pool.query('select from inbox_reading where account_id = $1', [page.account.id])).rowCount === 1,
    )
  }, 120_000)

  afterAll(async () => {
    await running?.stop()
    await stage?.stop()
    await pool?.end()
    await database?.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('for two hours reads everything written in the meantime, and stores nothing twice', async () => {
    await running.stop()
    // The network delivers this again when the service is back, and drops all the others.
    await page.play({ kind: 'dm', from: { id: '8801', name: 'Night' }, text: 'told and read' })
    await webhooks(stage.url, { drop: true })
    for (let n = 0; n < 6; n += 1) {
      await page.play({ kind: 'dm', from: { id: '8801', name: 'Night' }, text: `direct ${n}` })
      await page.play({ kind: 'comment', postId: page.postId, from: { name: `Owl ${n}` }, text: `below ${n}` })
    }
    await webhooks(stage.url, {})
    await pool.query(`update inbox_alive set at = at - interval '2 hours'`)
    await start(ports[0])
    const written = async () => {
      const { rows } = await pool.query<{ text: string }>(
        `select text from message where account_id = $1 and direction = 'IN' order by text`,
        [page.account.id],
      )
      return rows.map(({ text }) => text)
    }
    await eventually(async () => (await written()).length >= 13, 30_000)
    await eventually(async () => (await call<{ waiting: number }>(stage.url, 'GET', '/webhooks')).body.waiting === 0)
    await eventually(async () => (await pool.query('select from inbound_event where done_at is null')).rowCount === 0)
    const numbers = [0, 1, 2, 3, 4, 5]
    expect(await written()).toEqual([
      ...numbers.map((n) => `below ${n}`),
      ...numbers.map((n) => `direct ${n}`),
      'told and read',
    ])
  }, 120_000)

  test.runIf(long)(
    'has events sent to its new address',
    async () => {
      await running.stop()
      await start(ports[1])
      await eventually(async () => {
        const { rows } = await pool.query<{ url: string }>('select url from webhook_subscription')
        return rows[0]?.url.includes(`:${ports[1]}/`)
      })
      await page.play({ kind: 'comment', postId: page.postId, from: { name: 'Morning' }, text: 'Good morning' })
      expect(await textsOf(bea, 'Morning')).toEqual(['Good morning'])
    },
    120_000,
  )
})

test.each(long ? ['comment', 'dm'] : ['comment'])(
  'an unconfirmed answer to a %s is proven by reading, and stays one message',
  async (kind) => {
    const page = await openInbox(ann, sandbox.url, kind === 'dm' ? 'u3707' : 'u3708')
    await begun(page.account.id)
    const name = `Proof ${kind}`
    await page.play({ kind, postId: page.postId, from: { name }, text: `Is it ${kind}?` })
    const [thread] = await eventually(async () => {
      const found = await threadsOf(ann, `?accountId=${page.account.id}`)
      return found.length === 1 && found
    })
    await webhooks(sandbox.url, { drop: true })
    const at = `/conversations/${thread!.id}`
    const { id } = await ann.must<{ id: string }>('POST', `${at}/messages`, { text: 'It is' })
    const answer = async () =>
      (await ann.must<OpenThread>('GET', at)).messages.filter(({ direction }) => direction === 'OUT')
    const [sent] = await eventually(async () => {
      const found = await answer()
      return found[0]?.delivery?.state === 'PUBLISHED' && found
    })
    await webhooks(sandbox.url, {})
    await sql.query(`update delivery set state = 'UNCONFIRMED', external_id = null where message_id = $1`, [id])
    await sql.query('update message set external_id = null where id = $1', [id])
    await readNow(page.account.id)
    await eventually(async () => (await answer())[0]?.delivery?.state === 'PUBLISHED')
    expect(await answer()).toMatchObject([{ id, externalId: sent!.externalId, text: 'It is' }])
  },
)
