import { inspectFilm } from '../film.ts'
import { answerNode, idOf, newId, type Call, type View } from './call.ts'
import { GraphError, refuse } from './errors.ts'
import type { NodeType } from './fields.ts'
import { permalink } from './nodes.ts'
import type { PageVideo } from './page-video-state.ts'
import { flag, text } from './params.ts'
import { mayRead, newPost, playDrop, playMagic, publisher } from './posts.ts'
import { needToRead } from './tokens.ts'

const DAY = 86_400_000
/** The network asks for so many bytes at a time. */
const PIECE = 4 * 1024 * 1024
const LARGEST = 4_000_000_000
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

function isLive({ store }: Call, { end }: PageVideo): boolean {
  return end?.postId !== undefined && store.clock.now() >= end.doneAt
}

const received = ({ parts, end, size }: PageVideo) => (end ? size : parts.reduce((sum, part) => sum + part.size, 0))

function statusOf(call: Call, video: PageVideo): object {
  const now = call.store.clock.now()
  const { end, size } = video
  const bytes = received(video)
  const phase = (status: string) => ({ status })
  const uploading = {
    status: bytes < size ? 'in_progress' : 'complete',
    bytes_transfered: bytes,
    source_file_size: size,
  }
  if (!end) {
    const expired = now > video.at + DAY
    return {
      video_status: expired ? 'expired' : bytes < size ? 'uploading' : 'upload_complete',
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
export const isVideoCall = ({ store, ids }: Call) => store.state.pageVideos.has(ids['id'] ?? '')

/** `GET {video}`: how far it is. */
export function readVideo(call: Call): object {
  const { state } = call.store
  const video = state.pageVideos.get(idOf(call)) as PageVideo
  const caller = call.caller()
  if (!mayRead(call, caller, video.pageId)) throw refuse.unknownObject(call.method, video.id)
  needToRead(state, caller, 'pages_read_engagement')
  return answerNode(call, PageVideoNode, video)
}

/** `POST {page}/videos`: begins a video, takes its next piece, or finishes it. */
export async function createVideo(call: Call): Promise<object> {
  const phase = text(call.params, 'upload_phase')
  if (phase === 'start') return begin(call)
  if (phase === 'transfer') return transfer(call)
  if (phase === 'finish') return finish(call)
  throw refuse.parameter('Param upload_phase must be one of {START, TRANSFER, FINISH}')
}

function begin(call: Call): object {
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

/** The upload that the call is about: of this page, and not over. */
function openVideo(call: Call, pageId: string): PageVideo {
  const { state, clock } = call.store
  const session = text(call.params, 'upload_session_id')
  const video = [...state.pageVideos.values()].find((each) => each.session === session)
  if (!video || video.pageId !== pageId || video.end || clock.now() > video.at + DAY) {
    throw new GraphError({ message: 'Invalid upload session', code: 100, subcode: 1363030 })
  }
  return video
}

async function transfer(call: Call): Promise<object> {
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
  // From here to the record nothing waits, so that a piece counts once.
  const video = fits()
  store.record({ type: 'page-video.part', id: video.id, part })
  return offsets(video)
}

async function finish(call: Call): Promise<object> {
  const { store, params, timeScale } = call
  const caller = publisher(call)
  const message = text(params, 'description') ?? ''
  const whole = () => {
    const video = openVideo(call, caller.pageId)
    if (received(video) < video.size) throw new GraphError({ message: 'Video upload is incomplete', code: 6000 })
    return video
  }
  const parts = whole().parts.map(({ name }) => name)
  await playMagic(call, message)
  const sha256 = await store.join(parts)
  const film = await inspectFilm(store.pathOf(sha256))
  // From here to the record nothing waits, so that one video becomes one post.
  const video = whole()
  const doneAt = store.clock.now() + PROCESSING / timeScale
  const good = film !== undefined && film.seconds >= 1 && (flag(params, 'published') ?? true)
  const post = newPost(call, caller, { message, photoIds: [], published: true })
  const live = { ...post, at: doneAt, video: { id: video.id, sha256, mime: film?.mime ?? '' } }
  const end = { sha256, ...(film && { film }), doneAt, ...(good && { postId: post.id }) }
  if (good) store.record({ type: 'post.made', post: live, photos: [] })
  store.record({ type: 'page-video.ended', id: video.id, end })
  if (good) playDrop(call, live)
  await store.drop(parts)
  return { success: true }
}
