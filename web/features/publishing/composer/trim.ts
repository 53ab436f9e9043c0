import {
  BlobSource,
  BufferTarget,
  Conversion,
  EncodedPacketSink,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  QTFF,
} from 'mediabunny'

/** The points at which a video can be cut without encoding it again. Times are in seconds. */
export interface Cuts {
  /** It can begin only at these key frames, which need no other frame. The first one is its start. */
  starts: number[]
  /** It can end anywhere up to here. */
  end: number
}

/** The video cannot be cut without encoding it again. */
export class CannotTrim extends Error {}

const read = (file: Blob) => new Input({ source: new BlobSource(file), formats: [MP4, QTFF] })

/** Throws `CannotTrim` for a file without a video that this browser can read. */
export async function cutsOf(file: Blob): Promise<Cuts> {
  const input = read(file)
  try {
    const track = await input.getPrimaryVideoTrack()
    if (!track) throw new CannotTrim()
    const sink = new EncodedPacketSink(track)
    const starts: number[] = []
    for (let key = await sink.getFirstKeyPacket(); key; key = await sink.getNextKeyPacket(key))
      starts.push(key.timestamp)
    if (starts.length === 0) throw new CannotTrim()
    return { starts, end: await input.computeDuration() }
  } finally {
    input.dispose()
  }
}

/** The part of a video from a start of its `cutsOf` to an end, as an MP4. Nothing is encoded again. Throws `CannotTrim`. */
export async function trim(file: Blob, name: string, start: number, end: number): Promise<File> {
  const input = read(file)
  try {
    const target = new BufferTarget()
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
    const copy = { mode: 'forced', boundaryPolicy: 'shrink', shiftTolerance: Infinity } as const
    const work = await Conversion.init({ input, output, trim: { start, end }, copy, showWarnings: false })
    // No track may be lost: a video without its sound is another video.
    if (!work.isValid || work.discardedTracks.some(({ track }) => track.isVideoTrack() || track.isAudioTrack())) {
      throw new CannotTrim()
    }
    await work.execute()
    if (!target.buffer) throw new CannotTrim()
    return new File([target.buffer], name.replace(/(\.\w+)?$/, '.mp4'), { type: 'video/mp4' })
  } finally {
    input.dispose()
  }
}
