import type { Film } from '../film.ts'

/** A video that a page uploads in pieces, or a reel, whole. Its end makes the post, which is live once the network is done with it. */
export type PageVideo = {
  id: string
  session: string
  pageId: string
  appId: string
  at: number
  /** Of a reel 0 until its bytes are there. */
  size: number
  reel?: true
  parts: { name: string; size: number }[]
  /** Once it was finished. `postId` is missing when the network refused the file or it was not to be published. */
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
