import type { FastifyRequest } from 'fastify'
import { type Film, inspectFilm } from '../film.ts'
import { queryOf } from '../http.ts'
import { findCreator } from '../people.ts'
import type { Store } from '../store.ts'
import type { VideoUpload } from './state.ts'

const HOUR = 3_600_000
/** Milliseconds of the network's time until a complete video is posted. */
const PROCESSING = 5_000
const TYPES = ['video/mp4', 'video/quicktime', 'video/webm']

export type Put = { status: number; headers?: Record<string, string>; cut?: boolean }

/**
 * `PUT /video-upload/video/`: the next piece of an upload. Answers 206 for a piece, and 201 for the last one, from
 * which on the video is being posted. Answers 400 for an invalid piece, 403 after the hour of the address, 404 for an
 * unknown address, and 416 with the progress for a piece out of order.
 */
export async function takePiece(store: Store, timeScale: number, request: FastifyRequest): Promise<Put> {
  const query = queryOf(request)
  const asked = store.state.uploads.get(query.get('upload_id') ?? '')
  if (!asked || asked.secret !== query.get('upload_token')) return { status: 404 }
  if (store.clock.now() > asked.at + HOUR) return { status: 403 }
  const range = rangeOf(request, asked)
  if (!range) return { status: 400 }
  const mime = request.headers['content-type'] ?? ''
  if (!TYPES.includes(mime)) return { status: 400 }
  if (range.from !== uploadedOf(asked)) return outOfTurn(asked)

  const part = await store.receive(request.body as AsyncIterable<Buffer>)
  const last = range.to === asked.size
  const end = last && part.size === range.to - range.from ? await finish(store, timeScale, asked, part.name) : undefined
  // No await from here to the record, so that a piece counts only once.
  const upload = store.state.uploads.get(asked.id)
  const fits = upload && !upload.end && range.from === uploadedOf(upload) && part.size === range.to - range.from
  if (!fits) {
    await store.drop([part.name])
    return upload ? outOfTurn(upload) : { status: 404 }
  }
  if (!end) {
    store.record({ type: 'video.part', id: upload.id, part, mime })
    return { status: 206, headers: { 'content-range': `bytes 0-${range.to - 1}/${upload.size}` } }
  }
  const parts = [...upload.parts.map(({ name }) => name), part.name]
  store.record({ type: 'video.ended', id: upload.id, end: { ...end, postId: postId(store) } })
  await store.drop(parts)
  return {
    status: 201,
    headers: { 'content-range': `bytes 0-${upload.size - 1}/${upload.size}` },
    cut: drops(store, upload),
  }
}

const uploadedOf = ({ size, end, parts }: VideoUpload) => (end ? size : parts.reduce((sum, part) => sum + part.size, 0))

function outOfTurn(upload: VideoUpload): Put {
  const uploaded = uploadedOf(upload)
  return { status: 416, headers: { 'content-range': `bytes 0-${uploaded}/${upload.size}` } }
}

/** Returns the range of a piece; undefined if it is not a piece of this upload. */
function rangeOf({ headers }: FastifyRequest, { size, chunk, count }: VideoUpload) {
  const found = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '')
  if (!found || Number(found[3]) !== size) return undefined
  const [from, to] = [Number(found[1]), Number(found[2]) + 1]
  if (Number(headers['content-length']) !== to - from || from % chunk !== 0) return undefined
  const index = from / chunk
  const end = index === count - 1 ? size : from + chunk
  return index < count && to === end ? { from, to } : undefined
}

/** Returns a 64-bit integer as text, since it is beyond the safe integers of JavaScript. */
const postId = (store: Store) => `7${String(store.state.nextId).padStart(18, '0')}`

async function finish(store: Store, timeScale: number, upload: VideoUpload, lastPart: string) {
  const sha256 = await store.join([...upload.parts.map(({ name }) => name), lastPart])
  const film = await inspectFilm(store.pathOf(sha256))
  const slow = Number(/\[sim:slow (\d{1,7})\]/.exec(upload.title)?.[1] ?? PROCESSING)
  const reason = /\[sim:fail ([a-z_]+)\]/.exec(upload.title)?.[1] ?? reasonAgainst(film, upload.openId)
  return { sha256, ...(film && { film }), doneAt: store.clock.now() + slow / timeScale, ...(reason && { reason }) }
}

/** Returns the first fault of a video, in the order in which the network checks. */
function reasonAgainst(film: Film | undefined, openId: string): string | undefined {
  if (!film || !TYPES.includes(film.mime) || !['avc', 'hevc', 'vp8', 'vp9'].includes(film.codec ?? '')) {
    return 'file_format_check_failed'
  }
  const longest = findCreator(openId)?.maxSeconds ?? 0
  if (film.seconds < 3 || film.seconds > longest) return 'duration_check_failed'
  if (film.rate < 23 || film.rate > 60.5) return 'frame_rate_check_failed'
  const fits = (side: number) => side >= 360 && side <= 4096
  return fits(film.width) && fits(film.height) ? undefined : 'picture_size_check_failed'
}

/** Plays `[sim:drop-after]`: all bytes arrive, but the answer is lost. Once per creator and title. */
function drops(store: Store, { openId, title }: VideoUpload): boolean {
  const key = `${openId}:${title}`
  if (!title.includes('[sim:drop-after]') || store.state.dropped.has(key)) return false
  store.record({ type: 'drop.played', key })
  return true
}
