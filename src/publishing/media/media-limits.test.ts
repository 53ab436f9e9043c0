import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { long, sized } from '../../../test/tier.ts'
import { box, canMakeVideo, video } from '../../../test/video.ts'
import { asPerson, eventually, newPerson, type Person } from '../../../test/world.ts'
import type { MediaFile } from './api.ts'
import {
  changed,
  chunksInPng,
  endless,
  framesOfGif,
  framesOfWebp,
  mutated,
  numbers,
  scansInJpeg,
  segmentsInJpeg,
  withRuns,
  withTable,
} from '../../../test/hostile-files.ts'
import { createDecoder, type Decoder } from './media-decoder.ts'
import { UnusableFile } from './media-unusable.ts'
import { flatPng, manyFrames, plain, sample, send, untilProcessed } from './testing.ts'

// How much of the machine one file can use, and how long it can delay the files of others.

const canMake = await canMakeVideo()
let directory: string
let film: Buffer
let pieces: Buffer

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-limits-'))
  if (!canMake) return
  film = await video({ seconds: 1 })
  pieces = await video({ seconds: 1, fragmented: true })
})

afterAll(() => rm(directory, { recursive: true, force: true }))

let files = 0
async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(directory, String((files += 1)))
  await writeFile(path, bytes)
  return path
}

const codeOf = (made: Promise<unknown>) =>
  made.then(
    () => 'made',
    (error: unknown) => (error instanceof UnusableFile ? error.code : String(error)),
  )

const childrenOf = async (pid: number) => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** Returns the decoders that a process has started, with the peak memory of each in megabytes. */
async function decodersOf(pid: number) {
  const found: { pid: number; peak: number }[] = []
  for (const child of await childrenOf(pid)) {
    const [line, status] = await Promise.all(
      ['cmdline', 'status'].map((name) => readFile(`/proc/${child}/${name}`, 'utf8').catch(() => '')),
    )
    const peak = Number(/VmHWM:\s+(\d+)/.exec(status!)?.[1]) / 1024
    // A process that ends between the two reads has no peak.
    if (line!.includes('media-child') && Number.isFinite(peak)) found.push({ pid: child, peak })
  }
  return found
}

/** Returns the seconds of CPU time of a process's main thread. */
async function computed(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[12]) / 100
}

describe.skipIf(!canMake)('a count that exceeds its bytes is refused before anything loops over it', () => {
  const decode = createDecoder()
  const most = 0xffffffff
  const counts: [string, () => Buffer][] = [
    ['entries of stts', () => changed(film, 'stts', 4, most)],
    ['samples of an entry of stts', () => changed(film, 'stts', 8, most)],
    ['entries of ctts', () => withTable(film, box('ctts', numbers(0, most, 30, 1)))],
    ['samples of an entry of ctts', () => withTable(film, box('ctts', numbers(0, 1, most, 1)))],
    ['entries of stsc', () => changed(film, 'stsc', 4, most)],
    ['the first chunk of an entry of stsc', () => changed(film, 'stsc', 8, most)],
    ['samples of a chunk', () => changed(film, 'stsc', 12, most)],
    ['samples of stsz', () => changed(film, 'stsz', 8, most)],
    ['samples of one size', () => changed(changed(film, 'stsz', 4, 1), 'stsz', 8, most)],
    ['samples of stz2 without a size', () => withTable(film, box('stz2', numbers(0, 0, most)))],
    [
      'equal entries of saiz',
      () => withTable(film, box('saiz', Buffer.concat([numbers(0), Buffer.of(1), numbers(most)]))),
    ],
    ['entries of stss', () => changed(film, 'stss', 4, most)],
    ['chunks', () => changed(film, 'stco', 4, most)],
    ['chunks in wide numbers', () => withTable(film, box('co64', numbers(0, most, 0, 0)))],
    ['two tables of one name', () => withTable(film, box('stts', numbers(0, 1, 30, 1)))],
    ['entries of elst', () => withTable(film, box('elst', numbers(0, most, 1, 0, 0x10000)))],
    ['samples of a fragment', () => changed(pieces, 'trun', 4, most)],
    ['samples of a fragment without bytes', () => withRuns(pieces, most, 1)],
  ]
  test.each(counts)('%s', async (_, make) => {
    expect(await codeOf(decode.file(await fileOf(make()), 'VIDEO'))).toBe('unreadable')
  })

  test('the counts of ordinary videos are accepted', async () => {
    for (const good of [film, pieces, withTable(film, box('ctts', numbers(0, 1, 30, 1)))])
      expect(await codeOf(decode.file(await fileOf(good), 'VIDEO'))).toBe('made')
  })
})

