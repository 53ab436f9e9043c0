import { readFile } from 'node:fs/promises'
import type { Metadata, Sharp, SharpConstructor } from 'sharp'
import { assertHeader } from './media-header.ts'
import { readStructure } from './media-structure.ts'
import { UnusableFile } from './media-unusable.ts'
import {
  type Area,
  cropOf,
  RENDITION_USES,
  type Rendition,
  renditionOf,
  type RenditionUse,
  renditionUses,
} from '../../networks/rules.ts'
import { formatOf, PIXEL_LIMIT, type PictureFacts, pictures, THUMBNAIL_SIZE, tooManyPixels } from './rules.ts'

/** Only the four accepted formats. Every other decoder (SVG, PDF, TIFF, …) would widen the attack surface. */
const loaders = ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif']

let loading: Promise<SharpConstructor> | undefined

/** Loads the decoder with the first picture. It uses one thread per picture and caches nothing between pictures. */
export function loadSharp() {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1)
    sharp.cache(false)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: loaders })
    return sharp
  })
  return loading
}

interface Header extends PictureFacts {
  metadata: Metadata
}

/** Reads a header with the decoder. `assertHeader` must have accepted the bytes before. Throws `UnusableFile`. */
export async function headerOf(picture: Sharp): Promise<Header> {
  const metadata = await picture.metadata().catch((error: unknown) => {
    throw new UnusableFile('unreadable', {}, error)
  })
  const format = formatOf(`image/${metadata.format}`)
  // Animations are not rotated by metadata, because browsers disagree about it.
  const turned = (metadata.orientation ?? 1) > 1 && (metadata.pages ?? 1) === 1
  const { width, height } = turned ? metadata.autoOrient : metadata
  if (!format || !width || !height) throw new UnusableFile('unreadable')
  const bytesPerPixel = metadata.channels * (metadata.depth === 'ushort' ? 2 : 1)
  const facts = { format, width, height, turned, inPasses: metadata.isProgressive, bytesPerPixel }
  const excess = tooManyPixels(facts)
  if (excess) throw new UnusableFile(...excess)
  return { ...facts, metadata }
}

export interface DecodedPicture extends Pick<Header, 'format' | 'width' | 'height'> {
  /** The copy to serve instead of the original, or undefined if the original may be served. */
  copy: Uint8Array | undefined
  /** WebP. */
  thumbnail: Uint8Array
  /** The renditions, as JPEG, for networks that do not accept the served file. */
  renditions: PictureRendition[]
}

export interface PictureRendition {
  use: RenditionUse
  width: number
  height: number
  bytes: Uint8Array
}

/**
 * Makes what is served of an uploaded picture. Without location and rotation, that is the original. If only metadata
 * must go, they are removed and every pixel and frame stays. A rotated picture is saved upright in its format, depth
 * and colours. Everything is decoded once, which reveals damage. Throws `UnusableFile`.
 */
export async function makePicture(path: string): Promise<DecodedPicture> {
  const bytes = await readFile(path)
  const { format: told } = await assertHeader(bytes)
  const { complete, location, lossless, clean } = readStructure(told, bytes)
  if (!complete) throw new UnusableFile('truncated')
  const sharp = await loadSharp()
  const header = await headerOf(sharp(bytes, { limitInputPixels: false }))
  const { format, width, height, turned } = header
  const options = { limitInputPixels: PIXEL_LIMIT, failOn: 'error' } as const
  const open = () => sharp(bytes, options)
  const copy = turned ? await decode(upright(open(), header, lossless)) : location ? Buffer.concat(clean) : undefined
  const served = { mimeType: pictures[format].mimeType, fileSize: (copy ?? bytes).length, width, height }
  const wanted = RENDITION_USES.flatMap((use) => {
    const rendition = renditionOf(served, renditionUses[use].facts)
    return rendition ? [{ use, rendition }] : []
  })
  const shrunk = await shrink(sharp, open, { width, height }, wanted)
  const thumbnail = await decode(thumbnailOf(shrunk()))
  const renditions: PictureRendition[] = []
  const borderless = new Set<RenditionUse>()
  for (const { use, rendition } of wanted) {
    const { sameAs } = renditionUses[use]
    if (sameAs && borderless.has(sameAs)) continue
    const { inner } = rendition
    if (inner.width === rendition.width && inner.height === rendition.height) borderless.add(use)
    const made = await makeRendition(sharp, shrunk(), rendition)
    renditions.push({ use, width: rendition.width, height: rendition.height, bytes: made })
  }
  return { format, width, height, copy, thumbnail, renditions }
}

/** Makes a crop of a picture as a network gets it. Throws `UnusableFile`. */
export async function makeCrop(
  path: string,
  { use, area }: { use: RenditionUse; area: Area },
): Promise<PictureRendition> {
  const sharp = await loadSharp()
  const wanted = cropOf(area, use)
  if (!wanted) throw new Error(`No pictures for ${use}`)
  const part = { left: area.x, top: area.y, width: area.width, height: area.height }
  // Read outside the decoder: a missing file is not the picture's fault.
  const bytes = await readFile(path)
  await assertHeader(bytes)
  const cut = sharp(bytes, { limitInputPixels: PIXEL_LIMIT, failOn: 'error' }).autoOrient().extract(part)
  return { use, width: wanted.width, height: wanted.height, bytes: await makeRendition(sharp, cut, wanted) }
}

