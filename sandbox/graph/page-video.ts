import { type Film, inspectFilm } from '../film.ts'
import type { Store } from '../store.ts'
import { answerNode, idOf, newId, type GraphRequest, type View } from './call.ts'
import { GraphError, played, refuse } from './errors.ts'
import type { NodeType } from './fields.ts'
import { insights, ofPage } from './insights.ts'
import { permalink } from './nodes.ts'
import type { PageVideo } from './page-video-state.ts'
import { flag, text } from './params.ts'
import { mayRead, newPost, playDrop, playMagic, publisher } from './posts.ts'
import { needToRead } from './tokens.ts'

const DAY = 86_400_000
/** The number of bytes that the network asks for at a time. */
const PIECE = 4 * 1024 * 1024
const LARGEST = 4_000_000_000
const REELS_A_DAY = 30
/** Milliseconds of the network's time until a finished video is live. */
const PROCESSING = 5_000

const PageVideoNode: NodeType<PageVideo, View> = {
  name: 'Video',
  usual: [],
  fields: {
    id: (video) => video.id,
    post_id: (video, view) => (isLive(view.call, video) ? video.end?.postId : undefined),
    published: (video, view) => isLive(view.call, video),
    length: (video) => video.end?.film?.seconds,
    permalink_url: (video, { base, call }) =>
      isLive(call, video) ? permalink(base, { id: video.end?.postId ?? '', pageId: video.pageId }) : undefined,
    status: (video, { call }) => statusOf(call, video),
  },
}

function isLive({ store }: GraphRequest, { end }: PageVideo): boolean {
  return end?.postId !== undefined && store.clock.now() >= end.doneAt
}

/** Whether all bytes of a video have arrived. */
const isWhole = (video: PageVideo) => video.end !== undefined || (video.size > 0 && received(video) === video.size)

const received = ({ parts, end, size }: PageVideo) => (end ? size : parts.reduce((sum, part) => sum + part.size, 0))

function statusOf(call: GraphRequest, video: PageVideo): object {
  const now = call.store.clock.now()
  const { end, size } = video
  const bytes = received(video)
  const phase = (status: string) => ({ status })
  const uploading = {
    status: isWhole(video) ? 'complete' : bytes > 0 ? 'in_progress' : 'not_started',
    bytes_transfered: bytes,
    source_file_size: size,
  }
  if (!end) {
    const expired = now > video.at + DAY
    return {
      video_status: expired ? 'expired' : isWhole(video) ? 'upload_complete' : 'uploading',
      uploading_phase: uploading,
      processing_phase: phase('not_started'),
      publishing_phase: phase('not_started'),
    }
  }
  const failed = end.postId === undefined
  if (now < end.doneAt) {
    return {
      video_status: 'processing',
      uploading_phase: uploading,
      processing_phase: phase('in_progress'),
      publishing_phase: phase('not_started'),
    }
  }
  return {
    video_status: failed ? 'error' : 'ready',
    uploading_phase: uploading,
    processing_phase: failed
      ? { ...phase('error'), errors: [{ code: 1363024, message: 'The format of the video is not supported.' }] }
      : phase('complete'),
    publishing_phase: failed
      ? { ...phase('error'), publish_status: 'error' }
      : { ...phase('complete'), publish_status: 'published', publish_time: Math.floor(end.doneAt / 1000) },
  }
}

/** Whether a call is about a video of a page. */
export const isVideoCall = ({ store, ids }: GraphRequest) => store.state.pageVideos.has(ids['id'] ?? '')

/** `GET {video}`: its progress. */
export function readVideo(call: GraphRequest): object {
  const { state } = call.store
  const video = state.pageVideos.get(idOf(call)) as PageVideo
  const caller = call.caller()
  if (!mayRead(call, caller, video.pageId)) throw refuse.unknownObject(call.method, video.id)
  needToRead(state, caller, 'pages_read_engagement')
  return answerNode(call, PageVideoNode, video)
}

/** `GET {video}/video_insights`: the figures of a reel. */
export function readVideoInsights(call: GraphRequest): object {
  const { state } = call.store
  const video = state.pageVideos.get(idOf(call))
  const post = state.posts.get(video?.end?.postId ?? '')
  if (!video || !post || !mayRead(call, call.caller(), video.pageId))
    throw refuse.unknownObject(call.method, idOf(call))
  return insights(ofPage(post), { call })
}

/** `POST {page}/videos`: starts a video, accepts its next piece, or finishes it. */
export async function createVideo(call: GraphRequest): Promise<object> {
  const phase = text(call.params, 'upload_phase')
  if (phase === 'start') return begin(call)
  if (phase === 'transfer') return transfer(call)
  if (phase === 'finish') return finish(call)
  throw refuse.parameter('Param upload_phase must be one of {START, TRANSFER, FINISH}')
}

/** `POST {page}/video_reels`: starts a reel, or finishes one whose bytes have arrived. */
export async function createReel(call: GraphRequest): Promise<object> {
  const phase = text(call.params, 'upload_phase')
  if (phase === 'start') return beginReel(call)
  if (phase !== 'finish') throw refuse.parameter('Param upload_phase must be one of {START, FINISH}')
  if (text(call.params, 'video_state') !== 'PUBLISHED') {
    throw refuse.parameter('Param video_state must be PUBLISHED: scheduling on the network is not allowed')
  }
  return finish(call)
}

