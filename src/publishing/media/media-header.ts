import { open } from 'node:fs/promises'
import { UnusableFile } from './media-unusable.ts'
import { PARTS, type Part, type PictureFacts, type PictureFormat, SCANNED_PIXELS, tooManyPixels } from './rules.ts'

// Reads the container of a picture without a library, since libraries spend time and memory on each part of a file,
// some of them quadratically. One pass, one piece of the file in memory at a time, and work linear in the file.

/** How many bytes of the file are in memory at once. The longest segment of a JPEG fits. */
const PIECE = 65_536

/**
 * Reads the header of an uploaded file. Inside the product, nothing else may parse an upload. Throws `UnusableFile` if
 * it is no picture, has too many pixels, or has too many parts.
 */
export async function readHeader(path: string): Promise<PictureFacts> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return await headerIn(
      new Pieces(size, async (at) => {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at)
        return buffer.subarray(0, bytesRead)
      }),
    )
  } finally {
    await file.close()
  }
}

/** Reads the header of bytes in memory. The decoder calls this before any library. */
export const assertHeader = (bytes: Buffer): Promise<PictureFacts> =>
  headerIn(new Pieces(bytes.length, (at) => Promise.resolve(bytes.subarray(at, at + PIECE))))

async function headerIn(bytes: Pieces): Promise<PictureFacts> {
  const format = formatIn(await bytes.from(0, 16))
  const facts = format && (await readers[format](bytes))
  if (!format || !facts || facts.width < 1 || facts.height < 1) throw unreadable()
  const { orientation, frames, scans = 1, ...rest } = facts
  // Animations are not rotated by metadata, because browsers disagree about it.
  const turned = orientation > 1 && frames <= 1
  const swapped = turned && orientation > 4
  const [width, height] = swapped ? [rest.height, rest.width] : [rest.width, rest.height]
  const found = { format, width, height, turned, inPasses: rest.inPasses, bytesPerPixel: rest.bytesPerPixel }
  const excess = tooManyPixels(found)
  if (excess) throw new UnusableFile(...excess)
  if (scans * width * height > SCANNED_PIXELS) throw new UnusableFile('too_many_parts/scans', { scans })
  return found
}

interface Facts extends Pick<PictureFacts, 'width' | 'height' | 'inPasses' | 'bytesPerPixel'> {
  /** As in EXIF: 1 is upright, and from 5 on width and height are swapped. */
  orientation: number
  frames: number
  /** The number of passes over all pixels. */
  scans?: number
}

const unreadable = () => new UnusableFile('unreadable')

/** Counts the parts of a file. Throws `UnusableFile` when a count exceeds its limit. */
class Counter {
  readonly #limits: Partial<Record<Part, number>>
  readonly #counts = new Map<Part, number>()

  constructor(limits: Partial<Record<Part, number>>) {
    this.#limits = limits
  }

  add(part: Part): void {
    const count = this.of(part) + 1
    this.#counts.set(part, count)
    const limit = this.#limits[part] ?? 0
    if (count > limit) throw new UnusableFile('too_many_parts', { most: limit, parts: part })
  }

  of(part: Part): number {
    return this.#counts.get(part) ?? 0
  }
}

