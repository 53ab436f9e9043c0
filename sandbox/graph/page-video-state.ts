import type { Film } from '../film.ts'

/**
 * A video that a page uploads in pieces, or a reel that it uploads whole. Finishing it makes the post, which is live
 * once the network has processed it.
 */
export type PageVideo = {
  id: string
  session: string
  pageId: string
  appId: string
  at: number
  /** 0 for a reel until its bytes have arrived. */
  size: number
  reel?: true
  parts: { name: string; size: number }[]
  /**
   * Present once the video is finished. Without `postId` if the network refused the file, or if it was not to be
   * published.
   */
  end?: { sha256: string; film?: Film; doneAt: number; postId?: string }
}

export type PageVideoEvent =
  | { type: 'page-video.begun'; video: PageVideo }
  | { type: 'page-video.part'; id: string; part: { name: string; size: number } }
  | { type: 'page-video.ended'; id: string; end: NonNullable<PageVideo['end']> }

export type PageVideoState = { pageVideos: Map<string, PageVideo> }

export const emptyPageVideoState = (): PageVideoState => ({ pageVideos: new Map() })

/** Folds one event into the state, in place. */
export function applyPageVideo(state: PageVideoState & { nextId: number }, event: PageVideoEvent): void {
  if (event.type === 'page-video.begun') {
    state.pageVideos.set(event.video.id, event.video)
    state.nextId += 1
    return
  }
  const video = state.pageVideos.get(event.id)
  if (!video) return
  if (event.type === 'page-video.ended') Object.assign(video, { end: event.end, parts: [] })
  else {
    video.parts.push(event.part)
    if (video.reel) video.size = event.part.size
  }
}
