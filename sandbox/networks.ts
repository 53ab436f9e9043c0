import { dayOfAccount } from './graph/account-insights.ts'
import { type DayFigures, followersOn } from './days.ts'
import { ofPage, ofPhoto, shownOf } from './graph/insights.ts'
import { permalink } from './graph/nodes.ts'
import { type Figures, figuresOf } from './metrics.ts'
import { isReel, photoPermalink, postsOf } from './graph/photo.ts'
import type { PhotoPost } from './graph/photo-state.ts'
import {
  type Creator,
  findCreator,
  findCreatorOf,
  findPage,
  findPerson,
  findPersonById,
  findPhotoAccount,
  type OwnedPage,
  photoAccountOf,
} from './people.ts'
import type { StoredPost } from './state.ts'
import type { Store } from './store.ts'
import { measuredOf, videoLink } from './video/posting.ts'
import type { VideoUpload } from './video/state.ts'

/** The networks that have a stand-in here. */
export const NETWORKS = ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const

/** Returns the applications that the environment of a separate sandbox registers. */
export function appsOf(env: NodeJS.ProcessEnv) {
  const { NET_PAGE_APP_ID: id, NET_PAGE_APP_SECRET: pageSecret } = env
  const { NET_VIDEO_CLIENT_KEY: key, NET_VIDEO_CLIENT_SECRET: videoSecret } = env
  return {
    page: id && pageSecret ? { id, secret: pageSecret } : undefined,
    video: key && videoSecret ? { key, secret: videoSecret } : undefined,
  }
}

/** Returns the pages in use: those of the first person, of everyone who has connected, and all that have posts. */
export function knownPages(store: Store): OwnedPage[] {
  const connected = [...store.state.grants.keys()].map((key) => findPersonById(key.split(':').at(-1) ?? ''))
  const people = [findPerson('u1'), ...connected].filter((person) => person !== undefined)
  const postedOn = [...store.state.feeds.keys()].map(findPage).filter((page) => page !== undefined)
  const pages = [...people.flatMap((person) => person.pages), ...postedOn]
  return [...new Map(pages.map((page) => [page.id, page])).values()]
}

/** Returns the creators in use: the first person, and everyone who has connected or posted. */
export function knownCreators({ state }: Store): Creator[] {
  const ids = [...[...state.videoTokens.values()].map(({ openId }) => openId), ...state.posted.keys()]
  const found = [findCreatorOf('u1'), ...ids.map(findCreator)].filter((creator) => creator !== undefined)
  return [...new Map(found.map((creator) => [creator.openId, creator])).values()]
}

/** Returns a creator's videos that the network has posted, oldest first. */
export const videosOf = ({ state, clock }: Store, openId: string): VideoUpload[] =>
  (state.posted.get(openId) ?? [])
    .map((id) => state.uploads.get(id) as VideoUpload)
    .filter(({ end }) => end && end.reason === undefined && end.doneAt <= clock.now())

/** Describes the live posts of each network. */
export function describeNetworks(store: Store, base: string) {
  const { state, clock } = store
  const unpublished = new Map<string, number>()
  for (const post of state.posts.values()) {
    if (!post.published) unpublished.set(post.pageId, (unpublished.get(post.pageId) ?? 0) + 1)
  }
  const accounts = knownPages(store).map(({ id, name, userId }) => ({
    id,
    name,
    userId,
    conversations: conversationsOf(store, id),
    live: (state.feeds.get(id) ?? [])
      .map((postId) => state.posts.get(postId) as StoredPost)
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
      conversations: conversationsOf(store, id),
      live: postsOf(state.photoPosts, id).map((post) => describePhotoPost(store, post, base)),
    }))
  const creators = knownCreators(store).map(({ openId, name, userId }) => ({
    id: openId,
    name,
    userId,
    live: videosOf(store, openId).map((video) => describeVideo(store, video, base)),
  }))
  return { NET_PAGE: { accounts }, NET_PHOTO: { accounts: photoAccounts }, NET_VIDEO: { accounts: creators } }
}

const describeVideo = (
  { state }: Store,
  { id, openId, title, privacy, end, pictures, aiGenerated, coverMs }: VideoUpload,
  base: string,
) => ({
  id: end?.postId,
  publishId: id,
  message: title,
  createdTime: new Date(end?.doneAt ?? 0).toISOString(),
  permalink: videoLink(base, openId, end?.postId ?? ''),
  privacy,
  commentCount: state.videoComments.get(end?.postId ?? '') ?? 0,
  ...(aiGenerated && { aiGenerated }),
  ...(coverMs !== undefined && { coverMs }),
  photos: (pictures ?? []).map(({ sha256 }) => ({ id: end?.postId, sha256 })),
  ...(pictures ? { kind: 'pictures' } : { video: { sha256: end?.sha256 } }),
})

