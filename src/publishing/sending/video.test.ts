import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import { video } from '../../../test/video.ts'
import {
  addFault,
  call,
  connect,
  connectPages,
  eventually,
  type LivePost,
  liveOn,
  newPerson,
  type Person,
  uploadVideo,
  untilSentAgain,
  untilStatus,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { MediaFile } from '../media/api.ts'
import type { Post, Publication } from '../posts/api.ts'

// One video on three networks, each with its own way of uploading. It is live once on each, whatever answers are lost.

const { product, sandbox, sql } = useProduct({ env: FAST })
let clip: Buffer
let users = 900

beforeAll(async () => {
  clip = await video()
})

interface Somebody {
  ann: Person
  page: SocialAccount
  photo: SocialAccount
  clips: SocialAccount
}

async function somebody(user = `u${(users += 1)}`): Promise<Somebody> {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, user)
  const [photo] = await connect(ann, 'NET_PHOTO', user)
  const [clips] = await connect(ann, 'NET_VIDEO', user)
  return { ann, page: page!, photo: photo!, clips: clips! }
}
const options = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } }
const publish = (ann: Person, body: object) =>
  ann.must<Post>('POST', '/posts', { platformOptions: options, ...body, action: 'publish' })
const over = ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'] as const
const ended = (ann: Person, post: Post) => untilStatus(ann, post.id, [...over])
const liveAt = async (account: SocialAccount): Promise<LivePost[]> =>
  (await liveOn(sandbox.url)).get(account.externalId) ?? []
const targetOn = (post: Post, account: SocialAccount) =>
  post.publications.find(({ accountId }) => accountId === account.id) as Publication

/** Runs jobs that are scheduled for later now: all of them, or those whose key ends with `key`. */
const hurry = (key?: string) =>
  sql.query(
    "update graphile_worker._private_jobs set run_at = now() where run_at > now() and ($1::text is null or key like '%' || $1)",
    [key ?? null],
  )

test('NET_VIDEO is connected by a separate consent, and reports the choices that its owner allows', async () => {
  const { ann, clips } = await somebody()
  expect(clips).toMatchObject({ platform: 'NET_VIDEO', status: 'CONNECTED', missingScopes: [] })
  expect(await ann.must('GET', `/social-accounts/${clips.id}/posting-options`)).toMatchObject({
    privacyLevels: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
    commentDisabled: false,
    maxSeconds: 600,
  })
  const hidden = await somebody('u1067') // eleven times 97: a private account
  expect(await hidden.ann.must('GET', `/social-accounts/${hidden.clips.id}/posting-options`)).toMatchObject({
    privacyLevels: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
    duetDisabled: true,
  })
})

describe('a post with a video', () => {
  test('goes to three networks, each with its own text, and every id and address becomes known', async () => {
    const { ann, page, photo, clips } = await somebody()
    const file = await uploadVideo(ann, clip)
    expect(file).toMatchObject({
      kind: 'VIDEO',
      state: 'READY',
      width: 640,
      height: 360,
      codec: 'avc',
    } satisfies Partial<MediaFile>)
    const post = await publish(ann, {
      caption: 'For everybody',
      captionOverrides: { NET_PHOTO: { caption: 'For the photo people', cta: 'Link in bio' } },
      targets: [page.id, photo.id, clips.id],
      media: [file.id],
    })
    const done = await ended(ann, post)
    expect(done.publications.map(({ state, error }) => [state, error])).toEqual(
      Array.from({ length: 3 }, () => ['PUBLISHED', null]),
    )
    const texts = await Promise.all(
      [page, photo, clips].map(async (each) => (await liveAt(each)).map(({ message }) => message)),
    )
    expect(texts).toEqual([['For everybody'], ['For the photo people\n\nLink in bio'], ['For everybody']])
    for (const account of [page, photo, clips]) {
      const [live] = await liveAt(account)
      // The id of a public video is given after its moderation, and is too long for a JavaScript number.
      const target = await eventually(async () => {
        await hurry()
        const read = targetOn(await ann.must<Post>('GET', `/posts/${post.id}`), account)
        return read.externalId !== null && read.permalink !== null && read
      })
      expect(target).toMatchObject({ externalId: live?.id, permalink: live?.permalink })
      expect((await fetch(target.permalink ?? '')).status).toBe(200)
    }
    expect(targetOn(await ann.must<Post>('GET', `/posts/${post.id}`), clips).externalId).toMatch(/^7\d{18}$/)
  })

  test('that only the creator may see is published, and never gets an id', async () => {
    const { ann, clips } = await somebody()
    const file = await uploadVideo(ann, clip)
    const post = await publish(ann, {
      caption: 'Mine',
      platformOptions: { NET_VIDEO: { privacyLevel: 'SELF_ONLY', consent: true } },
      targets: [clips.id],
      media: [file.id],
    })
    const done = await ended(ann, post)
    expect(done.publications).toMatchObject([{ state: 'PUBLISHED', externalId: null, permalink: null }])
    expect(await liveAt(clips)).toMatchObject([{ message: 'Mine', privacy: 'SELF_ONLY' }])
  })

  test('in many pieces arrives complete, without the location where it was filmed', async () => {
    const { ann, page, photo, clips } = await somebody()
    // Bytes that a player skips make it long enough for every network to need several pieces.
    const skipped = Buffer.alloc(65_000_000, 'pad')
    skipped.writeUInt32BE(skipped.length, 0)
    skipped.write('free', 4)
    const placed = await video({ location: '+52.5200+013.4050/' })
    const file = await uploadVideo(ann, Buffer.concat([placed, skipped]))
    const accounts = sized([clips], [page, photo, clips])
    const post = await publish(ann, { caption: 'Long', targets: accounts.map(({ id }) => id), media: [file.id] })
    const done = await untilStatus(ann, post.id, [...over], 100_000)
    expect(done.status).toBe('PUBLISHED')
    const kept = await Promise.all(accounts.map(async (each) => sha256Of((await liveAt(each))[0])))
    const served = Buffer.from(await (await fetch(file.storageUrl!)).arrayBuffer())
    expect(served.includes('52.52')).toBe(false)
    const sum = createHash('sha256').update(served).digest('hex')
    expect(kept).toEqual(accounts.map(() => sum))
  })
})