/** A file, read one piece at a time. */
class Pieces {
  readonly size: number
  /** Reads a piece at an offset. It is shorter at the end of the file. */
  readonly #read: (at: number) => Promise<Buffer>
  #piece: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(size: number, read: (at: number) => Promise<Buffer>) {
    this.size = size
    this.#read = read
  }

  /**
   * Returns the bytes from an offset: at least `least`, at most a piece. There are fewer only at the end of the file.
   */
  async from(at: number, least: number): Promise<Buffer> {
    const inside = at - this.#start
    if (inside < 0 || inside + least > this.#piece.length) {
      this.#piece = await this.#read(at)
      this.#start = at
    }
    return this.#piece.subarray(at - this.#start)
  }

  /** Returns the offset of the first two adjacent bytes that match, or the end of the file. */
  async find(at: number, matches: (byte: number, next: number) => boolean): Promise<number> {
    for (;;) {
      const piece = await this.from(at, 2)
      if (piece.length < 2) return this.size
      for (let index = 0; index + 1 < piece.length; index += 1)
        if (matches(piece[index]!, piece[index + 1]!)) return at + index
      at += piece.length - 1
    }
  }

  /** Returns the end of a chain of blocks with a length byte each, or the end of the file if the chain is cut off. */
  async afterBlocks(at: number): Promise<number> {
    for (;;) {
      const piece = await this.from(at, 1)
      if (piece.length === 0) return this.size
      let index = 0
      while (index < piece.length) {
        const length = piece[index]!
        index += 1 + length
        if (length === 0) return at + index
      }
      at += index
    }
  }
}

function formatIn(head: Buffer): PictureFormat | undefined {
  const text = head.toString('latin1')
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(text)) return 'gif'
  return /^RIFF[^]{4}WEBP/.test(text) ? 'webp' : undefined
}

const readers: Record<PictureFormat, (bytes: Pieces) => Promise<Facts | undefined>> = {
  jpeg: readJpeg,
  png: readPng,
  gif: readGif,
  webp: readWebp,
}

/** Whether a marker begins a frame: C0 to CF, except tables, reserved markers and conditioning. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const isProgressive = (marker: number) => [0xc2, 0xc6, 0xca, 0xce].includes(marker)
const isStandalone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

async function readJpeg(bytes: Pieces): Promise<Facts | undefined> {
  const counter = new Counter(PARTS.jpeg)
  let facts: Omit<Facts, 'orientation'> | undefined
  let orientation: number | undefined
  for (let at = 2; ;) {
    let head = await bytes.from(at, 4)
    if (head.length < 2 || head[0] !== 0xff) break
    if (head[1] === 0xff) {
      at = await bytes.find(at, (_, next) => next !== 0xff)
      head = await bytes.from(at, 4)
    }
    const marker = head[1]
    if (marker === undefined || marker === 0xd9) break
    counter.add('segments')
    if (isStandalone(marker)) {
      at += 2
      continue
    }
    if (head.length < 4) break
    const end = at + 2 + head.readUInt16BE(2)
    const segment = (await bytes.from(at, end - at)).subarray(4, end - at)
    if (isFrame(marker) && !facts && segment.length >= 6) {
      facts = {
        height: segment.readUInt16BE(1),
        width: segment.readUInt16BE(3),
        inPasses: isProgressive(marker),
        bytesPerPixel: segment[5]!,
        frames: 1,
      }
    }
    if (marker === 0xe1 && segment.toString('latin1', 0, 6) === 'Exif\0\0')
      orientation ??= orientationOf(segment.subarray(6))
    at = end
    if (marker !== 0xda) continue
    counter.add('scans')
    // Coded data end at the next marker that is neither a stuffed byte nor a restart.
    at = await bytes.find(
      at,
      (byte, next) => byte === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7),
    )
  }
  return facts && { ...facts, orientation: orientation ?? 1, scans: counter.of('scans') }
}

/** Channels by colour type. A palette is read as colours. */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 }

