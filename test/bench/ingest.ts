import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import autocannon from 'autocannon'
import type pg from 'pg'
import { openPool } from '../../src/core/platform/db.ts'
import { connectPages, newPerson } from '../world.ts'

// Measures the cost of receiving an event of a network: verifying its signature, storing it, and answering.

const SECRET = 'sandbox-page-secret'
const SECONDS = 3
const CONNECTIONS = 8

const digestOf = (body: string | Buffer) => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`

let told = 0

/** Connects a page of a new person, so that the product accepts its events. Returns the page's id. */
export async function pageOf(url: string): Promise<string> {
  const [page] = await connectPages(await newPerson(url, 'Ingest'))
  return page!.externalId
}

/** Returns the body of an event with one new comment below a post of the page. */
function commentOf(pageId: string): string {
  const n = (told += 1)
  const value = {
    item: 'comment',
    verb: 'add',
    from: { id: `77000${n % 500}`, name: `Customer ${n % 500}` },
    post_id: `${pageId}_1`,
    comment_id: `${pageId}_1_${n}`,
    parent_id: `${pageId}_1`,
    created_time: 1_764_000_000 + n,
    message: `Comment ${n}: is the sourdough there on Saturday, and until when?`,
  }
  return JSON.stringify({
    object: 'page',
    entry: [{ id: pageId, time: 1_764_000_000 + n, changes: [{ field: 'feed', value }] }],
  })
}

/** Sends signed events, each a new one. Throws if one of them is not acknowledged. */
async function send(url: string, pageId: string, options: Partial<autocannon.Options>): Promise<autocannon.Result> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [
      {
        method: 'POST',
        setupRequest(request) {
          const body = commentOf(pageId)
          const headers = { 'content-type': 'application/json', 'x-hub-signature-256': digestOf(body) }
          return { ...request, body, headers }
        },
      },
    ],
    ...options,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`)
  return result
}

/** Returns the acknowledged events per second. */
export const eventsASecond = async (url: string, pageId: string) => (await send(url, pageId, {})).requests.average

/** Returns the p99 of acknowledgements at a rate, in milliseconds. */
export const p99At = async (url: string, pageId: string, rate: number, seconds: number) =>
  (await send(url, pageId, { overallRate: rate, connections: 20, duration: seconds })).latency.p99

/**
 * Starts a bare server with node:http and pg: it verifies the same signature over the raw bytes, inserts the same rows,
 * and makes each request durable before its answer.
 */
export async function bareReceiver(direct: pg.Client, databaseUrl: string, pageId: string) {
  const { rows } = await direct.query<{ workspace: string; account: string }>(
    `select workspace_id as workspace, id as account from social_account where external_id = $1 and status = 'CONNECTED'`,
    [pageId],
  )
  const { workspace, account } = rows[0]!
  const pool = openPool(databaseUrl, 20, (error) => console.error(error.message))
  const insert = `insert into inbound_event (workspace_id, id, account_id, key, at, event, via)
    values ($1, gen_random_uuid(), $2, $3, to_timestamp($4), $5, 'webhook') on conflict (workspace_id, account_id, key) do nothing`
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const given = Buffer.from(String(request.headers['x-hub-signature-256']))
      const right = Buffer.from(digestOf(body))
      if (given.length !== right.length || !timingSafeEqual(given, right)) {
        response.writeHead(401).end()
        return
      }
      const { value } = (JSON.parse(body.toString()) as { entry: { changes: { value: Told }[] }[] }).entry[0]!
        .changes[0]!
      pool.query(insert, [workspace, account, `c:${value.comment_id}`, value.created_time, JSON.stringify(value)]).then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
    })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      await pool.end()
    },
  }
}

interface Told {
  comment_id: string
  created_time: number
}
