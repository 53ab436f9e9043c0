import { findPage, findPersonById } from '../people.ts'
import type { Photo, StoredPost } from '../state.ts'
import { answerList, answerNode, idOf } from './call.ts'
import type { GraphRequest } from './call.ts'
import { GraphError, played, refuse } from './errors.ts'
import { PageNode, PhotoNode, PostNode, UserNode, mediaOf } from './nodes.ts'
import { flag, instant, isRecord, limit, list, text } from './params.ts'
import { grantOf, hasScope, needToRead, tasksOf } from './tokens.ts'
import type { GraphCaller } from './tokens.ts'

const MESSAGE_LIMIT = 63_206

/** `POST {page}/feed`: text, a link or photos uploaded before. An unpublished post can be published later by its id. */
export async function createPost(call: GraphRequest): Promise<object> {
  const { params, store } = call
  const caller = publisher(call)
  const message = messageOf(call) ?? ''
  const link = linkOf(call)
  const attached = list(params, 'attached_media') ?? []
  const published = flag(params, 'published') ?? true
  if (params.has('scheduled_publish_time')) throw refuse.parameter('Scheduling on the network is not allowed')
  if (link !== undefined && attached.length > 0) throw refuse.parameter('link and attached_media cannot be combined')
  if (message.trim() === '' && link === undefined && attached.length === 0) throw refuse.noContent()
  if (published) await playMagic(call, message)
  // No await from here to the record, so that two concurrent calls cannot both pass these checks.
  const photos = attached.map((item) => freePhoto(call, caller.pageId, item))
  if (new Set(photos).size < photos.length) throw refuse.photosPosted()
  const post = newPost(call, caller, { message, link, published, photoIds: photos.map(({ id }) => id) })
  if (published) refuseTwin(call, post, photos)
  // Rendered before the record: a refusal because of an unknown field must not come after the post is live.
  const answer = params.has('fields') ? answerNode(call, PostNode, post) : { id: post.id }
  store.record({ type: 'post.made', post, photos: [] })
  if (published) playDrop(call, post)
  return answer
}

/** `POST {post}`: changes the text, or publishes an unpublished post. Only for posts that this app has made. */
export async function changePost(call: GraphRequest): Promise<object> {
  const { store } = call
  const found = store.state.posts.get(idOf(call))
  const caller = publisher(call, found?.pageId ?? '')
  if (!found || found.appId !== caller.appId) throw refuse.unknownObject(call.method, idOf(call))
  const message = messageOf(call)
  const publish = flag(call.params, 'is_published')
  if (publish === false && found.published) throw refuse.parameter('A published post cannot be unpublished')
  if (message !== undefined && message.trim() === '' && mediaOf(found) === 'text') throw refuse.noContent()
  if (publish && !found.published) await playMagic(call, message ?? found.message)
  const post = store.state.posts.get(found.id)
  if (!post) throw refuse.unknownObject(call.method, found.id)
  const goesLive = publish === true && !post.published
  if (goesLive) {
    const photos = post.photoIds.map((id) => store.state.photos.get(id)).filter((photo) => photo !== undefined)
    refuseTwin(call, { ...post, message: message ?? post.message }, photos)
  }
  const at = store.clock.now()
  if (message !== undefined) store.record({ type: 'post.edited', id: post.id, at, message })
  if (goesLive) {
    store.record({ type: 'post.published', id: post.id, at })
    playDrop(call, post)
  }
  return { success: true }
}

/** `DELETE {post}` or `{photo}`. Deleting the only photo of a post also deletes the post. */
export function deleteObject(call: GraphRequest): object {
  const { store } = call
  const id = idOf(call)
  const photo = store.state.photos.get(id)
  const post = store.state.posts.get(photo?.postId ?? id)
  publisher(call, post?.pageId ?? photo?.pageId ?? '')
  if (photo && (!post || post.photoIds.length > 1)) store.record({ type: 'photo.deleted', id })
  else if (post) store.record({ type: 'post.deleted', id: post.id })
  else throw refuse.unknownObject(call.method, id)
  return { success: true }
}

/** `GET {page}/published_posts` and `{page}/feed`: the live posts, newest first. */
export function listPosts(call: GraphRequest): object {
  const { state } = call.store
  const pageId = idOf(call)
  const caller = call.caller()
  if (!mayRead(call, caller, pageId)) throw refuse.unknownObject(call.method, pageId)
  if (caller.kind !== 'page') throw refuse.pageTokenNeeded()
  needToRead(state, caller, 'pages_read_engagement')
  const [since, until] = [instant(call.params, 'since'), instant(call.params, 'until')]
  const posts = (state.feeds.get(pageId) ?? [])
    .map((id) => state.posts.get(id))
    .filter((post) => post !== undefined)
    .filter(({ at }) => at <= call.store.clock.now())
    .map((post) => ({ key: post.order ?? 0, node: post }))
    .filter(({ node }) => (since === undefined || node.at >= since) && (until === undefined || node.at <= until))
    .toReversed()
  return answerList(call, PostNode, posts, limit(call.params))
}

