import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { open, readdir, readFile, readlink, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { en as rejections } from '../../core/texts/rejections/en.ts'
import { eventually, newPerson, type Person } from '../../../test/world.ts'
import { createClock } from '../../core/platform/clock.ts'
import { openPool } from '../../core/platform/db.ts'
import type { Event } from '../../core/platform/events.ts'
import { openPartials, type Partials } from '../../core/platform/partials.ts'
import { createScopes, type Scopes } from '../../core/platform/scope.ts'
import { openDiskStorage, type Storage } from '../../core/platform/storage.ts'
import type { Post } from '../posts/api.ts'
import type { MediaFile, MediaUpload } from './api.ts'
import { originalKey, removeUnnamed } from './media.ts'
import { cleanStorage } from './media-clean.ts'
import { makeCrops } from './media-crops.ts'
import { createDecoder, type Decoder } from './media-decoder.ts'
import { UnusableFile } from './media-unusable.ts'
import { processMedia } from './media-process.ts'
import { bytesAt, noisy, plain, sample, send, somewhere, stored } from './testing.ts'
import { subscribers } from '../../subscribers.ts'

// The tests run the jobs themselves: the product under test runs none.

const { product, database } = useProduct({ env: { ROLE: 'api' }, own: true })
let pool: pg.Pool
let scopes: Scopes
let storage: Storage
let partials: Partials
let ann: Person
const decode = createDecoder()
const events: Event[] = []
const log = pino({ level: 'silent' })

beforeAll(async () => {
  pool = openPool(database.url, 5, () => {})
  scopes = createScopes({
    pool,
    log,
    clock: createClock(),
    events: { publish: (_, event) => events.push(event) },
    subscribers,
  })
  storage = await openDiskStorage(join(product.dataDir, 'media'))
  partials = await openPartials(join(product.dataDir, 'uploads'))
  ann = await newPerson(product.url)
})

afterAll(async () => {
  await pool?.end()
})

const clean = () => cleanStorage(scope(), { storage, partials, log }, scopes)
const scope = () => scopes.scope(ann.workspaceId, { kind: 'system', name: 'media' })
const run = (id: string, ports: { storage?: Storage; decode?: Pick<Decoder, 'file'> } = {}) =>
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
  test('is enqueued with the file, and then rechecks posts and notifies browsers', async () => {
    const id = await upload()
    expect((await waiting('media')).filter(({ data }) => data.mediaFileId === id).length).toBe(1)
    expect((await waiting('flight-check')).filter(({ data }) => data.mediaFileId === id)).toEqual([])
    await run(id)
    expect(await fetched(id)).toMatchObject({ state: 'READY', version: 1 })
    expect((await waiting('flight-check')).filter(({ data }) => data.mediaFileId === id).length).toBe(1)
    expect(events).toContainEqual({ kind: 'media', id })
  })

  test('does nothing the second time, and parallel runs have the effect of one', async () => {
    const id = await upload()
    const before = await stored(product.dataDir)
    await Promise.all([run(id), run(id, { decode: createDecoder() }), run(id)])
    const file = await fetched(id)
    const bytes = await bytesAt(file.storageUrl!)
    await run(id)
    expect(await fetched(id)).toEqual(file)
    expect(await bytesAt(file.storageUrl!)).toEqual(bytes)
    expect((await stored(product.dataDir)).length).toBe(before.length + 2)
  })

  test('killed between bytes and row, and run again, leaves no duplicates', async () => {
    const id = await upload()
    const before = await stored(product.dataDir)
    const dying: Storage = { ...storage, size: () => Promise.reject(new Error('killed')) }
    await expect(run(id, { storage: dying })).rejects.toThrow('killed')
    expect((await fetched(id)).state).toBe('PROCESSING')
    await run(id)
    expect((await fetched(id)).state).toBe('READY')
    expect((await stored(product.dataDir)).length).toBe(before.length + 2)
  })

  test('leaves no bytes of a file that was deleted during it', async () => {
    const before = await stored(product.dataDir)
    const id = await upload()
    const original = await originalOf(id)
    const slow: Decoder['file'] = async (path, kind) => {
      const made = await decode.file(path, kind)
      await ann.must('DELETE', `/media/${id}`)
      return made
    }
    await run(id, { decode: { file: slow } })
    await removeUnnamed(scope(), { storage }, [original])
    expect(await stored(product.dataDir)).toEqual(before)
    await run(id)
    expect(await stored(product.dataDir)).toEqual(before)
    // A second removal comes later, in case the process was killed during this one.
    const removals = (await waiting('storage-removal')).filter(({ data }) => data.keys?.includes(original))
    expect(removals.map(({ runAt }) => runAt.getTime() > Date.now() + 3_000_000)).toEqual([true, false, true])
  })

  test('fails without rejecting the file if the storage or the decoder is at fault', async () => {
    const id = await upload()
    const before = await stored(product.dataDir)
    const full: Storage = {
      ...storage,
      write: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    }
    await expect(run(id, { storage: full })).rejects.toThrow('full')
    await expect(run(id, { decode: { file: () => Promise.reject(new Error('no decoder')) } })).rejects.toThrow(
      'no decoder',
    )
    await expect(decode.file(join(product.dataDir, 'nowhere'), 'IMAGE')).rejects.toThrow(/ENOENT/)
    expect((await fetched(id)).state).toBe('PROCESSING')
    expect(await stored(product.dataDir)).toEqual(before)
  })
})

