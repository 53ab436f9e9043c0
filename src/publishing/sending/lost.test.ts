import { beforeEach, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import { video } from '../../../test/video.ts'
import {
  addFault,
  call,
  connect,
  connectPages,
  eventually,
  liveOn,
  newPerson,
  skipWait,
  untilSentAgain,
  uploadPicture,
  uploadVideo,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../posts/api.ts'

// Misleading answers: refusals that are none, expired addresses, delayed lists and states. Each post is live once.

const { product, sandbox, sql } = useProduct({ env: FAST })
let users = 1300

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

async function somebody(network: SocialAccount['platform']) {
  const user = `u${(users += 1)}`
  const ann = await newPerson(product.url)
  const [account] = network === 'NET_PAGE' ? await connectPages(ann, user) : await connect(ann, network, user)
  const { id, externalId } = account as SocialAccount
  const publish = (caption: string, media: string[] = []) =>
    ann.must<Post>('POST', '/posts', {
      caption,
      targets: [id],
      media,
      platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
      action: 'publish',
    })
  const ended = async (post: Post) => {
    const { publications } = await untilSentAgain(sql, ann, post.id)
    const [target] = publications
    return { state: target?.state, attempts: target?.attempts }
  }
  const live = async () => ((await liveOn(sandbox.url)).get(externalId) ?? []).length
  const fault = (match: object, action: object, times = 1) => addFault(sandbox.url, { match, do: action, times })
  return { ann, externalId, publish, ended, live, fault }
}

const failure = (code: number, subcode?: number) => ({
  status: 400,
  after: true,
  body: { error: { message: 'Please try again', code, ...(subcode && { error_subcode: subcode }) } },
})

test('a server error with the status of a refusal is not taken as one', async () => {
  for (const network of sized(['NET_PAGE'] as const, ['NET_PAGE', 'NET_PHOTO'] as const)) {
    const of = await somebody(network)
    const media = network === 'NET_PHOTO' ? [(await uploadPicture(of.ann)).id] : []
    const subcode = network === 'NET_PHOTO' ? 2207001 : undefined
    await of.fault({ method: 'POST', path: `${of.externalId}/(feed|media_publish)` }, failure(-1, subcode))
    expect(await of.ended(await of.publish('Server error', media))).toEqual({ state: 'PUBLISHED', attempts: 1 })
    expect(await of.live()).toBe(1)
  }
})

test('a video that arrived is not uploaded again while its state lags beyond the life of its address', async () => {
  const clips = await somebody('NET_VIDEO')
  const file = await uploadVideo(clips.ann)
  const lag = { status: 'PROCESSING_UPLOAD', uploaded_bytes: 0 }
  await clips.fault({ path: '/video-upload/', nth: 1 }, { drop: 'after' })
  await clips.fault({ path: '/video-upload/', nth: 2 }, { status: 404, body: '' })
  await clips.fault(
    { path: '/status/fetch/' },
    { status: 200, body: { data: lag, error: { code: 'ok', message: '' } } },
    1000,
  )
  const post = await clips.publish('Lag', [file.id])
  // The proof of absence was wrong, the piece was sent again, and its address had expired. From now on only a read can
  // tell.
  await eventually(async () => {
    await skipWait(sql, post.id)
    const { faults } = (
      await call<{ faults: { used: number; match: { nth?: number } }[] }>(sandbox.url, 'GET', '/state')
    ).body
    return faults.some(({ used, match }) => match.nth === 2 && used === 1)
  })
  await call(sandbox.url, 'DELETE', '/faults')
  expect(await clips.ended(post)).toEqual({ state: 'PUBLISHED', attempts: 2 })
  expect(await clips.live()).toBe(1)
})

test('a page video that is processed but not yet reported as published counts as finished', async () => {
  const page = await somebody('NET_PAGE')
  const file = await uploadVideo(page.ann)
  const phase = (status: string) => ({ status })
  const finish = { path: `${page.externalId}/videos$`, fields: { upload_phase: 'finish' } }
  await page.fault(finish, { drop: 'after' })
  const body = {
    id: '1',
    published: false,
    status: {
      video_status: 'processing',
      uploading_phase: phase('complete'),
      processing_phase: phase('in_progress'),
      publishing_phase: phase('not_started'),
    },
  }
  // Enough reads to prove an absence several times.
  await page.fault({ method: 'GET', path: 'fields=id%2Cstatus' }, { status: 200, body }, 8)
  const post = await page.publish('Long at work', [file.id])
  expect(await page.ended(post)).toEqual({ state: 'PUBLISHED', attempts: 1 })
  expect(await page.live()).toBe(1)
})

test('a piece with a lost answer is not sent again, nor are the pieces before it', async () => {
  const page = await somebody('NET_PAGE')
  const skipped = Buffer.alloc(13_000_000)
  skipped.writeUInt32BE(skipped.length, 0)
  skipped.write('free', 4)
  const file = await uploadVideo(page.ann, Buffer.concat([await video(), skipped]))
  const path = `${page.externalId}/videos$`
  await page.fault({ method: 'POST', path, nth: 4 }, { drop: 'after' })
  await page.fault({ method: 'POST', path, nth: 9_999 }, { drop: 'before' })
  const post = await page.publish('In pieces', [file.id])
  expect(await page.ended(post)).toEqual({ state: 'PUBLISHED', attempts: 1 })
  const { faults } = (await call<{ faults: { seen: number; match: { nth?: number } }[] }>(sandbox.url, 'GET', '/state'))
    .body
  // One call to begin, four pieces, one repeated question about a piece, and one call to end.
  expect(faults.find(({ match }) => match.nth === 9_999)?.seen).toBe(7)
  expect(await page.live()).toBe(1)
})

test.runIf(long)(
  'of two pictures with the same caption, the one with the lost answer is live too, according to its container',
  async () => {
    const photo = await somebody('NET_PHOTO')
    const files = [await uploadPicture(photo.ann), await uploadPicture(photo.ann)]
    const first = await photo.publish('The same', [files[0]!.id])
    expect((await photo.ended(first)).state).toBe('PUBLISHED')
    await photo.fault({ path: `${photo.externalId}/media_publish` }, { drop: 'after' })
    await photo.fault({ method: 'GET', path: `${photo.externalId}/media` }, { status: 200, body: { data: [] } })
    const second = await photo.publish('The same', [files[1]!.id])
    expect(await photo.ended(second)).toEqual({ state: 'PUBLISHED', attempts: 1 })
    expect(await photo.live()).toBe(2)
  },
)
