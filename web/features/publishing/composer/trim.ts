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

/** Where a video can be cut without re-encoding. Times are in seconds. */
export interface Cuts {
  /** Possible starts: key frames, which decode without other frames. The first is the start of the video. */
  starts: number[]
  /** The latest possible end. Any earlier point works too. */
  end: number
}

/** The video cannot be cut without re-encoding. */
export class CannotTrim extends Error {}

const read = (file: Blob) => new Input({ source: new BlobSource(file), formats: [MP4, QTFF] })

/** Finds the possible cuts. Throws `CannotTrim` if the file has no video that this browser can read. */
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

/** Cuts a video from one of its `cutsOf` starts to an end, as an MP4 without re-encoding. Throws `CannotTrim`. */
export async function trim(file: Blob, name: string, start: number, end: number): Promise<File> {
  const input = read(file)
  try {
    const target = new BufferTarget()
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
    const copy = { mode: 'forced', boundaryPolicy: 'shrink', shiftTolerance: Infinity } as const
    const work = await Conversion.init({ input, output, trim: { start, end }, copy, showWarnings: false })
    // Refuse to drop a track: a video must not lose its sound.
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