describe('a file that takes too much is given up at once', () => {
  /** Returns what happens to a file, and how many processes an already running decoder started for it. */
  async function tried(decode: Decoder, path: string) {
    await codeOf(decode.file(await fileOf(await plain().jpeg().toBuffer()), 'IMAGE'))
    const before = (await decodersOf(process.pid)).map(({ pid }) => pid)
    const started = new Set<number>()
    let over = false
    const code = codeOf(decode.file(path, 'IMAGE')).finally(() => (over = true))
    while (!over) {
      for (const { pid } of await decodersOf(process.pid)) if (!before.includes(pid)) started.add(pid)
      await sleep(10)
    }
    return [await code, started.size]
  }

  test('after its time limit, without a second try, and the next file is decoded', async () => {
    const path = join(directory, 'never')
    execFileSync('sh', ['-c', 'mkfifo "$0"', path])
    const decode = createDecoder({ time: 1000 })
    expect(await tried(decode, path)).toEqual(['too_slow', 0])
    const good = await fileOf(await plain().jpeg().toBuffer())
    expect(await codeOf(decode.file(good, 'IMAGE'))).toBe('made')
  })

  test('after two seconds while others wait, next to a slow one that keeps its time', async () => {
    const path = join(directory, 'never-quick')
    execFileSync('sh', ['-c', 'mkfifo "$0"', path])
    const decode = createDecoder({ time: 20_000 })
    let isOver = false
    const slow = codeOf(decode.file(path, 'IMAGE')).finally(() => (isOver = true))
    expect(await codeOf(decode.file(path, 'IMAGE', 'quick'))).toBe('too_slow')
    const good = await fileOf(await plain().jpeg().toBuffer())
    expect(await codeOf(decode.file(good, 'IMAGE', 'quick'))).toBe('made')
    expect(isOver).toBe(false)
    await writeFile(path, await plain().jpeg().toBuffer())
    expect(await slow).toBe('made')
  })

  test('above its memory limit, without a second try', async () => {
    const large = plain(6000, 4000).jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
    const path = await fileOf(await large.toBuffer())
    // The watchdog checks every 25 ms. On a busy machine it can miss a decoding that uses 220 MB only briefly.
    const ends: unknown[] = []
    while (ends.length < 5 && !ends.some((end) => isDeepStrictEqual(end, ['too_much_memory', 0]))) {
      ends.push(await tried(createDecoder({ memory: 100 }), path))
    }
    expect(ends).toContainEqual(['too_much_memory', 0])
    expect(await tried(createDecoder(), path)).toEqual(['made', 0])
  })

  test.skipIf(!canMake)('a video whose fragments hold a billion samples', async () => {
    const path = await fileOf(withRuns(pieces, 100_000, 10_000))
    expect(await codeOf(createDecoder().file(path, 'VIDEO'))).toBe('too_much_memory')
  })
})

