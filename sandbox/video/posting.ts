import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { queryOf } from '../http.ts'
import { dayOf, followersOn } from '../days.ts'
import { figuresOf, type Measured } from '../metrics.ts'
import { type Creator, findCreator } from '../people.ts'
import { bodyOf, creatorOf, int64, invalid, type VideoCall, VideoError } from './call.ts'
import { PRIVACY, type Privacy, type VideoUpload } from './state.ts'

const DAY = 86_400_000
const POSTS_A_DAY = 15
const PENDING = 5
const GIGABYTE = 1_000_000_000
const TITLE_LIMIT = 2200
/** The minimum size of a piece, valid for both meanings of a megabyte. */
const SMALLEST = 5 * 1024 * 1024
const LARGEST = 64_000_000
const LARGEST_LAST = 128_000_000
/** Milliseconds of the network's time until a public post is moderated and has its id. */
const MODERATION = 6_000

/** `GET /v2/user/info/`: the requested fields, each with the permission that it needs. */
export function readUser(call: VideoCall): object {
  const creator = creatorOf(call, 'user.info.basic')
  const asked = fieldsOf(call)
  const { openId, username, name } = creator
  const followers = followersOn({ id: openId, followers: creator.followers }, dayOf(call.store.clock.now()))
  const known: Record<string, [scope: string, value: unknown]> = {
    open_id: ['user.info.basic', openId],
    union_id: ['user.info.basic', `union-${openId}`],
    avatar_url: ['user.info.basic', `${call.base}/avatar/${openId}.svg`],
    display_name: ['user.info.basic', name],
    username: ['user.info.profile', username],
    profile_deep_link: ['user.info.profile', `${call.base}/feed/${openId}`],
    follower_count: ['user.info.stats', followers],
    following_count: ['user.info.stats', 12],
    likes_count: ['user.info.stats', followers * 3],
    video_count: ['user.info.stats', listed(call, openId).length],
  }
  const user = asked.map((field) => {
    const found = known[field]
    if (!found) throw invalid(`Unknown field ${field}.`)
    creatorOf(call, found[0])
    return [field, found[1]]
  })
  return { user: Object.fromEntries(user) as object }
}

/** `POST /v2/post/publish/creator_info/query/`: the choices that the creator currently allows. */
export function readCreator(call: VideoCall): object {
  const creator = creatorOf(call, 'video.publish')
  bodyOf(call, z.object({}))
  refuseTooMany(call, creator)
  return {
    creator_avatar_url: `${call.base}/avatar/${creator.openId}.svg`,
    creator_username: creator.username,
    creator_nickname: creator.name,
    privacy_level_options: optionsOf(creator),
    comment_disabled: creator.commentsOff,
    duet_disabled: creator.private,
    stitch_disabled: creator.private,
    max_video_post_duration_sec: creator.maxSeconds,
  }
}

export const optionsOf = (creator: Creator): Privacy[] => [
  creator.private ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'SELF_ONLY',
]

const Begin = z.strictObject({
  post_info: z.strictObject({
    privacy_level: z.enum(PRIVACY),
    title: z
      .string()
      .refine(({ length }) => length <= TITLE_LIMIT)
      .default(''),
    disable_duet: z.boolean().default(false),
    disable_stitch: z.boolean().default(false),
    disable_comment: z.boolean().default(false),
    video_cover_timestamp_ms: z.int().min(0).optional(),
    brand_content_toggle: z.boolean().default(false),
    brand_organic_toggle: z.boolean().default(false),
    is_aigc: z.boolean().default(false),
  }),
  source_info: z.discriminatedUnion('source', [
    z.strictObject({
      source: z.literal('FILE_UPLOAD'),
      video_size: z
        .int()
        .min(1)
        .max(4 * GIGABYTE),
      chunk_size: z.int().min(1),
      total_chunk_count: z.int().min(1).max(1000),
    }),
    z.strictObject({ source: z.literal('PULL_FROM_URL'), video_url: z.string() }),
  ]),
})

