import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { asPerson, eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { MediaFile, MediaUpload } from './api.ts'
import { bytesAt, noisy, plain, untilProcessed, stored } from './testing.ts'

let database: TestDatabase
let product: Running
let dataDir: string
let client: pg.Client
let ann: Person
let picture: Buffer

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'parley-resume-'))
  product = await startProduct({ databaseUrl: database.url, dataDir })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  ann = await newPerson(product.url)
  picture = await noisy(400_000)
})

afterAll(async () => {
  await product?.stop()
  await client?.end()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

const TUS = { 'tus-resumable': '1.0.0' }
const metadata = (name: string, type: string) =>
  `filename ${Buffer.from(name).toString('base64')},filetype ${Buffer.from(type).toString('base64')}`

const begin = (person: Person, size: number, name = 'a.png', type = 'image/png') =>
  person.call<MediaUpload & Problem>('POST', '/media/uploads', undefined, {
    ...TUS,
    'upload-length': String(size),
    'upload-metadata': metadata(name, type),
  })

interface Answered {
  status: number
  headers: Headers
  body: Problem
}

async function tus(
  person: Person,
  method: string,
  id: string,
  headers: object = {},
  bytes?: Buffer,
): Promise<Answered> {
  const response = await fetch(`${person.url}/api/v1/media/uploads/${id}`, {
    method,
    headers: {
      ...TUS,
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
      ...(bytes && { 'content-type': 'application/offset+octet-stream' }),
      ...headers,
    },
    ...(bytes && { body: new Uint8Array(bytes) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as Problem }
}

const piece = (person: Person, id: string, offset: number, bytes: Buffer) =>
  tus(person, 'PATCH', id, { 'upload-offset': String(offset) }, bytes)
const offsetOf = async (person: Person, id: string) =>
  Number((await tus(person, 'HEAD', id)).headers.get('upload-offset'))

const idOf = (answer: Answered) => answer.headers.get('content-location')!.split('/').at(-1)!
const unfinished = async () => readdir(join(dataDir, 'uploads'))
const used = async (person: Person) => {
  const { rows } = await client.query<{ used: string; held: string }>(
    `select coalesce((select used from workspace_usage where workspace_id = $1 and quota_id = 'media_bytes'), 0) as used,
      (select coalesce(sum(amount), 0) from usage_hold where workspace_id = $1) as held`,
    [person.workspaceId],
  )
  return { used: Number(rows[0]!.used), held: Number(rows[0]!.held) }
}

/** Sends bytes without ever finishing. Returns the request, to break the connection off. */
function drip(person: Person, id: string, offset: number, bytes: Buffer) {
  const sending = httpRequest(`${person.url}/api/v1/media/uploads/${id}`, {
    method: 'PATCH',
    headers: {
      ...TUS,
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      'content-length': String(bytes.length * 2),
    },
  })
  sending.on('error', () => {})
  sending.write(bytes)
  return sending
}

describe('an upload in pieces', () => {
  test('becomes the same file as one in a form, is charged once, and leaves nothing behind', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const begun = await begin(bob, picture.length)
    expect([begun.status, begun.headers.get('location')]).toEqual([201, `/api/v1/media/uploads/${begun.body.id}`])
    expect(begun.body).toMatchObject({ fileName: 'a.png', size: picture.length, offset: 0, mediaFileId: null })
    const { id } = begun.body
    const first = await piece(bob, id, 0, picture.subarray(0, 100_000))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '100000'])
    expect(await used(bob)).toEqual({ used: 0, held: 0 })
    const last = await piece(bob, id, 100_000, picture.subarray(100_000))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(picture.length)])
    const file = await untilProcessed(bob, idOf(last))
    expect(file).toMatchObject({ kind: 'IMAGE', state: 'READY', fileName: 'a.png', mimeType: 'image/png' })
    expect(await bytesAt(file.storageUrl!)).toEqual(picture)
    expect(await used(bob)).toEqual({ used: picture.length, held: 0 })
    expect(await unfinished()).not.toContain(id)
    const after = await bob.must<MediaUpload>('GET', `/media/uploads/${id}`)
    expect([after.offset, after.mediaFileId]).toEqual([picture.length, file.id])
  })

  test('continues after the server was killed in the middle of it', async () => {
    const begun = await begin(ann, picture.length)
    const { id } = begun.body
    const half = picture.subarray(0, 200_000)
    const sending = drip(ann, id, 0, half)
    await eventually(async () => (await stat(join(dataDir, 'uploads', id))).size === half.length)
    await product.kill()
    sending.destroy()
    product = await startProduct({ databaseUrl: database.url, dataDir })
    ann = asPerson(product.url, ann.session)
    const offset = await offsetOf(ann, id)
    expect(offset).toBe(half.length)
    const last = await piece(ann, id, offset, picture.subarray(offset))
    const file = await untilProcessed(ann, idOf(last))
    expect(file.state).toBe('READY')
    expect(await bytesAt(file.storageUrl!)).toEqual(picture)
  })

  test('that was complete but no file yet when the server was killed becomes one with its last byte', async () => {
    const { id } = (await begin(ann, picture.length)).body
    await piece(ann, id, 0, picture.subarray(0, 10))
    await writeFile(join(dataDir, 'uploads', id), picture)
    expect(await offsetOf(ann, id)).toBe(picture.length - 1)
    const last = await piece(ann, id, picture.length - 1, picture.subarray(-1))
    expect(await bytesAt((await untilProcessed(ann, idOf(last))).storageUrl!)).toEqual(picture)
  })

  test('ended twice at the same time is one file, charged once', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const { id } = (await begin(bob, picture.length)).body
    await piece(bob, id, 0, picture.subarray(0, -1))
    const ends = await Promise.all([1, 2, 3].map(() => piece(bob, id, picture.length - 1, picture.subarray(-1))))
    const done = ends.filter(({ status }) => status === 204)
    // A concurrent attempt is refused, and finds the same file afterwards.
    expect(ends.every(({ status }) => status === 204 || status === 409)).toBe(true)
    const again = await tus(bob, 'HEAD', id)
    expect(new Set([...done, again].map(idOf)).size).toBe(1)
    const { data } = await bob.must<{ data: MediaFile[] }>('GET', '/media')
    expect(data.length).toBe(1)
    expect(await used(bob)).toEqual({ used: picture.length, held: 0 })
  })

  test('continues only from its current offset', async () => {
    const { id } = (await begin(ann, picture.length)).body
    await piece(ann, id, 0, picture.subarray(0, 1000))
    for (const offset of [0, 999, 1001]) {
      const answer = await piece(ann, id, offset, picture.subarray(offset, offset + 10))
      expect(answer.body).toMatchObject({ status: 409, code: 'invalid_state', current: 1000 })
    }
    expect(await offsetOf(ann, id)).toBe(1000)
    expect((await piece(ann, id, 1000, picture)).body).toMatchObject({ status: 400, code: 'malformed_request' })
    const noOffset = await tus(ann, 'PATCH', id, {}, picture.subarray(0, 5))
    expect(noOffset.body).toMatchObject({ status: 400, code: 'malformed_request' })
  })

  test('that another connection still sends is taken over', async () => {
    const { id } = (await begin(ann, picture.length)).body
    const dead = drip(ann, id, 0, picture.subarray(0, 150_000))
    await eventually(async () => (await stat(join(dataDir, 'uploads', id))).size === 150_000)
    expect(await offsetOf(ann, id)).toBe(150_000)
    const last = await piece(ann, id, 150_000, picture.subarray(150_000))
    expect(last.status).toBe(204)
    dead.destroy()
    expect(await bytesAt((await untilProcessed(ann, idOf(last))).storageUrl!)).toEqual(picture)
  })

  test('is removed with its bytes when cancelled', async () => {
    const { id } = (await begin(ann, 100)).body
    expect(await unfinished()).toContain(id)
    expect((await tus(ann, 'DELETE', id)).status).toBe(204)
    expect(await unfinished()).not.toContain(id)
    expect((await tus(ann, 'HEAD', id)).status).toBe(404)
  })

  test('cannot be used by other members or workspaces', async () => {
    const { id } = (await begin(ann, picture.length)).body
    const bob = await newPerson(product.url, 'Bob')
    await client.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'ADMIN')`, [
      ann.workspaceId,
      bob.session.user.id,
    ])
    for (const other of [bob, asPerson(product.url, bob.session, ann.workspaceId)]) {
      const nothing = randomUUID()
      for (const each of [id, nothing]) {
        expect((await tus(other, 'HEAD', each)).status).toBe(404)
        expect((await piece(other, each, 0, picture)).status).toBe(404)
        expect((await tus(other, 'DELETE', each)).status).toBe(404)
      }
    }
    expect(await offsetOf(ann, id)).toBe(0)
  })

  test('works with the usual client, in small pieces and with its own way of continuing', async () => {
    const sent: number[] = []
    const upload = await new Promise<Upload>((resolve, reject) => {
      const one = new Upload(picture, {
        endpoint: `${product.url}/api/v1/media/uploads`,
        headers: { authorization: `Bearer ${ann.session.accessToken}`, 'x-workspace-id': ann.workspaceId },
        metadata: { filename: 'client.png', filetype: 'image/png' },
        chunkSize: 128 * 1024,
        onChunkComplete: (_size, accepted) => sent.push(accepted),
        onError: reject,
        onSuccess: () => resolve(one),
      })
      one.start()
    })
    expect(sent.length).toBe(Math.ceil(picture.length / (128 * 1024)))
    const found = await tus(ann, 'HEAD', upload.url!.split('/').at(-1)!)
    expect(await bytesAt((await untilProcessed(ann, idOf(found))).storageUrl!)).toEqual(picture)
  })

  test('announces its protocol, and refuses another version', async () => {
    const told = await fetch(`${product.url}/api/v1/media/uploads`, { method: 'OPTIONS' })
    expect([told.status, told.headers.get('tus-version'), told.headers.get('tus-extension')]).toEqual([
      204,
      '1.0.0',
      'creation,expiration,termination',
    ])
    const old = await tus(ann, 'HEAD', randomUUID(), { 'tus-resumable': '0.2.2' })
    expect([old.status, old.headers.get('tus-version')]).toEqual([412, '1.0.0'])
  })
})

describe('an upload that cannot become a file', () => {
  test('is refused by its length before any byte arrives', async () => {
    expect((await begin(ann, 1024 ** 3 + 1, 'a.mp4', 'video/mp4')).body).toMatchObject({ status: 413 })
    expect((await begin(ann, 1024 ** 3, 'a.mp4', 'video/mp4')).status).toBe(201)
    expect((await begin(ann, 0)).body).toMatchObject({ status: 422 })
  })

  test('is refused by its first bytes, and removed', async () => {
    const large = 30 * 1024 * 1024
    for (const [name, type, bytes, status, code] of [
      ['a.mp4', 'video/mp4', picture, 413, 'too_large'],
      ['a', '', picture, 413, 'too_large'],
      ['a.html', 'text/html', Buffer.from('<script>alert(1)</script>'.repeat(400)), 415, 'unsupported_media_type'],
    ] as const) {
      const { id } = (await begin(ann, large, name, type)).body
      expect((await piece(ann, id, 0, bytes.subarray(0, 8000))).body).toMatchObject({ status, code })
      expect((await tus(ann, 'HEAD', id)).status).toBe(404)
      expect(await unfinished()).not.toContain(id)
    }
  })

  test('is refused at its end as in a form, and removed', async () => {
    const before = await stored(dataDir)
    const half = (await plain().png().toBuffer()).subarray(0, 20)
    const { id } = (await begin(ann, half.length)).body
    const answer = await piece(ann, id, 0, half)
    expect(answer.body).toMatchObject({ status: 422, code: 'validation_failed' })
    expect(await unfinished()).not.toContain(id)
    expect((await stored(dataDir)).length).toBeLessThanOrEqual(before.length)
  })

  test('is refused at its beginning for lack of quota, counting the other unfinished uploads', async () => {
    const bob = await newPerson(product.url, 'Bob')
    await client.query(
      `insert into workspace_usage (workspace_id, quota_id, period, used) values ($1, 'media_bytes', '0001-01-01', $2)
        on conflict (workspace_id, quota_id, period) do update set used = excluded.used`,
      [bob.workspaceId, 53_687_091_200 - 3_000_000],
    )
    expect((await begin(bob, 2_000_000)).status).toBe(201)
    expect((await begin(bob, 2_000_000)).body).toMatchObject({ status: 402, code: 'quota_exceeded' })
    expect((await begin(bob, 1_000_000)).status).toBe(201)
  })

  test('is refused for lack of quota also when many begin at the same time', async () => {
    const bob = await newPerson(product.url, 'Bob')
    await client.query(
      `insert into workspace_usage (workspace_id, quota_id, period, used) values ($1, 'media_bytes', '0001-01-01', $2)
        on conflict (workspace_id, quota_id, period) do update set used = excluded.used`,
      [bob.workspaceId, 53_687_091_200 - 4_000_000],
    )
    const answers = await Promise.all(Array.from({ length: 12 }, () => begin(bob, 1_000_000)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array(4).fill(201),
      ...Array(8).fill(402),
    ])
  })

  test('is refused if a person has too many unfinished uploads', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const answers = await Promise.all(Array.from({ length: 24 }, () => begin(bob, 10)))
    expect(answers.filter(({ status }) => status === 201).length).toBe(20)
    expect(answers.find(({ status }) => status !== 201)?.body.errors?.[0]).toMatchObject({
      code: 'too_many_uploads',
      limit: 20,
    })
  })
})

test('an expired upload is gone for its sender; until then its bytes stay intact', async () => {
  const { id } = (await begin(ann, picture.length)).body
  await piece(ann, id, 0, picture.subarray(0, 1000))
  expect(await readFile(join(dataDir, 'uploads', id))).toEqual(picture.subarray(0, 1000))
  await client.query(`update media_upload set expires_at = app_now() - interval '1 minute' where id = $1`, [id])
  expect((await tus(ann, 'HEAD', id)).status).toBe(404)
  expect((await piece(ann, id, 1000, picture.subarray(1000))).status).toBe(404)
})