/** A small copy of a picture, as WebP. */
export interface Thumbnail {
  width: number
  height: number
  bytes: Uint8Array
}

/** Makes only a small copy; of an animation, its first frame. Throws `UnusableFile`. */
export async function makeThumbnail(path: string): Promise<Thumbnail> {
  const bytes = await readFile(path)
  await assertHeader(bytes)
  const sharp = await loadSharp()
  await headerOf(sharp(bytes, { limitInputPixels: false }))
  const small = thumbnailOf(sharp(bytes, { limitInputPixels: PIXEL_LIMIT, failOn: 'error' }).autoOrient())
  const { data, info } = await small.toBuffer({ resolveWithObject: true }).catch((error: unknown) => {
    throw new UnusableFile('unreadable/decoded', {}, error)
  })
  return { width: info.width, height: info.height, bytes: data }
}

const thumbnailOf = (picture: Sharp) =>
  picture
    .resize({ width: THUMBNAIL_SIZE, height: THUMBNAIL_SIZE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })

/**
 * The maximum number of pixels that are decoded in memory once for all copies of a picture: the usual size of the
 * largest rendition.
 */
const SHRUNK_LIMIT = 20_000_000

/**
 * Decodes a picture once, upright and no larger than its largest copy needs. Returns a function that opens the result.
 * If that would take too much memory, each opening decodes the picture again.
 */
async function shrink(
  sharp: SharpConstructor,
  open: () => Sharp,
  { width, height }: { width: number; height: number },
  wanted: readonly { rendition: Rendition }[],
): Promise<() => Sharp> {
  const scales = wanted.map(({ rendition: { inner } }) => Math.max(inner.width / width, inner.height / height))
  const scale = Math.min(1, Math.max(THUMBNAIL_SIZE / Math.max(width, height), ...scales))
  const size = { width: Math.max(1, Math.ceil(width * scale)), height: Math.max(1, Math.ceil(height * scale)) }
  if (size.width * size.height > SHRUNK_LIMIT) return () => open().autoOrient()
  const pixels = await decodePixels(
    open()
      .autoOrient()
      .resize({ ...size, fit: 'fill' }),
  )
  return () => sharp(pixels.data, { raw: pixels.info })
}

/** Tried in order until the picture is small enough. */
const QUALITIES = [90, 80, 70, 55, 40]

/**
 * Makes a picture of the wanted size on white; of an animation, its first frame. It is decoded once for all qualities.
 */
async function makeRendition(
  sharp: SharpConstructor,
  picture: Sharp,
  { width, height, inner, maxBytes }: Rendition,
): Promise<Uint8Array> {
  const left = Math.floor((width - inner.width) / 2)
  const top = Math.floor((height - inner.height) / 2)
  const framed = picture
    .resize({ ...inner, fit: 'fill' })
    .flatten({ background: 'white' })
    .extend({ left, top, right: width - inner.width - left, bottom: height - inner.height - top, background: 'white' })
  // Only an extreme strip is larger. Its pixels would take too much memory, so each quality decodes it again.
  const pixels = width * height > SHRUNK_LIMIT ? undefined : await decodePixels(framed)
  const open = () => (pixels ? sharp(pixels.data, { raw: pixels.info }) : framed.clone().toColourspace('srgb'))
  let made: Uint8Array = new Uint8Array()
  for (const quality of QUALITIES) {
    made = await decode(open().jpeg({ quality, optimiseCoding: false }))
    if (made.length <= maxBytes) return made
  }
  return made
}

function upright(picture: Sharp, { format, metadata }: Header, lossless: boolean): Sharp {
  const { space, chromaSubsampling } = metadata
  const kept = space === 'b-w' || space === 'grey16' || space === 'rgb16' ? space : 'srgb'
  const turned = picture.autoOrient().keepIccProfile().toColourspace(kept)
  if (format === 'png') return turned.png()
  if (format === 'webp') return turned.webp({ quality: 92, lossless })
  // Optimised tables would hold the whole picture in memory a second time.
  return turned.jpeg({
    quality: 92,
    optimiseCoding: false,
    chromaSubsampling: chromaSubsampling?.startsWith('4:4:4') ? '4:4:4' : '4:2:0',
  })
}

async function decode(picture: Sharp): Promise<Uint8Array> {
  try {
    return await picture.toBuffer()
  } catch (error) {
    throw new UnusableFile('unreadable/decoded', {}, error)
  }
}

/** Returns the pixels of a picture as 8-bit colours. */
async function decodePixels(picture: Sharp) {
  try {
    return await picture.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  } catch (error) {
    throw new UnusableFile('unreadable/decoded', {}, error)
  }
}
