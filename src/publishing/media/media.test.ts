import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { MediaFile } from './api.ts'
import { bytesAt, formOf, noisy, plain, sample, send, sendAndProcess, untilProcessed, stored } from './testing.ts'

const { product, sql: client } = useProduct({ own: true })
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const jpeg = async (name = 'coffee.jpg', width = 400, height = 300) =>
  sample(name, 'image/jpeg', await plain(width, height).jpeg().toBuffer())

const usage = async (person: Person) => {
  const { rows } = await client.query<{ used: string; held: string }>(
    `select coalesce((select used from workspace_usage where workspace_id = $1 and quota_id = 'media_bytes'), 0) as used,
      (select coalesce(sum(amount), 0) from usage_hold where workspace_id = $1) as held`,
    [person.workspaceId],
  )
  return { used: Number(rows[0]!.used), held: Number(rows[0]!.held) }
}

/** Lists the stored files once no picture is being processed. */
const storedWhenQuiet = async () => {
  await eventually(async () => {
    const { rowCount } = await client.query(`select from media_file where state = 'PROCESSING'`)
    return rowCount === 0
  })
  return stored(product.dataDir)
}

const PRO_LIMIT = 53_687_091_200

/** Leaves this many bytes in the quota of a workspace. */
const leaveRoom = (person: Person, bytes: number) =>
  client.query(
    `insert into workspace_usage values ($1, 'media_bytes', '0001-01-01', $2)
      on conflict (workspace_id, quota_id, period) do update set used = excluded.used`,
    [person.workspaceId, PRO_LIMIT - bytes],
  )

const faults = (answer: { status: number; body: unknown }) => {
  const body = answer.body as Problem
  return [answer.status, body.code, ...(body.errors ?? []).map((fault) => `${fault.path} ${fault.code}`)]
}

const audits = async (person: Person, id: string) => {
  const { rows } = await client.query<{ action: string; actorId: string }>(
    `select action, actor_id as "actorId" from audit_entry where workspace_id = $1 and object ->> 'mediaFileId' = $2 order by id`,
    [person.workspaceId, id],
  )
  return rows
}

