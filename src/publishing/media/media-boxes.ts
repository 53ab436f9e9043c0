import { type FileHandle, open } from 'node:fs/promises'
import { UnusableFile } from './media-unusable.ts'
import { namesPlace } from './media-structure.ts'
import { assertTable, assertTrack, damaged, isTable, type Table, TABLE_HEAD } from './media-tables.ts'

// MP4 and MOV files are nested boxes, each with a length and a four-letter name. Their index of frames points to bytes
// by offset, so bytes are redacted by overwriting them and nothing moves.

/** Bytes that are not served. In their place are `text` and then zeros. */
export interface RedactedRange {
  start: number
  end: number
  text: string
}

interface Box {
  type: string
  start: number
  /** The offset of the content. */
  data: number
  end: number
}

const names = (list: string) => new Set(list.split(' '))

/** Boxes whose inner boxes are examined one by one. */
const containers = names('moov trak mdia minf moof traf mvex edts mfra')
/** Boxes that only say how to play the video. All others are recorded as `beside`. */
const known = names(
  'ftyp styp moov mdat free skip wide pnot sidx ssix pdin prft mvhd iods trak mvex mehd trex leva moof mfhd traf tfhd tfdt trun ' +
    'saiz saio sbgp sgpd subs senc mfra tfra mfro pssh tkhd tref trgr edts elst tapt load matt clip crgn ctab elng mdia mdhd ' +
    'hdlr minf vmhd smhd gmhd nmhd hmhd sthd dinf stbl',
)
/** Boxes in `udta` that can reveal a place only by their text, which is searched. */
const words = names('name titl auth cprt dscp perf gnre yrrc albm kywd tsel ptv  LOOP SelO AllF WLOC free skip meta')
/** Tracks of pictures, sound and time codes. The content of other tracks (positions, subtitles) cannot be judged. */
const played = names('vide soun tmcd')

/** More boxes than any real video has. */
const BOX_LIMIT = 100_000
/** The maximum size in bytes of a box outside the video that is searched for a place. */
const WORDS_LIMIT = 1024 * 1024
/**
 * Boxes that readers hold in memory as a whole, and the maximum size of each in bytes: the index of ten hours at 60
 * frames a second.
 */
const held = names('moov moof mfra')
const INDEX_LIMIT = 32 * 1024 * 1024
/** How much of a file is read at once to find boxes, which lie close together. */
const WINDOW = 64 * 1024
const ZEROS = Buffer.alloc(WINDOW)

/**
 * Returns what of a video must not be served. If anything in it reveals a place, or cannot be judged, that is
 * everything besides pictures and sound; else it is empty. Throws `UnusableFile`.
 */
export async function readRedactedRanges(path: string): Promise<RedactedRange[]> {
  const file = await open(path)
  try {
    return await redactedRangesOf(openWindow(file), (await file.stat()).size)
  } catch (error) {
    // A number was read beyond the end of its box.
    throw error instanceof RangeError ? damaged(error) : error
  } finally {
    await file.close()
  }
}

/** Reads bytes of a file, with zeros beyond its end. */
type Source = (start: number, length: number) => Promise<Buffer>

/** Reads a file and caches the part it read last. */
function openWindow(file: FileHandle): Source {
  let window: Buffer = Buffer.alloc(0)
  let from = 0
  return async (start, length) => {
    if (length > WINDOW) return bytesAt(file, start, length)
    if (start < from || start + length > from + window.length) {
      window = await bytesAt(file, start, WINDOW)
      from = start
    }
    return window.subarray(start - from, start - from + length)
  }
}

