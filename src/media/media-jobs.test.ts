import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, readlink, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { type Running, startProduct } from '../../test/product.ts'
import { eventually, newPerson, type Person } from '../../test/world.ts'
import { createClock } from '../platform/clock.ts'
import { openPool } from '../platform/db.ts'
import type { Event } from '../platform/events.ts'
import { createPlatform, type Platform } from '../platform/scope.ts'
import { openDiskStorage, type Storage } from '../platform/storage.ts'
import type { MediaFile } from './api.ts'
import { cleanStorage, originalKey, removeUnnamed } from './media.ts'
import { createDecoder, type Decode } from './media-decoder.ts'
import { UnusableFile } from './media-picture.ts'
import { processMedia } from './media-process.ts'
import { bytesAt, noisy, plain, sample, send, somewhere, stored } from './testing.ts'

// The jobs, run here by hand: the product under test takes none.

let database: TestDatabase
let product: Running
let dataDir: string
let pool: pg.Pool
let platform: Platform
let storage: Storage
let ann: Person
const decode = createDecoder()
const events: Event[] = []
const log = pino({ level: 'silent' })

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'parley-jobs-'))
  product = await startProduct({ databaseUrl: database.url, dataDir, env: { ROLE: 'api' } })
  pool = openPool(database.url, 5, () => {})
  platform = createPlatform({ pool, log, clock: createClock(), events: { publish: (_, event) => events.push(event) } })
  storage = await openDiskStorage(join(dataDir, 'media'))
  ann = await newPerson(product.url)
}, 60_000)

afterAll(async () => {
  await product?.stop()
  await pool?.end()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

const scope = () => platform.scope(ann.workspaceId, { kind: 'system', name: 'media' })
const run = (id: string, ports: { storage?: Storage; decode?: Decode } = {}) =>
  processMedia(scope(), { storage, decode, ...ports }, id)
const fetched = (id: string) => ann.must<MediaFile>('GET', `/media/${id}`)
const picture = async () => sample('a.jpg', 'image/jpeg', await plain().withExif(somewhere).jpeg().toBuffer())
const upload = async () => (await send(ann, await picture())).body.id

interface Waiting {
  name: string
  data: { keys?: string[]; mediaFileId?: string }
  runAt: Date
}

const waiting = async (name: string) => {
  const { rows } = await pool.query<[string, { data: Waiting['data'] }, Date]>({
    text: `select t.identifier, j.payload, j.run_at from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = $1 order by j.id`,
    values: [name],
    rowMode: 'array',
  })
  return rows.map(([found, { data }, runAt]): Waiting => ({ name: found, data, runAt }))
}

const originalOf = async (id: string) => {
  const { rows } = await pool.query<[string]>({
    text: 'select original_key from media_file where id = $1',
    values: [id],
    rowMode: 'array',
  })
  return rows[0]![0]
}

describe('the job of a picture', () => {
  test('is enqueued with the file; when done, posts are looked at again and people are told', async () => {
    const id = await upload()
    expect((await waiting('media')).filter(({ data }) => data.mediaFileId === id).length).toBe(1)
    expect((await waiting('flight-check')).filter(({ data }) => data.mediaFileId === id)).toEqual([])
    await run(id)
    expect(await fetched(id)).toMatchObject({ state: 'READY', version: 1 })
    expect((await waiting('flight-check')).filter(({ data }) => data.mediaFileId === id).length).toBe(1)
    expect(events).toContainEqual({ kind: 'media', id })
  })

  test('does nothing the second time, and two at once do what one does', async () => {
    const id = await upload()
    const before = await stored(dataDir)
    await Promise.all([run(id), run(id, { decode: createDecoder() }), run(id)])
    const file = await fetched(id)
    const bytes = await bytesAt(file.storageUrl!)
    await run(id)
    expect(await fetched(id)).toEqual(file)
    expect(await bytesAt(file.storageUrl!)).toEqual(bytes)
    expect((await stored(dataDir)).length).toBe(before.length + 2)
  })

  test('begun anew after it was killed between bytes and row it leaves nothing twice', async () => {
    const id = await upload()
    const before = await stored(dataDir)
    const dying: Storage = { ...storage, size: () => Promise.reject(new Error('killed')) }
    await expect(run(id, { storage: dying })).rejects.toThrow('killed')
    expect((await fetched(id)).state).toBe('PROCESSING')
    await run(id)
    expect((await fetched(id)).state).toBe('READY')
    expect((await stored(dataDir)).length).toBe(before.length + 2)
  })

  test('of a file that was deleted meanwhile leaves no bytes', async () => {
    const before = await stored(dataDir)
    const id = await upload()
    const original = await originalOf(id)
    const slow: Decode = async (path, kind) => {
      const made = await decode(path, kind)
      await ann.must('DELETE', `/media/${id}`)
      return made
    }
    await run(id, { decode: slow })
    await removeUnnamed(scope(), { storage }, [original])
    expect(await stored(dataDir)).toEqual(before)
    await run(id)
    expect(await stored(dataDir)).toEqual(before)
    // And once more later, for a process that was killed over it.
    const removals = (await waiting('storage-removal')).filter(({ data }) => data.keys?.includes(original))
    expect(removals.map(({ runAt }) => runAt.getTime() > Date.now() + 3_000_000)).toEqual([true, false, true])
  })

  test('fails, and does not reject the file, when the storage or the decoder is at fault', async () => {
    const id = await upload()
    const before = await stored(dataDir)
    const full: Storage = {
      ...storage,
      write: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    }
    await expect(run(id, { storage: full })).rejects.toThrow('full')
    await expect(run(id, { decode: () => Promise.reject(new Error('no decoder')) })).rejects.toThrow('no decoder')
    await expect(decode(join(dataDir, 'nowhere'), 'IMAGE')).rejects.toThrow(/ENOENT/)
    expect((await fetched(id)).state).toBe('PROCESSING')
    expect(await stored(dataDir)).toEqual(before)
  })
})

describe('the process that decodes', () => {
  /** Who of our children reads this file, if any has opened it. */
  const reader = async (path: string) => {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean)) {
      // It may have ended by now, or have closed it.
      for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
        if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === path) return Number(pid)
      }
    }
    return undefined
  }

  /** A file that can be opened and never read to its end; kills who does so. */
  async function trap(path: string) {
    execFileSync('sh', ['-c', 'mkfifo "$0"', path])
    return {
      async kill() {
        const writer = await eventually(async () => {
          const opened = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(
            (error: NodeJS.ErrnoException) => {
              if (error.code !== 'ENXIO') throw error
            },
          )
          return opened ?? undefined
        })
        // A pipe has two ends before the reader's number for it can be seen.
        const pid = await eventually(() => reader(path))
        process.kill(pid, 'SIGKILL')
        await eventually(async () => !existsSync(`/proc/${pid}`))
        await writer.close()
      },
    }
  }

  test('and breaks over a picture is tried once more', async () => {
    const path = join(dataDir, 'breaks-once')
    const { kill } = await trap(path)
    const made = createDecoder()(path, 'IMAGE')
    await kill()
    await rm(path)
    await writeFile(path, await plain().jpeg().toBuffer())
    expect(await made).toMatchObject({ format: 'jpeg', width: 400 })
  })

  test('and breaks over a picture twice makes it unusable, and the next one is decoded', async () => {
    const path = join(dataDir, 'breaks-twice')
    const own = createDecoder()
    const { kill } = await trap(path)
    const failed = own(path, 'IMAGE').catch((error: unknown) => error)
    const good = join(dataDir, 'good')
    await writeFile(good, await plain().jpeg().toBuffer())
    const next = own(good, 'IMAGE')
    await kill()
    await kill()
    expect(await failed).toBeInstanceOf(UnusableFile)
    expect(await next).toMatchObject({ format: 'jpeg' })
  })
})

