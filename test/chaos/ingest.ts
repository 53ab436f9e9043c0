import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../../src/core/platform/postgres/postgres.ts'
import { openInbox } from '../inbox.ts'
import { beside, freePort, type Running, startProduct, startSandbox } from '../product.ts'
import { eventually, newPerson } from '../world.ts'
import { random } from './chaos.ts'

// Sends signed webhooks while the product is killed. Each acknowledged comment becomes one message: none is lost or
// duplicated. Like a network, the sender repeats every body that is not acknowledged, and now and then one that is.

const SECRET = 'sandbox-page-secret'
const AT_ONCE = 8
/** The share of bodies that are sent twice. */
const REPEATED = 0.1
const LARGEST_BODY = 20

export interface IngestOptions {
  events: number
  kills: number
  seed: number
  say?: (line: string) => void
}

export interface IngestResult {
  events: number
  kills: number
  /** The bodies sent, and how many of them got no 200. */
  sent: number
  unanswered: number
  messages: number
  lost: string[]
  twice: string[]
  seconds: number
  perSecond: number
}

export async function runIngest({ events, kills, seed, say = () => {} }: IngestOptions): Promise<IngestResult> {
  const next = random(seed)
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-ingest-'))
  const database = await startEmbedded({ dataDir: join(dataDir, 'database') })
  // The network knows one address, so a restarted product must listen there too.
  const port = String(await freePort())
  const sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
  const env = {
    ...beside(sandbox),
    DEFAULT_PLAN: 'business',
    NETWORK_CALLS_PER_HOUR: '100000',
    PORT: port,
    LOG_LEVEL: 'fatal',
  }
  const start = () => startProduct({ databaseUrl: database.url, dataDir: join(dataDir, 'product'), env })
  const sql = new pg.Client({ connectionString: database.url })
  let product: Running = await start()
  try {
    await sql.connect()
    const person = await newPerson(product.url)
    const { account, postId } = await openInbox(person, sandbox.url, 'u3309')
    const bodies = makeBodies(events, account.externalId, postId, next)
    const result = { sent: 0, unanswered: 0 }
    let isOver = false
    let acknowledged = 0

    const tell = async (body: string): Promise<void> => {
      const headers = {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      }
      for (let again = next() < REPEATED ? 2 : 1; again > 0;) {
        result.sent += 1
        const answer = await fetch(`http://127.0.0.1:${port}/webhooks/NET_PAGE`, {
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(20_000),
        }).catch(() => undefined)
        await answer?.arrayBuffer().catch(() => undefined)
        if (answer?.status === 200) again -= 1
        else {
          result.unanswered += 1
          await sleep(50)
        }
      }
      acknowledged += 1
    }
    const killing = (async () => {
      for (let n = 1; n <= kills; n += 1) {
        const at = (bodies.length * n) / (kills + 1)
        while (acknowledged < at && !isOver) await sleep(5)
        await sleep(next() * 100)
        await product.kill()
        product = await start()
        say(`kill ${n} of ${kills}, ${acknowledged} of ${bodies.length} bodies acknowledged`)
      }
    })()
    const began = Date.now()
    const waiting = bodies.map(({ body }) => body)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) await tell(body)
      }),
    )
    isOver = true
    await killing
    say('all acknowledged; waiting until all are applied')
    await eventually(
      async () => {
        const { rows } = await sql.query<{ open: number }>(
          'select count(*)::int as open from inbound_event where done_at is null',
        )
        say(`${rows[0]?.open} events are not applied yet`)
        return rows[0]?.open === 0
      },
      Math.max(300_000, events * 100),
      500,
    )
    const seconds = (Date.now() - began) / 1000
    const { rows } = await sql.query<{ id: string; count: number }>(
      `select external_id as id, count(*)::int as count from message where direction = 'IN' group by 1`,
    )
    const found = new Map(rows.map(({ id, count }) => [id, count]))
    return {
      events,
      kills,
      ...result,
      messages: rows.reduce((sum, { count }) => sum + count, 0),
      lost: bodies.flatMap(({ ids }) => ids.filter((id) => !found.has(id))),
      twice: rows.flatMap(({ id, count }) => (count > 1 ? [id] : [])),
      seconds,
      perSecond: Math.round(events / seconds),
    }
  } finally {
    await sql.end()
    await product.stop()
    await sandbox.stop()
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Makes bodies of one to twenty comments by customers of one page. Each comment is new. */
function makeBodies(events: number, pageId: string, postId: string, next: () => number) {
  const bodies: { body: string; ids: string[] }[] = []
  for (let made = 0; made < events;) {
    const size = Math.min(events - made, 1 + Math.floor(next() * LARGEST_BODY))
    const entries = Array.from({ length: size }, (_, n) => {
      const id = `${postId}_9${made + n}`
      const customer = Math.floor(next() * 200)
      const value = {
        item: 'comment',
        verb: 'add',
        from: { id: `770000${customer}`, name: `Customer ${customer}` },
        post_id: postId,
        comment_id: id,
        parent_id: postId,
        created_time: 1_764_000_000 + made + n,
        message: `Comment ${made + n}`,
      }
      return { id, entry: { id: pageId, time: 1_764_000_000 + made + n, changes: [{ field: 'feed', value }] } }
    })
    bodies.push({
      body: JSON.stringify({ object: 'page', entry: entries.map(({ entry }) => entry) }),
      ids: entries.map(({ id }) => id),
    })
    made += size
  }
  return bodies
}
