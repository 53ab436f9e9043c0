import { box, withBoxes } from './video.ts'

// Films that are made to hold a decoder for long or to fill its memory, and files with seeded damage.

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
