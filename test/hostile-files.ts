import { crc32 } from 'node:zlib'
import { box, withBoxes } from './video.ts'

// Videos and pictures that keep a decoder busy or fill its memory, and files with seeded damage.

export const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Returns the position of the content of a table, right after its name. Throws if the video has no such table. */
function tableAt(film: Buffer, type: string): number {
  const at = film.indexOf(type, film.indexOf('moov'), 'latin1')
  if (at < 0) throw new Error(`The film has no ${type}`)
  return at + 4
}

/** Returns the video with one number of a table changed, `at` bytes after the table's name. */
export function changed(film: Buffer, type: string, at: number, value: number): Buffer {
  const copy = Buffer.from(film)
  copy.writeUInt32BE(value, tableAt(copy, type) + at)
  return copy
}

/** Returns the video with one more table in the index of its first track. */
export function withTable(film: Buffer, table: Buffer): Buffer {
  const longer = withBoxes(film, table)
  // `withBoxes` has added the table at the end of `moov`. Move it into `stbl`, and grow each box around it.
  const moov = longer.indexOf('moov') - 4
  const end = moov + longer.readUInt32BE(moov)
  const head = Buffer.from(longer.subarray(moov, end - table.length))
  const stbl = head.indexOf('stbl') - 4
  const inside = stbl + head.readUInt32BE(stbl)
  for (const type of ['trak', 'mdia', 'minf', 'stbl']) {
    const at = head.indexOf(type) - 4
    head.writeUInt32BE(head.readUInt32BE(at) + table.length, at)
  }
  const rest = [head.subarray(0, inside), table, head.subarray(inside)]
  return Buffer.concat([longer.subarray(0, moov), ...rest, longer.subarray(end)])
}

/**
 * Returns the video with a random access table whose entries all have the same time. A reader spends many minutes on
 * sorting its 11 MB.
 */
export function endless(film: Buffer): Buffer {
  const entries = 1_000_000
  const table = Buffer.alloc(entries * 11)
  const tfra = box('tfra', numbers(0, 1, 0, entries), table)
  const mfra = box('mfra', tfra)
  return Buffer.concat([
    withBoxes(film, box('mvex', box('trex', numbers(0, 1, 1, 1, 1, 0)))),
    mfra,
    box('mfro', numbers(0, mfra.length + 16)),
  ])
}

/**
 * Returns the fragmented video with `times` more runs in its first fragment, each of `samples` samples without bytes in
 * the index.
 */
export function withRuns(film: Buffer, samples: number, times: number): Buffer {
  const runs = Buffer.concat(Array<Buffer>(times).fill(box('trun', numbers(0, samples))))
  const moof = film.indexOf('moof') - 4
  const traf = film.indexOf('traf', moof) - 4
  const end = traf + film.readUInt32BE(traf)
  const longer = Buffer.concat([film.subarray(0, end), runs, film.subarray(end)])
  for (const at of [moof, traf]) longer.writeUInt32BE(longer.readUInt32BE(at) + runs.length, at)
  return longer
}

/** Returns a generator of numbers between 0 and 1 that repeats for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const EXTREMES = [0, 1, 0x7f, 0xffff, 0x10000, 0x01000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

/**
 * Returns the bytes with one to four changes between `start` and `end`: a different byte or number, or a piece that is
 * missing or repeated.
 */
export function mutated(bytes: Buffer, seed: number, [start, end]: [number, number]): Buffer {
  const next = random(seed)
  const upTo = (limit: number) => Math.floor(next() * limit)
  let result = Buffer.from(bytes)
  for (let changes = 1 + upTo(4); changes > 0; changes -= 1) {
    const at = start + upTo(Math.max(Math.min(end, result.length) - start - 4, 1))
    const kind = upTo(10)
    if (kind < 4) result[at] = upTo(256)
    else if (kind < 8) result.writeUInt32BE(EXTREMES[upTo(EXTREMES.length)]!, at)
    else {
      const length = 1 + upTo(64)
      const piece = result.subarray(at, at + length)
      const parts = kind === 8 ? [result.subarray(at + length)] : [piece, result.subarray(at)]
      result = Buffer.concat([result.subarray(0, at), ...parts])
    }
  }
  return result
}

const chunkOf = (type: string, data: Uint8Array) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(data.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, data, Buffer.alloc(data.length % 2)])
}

/** An animated WebP with `count` equal frames of 1 pixel. Libraries search all frames for each frame. */
export function framesOfWebp(count: number, pixel = chunkOf('VP8L', Buffer.from([0x2f, 0, 0, 0, 0, 0x88]))): Buffer {
  const frame = chunkOf('ANMF', Buffer.concat([Buffer.alloc(12), Buffer.from([100, 0, 0, 0]), pixel]))
  const canvas = chunkOf('VP8X', Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  const frames = Buffer.alloc(frame.length * count, frame)
  return chunkOf('RIFF', Buffer.concat([Buffer.from('WEBP'), canvas, chunkOf('ANIM', Buffer.alloc(6)), frames]))
}

/** Returns the JPEG with `count` more segments of 6 bytes. Libraries keep each of them. */
export function segmentsInJpeg(jpeg: Buffer, count: number): Buffer {
  const segment = Buffer.from([0xff, 0xe1, 0, 4, 0x61, 0x62])
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(segment.length * count, segment), jpeg.subarray(2)])
}

/**
 * Returns the progressive JPEG with `count` more copies of its last scan. Each of them is another pass over all pixels.
 */
export function scansInJpeg(jpeg: Buffer, count: number): Buffer {
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(scan.length * count, scan), jpeg.subarray(-2)])
}

/** A GIF of 1 pixel with `count` frames of 15 bytes. */
export function framesOfGif(count: number): Buffer {
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex')
  return Buffer.concat([head, Buffer.alloc(frame.length * count, frame), Buffer.from([0x3b])])
}

/** Returns the PNG with `count` more text chunks. */
export function chunksInPng(png: Buffer, count: number): Buffer {
  const body = Buffer.from('tEXta\0b', 'latin1')
  const text = Buffer.concat([numbers(3), body, numbers(crc32(body))])
  return Buffer.concat([png.subarray(0, 33), Buffer.alloc(text.length * count, text), png.subarray(33)])
}
