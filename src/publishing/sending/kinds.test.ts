import { beforeAll, describe, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import { video } from '../../../test/video.ts'
import {
  addFault,
  connect,
  eventually,
  type LivePost,
  liveOn,
  newPerson,
  type Person,
  picture,
  type Problem,
  untilSentAgain,
  untilStatus,
  uploadPicture,
  uploadVideo,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { Post } from '../posts/api.ts'

// The special kinds of posts of each network. Each goes out as its kind, once, whatever answers are lost.

const { product, sandbox, sql } = useProduct({ env: FAST })
let clip: Buffer
let upright: Buffer
let users = 1200

beforeAll(async () => {
  clip = await video()
  upright = await video({ width: 540, height: 960 })
})

type LiveKind = LivePost & { kind?: string; video?: { sha256: string } }

async function somebody(platform: Platform): Promise<{ ann: Person; account: SocialAccount }> {
  const ann = await newPerson(product.url)
  const [account] = await connect(ann, platform, `u${(users += 1)}`)
  return { ann, account: account as SocialAccount }
}
const ended = (ann: Person, post: Post) => untilStatus(ann, post.id, ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'])
const liveAt = async (account: SocialAccount) =>
  ((await liveOn(sandbox.url)).get(account.externalId) ?? []) as LiveKind[]

interface Kind {
  platform: Platform
  options: Post['platformOptions']
  files: (ann: Person) => Promise<{ id: string }[]>
  /** The path of the last call, which cannot be undone. */
  commit: string
  /** The path of a preparing call whose answer may be lost. */
  prepare: string
  /** What the network then shows. */
  shows: object
  /** Whether a usual run tests lost answers too. photo.test.ts has the lost commit of a container. */
  isTried: boolean
}

const kinds: Record<string, Kind> = {
  'a reel on NET_PAGE': {
    platform: 'NET_PAGE',
    options: { NET_PAGE: { kind: 'reel' } },
    files: async (ann) => [await uploadVideo(ann, upright)],
    commit: 'video_reels',
    prepare: 'video-upload',
    shows: { kind: 'reel', message: 'Look' },
    isTried: true,
  },
  'pictures and a video in one carousel on NET_PHOTO': {
    platform: 'NET_PHOTO',
    options: {},
    files: async (ann) => [
      await uploadPicture(ann, await picture(800, 800, '#a00')),
      await uploadVideo(ann, clip),
      await uploadPicture(ann, await picture(800, 800, '#00a')),
    ],
    commit: 'media_publish',
    prepare: 'ig-api-upload',
    shows: { message: 'Look', photos: [{ mime: 'image/jpeg' }, { mime: 'video/mp4' }, { mime: 'image/jpeg' }] },
    isTried: false,
  },
  'a picture as a story on NET_PHOTO': {
    platform: 'NET_PHOTO',
    options: { NET_PHOTO: { kind: 'story' } },
    files: async (ann) => [await uploadPicture(ann, await picture(900, 1600))],
    commit: 'media_publish',
    prepare: '/media$',
    shows: { kind: 'story', message: '', photos: [{ mime: 'image/jpeg' }] },
    isTried: false,
  },
  'a video as a story on NET_PHOTO': {
    platform: 'NET_PHOTO',
    options: { NET_PHOTO: { kind: 'story' } },
    files: async (ann) => [await uploadVideo(ann, upright)],
    commit: 'media_publish',
    prepare: 'ig-api-upload',
    shows: { kind: 'story', message: '', photos: [{ mime: 'video/mp4' }] },
    isTried: false,
  },
}

/** The author of each kind with its files, made once. Each test sends to a new account. */
const authors = new Map<Kind, Promise<{ ann: Person; media: string[] }>>()

async function makeAuthor({ files }: Kind): Promise<{ ann: Person; media: string[] }> {
  const ann = await newPerson(product.url)
  return { ann, media: (await files(ann)).map(({ id }) => id) }
}

async function publish(kind: Kind) {
  const author = authors.get(kind) ?? makeAuthor(kind)
  authors.set(kind, author)
  const { ann, media } = await author
  const user = (users += 1)
  const account = (await connect(ann, kind.platform, `u${user}`)).find(({ externalId }) =>
    externalId.includes(`00${user}`),
  ) as SocialAccount
  const body = { caption: 'Look', platformOptions: kind.options, targets: [account.id], media, action: 'publish' }
  const begin = () => ann.must<Post>('POST', '/posts', body)
  return { ann, account, begin, send: async () => ended(ann, await begin()) }
}

const answers = [
  ['lost after the effect', { drop: 'after' }],
  ['500 after the effect', { status: 500, after: true }],
] as const
const unheard = answers.slice(0, sized(1, 2))

// The last kind is for a long run: on NET_PHOTO, a video in a story is prepared like one in a carousel.
describe.each(Object.entries(kinds).slice(0, sized(3, 4)))('%s', (_name, kind) => {
  const { commit, shows } = kind
  const lastOf = (account: SocialAccount) => ({
    path: `${account.externalId}/${commit}`,
    ...(commit === 'video_reels' && { fields: { upload_phase: 'finish' } }),
  })

  test.concurrent('goes out as its kind, with its id', async () => {
    const { account, send } = await publish(kind)
    const done = await send()
    expect(done.publications.map(({ state, error }) => [state, error])).toEqual([['PUBLISHED', null]])
    expect(await liveAt(account)).toMatchObject([shows])
    expect(done.publications[0]?.externalId).toBe((await liveAt(account))[0]?.id)
  })

  test.runIf(long || kind.isTried).concurrent.each(unheard)(
    'with its last answer %s is found by reading, and live once',
    async (_what, fault) => {
      const { account, send } = await publish(kind)
      await addFault(sandbox.url, { match: lastOf(account), do: fault, times: 1 })
      const done = await send()
      // Attempts are not counted: on a busy machine an earlier call can time out.
      expect(done.publications[0]?.state).toBe('PUBLISHED')
      expect(await liveAt(account)).toMatchObject([shows])
    },
  )

  test.runIf(long || kind.isTried).concurrent('with a lost last call is sent again after two reads', async () => {
    const { ann, account, begin } = await publish(kind)
    await addFault(sandbox.url, { match: lastOf(account), do: { drop: 'before' }, times: 1 })
    const done = await untilSentAgain(sql, ann, (await begin()).id)
    // There can be a third attempt: on a busy machine an earlier call can time out.
    expect(done.publications[0]?.state).toBe('PUBLISHED')
    expect(done.publications[0]?.attempts).toBeGreaterThan(1)
    expect(await liveAt(account)).toMatchObject([shows])
  })
})

// The fault matches any account that prepares a file on this network, so these tests run one at a time.
test.each(Object.entries(kinds).slice(0, sized(2, 4)))(
  '%s is live once when the answer to a prepared file is lost',
  async (_, kind) => {
    const { ann, account, begin } = await publish(kind)
    await addFault(sandbox.url, {
      match: { network: kind.platform, path: kind.prepare },
      do: { drop: 'after' },
      times: 1,
    })
    const done = await untilSentAgain(sql, ann, (await begin()).id)
    expect(done.publications[0]).toMatchObject({ state: 'PUBLISHED' })
    expect(await liveAt(account)).toMatchObject([kind.shows])
  },
)

describe('pictures on NET_VIDEO', () => {
  const everybody = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } }
  const oneself = { NET_VIDEO: { privacyLevel: 'SELF_ONLY', consent: true } }

  async function three(caption: string, platformOptions: object) {
    const { ann, account } = await somebody('NET_VIDEO')
    const files = []
    for (const [i, colour] of ['#a00', '#0a0', '#00a'].entries()) {
      files.push(await uploadPicture(ann, await picture(i === 0 ? 2000 : 800, 800, colour), `${i}.jpg`))
    }
    const body = {
      caption,
      platformOptions,
      targets: [account.id],
      media: files.map(({ id }) => id),
      action: 'publish',
    }
    return { ann, account, send: () => ann.must<Post>('POST', '/posts', body) }
  }

  test('go out together, each in a size that the network accepts', async () => {
    const { ann, account, send } = await three('Three', everybody)
    const done = await ended(ann, await send())
    expect(done.publications.map(({ state, error }) => [state, error])).toEqual([['PUBLISHED', null]])
    const [live, ...others] = await liveAt(account)
    expect(others).toEqual([])
    expect(live).toMatchObject({ kind: 'pictures', message: 'Three' })
    expect(new Set(live?.photos.map(({ sha256 }) => sha256)).size).toBe(3)
  })

  test.each(unheard)('with an answer %s are found in the list of the account', async (_what, fault) => {
    const { ann, account, send } = await three('Found again', everybody)
    await addFault(sandbox.url, { match: { path: 'content/init' }, do: fault, times: 1 })
    const done = await ended(ann, await send())
    expect(done.publications[0]).toMatchObject({ state: 'PUBLISHED', attempts: 1 })
    expect(await liveAt(account)).toHaveLength(1)
    expect(done.publications[0]?.externalId).toBe((await liveAt(account))[0]?.id)
  })

  const unseen = [
    ['never arrived', { drop: 'before' }, 0],
    ['was lost after the effect, for few eyes', { drop: 'after' }, 1],
  ] as const
  test.each(unseen.slice(0, sized(1, 2)))(
    'with an answer that %s are UNCONFIRMED: absence proves nothing, so nothing is sent again',
    async (_what, fault, live) => {
      const { ann, account, send } = await three('Nobody knows', oneself)
      await addFault(sandbox.url, { match: { path: 'content/init' }, do: fault, times: 1 })
      const { id } = await send()
      await eventually(async () => {
        const { publications } = await ann.must<Post>('GET', `/posts/${id}`)
        return publications[0]?.state === 'SUBMITTING' && publications[0].nextAttemptAt !== null
      })
      // Half an hour passes at once. The network is still read twice before a person is asked.
      await sql.query("update publication set intent_at = intent_at - interval '90 seconds' where post_id = $1", [id])
      const done = await untilSentAgain(sql, ann, id)
      expect(done.publications[0]).toMatchObject({ state: 'UNCONFIRMED', attempts: 1 })
      expect(await liveAt(account)).toHaveLength(live)
    },
  )

  const words = [
    ['[sim:refuse url_ownership_unverified]', 'address_not_verified', 'operator'],
    ['[sim:fail picture_size_check_failed]', 'picture_size', 'author'],
    ['[sim:refuse spam_risk_user_banned_from_posting]', 'account_restricted', 'admin'],
  ] as const
  test.each(words.slice(0, sized(1, 3)))('refused with %s fail with the reason', async (said, code, who) => {
    const { ann, account, send } = await three(said, everybody)
    const done = await ended(ann, await send())
    expect(done.publications[0]).toMatchObject({ state: 'FAILED', error: { code, who } })
    expect(await liveAt(account)).toEqual([])
  })
})

describe('the cover of a video', () => {
  const terms = { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true }
  const covered = [
    ['NET_PHOTO', (coverMs: number | null) => ({ NET_PHOTO: { coverMs } })],
    ['NET_VIDEO', (coverMs: number | null) => ({ NET_VIDEO: { ...terms, coverMs } })],
  ] as const
  test.each(covered.slice(0, sized(1, 2)))('on %s is the chosen frame', async (platform, options) => {
    const { ann, account } = await somebody(platform)
    const file = await uploadVideo(ann, clip)
    const publish = (coverMs: number | null, caption: string) => {
      const body = { caption, targets: [account.id], media: [file.id], platformOptions: options(coverMs) }
      return ann.call<Post | Problem>('POST', '/posts', { ...body, action: 'publish' })
    }
    const beyond = await publish(4_000, 'Beyond')
    expect((beyond.body as Problem).errors?.map(({ code, path }) => [code, path])).toEqual([
      ['cover_beyond', `/platformOptions/${platform}/coverMs`],
    ])
    expect((await ended(ann, (await publish(1_500, 'Chosen')).body as Post)).status).toBe('PUBLISHED')
    expect((await ended(ann, (await publish(null, 'Left to it')).body as Post)).status).toBe('PUBLISHED')
    const covers = await eventually(async () => {
      const live = (await liveAt(account)) as (LiveKind & { coverMs?: number; photos: { coverMs?: number }[] })[]
      return live.length === 2 && live.map((post) => [post.message, post.coverMs ?? post.photos[0]?.coverMs])
    })
    expect(Object.fromEntries(covers as [string, number][])).toEqual({ Chosen: 1_500, 'Left to it': undefined })
  })
})

describe('media that do not fit a kind are refused before anything is sent', () => {
  const unfit = [
    ['NET_PAGE', { NET_PAGE: { kind: 'reel' } }, 'picture', 'kind_not_accepted'],
    ['NET_PAGE', { NET_PAGE: { kind: 'reel' } }, 'wide', 'aspect_not_accepted'],
    ['NET_PHOTO', { NET_PHOTO: { kind: 'reel' } }, 'picture', 'kind_not_accepted'],
  ] as const
  test.each(unfit.slice(0, sized(1, 3)))('%s %j of a %s', async (platform, platformOptions, what, code) => {
    const { ann, account } = await somebody(platform)
    const file = what === 'picture' ? await uploadPicture(ann, await picture()) : await uploadVideo(ann, clip)
    const body = { caption: 'x', targets: [account.id], media: [file.id], platformOptions, action: 'publish' }
    const answer = await ann.call<Problem>('POST', '/posts', body)
    expect(answer.status).toBe(422)
    expect(answer.body.errors?.map((each) => each.code)).toContain(code)
  })
})
