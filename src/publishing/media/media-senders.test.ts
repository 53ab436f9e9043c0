import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { MediaUpload } from './api.ts'
import { noisy, plain, sample, send } from './testing.ts'

// What slow senders can hold of the service. The first minute of an upload lasts 3 seconds here.

const { product, sql } = useProduct({ env: FAST })
let picture: Buffer

beforeAll(async () => {
  picture = await noisy(300_000)
})

interface Held {
  call: ClientRequest
  answer: Promise<{ status: number; code: string | undefined }>
  closed: Promise<unknown>
}

/** Sends the headers and the first bytes of a body, and leaves the rest to the caller. */
function begin(person: Person, method: string, path: string, headers: object, first: Uint8Array): Held {
  const call = httpRequest(product.url + path, {
    method,
    // A kept-alive connection, as in browsers.
    agent: new Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
      ...headers,
    },
  })
  const closed = once(call, 'socket').then(([socket]) => once(socket as Socket, 'close'))
  const answer = once(call, 'response').then(async ([response]) => {
    const chunks: Buffer[] = []
    for await (const chunk of response as IncomingMessage) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body = (text ? JSON.parse(text) : {}) as Partial<Problem>
    return { status: (response as IncomingMessage).statusCode ?? 0, code: body.code }
  })
  answer.catch(() => undefined)
  call.on('error', () => undefined)
  call.write(first)
  return { call, answer, closed }
}

const head = Buffer.from(
  '--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
)
const tail = Buffer.from('\r\n--x--\r\n')
const form = (person: Person, first: Uint8Array) =>
  begin(
    person,
    'POST',
    '/api/v1/media',
    {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': head.length + picture.length + tail.length,
    },
    Buffer.concat([head, first]),
  )

const beginPieces = (person: Person, size: number) =>
  person.call<MediaUpload>('POST', '/media/uploads', undefined, {
    'upload-length': String(size),
    'upload-metadata': `filename ${Buffer.from('a.png').toString('base64')}`,
  })
const piece = (person: Person, id: string, first: Uint8Array) =>
  begin(
    person,
    'PATCH',
    `/api/v1/media/uploads/${id}`,
    { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0', 'tus-resumable': '1.0.0' },
    first,
  )

/** Keeps writing a few bytes until the connection is gone. */
async function trickle({ call }: Held): Promise<void> {
  while (!call.destroyed && !call.writableEnded) {
    call.write(Buffer.alloc(10))
    await sleep(200)
  }
}

test('a person has at most twenty uploads at once, including pieces, without effect on others', async () => {
  const [ann, ben] = await Promise.all([newPerson(product.url), newPerson(product.url)])
  const small = sample('a.jpg', 'image/jpeg', await plain().jpeg().toBuffer())
  const first = picture.subarray(0, 200_000)
  const held = Array.from({ length: 18 }, () => form(ann, first))
  for (let pieces = 0; pieces < 3; pieces += 1) {
    const { body } = await beginPieces(ann, picture.length)
    held.push(piece(ann, body.id, first))
  }
  const refused = await Promise.race(held.map(async (each) => ({ each, answer: await each.answer })))
  expect(refused.answer).toEqual({ status: 429, code: 'rate_limited' })
  // An open connection would take a place too.
  await refused.each.closed
  const answer = await send<Problem>(ann, small)
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([429, 'rate_limited', '2'])
  expect((await send(ben, small)).status).toBe(201)
  const [one, ...others] = held.filter((each) => each !== refused.each)
  one!.call.destroy()
  await eventually(async () => (await send(ann, small)).status === 201)
  for (const { call } of others) call.destroy()
})

test('twenty refused uploads of a person are read briefly, and any more are refused at once', async () => {
  const ann = await newPerson(product.url)
  const held = Array.from({ length: 21 }, () => form(ann, picture.subarray(0, 200_000)))
  await Promise.race(held.map(({ answer }) => answer))
  /** Returns the milliseconds until a stalled upload is refused. */
  const refused = async () => {
    const started = performance.now()
    const { call, answer } = form(ann, picture.subarray(0, 2_000))
    expect(await answer).toEqual({ status: 429, code: 'rate_limited' })
    call.destroy()
    return performance.now() - started
  }
  // Each of the twenty is read for two seconds.
  await eventually(async () => Math.min(...(await Promise.all(Array.from({ length: 25 }, refused)))) < 2_000)
  expect(await refused()).toBeGreaterThan(1_900)
  for (const { call } of held) call.destroy()
})

test('an upload slower than 1 KiB a second after its first minute is ended, and received bytes of a piece are kept', async () => {
  const ann = await newPerson(product.url)
  const { body: upload } = await beginPieces(ann, picture.length)
  const slow = [form(ann, picture.subarray(0, 2_000)), piece(ann, upload.id, picture.subarray(0, 2_000))]
  const trickling = slow.map(trickle)
  for (const each of slow) expect(await each.answer).toEqual({ status: 408, code: 'upload_too_slow' })
  await Promise.all([...trickling, ...slow.map(({ closed }) => closed)])
  const { offset } = await ann.must<MediaUpload>('GET', `/media/uploads/${upload.id}`)
  expect(offset).toBeGreaterThanOrEqual(2_000)
  // They hold no places any more.
  const { status } = await send(ann, sample('a.png', 'image/png', picture))
  expect(status).toBe(201)
})

test('the room that an upload has reserved is kept as long as an upload may take', async () => {
  const ann = await newPerson(product.url)
  const moving = form(ann, picture.subarray(0, 10_000))
  const held = async () =>
    (await sql.query<{ id: string }>('select id from usage_hold where workspace_id = $1', [ann.workspaceId])).rows
  const [hold] = await eventually(async () => {
    const rows = await held()
    return rows.length > 0 && rows
  })
  // As if 55 minutes had passed. Each reservation removes those that have lapsed.
  await sql.query(`update usage_hold set expires_at = expires_at - interval '55 minutes' where id = $1`, [hold!.id])
  expect((await send(ann, sample('a.png', 'image/png', picture))).status).toBe(201)
  expect(await held()).toEqual([hold])
  moving.call.end(Buffer.concat([picture.subarray(10_000), tail]))
  expect((await moving.answer).status).toBe(201)
  expect(await held()).toEqual([])
})

test('an upload that keeps moving is accepted, however long it takes', async () => {
  const ann = await newPerson(product.url)
  const started = performance.now()
  const moving = form(ann, picture.subarray(0, 10_000))
  for (let at = 10_000; at < picture.length; at += 20_000) {
    moving.call.write(picture.subarray(at, at + 20_000))
    await sleep(300)
  }
  moving.call.end(tail)
  expect((await moving.answer).status).toBe(201)
  expect(performance.now() - started).toBeGreaterThan(3_500)
})
