import { dayOf, followersOn } from '../days.ts'
import { findPage, photoAccountOf } from '../people.ts'
import type { OwnedPage } from '../people.ts'
import type { Photo, StoredPost } from '../state.ts'
import type { View } from './call.ts'
import type { NodeType } from './fields.ts'
import { commentsAt, insights, ofPage } from './insights.ts'
import { figuresOf } from '../metrics.ts'
import { hasScope, pageToken, tasksOf } from './tokens.ts'

/** The types of node of the Graph API, each with its fields. */

export const UserNode: NodeType<{ id: string; name: string }, View> = {
  name: 'User',
  usual: ['name'],
  fields: { id: (user) => user.id, name: (user) => user.name, picture: (user, view) => picture(user.id, view) },
}

export const PageNode: NodeType<OwnedPage, View> = {
  name: 'Page',
  usual: ['access_token', 'category', 'name', 'tasks'],
  fields: {
    id: (page) => page.id,
    name: (page) => page.name,
    username: (page) => page.username,
    category: (page) => page.category,
    link: (page, { base }) => `${base}/feed/${page.id}`,
    picture: (page, view) => picture(page.id, view),
    followers_count: (page, { call }) => followersOn(page, dayOf(call.store.clock.now())),
    fan_count: (page, { call }) => followersOn(page, dayOf(call.store.clock.now())),
    tasks: (page, { state, call }) => (call.caller().kind === 'user' ? tasksOf(state, page.id) : undefined),
    access_token: (page, { call }) => pageToken(call.store, call.caller(), page.id),
    instagram_business_account: (page, view) => {
      const account = photoAccountOf(page)
      if (!account || !hasScope(view.state, view.call.caller(), 'instagram_basic')) return undefined
      const { id, name, username } = account
      const picture = `${view.base}/avatar/${id}.svg`
      return {
        id,
        name,
        username,
        followers_count: followersOn(account, dayOf(view.call.store.clock.now())),
        profile_picture_url: picture,
      }
    },
  },
}

export const PostNode: NodeType<StoredPost, View> = {
  name: 'Post',
  usual: ['created_time', 'message'],
  fields: {
    id: (post) => post.id,
    message: (post) => post.message || undefined,
    created_time: (post) => graphTime(post.at),
    updated_time: (post) => graphTime(post.editedAt ?? post.at),
    permalink_url: (post, { base }) => permalink(base, post),
    status_type: (post) => STATUS_TYPES[mediaOf(post)],
    is_published: (post) => post.published,
    from: (post) => ({ name: findPage(post.pageId)?.name, id: post.pageId }),
    application: (post) => ({ name: 'Sandbox app', id: post.appId }),
    full_picture: (post, view) => photosOf(post, view).map((photo) => source(photo, view))[0],
    attachments: (post, view) => attachments(post, view),
    reactions: (post, { call }) => counted(figuresOf(ofPage(post).measured, call.store.clock.now())?.likes ?? 0),
    comments: (post, { state, call }) => counted(commentsAt(state, ofPage(post), call.store.clock.now())),
    shares: (post, { call }) => {
      const count = figuresOf(ofPage(post).measured, call.store.clock.now())?.shares ?? 0
      return count > 0 ? { count } : undefined
    },
    insights: (post, view) => insights(ofPage(post), view),
  },
}

export const PhotoNode: NodeType<Photo, View> = {
  name: 'Photo',
  usual: ['created_time', 'name'],
  fields: {
    id: (photo) => photo.id,
    name: (photo) => photo.caption || undefined,
    alt_text: (photo) => photo.altText,
    alt_text_custom: (photo) => photo.altText,
    created_time: (photo) => graphTime(photo.at),
    updated_time: (photo) => graphTime(photo.at),
    from: (photo) => ({ name: findPage(photo.pageId)?.name, id: photo.pageId }),
    link: (photo, view) => photoLink(photo, view),
    width: (photo) => photo.width,
    height: (photo) => photo.height,
    picture: (photo, view) => source(photo, view),
    images: (photo, view) => [image(photo, view)],
    page_story_id: (photo) => photo.postId,
  },
}

const counted = (count: number) => ({ data: [], summary: { total_count: count } })

const STATUS_TYPES = {
  text: 'mobile_status_update',
  link: 'shared_story',
  video: 'added_video',
  photo: 'added_photos',
  album: 'added_photos',
} as const

export function mediaOf(post: StoredPost): keyof typeof STATUS_TYPES {
  if (post.video) return 'video'
  if (post.photoIds.length > 1) return 'album'
  if (post.photoIds.length === 1) return 'photo'
  return post.link === undefined ? 'text' : 'link'
}

/** Formats a time like the Graph API: in seconds, and with a zone without a colon. */
export const graphTime = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, '+0000')

export const permalink = (base: string, post: { id: string; pageId: string }) =>
  `${base}/feed/${post.pageId}/${post.id.slice(post.pageId.length + 1)}`

function attachments(post: StoredPost, view: View): object | undefined {
  const media = mediaOf(post)
  const url = permalink(view.base, post)
  if (media === 'text') return undefined
  if (media === 'video') {
    const target = { id: post.video?.id, url }
    return { data: [{ media_type: 'video', type: 'video_inline', target, url }] }
  }
  if (media === 'link') {
    return {
      data: [
        {
          media_type: 'link',
          type: 'share',
          title: post.link,
          target: { url: post.link },
          url: post.link,
          unshimmed_url: post.link,
        },
      ],
    }
  }
  const photos = photosOf(post, view).map((photo) => ({
    media_type: 'photo',
    type: 'photo',
    media: { image: { height: photo.height, src: source(photo, view), width: photo.width } },
    target: { id: photo.id, url: photoLink(photo, view) },
    url: photoLink(photo, view),
    ...(photo.altText !== undefined && { description: photo.altText }),
  }))
  if (media === 'photo') return { data: photos }
  const title = `Photos from ${findPage(post.pageId)?.name ?? post.pageId}'s post`
  return {
    data: [
      {
        media_type: 'album',
        type: 'album',
        title,
        target: { id: post.pageId, url },
        url,
        subattachments: { data: photos },
      },
    ],
  }
}

const photosOf = (post: StoredPost, { state }: View) =>
  post.photoIds.map((id) => state.photos.get(id)).filter((photo) => photo !== undefined)

const source = (photo: Photo, { base }: View) => `${base}/media/${photo.sha256}`

const image = (photo: Photo, view: View) => ({ height: photo.height, source: source(photo, view), width: photo.width })

const photoLink = (photo: Photo, { base }: View) => `${base}/media/${photo.sha256}`

const picture = (id: string, { base }: View) => ({
  data: { height: 50, is_silhouette: false, url: `${base}/avatar/${id}.svg`, width: 50 },
})
