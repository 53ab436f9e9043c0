import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import {
  connect,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { bytesAt } from '../media/testing.ts'
import type { Post, PostMedia } from '../posts/api.ts'

// A crop chosen for a network is what that network gets, and no other network gets it.

const { product, sandbox, sql } = useProduct({ env: FAST })
let users = 860

/** Four fields of 600 by 400: red, green, blue and white. */
async function fields(orientation?: number): Promise<Buffer> {
  const field = (background: string) => ({ create: { width: 600, height: 400, channels: 3, background } }) as const
  const picture = sharp({ create: { width: 1200, height: 800, channels: 3, background: '#fff' } }).composite([
    { input: field('#f00'), left: 0, top: 0 },
    { input: field('#0f0'), left: 600, top: 0 },
    { input: field('#00f'), left: 0, top: 400 },
  ])
  return (orientation ? picture.withMetadata({ orientation }) : picture).jpeg({ quality: 95 }).toBuffer()
}

async function somebody(): Promise<{ ann: Person; page: SocialAccount; photo: SocialAccount }> {
  const user = `u${(users += 1)}`
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, user)
  const [photo] = await connect(ann, 'NET_PHOTO', user)
  return { ann, page: page as SocialAccount, photo: photo as SocialAccount }
}

const over = ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'] as const
const ended = (ann: Person, post: Post) => untilStatus(ann, post.id, [...over])

interface Live {
  photos: { sha256: string }[]
}

/** Returns the pictures that a network shows for an account, decoded. */
async function shownBy(account: SocialAccount) {
  const live = ((await liveOn(sandbox.url)).get(account.externalId) ?? []) as unknown as Live[]
  return Promise.all(
    live
      .flatMap(({ photos }) => photos)
      .map(async ({ sha256 }) => {
        const picture = sharp(await bytesAt(`${sandbox.url}/media/${sha256}`))
        const { width, height } = await picture.metadata()
        const { dominant } = await picture.stats()
        return { width, height, colour: [dominant.r, dominant.g, dominant.b].map((value) => (value > 127 ? 1 : 0)) }
      }),
  )
}

const green = { x: 600, y: 0, width: 400, height: 400 }
const blue = { x: 0, y: 400, width: 500, height: 400 }