async function redactedRangesOf(file: Source, size: number): Promise<RedactedRange[]> {
  const beside: Box[] = []
  const hidden: { track: Box; index: Map<string, Box> }[] = []
  let films = 0
  let pieces = 0
  let left = BOX_LIMIT

  /** Examines the boxes within a range. Adds each examined box to `found` by its name. */
  async function look(start: number, end: number, found: Map<string, Box>): Promise<void> {
    for await (const box of boxesOf(file, start, end)) {
      left -= 1
      if (left < 0) throw damaged()
      if (box.end > size) throw new UnusableFile('truncated')
      // Readers follow the length of a box even beyond the end of its parent.
      if (box.end > end || (held.has(box.type) && box.end - box.data > INDEX_LIMIT)) throw damaged()
      if (isTable(box.type)) assertTable(await tableOf(file, box, TABLE_HEAD), size)
      if (box.type === 'moov') films += 1
      if (box.type === 'moof') pieces += 1
      found.set(box.type, box)
      if (!known.has(box.type)) beside.push(box)
      else if (box.type === 'stbl') {
        for await (const table of boxesOf(file, box.data, box.end)) {
          left -= 1
          // Readers concatenate tables of the same name.
          if (left < 0 || table.end > box.end || (isTable(table.type) && found.has(table.type))) throw damaged()
          if (isTable(table.type)) assertTable(await tableOf(file, table, TABLE_HEAD), size)
          found.set(table.type, table)
        }
      } else if (box.type !== 'trak') {
        if (containers.has(box.type)) await look(box.data, box.end, found)
      } else {
        const index = new Map<string, Box>()
        await look(box.data, box.end, index)
        const tables = new Map<string, Table>()
        for (const type of ['stsz', 'stz2', 'stts', 'ctts', 'stsc', 'stco', 'co64']) {
          const found = index.get(type)
          if (found) tables.set(type, await tableOf(file, found))
        }
        assertTrack(tables)
        const handler = index.get('hdlr')
        if (!handler || !played.has(await textAt(file, handler.data + 8, 4))) hidden.push({ track: box, index })
      }
    }
  }

  await look(0, size, new Map())
  if (films === 0) throw new UnusableFile('truncated/index')
  let place = hidden.length > 0
  for (const box of beside) place ||= await mayTellPlace(file, box)
  if (!place) return []
  if (hidden.length > 0 && pieces > 0) {
    throw new UnusableFile('unreadable/more_inside')
  }
  const redacted = [...beside, ...hidden.map(({ track }) => track)].flatMap(asFree)
  for (const { index } of hidden) for (const blank of await samplesOf(file, index)) redacted.push(blank)
  return inOrder(redacted)
}

/**
 * Yields the boxes between two offsets, as far as their lengths make sense. Zeros end the list of `udta`, whatever
 * follows them. In any other list, they are padding up to its end.
 */
async function* boxesOf(
  file: Source,
  start: number,
  end: number,
  { zeros = 'padding' }: { zeros?: 'end' | 'padding' } = {},
): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end;) {
    const head = await file(at, 16)
    const short = head.readUInt32BE(0)
    if (short === 0 && head.readUInt32BE(4) === 0) {
      if (zeros === 'padding' && !(await isZero(file, at, end))) throw damaged()
      return
    }
    // A box with a name and the length zero extends to the end.
    const long = short === 1
    const length = long ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
    const data = at + (long ? 16 : 8)
    if (length < data - at) throw damaged()
    yield { type: head.toString('latin1', 4, 8), start: at, data, end: at + length }
    at += length
  }
}

async function isZero(file: Source, start: number, end: number): Promise<boolean> {
  for (let at = start; at < end; at += WINDOW) {
    const length = Math.min(WINDOW, end - at)
    if (!(await file(at, length)).equals(ZEROS.subarray(0, length))) return false
  }
  return true
}

/** Reads bytes of a file, with zeros beyond its end. */
async function bytesAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes
}

const textAt = async (file: Source, start: number, length: number) => (await file(start, length)).toString('latin1')

/** Reads a table of the index, at most `most` bytes of it. */
async function tableOf(file: Source, { type, data, end }: Box, most = Infinity): Promise<Table> {
  return { type, length: end - data, bytes: await file(data, Math.min(end - data, most)) }
}