describe('the decoding process', () => {
  /** Returns our child process that has this file open, if there is one. */
  const reader = async (path: string) => {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean)) {
      // The process may have ended by now, or closed the file.
      for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
        if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === path) return Number(pid)
      }
    }
    return undefined
  }

  test('moves a picture that takes too long to the slow lane, which finishes it', async () => {
    const id = await upload()
    const file: Decoder['file'] = (path, kind, lane) =>
      lane === 'quick' ? Promise.reject(new UnusableFile('too_slow')) : decode.file(path, kind)
    await processMedia(scope(), { storage, decode: { file } }, id, 'quick')
    expect((await fetched(id)).state).toBe('PROCESSING')
    expect((await waiting('media-slow')).filter(({ data }) => data.mediaFileId === id).length).toBe(1)
    await processMedia(scope(), { storage, decode: { file } }, id)
    expect((await fetched(id)).state).toBe('READY')
  })

  /** Makes a file that can be opened but never read to its end. `kill` kills the process that reads it. */
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
        // A pipe has two ends before the reader's file descriptor becomes visible.
        const pid = await eventually(() => reader(path))
        process.kill(pid, 'SIGKILL')
        await eventually(async () => !existsSync(`/proc/${pid}`))
        await writer.close()
      },
    }
  }

  test('tries a picture once more after a crash', async () => {
    const path = join(product.dataDir, 'breaks-once')
    const { kill } = await trap(path)
    const made = createDecoder().file(path, 'IMAGE')
    await kill()
    await rm(path)
    await writeFile(path, await plain().jpeg().toBuffer())
    expect(await made).toMatchObject({ format: 'jpeg', width: 400 })
  })

  test('declares a picture unusable after two crashes, then decodes the next one', async () => {
    const path = join(product.dataDir, 'breaks-twice')
    const own = createDecoder()
    const { kill } = await trap(path)
    const failed = own.file(path, 'IMAGE').catch((error: unknown) => error)
    const good = join(product.dataDir, 'good')
    await writeFile(good, await plain().jpeg().toBuffer())
    const next = own.file(good, 'IMAGE')
    await kill()
    await kill()
    expect(await failed).toBeInstanceOf(UnusableFile)
    expect(await next).toMatchObject({ format: 'jpeg' })
  })
})

