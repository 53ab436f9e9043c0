import type { Film } from '../film.ts'

/**
 * The state of NET_VIDEO: consents, tokens, uploads and their outcomes. Times are in milliseconds by the sandbox's
 * clock.
 */

export type VideoCode = {
  openId: string
  scopes: string[]
  redirectUri: string
  /** Lowercase hex of the SHA-256 of the verifier. */
  challenge: string
  at: number
  used: boolean
}
export type VideoToken = {
  kind: 'access' | 'refresh'
  openId: string
  scopes: string[]
  expiresAt: number
  ended?: true
}

export const PRIVACY = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'] as const
export type Privacy = (typeof PRIVACY)[number]

export type VideoUpload = {
  /** The publish id. */
  id: string
  openId: string
  /** The secret in its upload address. */
  secret: string
  at: number
  title: string
  privacy: Privacy
  size: number
  chunk: number
  count: number
  mime?: string
  /** The pictures of a picture post, which has neither size nor pieces. */
  pictures?: { sha256: string; mime: string; width: number; height: number }[]
  /** Whether it is marked as made by AI. */
  aiGenerated?: boolean
  /** The time of the cover frame. */
  coverMs?: number
  parts: { name: string; size: number }[]
  /**
   * Present once all bytes have arrived: the file, the time at which the network has processed it, and the reason of a
   * refusal.
   */
  end?: { sha256: string; film?: Film; doneAt: number; reason?: string; postId: string }
}

export type VideoState = {
  videoCodes: Map<string, VideoCode>
  videoTokens: Map<string, VideoToken>
  uploads: Map<string, VideoUpload>
  /** Publish ids of uploads with all their bytes, by creator, in order. */
  posted: Map<string, string[]>
  /** The number of comments below each post. The network reports nothing more about comments. */
  videoComments: Map<string, number>
  /** The times of the last minute's calls, by creator and kind of call. */
  videoCalls: Map<string, number[]>
}

export type VideoEvent =
  | { type: 'video.consented'; code: string; of: VideoCode }
  /** `instead` is the code or the refresh token that they were exchanged for. */
  | { type: 'video.tokens'; access: [string, VideoToken]; refresh: [string, VideoToken]; instead: string }
  | { type: 'video.tokens.ended'; openId: string; kind?: VideoToken['kind'] }
  | { type: 'video.begun'; upload: VideoUpload }
  | { type: 'video.part'; id: string; part: { name: string; size: number }; mime: string }
  | { type: 'video.ended'; id: string; end: NonNullable<VideoUpload['end']> }
  | { type: 'video.commented'; postId: string; by: 1 | -1 }
  | { type: 'video.called'; key: string; at: number }

export const emptyVideoState = (): VideoState => ({
  videoCodes: new Map(),
  videoTokens: new Map(),
  uploads: new Map(),
  posted: new Map(),
  videoComments: new Map(),
  videoCalls: new Map(),
})

export const MINUTE = 60_000

/** Folds one event into the state, in place. */
export function applyVideo(state: VideoState & { nextId: number }, event: VideoEvent): void {
  switch (event.type) {
    case 'video.consented':
      state.videoCodes.set(event.code, event.of)
      return
    case 'video.tokens': {
      const code = state.videoCodes.get(event.instead)
      if (code) code.used = true
      state.videoTokens.delete(event.instead)
      state.videoTokens.set(...event.access)
      state.videoTokens.set(...event.refresh)
      return
    }
    case 'video.tokens.ended':
      for (const token of state.videoTokens.values()) {
        if (token.openId === event.openId && (event.kind ?? token.kind) === token.kind) token.ended = true
      }
      return
    case 'video.begun':
      state.uploads.set(event.upload.id, event.upload)
      state.nextId += 1
      if (event.upload.end) post(state, event.upload)
      return
    case 'video.part': {
      const upload = state.uploads.get(event.id)
      if (!upload) return
      upload.parts.push(event.part)
      upload.mime = event.mime
      return
    }
    case 'video.ended': {
      const upload = state.uploads.get(event.id)
      if (!upload) return
      Object.assign(upload, { end: event.end, parts: [] })
      post(state, upload)
      return
    }
    case 'video.commented':
      state.videoComments.set(event.postId, Math.max(0, (state.videoComments.get(event.postId) ?? 0) + event.by))
      state.nextId += 1
      return
    case 'video.called': {
      const times = (state.videoCalls.get(event.key) ?? []).filter((at) => at > event.at - MINUTE)
      state.videoCalls.set(event.key, [...times, event.at])
      return
    }
    default:
      throw new Error(`unknown event ${JSON.stringify(event satisfies never)}`)
  }
}

function post(state: VideoState & { nextId: number }, { openId, id }: VideoUpload): void {
  state.posted.set(openId, [...(state.posted.get(openId) ?? []), id])
  state.nextId += 1
}