/** The UUID of XMP. */
const XMP = 'be7acfcb97a942e89c71999491e3afac'

async function mayTellPlace(file: Source, { type, data, end }: Box): Promise<boolean> {
  if (end - data > WORDS_LIMIT) return true
  const bytes = await file(data, end - data)
  if (type === 'uuid' && bytes.toString('hex', 0, 16) !== XMP) return true
  if (type === 'udta') {
    for await (const box of boxesOf(file, data, end, { zeros: 'end' })) {
      if (!words.has(box.type) && !box.type.startsWith('©')) return true
    }
  }
  if (type !== 'udta' && type !== 'meta' && type !== 'uuid') return true
  return namesPlace(bytes) || /©xyz|loci/.test(bytes.toString('latin1'))
}

/** Turns a box into an empty one: it keeps its length, is called `free`, and its content is erased. */
function asFree({ start, data, end }: Box): RedactedRange[] {
  if (data - start === 8) return [{ start: start + 4, end, text: 'free' }]
  return [
    { start: start + 4, end: start + 8, text: 'free' },
    { start: data, end, text: '' },
  ]
}

/** Returns the byte ranges of a track from its index, whose counts have been checked. */
async function samplesOf(file: Source, index: ReadonlyMap<string, Box>): Promise<RedactedRange[]> {
  const table = async (type: string) => {
    const box = index.get(type)
    return box && (await tableOf(file, box)).bytes
  }
  const sizes = await table('stsz')
  const runs = await table('stsc')
  const wide = index.has('co64')
  const places = await table(wide ? 'co64' : 'stco')
  if (!sizes || !runs || !places) throw damaged()
  const samples = sizes.readUInt32BE(8)
  const same = sizes.readUInt32BE(4)
  const width = wide ? 8 : 4
  const redacted: RedactedRange[] = []
  let sample = 0
  for (let chunk = 0, run = 0; chunk < places.readUInt32BE(4) && sample < samples; chunk += 1) {
    const at = 8 + chunk * width
    const start = wide ? Number(places.readBigUInt64BE(at)) : places.readUInt32BE(at)
    const isLast = run + 1 >= runs.readUInt32BE(4)
    if (!isLast && runs.readUInt32BE(8 + (run + 1) * 12) <= chunk + 1) run += 1
    const next = Math.min(sample + runs.readUInt32BE(12 + run * 12), samples)
    let length = same * (next - sample)
    if (same === 0) for (let each = sample; each < next; each += 1) length += sizes.readUInt32BE(12 + each * 4)
    sample = next
    redacted.push({ start, end: start + length, text: '' })
  }
  return redacted
}

/** Sorts ranges and merges those that overlap or touch. */
function inOrder(redacted: RedactedRange[]): RedactedRange[] {
  const result: RedactedRange[] = []
  for (const { start, end, text } of redacted.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (!last || start > last.end || (start === last.end && text !== '')) result.push({ start, end, text })
    else last.end = Math.max(last.end, end)
  }
  return result
}

/** Yields the same bytes with redactions applied. `redacted` must be sorted. */
export async function* withBlanks(
  bytes: AsyncIterable<Uint8Array>,
  redacted: readonly RedactedRange[],
): AsyncGenerator<Uint8Array> {
  let at = 0
  let next = 0
  for await (const chunk of bytes) {
    const end = at + chunk.byteLength
    for (; next < redacted.length; next += 1) {
      const { start: from, end: to, text } = redacted[next]!
      if (from >= end) break
      chunk.fill(0, Math.max(from - at, 0), Math.min(to, end) - at)
      for (let i = Math.max(at - from, 0); i < text.length && from + i < end; i += 1) {
        chunk[from + i - at] = text.charCodeAt(i)
      }
      if (to > end) break
    }
    yield chunk
    at = end
  }
}