/** `POST /v2/post/publish/video/init/`: an address for the bytes. Nothing is posted before the last byte arrives. */
export function beginUpload(call: VideoCall): object {
  const { store, base } = call
  const creator = creatorOf(call, 'video.publish')
  const { post_info: post, source_info: source } = bodyOf(call, Begin)
  if (source.source === 'PULL_FROM_URL') throw new VideoError(403, 'url_ownership_unverified')
  if (!optionsOf(creator).includes(post.privacy_level)) {
    throw new VideoError(403, 'privacy_level_option_mismatch', 'The creator does not allow this privacy level.')
  }
  if (post.brand_content_toggle && post.privacy_level === 'SELF_ONLY') {
    throw invalid('Branded content cannot be visible to the creator only.')
  }
  checkPieces(source.video_size, source.chunk_size, source.total_chunk_count)
  refuseTooMany(call, creator)
  const now = store.clock.now()
  const mine = [...store.state.uploads.values()].filter(({ openId, at }) => openId === creator.openId && at > now - DAY)
  if (mine.filter(({ end }) => !end).length >= PENDING) throw new VideoError(403, 'spam_risk_too_many_pending_share')
  const upload: VideoUpload = {
    id: `v_pub_file~v2-1.${store.state.nextId}`,
    openId: creator.openId,
    secret: randomBytes(16).toString('hex'),
    at: now,
    title: post.title,
    ...(post.is_aigc && { aiGenerated: true }),
    ...(post.video_cover_timestamp_ms !== undefined && { coverMs: post.video_cover_timestamp_ms }),
    privacy: post.privacy_level,
    size: source.video_size,
    chunk: source.chunk_size,
    count: source.total_chunk_count,
    parts: [],
  }
  store.record({ type: 'video.begun', upload })
  const query = new URLSearchParams({ upload_id: upload.id, upload_token: upload.secret })
  return { publish_id: upload.id, upload_url: `${base}/video-upload/video/?${query}` }
}

function checkPieces(size: number, chunk: number, count: number): void {
  const whole = chunk === size
  if (whole && (count !== 1 || size > LARGEST)) throw invalid('A video in one chunk must be at most 64 MB.')
  if (whole) return
  if (chunk < SMALLEST || chunk > LARGEST) throw invalid('chunk_size must be 5 MB to 64 MB.')
  if (count !== Math.floor(size / chunk)) throw invalid('The total chunk count is invalid.')
  if (size - (count - 1) * chunk > LARGEST_LAST) throw invalid('The last chunk must be at most 128 MB.')
}

/** Refuses a post above the 15 that a creator may make in a day, over all apps. */
export function refuseTooMany({ store }: VideoCall, { openId }: Creator): void {
  const since = store.clock.now() - DAY
  const posted = (store.state.posted.get(openId) ?? []).map((id) => store.state.uploads.get(id))
  if (posted.filter((upload) => (upload?.end?.doneAt ?? 0) > since).length >= POSTS_A_DAY) {
    throw new VideoError(403, 'spam_risk_too_many_posts', 'The creator has reached the daily post limit.')
  }
}

/** `POST /v2/post/publish/status/fetch/`: the progress of an upload. */
export function readStatus(call: VideoCall): object {
  const creator = creatorOf(call, 'video.publish')
  const { publish_id: id } = bodyOf(call, z.object({ publish_id: z.string().max(64) }))
  const upload = call.store.state.uploads.get(id)
  if (!upload) throw new VideoError(400, 'invalid_publish_id', 'The publish id does not exist.')
  if (upload.openId !== creator.openId) throw new VideoError(400, 'token_not_authorized_for_specified_publish_id')
  const uploaded = upload.end ? upload.size : upload.parts.reduce((sum, { size }) => sum + size, 0)
  const state = stateOf(call, upload)
  if (state === 'PUBLISH_COMPLETE') {
    return { status: state, uploaded_bytes: uploaded, publicaly_available_post_id: idsOf(call, upload).map(int64) }
  }
  return { status: state, uploaded_bytes: uploaded, ...(state === 'FAILED' && { fail_reason: upload.end?.reason }) }
}

