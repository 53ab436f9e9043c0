import { findPhotoAccount, findPhotoAccountNamed, type PhotoAccount } from '../people.ts'
import { dayOf, followersOn } from '../days.ts'
import { type Film, inspectFilm } from '../film.ts'
import { accountInsights } from './account-insights.ts'
import { answerList, answerNode, idOf, newId } from './call.ts'
import type { GraphRequest } from './call.ts'
import { GraphError, played, refuse } from './errors.ts'
import type { NodeType } from './fields.ts'
import { figuresOf, inventedPosts } from '../metrics.ts'
import { commentsAt, insights, ofPhoto } from './insights.ts'
import { fetchPhoto, inspectPhoto } from './media.ts'
import { graphTime } from './nodes.ts'
import type { View } from './call.ts'
import { flag, instant, limit, list, text } from './params.ts'
import type { Container, PhotoPost, Shown } from './photo-state.ts'
import { grantOf, hasScope, needToRead } from './tokens.ts'
import type { GraphCaller } from './tokens.ts'

const DAY = 86_400_000
/** Milliseconds of the network's time until a container is finished. */
const PROCESSING = 4_000
const CAPTION_LIMIT = 2_200
const BYTES_LIMIT = 8 * 1024 * 1024
const CONTAINERS_A_DAY = 400
const POSTS_A_DAY = 50

const no = (code: number, subcode: number, message: string, userMessage = message) =>
  new GraphError({ message, code, subcode, status: 400, userMessage })

/** The refusals of NET_PHOTO, with the codes of the real network. */
const refusePhoto = {
  unfetched: () =>
    no(
      9004,
      2207052,
      'Only photo or video can be accepted as media type.',
      'The media could not be fetched from this URI.',
    ),
  tooLarge: () => no(36000, 2207004, 'The image size is too large: at most 8 MiB.'),
  notJpeg: () => no(36001, 2207005, 'The image format is not supported: use JPEG.'),
  aspect: (ratio: number) =>
    no(36003, 2207009, `The aspect ratio ${ratio.toFixed(2)} is not supported: 4:5 to 1.91:1.`),
  caption: () => no(36004, 2207010, 'The caption is too long: at most 2200 characters, 30 hashtags and 20 mentions.'),
  mediaType: () => no(100, 2207023, 'The media type is unknown.'),
  carousel: () => no(100, 2207028, 'A carousel must have 2 to 10 children.'),
  notFound: () => no(24, 2207006, 'The requested resource does not exist: the media could not be found.'),
  unknown: () => no(24, 2207008, 'The media builder with this creation id does not exist or has expired.'),
  notReady: () => no(9007, 2207027, 'Media ID is not available: the media is not ready for publishing.'),
  nobody: (name: string) => no(110, 2207013, 'Invalid user id', `The user with username ${name} cannot be found.`),
  quota: () => no(9, 2207042, 'Application request limit reached: the account has reached its daily publishing limit.'),
}

const ContainerNode: NodeType<Container, View> = {
  name: 'IGMediaBuilder',
  usual: [],
  fields: {
    id: (container) => container.id,
    status_code: (container, { call }) => codeOf(call, container),
    status: (container, { call }) => {
      const code = codeOf(call, container)
      return code === 'ERROR' ? `Error: ${container.reason}` : WORDS[code]
    },
  },
}

const PhotoPostNode: NodeType<PhotoPost, View> = {
  name: 'IGMedia',
  usual: [],
  fields: {
    id: (post) => post.id,
    caption: (post) => post.caption || undefined,
    timestamp: (post) => graphTime(post.at),
    permalink: (post, { base }) => photoPermalink(base, post),
    shortcode: (post) => post.id.slice(-11),
    media_type: (post) => (post.pictures.length > 1 ? 'CAROUSEL_ALBUM' : isFilm(post) ? 'VIDEO' : 'IMAGE'),
    media_product_type: (post) => (post.story ? 'STORY' : isReel(post) ? 'REELS' : 'FEED'),
    media_url: (post, { base }) => `${base}/media/${post.pictures[0]?.sha256}`,
    username: (post) => findPhotoAccount(post.accountId)?.username,
    owner: (post) => ({ id: post.accountId }),
    like_count: (post, { call }) => figuresOf(ofPhoto(post, isReel(post)).measured, call.store.clock.now())?.likes ?? 0,
    comments_count: (post, { state, call }) => commentsAt(state, ofPhoto(post, isReel(post)), call.store.clock.now()),
    insights: (post, view) => insights(ofPhoto(post, isReel(post)), view),
  },
}

