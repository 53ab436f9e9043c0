import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import {
  addFault,
  connect,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  picture,
  untilSentAgain,
  untilStatus,
  uploadPicture,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../posts/api.ts'

// One post on NET_PAGE and NET_PHOTO: each network gets a form that it accepts, once, whatever answers are lost.

const { product, sandbox, sql } = useProduct({ env: FAST })
let users = 700

async function somebody(): Promise<{ ann: Person; photo: SocialAccount; user: string }> {
  const user = `u${(users += 1)}`
  const ann = await newPerson(product.url)
  const [photo] = await connect(ann, 'NET_PHOTO', user)
  return { ann, photo: photo as SocialAccount, user }
}
const publish = (ann: Person, body: object) => ann.must<Post>('POST', '/posts', { ...body, action: 'publish' })
const over = ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'] as const
const ended = (ann: Person, post: Post) => untilStatus(ann, post.id, [...over])
const liveAt = async (account: SocialAccount) => (await liveOn(sandbox.url)).get(account.externalId) ?? []

test('accounts of NET_PHOTO are connected by a separate consent, and have the names of their network', async () => {
  const { ann, photo } = await somebody()
  expect(photo).toMatchObject({ platform: 'NET_PHOTO', status: 'CONNECTED', missingScopes: [] })
  expect(photo.externalId).toMatch(/^1784/)
  const all = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
  expect(all.data.map((each) => each.platform)).toEqual(['NET_PHOTO'])
})

describe('a post', () => {
  test('goes to both networks, each with its own format and text', async () => {
    const { ann, photo, user } = await somebody()
    const [page] = await connectPages(ann, user)
    const wide = await sharp(await picture(3000, 500))
      .webp()
      .toBuffer()
    const file = await uploadPicture(ann, wide, 'wide.webp')
    expect(file.renditions.NET_PHOTO).toMatchObject({ mimeType: 'image/jpeg', width: 1440 })
    expect(file.renditions.NET_PAGE).toMatchObject({ mimeType: 'image/jpeg' })
    const post = await publish(ann, {
      caption: 'For everybody',
      captionOverrides: { NET_PHOTO: { caption: 'For the photo people', cta: 'Link in bio' } },
      targets: [page?.id, photo.id],
      media: [file.id],
    })
    const done = await ended(ann, post)
    expect(done.status).toBe('PUBLISHED')
    expect(done.caption).toBe('For everybody')
    const [onPhoto] = await liveAt(photo)
    expect(onPhoto?.message).toBe('For the photo people\n\nLink in bio')
    expect((await liveAt(page as SocialAccount)).map((each) => each.message)).toEqual(['For everybody'])
    // The address is read after the post is known to be live, and nothing waits for it.
    const permalink = await eventually(async () => {
      const read = await ann.must<Post>('GET', `/posts/${post.id}`)
      return read.publications.find((each) => each.platform === 'NET_PHOTO')?.permalink ?? undefined
    })
    expect(permalink).toBe(onPhoto?.permalink)
    expect((await fetch(permalink)).status).toBe(200)
  })

  test('with several pictures is a carousel in their order', async () => {
    const { ann, photo } = await somebody()
    const files = []
    for (const [i, colour] of ['#a00', '#0a0', '#00a'].entries()) {
      files.push(await uploadPicture(ann, await picture(800, 800, colour), `${i}.jpg`))
    }
    const post = await publish(ann, { caption: 'Three', targets: [photo.id], media: files.map((file) => file.id) })
    expect((await ended(ann, post)).status).toBe('PUBLISHED')
    const [live] = await liveAt(photo)
    expect(live?.photos).toHaveLength(3)
    expect(new Set(live?.photos.map((each) => each.sha256)).size).toBe(3)
  })

  test('without a picture is refused before anything is sent', async () => {
    const { ann, photo } = await somebody()
    const answer = await ann.call<Problem>('POST', '/posts', { caption: 'x', targets: [photo.id], action: 'publish' })
    expect(answer.body).toMatchObject({ status: 422, errors: [{ path: '/media', code: 'media_required' }] })
  })

  const answers = [
    ['whose answer is lost after the effect', { drop: 'after' }],
    ['answered with 500 after the effect', { status: 500, after: true }],
  ] as const
  test.each(answers.slice(0, sized(1, 2)))('%s is live once, as its container says', async (_what, fault) => {
    const { ann, photo } = await somebody()
    const file = await uploadPicture(ann)
    await addFault(sandbox.url, { match: { path: `${photo.externalId}/media_publish` }, do: fault, times: 1 })
    // The list of posts shows the post late. Until then, only its container tells that it is live.
    const list = { method: 'GET', path: `${photo.externalId}/media` }
    await addFault(sandbox.url, { match: list, do: { status: 200, body: { data: [] } }, times: 8 })
    const post = await publish(ann, { caption: 'Once', targets: [photo.id], media: [file.id] })
    const done = await ended(ann, post)
    expect(done.status).toBe('PUBLISHED')
    expect(done.publications[0]).toMatchObject({ state: 'PUBLISHED', attempts: 1 })
    expect(done.publications[0]?.externalId).toBe((await liveAt(photo))[0]?.id)
    expect(await liveAt(photo)).toHaveLength(1)
  })

  test('with a commit that never arrived is sent again by the same container, after two reads', async () => {
    const { ann, photo } = await somebody()
    const file = await uploadPicture(ann)
    await addFault(sandbox.url, {
      match: { path: `${photo.externalId}/media_publish` },
      do: { drop: 'before' },
      times: 1,
    })
    const post = await publish(ann, { caption: 'Again', targets: [photo.id], media: [file.id] })
    const done = await untilSentAgain(sql, ann, post.id)
    expect(done.publications[0]).toMatchObject({ state: 'PUBLISHED', attempts: 2 })
    expect(await liveAt(photo)).toHaveLength(1)
  })

  test('refused by one network is live on the other, and shows the reason and what to do', async () => {
    const { ann, photo, user } = await somebody()
    const [page] = await connectPages(ann, user)
    const file = await uploadPicture(ann)
    const post = await publish(ann, {
      caption: 'Partly',
      captionOverrides: { NET_PHOTO: { caption: 'Partly [sim:fail 100]' } },
      targets: [page?.id, photo.id],
      media: [file.id],
    })
    const done = await ended(ann, post)
    expect(done.status).toBe('PARTIALLY_PUBLISHED')
    const failed = done.publications.find((each) => each.platform === 'NET_PHOTO')
    expect(failed).toMatchObject({ state: 'FAILED', error: { code: 'content', networkCode: '100', who: 'author' } })
    expect(failed?.error?.fix).not.toBe('')
    // `editedSince` decides whether the screen offers the fix or the retry first.
    expect(failed?.editedSince).toBe(false)
    const edited = await ann.must<Post>('PATCH', `/posts/${post.id}`, {
      captionOverrides: { NET_PHOTO: { caption: 'Partly, and politely' } },
    })
    expect(edited.publications.map((each) => [each.platform, each.editedSince])).toEqual([
      ['NET_PAGE', false],
      ['NET_PHOTO', true],
    ])
  })
})
