import { createReadStream } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { permalink } from './graph/nodes.ts'
import { html, page, time } from './html.ts'
import type { Html } from './html.ts'
import { isReel, photoPermalink, postsOf } from './graph/photo.ts'
import type { PhotoPost, Shown } from './graph/photo-state.ts'
import { videosOf } from './networks.ts'
import { findCreator, findPage, findPersonById, findPhotoAccount } from './people.ts'
import type { Creator, OwnedPage, PhotoAccount } from './people.ts'
import type { StoredPost } from './state.ts'
import type { Store } from './store.ts'
import { videoLink } from './video/posting.ts'
import type { VideoUpload } from './video/state.ts'

/** The number of posts on the public view of a page. */
const SHOWN = 100

/** The public view of the network: the feed of a page, a post, and their pictures. */
export function feedRoutes(app: FastifyInstance, store: Store, root: string): void {
  app.get<{ Params: { pageId: string } }>('/feed/:pageId', async (request, reply) => {
    const account = findPhotoAccount(request.params.pageId)
    if (account) {
      const posts = postsOf(store.state.photoPosts, account.id).toReversed()
      const body = html`
        <p class="soft gap">@${account.username} · ${account.followers} followers · ${posts.length} posts</p>
        ${posts.slice(0, SHOWN).map((post) => photoArticle(account, post))}
        ${posts.length > SHOWN && html`<p class="soft">And ${posts.length - SHOWN} earlier posts.</p>`}
        ${posts.length === 0 && html`<p class="card">No posts yet.</p>`}
      `
      return reply.type('text/html; charset=utf-8').send(page(root, account.name, body, 'feed'))
    }
    const creator = findCreator(request.params.pageId)
    if (creator) {
      const videos = videosOf(store, creator.openId).toReversed()
      const body = html`
        <p class="soft gap">@${creator.username} · ${creator.followers} followers · ${videos.length} videos</p>
        ${videos.slice(0, SHOWN).map((video) => videoArticle(creator, video))}
        ${videos.length > SHOWN && html`<p class="soft">And ${videos.length - SHOWN} earlier posts.</p>`}
        ${videos.length === 0 && html`<p class="card">No posts yet.</p>`}
      `
      return reply.type('text/html; charset=utf-8').send(page(root, creator.name, body, 'feed'))
    }
    const owner = findPage(request.params.pageId)
    if (!owner) return reply.callNotFound()
    const ids = (store.state.feeds.get(owner.id) ?? []).filter(
      (id) => (store.state.posts.get(id)?.at ?? 0) <= store.clock.now(),
    )
    const posts = ids
      .slice(-SHOWN)
      .toReversed()
      .map((id) => store.state.posts.get(id))
      .filter((post) => post !== undefined)
    const more = ids.length > SHOWN && html`<p class="soft">And ${ids.length - SHOWN} earlier posts.</p>`
    const body = html`
      <p class="soft gap">${owner.category} · ${owner.followers} followers · ${ids.length} posts</p>
      ${posts.map((post) => article(owner, post))} ${more}
      ${posts.length === 0 && html`<p class="card">No posts yet.</p>`}
    `
    return reply.type('text/html; charset=utf-8').send(page(root, owner.name, body, 'feed'))
  })

  app.get<{ Params: { pageId: string; postId: string } }>('/feed/:pageId/:postId', async (request, reply) => {
    const { pageId, postId } = request.params
    const account = findPhotoAccount(pageId)
    const photoPost = store.state.photoPosts.get(postId)
    if (account && photoPost?.accountId === pageId) {
      const body = html`
        ${photoArticle(account, photoPost)}
        <p><a href="${root}/feed/${pageId}">All posts by ${account.name}</a></p>
      `
      return reply.type('text/html; charset=utf-8').send(page(root, `Post by ${account.name}`, body, 'feed'))
    }
    const creator = findCreator(pageId)
    const video = creator && videosOf(store, pageId).find(({ end }) => end?.postId === postId)
    if (creator && video) {
      const body = html`
        ${videoArticle(creator, video)}
        <p><a href="${root}/feed/${pageId}">All videos by ${creator.name}</a></p>
      `
      return reply.type('text/html; charset=utf-8').send(page(root, `Video by ${creator.name}`, body, 'feed'))
    }
    const owner = findPage(pageId)
    const post = store.state.posts.get(`${pageId}_${postId}`) ?? store.state.posts.get(postId)
    if (!owner || !post?.published || post.pageId !== pageId || post.at > store.clock.now()) return reply.callNotFound()
    const body = html`
      ${article(owner, post)}
      <p><a href="${root}/feed/${pageId}">All posts by ${owner.name}</a></p>
    `
    return reply.type('text/html; charset=utf-8').send(page(root, `Post by ${owner.name}`, body, 'feed'))
  })

  app.get<{ Params: { sha256: string } }>('/media/:sha256', async (request, reply) => {
    const { sha256 } = request.params
    const posted = [...store.state.photoPosts.values()].flatMap((post) => post.pictures)
    const ends = [...store.state.uploads.values(), ...store.state.pageVideos.values()].map(({ end }) => end)
    const pulled = [...store.state.uploads.values()].flatMap(({ pictures = [] }) => pictures)
    const videos = ends.flatMap((end) => (end ? [{ sha256: end.sha256, mime: end.film?.mime ?? 'video/mp4' }] : []))
    const photo = [...store.state.photos.values(), ...posted, ...pulled, ...videos].find(
      (known) => known.sha256 === sha256,
    )
    if (!photo) return reply.callNotFound()
    return reply
      .header('cache-control', 'private, max-age=86400')
      .type(photo.mime)
      .send(createReadStream(store.pathOf(sha256)))
  })

  app.get<{ Params: { id: string } }>('/avatar/:id.svg', async (request, reply) => {
    const { id } = request.params
    const name = (findPage(id) ?? findPhotoAccount(id) ?? findPersonById(id) ?? findCreator(id))?.name
    if (name === undefined) return reply.callNotFound()
    return reply.header('cache-control', 'private, max-age=86400').type('image/svg+xml').send(avatar(id, name))
  })

  const commentsOf = (id: string) => (store.state.comments.get(id) ?? []).map(({ text }) => text)

  function article(owner: OwnedPage, post: StoredPost): Html {
    const photos = post.photoIds.map((id) => store.state.photos.get(id)).filter((photo) => photo !== undefined)
    const edited = post.editedAt !== undefined && ' · edited'
    const reel = post.video?.reel === true && ' · reel'
    return shown(
      owner,
      html`<a href="${permalink(root, post)}">${time(post.at)}</a>${edited}${reel}`,
      post.message,
      post.video ? [{ ...post.video, width: 0, height: 0 }] : photos,
      post.link,
      commentsOf(post.id),
    )
  }

  function photoArticle(owner: PhotoAccount, post: PhotoPost): Html {
    const kind = post.story ? ' · story' : isReel(post) && ' · reel'
    const made = post.pictures.some(({ aiGenerated }) => aiGenerated) && ` · ${AI_MADE}`
    const cover = coverText(post.pictures[0]?.coverMs)
    const when = html`<a href="${photoPermalink(root, post)}">${time(post.at)}</a>${kind}${made}${cover}`
    return shown(owner, when, post.caption, post.pictures, undefined, commentsOf(post.id))
  }

  function videoArticle(
    creator: Creator,
    { openId, title, privacy, end, pictures, aiGenerated, coverMs }: VideoUpload,
  ): Html {
    const link = videoLink(root, openId, end?.postId ?? '')
    const seen = privacy !== 'PUBLIC_TO_EVERYONE' && ` · ${AUDIENCE[privacy]}`
    const files = pictures ?? [{ sha256: end?.sha256 ?? '', mime: 'video/mp4', width: 0, height: 0 }]
    const owner = { id: openId, name: creator.name }
    const made = aiGenerated === true && ` · ${AI_MADE}`
    return shown(
      owner,
      html`<a href="${link}">${time(end?.doneAt ?? 0)}</a>${seen}${made}${coverText(coverMs)}`,
      title,
      files,
    )
  }

  function shown(
    owner: { id: string; name: string },
    when: Html,
    message: string,
    photos: Shown[],
    link?: string,
    comments: string[] = [],
  ): Html {
    return html`<article class="card">
      <div class="head">
        <img src="${root}/avatar/${owner.id}.svg" alt="" width="40" height="40" />
        <div>
          <h2 class="soft"><strong>${owner.name}</strong></h2>
          <p class="soft">${when}</p>
        </div>
      </div>
      ${message !== '' && html`<p class="text">${message}</p>`}
      ${link !== undefined && html`<a class="link" href="${link}" rel="noreferrer nofollow">${link}</a>`}
      ${
        photos.length > 0 &&
        html`<div class="pictures">
          ${photos.map((photo) =>
            photo.mime.startsWith('video/')
              ? html`<video src="${root}/media/${photo.sha256}" controls muted playsinline preload="metadata"></video>`
              : html`<img
                  src="${root}/media/${photo.sha256}"
                  alt="${photo.altText ?? 'Picture without a description'}"
                  width="${photo.width}"
                  height="${photo.height}"
                />`,
          )}
        </div>`
      }
      ${comments.map((comment) => html`<p class="text"><strong>${owner.name}</strong> ${comment}</p>`)}
    </article>`
  }
}

const coverText = (at: number | undefined) => at !== undefined && ` · cover at ${at / 1000} s`

const AI_MADE = 'AI-generated'

const AUDIENCE = {
  MUTUAL_FOLLOW_FRIENDS: 'visible to friends only',
  FOLLOWER_OF_CREATOR: 'visible to followers only',
  SELF_ONLY: 'visible to the creator only',
} as const

/** A disc with the initials of the name, in a colour derived from the id. */
function avatar(id: string, name: string): string {
  const hue = (Number(id.slice(2, 11)) * 47 + Number(id.slice(-1)) * 110) % 360
  const letters = name
    .split(' ')
    .map((word) => word[0])
    .slice(0, 2)
    .join('')
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" width="48" height="48">
    <rect width="48" height="48" rx="24" fill="hsl(${hue} 45% 35%)" />
    <text x="24" y="30" text-anchor="middle" font-family="system-ui, sans-serif" font-size="17" fill="#fff">
      ${letters}
    </text>
  </svg>`.html
}
