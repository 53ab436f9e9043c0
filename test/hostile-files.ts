import { crc32 } from 'node:zlib'
import { box, withBoxes } from './video.ts'

// Films and pictures that are made to hold a decoder for long or to fill its memory, and files with seeded damage.

export const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Where the table of a name begins in a film: behind the name. */
function tableAt(film: Buffer, type: string): number {
  const at = film.indexOf(type, film.indexOf('moov'), 'latin1')
  if (at < 0) throw new Error(`The film has no ${type}`)
  return at + 4
}

/** The film with a number of a table changed, which stands `at` bytes behind its name. */
export function changed(film: Buffer, type: string, at: number, value: number): Buffer {
  const copy = Buffer.from(film)
  copy.writeUInt32BE(value, tableAt(copy, type) + at)
  return copy
}

/** The film with one more table in the index of its first track. */
export function withTable(film: Buffer, table: Buffer): Buffer {
  const longer = withBoxes(film, table)
  // `withBoxes` has put it at the end of `moov`; from there it moves into `stbl`, and each box around it grows.
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

/** A table of the index of random access whose entries all name one time: 11 MB which a reader sorts out for many minutes. */
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

/** The fragmented film with one more run in its first fragment, of samples that have no byte in the index, `times` over. */
export function withRuns(film: Buffer, samples: number, times: number): Buffer {
  const runs = Buffer.concat(Array<Buffer>(times).fill(box('trun', numbers(0, samples))))
  const moof = film.indexOf('moof') - 4
  const traf = film.indexOf('traf', moof) - 4
  const end = traf + film.readUInt32BE(traf)
  const longer = Buffer.concat([film.subarray(0, end), runs, film.subarray(end)])
  for (const at of [moof, traf]) longer.writeUInt32BE(longer.readUInt32BE(at) + runs.length, at)
  return longer
}

/** Numbers between 0 and 1, the same for the same seed (mulberry32). */
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

/** The bytes with one to four changes between `start` and `end`: a byte, a number, a piece that is missing or comes twice. */
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

/** An animated WebP of so many equal frames of 1 pixel. Libraries search all frames for each frame. */
export function framesOfWebp(count: number, pixel = chunkOf('VP8L', Buffer.from([0x2f, 0, 0, 0, 0, 0x88]))): Buffer {
  const frame = chunkOf('ANMF', Buffer.concat([Buffer.alloc(12), Buffer.from([100, 0, 0, 0]), pixel]))
  const canvas = chunkOf('VP8X', Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  const frames = Buffer.alloc(frame.length * count, frame)
  return chunkOf('RIFF', Buffer.concat([Buffer.from('WEBP'), canvas, chunkOf('ANIM', Buffer.alloc(6)), frames]))
}

/** The JPEG with so many more segments of 6 bytes. Libraries keep each of them. */
export function segmentsInJpeg(jpeg: Buffer, count: number): Buffer {
  const segment = Buffer.from([0xff, 0xe1, 0, 4, 0x61, 0x62])
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(segment.length * count, segment), jpeg.subarray(2)])
}

/** The progressive JPEG with its last scan so many times more: each is another way over all pixels. */
export function scansInJpeg(jpeg: Buffer, count: number): Buffer {
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(scan.length * count, scan), jpeg.subarray(-2)])
}

/** A GIF of 1 pixel and so many frames of 15 bytes. */
export function framesOfGif(count: number): Buffer {
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex')
  return Buffer.concat([head, Buffer.alloc(frame.length * count, frame), Buffer.from([0x3b])])
}

/** The PNG with so many more texts of 15 bytes. */
export function chunksInPng(png: Buffer, count: number): Buffer {
  const body = Buffer.from('tEXta\0b', 'latin1')
  const text = Buffer.concat([numbers(3), body, numbers(crc32(body))])
  return Buffer.concat([png.subarray(0, 33), Buffer.alloc(text.length * count, text), png.subarray(33)])
}