describe('a picture of more parts than any program writes is refused before a library reads it', () => {
  const progressive = () => plain(200, 150).jpeg({ progressive: true }).toBuffer()
  const bombs: [string, () => Buffer | Promise<Buffer>][] = [
    ['540,000 frames of WebP', () => framesOfWebp(540_000)],
    ['1,390,000 frames of GIF', () => framesOfGif(1_390_000)],
    ['3,000,000 segments of JPEG', async () => segmentsInJpeg(await progressive(), 3_000_000)],
    ['2,000 scans of JPEG', async () => scansInJpeg(await progressive(), 2_000)],
    ['50 scans of the largest JPEG', () => large()],
    ['1,300,000 chunks of PNG', () => chunksInPng(flatPng(10, 10), 1_300_000)],
  ]
  /** A usual run writes the size of the largest JPEG into the head of a small one, since its pixels take seconds. */
  const large = async () => {
    const side = sized(200, 7000)
    const jpeg = await plain(side, side).jpeg({ progressive: true, chromaSubsampling: '4:4:4', quality: 1 }).toBuffer()
    const frame = jpeg.indexOf(Buffer.from('ffc2', 'hex'))
    jpeg.writeUInt16BE(7000, frame + 5)
    jpeg.writeUInt16BE(7000, frame + 7)
    return scansInJpeg(jpeg, 40)
  }
  const decode = createDecoder()
  // The decoder would give up after 10 s with another code.
  test.each(bombs)('%s', async (_, make) => {
    const path = await fileOf(await make())
    expect(await codeOf(decode.file(path, 'IMAGE'))).toBe('too_many_parts')
    expect(await codeOf(decode.crop(path, { use: 'NET_PHOTO', area: { x: 0, y: 0, width: 1, height: 1 } }))).toBe(
      'too_many_parts',
    )
    for (const { peak } of await decodersOf(process.pid)) expect(peak).toBeLessThan(300)
    await rm(path)
  })

  test('as many parts as programs write are accepted', async () => {
    const many: (Buffer | Promise<Buffer>)[] = [
      framesOfWebp(2_000, (await plain(1, 1).webp({ lossless: true }).toBuffer()).subarray(12)),
      manyFrames(2_000, 20, 20),
      segmentsInJpeg(await progressive(), 900),
      progressive(),
      chunksInPng(flatPng(10, 10), 9_900),
    ]
    for (const [index, each] of many.entries())
      expect([index, await codeOf(decode.file(await fileOf(await each), 'IMAGE'))]).toEqual([index, 'made'])
  })
})

describe('files with seeded damage take little time and memory', () => {
  const size = sized(20, 2000)
  const decode = createDecoder()
  let others: number[]
  beforeAll(async () => {
    others = (await decodersOf(process.pid)).map(({ pid }) => pid)
  })
  const isRunning = async () => (await decodersOf(process.pid)).some(({ pid }) => !others.includes(pid))
  const picture = () => plain(200, 150)
  const formats: [string, MediaFile['kind'], () => Promise<Buffer>][] = [
    ['jpeg', 'IMAGE', () => picture().jpeg().toBuffer()],
    ['progressive jpeg', 'IMAGE', () => picture().jpeg({ progressive: true }).toBuffer()],
    ['png', 'IMAGE', () => picture().png().toBuffer()],
    ['gif', 'IMAGE', () => picture().gif().toBuffer()],
    ['webp', 'IMAGE', () => picture().webp().toBuffer()],
    ['mp4', 'VIDEO', () => Promise.resolve(film)],
    ['mp4 in fragments', 'VIDEO', () => Promise.resolve(pieces)],
    ['mov', 'VIDEO', () => video({ seconds: 1, type: 'mov' })],
  ]
  test.each(formats.filter(([, kind]) => canMake || kind === 'IMAGE'))(
    '%s',
    async (_, kind, make) => {
      const bytes = await make()
      const frames = bytes.indexOf('mdat')
      // The index of a video is what can mislead its readers.
      const [start, end] = kind === 'VIDEO' ? [0, frames > 1000 ? frames : bytes.length] : [0, bytes.length]
      const good = await fileOf(bytes)
      let peak = 0
      for (let seed = 1; seed <= size; seed += 1) {
        const path = await fileOf(mutated(bytes, seed, [start, end]))
        // This test is about the 10 s that a file may take. The start of a process is not part of them.
        if (seed === 1 || !(await isRunning())) await decode.file(good, kind)
        const began = performance.now()
        let isOver = false
        const code = codeOf(decode.file(path, kind)).finally(() => (isOver = true))
        // A process that used much memory is replaced at its end, and with it the record of its peak.
        while (!isOver) {
          for (const each of await decodersOf(process.pid)) peak = Math.max(peak, each.peak)
          await Promise.race([code, sleep(10)])
        }
        // A video whose process was killed after its header is still made, so the code does not tell the time.
        const seconds = (performance.now() - began) / 1000
        expect({ seed, code: await code, seconds, peak }).toEqual({
          seed,
          code: expect.stringMatching(/^(made|unreadable|truncated|too_many_pixels|no_pictures|unknown_codec)$/),
          seconds: expect.toSatisfy((value: number) => value < 10),
          peak: expect.toSatisfy((value: number) => value < 300),
        })
        await rm(path)
      }
    },
    3_600_000,
  )
})

