import { setTimeout as sleep } from 'node:timers/promises'

export interface VideoOptions {
  seconds?: number
  width?: number
  height?: number
  frameRate?: number
  /** The rotation in the metadata, clockwise. */
  rotation?: 0 | 90 | 180 | 270
  codec?: 'avc' | 'hevc' | 'vp9' | 'av1'
  type?: 'mp4' | 'mov'
  /** Whether the video consists of fragments, each with its own index. */
  fragmented?: boolean
  /** For example `+52.5200+013.4050/`. It is written in each of the ways that cameras use. */
  location?: string
}

let loading: Promise<boolean> | undefined

/** Whether videos can be made here, since the encoder is an optional package. Warns if they cannot, and throws on CI. */
export function canMakeVideo(): Promise<boolean> {
  loading ??= import('@napi-rs/webcodecs/polyfill').then(
    () => true,
    (error: unknown) => {
      if (process.env['CI'] === 'true') throw new Error('The tests of videos need @napi-rs/webcodecs', { cause: error })
      console.warn(`SKIPPED: no video can be made without the optional package @napi-rs/webcodecs (${String(error)})`)
      return false
    },
  )
  return loading
}

const made = new Map<string, Promise<Buffer>>()

/**
 * Encodes a real video, red above and blue below. With the default options, every network accepts it. Each video is
 * encoded once.
 */
export async function video(options: VideoOptions = {}): Promise<Buffer> {
  const key = JSON.stringify(options)
  const encoding = made.get(key) ?? encode(options)
  made.set(key, encoding)
  return Buffer.from(await encoding)
}

async function encode({
  seconds = 4,
  width = 640,
  height = 360,
  frameRate = 30,
  rotation = 0,
  codec = 'avc',
  type = 'mp4',
  fragmented = false,
  location,
}: VideoOptions = {}): Promise<Buffer> {
  if (!(await canMakeVideo())) throw new Error('No video can be made here')
  const { BufferTarget, MovOutputFormat, Mp4OutputFormat, Output, VideoSample, VideoSampleSource } =
    await import('mediabunny')
  const target = new BufferTarget()
  const format = type === 'mov' ? MovOutputFormat : Mp4OutputFormat
  const output = new Output({ format: new format({ fastStart: fragmented ? 'fragmented' : 'in-memory' }), target })
  const source = new VideoSampleSource({ codec, bitrate: 300_000 })
  output.addVideoTrack(source, { rotation, frameRate })
  await output.start()
  const pixels = twoHalves(width, height)
  for (let frame = 0; frame < Math.round(seconds * frameRate); frame += 1) {
    const times = { timestamp: frame / frameRate, duration: 1 / frameRate }
    const sample = new VideoSample(pixels, { format: 'I420', codedWidth: width, codedHeight: height, ...times })
    await source.add(sample)
    sample.close()
    // Yield to other work: the encoder has its own threads, and the test must not block in the meantime.
    if (frame % 30 === 0) await sleep(0)
  }
  await output.finalize()
  const bytes = Buffer.from(target.buffer!)
  return location === undefined ? bytes : withLocation(bytes, location)
}

/** Makes such a video from a single, repeated frame, which is fast for any length and any codec. */
export async function still({ seconds = 4, frameRate = 30, ...rest }: VideoOptions = {}): Promise<Buffer> {
  const { ALL_FORMATS, BufferSource, BufferTarget, EncodedPacket, EncodedPacketSink, EncodedVideoPacketSource } =
    await import('mediabunny')
  const { Input, MovOutputFormat, Mp4OutputFormat, Output } = await import('mediabunny')
  const bytes = await video({ ...rest, seconds: 1, frameRate: 1 })
  const track = await new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS }).getPrimaryVideoTrack()
  const frame = track && (await new EncodedPacketSink(track).getFirstPacket())
  const decoderConfig = await track?.getDecoderConfig()
  if (!frame || !decoderConfig) throw new Error('No frame was made')
  const target = new BufferTarget()
  const format = rest.type === 'mov' ? MovOutputFormat : Mp4OutputFormat
  const output = new Output({ format: new format({ fastStart: 'in-memory' }), target })
  const source = new EncodedVideoPacketSource(rest.codec ?? 'avc')
  output.addVideoTrack(source, { frameRate })
  await output.start()
  const frames = Math.round(seconds * frameRate)
  for (let i = 0; i < frames; i += 1) {
    await source.add(new EncodedPacket(frame.data, 'key', i / frameRate, 1 / frameRate), { decoderConfig })
  }
  await output.finalize()
  return Buffer.from(target.buffer!)
}

/** Returns a picture that is red above and blue below, in the format of encoders. */
function twoHalves(width: number, height: number): Uint8Array {
  const all = width * height
  const pixels = new Uint8Array((all * 3) / 2)
  pixels.fill(81, 0, all / 2).fill(41, all / 2, all)
  const half = all / 8
  for (const [plane, [upper, lower]] of [
    [90, 240],
    [240, 110],
  ].entries()) {
    const start = all + plane * half * 2
    pixels.fill(upper!, start, start + half).fill(lower!, start + half, start + half * 2)
  }
  return pixels
}

/** A box of an MP4. */
export function box(type: string, ...parts: Uint8Array[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.byteLength, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...parts])
}

const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Returns the video with boxes added at the end of `moov`, which lies before the frames. */
export function withBoxes(bytes: Buffer, ...boxes: Buffer[]): Buffer {
  const more = Buffer.concat(boxes)
  const moov = bytes.indexOf('moov') - 4
  const end = moov + bytes.readUInt32BE(moov)
  const head = Buffer.concat([bytes.subarray(moov, end), more])
  head.writeUInt32BE(head.length)
  for (let at = head.indexOf('stco'); at >= 0; at = head.indexOf('stco', at + 4)) {
    for (let entry = 0; entry < head.readUInt32BE(at + 8); entry += 1) {
      const place = at + 12 + entry * 4
      head.writeUInt32BE(head.readUInt32BE(place) + more.length, place)
    }
  }
  return Buffer.concat([bytes.subarray(0, moov), head, bytes.subarray(end)])
}

function withLocation(bytes: Buffer, location: string): Buffer {
  const text = Buffer.from(location)
  const short = Buffer.alloc(4)
  short.writeUInt16BE(text.length)
  short.writeUInt16BE(0x15c7, 2)
  const key = Buffer.from('com.apple.quicktime.location.ISO6709')
  const value = box('data', numbers(1, 0), text)
  const handler = box('hdlr', numbers(0, 0), Buffer.from('mdta'), Buffer.alloc(13))
  return withBoxes(
    bytes,
    box('udta', box('©xyz', short, text), box('loci', numbers(0), Buffer.from([0x15, 0xc7]), text, Buffer.alloc(16))),
    box('meta', handler, box('keys', numbers(0, 1), box('mdta', key)), box('ilst', box('\0\0\0\u0001', value))),
  )
}
