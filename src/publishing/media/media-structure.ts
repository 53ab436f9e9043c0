import type { PictureFormat } from './rules.ts'

/** What a file contains besides its pixels. */
export interface Structure {
  /** Whether the file reaches the end that its format requires. */
  complete: boolean
  /**
   * Whether the file reveals where it was taken, or contains what might and cannot be read: other pictures, video,
   * damaged metadata.
   */
  location: boolean
  /** Whether the pixels are stored losslessly. */
  lossless: boolean
  /** Pieces that together are the same picture, pixel by pixel, without metadata and without bytes after its end. */
  clean: Uint8Array[]
}

/** Parses a file without decoding it. Never reads beyond its end, whatever the file claims. */
export function readStructure(format: PictureFormat, bytes: Uint8Array): Structure {
  return readers[format](bytes)
}

const readers: Record<PictureFormat, (bytes: Uint8Array) => Structure> = {
  jpeg: readJpeg,
  png: readPng,
  gif: readGif,
  webp: readWebp,
}

const latin = new TextDecoder('latin1')
const textAt = (bytes: Uint8Array, start: number, length: number) => latin.decode(bytes.subarray(start, start + length))
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Words that accompany a place in XMP, textual IPTC and free texts. */
const placeWords = /gps|location|latitude|longitude|:city|:state|:country|raw profile/i

/** Whether a text mentions a place. */
export const namesPlace = (bytes: Uint8Array) => placeWords.test(latin.decode(bytes))

/** Whether EXIF has a place, or cannot be read completely. `bytes` begin with the byte order. */
function exifHasPlace(bytes: Uint8Array): boolean {
  const order = textAt(bytes, 0, 2)
  if (bytes.byteLength < 8 || (order !== 'II' && order !== 'MM')) return true
  const little = order === 'II'
  const view = viewOf(bytes)
  const start = view.getUint32(4, little)
  if (start + 2 > bytes.byteLength) return true
  const count = view.getUint16(start, little)
  if (start + 2 + count * 12 > bytes.byteLength) return true
  return Array.from({ length: count }, (_, index) => view.getUint16(start + 2 + index * 12, little)).some((tag) =>
    placeTags.has(tag),
  )
}

/** The GPS directory, and XMP and IPTC within EXIF. */
const placeTags = new Set([0x8825, 0x02bc, 0x83bb])

/** Whether IPTC has a city, sublocation, state or country. */
function iptcHasPlace(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1c); at >= 0; at = bytes.indexOf(0x1c, at + 1)) {
    if (bytes[at + 1] === 2 && [90, 92, 95, 100, 101].includes(bytes[at + 2] ?? 0)) return true
  }
  return false
}

const hasMore = (bytes: Uint8Array, end: number) => bytes.subarray(end).some((byte) => byte !== 0)

function readJpeg(bytes: Uint8Array): Structure {
  const clean = [bytes.subarray(0, 2)]
  let location = false
  let position = 2
  while (position + 1 < bytes.byteLength) {
    const start = position
    const marker = bytes[position + 1] as number
    if (bytes[position] !== 0xff) return { complete: false, location, lossless: false, clean }
    if (marker === 0xff) {
      position += 1
      continue
    }
    if (marker === 0xd9) {
      position += 2
      clean.push(bytes.subarray(start, position))
      return { complete: true, location: location || hasMore(bytes, position), lossless: false, clean }
    }
    const standalone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    if (!standalone && position + 4 > bytes.byteLength) break
    position += 2 + (standalone ? 0 : viewOf(bytes).getUint16(position + 2))
    const segment = bytes.subarray(start + 4, position)
    if (marker === 0xda) position = endOfScan(bytes, position)
    if (isJpegMetadata(marker, segment)) location ||= jpegHasPlace(marker, segment)
    else clean.push(bytes.subarray(start, position))
  }
  return { complete: false, location, lossless: false, clean }
}

/** Returns the end of coded data: the next marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.byteLength
}

/**
 * Whether a marker is a comment or an application segment that is not needed to show the picture. JFIF, colour profile
 * and Adobe's colour transform are needed.
 */
function isJpegMetadata(marker: number, segment: Uint8Array): boolean {
  if (marker === 0xfe) return true
  if (marker < 0xe0 || marker > 0xef) return false
  return marker !== 0xe0 && marker !== 0xee && !(marker === 0xe2 && textAt(segment, 0, 11) === 'ICC_PROFILE')
}

function jpegHasPlace(marker: number, segment: Uint8Array): boolean {
  if (marker === 0xe1 && textAt(segment, 0, 4) === 'Exif') return exifHasPlace(segment.subarray(6))
  if (marker === 0xed) return iptcHasPlace(segment)
  return namesPlace(segment)
}