const sha256Of = (live: LivePost | undefined) =>
  (live as { video?: { sha256: string } } | undefined)?.video?.sha256 ?? live?.photos[0]?.sha256

/** A page's video is uploaded and finished at one address. Calls may be repeated, so their number says nothing. */
const pageVideo = (phase: string) => ({
  network: 'NET_PAGE',
  method: 'POST',
  path: '/graph/[^/]+/\\d+/videos$',
  fields: { upload_phase: phase },
})
/** The call on each network that cannot be undone. */
const commits = {
  NET_PAGE: pageVideo('finish'),
  NET_PHOTO: { network: 'NET_PHOTO', method: 'POST', path: '/media_publish$' },
  NET_VIDEO: { network: 'NET_VIDEO', method: 'PUT', path: '/video-upload/' },
}
const networks = ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const
const on = (who: Somebody, network: (typeof networks)[number]) =>
  ({ NET_PAGE: who.page, NET_PHOTO: who.photo, NET_VIDEO: who.clips })[network]

/** Publishes a video on each network separately, in parallel, each with a fault. */
async function each(
  caption: string,
  faultOn: (network: (typeof networks)[number]) => { match: object; do: object; times: number },
  isHastened = false,
) {
  const who = await somebody()
  const { ann } = who
  const file = await uploadVideo(ann, clip)
  await call(sandbox.url, 'DELETE', '/faults')
  for (const network of networks) await addFault(sandbox.url, faultOn(network))
  return Promise.all(
    networks.map(async (network) => {
      const account = on(who, network)
      const post = await publish(ann, { caption, targets: [account.id], media: [file.id] })
      const done = isHastened
        ? await untilSentAgain(sql, ann, post.id)
        : await untilStatus(ann, post.id, [...over], 100_000)
      const { state, attempts } = targetOn(done, account)
      return { network, state, attempts, live: (await liveAt(account)).length }
    }),
  )
}
const all = (expected: object) => networks.map((network) => ({ network, state: 'PUBLISHED', live: 1, ...expected }))

describe('on every network a video', () => {
  const answers = [
    ['whose answer is lost after the effect', { drop: 'after' }],
    ['answered with 500 after the effect', { status: 500, after: true }],
    ['answered with what cannot be read after the effect', { status: 200, body: '{"id":', after: true }],
  ] as const
  test.each(answers.slice(0, sized(1, 3)))('%s is live once, after one try', async (_what, fault) => {
    const found = await each('Once', (network) => ({ match: commits[network], do: fault, times: 1 }))
    expect(found).toEqual(all({ attempts: 1 }))
  })

  test('with a commit that never arrived is sent again after two reads, and live once', async () => {
    const lost = (network: (typeof networks)[number]) => ({
      match: commits[network],
      do: { drop: 'before' },
      times: 1,
    })
    const found = await each('Again', lost, true)
    expect(found).toEqual(all({ attempts: 2 }))
  })

  test('with a commit that takes effect once its absence is proven is found by its handle', async () => {
    const late = { delayMs: 270_000 }
    const found = await each('Late', (network) => ({ match: commits[network], do: late, times: 1 }))
    expect(found).toMatchObject(all({}))
  })

  test('with bytes that arrived without an answer is begun again, and live once', async () => {
    const bytes = {
      NET_PAGE: pageVideo('transfer'),
      NET_PHOTO: { network: 'NET_PHOTO', method: 'POST', path: '/rupload/' },
      NET_VIDEO: { network: 'NET_VIDEO', method: 'POST', path: '/video/init/' },
    }
    const lost = (network: (typeof networks)[number]) => ({
      match: bytes[network],
      do: { drop: 'after' },
      times: 1,
    })
    const found = await each('Unheard', lost, true)
    expect(found).toEqual(all({ attempts: 1 }))
  })

  test.runIf(long)('that cannot be prepared at first is live once', async () => {
    const first = { NET_PAGE: '/videos$', NET_PHOTO: '/rupload/', NET_VIDEO: '/video/init/' }
    const away = (network: (typeof networks)[number]) => ({
      match: { network, method: 'POST', path: first[network] },
      do: { status: 503 },
      times: 2,
    })
    const found = await each('Third time lucky', away, true)
    expect(found).toMatchObject(all({}))
  })
})

