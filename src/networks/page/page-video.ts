import * as z from 'zod'
import { beginAgain, foreign, NetworkError, refusal } from '../answers.ts'
import type { Graph } from '../graph/graph.ts'
import { rowOf } from '../failures/rules.ts'
import type { Handles, NotYet, CommitResult, RemotePost, Step, StepMedia } from '../network.ts'
import { uploadAddress } from '../place.ts'

// A video or a reel on a page is started, uploaded, then published by the finish call. The started video is the handle.
// A video is sent in the pieces that the network asks for. A reel is sent whole, to an address that the network
// returns.

const Started = z.looseObject({
  video_id: z.string(),
  upload_session_id: z.string(),
  start_offset: z.coerce.number(),
  end_offset: z.coerce.number(),
})
const Moved = z.looseObject({ start_offset: z.coerce.number(), end_offset: z.coerce.number() })
const Done = z.looseObject({ success: z.literal(true) })
const ReelStarted = z.looseObject({ video_id: z.string(), upload_url: z.string() })

const Phase = z.looseObject({
  status: z.string(),
  error: z.looseObject({ message: z.string() }).optional(),
  errors: z.array(z.looseObject({ message: z.string() })).optional(),
})
const Video = z.looseObject({
  id: z.string(),
  published: z.boolean().optional(),
  post_id: z.string().optional(),
  permalink_url: z.string().optional(),
  status: z.looseObject({
    video_status: z.string(),
    uploading_phase: Phase.optional(),
    processing_phase: Phase.optional(),
    publishing_phase: Phase.optional(),
  }),
})
type Video = z.infer<typeof Video>

const Begun = z.object({
  video: z.object({ id: z.string(), session: z.string(), from: z.number(), to: z.number() }).optional(),
})
/** `uploadTo` is set until all bytes are uploaded. */
const BegunReel = z.object({ video: z.object({ id: z.string(), uploadTo: z.string().optional() }).optional() })
const Handle = z.object({ video: z.object({ id: z.string() }).optional() })

/** The maximum number of pieces per step. The next step reserves calls again. */
const PIECES = 8
/** The states of a video before its `finish` call. */
const UNFINISHED = ['uploading', 'upload_complete']
const WRONG_OFFSET = '100/1363037'
const BOUNDARY = '7c5fe2d9b1a84e33'