describe('a crop of a picture', () => {
  test('goes to the network it was chosen for; the other network gets the whole picture', async () => {
    const { ann, page, photo } = await somebody()
    const file = await uploadPicture(ann, await fields())
    const post = await ann.must<Post>('POST', '/posts', {
      caption: 'Green',
      targets: [page.id, photo.id],
      media: [{ mediaFileId: file.id, crops: { NET_PHOTO: green } }],
      action: 'publish',
    })
    expect(post.media.map(({ crops }) => crops)).toEqual([{ NET_PHOTO: green }])
    expect((await ended(ann, post)).status).toBe('PUBLISHED')
    expect(await shownBy(photo)).toEqual([{ width: 400, height: 400, colour: [0, 1, 0] }])
    expect(await shownBy(page)).toEqual([expect.objectContaining({ width: 1200, height: 800 })])
  })

  test('is measured upright if the metadata rotates the picture', async () => {
    const { ann, photo } = await somebody()
    const file = await uploadPicture(ann, await fields(6))
    expect([file.width, file.height]).toEqual([800, 1200])
    // Rotated clockwise by 90 degrees, blue is at the top left.
    const post = await ann.must<Post>('POST', '/posts', {
      caption: 'Blue',
      targets: [photo.id],
      media: [{ mediaFileId: file.id, crops: { NET_PHOTO: { x: 0, y: 0, width: 400, height: 500 } } }],
      action: 'publish',
    })
    expect((await ended(ann, post)).status).toBe('PUBLISHED')
    expect(await shownBy(photo)).toEqual([{ width: 400, height: 500, colour: [0, 0, 1] }])
  })

  test('has no border as a story; in the feed it gets one if the network does not accept its ratio', async () => {
    const { ann } = await somebody()
    const file = await uploadPicture(ann, await fields())
    const tall = { x: 600, y: 0, width: 450, height: 800 }
    const made = async (kind: 'post' | 'story') => {
      const { id } = await ann.must<Post>('POST', '/posts', {
        caption: '',
        media: [{ mediaFileId: file.id, crops: { NET_PHOTO: tall } }],
        platformOptions: { NET_PHOTO: { kind } },
      })
      return eventually(async () => {
        const { media } = await ann.must<Post>('GET', `/posts/${id}`)
        const use = kind === 'story' ? 'NET_PHOTO_STORY' : 'NET_PHOTO'
        return media[0]?.file.cropped.find((one) => one.use === use)
      })
    }
    expect(await made('story')).toMatchObject({ area: tall, width: 450, height: 800 })
    expect(await made('post')).toMatchObject({ area: tall, width: 640, height: 800 })
  })

  test('beyond the picture is refused with the path of the file', async () => {
    const { ann, photo } = await somebody()
    const file = await uploadPicture(ann, await fields())
    const beyond = { x: 900, y: 0, width: 301, height: 300 }
    const { status, body } = await ann.call<Problem>('POST', '/posts', {
      targets: [photo.id],
      media: [{ mediaFileId: file.id, crops: { NET_PHOTO: beyond } }],
      action: 'publish',
    })
    expect([status, body.errors?.map(({ code, path }) => [code, path])]).toEqual([422, [['crop_beyond', '/media/0']]])
  })

  test('withdraws an approval when changed, and both versions keep the choice', async () => {
    const { ann } = await somebody()
    const file = await uploadPicture(ann, await fields())
    const media = (crops: PostMedia['crops']) => [{ mediaFileId: file.id, crops }]
    const post = await ann.must<Post>('POST', '/posts', {
      caption: 'Asked',
      media: media({ NET_PAGE: green }),
      action: 'submit',
    })
    expect(post.approval?.state).toBe('PENDING')
    // Files that are made from the crop are not an edit of the post.
    await eventually(async () => {
      const { media: placed } = await ann.must<Post>('GET', `/posts/${post.id}`)
      return placed[0]?.file.cropped.some(({ url }) => url !== null)
    })
    const same = await ann.must<Post>('PATCH', `/posts/${post.id}`, { media: media({ NET_PAGE: green }) })
    expect([same.version, same.approval?.state]).toEqual([post.version, 'PENDING'])
    const other = await ann.must<Post>('PATCH', `/posts/${post.id}`, { media: media({ NET_PAGE: blue }) })
    expect(other.approval?.state).toBe('WITHDRAWN')
    const { data } = await ann.must<{ data: { content: Post }[] }>('GET', `/posts/${post.id}/versions`)
    expect(data.map(({ content }) => content.media[0]?.crops.NET_PAGE)).toEqual([blue, green])
  })

  test('is waited for until it is made: the picture never goes out whole', async () => {
    const { ann, photo } = await somebody()
    const file = await uploadPicture(ann, await fields())
    // The original is missing, so the job cannot make the crop.
    const { rows } = await sql.query<{ original_key: string }>('select original_key from media_file where id = $1', [
      file.id,
    ])
    const missing = 'A'.repeat(43)
    await sql.query('update media_file set original_key = $1 where id = $2', [missing, file.id])
    const post = await ann.must<Post>('POST', '/posts', {
      caption: 'Late',
      targets: [photo.id],
      media: [{ mediaFileId: file.id, crops: { NET_PHOTO: green } }],
      action: 'publish',
    })
    const [waits] = await eventually(async () => {
      const { publications } = await ann.must<Post>('GET', `/posts/${post.id}`)
      return publications[0]?.waitReason === 'media' && publications
    })
    expect(waits).toMatchObject({ state: 'PENDING', error: null })
    expect(await shownBy(photo)).toEqual([])
    await sql.query('update media_file set original_key = $1 where id = $2', [rows[0]?.original_key, file.id])
    expect((await ended(ann, post)).status).toBe('PUBLISHED')
    expect(await shownBy(photo)).toEqual([{ width: 400, height: 400, colour: [0, 1, 0] }])
  })
})
