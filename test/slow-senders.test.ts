import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'
import { eventually, newPerson, type Person, picture } from './world.ts'

const { product, sql } = useProduct()
let ann: Person

// The product's own limits in real time: a body has half a minute, and no setting shortens that. The tests run at the
// same time.

beforeAll(async () => {
  ann = await newPerson(product.url)
})

/** Sends a body in pieces. Returns the status, or the error, and the duration in seconds. */
async function drip(path: string, type: string, pieces: Buffer[], pause: number) {
  const started = performance.now()
  const call = request(product.url + path, {
    method: 'POST',
    headers: {
      'content-type': type,
      authorization: `Bearer ${ann.session.accessToken}`,
      'x-workspace-id': ann.workspaceId,
    },
  })
  const answered = once(call, 'response').then(
    ([response]) => (response as { statusCode: number }).statusCode,
    (error: Error) => error.message,
  )
  for (const piece of pieces) {
    if (call.destroyed) break
    call.write(piece)
    await sleep(pause)
  }
  call.end()
  return { status: await answered, seconds: (performance.now() - started) / 1000 }
}

test.concurrent('an upload may take longer than half a minute if it makes progress', async () => {
  const bytes = await picture(1600, 1200)
  const step = Math.ceil(bytes.length / 8)
  const pieces = Array.from({ length: 8 }, (_, i) => bytes.subarray(i * step, (i + 1) * step))
  const head =
    '--x\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\ncontent-type: image/jpeg\r\n\r\n'
  const { status, seconds } = await drip(
    '/media',
    'multipart/form-data; boundary=x',
    [Buffer.from(head), ...pieces, Buffer.from('\r\n--x--\r\n')],
    3_300,
  )
  expect(seconds).toBeGreaterThan(31)
  expect(status).toBe(201)
})

test.concurrent('a JSON body that is incomplete after half a minute loses its connection', async () => {
  const { status, seconds } = await drip(
    '/posts',
    'application/json',
    Array.from({ length: 40 }, () => Buffer.from(' ')),
    1_000,
  )
  expect(status).toMatch(/socket hang up|ECONNRESET/)
  expect(seconds).toBeLessThan(36)
})

test.concurrent('the rest of a body that was answered early has half a minute', async () => {
  const started = performance.now()
  const call = request(`${product.url}/posts`, {
    method: 'POST',
    // A persistent connection, as browsers use.
    agent: new Agent({ keepAlive: true }),
    headers: { 'content-type': 'application/json', 'content-length': 1000 },
  })
  call.on('error', () => undefined)
  // A write at the moment of the end is an error, which once() would take for a failure.
  const closed = new Promise((resolve) => call.once('close', resolve))
  call.write(' ')
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(401)
  const trickle = setInterval(() => call.write(' '), 1_000)
  await closed
  clearInterval(trickle)
  expect((performance.now() - started) / 1000).toBeLessThan(36)
})

test.concurrent('a live stream stays open, however long it lasts', async () => {
  const stop = new AbortController()
  const stream = await fetch(`${product.url}/workspaces/${ann.workspaceId}/events`, {
    headers: { authorization: `Bearer ${ann.session.accessToken}` },
    signal: stop.signal,
  })
  // Longer than the limit of a body. A heartbeat arrives every 20 seconds.
  const limit = setTimeout(() => stop.abort(), 32_000)
  let text = ''
  const decoder = new TextDecoder()
  const read = async () => {
    for await (const chunk of stream.body as AsyncIterable<Uint8Array>) text += decoder.decode(chunk)
  }
  await expect(read()).rejects.toThrow(/abort/)
  clearTimeout(limit)
  expect(text).toContain(': alive')
})

test.concurrent('a live stream whose session has ended without a word ends with its next heartbeat', async () => {
  const bea = await newPerson(product.url)
  const stream = await fetch(`${product.url}/workspaces/${bea.workspaceId}/events`, {
    headers: { authorization: `Bearer ${bea.session.accessToken}` },
    signal: AbortSignal.timeout(45_000),
  })
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, expect.stringContaining('event-stream')])
  await sql.query(`update session set ended_at = now(), end_reason = 'revoked' where user_id = $1`, [
    bea.session.user.id,
  ])
  // Without the check, the signal ends it with an error.
  await stream.text()
})

test.concurrent('a form is refused at its second file if its sender has signed out meanwhile', async () => {
  const bea = await newPerson(product.url)
  const upload = request(`${product.url}/media`, {
    method: 'POST',
    headers: {
      'content-type': 'multipart/form-data; boundary=x',
      authorization: `Bearer ${bea.session.accessToken}`,
      'x-workspace-id': bea.workspaceId,
    },
  })
  const answered = once(upload, 'response')
  const head = (name: string) =>
    `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: image/jpeg\r\n\r\n`
  upload.write(head('a.jpg'))
  upload.write(await picture())
  // The service has let the sender in and reads the form.
  await eventually(async () => {
    const { rowCount } = await sql.query('select from usage_hold where workspace_id = $1', [bea.workspaceId])
    return rowCount === 1
  })
  await sql.query(`update session set ended_at = now(), end_reason = 'revoked' where user_id = $1`, [
    bea.session.user.id,
  ])
  upload.write(`\r\n${head('b.jpg')}x`)
  const [response] = (await answered) as [IncomingMessage]
  upload.destroy()
  expect(response.statusCode).toBe(401)
})