function beginReel(call: GraphRequest): object {
  const { store, base, ids } = call
  const { appId, pageId } = publisher(call)
  const since = store.clock.now() - DAY
  const reels = [...store.state.pageVideos.values()].filter(
    (video) => video.reel && video.pageId === pageId && (video.end?.postId ? video.end.doneAt : 0) > since,
  )
  if (reels.length >= REELS_A_DAY) throw played(613)
  const id = newId(call)
  const video: PageVideo = { id, session: id, pageId, appId, at: store.clock.now(), size: 0, reel: true, parts: [] }
  store.record({ type: 'page-video.begun', video })
  return { video_id: id, upload_url: `${base}/rupload/video-upload/${ids['version']}/${id}` }
}

/** Accepts the bytes of a page's reel, whole and only once. */
export async function fillPageReel(
  store: Store,
  { id, pageId }: { id: string; pageId: string | undefined },
  bytes: AsyncIterable<Buffer>,
  size: number,
): Promise<'done' | 'short' | 'gone'> {
  const open = () => {
    const video = store.state.pageVideos.get(id)
    return video?.reel && video.pageId === pageId && video.size === 0 && store.clock.now() <= video.at + DAY
  }
  if (!open()) return 'gone'
  const part = await store.receive(bytes)
  if (part.size === size && open()) {
    store.record({ type: 'page-video.part', id, part })
    return 'done'
  }
  await store.drop([part.name])
  return part.size === size ? 'gone' : 'short'
}

/** Whether a film meets the requirements of a reel. */
const isReel = ({ seconds, rate, width, height }: Film) =>
  seconds >= 3 &&
  seconds <= 90 &&
  rate >= 24 &&
  rate <= 60.5 &&
  width >= 540 &&
  height >= 960 &&
  Math.abs(width / height - 9 / 16) < 0.008

function begin(call: GraphRequest): object {
  const { store, params } = call
  const { appId, pageId } = publisher(call)
  const size = Number(text(params, 'file_size'))
  if (!Number.isSafeInteger(size) || size < 1 || size > LARGEST) throw refuse.parameter('Param file_size is invalid')
  const id = newId(call)
  const video: PageVideo = { id, session: `${id}1`, pageId, appId, at: store.clock.now(), size, parts: [] }
  store.record({ type: 'page-video.begun', video })
  return { upload_session_id: video.session, video_id: id, ...offsets(video) }
}

const offsets = (video: PageVideo) => {
  const from = received(video)
  return { start_offset: String(from), end_offset: String(Math.min(video.size, from + PIECE)) }
}

/** Returns the unfinished upload of this page that the call is about. Throws code 100, subcode 1363030. */
function openVideo(call: GraphRequest, pageId: string): PageVideo {
  const { state, clock } = call.store
  const session = text(call.params, 'upload_session_id') ?? text(call.params, 'video_id')
  const video = [...state.pageVideos.values()].find((each) => each.session === session)
  if (!video || video.pageId !== pageId || video.end || clock.now() > video.at + DAY) {
    throw new GraphError({ message: 'Invalid upload session', code: 100, subcode: 1363030 })
  }
  return video
}

async function transfer(call: GraphRequest): Promise<object> {
  const { store, params } = call
  const { pageId } = publisher(call)
  const chunk = params.get('video_file_chunk')
  if (!(chunk instanceof Blob) || chunk.size === 0) throw refuse.parameter('Param video_file_chunk is missing')
  const start = Number(text(params, 'start_offset'))
  const fits = () => {
    const video = openVideo(call, pageId)
    const { start_offset: from, end_offset: to } = offsets(video)
    if (start !== Number(from) || chunk.size > Number(to) - start) {
      throw new GraphError({ message: 'Invalid offset', code: 100, subcode: 1363037, data: offsets(video) })
    }
    return video
  }
  fits()
  const part = await store.receive([Buffer.from(await chunk.arrayBuffer())])
  // No await from here to the record, so that a piece counts only once.
  const video = fits()
  store.record({ type: 'page-video.part', id: video.id, part })
  return offsets(video)
}

async function finish(call: GraphRequest): Promise<object> {
  const { store, params, timeScale } = call
  const caller = publisher(call)
  const message = text(params, 'description') ?? ''
  const whole = () => {
    const video = openVideo(call, caller.pageId)
    if (!isWhole(video)) throw new GraphError({ message: 'Video upload is incomplete', code: 6000 })
    return video
  }
  const parts = whole().parts.map(({ name }) => name)
  await playMagic(call, message)
  const sha256 = await store.join(parts)
  const film = await inspectFilm(store.pathOf(sha256))
  // No await from here to the record, so that a video becomes only one post.
  const video = whole()
  const doneAt = store.clock.now() + PROCESSING / timeScale
  const fits = film !== undefined && (video.reel ? isReel(film) : film.seconds >= 1)
  const good = fits && (flag(params, 'published') ?? true)
  const post = newPost(call, caller, { message, photoIds: [], published: true })
  const live = {
    ...post,
    at: doneAt,
    video: { id: video.id, sha256, mime: film?.mime ?? '', ...(video.reel && { reel: true }) },
  }
  const end = { sha256, ...(film && { film }), doneAt, ...(good && { postId: post.id }) }
  if (good) store.record({ type: 'post.made', post: live, photos: [] })
  store.record({ type: 'page-video.ended', id: video.id, end })
  if (good) playDrop(call, live)
  await store.drop(parts)
  return { success: true }
}