const PhotoAccountNode: NodeType<PhotoAccount, View> = {
  name: 'IGUser',
  usual: [],
  fields: {
    id: (account) => account.id,
    username: (account) => account.username,
    name: (account) => account.name,
    followers_count: (account, { call }) => followersOn(account, dayOf(call.store.clock.now())),
    insights: (account, { call }) => accountInsights('photo', account, call),
    media_count: (account, { state }) => postsOf(state.photoPosts, account.id).length,
    profile_picture_url: (account, { base }) => `${base}/avatar/${account.id}.svg`,
    business_discovery: (_account, view) => discover(view),
  },
}

/**
 * Returns what a professional account may see of another one. The accounts of each 83rd person are age-restricted, and
 * are not shown.
 */
function discover({ call }: View): object | undefined {
  const { store } = call
  if (!hasScope(store.state, call.caller(), 'instagram_manage_insights'))
    throw refuse.readPermission('instagram_manage_insights')
  const name = /business_discovery\.username\(([^()]*)\)/.exec(text(call.params, 'fields') ?? '')?.[1]
  if (name === undefined) throw refuse.parameter('The parameter username is required')
  const account = findPhotoAccountNamed(name)
  if (!account || Number(/_(\d+)$/.exec(account.username)?.[1]) % 83 === 0) throw refusePhoto.nobody(name)
  const posted = postsOf(store.state.photoPosts, account.id).filter(({ story }) => !story)
  const posts =
    posted.length > 0
      ? posted.map((post) => ofPhoto(post, isReel(post)).measured)
      : inventedPosts(account, store.clock.now())
  return {
    id: account.id,
    username: account.username,
    name: account.name,
    followers_count: followersOn(account, dayOf(store.clock.now())),
    media_count: posts.length,
    profile_picture_url: `${call.base}/avatar/${account.id}.svg`,
    media: {
      data: posts
        .toSorted((a, b) => b.at - a.at)
        .slice(0, 25)
        .map((post) => ({
          id: post.id,
          caption: post.text || undefined,
          timestamp: graphTime(post.at),
          permalink: `${call.base}/feed/${account.id}/${post.id}`,
          like_count: figuresOf(post, store.clock.now())?.likes ?? 0,
          comments_count: commentsAt(store.state, { measured: post }, store.clock.now()),
        })),
    },
  }
}

const isFilm = ({ pictures: [first] }: PhotoPost) => first?.mime.startsWith('video/') === true
export const isReel = (post: PhotoPost) => !post.story && post.pictures.length === 1 && isFilm(post)

const WORDS = {
  IN_PROGRESS: 'In Progress: Media is still being processed.',
  FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
  EXPIRED: 'Expired: The container was not published within 24 hours.',
  PUBLISHED: 'Published: Media has been successfully published.',
}

function codeOf({ store }: GraphRequest, container: Container): keyof typeof WORDS | 'ERROR' {
  const now = store.clock.now()
  if (container.publishedAs) return 'PUBLISHED'
  if (now - container.at > DAY) return 'EXPIRED'
  if (container.readyAt === undefined || now < container.readyAt) return 'IN_PROGRESS'
  return container.reason === undefined ? 'FINISHED' : 'ERROR'
}

export const photoPermalink = (base: string, { accountId, id }: PhotoPost) => `${base}/feed/${accountId}/${id}`

export const postsOf = (posts: ReadonlyMap<string, PhotoPost>, accountId: string) =>
  [...posts.values()].filter((post) => post.accountId === accountId)

/** Whether a call is about NET_PHOTO: one of its accounts, containers or posts. */
export const isPhotoCall = ({ store, ids }: Pick<GraphRequest, 'store' | 'ids'>) => {
  const id = ids['id'] ?? ''
  return findPhotoAccount(id) !== undefined || store.state.containers.has(id) || store.state.photoPosts.has(id)
}

/**
 * `POST {account}/media`: makes a private container for a picture, a reel, a story, an item of a carousel, or a
 * carousel.
 */