function stateOf({ store }: VideoCall, { end, pictures }: VideoUpload) {
  if (!end || store.clock.now() < end.doneAt) return pictures ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD'
  return end.reason === undefined ? 'PUBLISH_COMPLETE' : 'FAILED'
}

/** Returns the id of a public post, once it is moderated. Other posts and failed ones have none. */
function idsOf({ store, timeScale }: VideoCall, { end, privacy }: VideoUpload): string[] {
  const known =
    end !== undefined && end.reason === undefined && store.clock.now() >= end.doneAt + MODERATION / timeScale
  return known && privacy === 'PUBLIC_TO_EVERYONE' ? [end.postId] : []
}

/** `POST /v2/video/list/`: the creator's videos, newest first. */
export function listVideos(call: VideoCall): object {
  const creator = creatorOf(call, 'video.list')
  const fields = fieldsOf(call)
  const { cursor, max_count: count } = bodyOf(
    call,
    z.object({ cursor: z.number().optional(), max_count: z.int().min(1).max(20).default(10) }),
  )
  const all = listed(call, creator.openId)
    .filter(({ end }) => cursor === undefined || (end?.doneAt ?? 0) < cursor)
    .toSorted((a, b) => (b.end?.doneAt ?? 0) - (a.end?.doneAt ?? 0))
  const shown = all.slice(0, count)
  return {
    videos: shown.map((upload) => show(call, upload, fields)),
    cursor: shown.at(-1)?.end?.doneAt ?? 0,
    has_more: all.length > shown.length,
  }
}

/** `POST /v2/video/query/`: the creator's own videos among these ids. */
export function queryVideos(call: VideoCall): object {
  const creator = creatorOf(call, 'video.list')
  const fields = fieldsOf(call)
  const { filters } = bodyOf(call, z.object({ filters: z.object({ video_ids: z.array(z.string()).min(1).max(20) }) }))
  const found = listed(call, creator.openId).filter(({ end }) => filters.video_ids.includes(end?.postId ?? ''))
  return { videos: found.map((upload) => show(call, upload, fields)) }
}

const listed = (call: VideoCall, openId: string) =>
  (call.store.state.posted.get(openId) ?? [])
    .map((id) => call.store.state.uploads.get(id) as VideoUpload)
    .filter((upload) => idsOf(call, upload).length > 0)

export const measuredOf = ({ openId, title, end }: VideoUpload): Measured => ({
  id: end?.postId ?? '',
  accountId: openId,
  channel: 'video',
  followers: findCreator(openId)?.followers ?? 0,
  at: end?.doneAt ?? 0,
  text: title,
  hasVideo: true,
})

function show({ base, store }: VideoCall, upload: VideoUpload, fields: string[]): object {
  const { title, openId, end } = upload
  const figures = figuresOf(measuredOf(upload), store.clock.now())
  const known: Record<string, unknown> = {
    id: end?.postId,
    create_time: Math.floor((end?.doneAt ?? 0) / 1000),
    share_url: videoLink(base, openId, end?.postId ?? ''),
    title,
    video_description: title,
    duration: Math.round(end?.film?.seconds ?? 0),
    width: end?.film?.width,
    height: end?.film?.height,
    view_count: figures?.videoViews ?? 0,
    like_count: figures?.likes ?? 0,
    comment_count: store.state.videoComments.get(end?.postId ?? '') ?? 0,
    share_count: figures?.shares ?? 0,
  }
  return Object.fromEntries(
    fields.map((field) => {
      if (!(field in known)) throw invalid(`Unknown field ${field}.`)
      return [field, known[field]]
    }),
  )
}

export const videoLink = (base: string, openId: string, id: string) => `${base}/feed/${openId}/${id}`

function fieldsOf({ request }: VideoCall): string[] {
  const fields = (queryOf(request).get('fields') ?? '').split(',').filter(Boolean)
  if (fields.length === 0) throw invalid('fields is required.')
  return fields
}
