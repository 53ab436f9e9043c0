import { execFile } from 'node:child_process'
import { fileTypeFromFile } from 'file-type'
import type { Input, InputVideoTrack } from 'mediabunny'
import { type RedactedRange, readRedactedRanges } from './media-boxes.ts'
import { loadSharp } from './media-picture.ts'
import { UnusableFile } from './media-unusable.ts'
import { damaged } from './media-tables.ts'
import { PIXEL_LIMIT, thumbnailSize, type VideoFormat, videoFormatOf } from './rules.ts'

export interface Video {
  format: VideoFormat
  /** As displayed: upright, in square pixels. */
  width: number
  height: number
  /** Seconds. */
  duration: number
  codec: string
  frameRate: number
  /** The byte ranges of the original that are not served, in order. */
  redacted: RedactedRange[]
  /** WebP. */
  thumbnail: Uint8Array
}

/** Milliseconds for each way to get a frame. Both together leave the rest of a video's 10 s for the header. */
const FRAME_LIMIT = 3_000
/** The maximum number of bytes that the program `ffmpeg` may allocate at once. */
const FRAME_MEMORY = 256 * 1024 * 1024
/** How many seconds from the start the thumbnail's frame is taken, since many videos begin in black. */
const FRAME_AT = 1
/** An upper bound for every fact of a video. */
const MOST = 1e9
/** The number of frames from which the frame rate is measured. */
const FRAMES = 1000

/**
 * Reads the facts of an uploaded video, the ranges that must not be served, and a frame. Calls `read` as soon as the
 * header is read, with a plain picture instead of the frame. Throws `UnusableFile`.
 */
export async function makeVideo(path: string, read: (video: Video) => void): Promise<Video> {
  const redacted = await readRedactedRanges(path)
  const format = videoFormatOf((await fileTypeFromFile(path))?.mime ?? '')
  const { FilePathSource, Input: Reader, MP4, QTFF } = await import('mediabunny')
  const input = new Reader({ source: new FilePathSource(path), formats: [MP4, QTFF] })
  try {
    const { track, ...facts } = await readFacts(input).catch((error: unknown) => {
      throw error instanceof UnusableFile ? error : damaged(error)
    })
    if (!format) throw damaged()
    const size = thumbnailSize(facts.width, facts.height)
    const plain: Video = { format, ...facts, redacted, thumbnail: await poster(size) }
    read(plain)
    const frame = await findFrame(path, track, Math.min(FRAME_AT, facts.duration / 2), size)
    return { ...plain, thumbnail: frame ?? plain.thumbnail }
  } finally {
    input.dispose()
  }
}

async function readFacts(input: Input) {
  const track = await input.getPrimaryVideoTrack()
  if (!track) throw new UnusableFile('no_pictures')
  const codec = await track.getCodec()
  if (!codec) {
    throw new UnusableFile('unknown_codec')
  }
  const width = Math.round(await track.getDisplayWidth())
  const height = Math.round(await track.getDisplayHeight())
  const duration = (await input.computeDuration()) - Math.max(0, await input.getFirstTimestamp())
  const { packetCount, averagePacketRate } = await track.computePacketStats(FRAMES)
  if (!(duration > 0) || packetCount === 0) {
    throw new UnusableFile('no_pictures/no_time')
  }
  const possible = [width, height, duration, averagePacketRate].every((value) => value > 0 && value < MOST)
  if (!possible) throw damaged()
  return { track, codec, width, height, duration: tidy(duration), frameRate: tidy(averagePacketRate) }
}

const tidy = (value: number) => Math.round(value * 1000) / 1000

/** Gets a frame of the video by the first method that works here. */
async function findFrame(
  path: string,
  track: InputVideoTrack,
  at: number,
  size: Size,
): Promise<Uint8Array | undefined> {
  for (const frame of [() => decodedFrame(track, at, size), () => ffmpegFrame(path, at, size)]) {
    const made = await inTime(frame()).catch(() => undefined)
    if (made) return made
  }
  return undefined
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Decoding a frame took too long')), FRAME_LIMIT)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

interface Size {
  width: number
  height: number
}

/** Uses the decoders of a package that not every installation has. */
async function decodedFrame(track: InputVideoTrack, at: number, size: Size): Promise<Uint8Array | undefined> {
  await import('@napi-rs/webcodecs/polyfill')
  const { VideoSampleSink } = await import('mediabunny')
  const sample = await new VideoSampleSink(track).getSample((await track.getFirstTimestamp()) + at)
  if (!sample) return undefined
  try {
    const { codedWidth: width, codedHeight: height } = sample
    if (width * height > PIXEL_LIMIT) return undefined
    const pixels = new Uint8Array(sample.allocationSize({ format: 'RGBA' }))
    await sample.copyTo(pixels, { format: 'RGBA' })
    const sharp = await loadSharp()
    const turned = await sharp(pixels, { raw: { width, height, channels: 4 } })
      .rotate(sample.rotation)
      .removeAlpha()
      .toBuffer({ resolveWithObject: true })
    const { info } = turned
    const upright = sharp(turned.data, { raw: { width: info.width, height: info.height, channels: 3 } })
    return await (sample.flip ? upright.flop() : upright)
      .resize({ ...size, fit: 'fill' })
      .webp({ quality: 80 })
      .toBuffer()
  } finally {
    sample.close()
  }
}

/** Uses the program `ffmpeg`, if it is installed. */
async function ffmpegFrame(path: string, at: number, size: Size): Promise<Uint8Array> {
  const limited = ['-threads', '1', '-max_alloc', String(FRAME_MEMORY)]
  const source = ['-protocol_whitelist', 'file', '-f', 'mov', '-ss', String(at), '-i', path]
  const options = ['-v', 'error', '-nostdin', ...limited, ...source]
  const one = ['-frames:v', '1', '-vf', `scale=${size.width}:${size.height}`, '-f', 'image2pipe', '-c:v', 'png', '-']
  const png = await new Promise<Buffer>((resolve, reject) => {
    const limits = {
      encoding: 'buffer',
      timeout: FRAME_LIMIT,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    } as const
    execFile('ffmpeg', [...options, ...one], limits, (error, output) => (error ? reject(error) : resolve(output)))
  })
  const sharp = await loadSharp()
  return sharp(png).webp({ quality: 80 }).toBuffer()
}

/** Makes the picture for a video that cannot be decoded here: a play symbol on grey. */
async function poster({ width, height }: Size): Promise<Uint8Array> {
  const pixels = new Uint8Array(width * height * 3).fill(0x3f)
  const side = Math.min(width, height) / 4
  for (let y = Math.ceil(height / 2 - side); y < height / 2 + side; y += 1) {
    const from = Math.ceil(width / 2 - side * 0.6)
    const to = from + (side - Math.abs(y + 0.5 - height / 2)) * 1.7
    for (let x = Math.max(from, 0); x < Math.min(to, width); x += 1)
      pixels.fill(0xd4, (y * width + x) * 3, (y * width + x) * 3 + 3)
  }
  const sharp = await loadSharp()
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .webp({ quality: 80 })
    .toBuffer()
}
