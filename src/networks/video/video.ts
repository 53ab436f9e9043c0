import * as z from 'zod'
import type { Config } from '../../core/config.ts'
import type { OnceAnswer } from '../../core/platform/send-once.ts'
import { refusals } from '../../core/texts/failures/en.ts'
import { fill } from '../../core/texts/fill.ts'
import { NetworkError, refusal, retryAfterOf, unreadable } from '../answers.ts'
import { rowOf } from '../failures/rules.ts'
import {
  type Accepted,
  type Handles,
  type Network,
  type Reservation,
  type Step,
  type StepMedia,
  uploadLimit,
} from '../network.ts'
import { type Places, uploadAddress } from '../place.ts'
import { CALL_LIMIT, type ClientSettings, COMMIT_LIMIT, parseJson, refusalOf, videoClient } from './client.ts'
import { type VideoLoginSettings, videoLogin } from './login.ts'
import { videoMetrics } from './metrics.ts'
import { findPictures, ListedPost, publishPictures } from './pictures.ts'

/**
 * The maximum number of posts of a creator per day, over all applications. The network reports only that it is reached.
 */
const POSTS_A_DAY = 15
/** An upload address is valid for an hour. No upload continues with an address older than this. */
const UPLOAD_LIFE = 45 * 60_000

export type VideoSettings = ClientSettings &
  VideoLoginSettings & {
    /** Replaces the host of the addresses that the network names for uploads. */
    uploadUrl?: string | undefined
  }

const Known = z.looseObject({ user: z.looseObject({ open_id: z.string() }) })
const Creator = z.looseObject({
  creator_nickname: z.string().default(''),
  privacy_level_options: z.array(z.string()),
  comment_disabled: z.boolean().default(false),
  duet_disabled: z.boolean().default(false),
  stitch_disabled: z.boolean().default(false),
  max_video_post_duration_sec: z.number().default(600),
})
const Init = z.looseObject({ publish_id: z.string(), upload_url: z.string() })
const Status = z.looseObject({
  status: z.string(),
  fail_reason: z.string().optional(),
  uploaded_bytes: z.coerce.number().optional(),
  publicaly_available_post_id: z.array(z.coerce.string()).optional(),
})
type Status = z.infer<typeof Status>
const Videos = z.looseObject({ videos: z.array(z.looseObject({ id: z.string(), share_url: z.string().optional() })) })
const Counted = z.looseObject({
  videos: z.array(ListedPost.extend({ comment_count: z.number().default(0) })),
  cursor: z.coerce.string(),
  has_more: z.boolean().default(false),
})

/**
 * The handles of prepare. Nothing is posted before the last byte arrives. `sent` is the number of bytes that the
 * network has.
 */
const Begun = z.object({
  publishId: z.string().optional(),
  uploadUrl: z.string().default(''),
  sent: z.number().default(0),
  begunAt: z.number().default(0),
  /** The size of the whole file, since the post may have another video when it is read. */
  size: z.number().optional(),
})

type Begun = z.infer<typeof Begun>

/** The client registered at the sandbox's network. */
export const sandboxClient = ({ netVideo: { clientKey, clientSecret } }: Config) =>
  clientKey && clientSecret
    ? { key: clientKey, secret: clientSecret }
    : { key: 'sandbox-video-key', secret: 'sandbox-video-secret' }

export function videoOf(config: Config, place: Places): Network {
  const { netVideo, timeScale, sandbox } = config
  const client = sandbox ? sandboxClient(config) : { key: netVideo.clientKey, secret: netVideo.clientSecret }
  return createVideo({
    timeScale,
    clientKey: client.key,
    clientSecret: client.secret,
    scopes: netVideo.scopes,
    uploadUrl: netVideo.uploadUrl,
    apiUrl: () => place(netVideo.apiUrl, 'video', 'https://open.tiktokapis.com'),
    authUrl: () => place(netVideo.authUrl, 'video-auth', 'https://www.tiktok.com', 'address'),
  })
}

/**
 * The adapter of NET_VIDEO. The bytes of a video are sent in pieces. The last piece is the commit, since it starts the
 * posting.
 */