const conversationsOf = ({ state }: Store, accountId: string) =>
  [...state.messages.values()]
    .filter(([first]) => first?.accountId === accountId)
    .map((messages) => ({
      with: messages[0]?.personId,
      messages: messages.map(({ id, by, text, at }) => ({ id, from: by, text, at: new Date(at).toISOString() })),
    }))

const commentsOf = ({ state }: Store, id: string) =>
  (state.comments.get(id) ?? []).map(({ id: commentId, by, text, parentId, hidden, picture }) => ({
    id: commentId,
    text,
    from: { id: by },
    parentId: parentId ?? null,
    hidden: hidden ?? false,
    ...(picture !== undefined && { picture }),
  }))

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

const describePost = (store: Store, post: StoredPost, base: string) => ({
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

/** An account whose customers a person can play, with its live posts. */
export interface Answering {
  id: string
  name: string
  network: (typeof NETWORKS)[number]
  posts: { id: string; text: string; at: number; story?: true }[]
  /** Whether comments may have pictures. */
  comments: 'with pictures' | 'of text'
  /** Whether the network reports only the number of comments to apps. */
  tellsCounts: boolean
  broadcasts: boolean
}

/** Returns the account with this id if a person can play its customers. */
export function findAnswering(store: Store, id: string): Answering | undefined {
  const { state, clock } = store
  const photo = findPhotoAccount(id)
  if (photo) {
    const posts = postsOf(state.photoPosts, id).map((post) => ({
      id: post.id,
      text: post.caption,
      at: post.at,
      ...(post.story && { story: true as const }),
    }))
    const name = `@${photo.username}`
    return { id, name, network: 'NET_PHOTO', posts, comments: 'of text', tellsCounts: false, broadcasts: true }
  }
  const creator = findCreator(id)
  if (creator) {
    const posts = videosOf(store, id).map(({ title, end }) => ({
      id: end?.postId ?? '',
      text: title,
      at: end?.doneAt ?? 0,
    }))
    const name = `@${creator.username}`
    return { id, name, network: 'NET_VIDEO', posts, comments: 'of text', tellsCounts: true, broadcasts: false }
  }
  const owner = findPage(id)
  if (!owner) return undefined
  const posts = (state.feeds.get(id) ?? [])
    .map((postId) => state.posts.get(postId))
    .filter((post) => post !== undefined && post.at <= clock.now())
    .map((post) => ({ id: post!.id, text: post!.message, at: post!.at }))
  const { name } = owner
  return { id, name, network: 'NET_PAGE', posts, comments: 'with pictures', tellsCounts: false, broadcasts: false }
}

/** Returns the figures of a live post that its network shows at a time. */
export function findMeasured({ state }: Store, id: string, at: number): Figures | undefined {
  const post = state.posts.get(id)
  if (post?.published) return shownOf(state, ofPage(post), at)
  const photo = state.photoPosts.get(id)
  if (photo) return shownOf(state, ofPhoto(photo, isReel(photo)), at)
  const video = [...state.uploads.values()].find(({ end }) => end?.postId === id)
  if (!video) return undefined
  const figures = figuresOf(measuredOf(video), at)
  return {
    reach: null,
    impressions: null,
    likes: figures?.likes ?? 0,
    comments: state.videoComments.get(id) ?? 0,
    shares: figures?.shares ?? 0,
    saves: null,
    videoViews: figures?.videoViews ?? 0,
  }
}

/** Returns the figures of an account's day that its network shows at a time. NET_VIDEO has only the followers. */
export function findDay(
  { state }: Store,
  id: string,
  day: string,
  at: number,
): Record<keyof DayFigures, number | null> | undefined {
  const photo = findPhotoAccount(id)
  if (photo) return { ...dayOfAccount(state, 'photo', photo, day, at), followers: followersOn(photo, day) }
  const page = findPage(id)
  if (page) return dayOfAccount(state, 'page', page, day, at)
  const creator = findCreator(id)
  if (!creator) return undefined
  const followers = followersOn({ id, followers: creator.followers }, day)
  return { followers, reach: null, reach7: null, reach28: null, impressions: null, engagement: null }
}
