import { BufferTarget, MovOutputFormat, Mp4OutputFormat, Output, VideoSample, VideoSampleSource } from 'mediabunny'

export interface Filmed {
  seconds?: number
  width?: number
  height?: number
  rate?: number
  /** Clockwise, by the container alone: the stored pictures stay as they are. */
  rotation?: 0 | 90 | 180 | 270
  codec?: 'avc' | 'hevc' | 'vp9' | 'av1'
  container?: 'mp4' | 'mov'
  /** The hue, in degrees, that tells one film from another. */
  hue?: number
}

/** A real video, encoded here. */
export async function film({
  seconds = 4,
  width = 640,
  height = 360,
  rate = 24,
  rotation = 0,
  codec = 'avc',
  container = 'mp4',
  hue = 200,
}: Filmed = {}): Promise<Buffer> {
  await import('@napi-rs/webcodecs/polyfill')
  const format = container === 'mov' ? new MovOutputFormat() : new Mp4OutputFormat()
  const output = new Output({ format, target: new BufferTarget() })
  const source = new VideoSampleSource({ codec, bitrate: 200_000, keyFrameInterval: 2 })
  output.addVideoTrack(source, { rotation, frameRate: rate })
  await output.start()
  const frame = Buffer.alloc(width * height * 4)
  for (let index = 0; index < seconds * rate; index += 1) {
    paint(frame, width, index, hue)
    const sample = new VideoSample(new Uint8Array(frame), {
      format: 'RGBA',
      codedWidth: width,
      codedHeight: height,
      timestamp: index / rate,
      duration: 1 / rate,
    })
    await source.add(sample)
    sample.close()
  }
  await output.finalize()
  return Buffer.from(output.target.buffer ?? new ArrayBuffer(0))
}

/** A ground in one colour with a bar that moves. */
function paint(frame: Buffer, width: number, index: number, hue: number): void {
  const bar = (index * 4) % width
  for (let at = 0, x = 0; at < frame.length; at += 4, x = (x + 1) % width) {
    const lit = x >= bar && x < bar + 16
    frame[at] = lit ? 255 : (hue * 7) % 256
    frame[at + 1] = lit ? 255 : (hue * 3) % 256
    frame[at + 2] = lit ? 255 : hue % 256
    frame[at + 3] = 255
  }
}