export function createVideo(settings: VideoSettings): Network {
  const { clientKey = '', clientSecret = '', timeScale } = settings
  const client = videoClient(settings)
  const { call, send } = client

  const statusOf = ({ account, reservation }: Step, publishId: string) =>
    call({
      path: '/v2/post/publish/status/fetch/',
      token: account.accessToken,
      body: { publish_id: publishId },
      answer: Status,
      reservation,
    })

  /** Returns what a creator currently allows. The network asks for this call before each post. */
  const readCreator = (accessToken: string, reservation: Reservation) =>
    call({
      path: '/v2/post/publish/creator_info/query/',
      token: accessToken,
      body: {},
      answer: Creator,
      reservation,
    })

  /** Starts an upload, and returns its handles. */
  async function startUpload({ account, reservation, options, text, now }: Step, item: StepMedia): Promise<Begun> {
    const creator = await readCreator(account.accessToken, reservation)
    obey(creator, item, options)
    const pieces = piecesOf(item.size)
    const made = await call({
      path: '/v2/post/publish/video/init/',
      token: account.accessToken,
      body: {
        post_info: {
          privacy_level: options.privacyLevel,
          title: text,
          disable_comment: creator.comment_disabled || options.allowComment !== true,
          disable_duet: creator.duet_disabled || options.allowDuet !== true,
          disable_stitch: creator.stitch_disabled || options.allowStitch !== true,
          brand_content_toggle: options.brandContent === true,
          brand_organic_toggle: options.brandOrganic === true,
          ...(typeof options.coverMs === 'number' && { video_cover_timestamp_ms: options.coverMs }),
          ...(item.aiGenerated && { is_aigc: true }),
        },
        source_info: {
          source: 'FILE_UPLOAD',
          video_size: item.size,
          chunk_size: pieces.length === 1 ? item.size : PIECE,
          total_chunk_count: pieces.length,
        },
      },
      answer: Init,
      reservation,
    })
    return {
      publishId: made.publish_id,
      uploadUrl: made.upload_url,
      sent: 0,
      begunAt: now.getTime(),
      size: item.size,
    }
  }

  /** Sends the pieces that the network does not have, except the last one, and saves the progress after each. */
  async function sendPieces(
    step: Step,
    item: StepMedia,
    begun: Begun,
    save: (handles: Handles) => Promise<void>,
  ): Promise<void> {
    const pieces = piecesOf(item.size)
    let had = begun.sent
    for (const { from, to } of pieces.slice(0, -1)) {
      if (from < had) continue
      const limit = uploadLimit(CALL_LIMIT, timeScale, to - from)
      const { status, headers } = await put(step, item, { uploadUrl: begun.uploadUrl, from, to, limit })
      if (status === 429) throw unreadable(status, retryAfterOf(headers))
      const sent = status === 206 ? to : status === 416 ? uploadedOf(headers) : undefined
      // The network may have a piece whose answer was lost. An upload can continue only at the start of a piece.
      if (sent === undefined || (sent !== item.size && !pieces.some((piece) => piece.from === sent))) {
        throw refusedPiece(status)
      }
      had = sent
      await save({ ...begun, sent })
    }
  }

  function put(
    { reservation }: Pick<Step, 'reservation'>,
    item: StepMedia,
    { uploadUrl, from, to, limit }: { uploadUrl: string; from: number; to: number; limit: number },
  ): Promise<OnceAnswer> {
    reservation.take()
    const headers = { 'content-type': item.mimeType, 'content-range': `bytes ${from}-${to - 1}/${item.size}` }
    return send(
      uploadAddress(uploadUrl, settings.uploadUrl),
      { method: 'PUT', headers, body: { size: to - from, bytes: item.read(from, to) } },
      limit,
    )
  }

  /** Returns the outcome of an upload: its post, its refusal, or `accepted` while the network processes it. */
  function outcomeOf({ status, fail_reason: reason = '', publicaly_available_post_id: ids = [] }: Status) {
    if (status === 'FAILED') {
      // Nothing is live, whatever the reason.
      return refusal(rowOf('video_post', reason), null, {
        committed: 'no',
        spoilt: true,
      })
    }
    // A public post gets its id only after moderation; other posts never get one.
    if (status === 'PUBLISH_COMPLETE') return { externalId: ids[0] ?? null, permalink: null, publishedAt: null }
    return 'accepted' as const
  }

  return {
    platform: 'NET_VIDEO',
    app: 'video',
    clock: client.clock,
    configured: clientKey !== '' && clientSecret !== '',
    ...videoLogin(client, settings),

    // One more than the number of calls, since a refused token is renewed and the call repeated.
    examineCost: 3,

    /**
     * The call that precedes a post shows whether the account may post: the network refuses it above the daily limit.
     */
    async examine({ accessToken }, reservation) {
      await call({ path: '/v2/user/info/?fields=open_id', token: accessToken, answer: Known, reservation })
      try {
        await readCreator(accessToken, reservation)
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        if (error.kind === 'QUOTA') return { grantedScopes: null, posts: { used: POSTS_A_DAY, limit: POSTS_A_DAY } }
        if (error.kind === 'PERMISSION' || error.kind === 'POLICY') throw error
      }
      return { grantedScopes: null, posts: 'may' }
    },

    async postingOptions({ accessToken }, reservation) {
      const found = await readCreator(accessToken, reservation)
      return {
        nickname: found.creator_nickname,
        privacyLevels: found.privacy_level_options,
        commentDisabled: found.comment_disabled,
        duetDisabled: found.duet_disabled,
        stitchDisabled: found.stitch_disabled,
        maxSeconds: found.max_video_post_duration_sec,
      }
    },

    cost: ({ media }) => 4 + (arePictures(media) ? 0 : piecesOf(media[0]?.size ?? 0).length),

    async prepare(step, save) {
      const { account, reservation, options, now } = step
      const [item] = step.media
      if (!item) throw new NetworkError('content', 'The post has no video.')
      if (arePictures(step.media)) {
        obey(await readCreator(account.accessToken, reservation), item, options)
        return undefined
      }
      let begun = Begun.parse(step.handles)
      let over = false
      if (begun.publishId !== undefined) {
        // An upload with all its bytes is already being posted. Only reading can find its outcome, which happens after
        // the commit.
        const found = await statusOf(step, begun.publishId)
        if (isWhole(found, item.size)) return undefined
        // The upload starts again if it is too old, has ended, or lost bytes that the network had accepted.
        const { status, uploaded_bytes: uploaded = begun.sent } = found
        over = now.getTime() - begun.begunAt > UPLOAD_LIFE || status === 'FAILED' || uploaded < begun.sent
      }
      if (!begun.publishId || over) {
        begun = await startUpload(step, item)
        await save(begun)
      }
      await sendPieces(step, item, begun, save)
      return undefined
    },

    async commit(step): Promise<'accepted' | Accepted> {
      if (arePictures(step.media)) return publishPictures(client, step)
      const [item] = step.media
      const last = item && piecesOf(item.size).at(-1)
      if (!item || !last) throw new NetworkError('content', 'The post has no video.')
      const { status, headers, body } = await put(step, item, {
        ...last,
        uploadUrl: Begun.parse(step.handles).uploadUrl,
        limit: COMMIT_LIMIT / timeScale,
      })
      if (status === 201) return 'accepted'
      // 416: the network counts its bytes differently, and may have all of them. An expired or unknown address may
      // belong to a completed upload, and any other status may come from a proxy. Only an error in the network's
      // envelope is a refusal.
      const wait = retryAfterOf(headers)
      throw refusalOf(status, parseJson(body), wait, true) ?? unreadable(status, wait)
    },

    async confirm(step) {
      const { publishId, size = step.media[0]?.size ?? 0 } = Begun.parse(step.handles)
      const found = await statusOf(step, publishId ?? '')
      // The network reported all bytes, but does not have them.
      if (found.status === 'PROCESSING_UPLOAD' && (found.uploaded_bytes ?? size) < size) return 'missing'
      return outcomeOf(found)
    },

    async permalink({ account, reservation }, id) {
      const { videos } = await call({
        path: '/v2/video/query/?fields=id,share_url',
        token: account.accessToken,
        body: { filters: { video_ids: [id] } },
        answer: Videos,
        reservation,
      })
      return videos[0]?.share_url ?? null
    },

    commentCounts: {
      async list({ account, reservation }, after) {
        const path = '/v2/video/list/?fields=id,create_time,video_description,share_url,comment_count'
        const body = { max_count: 20, ...(after !== null && { cursor: Number(after) }) }
        const page = await call({ path, token: account.accessToken, body, answer: Counted, reservation })
        const posts = page.videos.map((video) => ({
          id: video.id,
          at: new Date(video.create_time * 1000).toISOString(),
          text: video.video_description,
          url: video.share_url ?? null,
          comments: video.comment_count,
        }))
        return { posts, after: page.has_more ? page.cursor : null }
      },
    },

    metrics: videoMetrics(call),

    readCost: 3,

    /**
     * Finds a video by its upload, and pictures in the list. An upload with all bytes is being posted; one without them
     * is not posted until they arrive.
     */
    async find(step, since) {
      if (arePictures(step.media)) return findPictures(client, step, since)
      const { publishId, size = step.media[0]?.size ?? Infinity } = Begun.parse(step.handles)
      const found = await statusOf(step, publishId ?? '')
      const outcome = outcomeOf(found)
      if (outcome instanceof NetworkError) return 'accepted' // `confirm` then returns the reason
      if (outcome !== 'accepted') return [outcome]
      if (found.status !== 'PROCESSING_UPLOAD') return 'accepted'
      if (found.uploaded_bytes === undefined) {
        throw new NetworkError('ambiguous', 'The network doesn’t say how much it received.', { committed: 'maybe' })
      }
      return found.uploaded_bytes >= size ? 'accepted' : []
    },
  }
}