const pngKept = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
)

function readPng(bytes: Uint8Array): Structure {
  const clean = [bytes.subarray(0, 8)]
  let location = false
  let position = 8
  while (position + 12 <= bytes.byteLength) {
    const start = position
    const data = start + 8
    position = data + viewOf(bytes).getUint32(start) + 4
    if (position > bytes.byteLength) break
    const type = textAt(bytes, start + 4, 4)
    if (pngKept.has(type)) clean.push(bytes.subarray(start, position))
    else location ||= pngHasPlace(type, bytes.subarray(data, position - 4))
    if (type === 'IEND')
      return { complete: true, location: location || hasMore(bytes, position), lossless: true, clean }
  }
  return { complete: false, location, lossless: true, clean }
}

const XMP = 'XML:com.adobe.xmp'

/** A compressed text is judged only by its name, since XMP and profiles of other formats can contain a place. */
function pngHasPlace(type: string, data: Uint8Array): boolean {
  if (type === 'eXIf') return exifHasPlace(data)
  const isCompressedXmp = textAt(data, 0, XMP.length) === XMP && (type === 'zTXt' || data[XMP.length + 1] === 1)
  return isCompressedXmp || namesPlace(data)
}

const webpKept = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L'])
const EXIF_AND_XMP = 0b1100

function readWebp(bytes: Uint8Array): Structure {
  const view = viewOf(bytes)
  const end = bytes.byteLength < 12 ? 0 : Math.min(8 + view.getUint32(4, true), bytes.byteLength)
  const chunks: Uint8Array[] = []
  let complete = end > 0 && 8 + view.getUint32(4, true) <= bytes.byteLength
  let location = hasMore(bytes, end)
  let lossless = false
  let position = 12
  while (position + 8 <= end) {
    const start = position
    const data = start + 8
    const length = view.getUint32(start + 4, true)
    position = data + length + (length % 2)
    if (data + length > end) complete = false
    const type = textAt(bytes, start, 4)
    if (type === 'VP8L') lossless = true
    if (!webpKept.has(type)) location ||= webpHasPlace(type, bytes.subarray(data, data + length))
    else if (type !== 'VP8X') chunks.push(bytes.subarray(start, position))
    else {
      const header = new Uint8Array(bytes.subarray(start, position))
      header[8] = (header[8] ?? 0) & ~EXIF_AND_XMP
      chunks.push(header)
    }
  }
  const head = new Uint8Array(bytes.subarray(0, 12))
  if (end > 0) viewOf(head).setUint32(4, 4 + chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0), true)
  return { complete, location, lossless, clean: [head, ...chunks] }
}

function webpHasPlace(type: string, data: Uint8Array): boolean {
  if (type !== 'EXIF') return namesPlace(data)
  return exifHasPlace(textAt(data, 0, 4) === 'Exif' ? data.subarray(6) : data)
}

const gifKept = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

function readGif(bytes: Uint8Array): Structure {
  const tableSize = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  let position = 13 + tableSize(bytes[10] ?? 0)
  const clean = [bytes.subarray(0, position)]
  let location = false
  const ended = (complete: boolean) => ({ complete, location, lossless: true, clean })
  while (position < bytes.byteLength) {
    const start = position
    const kind = bytes[position]
    if (kind === 0x3b) {
      clean.push(bytes.subarray(start, start + 1))
      location ||= hasMore(bytes, start + 1)
      return ended(true)
    }
    if (kind !== 0x21 && kind !== 0x2c) break
    const data = kind === 0x21 ? start + 2 : start + 11 + tableSize(bytes[start + 9] ?? 0)
    position = endOfBlocks(bytes, data)
    if (position > bytes.byteLength) return ended(false)
    const label = kind === 0x21 ? bytes[start + 1] : undefined
    const isMetadata = label === 0xfe || (label === 0xff && !gifKept.includes(textAt(bytes, data + 1, 11)))
    if (isMetadata) location ||= namesPlace(bytes.subarray(data, position))
    else clean.push(bytes.subarray(start, position))
  }
  // Many files lack the last byte, and every reader accepts the end of the file instead.
  return ended(position === bytes.byteLength && clean.length > 1)
}

/**
 * Returns the end of a chain of blocks with a length byte each, or an offset beyond the file if the chain is cut off.
 */
function endOfBlocks(bytes: Uint8Array, start: number): number {
  let position = start
  while (position < bytes.byteLength) {
    const length = bytes[position] as number
    position += 1 + length
    if (length === 0) return position
  }
  return bytes.byteLength + 1
}
