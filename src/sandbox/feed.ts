import type { FastifyInstance } from 'fastify'
import { permalink } from './graph/nodes.ts'
import { html, page, time } from './html.ts'
import type { Html } from './html.ts'
import { findPage, findPersonById } from './people.ts'
import type { Page } from './people.ts'
import type { Post } from './state.ts'
import type { Store } from './store.ts'

/** How many posts the public page of a page shows. */
const SHOWN = 100

/** What the public sees of the network: a page's feed, one post, and the pictures in them. */
export function feedRoutes(app: FastifyInstance, store: Store, root: string): void {
  app.get<{ Params: { pageId: string } }>('/feed/:pageId', async (request, reply) => {
    const owner = findPage(request.params.pageId)
    if (!owner) return reply.callNotFound()
    const ids = store.state.feeds.get(owner.id) ?? []
    const posts = ids
      .slice(-SHOWN)
      .toReversed()
      .map((id) => store.state.posts.get(id))
      .filter((post) => post !== undefined)
    const more = ids.length > SHOWN && html`<p class="soft">And ${ids.length - SHOWN} earlier ones.</p>`
    const body = html`
      <p class="soft gap">${owner.category} · ${owner.followers} followers · ${ids.length} posts</p>
      ${posts.map((post) => article(owner, post))} ${more}
      ${posts.length === 0 && html`<p class="card">Nothing has been published here.</p>`}
    `
    return reply.type('text/html; charset=utf-8').send(page(root, owner.name, body, 'feed'))
  })

  app.get<{ Params: { pageId: string; postId: string } }>('/feed/:pageId/:postId', async (request, reply) => {
    const { pageId, postId } = request.params
    const owner = findPage(pageId)
    const post = store.state.posts.get(`${pageId}_${postId}`) ?? store.state.posts.get(postId)
    if (!owner || !post?.published || post.pageId !== pageId) return reply.callNotFound()
    const body = html`
      ${article(owner, post)}
      <p><a href="${root}/feed/${pageId}">All posts of ${owner.name}</a></p>
    `
    return reply.type('text/html; charset=utf-8').send(page(root, `Post of ${owner.name}`, body, 'feed'))
  })

  app.get<{ Params: { sha256: string } }>('/media/:sha256', async (request, reply) => {
    const { sha256 } = request.params
    const photo = [...store.state.photos.values()].find((known) => known.sha256 === sha256)
    if (!photo) return reply.callNotFound()
    return reply
      .header('cache-control', 'private, max-age=86400')
      .type(photo.mime)
      .send(await store.kept(sha256))
  })

  app.get<{ Params: { id: string } }>('/avatar/:id.svg', async (request, reply) => {
    const { id } = request.params
    const name = findPage(id)?.name ?? findPersonById(id)?.name
    if (name === undefined) return reply.callNotFound()
    return reply.header('cache-control', 'private, max-age=86400').type('image/svg+xml').send(avatar(id, name))
  })

  function article(owner: Page, post: Post): Html {
    const photos = post.photoIds.map((id) => store.state.photos.get(id)).filter((photo) => photo !== undefined)
    return html`<article class="card">
      <div class="head">
        <img src="${root}/avatar/${owner.id}.svg" alt="" width="40" height="40" />
        <div>
          <h2 class="soft"><strong>${owner.name}</strong></h2>
          <p class="soft">
            <a href="${permalink(root, post)}">${time(post.at)}</a>${post.editedAt !== undefined && ' · edited'}
          </p>
        </div>
      </div>
      ${post.message !== '' && html`<p class="text">${post.message}</p>`}
      ${post.link !== undefined && html`<a class="link" href="${post.link}" rel="noreferrer nofollow">${post.link}</a>`}
      ${
        photos.length > 0 &&
        html`<div class="pictures">
          ${photos.map(
            (photo) =>
              html`<img
                src="${root}/media/${photo.sha256}"
                alt="${photo.altText ?? 'Picture without a description'}"
                width="${photo.width}"
                height="${photo.height}"
              />`,
          )}
        </div>`
      }
    </article>`
  }
}

/** A disc with the first letters of the name, its colour by the id. */
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
