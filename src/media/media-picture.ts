import type { Sharp, SharpConstructor } from 'sharp'
import { formatOf, PIXEL_LIMIT, type PictureFormat, THUMBNAIL_SIZE } from './rules.ts'

/** A picture that cannot be used, and why, in words for people. */
export class UnusablePicture extends Error {
  readonly code: 'unreadable' | 'too_many_pixels'

  constructor(code: UnusablePicture['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The four formats alone: every other decoder (SVG, PDF, TIFF, …) is a way in. */
const loaders = ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif']

let loading: Promise<SharpConstructor> | undefined

/** The decoder, loaded when the first picture comes: one thread a picture, nothing kept between pictures. */
function loadSharp() {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1)
    sharp.cache(false)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: loaders })
    return sharp
  })
  return loading
}

export interface Header {
  format: PictureFormat
  /** As people see it: upright; of one frame. */
  width: number
  height: number
  orientation: number
  animated: boolean
}

async function headerOf(picture: Sharp): Promise<Header> {
  const found = await picture.metadata().catch((error: unknown) => {
    throw new UnusablePicture('unreadable', 'It is damaged or no picture.', error)
  })
  const format = formatOf(`image/${found.format}`)
  const { width, height } = found.autoOrient
  if (!format || !width || !height) throw new UnusablePicture('unreadable', 'It is damaged or no picture.')
  if (width * height > PIXEL_LIMIT) {
    const megapixels = Math.ceil((width * height) / 1e6)
    throw new UnusablePicture(
      'too_many_pixels',
      `It has ${megapixels} megapixels; at most ${PIXEL_LIMIT / 1e6} are accepted.`,
    )
  }
  return { format, width, height, orientation: found.orientation ?? 1, animated: (found.pages ?? 1) > 1 }
}

/** What the header of a file says, read without decoding. Throws `UnusablePicture`. */
export async function readHeader(path: string): Promise<Header> {
  const sharp = await loadSharp()
  return headerOf(sharp(path, { limitInputPixels: false }))
}

export interface Picture extends Pick<Header, 'format' | 'width' | 'height'> {
  bytes: Uint8Array
  /** WebP. */
  thumbnail: Uint8Array
}

/**
 * What is served of an uploaded picture: the same bytes when they carry neither location nor rotation, else a clean upright
 * copy in the same format and colours. The whole picture is decoded once. Throws `UnusablePicture`.
 */
export async function makePicture(bytes: Uint8Array): Promise<Picture> {
  const sharp = await loadSharp()
  const header = await headerOf(sharp(bytes, { limitInputPixels: false }))
  const options = { limitInputPixels: PIXEL_LIMIT, failOn: 'error' } as const
  try {
    const thumbnail = await sharp(bytes, options)
      .autoOrient()
      .resize({ width: THUMBNAIL_SIZE, height: THUMBNAIL_SIZE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer()
    if (header.orientation === 1) return { ...header, bytes, thumbnail }
    const copy = await sharp(bytes, options)
      .autoOrient()
      .keepIccProfile()
      .toFormat(header.format, { quality: 92 })
      .toBuffer()
    return { ...header, bytes: copy, thumbnail }
  } catch (error) {
    throw new UnusablePicture('unreadable', 'It is damaged: it cannot be decoded.', error)
  }
}