export async function createContainer(call: GraphRequest): Promise<object> {
  const { params, store, timeScale } = call
  const { account, caller } = publisher(call)
  const now = store.clock.now()
  const made = [...store.state.containers.values()].filter(
    (each) => each.accountId === account.id && each.at > now - DAY,
  )
  if (made.length >= CONTAINERS_A_DAY) throw refusePhoto.quota()
  const caption = captionOf(call)
  const mediaType = text(params, 'media_type')
  if (mediaType === 'REELS') return beginVideo(call, account, caller, { kind: 'REEL', caption })
  const item = flag(params, 'is_carousel_item') === true
  if (caption !== '' && (item || mediaType === 'STORIES'))
    throw refuse.parameter('The parameter caption is not supported')
  if (mediaType === 'VIDEO' && item) return beginVideo(call, account, caller, { kind: 'ITEM', caption })
  const story = mediaType === 'STORIES'
  if (story && !params.has('image_url')) return beginVideo(call, account, caller, { kind: 'STORY', caption })
  const carousel = mediaType === 'CAROUSEL'
  if (mediaType !== undefined && !story && !carousel && mediaType !== 'IMAGE') throw refusePhoto.mediaType()
  const pictures = carousel ? childrenOf(call, account) : [await pictureOf(call, story)]
  const container: Container = {
    id: newId(call),
    accountId: account.id,
    appId: caller.appId,
    kind: carousel ? 'CAROUSEL' : story ? 'STORY' : item ? 'ITEM' : 'IMAGE',
    at: store.clock.now(),
    readyAt: store.clock.now() + PROCESSING / timeScale,
    caption,
    pictures,
  }
  store.record({ type: 'container.made', container })
  return { id: container.id }
}

/** Starts a video, and returns the address to which its bytes must be sent. */
function beginVideo(
  call: GraphRequest,
  account: PhotoAccount,
  { appId }: GraphCaller,
  made: Pick<Container, 'kind' | 'caption'>,
): object {
  const { params, store, base, ids } = call
  if (text(params, 'upload_type') !== 'resumable') throw refuse.parameter('The parameter video_url is required')
  flag(params, 'share_to_feed')
  const cover = text(params, 'thumb_offset')
  if (cover !== undefined && (made.kind !== 'REEL' || !/^\d+$/.test(cover)))
    throw refuse.parameter('The parameter thumb_offset is not supported')
  const id = newId(call)
  const at = store.clock.now()
  const container: Container = {
    id,
    accountId: account.id,
    appId,
    ...made,
    at,
    pictures: [],
    ...(cover !== undefined && { coverMs: Number(cover) }),
  }
  store.record({ type: 'container.made', container })
  return { id, uri: `${base}/rupload/ig-api-upload/${ids['version']}/${id}` }
}

/** Accepts the bytes of a whole video. If the network refuses them, the status shows the reason later. */
export async function fillReel(
  { store, timeScale }: Pick<GraphRequest, 'store' | 'timeScale'>,
  id: string,
  bytes: AsyncIterable<Buffer>,
  size: number,
): Promise<'done' | 'short' | 'gone'> {
  const open = () => {
    const container = store.state.containers.get(id)
    return container && container.readyAt === undefined ? container : undefined
  }
  const { kind, coverMs } = open() ?? {}
  if (!kind) return 'gone'
  const part = await store.receive(bytes)
  const sha256 = part.size === size ? await store.join([part.name]) : undefined
  await store.drop([part.name])
  if (!sha256) return 'short'
  const film = await inspectFilm(store.pathOf(sha256))
  const late = film && coverMs !== undefined && coverMs >= film.seconds * 1000
  const reason =
    reasonAgainst(film, size, kind === 'STORY') ??
    (late ? 'Media upload has failed with error code 2207057: thumb_offset is out of range.' : undefined)
  if (!open()) return 'gone'
  const shown = {
    sha256,
    mime: film?.mime ?? 'video/mp4',
    width: film?.width ?? 0,
    height: film?.height ?? 0,
    ...(coverMs !== undefined && { coverMs }),
  }
  const readyAt = store.clock.now() + PROCESSING / timeScale
  store.record({ type: 'container.filled', id, readyAt, shown, ...(film && { film }), ...(reason && { reason }) })
  return 'done'
}