describe('uploading', () => {
  test('one file returns the file with its address, and becomes ready with a thumbnail', async () => {
    const file = await jpeg('Käffchen ☕.jpg')
    const answer = await send(ann, file)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('location')).toBe(`/api/v1/media/${answer.body.id}`)
    expect(answer.headers.get('etag')).toBe('"1"')
    expect(answer.body).toMatchObject({
      workspaceId: ann.workspaceId,
      kind: 'IMAGE',
      state: 'PROCESSING',
      rejectedReason: null,
      fileName: 'Käffchen ☕.jpg',
      storageUrl: null,
      width: 400,
      height: 300,
      version: 1,
      createdBy: ann.session.user.id,
    })
    const ready = await untilProcessed(ann, answer.body.id)
    expect(ready).toMatchObject({ state: 'READY', mimeType: 'image/jpeg', fileSize: file.bytes.length, version: 1 })
    expect(await bytesAt(ready.storageUrl!)).toEqual(Buffer.from(file.bytes))
    expect((await bytesAt(ready.thumbnailUrl!)).subarray(8, 12).toString()).toBe('WEBP')
    expect(await audits(ann, ready.id)).toEqual([{ action: 'media.uploaded', actorId: ann.session.user.id }])
  })

  test('several files return a list in the order in which they arrived', async () => {
    const names = ['c.jpg', 'a.jpg', 'b.jpg']
    const answer = await send<{ data: MediaFile[] }>(ann, ...(await Promise.all(names.map((name) => jpeg(name)))))
    expect(answer.status).toBe(201)
    expect(answer.body.data.map((file) => file.fileName)).toEqual(names)
    for (const { id } of answer.body.data) expect((await untilProcessed(ann, id)).state).toBe('READY')
  })

  test('one bad file refuses all, and leaves neither bytes nor used quota', async () => {
    const before = await storedWhenQuiet()
    const room = await usage(ann)
    const bad = sample('page.jpg', 'image/jpeg', Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(50)))
    const answer = await send<Problem>(ann, await jpeg(), await jpeg(), bad)
    expect(faults(answer)).toEqual([415, 'unsupported_media_type', '/files/2 not_accepted'])
    expect(await stored(product.dataDir)).toEqual(before)
    expect(await usage(ann)).toEqual({ ...room, held: 0 })
  })

  test('no file, an empty one, and more than ten are faults', async () => {
    expect(faults(await ann.call('POST', '/media', new FormData()))).toEqual([
      422,
      'validation_failed',
      '/files required',
    ])
    const empty = await send(ann, sample('a.jpg', 'image/jpeg', Buffer.alloc(0)))
    expect(faults(empty)).toEqual([422, 'validation_failed', '/files/0 empty'])
    const many = await Promise.all(Array.from({ length: 12 }, () => jpeg('a.jpg', 20, 20)))
    expect(faults(await send(ann, ...many))).toEqual([422, 'validation_failed', '/files too_many_files'])
  })

  test('a field that is not a file is refused, except the id of the workspace', async () => {
    const form = (name: string, value: string, file: FormData) => (file.append(name, value), file)
    const own = await ann.call<MediaFile>('POST', '/media', form('workspaceId', ann.workspaceId, formOf(await jpeg())))
    expect(own.status).toBe(201)
    const other = await ann.call('POST', '/media', form('workspaceId', ann.session.user.id, formOf(await jpeg())))
    expect(faults(other)).toEqual([422, 'workspace_mismatch', '/workspaceId workspace_mismatch'])
    const unknown = await ann.call('POST', '/media', form('altText', 'A cup', formOf(await jpeg())))
    expect(faults(unknown)).toEqual([422, 'validation_failed', '/altText unknown_field'])
  })

  test('anything but a complete form is refused', async () => {
    expect(faults(await ann.call('POST', '/media', { file: 'x' }))).toEqual([415, 'unsupported_media_type'])
    expect(faults(await ann.call('POST', '/media', 'x', { 'content-type': 'image/jpeg' }))).toEqual([
      415,
      'unsupported_media_type',
    ])
    const form = { 'content-type': 'multipart/form-data; boundary=b' }
    const cut = '--b\r\ncontent-disposition: form-data; name="f"; filename="a.jpg"\r\n\r\n'
    expect(faults(await ann.call('POST', '/media', cut, form))).toEqual([400, 'malformed_request'])
    expect(faults(await ann.call('POST', '/media', 'x', { 'content-type': 'multipart/form-data' }))).toEqual([
      400,
      'malformed_request',
    ])
  })

  test('more than 20 MiB is refused with nothing left behind, and the sender can read the reason', async () => {
    const before = await storedWhenQuiet()
    const room = await usage(ann)
    const answer = await send(ann, sample('big.png', 'image/png', await noisy(22 * 1024 * 1024)))
    expect(faults(answer)).toEqual([413, 'too_large', '/files/0 too_large'])
    const streamed = await uploadInPieces(ann, await noisy(30 * 1024 * 1024))
    expect(faults(streamed)).toEqual([413, 'too_large', '/files/0 too_large'])
    expect(await stored(product.dataDir)).toEqual(before)
    expect(await usage(ann)).toEqual(room)
  })

  test('an upload that breaks off leaves neither bytes nor a reservation', async () => {
    const before = await storedWhenQuiet()
    const room = await usage(ann)
    const bytes = await noisy(8 * 1024 * 1024)
    const sending = openUpload(ann, { 'content-length': String(bytes.length + 1000) })
    sending.write(head())
    sending.write(bytes.subarray(0, bytes.length / 2))
    await eventually(async () => (await stored(product.dataDir)).some((name) => name.endsWith('.part')))
    expect((await usage(ann)).held).toBe(bytes.length + 1000)
    sending.destroy()
    await eventually(async () => (await usage(ann)).held === 0)
    await eventually(async () => JSON.stringify(await stored(product.dataDir)) === JSON.stringify(before))
    expect(await usage(ann)).toEqual(room)
  })

  test('names are shown without paths and invisible characters', async () => {
    const names = ['../../etc/passwd.jpg', 'C:\\temp\\x.jpg', 'a\u202Egpj.jpg', `${'n'.repeat(300)}.jpg`]
    const shown: string[] = []
    for (const name of names) shown.push((await send(ann, await jpeg(name))).body.fileName)
    expect(shown).toEqual(['passwd.jpg', 'x.jpg', 'agpj.jpg', `${'n'.repeat(251)}.jpg`])
  })
})

