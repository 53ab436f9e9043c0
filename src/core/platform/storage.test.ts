import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3_ACCOUNT, type S3Stand, signatureOf, startS3 } from '../../../test/s3.ts'
import { openS3Storage } from './storage-s3.ts'
import { openDiskStorage, type Storage } from './storage.ts'
import { long } from '../../../test/tier.ts'

// What all users of a storage rely on, checked for each kind of storage.

const newKey = (extension = '') => randomBytes(32).toString('base64url') + extension
const HOUR = 3_600_000

let folder: string
let s3: S3Stand

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-storage-'))
  s3 = await startS3()
})
afterAll(async () => {
  await s3?.close()
  await rm(folder, { recursive: true, force: true })
})

const openS3 = (account = S3_ACCOUNT) =>
  openS3Storage({
    bucket: { endpoint: s3.url, region: 'eu-central-1', bucket: s3.bucket, ...account },
    folder: join(folder, 'drafts'),
    typeOf: (key) => (key.endsWith('.jpg') ? 'image/jpeg' : undefined),
  })

async function all(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function put(storage: Storage, key: string, bytes: Buffer): Promise<void> {
  const draft = await storage.write(key)
  draft.stream.end(bytes)
  await new Promise((resolve) => draft.stream.once('finish', resolve))
  await draft.done()
}

const places = {
  'a folder': {
    open: () => openDiskStorage(join(folder, 'disk')),
    files: async () =>
      (await readdir(join(folder, 'disk'), { recursive: true })).filter((name) => name.includes('.part')),
    age: async (key: string, at: Date) => utimes(join(folder, 'disk', key.slice(0, 2), key), at, at),
  },
  'a bucket': {
    open: () => openS3(),
    files: async () => readdir(join(folder, 'drafts')),
    age: async (key: string, at: Date) => {
      for (const [name, object] of s3.objects) if (name.endsWith(key)) object.at = at
    },
  },
}

describe.each(Object.entries(places))('%s', (_name, place) => {
  let storage: Storage
  beforeAll(async () => {
    storage = await place.open()
  })

  test.each([1, 70_000, 20_000_000])('returns %i bytes as they were written, whole and in part', async (size) => {
    const [key, bytes] = [newKey(), randomBytes(size)]
    await put(storage, key, bytes)
    expect(await storage.size(key)).toBe(size)
    expect((await all(storage.read(key))).equals(bytes)).toBe(true)
    for (const [start, end] of [
      [0, 0],
      [Math.floor(size / 2), size - 1],
    ] as const) {
      expect((await all(storage.read(key, { start, end }))).equals(bytes.subarray(start, end + 1))).toBe(true)
    }
    expect(await storage.local(key, async (path) => (await readFile(path)).equals(bytes))).toBe(true)
  })

  test('shows nothing of an unfinished file, and leaves nothing of a discarded one', async () => {
    const key = newKey()
    const draft = await storage.write(key)
    await new Promise((resolve) => draft.stream.write('half', resolve))
    expect(await storage.size(key)).toBe(undefined)
    await draft.discard()
    expect([await storage.size(key), await place.files()]).toEqual([undefined, []])
  })

  test('keeps one whole file when two writers share a key', async () => {
    const key = newKey()
    const bodies = [randomBytes(300_000), randomBytes(300_000)]
    await Promise.all(bodies.map((bytes) => put(storage, key, bytes)))
    const kept = await all(storage.read(key))
    expect(bodies.some((bytes) => bytes.equals(kept))).toBe(true)
  })

  test('reports a missing file as missing', async () => {
    const key = newKey()
    expect(await storage.size(key)).toBe(undefined)
    await expect(all(storage.read(key))).rejects.toThrow()
    await storage.remove(key)
    await put(storage, key, Buffer.from('x'))
    await storage.remove(key)
    expect(await storage.size(key)).toBe(undefined)
  })

  test('refuses a name that is not a key', async () => {
    for (const key of ['../x', 'a', `${newKey()}/../../x`, '']) {
      await expect((async () => all(storage.read(key)))()).rejects.toThrow('Not a storage key')
      await expect(storage.write(key)).rejects.toThrow('Not a storage key')
    }
  })

  test('lists the files older than a time, without drafts', async () => {
    const [old, young, served] = [newKey(), newKey(), newKey('.jpg')]
    for (const key of [old, young, served]) await put(storage, key, Buffer.from('x'))
    for (const key of [old, served]) await place.age(key, new Date(Date.now() - 3 * HOUR))
    const draft = await storage.write(newKey())
    await new Promise((resolve) => draft.stream.write('half', resolve))
    const listed: string[] = []
    for await (const key of storage.keys(new Date(Date.now() - 2 * HOUR))) listed.push(key)
    expect(listed.toSorted()).toEqual([old, served].toSorted())
    await draft.discard()
  })

  test('removes the drafts of killed processes and no others', async () => {
    const [old, young] = [await storage.write(newKey()), await storage.write(newKey())]
    for (const { stream } of [old, young]) await new Promise((resolve) => stream.write('half', resolve))
    const long = new Date(Date.now() - 3 * HOUR)
    await utimes(old.path, long, long)
    expect(await storage.removeDrafts(new Date(Date.now() - 2 * HOUR))).toBe(1)
    expect((await place.files()).length).toBe(1)
    await young.discard()
    await old.discard()
  })

  test('passes its own check', () => storage.check())
})

describe('a bucket', () => {
  test('gets large files in parts, and keeps no parts if it refuses one', async () => {
    const storage = await openS3()
    const key = newKey()
    s3.asked.length = 0
    await put(storage, key, randomBytes(17 * 1024 * 1024))
    expect(s3.asked.filter((each) => each.startsWith('PUT')).length).toBe(3)
    expect(s3.uploads.size).toBe(0)
    const draft = await storage.write(newKey())
    draft.stream.end(randomBytes(9 * 1024 * 1024))
    await new Promise((resolve) => draft.stream.once('finish', resolve))
    s3.fail(9)
    await expect(draft.done()).rejects.toThrow()
    s3.fail(0)
    await draft.discard()
    expect(s3.uploads.size).toBe(0)
  })

  test('that fails once is asked again', async () => {
    const storage = await openS3()
    const key = newKey()
    s3.fail(1)
    await put(storage, key, Buffer.from('x'))
    s3.fail(1)
    expect(await storage.size(key)).toBe(1)
  })

  test('separates served files, with their type, from all others', async () => {
    const storage = await openS3()
    const [served, kept] = [newKey('.jpg'), newKey()]
    for (const key of [served, kept]) await put(storage, key, Buffer.from('x'))
    expect(s3.objects.get(`public/${served}`)?.type).toBe('image/jpeg')
    expect(s3.objects.get(`private/${kept}`)?.type).toBe('application/octet-stream')
  })

  test('is cleared of multipart uploads that were never finished', async () => {
    const storage = await openS3()
    const begun = (at: Date) => ({ key: `private/${newKey()}`, type: 'x', at, parts: new Map() })
    s3.uploads.set('old', begun(new Date(Date.now() - 3 * HOUR)))
    s3.uploads.set('young', begun(new Date()))
    await storage.removeDrafts(new Date(Date.now() - 2 * HOUR))
    expect([...s3.uploads.keys()]).toEqual(['young'])
    s3.uploads.clear()
  })

  test.runIf(long)('accepts nothing from a client with the wrong secret', async () => {
    const storage = await openS3({ ...S3_ACCOUNT, secretAccessKey: 'wrong' })
    await expect(storage.check()).rejects.toThrow()
    await expect(put(storage, newKey(), Buffer.from('x'))).rejects.toThrow()
  })
})

describe('the test bucket demands the signatures of the published examples', () => {
  const scope = '20130524/us-east-1/s3/aws4_request'
  const date = '20130524T000000Z'
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const host = 'examplebucket.s3.amazonaws.com'
  const secret = S3_ACCOUNT.secretAccessKey
  const common = { host, 'x-amz-content-sha256': empty, 'x-amz-date': date }
  const plain = ['host', 'x-amz-content-sha256', 'x-amz-date']

  test.each([
    [
      'a part of an object',
      { method: 'GET', path: '/test.txt', query: '', headers: { ...common, range: 'bytes=0-9' } },
      ['host', 'range', 'x-amz-content-sha256', 'x-amz-date'],
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'the life cycle of a bucket',
      { method: 'GET', path: '/', query: 'lifecycle=', headers: common },
      plain,
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'a list',
      { method: 'GET', path: '/', query: 'max-keys=2&prefix=J', headers: common },
      plain,
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('%s', (_what, { query, ...request }, signed, signature) => {
    expect(signatureOf({ ...request, query: new URLSearchParams(query) }, secret, signed, scope, date)).toBe(signature)
  })
})