describe('other workspaces', () => {
  let database: TestDatabase
  let product: Running

  beforeAll(async () => {
    database = await freshDatabase()
    product = await startProduct({ databaseUrl: database.url, dataDir: join(directory, 'data') })
  })

  afterAll(async () => {
    await product?.kill()
    await database?.drop()
  })

  test.runIf(long)('have their picture made while one that takes too long moves to the slow lane', async () => {
    const [slow, one] = await Promise.all([newPerson(product.url), newPerson(product.url)])
    const small = sample('small.jpg', 'image/jpeg', await plain().jpeg().toBuffer())
    const { body: file } = await send(slow, small)
    await untilProcessed(slow, file.id)
    const sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    try {
      const { rows } = await sql.query<{ key: string }>(
        `update media_file set state = 'PROCESSING' where id = $1 returning original_key as key`,
        [file.id],
      )
      // The file can be opened but never read to its end.
      const { key } = rows[0]!
      const path = join(directory, 'data', 'media', key.slice(0, 2), key)
      await rm(path)
      execFileSync('sh', ['-c', 'mkfifo "$0"', path])
      await sql.query(`select graphile_worker.add_job('media', $1::json)`, [
        JSON.stringify({ workspaceId: slow.workspaceId, data: { mediaFileId: file.id } }),
      ])
      await eventually(async () => {
        const taken = `select from graphile_worker._private_jobs where payload #>> '{data,mediaFileId}' = $1 and locked_at is not null`
        return (await sql.query(taken, [file.id])).rowCount === 1
      })
      await untilProcessed(one, (await send(one, small)).body.id)
      expect((await slow.must<MediaFile>('GET', `/media/${file.id}`)).state).toBe('PROCESSING')
      expect((await untilProcessed(slow, file.id)).state).toBe('REJECTED')
    } finally {
      await sql.end()
    }
  })

  /**
   * Uploads a large picture to each of the workspaces, then a small one of another person. Returns how many large ones
   * were finished before the small one after its upload, and how many after it. Repeats if a slow upload left fewer
   * than `least` to overtake.
   */
  async function overtaking(spaces: Person[], one: Person, least: number): Promise<{ between: number; after: number }> {
    // Few bytes and many pixels: uploaded at once, and as slow to decode as a photo.
    const large = sample('large.jpg', 'image/jpeg', await plain(5000, 4000).jpeg().toBuffer())
    for (let tries = 1; ; tries += 1) {
      const waiting = await Promise.all(
        spaces.map(async (space) => ({ space, id: (await send(space, large)).body.id })),
      )
      const { body: small } = await send(one, sample('small.jpg', 'image/jpeg', await plain().jpeg().toBuffer()))
      const uploaded = new Date().toISOString()
      const made = await untilProcessed(one, small.id)
      const others = await Promise.all(waiting.map(({ space, id }) => untilProcessed(space, id)))
      const between = others.filter(({ updatedAt }) => updatedAt > uploaded && updatedAt < made.updatedAt).length
      const after = others.filter(({ updatedAt }) => updatedAt > made.updatedAt).length
      if (between + after >= least || tries === 5) return { between, after }
    }
  }

  test('have their picture made after at most one of those already waiting', async () => {
    const [many, one] = await Promise.all([newPerson(product.url), newPerson(product.url)])
    const { between, after } = await overtaking(Array<Person>(6).fill(many), one, 4)
    // The one being made, the first that waited, and one or two that finish as the small one arrives; without turns it
    // would be all.
    expect(between).toBeLessThan(5)
    expect(after).toBeGreaterThan(1)
  })

  test('have their picture made after at most one of another person, however many workspaces that person has', async () => {
    const [many, one] = await Promise.all([newPerson(product.url), newPerson(product.url)])
    const spaces = [many]
    for (const name of ['b', 'c', 'd', 'e', 'f']) {
      const { id } = await many.must<{ id: string }>('POST', '/workspaces', { name })
      spaces.push(asPerson(product.url, many.session, id))
    }
    const { between, after } = await overtaking(spaces, one, 4)
    expect(between).toBeLessThan(5)
    expect(after).toBeGreaterThan(1)
  })

  /** Returns the seconds of CPU time of each decoder of the product. */
  const work = async () => {
    const found = await decodersOf(product.pid)
    return new Map(await Promise.all(found.map(async ({ pid }) => [pid, await computed(pid).catch(() => 0)] as const)))
  }
  /** Waits until a decoder has worked for a second more than `before`, and returns its process. */
  const busyDecoder = (before: ReadonlyMap<number, number>) =>
    eventually(async () => [...(await work())].find(([pid, seconds]) => seconds > (before.get(pid) ?? 0) + 1)?.[0])

  test.skipIf(!canMake)('have their picture made during an endless video, and then the next video', async () => {
    const [ann, ben] = await Promise.all([newPerson(product.url), newPerson(product.url)])
    const idOf = async (person: Person, file: ReturnType<typeof sample>) => (await send(person, file)).body.id
    const stateOf = async (person: Person, id: string) => (await person.must<MediaFile>('GET', `/media/${id}`)).state
    const picture = sample('b.jpg', 'image/jpeg', await plain().jpeg().toBuffer())
    // The process for pictures runs already, so that a slow machine does not start it during the 10 s of the video.
    await untilProcessed(ben, await idOf(ben, picture))
    const before = await work()
    const bad = await idOf(ann, sample('a.mp4', 'video/mp4', endless(film)))
    await eventually(async () => (await decodersOf(product.pid)).some(({ pid }) => !before.has(pid)))
    // The holder of the decoder sends its next video first.
    const second = await idOf(ann, sample('second.mp4', 'video/mp4', film))
    const other = await idOf(ben, sample('b.mp4', 'video/mp4', film))
    const small = await idOf(ben, picture)
    expect((await untilProcessed(ben, small)).state).toBe('READY')
    expect(await Promise.all([stateOf(ann, bad), stateOf(ann, second), stateOf(ben, other)])).toEqual(
      Array(3).fill('PROCESSING'),
    )
    // The product itself ends the endless video.
    const [lost, own, next] = await Promise.all([
      untilProcessed(ann, bad),
      untilProcessed(ann, second),
      untilProcessed(ben, other),
    ])
    expect([lost, own, next].map(({ state }) => state)).toEqual(['REJECTED', 'READY', 'READY'])
    expect(own.updatedAt > next.updatedAt).toBe(true)
  })

  test.skipIf(!canMake)(
    'have their picture made alongside an endless video, whose decoder ends with the product',
    async () => {
      const [ann, ben] = await Promise.all([newPerson(product.url), newPerson(product.url)])
      const before = await work()
      const { body: bad } = await send(ann, sample('a.mp4', 'video/mp4', endless(film)))
      const { body: good } = await send(ben, sample('b.jpg', 'image/jpeg', await plain().jpeg().toBuffer()))
      expect((await untilProcessed(ben, good.id)).state).toBe('READY')
      expect((await ann.must<MediaFile>('GET', `/media/${bad.id}`)).state).toBe('PROCESSING')
      // Long enough to have read the file. From now on the decoder handles no messages.
      const decoder = await busyDecoder(before)
      await product.kill()
      await eventually(() => Promise.resolve(!existsSync(`/proc/${decoder}`)), 3_000)
    },
  )
})
