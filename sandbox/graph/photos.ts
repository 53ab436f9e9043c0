import type { Photo } from '../state.ts'
import { answerNode } from './call.ts'
import type { GraphRequest } from './call.ts'
import { refuse } from './errors.ts'
import { PhotoNode } from './nodes.ts'
import { fetchPhoto, inspectPhoto } from './media.ts'
import { flag, text } from './params.ts'
import { messageOf, newPost, playDrop, playMagic, publisher, refuseTwin } from './posts.ts'

/**
 * `POST {page}/photos`: a photo from a URL or from the body, either published immediately as a post, or kept to be
 * attached.
 */
export async function createPhoto(call: GraphRequest): Promise<object> {
  const { params, store } = call
  const caller = publisher(call)
  const published = flag(params, 'published') ?? true
  const caption = messageOf(call) ?? text(params, 'caption') ?? ''
  const bytes = await bytesOf(call)
  const picture = await inspectPhoto(bytes)
  const sha256 = await store.keep(bytes)
  if (published) await playMagic(call, caption)
  // No await from here to the record, so that two concurrent calls cannot both pass the check for duplicates.
  const photo: Photo = {
    id: String(store.state.nextId),
    pageId: caller.pageId,
    appId: caller.appId,
    at: store.clock.now(),
    sha256,
    caption,
    altText: text(params, 'alt_text_custom'),
    ...picture,
  }
  // Rendered before the record: a refusal because of an unknown field must not come after the photo is live.
  const show = () => (params.has('fields') ? answerNode(call, PhotoNode, photo) : { id: photo.id })
  if (!published) {
    const answer = show()
    store.record({ type: 'photo.made', photo })
    return answer
  }
  const post = newPost(call, caller, { message: caption, photoIds: [photo.id], published }, 1)
  refuseTwin(call, post, [photo])
  photo.postId = post.id
  const answer = { ...show(), post_id: post.id }
  store.record({ type: 'post.made', post, photos: [photo] })
  playDrop(call, post)
  return answer
}

async function bytesOf({ params, fetchTimeoutMs }: GraphRequest): Promise<Buffer> {
  const source = params.get('source')
  if (source instanceof File) return Buffer.from(await source.arrayBuffer())
  const url = text(params, 'url')
  if (url === undefined) throw refuse.parameter('A photo requires either url or source')
  return fetchPhoto(url, fetchTimeoutMs)
}
