// The accepted pictures and videos, the names under which they are stored, and ranges of their bytes.

import type { RejectionKey } from '../../core/texts/rejections/en.ts'

/** The largest picture in bytes. */
export const IMAGE_LIMIT = 20 * 1024 * 1024
/** The largest video in bytes. */
export const VIDEO_LIMIT = 1024 * 1024 * 1024
/** The maximum number of pixels of a picture, or of one frame if it is animated. */
export const PIXEL_LIMIT = 50_000_000
/** The maximum number of files of an upload, which is enough for a carousel. */
export const FILES_LIMIT = 10
/** The longest side of a thumbnail in pixels. */
export const THUMBNAIL_SIZE = 640

/**
 * The maximum number of pixels of a picture that must be turned upright, for which it is decoded in memory as a whole.
 * By measurement this takes less than 250 MB. Cameras write the first kind; the others are hardly ever rotated.
 */
const turnLimits = { jpeg: PIXEL_LIMIT, progressiveJpeg: 24_000_000, png: 12_000_000, webp: 6_000_000 }
/** A picture stored in passes is also decoded in memory as a whole: at most this many bytes. */
const PASSES_LIMIT = 250_000_000

/** The parts of a file's structure. Each part costs a reader time and memory. */
export type Part = 'segments' | 'scans' | 'chunks' | 'frames' | 'blocks'
/**
 * The maximum number of parts of a picture. A camera writes some 30 segments, and an editor with much XMP 300. Encoders
 * cut PNG into chunks of 8 KiB, at most 2,600. A minute of animation has 1,500 frames, in GIF with a block for each.
 */
export const PARTS: Record<'jpeg' | 'png' | 'gif' | 'webp', Partial<Record<Part, number>>> = {
  jpeg: { segments: 1_000, scans: 100 },
  png: { chunks: 10_000 },
  gif: { frames: 2_000, blocks: 6_000 },
  webp: { frames: 2_000, chunks: 2_100 },
}
/**
 * The maximum number of pixels that a reader goes over in all scans of a picture. The usual ten scans of the largest
 * picture are half of that.
 */
export const SCANNED_PIXELS = 1_000_000_000

export interface PictureFacts {
  format: PictureFormat
  /** As displayed: upright, and of one frame. */
  width: number
  height: number
  /** Rotated by its metadata. */
  turned: boolean
  /** Progressive or interlaced. */
  inPasses: boolean
  bytesPerPixel: number
}

/** Returns why a picture is too large to process, or undefined. */
export function tooManyPixels({
  format,
  width,
  height,
  turned,
  inPasses,
  bytesPerPixel,
}: PictureFacts): [key: RejectionKey, values: Record<string, number>] | undefined {
  const pixels = width * height
  const say = (key: RejectionKey, limit: number): [RejectionKey, Record<string, number>] => [
    key,
    { megapixels: Math.ceil(pixels / 1e6), most: Math.floor(limit / 1e6) },
  ]
  if (pixels > PIXEL_LIMIT) return say('too_many_pixels', PIXEL_LIMIT)
  const passes = PASSES_LIMIT / bytesPerPixel
  if (format === 'png' && inPasses && pixels > passes) return say('too_many_pixels/interlaced', passes)
  if (!turned || format === 'gif') return undefined
  const limit = turnLimits[format === 'jpeg' && inPasses ? 'progressiveJpeg' : format]
  return pixels > limit ? say('too_many_pixels/turned', limit) : undefined
}

interface FileType {
  mimeType: string
  extension: string
  /** Other names that clients use. */
  aliases: readonly string[]
}

export const pictures = {
  jpeg: {
    mimeType: 'image/jpeg',
    extension: 'jpg',
    aliases: ['image/jpg', 'image/pjpeg'],
  },
  png: {
    mimeType: 'image/png',
    extension: 'png',
    aliases: ['image/x-png', 'image/apng', 'image/vnd.mozilla.apng'],
  },
  gif: { mimeType: 'image/gif', extension: 'gif', aliases: [] },
  webp: { mimeType: 'image/webp', extension: 'webp', aliases: [] },
} as const satisfies Record<string, FileType>
export type PictureFormat = keyof typeof pictures

// The two formats are related, and programs mix up their names.
const alsoMp4 = ['video/mp4', 'video/quicktime', 'video/x-m4v', 'application/mp4']
export const videos = {
  mp4: { mimeType: 'video/mp4', extension: 'mp4', aliases: alsoMp4 },
  mov: { mimeType: 'video/quicktime', extension: 'mov', aliases: alsoMp4 },
} as const satisfies Record<string, FileType>
export type VideoFormat = keyof typeof videos

export type MediaFormat = PictureFormat | VideoFormat
export const formats = { ...pictures, ...videos }

const all = Object.entries(formats) as [MediaFormat, FileType][]

/** Returns the picture format of a media type, or undefined. */
export const formatOf = (mimeType: string): PictureFormat | undefined =>
  (Object.entries(pictures) as [PictureFormat, FileType][]).find(
    ([, type]) => type.mimeType === mimeType || type.aliases.includes(mimeType),
  )?.[0]

/** Returns the video format of a media type that was detected from the bytes, or undefined. */
export function videoFormatOf(mimeType: string): VideoFormat | undefined {
  if (mimeType === 'video/quicktime') return 'mov'
  return mimeType === 'video/mp4' || mimeType === 'video/x-m4v' ? 'mp4' : undefined
}

export const isVideo = (format: MediaFormat): format is VideoFormat => format in videos

/**
 * Returns a name that can be shown and saved anywhere: without a path or invisible characters, at most 255 characters.
 */
export function displayName(fileName: string, format: MediaFormat): string {
  const name = (fileName.split(/[/\\]/).at(-1) ?? '')
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
  const extension = /\.[^.]{1,10}$/.exec(name)?.[0] ?? ''
  const whole = name.length <= 255 ? name : name.slice(0, 255 - extension.length) + extension
  return whole === '' || whole === '.' || whole === '..'
    ? `${isVideo(format) ? 'video' : 'picture'}.${formats[format].extension}`
    : whole
}

const extensionType = new Map(all.map(([, { extension, mimeType }]) => [extension, mimeType]))

/**
 * Returns the media type of a served key, or undefined if the key is never served. Only served copies have an
 * extension; originals have none.
 */
export function servedType(key: string): string | undefined {
  const extension = /^[A-Za-z0-9_-]{43}\.([a-z0-9]+)$/.exec(key)?.[1]
  return extension === undefined ? undefined : extensionType.get(extension)
}

/** Returns the width and height of a thumbnail. */
export function thumbnailSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, THUMBNAIL_SIZE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/**
 * Parses a Range header. Returns undefined for the whole file, also if several ranges are requested, and
 * `unsatisfiable` for a range beyond the end.
 */
export function byteRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  if (from === '')
    return Number(to) === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(size - Number(to), 0), end: size - 1 }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