describe('a failure that NET_VIDEO reports after accepting a video', () => {
  test('is shown with its reason; the others are live, and one retry of that target fixes it', async () => {
    const who = await somebody()
    const { ann, page, photo, clips } = who
    const file = await uploadVideo(ann, clip)
    const post = await publish(ann, {
      caption: 'Partly',
      captionOverrides: { NET_VIDEO: { caption: 'Partly [sim:fail spam_risk_text]' } },
      targets: [page.id, photo.id, clips.id],
      media: [file.id],
    })
    const done = await ended(ann, post)
    expect(done.status).toBe('PARTIALLY_PUBLISHED')
    expect(targetOn(done, clips)).toMatchObject({
      state: 'FAILED',
      error: { networkCode: 'spam_risk_text', fix: expect.stringMatching(/\w/) as string },
    })
    // The content of live targets stays as it is. That of the failed target may change, including its files.
    const spare = await uploadVideo(ann, clip, 'spare.mp4')
    const others = ['NET_PAGE', 'NET_PHOTO']
    const refused = await ann.call<{ code: string }>('PATCH', `/posts/${post.id}`, { media: [spare.id] })
    expect([refused.status, refused.body.code]).toEqual([409, 'already_published'])
    const edited = await ann.must<Post>(
      'PATCH',
      `/posts/${post.id}`,
      {
        captionOverrides: { NET_VIDEO: { caption: 'Partly, and politely' } },
        media: [
          { mediaFileId: file.id, platforms: others },
          { mediaFileId: spare.id, platforms: ['NET_VIDEO'] },
        ],
      },
      { 'if-match': `"${done.version}"` },
    )
    await ann.must('POST', `/posts/${post.id}/retry`, { publicationIds: [targetOn(edited, clips).id] })
    expect((await ended(ann, post)).status).toBe('PUBLISHED')
    expect(await Promise.all([page, photo, clips].map(async (each) => (await liveAt(each)).length))).toEqual([1, 1, 1])
  })
})

describe('the token of NET_VIDEO, which lasts a day,', () => {
  const accountOf = async ({ ann, clips }: Somebody) =>
    (await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')).data.find(({ id }) => id === clips.id)

  const renewal = ({ clips }: Somebody) => `token:${clips.id}`

  test('is renewed before it expires, using each refresh token once, and posts continue', async () => {
    const who = await somebody()
    const before = await accountOf(who)
    for (const turn of [1, 2]) {
      await hurry(renewal(who))
      await eventually(async () => {
        const { rows } = await sql.query(
          "select from audit_entry where action = 'account.token_renewed' and object->>'accountId' = $1",
          [who.clips.id],
        )
        return rows.length === turn
      })
    }
    const after = await accountOf(who)
    expect(after?.status).toBe('CONNECTED')
    expect(Date.parse(after?.tokenExpiresAt ?? '')).toBeGreaterThan(Date.parse(before?.tokenExpiresAt ?? ''))
    const file = await uploadVideo(who.ann, clip)
    const post = await publish(who.ann, { caption: 'Renewed', targets: [who.clips.id], media: [file.id] })
    expect((await ended(who.ann, post)).status).toBe('PUBLISHED')
  })

  test.runIf(long)('whose successor was lost needs a reconnection, which fixes it', async () => {
    const who = await somebody()
    await call(sandbox.url, 'DELETE', '/faults')
    await addFault(sandbox.url, { match: { path: '/v2/oauth/token/' }, do: { drop: 'after' }, times: 1 })
    await hurry(renewal(who))
    const state = (wanted: string) =>
      eventually(
        async () => {
          await hurry(renewal(who))
          const found = await accountOf(who)
          return found?.status === wanted && found
        },
        30_000,
        300,
      )
    expect(await state('RECONNECT_NEEDED')).toMatchObject({ id: who.clips.id })
    await connect(who.ann, 'NET_VIDEO', `u${users}`)
    expect(await state('CONNECTED')).toMatchObject({ id: who.clips.id })
  })
})