describe('the storage quota', () => {
  test('is charged for stored bytes, and freed when they are deleted', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const file = await jpeg()
    const { id } = await sendAndProcess(bob, file)
    expect(await usage(bob)).toEqual({ used: file.bytes.length, held: 0 })
    expect((await bob.call('DELETE', `/media/${id}`)).status).toBe(204)
    expect(await usage(bob)).toEqual({ used: 0, held: 0 })
  })

  test('refuses an upload that does not fit before its bytes are read', async () => {
    const bob = await newPerson(product.url, 'Bob')
    await leaveRoom(bob, 1000)
    const before = await storedWhenQuiet()
    const answer = await send<Problem>(bob, await jpeg())
    expect(answer.body).toMatchObject({ status: 402, code: 'quota_exceeded', quota: 'media_bytes', limit: PRO_LIMIT })
    // Leftovers of earlier uploads may still be removed, but nothing is added.
    expect((await stored(product.dataDir)).filter((name) => !before.includes(name))).toEqual([])
    const sending = openUpload(bob, { 'content-length': '5000000' })
    sending.write(head())
    expect(faults(await answerOf(sending))[0]).toBe(402)
    sending.destroy()
  })

  test('goes to one of two simultaneous uploads if only one fits', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const bytes = await noisy(2_000_000)
    await leaveRoom(bob, 3_000_000)
    const file = sample('a.png', 'image/png', bytes)
    const answers = await Promise.all([send(bob, file), send(bob, file)])
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 402])
    expect(await usage(bob)).toEqual({ used: PRO_LIMIT - 3_000_000 + bytes.length, held: 0 })
  })

  test('is reserved in steps of the largest picture if the length is unknown', async () => {
    const bob = await newPerson(product.url, 'Bob')
    await leaveRoom(bob, 10 * 1024 * 1024)
    const bytes = await plain().jpeg().toBuffer()
    expect(faults(await uploadInPieces(bob, bytes))[0]).toBe(402)
    await leaveRoom(bob, 30 * 1024 * 1024)
    expect((await uploadInPieces(bob, bytes)).status).toBe(201)
    expect(await usage(bob)).toEqual({ used: PRO_LIMIT - 30 * 1024 * 1024 + bytes.length, held: 0 })
  })
})

// ---- plain HTTP

const head = () => '--b\r\ncontent-disposition: form-data; name="f"; filename="a.png"\r\n\r\n'

function openUpload(person: Person, headers: Record<string, string>) {
  const sending = httpRequest(`${person.url}/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
      'content-type': 'multipart/form-data; boundary=b',
      ...headers,
    },
  })
  sending.on('error', () => {})
  sending.flushHeaders()
  return sending
}

async function answerOf(sending: ReturnType<typeof openUpload>): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    sending.on('error', reject)
    sending.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (more: string) => (text += more))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
  })
}

/** Sends a file without announcing its length. */
async function uploadInPieces(person: Person, bytes: Buffer): Promise<{ status: number; body: unknown }> {
  const sending = openUpload(person, { 'transfer-encoding': 'chunked' })
  const answer = answerOf(sending)
  sending.write(head().replace('a.png', 'a'))
  for (let at = 0; at < bytes.length; at += 65_536) sending.write(bytes.subarray(at, at + 65_536))
  sending.end('\r\n--b--\r\n')
  return answer
}