/** `GET {id}`: the person, a page, a post or a photo that the token may read. */
export function readObject(call: GraphRequest): object {
  const { state } = call.store
  const id = idOf(call)
  const caller = call.caller()
  const person = findPersonById(id)
  if (person && id === caller.userId) return answerNode(call, UserNode, person)
  const page = findPage(id)
  if (page && mayRead(call, caller, id)) return answerNode(call, PageNode, page)
  const [post, photo] = [state.posts.get(id), state.photos.get(id)]
  if (!mayRead(call, caller, post?.pageId ?? photo?.pageId)) throw refuse.unknownObject(call.method, id)
  needToRead(state, caller, 'pages_read_engagement')
  return post ? answerNode(call, PostNode, post) : answerNode(call, PhotoNode, photo as Photo)
}

/**
 * Returns the calling page if it may publish. Throws 100/33 for another page, and 200 for a missing permission or role.
 */
export function publisher(call: GraphRequest, pageId = idOf(call)): GraphCaller & { pageId: string } {
  const { state } = call.store
  const caller = call.caller()
  if (!mayRead(call, caller, pageId)) throw refuse.unknownObject(call.method, idOf(call))
  if (caller.pageId === undefined) throw refuse.asPage()
  const missing = ['pages_manage_posts', 'pages_read_engagement'].filter((scope) => !hasScope(state, caller, scope))
  if (missing.length > 0) throw refuse.permission(missing)
  if (!tasksOf(state, caller.pageId).includes('CREATE_CONTENT')) throw refuse.task('CREATE_CONTENT')
  return { ...caller, pageId: caller.pageId }
}

export function mayRead(call: GraphRequest, caller: GraphCaller, pageId: string | undefined): boolean {
  if (pageId === undefined) return false
  return caller.kind === 'page' ? caller.pageId === pageId : grantOf(call.store.state, caller).pages.includes(pageId)
}

/** Returns the text of a post; undefined if there is none. */
export function messageOf({ params }: GraphRequest): string | undefined {
  const message = text(params, 'message')
  if (message !== undefined && Array.from(message).length > MESSAGE_LIMIT) {
    throw refuse.parameter(`Param message must be at most ${MESSAGE_LIMIT} characters long`)
  }
  return message
}

function linkOf({ params }: GraphRequest): string | undefined {
  const link = text(params, 'link')
  if (link === undefined || link === '') return undefined
  if (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol)) throw refuse.badLink()
  return link
}

/** Returns an unposted photo of this page. Throws 1366051 if it has been posted, and 100 if it is unknown. */
function freePhoto({ store }: GraphRequest, pageId: string, item: unknown): Photo {
  const id = isRecord(item) ? item['media_fbid'] : undefined
  const photo = store.state.photos.get(String(id))
  if (!photo || photo.pageId !== pageId)
    throw refuse.parameter('Invalid parameter: attached_media holds no photo of this Page')
  if (photo.postId !== undefined) throw refuse.photosPosted()
  return photo
}

/**
 * Builds a post with a new id without recording it. `ahead` is the number of ids that other objects made with it take.
 */
export function newPost(
  { store }: GraphRequest,
  { appId, pageId }: { appId: string; pageId: string },
  rest: Pick<StoredPost, 'message' | 'link' | 'photoIds' | 'published'>,
  ahead = 0,
): StoredPost {
  return { id: `${pageId}_${store.state.nextId + ahead}`, pageId, appId, at: store.clock.now(), ...rest }
}

/** Throws 506 if the newest live post of the page has the same text, link and pictures. */
export function refuseTwin({ store }: GraphRequest, post: StoredPost, photos: Photo[]): void {
  const { state } = store
  const newest = state.posts.get(state.feeds.get(post.pageId)?.at(-1) ?? '')
  if (!newest || newest.message !== post.message || newest.link !== post.link) return
  const shown = newest.photoIds.map((id) => state.photos.get(id)?.sha256)
  if (shown.join() === photos.map(({ sha256 }) => sha256).join()) throw refuse.duplicate()
}

/**
 * Plays what a text requests before the post goes live: `[sim:fail 368]`, `[sim:429]` and `[sim:slow 60000]`
 * (milliseconds, divided by the time scale).
 */
export async function playMagic({ store }: GraphRequest, message: string): Promise<void> {
  const slow = /\[sim:slow (\d{1,7})\]/.exec(message)?.[1]
  if (slow !== undefined) await store.clock.wait(Number(slow))
  const fail = /\[sim:fail (-?\d{1,7})\]/.exec(message)?.[1]
  if (fail !== undefined) throw new GraphError(played(Number(fail)).refused)
  if (message.includes('[sim:429]')) throw refuse.callLimit('page')
}

/** Plays `[sim:drop-after]`: the post is live, but its answer is lost. Once per page and text. */
export function playDrop(call: GraphRequest, { pageId, message }: StoredPost): void {
  const key = `${pageId}:${message}`
  if (!message.includes('[sim:drop-after]') || call.store.state.dropped.has(key)) return
  call.store.record({ type: 'drop.played', key })
  call.cut = true
}
