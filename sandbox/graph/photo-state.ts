import type { Film } from '../film.ts'

/** The state of NET_PHOTO: containers, which are private until they are published, and live posts. */

/** A picture or a video. */
export type Shown = {
  sha256: string
  mime: string
  width: number
  height: number
  altText?: string
  aiGenerated?: boolean
  /** The time of the cover frame of a video. */
  coverMs?: number
}
export type Container = {
  id: string
  /** The photo account. */
  accountId: string
  appId: string
  kind: 'IMAGE' | 'ITEM' | 'CAROUSEL' | 'REEL' | 'STORY'
  at: number
  /** The time at which the network has processed it. Missing until its bytes have arrived. */
  readyAt?: number
  film?: Film
  /** The fault of the file, in the words of its status. */
  reason?: string
  caption: string
  /** The time of the cover frame of its video. */
  coverMs?: number
  pictures: Shown[]
  /** The post that it became. */
  publishedAs?: string
}
export type PhotoPost = {
  id: string
  accountId: string
  appId: string
  at: number
  caption: string
  pictures: Shown[]
  /** Shown for a day, outside the feed. */
  story?: true
}

export type PhotoState = {
  containers: Map<string, Container>
  /** Live posts, in the order in which they went live. */
  photoPosts: Map<string, PhotoPost>
  /** Stories whose day has ended and whose end was reported. */
  endedStories: Map<string, true>
}

export type PhotoEvent =
  | { type: 'container.made'; container: Container }
  | { type: 'container.filled'; id: string; readyAt: number; shown: Shown; film?: Film; reason?: string }
  | { type: 'container.published'; id: string; post: PhotoPost }
  | { type: 'story.ended'; id: string }

export const emptyPhotoState = (): PhotoState => ({
  containers: new Map(),
  photoPosts: new Map(),
  endedStories: new Map(),
})

/** Folds one event into the state, in place. */
export function applyPhoto(state: PhotoState & { nextId: number }, event: PhotoEvent): void {
  if (event.type === 'story.ended') {
    state.endedStories.set(event.id, true)
    return
  }
  if (event.type === 'container.filled') {
    const { id, readyAt, shown, film, reason } = event
    const container = state.containers.get(id)
    if (container) Object.assign(container, { readyAt, pictures: [shown], film, reason })
    return
  }
  state.nextId += 1
  if (event.type === 'container.made') {
    state.containers.set(event.container.id, event.container)
    return
  }
  const container = state.containers.get(event.id)
  if (container) container.publishedAs = event.post.id
  state.photoPosts.set(event.post.id, event.post)
}
