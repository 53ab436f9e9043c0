import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { NewFault, setFault } from './faults.ts'
import { permalink } from './graph/nodes.ts'
import { isReel, photoPermalink, postsOf } from './graph/photo.ts'
import type { PhotoPost } from './graph/photo-state.ts'
import { onlyOwnJson } from './guard.ts'
import { findCreator, findCreatorOf, findPage, findPerson, findPersonById, photoAccountOf } from './people.ts'
import type { Creator, Page } from './people.ts'
import type { Post } from './state.ts'
import type { Store } from './store.ts'
import { videoLink } from './video/posting.ts'
import type { VideoUpload } from './video/state.ts'

export const NewClock = z.strictObject({
  /** Milliseconds, forward only: a network's time does not go back. */
  advanceMs: z
    .int()
    .min(0)
    .max(10 * 365 * 86_400_000),
})

/** What a person in the console does to an account: `id` is a person, a page or a creator. */
export const AccountChange = z.strictObject({
  id: z
    .string()
    .refine(
      (id) => findPage(id) !== undefined || findPersonById(id) !== undefined || findCreator(id) !== undefined,
      'nobody has this id',
    ),
  /** Tokens expire; the password changes; the role on a page shrinks to looking, is lost, or is whole again. */
  do: z.enum(['expire', 'revoke', 'restrict', 'dismiss', 'restore']),
})
export type AccountChange = z.infer<typeof AccountChange>

/** The control routes of the stand-ins, for tests and tools: JSON, from this machine, from no other site. */
export function controlRoutes(app: FastifyInstance, store: Store, base: (request: FastifyRequest) => string): void {
  app.get('/state', async (request) => describe(store, base(request)))

  app.post('/faults', async (request, reply) => {
    onlyOwnJson(request)
    return reply.code(201).send(setFault(store, NewFault.parse(request.body)))
  })

  app.delete('/faults', async (request) => {
    onlyOwnJson(request)
    const cleared = store.state.faults.length
    store.record({ type: 'faults.cleared' })
    return { cleared }
  })

  app.post('/clock', async (request) => {
    onlyOwnJson(request)
    store.record({ type: 'clock.advanced', ms: NewClock.parse(request.body).advanceMs })
    return { now: new Date(store.clock.now()).toISOString(), offsetMs: store.state.offsetMs }
  })

  app.post('/accounts', async (request) => {
    onlyOwnJson(request)
    changeAccount(store, AccountChange.parse(request.body))
    return { success: true }
  })

  app.post('/reset', async (request) => {
    onlyOwnJson(request)
    await store.reset()
    return { success: true }
  })
}

export function changeAccount(store: Store, { id, do: change }: AccountChange): void {
  if (findCreator(id)) {
    if (change === 'expire') store.record({ type: 'video.tokens.ended', openId: id, kind: 'access' })
    if (change === 'revoke') store.record({ type: 'video.tokens.ended', openId: id })
    return
  }
  if (change === 'expire') return store.record({ type: 'tokens.ended', id, ending: 'expired' })
  if (change === 'revoke') return store.record({ type: 'tokens.ended', id, ending: 'password' })
  const pages = findPage(id) ? [id] : (findPersonById(id)?.pages.map((page) => page.id) ?? [])
  const tasks = { restrict: ['ANALYZE'], dismiss: [], restore: undefined }[change]
  for (const pageId of pages) store.record({ type: 'tasks.changed', pageId, tasks })
}

/** The pages that play a part: those of the first person, of everybody who has connected, and all that were posted on. */
export function knownPages(store: Store): Page[] {
  const connected = [...store.state.grants.keys()].map((key) => findPersonById(key.split(':').at(-1) ?? ''))
  const people = [findPerson('u1'), ...connected].filter((person) => person !== undefined)
  const postedOn = [...store.state.feeds.keys()].map(findPage).filter((page) => page !== undefined)
  const pages = [...people.flatMap((person) => person.pages), ...postedOn]
  return [...new Map(pages.map((page) => [page.id, page])).values()]
}

/** The creators that play a part: the first person, and everybody who has connected or posted. */
export function knownCreators({ state }: Store): Creator[] {
  const ids = [...[...state.videoTokens.values()].map(({ openId }) => openId), ...state.posted.keys()]
  const found = [findCreatorOf('u1'), ...ids.map(findCreator)].filter((creator) => creator !== undefined)
  return [...new Map(found.map((creator) => [creator.openId, creator])).values()]
}

