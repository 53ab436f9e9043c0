import { UnusableFile } from './media-unusable.ts'

// The index of a video states how many entries each of its tables has, and every reader loops that often. So each count
// is first compared with the bytes of its table.

/** The content of a table's box after its name, or the first `TABLE_HEAD` bytes of that. */
export interface Table {
  type: string
  /** Bytes of the whole table. */
  length: number
  bytes: Buffer
}

/** How many bytes of a table are needed to know its number of entries. */
export const TABLE_HEAD = 24
/** The maximum number of samples in a run without bytes in the index: two seconds of uncompressed sound. */
const RUN_LIMIT = 200_000

export const damaged = (cause?: unknown) => new UnusableFile('unreadable/video', {}, cause)

interface Entries {
  count: number
  /** The offset of the first one. */
  start: number
  /** Bytes of each. */
  width: number
}

const listOf = (width: number) => (bytes: Buffer) => ({ count: bytes.readUInt32BE(4), start: 8, width })
const flagsOf = (bytes: Buffer) => bytes.readUIntBE(1, 3)

const tables: Record<string, (bytes: Buffer) => Entries> = {
  stts: listOf(8),
  ctts: listOf(8),
  stsc: listOf(12),
  stss: listOf(4),
  stco: listOf(4),
  co64: listOf(8),
  stsd: listOf(8),
  elst: (bytes) => listOf(bytes[0] === 1 ? 20 : 12)(bytes),
  stsz: (bytes) => ({ count: bytes.readUInt32BE(8), start: 12, width: bytes.readUInt32BE(4) === 0 ? 4 : 0 }),
  stz2: (bytes) => ({ count: bytes.readUInt32BE(8), start: 12, width: (bytes[7] ?? 0) / 8 }),
  saiz(bytes) {
    const start = flagsOf(bytes) & 1 ? 12 : 4
    return { count: bytes.readUInt32BE(start + 1), start: start + 5, width: bytes[start] === 0 ? 1 : 0 }
  },
  trun(bytes) {
    const flags = flagsOf(bytes)
    const width = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4
    return { count: bytes.readUInt32BE(4), start: 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0), width }
  },
  tfra(bytes) {
    const sizes = bytes.readUInt32BE(8)
    const width = [4, 2, 0].reduce((sum, shift) => sum + ((sizes >> shift) & 3) + 1, bytes[0] === 1 ? 16 : 8)
    return { count: bytes.readUInt32BE(12), start: 16, width }
  },
}

export const isTable = (type: string) => Object.hasOwn(tables, type)

/** Returns the entries of a table. Throws if the table is too short. */
const entriesOf = ({ type, bytes }: Table): Entries => tables[type]!(bytes)

/** Throws `UnusableFile` if a table has fewer bytes than its entries need. */
export function assertTable(table: Table, fileSize: number): void {
  const { count, start, width } = entriesOf(table)
  if (start + count * width > table.length) throw damaged()
  if (table.type === 'stz2' && ![0.5, 1, 2].includes(width)) throw damaged()
  // What has equal size has no bytes in the table, but it must have them in the file.
  if (table.type === 'stsz' && width === 0 && count * table.bytes.readUInt32BE(4) > fileSize) throw damaged()
  if (table.type === 'saiz' && width === 0 && count * table.bytes[start - 5]! > fileSize) throw damaged()
  if (table.type === 'trun' && width === 0 && count > RUN_LIMIT) throw damaged()
}

/** Throws `UnusableFile` if the entries of a track's tables stand for more samples than the track has. */
export function assertTrack(track: ReadonlyMap<string, Table>): void {
  const countOf = (...types: string[]) =>
    Math.max(0, ...types.flatMap((type) => track.get(type) ?? []).map((table) => entriesOf(table).count))
  const samples = countOf('stsz', 'stz2')
  // Some programs count slightly too many.
  const most = samples * 2
  for (const type of ['stts', 'ctts']) {
    let sum = 0
    for (const [count] of numbersOf(track.get(type), 2)) sum += count!
    if (sum > most) throw damaged()
  }
  assertChunks(track.get('stsc'), countOf('stco', 'co64'), most)
}

function assertChunks(table: Table | undefined, chunks: number, samples: number): void {
  const runs = [...numbersOf(table, 3)]
  let sum = 0
  for (const [index, [first = 0, perChunk = 0]] of runs.entries()) {
    const next = runs[index + 1]?.[0] ?? Math.max(chunks + 1, first)
    if (first < 1 || next < first || next > chunks + 1) throw damaged()
    sum += (next - first) * perChunk
    if (sum > samples || perChunk > samples) throw damaged()
  }
}

/** Yields the entries of a table, each as `width` numbers. */
function* numbersOf(table: Table | undefined, width: number): Generator<number[]> {
  if (!table) return
  const { count, start } = entriesOf(table)
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + entry * width * 4
    yield Array.from({ length: width }, (_, index) => table.bytes.readUInt32BE(at + index * 4))
  }
}