describe('what killed processes leave', () => {
  test('bytes of an upload that never got a row are removed by a job that waited from before they came', async () => {
    const id = await upload()
    const original = await originalOf(id)
    const [removal] = (await waiting('storage-removal')).filter(({ data }) => data.keys?.includes(original))
    expect(removal!.runAt.getTime()).toBeGreaterThan(Date.now() + 3_000_000)
    const orphan = removal!.data.keys!.find((key) => key !== original)!
    const draft = await storage.write(orphan)
    draft.stream.end(await noisy(1000))
    await new Promise((resolve) => draft.stream.once('finish', resolve))
    await draft.done()
    await removeUnnamed(scope(), { storage }, removal!.data.keys!)
    expect([await storage.size(orphan), (await storage.size(original))! > 0]).toEqual([undefined, true])
  })

  test('a removal never takes what a file names: original, served copy, thumbnail', async () => {
    const id = await upload()
    await run(id)
    const { rows } = await pool.query({
      text: 'select original_key, storage_key, thumbnail_key from media_file where id = $1',
      values: [id],
      rowMode: 'array',
    })
    const keys = rows[0] as unknown as string[]
    await removeUnnamed(scope(), { storage }, keys)
    for (const key of keys) expect(await storage.size(key)).toBeGreaterThan(0)
  })

  test('half-written files go at the start when they are older than two hours', async () => {
    const [old, young] = [await storage.write(originalKey()), await storage.write(originalKey())]
    for (const { stream } of [old, young]) await new Promise((resolve) => stream.write('half', resolve))
    const [oldPath, youngPath] = [old, young].map(({ stream }) => (stream as unknown as { path: string }).path) as [
      string,
      string,
    ]
    const hours = new Date(Date.now() - 7_700_000)
    await utimes(oldPath, hours, hours)
    await cleanStorage({ storage, log })
    const left = await stored(dataDir)
    expect([left.some((name) => oldPath.endsWith(name)), left.some((name) => youngPath.endsWith(name))]).toEqual([
      false,
      true,
    ])
    await young.discard()
    await old.discard()
  })

  test('a storage key is ours: nothing else is a path', () => {
    for (const key of ['../x', 'a', `${randomUUID()}/../../x`, '']) expect(() => storage.path(key)).toThrow()
  })
})