/** A creator's videos that the network has posted, oldest first. */
export const videosOf = ({ state, clock }: Store, openId: string): VideoUpload[] =>
  (state.posted.get(openId) ?? [])
    .map((id) => state.uploads.get(id) as VideoUpload)
    .filter(({ end }) => end && end.reason === undefined && end.doneAt <= clock.now())

function describe(store: Store, base: string): object {
  const { state, clock } = store
  const unpublished = new Map<string, number>()
  for (const post of state.posts.values()) {
    if (!post.published) unpublished.set(post.pageId, (unpublished.get(post.pageId) ?? 0) + 1)
  }
  const accounts = knownPages(store).map(({ id, name, userId }) => ({
    id,
    name,
    userId,
    live: (state.feeds.get(id) ?? [])
      .map((postId) => state.posts.get(postId) as Post)
      .filter(({ at }) => at <= clock.now())
      .map((post) => describePost(store, post, base)),
    deleted: state.deleted.get(id) ?? 0,
    unpublished: unpublished.get(id) ?? 0,
  }))
  const photoAccounts = knownPages(store)
    .map(photoAccountOf)
    .filter((account) => account !== undefined)
    .map(({ id, name, userId }) => ({
      id,
      name,
      userId,
      live: postsOf(state.photoPosts, id).map((post) => describePhotoPost(store, post, base)),
    }))
  const creators = knownCreators(store).map(({ openId, name, userId }) => ({
    id: openId,
    name,
    userId,
    live: videosOf(store, openId).map((video) => describeVideo(video, base)),
  }))
  return {
    now: new Date(clock.now()).toISOString(),
    offsetMs: state.offsetMs,
    networks: { NET_PAGE: { accounts }, NET_PHOTO: { accounts: photoAccounts }, NET_VIDEO: { accounts: creators } },
    users: [...state.calls].map(([id, { total, max }]) => ({ id, calls: total, maxInHour: max })),
    faults: state.faults,
    refused: state.refused.map((refusal) => ({ ...refusal, at: new Date(refusal.at).toISOString() })),
  }
}

const describeVideo = (
  { id, openId, title, privacy, end, pictures, aiGenerated, coverMs }: VideoUpload,
  base: string,
) => ({
  id: end?.postId,
  publishId: id,
  message: title,
  createdTime: new Date(end?.doneAt ?? 0).toISOString(),
  permalink: videoLink(base, openId, end?.postId ?? ''),
  privacy,
  ...(aiGenerated && { aiGenerated }),
  ...(coverMs !== undefined && { coverMs }),
  photos: (pictures ?? []).map(({ sha256 }) => ({ id: end?.postId, sha256 })),
  ...(pictures ? { kind: 'pictures' } : { video: { sha256: end?.sha256 } }),
})

const commentsOf = ({ state }: Store, id: string) =>
  (state.comments.get(id) ?? []).map(({ id: commentId, text }) => ({ id: commentId, text }))

const describePhotoPost = (store: Store, post: PhotoPost, base: string) => ({
  id: post.id,
  message: post.caption,
  createdTime: new Date(post.at).toISOString(),
  permalink: photoPermalink(base, post),
  comments: commentsOf(store, post.id),
  photos: post.pictures.map(({ sha256, mime, altText, aiGenerated, coverMs }) => ({
    id: post.id,
    sha256,
    mime,
    ...(altText !== undefined && { altText }),
    ...(aiGenerated && { aiGenerated }),
    ...(coverMs !== undefined && { coverMs }),
  })),
  ...((post.story || isReel(post)) && { kind: post.story ? 'story' : 'reel' }),
})

const describePost = (store: Store, post: Post, base: string) => ({
  id: post.id,
  message: post.message,
  createdTime: new Date(post.at).toISOString(),
  permalink: permalink(base, post),
  comments: commentsOf(store, post.id),
  photos: post.photoIds.map((id) => ({
    id,
    sha256: store.state.photos.get(id)?.sha256,
    altText: store.state.photos.get(id)?.altText,
  })),
  link: post.link,
  ...(post.video && {
    video: { id: post.video.id, sha256: post.video.sha256 },
    ...(post.video.reel && { kind: 'reel' }),
  }),
})