/** Returns why a video is refused, for the status of its container. The text contains the subcode. */
function reasonAgainst(film: Film | undefined, size: number, story: boolean): string | undefined {
  const bad = (what: string) => `Media upload has failed with error code 2207026: ${what}`
  if (!film || !['avc', 'hevc'].includes(film.codec ?? '')) return bad('the format of the video is not supported.')
  if (size > (story ? 100_000_000 : 300_000_000)) return bad('the video is too large.')
  if (story && film.seconds > 60) return bad('the video of a story must be at most 60 seconds long.')
  if (film.seconds < 3 || film.seconds > 900) return bad('the video must be 3 seconds to 15 minutes long.')
  if (film.rate < 23 || film.rate > 60.5) return bad('the frame rate must be 23 to 60.')
  if (film.width > 1920) return bad('the video must be at most 1920 pixels wide.')
  const ratio = film.width / film.height
  return ratio < 0.01 || ratio > 10 ? bad('the aspect ratio is not supported.') : undefined
}

function captionOf({ params }: GraphRequest): string {
  const caption = text(params, 'caption') ?? ''
  const count = (pattern: RegExp) => (caption.match(pattern) ?? []).length
  const tooMuch = count(/#[\p{L}\p{N}_]+/gu) > 30 || count(/(^|\s)@[\w.]+/gu) > 20
  if (Array.from(caption).length > CAPTION_LIMIT || tooMuch) throw refusePhoto.caption()
  return caption
}

async function pictureOf({ params, store, fetchTimeoutMs }: GraphRequest, story: boolean): Promise<Shown> {
  const url = text(params, 'image_url')
  if (url === undefined) throw refuse.parameter('The parameter image_url is required')
  const bytes = await fetchPhoto(url, fetchTimeoutMs).catch((error: unknown) => {
    if (error instanceof GraphError && error.refused.subcode === 1366046) throw refusePhoto.tooLarge()
    if (error instanceof GraphError) throw refusePhoto.unfetched()
    throw error
  })
  if (bytes.length > BYTES_LIMIT) throw refusePhoto.tooLarge()
  const { mime, width, height } = await inspectPhoto(bytes).catch((error: unknown) => {
    if (error instanceof GraphError) throw refusePhoto.notJpeg()
    throw error
  })
  if (mime !== 'image/jpeg') throw refusePhoto.notJpeg()
  const ratio = width / height
  if (!story && (ratio < 0.8 || ratio > 1.91)) throw refusePhoto.aspect(ratio)
  const altText = text(params, 'alt_text')
  if (altText !== undefined && altText.length > 1000) throw refuse.parameter('Param alt_text is too long')
  const aiGenerated = flag(params, 'is_ai_generated')
  return {
    sha256: await store.keep(bytes),
    mime,
    width,
    height,
    ...(altText !== undefined && { altText }),
    ...(aiGenerated && { aiGenerated }),
  }
}

function childrenOf(call: GraphRequest, account: PhotoAccount): Shown[] {
  const ids = list(call.params, 'children') ?? []
  if (ids.length < 2 || ids.length > 10) throw refusePhoto.carousel()
  return ids.map((id) => {
    const child = call.store.state.containers.get(String(id))
    if (!child || child.accountId !== account.id || child.kind !== 'ITEM') throw refusePhoto.notFound()
    const code = codeOf(call, child)
    if (code === 'IN_PROGRESS') throw refusePhoto.notReady()
    if (code !== 'FINISHED') throw refusePhoto.unknown()
    return child.pictures[0] as Shown
  })
}

/** `POST {account}/media_publish`: makes a finished container live, once. */
export async function publishContainer(call: GraphRequest): Promise<object> {
  const { params, store } = call
  const { account, caller } = publisher(call)
  const asked = () => {
    const found = store.state.containers.get(text(params, 'creation_id') ?? '')
    if (!found || found.accountId !== account.id || found.kind === 'ITEM') throw refusePhoto.notFound()
    const code = codeOf(call, found)
    if (code === 'IN_PROGRESS') throw refusePhoto.notReady()
    if (code === 'EXPIRED') throw refusePhoto.unknown()
    if (code === 'PUBLISHED' || code === 'ERROR') throw refusePhoto.notFound()
    return found
  }
  const fail = /\[sim:fail (-?\d{1,7})\]/.exec(asked().caption)?.[1]
  if (fail !== undefined) throw new GraphError(played(Number(fail)).refused)
  const slow = /\[sim:slow (\d{1,7})\]/.exec(asked().caption)?.[1]
  if (slow !== undefined) await store.clock.wait(Number(slow))
  // No await from here to the record, so that a container becomes only one post.
  const container = asked()
  if (published(call, account) >= POSTS_A_DAY) throw refusePhoto.quota()
  const { id: containerId, caption, pictures, kind } = container
  const id = `179${store.state.nextId}`
  const post: PhotoPost = {
    id,
    accountId: account.id,
    appId: caller.appId,
    at: store.clock.now(),
    caption,
    pictures,
    ...(kind === 'STORY' && { story: true as const }),
  }
  store.record({ type: 'container.published', id: containerId, post })
  const key = `${account.id}:${caption}`
  if (caption.includes('[sim:drop-after]') && !store.state.dropped.has(key)) {
    store.record({ type: 'drop.played', key })
    call.cut = true
  }
  return { id }
}

function published({ store }: GraphRequest, account: PhotoAccount): number {
  const since = store.clock.now() - DAY
  return postsOf(store.state.photoPosts, account.id).filter((post) => post.at > since).length
}

/** `GET {account}/content_publishing_limit`: the number of posts in the last day. */
export function readPublishingLimit(call: GraphRequest): object {
  const { account } = publisher(call)
  const config = { quota_total: POSTS_A_DAY, quota_duration: DAY / 1000 }
  return { data: [{ quota_usage: published(call, account), config }] }
}

/** `GET {account}/media`: the live posts, newest first. */
export function listPhotoPosts(call: GraphRequest): object {
  const { account } = reader(call, idOf(call))
  const posts = postsOf(call.store.state.photoPosts, account.id).map((post, index) => ({ key: index + 1, node: post }))
  const [since, until] = [instant(call.params, 'since'), instant(call.params, 'until')]
  const inFeed = posts.filter(
    ({ node }) => !node.story && (since === undefined || node.at >= since) && (until === undefined || node.at <= until),
  )
  return answerList(call, PhotoPostNode, inFeed.toReversed(), limit(call.params))
}

/** `GET {account}/stories`: the stories of the last day, newest first. */
export function listStories(call: GraphRequest): object {
  const { account } = reader(call, idOf(call))
  const since = call.store.clock.now() - DAY
  const stories = postsOf(call.store.state.photoPosts, account.id)
    .map((post, index) => ({ key: index + 1, node: post }))
    .filter(({ node }) => node.story && node.at > since)
  return answerList(call, PhotoPostNode, stories.toReversed(), limit(call.params))
}

/** `GET {id}` for an account, a container or a post of NET_PHOTO. */
export function readPhotoObject(call: GraphRequest): object {
  const { state } = call.store
  const id = idOf(call)
  const container = state.containers.get(id)
  const post = state.photoPosts.get(id)
  const { account } = reader(call, container?.accountId ?? post?.accountId ?? id)
  if (container) return answerNode(call, ContainerNode, container)
  return post ? answerNode(call, PhotoPostNode, post) : answerNode(call, PhotoAccountNode, account)
}

/** Returns the caller if they may read the account through its linked page. Throws 100/33 for everyone else. */
function reader(call: GraphRequest, accountId: string): { account: PhotoAccount; caller: GraphCaller } {
  const { state } = call.store
  const caller = call.caller()
  const account = findPhotoAccount(accountId)
  const pages = caller.pageId === undefined ? grantOf(state, caller).pages : [caller.pageId]
  if (!account || !pages.includes(account.pageId)) throw refuse.unknownObject(call.method, accountId)
  needToRead(state, caller, 'instagram_basic')
  return { account, caller }
}

function publisher(call: GraphRequest): { account: PhotoAccount; caller: GraphCaller } {
  const found = reader(call, idOf(call))
  if (!hasScope(call.store.state, found.caller, 'instagram_content_publish')) {
    throw refuse.permission(['instagram_content_publish'])
  }
  return found
}