describe('leftovers of killed processes', () => {
  test('bytes of an upload without a row are removed by a job that was scheduled before they arrived', async () => {
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

  test('half-written files older than two hours are removed at the start', async () => {
    const [old, young] = [await storage.write(originalKey()), await storage.write(originalKey())]
    for (const { stream } of [old, young]) await new Promise((resolve) => stream.write('half', resolve))
    const [oldPath, youngPath] = [old, young].map(({ stream }) => (stream as unknown as { path: string }).path) as [
      string,
      string,
    ]
    const hours = new Date(Date.now() - 7_700_000)
    await utimes(oldPath, hours, hours)
    await clean()
    const left = await stored(product.dataDir)
    expect([left.some((name) => oldPath.endsWith(name)), left.some((name) => youngPath.endsWith(name))]).toEqual([
      false,
      true,
    ])
    await young.discard()
    await old.discard()
  })

  describe('whole files', () => {
    const hours = () => new Date(Date.now() - 7_700_000)
    const put = async (key: string) => {
      const draft = await storage.write(key)
      draft.stream.end(await noisy(1000))
      await new Promise((resolve) => draft.stream.once('finish', resolve))
      await draft.done()
    }
    const age = (key: string) => utimes(join(product.dataDir, 'media', key.slice(0, 2), key), hours(), hours())

    test('are removed if old and named by no row; those that a row names stay, whatever their age', async () => {
      const id = await upload()
      await run(id)
      const { rows } = await pool.query<string[]>({
        text: `select unnest(array[original_key, storage_key, thumbnail_key]) from media_file where id = $1
          union all select storage_key from media_rendition`,
        values: [id],
        rowMode: 'array',
      })
      const named = rows.flat()
      const [orphan, young] = [originalKey(), originalKey()]
      await put(orphan)
      await put(young)
      for (const key of [...named, orphan]) await age(key)
      await clean()
      expect(await storage.size(orphan)).toBe(undefined)
      for (const key of [...named, young]) expect([key, (await storage.size(key)) ?? 0]).not.toEqual([key, 0])
      await storage.remove(young)
    })

    test('of a crop stay while a post wants it, are removed two hours later, and go with their file', async () => {
      const id = await upload()
      await run(id)
      const area = { x: 0, y: 0, width: 100, height: 100 }
      const media = [{ mediaFileId: id, crops: { NET_PHOTO: area } }]
      const post = await ann.must<{ id: string }>('POST', '/posts', { caption: '', media })
      await makeCrops(scope(), { storage, decode }, id)
      const keyOf = async () => {
        const { rows } = await pool.query<string[]>({
          text: 'select storage_key from media_crop where media_file_id = $1',
          values: [id],
          rowMode: 'array',
        })
        return rows[0]?.[0]
      }
      const key = (await keyOf())!
      const long = "update media_crop set wanted_at = wanted_at - interval '3 hours' where media_file_id = $1"
      await pool.query(long, [id])
      await age(key)
      await clean()
      expect([await keyOf(), (await storage.size(key))! > 0]).toEqual([key, true])
      await ann.must('PATCH', `/posts/${post.id}`, { media: [id] })
      // A crop that is wanted and made again during the clean-up survives it.
      const wantAgain = async () => {
        await ann.must('PATCH', `/posts/${post.id}`, { media })
        await makeCrops(scope(), { storage, decode }, id)
      }
      let wanting: Promise<void> | undefined
      const remove: Storage['remove'] = async (one) => {
        await (wanting ??= wantAgain())
        await storage.remove(one)
      }
      await cleanStorage(scope(), { storage: { ...storage, remove }, partials, log }, scopes)
      expect([wanting === undefined, await storage.size(key)]).toEqual([false, undefined])
      const again = (await keyOf())!
      expect(await storage.size(again)).toBeGreaterThan(0)
      // Unused, the crop stays for two hours.
      await ann.must('PATCH', `/posts/${post.id}`, { media: [] })
      await age(again)
      await clean()
      expect([await keyOf(), (await storage.size(again))! > 0]).toEqual([again, true])
      await ann.must('DELETE', `/media/${id}`)
      const removals = (await waiting('storage-removal')).filter(({ data }) => data.keys?.includes(again))
      expect(removals.length).toBeGreaterThan(0)
      await removeUnnamed(scope(), { storage }, removals[0]!.data.keys!)
      expect(await storage.size(again)).toBe(undefined)
    })

    test('of an impossible crop do not exist: other crops do, its post says so, and saving the post retries it', async () => {
      const id = await upload()
      await run(id)
      const [bad, good] = [0, 20].map((x) => ({ x, y: 0, width: 100, height: 100 }))
      const media = [{ mediaFileId: id, crops: { NET_PHOTO: bad } }]
      const post = await ann.must<Post>('POST', '/posts', { caption: '', media })
      const crops = { NET_PHOTO: good }
      const other = await ann.must<Post>('POST', '/posts', { caption: '', media: [{ mediaFileId: id, crops }] })
      let tries = 0
      const failing: Decoder['crop'] = (path, crop) => {
        if (crop.area.x > 0) return decode.crop(path, crop)
        tries += 1
        return Promise.reject(new UnusableFile('unreadable'))
      }
      for (let runs = 0; runs < 2; runs += 1) await makeCrops(scope(), { storage, decode: { crop: failing } }, id)
      const shown = async ({ id: postId }: Post) => {
        const { file } = (await ann.must<Post>('GET', `/posts/${postId}`)).media[0]!
        return [file.state, file.rejectedCode, file.rejectedReason, file.cropped.map(({ area }) => area.x)]
      }
      expect(tries).toBe(1)
      expect(await shown(post)).toEqual(['REJECTED', 'crop_impossible', rejections.crop_impossible, []])
      expect(await shown(other)).toEqual(['READY', null, null, [20]])
      await ann.must('PATCH', `/posts/${post.id}`, { media })
      await makeCrops(scope(), { storage, decode }, id)
      // Each post shows only its own crop.
      expect([await shown(post), await shown(other)]).toEqual([
        ['READY', null, null, [0]],
        ['READY', null, null, [20]],
      ])
    })

    test('stay if most of them have no row, since the database must be another one', async () => {
      const keys = Array.from({ length: 130 }, originalKey)
      for (const key of keys) await put(key)
      for (const key of keys) await age(key)
      await clean()
      expect(await storage.size(keys[0]!)).toBe(await storage.size(keys[129]!))
      expect(await storage.size(keys[0]!)).toBeGreaterThan(0)
      for (const key of keys) await storage.remove(key)
    })

    test('of uploads during the clean-up all survive', async () => {
      const sending = Array.from({ length: 5 }, async () => {
        const id = await upload()
        await run(id)
        return id
      })
      let over = false
      const all = Promise.all(sending).finally(() => (over = true))
      while (!over) await clean()
      for (const id of await all) expect((await bytesAt((await fetched(id)).storageUrl!)).length).toBeGreaterThan(0)
    })
  })

  test('unfinished uploads are removed only if expired or forgotten', async () => {
    const begin = async () => {
      const { id } = await ann.must<MediaUpload>('POST', '/media/uploads', undefined, { 'upload-length': '1000' })
      return id
    }
    const [expired, kept] = [await begin(), await begin()]
    const forgotten = randomUUID()
    await partials.create(forgotten)
    const foreign = join(product.dataDir, 'uploads', '.DS_Store')
    await writeFile(foreign, '')
    const hours = new Date(Date.now() - 7_700_000)
    for (const id of [expired, kept, forgotten]) await utimes(join(product.dataDir, 'uploads', id), hours, hours)
    await utimes(foreign, hours, hours)
    await pool.query(`update media_upload set expires_at = app_now() - interval '1 minute' where id = $1`, [expired])
    await clean()
    expect(await Promise.all([expired, kept, forgotten].map((id) => partials.size(id)))).toEqual([
      undefined,
      0,
      undefined,
    ])
    const { rows } = await pool.query('select id::text from media_upload where id = any ($1)', [[expired, kept]])
    expect(rows).toEqual([{ id: kept }])
  })

  test('only our own storage keys are accepted as paths', () => {
    for (const key of ['../x', 'a', `${randomUUID()}/../../x`, '']) expect(() => storage.read(key)).toThrow()
  })
})