export function pageVideo(
  { call, send }: Graph,
  settings: { version: string; videoUrl: () => string; uploadUrl?: string | undefined },
) {
  const path = ({ account }: Step) => `/${account.externalId}/videos`
  const reelPath = ({ account }: Step) => `/${account.externalId}/video_reels`

  const look = ({ account, reservation }: Step, id: string) =>
    call({
      method: 'GET',
      path: `/${id}`,
      token: account.accessToken,
      params: { fields: 'id,status,published,post_id,permalink_url' },
      answer: Video,
      reservation,
    })

  /**
   * Returns the outcome of a video: the post that shows it, or the network's refusal. Undefined if it has none yet.
   * Throws if the answer is about another video.
   */
  function endOf(seen: Video, id: string | undefined): RemotePost | NetworkError | undefined {
    const end = remotePostOf(seen) ?? refusalOf(seen)
    if (end && seen.id !== id) throw foreign()
    return end
  }

  async function prepareVideo(
    step: Step,
    item: StepMedia,
    save: (handles: Handles) => Promise<void>,
  ): Promise<NotYet | undefined> {
    const { account, reservation } = step
    let { video } = Begun.parse(step.handles)
    if (!video) {
      const params = { upload_phase: 'start', file_size: item.size }
      const begun = await call({
        method: 'POST',
        path: path(step),
        token: account.accessToken,
        params,
        answer: Started,
        reservation,
      })
      video = { id: begun.video_id, session: begun.upload_session_id, from: begun.start_offset, to: begun.end_offset }
      await save({ video })
    }
    for (let pieces = 0; video.from < video.to; pieces += 1) {
      if (pieces === PIECES) return { after: 0 }
      const field = (name: string, value: string | number) =>
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
      const moved: z.infer<typeof Moved> = await send({
        url: `${settings.videoUrl()}/${settings.version}${path(step)}`,
        headers: {
          authorization: `Bearer ${account.accessToken}`,
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        },
        head: `${field('upload_phase', 'transfer')}${field('upload_session_id', video.session)}${field('start_offset', video.from)}--${BOUNDARY}\r\ncontent-disposition: form-data; name="video_file_chunk"; filename="video"\r\ncontent-type: application/octet-stream\r\n\r\n`,
        tail: `\r\n--${BOUNDARY}--\r\n`,
        bytes: item.read(video.from, video.to),
        size: video.to - video.from,
        answer: Moved,
        reservation,
      }).catch(goOn)
      // The network may ask for the same bytes forever. Each such answer counts as a failure, so the upload ends.
      if (moved.start_offset <= video.from) {
        throw new NetworkError('transient', 'The network didn’t advance the upload.', { spoilt: true })
      }
      video = { ...video, from: moved.start_offset, to: moved.end_offset }
      await save({ video })
    }
    return undefined
  }

  async function prepareReel(
    step: Step,
    item: StepMedia,
    save: (handles: Handles) => Promise<void>,
  ): Promise<undefined> {
    const { account, reservation } = step
    let { video } = BegunReel.parse(step.handles)
    if (!video) {
      const params = { upload_phase: 'start' }
      const begun = await call({
        method: 'POST',
        path: reelPath(step),
        token: account.accessToken,
        params,
        answer: ReelStarted,
        reservation,
      })
      video = { id: begun.video_id, uploadTo: begun.upload_url }
      await save({ video })
    }
    if (!video.uploadTo) return undefined
    await send({
      url: uploadAddress(video.uploadTo, settings.uploadUrl),
      headers: {
        authorization: `OAuth ${account.accessToken}`,
        offset: '0',
        file_size: String(item.size),
        'content-type': 'application/octet-stream',
      },
      bytes: item.read(0, item.size),
      size: item.size,
      answer: Done,
      reservation,
    }).catch(beginAgain)
    await save({ video: { id: video.id } })
    return undefined
  }

  async function commit(step: Step): Promise<CommitResult> {
    const { account, text, reservation } = step
    const { video } = Begun.or(BegunReel).parse(step.handles)
    const params = isReel(step)
      ? { upload_phase: 'finish', video_id: video?.id, video_state: 'PUBLISHED', description: text }
      : {
          upload_phase: 'finish',
          upload_session_id: video && 'session' in video ? video.session : undefined,
          description: text,
          published: true,
        }
    await call({
      method: 'POST',
      path: isReel(step) ? reelPath(step) : path(step),
      token: account.accessToken,
      params,
      answer: Done,
      reservation,
      commit: true,
    })
    return 'accepted'
  }

  async function confirm(step: Step): Promise<CommitResult | NetworkError> {
    const { video } = Handle.parse(step.handles)
    const seen = await look(step, video?.id ?? '')
    return endOf(seen, video?.id) ?? 'accepted'
  }

  /** Finds the video by its handle. An unfinished video is not on the page. */
  async function find(step: Step): Promise<RemotePost[] | 'accepted'> {
    const { video } = Handle.parse(step.handles)
    const seen = await look(step, video?.id ?? '')
    const end = endOf(seen, video?.id)
    if (end instanceof NetworkError) return 'accepted' // `confirm` then returns the reason
    if (end) return [end]
    // The network may process a video before it reports it as published. A video counts as unfinished only if it is not
    // being processed.
    const { processing_phase: processing, publishing_phase: publishing, video_status: status } = seen.status
    const phases = [processing, publishing].map((phase) => phase?.status)
    if (status === 'processing' || phases.some((phase) => phase !== undefined && phase !== 'not_started')) {
      return 'accepted'
    }
    if (phases.every((phase) => phase === 'not_started') || UNFINISHED.includes(status)) return []
    throw new NetworkError('ambiguous', 'The state of the video doesn’t show whether the upload was finished.', {
      committed: 'maybe',
    })
  }

  return {
    cost: PIECES + 2,
    prepare: async (step: Step, item: StepMedia, save: (handles: Handles) => Promise<void>) =>
      isReel(step) ? prepareReel(step, item, save) : prepareVideo(step, item, save),
    commit,
    confirm,
    find,
  }
}

const isReel = ({ options }: Step) => options.kind === 'reel'

/**
 * Handles the refusal of a piece. If the network already has a piece whose answer was lost, it states where to
 * continue; otherwise the video starts from the beginning.
 */
function goOn(error: unknown): z.infer<typeof Moved> {
  if (!(error instanceof NetworkError)) throw error
  const moved = error.networkCode === WRONG_OFFSET ? Moved.safeParse(error.data) : undefined
  if (moved?.success) return moved.data
  if (error.kind !== 'CONTENT' && error.kind !== 'NOT_FOUND') throw error
  const { message, networkCode, said } = error
  throw new NetworkError('transient', message, {
    spoilt: true,
    said,
    ...(networkCode && { networkCode }),
    cause: error,
  })
}

/** Returns the post that shows a video, once there is one. */
function remotePostOf({
  id,
  status,
  published,
  post_id: postId,
  permalink_url: permalink,
}: Video): RemotePost | undefined {
  const complete = /^completed?$/.test(status.publishing_phase?.status ?? '')
  if (!complete && !(status.video_status === 'ready' && published)) return undefined
  return { externalId: postId ?? id, permalink: permalink ?? null, publishedAt: null }
}

function refusalOf({ status }: Video): NetworkError | undefined {
  const phases = [status.uploading_phase, status.processing_phase, status.publishing_phase]
  const failed = phases.find((phase) => phase?.status === 'error')
  const dead = ['error', 'upload_failed', 'expired'].includes(status.video_status)
  if (!failed && !dead) return undefined
  const said = failed?.error?.message ?? failed?.errors?.[0]?.message
  return refusal(rowOf('page_video', dead ? status.video_status : 'error'), said, {
    networkCode: status.video_status,
  })
}
