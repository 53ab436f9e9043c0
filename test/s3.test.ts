import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesAt, noisy } from '../src/publishing/media/testing.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import type { MediaFile, MediaUpload } from '../src/publishing/media/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { type Running, startProduct } from './product.ts'
import { S3_ACCOUNT, type S3Stand, startS3 } from './s3.ts'
import { connect, connectPages, eventually, newPerson, type Person, untilStatus, uploadPicture } from './world.ts'

// The product stores its files in a bucket.

let database: TestDatabase
let product: Running
let s3: S3Stand
let ann: Person

const inBucket = (more: Record<string, string> = {}) => ({
  S3_ENDPOINT: s3.url,
  S3_BUCKET: s3.bucket,
  S3_ACCESS_KEY_ID: S3_ACCOUNT.accessKeyId,
  S3_SECRET_ACCESS_KEY: S3_ACCOUNT.secretAccessKey,
  TIME_SCALE: '20',
  ...more,
})

beforeAll(async () => {
  database = await freshDatabase()
  s3 = await startS3()
  product = await startProduct({ databaseUrl: database.url, env: inBucket() })
  ann = await newPerson(product.url)
})
afterAll(async () => {
  await product?.stop()
  await s3?.close()
  await database?.drop()
})

test('a picture goes from the bucket to two networks, and is served from our address with ranges and a safe type', async () => {
  const [page] = await connectPages(ann, 'u1')
  const [photo] = await connect(ann, 'NET_PHOTO', 'u1')
  const file = await uploadPicture(ann)
  const names = [...s3.objects.keys()]
  expect(names.filter((name) => name.startsWith('private/') && !name.endsWith('.writable')).length).toBe(1)
  expect(file.storageUrl).toMatch(new RegExp(`^${product.url}/files/`))
  const whole = await bytesAt(file.storageUrl!)
  const part = await fetch(file.storageUrl!, { headers: { range: 'bytes=10-19' } })
  expect([part.status, part.headers.get('x-content-type-options')]).toEqual([206, 'nosniff'])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(10, 20))
  const post = await ann.must<Post>('POST', '/posts', {
    caption: 'From the bucket',
    targets: [page!.id, photo!.id],
    media: [file.id],
    action: 'publish',
  })
  const done = await untilStatus(ann, post.id, ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'])
  expect(done.status).toBe('PUBLISHED')
  const drafts = await readdir(join(product.dataDir, 'media-drafts'))
  expect(drafts.filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a large upload in pieces is stored in the bucket, and removed with its file', async () => {
  const bytes = await noisy(9 * 1024 * 1024)
  const upload = await ann.must<MediaUpload>('POST', '/media/uploads', undefined, {
    'upload-length': String(bytes.length),
    'upload-metadata': `filename ${Buffer.from('large.png').toString('base64')}`,
  })
  const response = await fetch(`${ann.url}/api/v1/media/uploads/${upload.id}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${ann.session.accessToken}`,
      'x-workspace-id': ann.workspaceId,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    },
    body: new Uint8Array(bytes),
  })
  expect(response.status).toBe(204)
  const id = response.headers.get('content-location')!.split('/').at(-1)!
  const kept = [...s3.objects.values()].find((each) => each.bytes.equals(bytes))
  expect(kept?.type).toBe('application/octet-stream')
  const file = await eventually(async () => {
    const found = await ann.must<MediaFile>('GET', `/media/${id}`)
    return found.state === 'PROCESSING' ? undefined : found
  })
  expect(file.state).toBe('READY')
  await ann.must('DELETE', `/media/${id}`)
  await eventually(async () => [...s3.objects.values()].every((each) => !each.bytes.equals(bytes)))
})

test('old objects that no row names are removed from the bucket; new ones and those of a row stay', async () => {
  const file = await uploadPicture(ann)
  const ours = [...s3.objects].filter(([name]) => !name.endsWith('.writable'))
  const old = new Date(Date.now() - 2 * 3_600_000)
  for (const [, object] of ours) object.at = old
  const left = (name: string, at: Date) => s3.objects.set(name, { bytes: Buffer.from('left'), type: 'image/jpeg', at })
  const orphans = [`public/${'a'.repeat(43)}.jpg`, `private/${'a'.repeat(43)}`]
  const fresh = `public/${'b'.repeat(43)}.jpg`
  for (const name of orphans) left(name, old)
  left(fresh, new Date())
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query(`select graphile_worker.add_job('storage-clean',
    '{"workspaceId": "00000000-0000-0000-0000-000000000000", "data": {}}')`)
  await sql.end()
  await eventually(async () => orphans.every((name) => !s3.objects.has(name)))
  expect(s3.objects.has(fresh)).toBe(true)
  for (const [name] of ours) expect(s3.objects.has(name)).toBe(true)
  await bytesAt(file.storageUrl!)
})

test('an open bucket serves public files alone, to people and networks', async () => {
  const open = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? '').slice(1)
    const object = name.startsWith('public/') ? s3.objects.get(name) : undefined
    if (object) response.writeHead(200, { 'content-type': object.type }).end(object.bytes)
    else response.writeHead(403).end()
  }).listen(0, '127.0.0.1')
  await once(open, 'listening')
  const address = `http://127.0.0.1:${(open.address() as AddressInfo).port}`
  const own = await freshDatabase()
  const other = await startProduct({ databaseUrl: own.url, env: inBucket({ S3_PUBLIC_URL: address }) })
  try {
    const bob = await newPerson(other.url, 'Bob')
    const file = await uploadPicture(bob)
    for (const url of [file.storageUrl!, file.thumbnailUrl!]) {
      expect(url.startsWith(`${address}/public/`)).toBe(true)
      expect(await bytesAt(url)).not.toHaveLength(0)
    }
    const hidden = [...s3.objects.keys()].filter((name) => name.startsWith('private/'))
    expect(hidden.length).toBeGreaterThan(0)
    for (const name of hidden) expect((await fetch(`${address}/${name}`)).status).toBe(403)
    // NET_PHOTO fetches the picture itself, from the address that it is given.
    const [photo] = await connect(bob, 'NET_PHOTO', 'u2')
    const post = await bob.must<Post>('POST', '/posts', {
      caption: 'From the open bucket',
      targets: [photo!.id],
      media: [file.id],
      action: 'publish',
    })
    expect((await untilStatus(bob, post.id, ['PUBLISHED', 'FAILED'])).status).toBe('PUBLISHED')
  } finally {
    await other.stop()
    await own.drop()
    open.close()
  }
})

test('health fails while the bucket is unavailable', async () => {
  const status = async () => (await fetch(`${product.url}/api/v1/health`)).status
  s3.fail(1_000)
  await eventually(async () => (await status()) === 503)
  s3.fail(0)
  await eventually(async () => (await status()) === 200)
})
