/** Reads the facts of a video from its bytes, as the networks do. */
export type Film = {
  mime: string
  seconds: number
  /** As displayed, after rotation. */
  width: number
  height: number
  codec: string | undefined
  /** The average number of frames per second. */
  rate: number
}

/** Reads a file; undefined if it is not a readable video. */
export async function inspectFilm(path: string): Promise<Film | undefined> {
  const { FilePathSource, Input, MP4, QTFF, WEBM } = await import('mediabunny')
  const input = new Input({ source: new FilePathSource(path), formats: [MP4, QTFF, WEBM] })
  try {
    const track = await input.getPrimaryVideoTrack()
    if (!track) return undefined
    const [mime, seconds, codec, stats] = await Promise.all([
      input.getMimeType(),
      track.computeDuration(),
      track.getCodec(),
      track.computePacketStats(200),
    ])
    const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()]
    return {
      mime: mime.split(';')[0] ?? '',
      seconds,
      width,
      height,
      codec: codec ?? undefined,
      rate: stats.averagePacketRate,
    }
  } catch {
    return undefined // unreadable: the caller refuses the file, as the network does
  } finally {
    input.dispose()
  }
}