/**
 * Whether the upload is complete: the network has all bytes, or is past the upload. A failed upload can start again.
 */
const isWhole = ({ status, uploaded_bytes: uploaded = 0 }: Pick<Status, 'status' | 'uploaded_bytes'>, size: number) =>
  status !== 'FAILED' && (status !== 'PROCESSING_UPLOAD' || uploaded >= size)

/** The number of bytes that the network reports after a piece arrived out of order. */
function uploadedOf(headers: Headers): number | undefined {
  const uploaded = /^bytes 0-(\d+)\//.exec(headers.get('content-range') ?? '')?.[1]
  return uploaded === undefined ? undefined : Number(uploaded)
}

const arePictures = (media: readonly StepMedia[]) => media.length > 0 && media.every(({ kind }) => kind === 'IMAGE')

const PIECE = 10_000_000
const WHOLE = 64_000_000

/**
 * Returns the pieces of an upload within the bounds of the network: one up to 64 MB, else pieces of 10 MB, with the
 * remainder in the last one.
 */
export function piecesOf(size: number): { from: number; to: number }[] {
  if (size <= WHOLE) return [{ from: 0, to: size }]
  const count = Math.floor(size / PIECE)
  return Array.from({ length: count }, (_, i) => ({ from: i * PIECE, to: i === count - 1 ? size : (i + 1) * PIECE }))
}

/** Throws the network's own refusal if the post breaks a restriction that the creator currently has. */
function obey(creator: z.infer<typeof Creator>, item: StepMedia, options: Step['options']): void {
  if (!creator.privacy_level_options.includes(String(options.privacyLevel))) {
    throw refusal(rowOf('video', 'privacy_level_option_mismatch'), null)
  }
  if (item.duration !== null && item.duration > creator.max_video_post_duration_sec) {
    const limit = creator.max_video_post_duration_sec
    const message = fill(refusals.video_over_limit.message, { limit })
    throw new NetworkError('video_over_limit', message, { networkCode: 'duration_check_failed', limit })
  }
}

const refusedPiece = (status: number) =>
  refusal(rowOf('video_upload', String(status)), null, {
    networkCode: `http ${status}`,
    spoilt: true,
  })
