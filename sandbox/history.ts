import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import { onlyOwnJson } from './guard.ts'
import { HttpError } from './http.ts'
import { findMeasured } from './networks.ts'
import { findCreator, findPage, findPhotoAccount } from './people.ts'
import type { Store } from './store.ts'
import { picture } from './stripes.ts'

const At = z.iso.datetime().transform((at) => Date.parse(at))

/** The past of an account on its network. */
const History = z.strictObject({
  accountId: z.string(),
  posts: z
    .array(
      z.union([
        /** A post that the people of the account made on the network itself. */
        z.strictObject({ at: At, text: z.string().max(2_200), pictures: z.int().min(1).max(4).default(1) }),
        /** A new time for a live post. */
        z.strictObject({ at: At, id: z.string() }),
      ]),
    )
    .min(1)
    .max(200),
})
type Made = Extract<z.infer<typeof History>['posts'][number], { text: string }>

/** The number of different pictures. */
const PICTURES = 6

/** Gives an account a past, for tests and the demo: `POST /history`. */
export function historyRoutes(app: FastifyInstance, store: Store): void {
  app.post('/history', async (request, reply) => {
    onlyOwnJson(request)
    const { accountId, posts } = History.parse(request.body)
    if (posts.some(({ at }) => at > store.clock.now())) throw new HttpError(400, 'The time must not be in the future.')
    const ids: string[] = []
    for (const post of posts) ids.push('id' in post ? date(store, post) : await make(store, accountId, post))
    return reply.code(201).send({ ids })
  })
}

function date(store: Store, { id, at }: { id: string; at: number }): string {
  if (!findMeasured(store, id, at)) throw new HttpError(404, 'No network has a post with this ID.')
  store.record({ type: 'post.dated', id, at })
  return id
}

async function make(store: Store, accountId: string, { text, at, pictures: count }: Made): Promise<string> {
  if (findPage(accountId)) {
    const id = `${accountId}_${store.state.nextId}`
    const post = { id, pageId: accountId, appId: '', at, message: text, photoIds: [], published: true }
    store.record({ type: 'post.made', post, photos: [] })
    return id
  }
  const pictures = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const sha256 = await store.keep(picture((at / 1_000 + index) % PICTURES))
      return { sha256, mime: 'image/png', width: 240, height: 240 }
    }),
  )
  const { nextId } = store.state
  if (findPhotoAccount(accountId)) {
    const post = { id: `179${nextId}`, accountId, appId: '', at, caption: text, pictures }
    store.record({ type: 'container.published', id: '', post })
    return post.id
  }
  if (!findCreator(accountId)) throw new HttpError(404, 'No network has an account with this ID.')
  const postId = `7${String(nextId).padStart(18, '0')}`
  store.record({
    type: 'video.begun',
    upload: {
      id: `p_pub_url~v2.${nextId}`,
      openId: accountId,
      secret: '',
      at,
      title: text,
      privacy: 'PUBLIC_TO_EVERYONE',
      size: 0,
      chunk: 0,
      count: 0,
      parts: [],
      pictures,
      end: { sha256: pictures[0]?.sha256 ?? '', doneAt: at, postId },
    },
  })
  return postId
}