async function readPng(bytes: Pieces): Promise<Facts | undefined> {
  const counter = new Counter(PARTS.png)
  let facts: Omit<Facts, 'orientation'> | undefined
  let orientation: number | undefined
  let [colours, depth] = [0, 0]
  for (let at = 8; ;) {
    const head = await bytes.from(at, 8)
    if (head.length < 8) break
    counter.add('chunks')
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4, 8)
    if (!facts) {
      const header = await bytes.from(at + 8, 13)
      if (type !== 'IHDR' || header.length < 13) return undefined
      colours = channels[header[9]!] ?? 0
      depth = header[8] === 16 ? 2 : 1
      if (colours === 0) return undefined
      facts = {
        width: header.readUInt32BE(0),
        height: header.readUInt32BE(4),
        inPasses: header[12] === 1,
        bytesPerPixel: colours * depth,
        frames: 1,
      }
    } else if (type === 'tRNS') {
      facts.bytesPerPixel = (colours + 1) * depth
    } else if (type === 'eXIf') {
      orientation ??= orientationOf((await bytes.from(at + 8, Math.min(length, PIECE))).subarray(0, length))
    } else if (type === 'IEND') break
    at += 12 + length
  }
  return facts && { ...facts, orientation: orientation ?? 1 }
}

async function readWebp(bytes: Pieces): Promise<Facts | undefined> {
  const counter = new Counter(PARTS.webp)
  const end = Math.min(8 + (await bytes.from(0, 12)).readUInt32LE(4), bytes.size)
  let sides: { width: number; height: number } | undefined
  let orientation: number | undefined
  for (let at = 12; at + 8 <= end;) {
    const head = await bytes.from(at, 18)
    if (head.length < 8) break
    counter.add('chunks')
    const type = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    if (type === 'ANMF') counter.add('frames')
    if (type === 'EXIF') {
      const exif = (await bytes.from(at + 8, Math.min(length, PIECE))).subarray(0, length)
      orientation ??= orientationOf(exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif)
    } else if (!sides && head.length >= 18) sides = webpSides(type, head.subarray(8))
    at += 8 + length + (length % 2)
  }
  return (
    sides && {
      ...sides,
      inPasses: false,
      bytesPerPixel: 4,
      orientation: orientation ?? 1,
      frames: counter.of('frames'),
    }
  )
}

/** Returns the dimensions from the first ten bytes of a picture's first chunk. */
function webpSides(type: string, data: Buffer): { width: number; height: number } | undefined {
  if (type === 'VP8X') return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }
  if (type === 'VP8 ') return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
  if (type !== 'VP8L') return undefined
  const bits = data.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

async function readGif(bytes: Pieces): Promise<Facts | undefined> {
  const counter = new Counter(PARTS.gif)
  const tableSize = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  const screen = await bytes.from(0, 13)
  if (screen.length < 13) return undefined
  const sides = { width: screen.readUInt16LE(6), height: screen.readUInt16LE(8) }
  for (let at = 13 + tableSize(screen[10]!); ;) {
    const head = await bytes.from(at, 10)
    if (head[0] !== 0x21 && head[0] !== 0x2c) break
    counter.add('blocks')
    if (head[0] === 0x21) {
      at = await bytes.afterBlocks(at + 2)
      continue
    }
    if (head.length < 10) break
    counter.add('frames')
    // The first frame may exceed a screen size that some programs write as zero.
    if (counter.of('frames') === 1) {
      sides.width = Math.max(sides.width, head.readUInt16LE(1) + head.readUInt16LE(5))
      sides.height = Math.max(sides.height, head.readUInt16LE(3) + head.readUInt16LE(7))
    }
    at = await bytes.afterBlocks(at + 11 + tableSize(head[9]!))
  }
  return { ...sides, inPasses: false, bytesPerPixel: 4, orientation: 1, frames: counter.of('frames') }
}

const ORIENTATION = 0x0112

/** Returns the orientation in EXIF, or undefined. `exif` begins with the byte order. */
function orientationOf(exif: Buffer): number | undefined {
  if (exif.length < 8) return undefined
  const little = exif[0] === 0x49
  const short = (at: number) => (little ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  const start = little ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
  if (start + 2 > exif.length) return undefined
  const count = Math.min(short(start), Math.floor((exif.length - start - 2) / 12))
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + 2 + entry * 12
    if (short(at) !== ORIENTATION) continue
    const turn = short(at + 8)
    return turn >= 1 && turn <= 8 ? turn : undefined
  }
  return undefined
}
