import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import { type Platform, PLATFORMS } from '../src/networks/api.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import { type Connection, NetworkError, type StepMedia } from '../src/networks/network.ts'
import { type Facts, facts } from '../src/networks/rules.ts'
import type { Post, PostMedia } from '../src/publishing/posts/api.ts'
import { check } from '../src/publishing/posts/checks/rules.ts'
import { type PostDraft, type TargetAccount } from '../src/publishing/posts/compose/rules.ts'
import { startHost } from '../sandbox/testing.ts'
import { asPicture, asVideo, grant, newStep, openNetworks, publishUnchecked } from './adapters.ts'
import { FAST, useProduct } from './fixtures.ts'
import { long as isLong, sized } from './tier.ts'
import { still, type VideoOptions } from './video.ts'
import {
  call,
  connect,
  liveOn,
  newPerson,
  type Person,
  picture,
  type Problem,
  uploadPicture,
  uploadVideo,
  untilStatus,
} from './world.ts'

// Tests the table of facts in both directions, row by row. A network accepts what our checks allow, up to the very
// limit, and our checks refuse what a network would refuse, before anything is sent.

const TIME_SCALE = Number(FAST.TIME_SCALE)
const PEOPLE = sized(2, 5)

const { product, sandbox } = useProduct({ env: FAST })
let ann: Person
const accounts: Record<Platform, SocialAccount>[] = []
const granted: Record<Platform, Connection>[] = []
const hosts: { close(): Promise<unknown> }[] = []

beforeAll(async () => {
  ann = await newPerson(product.url)
  for (let i = 0; i < PEOPLE; i += 1) {
    const theirs = {} as Record<Platform, SocialAccount>
    const ours = {} as Record<Platform, Connection>
    for (const network of PLATFORMS) {
      const found = await connect(ann, network, `u${300 + i}`)
      theirs[network] = found.find(({ externalId }) => externalId.includes(`00${300 + i}`)) as SocialAccount
      ours[network] = await grant(networks()[network], `u${400 + i}`)
    }
    accounts.push(theirs)
    granted.push(ours)
  }
})
afterAll(async () => {
  for (const host of hosts) await host.close()
})

const networks = () => openNetworks(sandbox.url)

// ---- publishing

/** A post: its text, with pictures or a video. */
interface Material {
  text?: string
  pictures?: Buffer[]
  video?: Buffer
}

type Make = () => Material | Promise<Material>

/** A post just beyond a limit. */
interface Beyond {
  make: Make
  /** The code of our check's finding. */
  code: string
  /** The refusal of the network. Absent if the network accepts the post and only our check is stricter. */
  refused?: RegExp
  /** The post is not refused: the network gets a converted picture instead. */
  fixed?: true
}

interface Row {
  at: Make[]
  beyond?: Beyond[]
  /** For files that cannot be made here: only their facts are checked. */
  judged?: { at: Partial<PostMedia['file']>; beyond: Partial<PostMedia['file']>; code: string }
  /** Defines a separate test for this fact. */
  own?: (name: string, network: Platform) => void
}

let turn = 0
const inTurn = <T>(all: T[]): T => all[(turn += 1) % all.length] as T

const library = new WeakMap<Buffer, Promise<MediaFile>>()

/** Uploads the files of a post to the library. Files that several posts share are uploaded once. */
async function uploaded({ pictures = [], video }: Material): Promise<MediaFile[]> {
  const upload = (bytes: Buffer, send: () => Promise<MediaFile>) => {
    const file = library.get(bytes) ?? send()
    library.set(bytes, file)
    return file
  }
  const files = await Promise.all(
    pictures.map((bytes) => upload(bytes, () => uploadPicture(ann, bytes, `a.${extensionOf(bytes)}`))),
  )
  if (!video) return files
  const name = video.includes('ftypqt') ? 'a.mov' : 'a.mp4'
  return [...files, await upload(video, () => uploadVideo(ann, video, name))]
}

const extensionOf = (bytes: Buffer) =>
  bytes[0] === 0xff ? 'jpg' : bytes[0] === 0x89 ? 'png' : bytes[0] === 0x47 ? 'gif' : 'webp'

async function bodyFor(network: Platform, made: Material) {
  const files = await uploaded(made)
  const target = inTurn(accounts)[network]
  const body = {
    action: 'publish',
    caption: made.text ?? '',
    targets: [target.id],
    media: files.map(({ id }) => id),
    platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
  }
  return { body, files, target }
}

/** Publishes through the product, and checks that the post is live. */
async function isTaken(network: Platform, made: Material): Promise<void> {
  const { body, target } = await bodyFor(network, made)
  const post = await ann.must<Post>('POST', '/posts', body)
  const done = await untilStatus(ann, post.id, ['PUBLISHED', 'PARTIALLY_PUBLISHED', 'FAILED'])
  expect(done.publications.map(({ state, error }) => [state, error])).toEqual([['PUBLISHED', null]])
  const live = (await liveOn(sandbox.url)).get(target.externalId) ?? []
  expect(live.map(({ message }) => message)).toContain(body.caption)
}

const taken = new Map(PLATFORMS.map((network) => [network, new Map<Make, Promise<void>>()]))

/** Publishes a post at the limit of several facts only once per network. */
function isTakenOnce(network: Platform, make: Make): Promise<void> {
  const already = taken.get(network)!
  const publishing = already.get(make) ?? Promise.resolve(make()).then((made) => isTaken(network, made))
  already.set(make, publishing)
  return publishing
}

async function isFound(network: Platform, made: Material, { code, fixed }: Beyond): Promise<void> {
  if (fixed) {
    const [file] = await uploaded(made)
    expect(codesOf(network, { ...(file as MediaFile), renditions: {} })).toContain(code)
    return isTaken(network, made)
  }
  const { body, target } = await bodyFor(network, made)
  const refused = await ann.call<Problem>('POST', '/posts', body)
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    expect.arrayContaining([expect.objectContaining({ code, target: target.id, platform: network })]),
  ])
}

/** Expects that the network refuses the same post. */
async function isRefused(network: Platform, made: Material, refused: RegExp): Promise<void> {
  const pictures = made.pictures ?? []
  const shown = await Promise.all(pictures.map((bytes, i) => hosted(bytes, `p${i}`)))
  const media = made.video ? [...shown, asVideo(made.video)] : shown
  const step = newStep(inTurn(granted)[network], made.text ?? '', media)
  const error: unknown = await publishUnchecked(networks()[network], step, TIME_SCALE).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(NetworkError)
  expect((error as NetworkError).networkCode).toMatch(refused)
}

async function hosted(bytes: Buffer, id: string): Promise<StepMedia> {
  const type = `image/${extensionOf(bytes).replace('jpg', 'jpeg')}`
  const host = await startHost({ '/a': { body: bytes, type } })
  hosts.push(host)
  return asPicture(id, `${host.url}/a`, type)
}

/** Returns the findings of our check about a file, from its facts alone. */
function codesOf(network: Platform, file: Partial<PostMedia['file']>): string[] {
  const account: TargetAccount = {
    id: 'a',
    platform: network,
    name: 'A',
    status: 'CONNECTED',
    paused: false,
    missingScopes: [],
  }
  const media = [{ mediaFileId: 'm', sortOrder: 0, platforms: null, crops: {}, file: file as PostMedia['file'] }]
  const draft: PostDraft = {
    caption: 'A',
    hashtags: [],
    cta: '',
    mediaType: null,
    captionOverrides: {},
    hashtagOverrides: {},
    platformOptions: { NET_VIDEO: { privacyLevel: 'SELF_ONLY', consent: true } },
    linkTags: { on: null, campaign: null },
    scheduledAt: null,
    targets: ['a'],
    media,
  }
  return check(draft, [account], { publicMedia: true }).map(({ code }) => code)
}

const film: PostMedia['file'] = {
  kind: 'VIDEO',
  state: 'READY',
  rejectedCode: null,
  rejectedReason: null,
  fileName: 'a.mp4',
  mimeType: 'video/mp4',
  fileSize: 1_000_000,
  width: 640,
  height: 360,
  duration: 10,
  codec: 'avc',
  frameRate: 30,
  altText: '',
  aiGenerated: false,
  storageUrl: 'https://files.example/a.mp4',
  thumbnailUrl: null,
  renditions: {},
  cropped: [],
}

// ---- the rows

let words = 0
const unique = () => `Fact ${(words += 1)}`
const long = (length: number, unit = 'x') => {
  const start = unique()
  return start + unit.repeat((length - start.length) / unit.length) + 'x'.repeat((length - start.length) % unit.length)
}
/** Returns a text of `count` characters. Most of them take two UTF-16 units. */
const characters = (count: number) => {
  const start = unique()
  return start + '😀'.repeat(count - start.length)
}
const tags = (count: number, tag: (i: number) => string) =>
  `${unique()} ${Array.from({ length: count }, (_, i) => tag(i)).join(' ')}`

const shade = () => `#${(0x100000 + (((turn += 1) * 7919) % 0xefffff)).toString(16)}`
const pictured =
  (width: number, height: number): Make =>
  async () => ({
    text: unique(),
    pictures: [await picture(width, height, shade())],
  })
/** Makes the files once, and a new text for each post. */
const kept = (make: Make): Make => {
  let made: Promise<Material> | undefined
  return async () => ({ ...(await (made ??= Promise.resolve(make()))), text: unique() })
}
const gallery = kept(async () => ({
  pictures: await Promise.all(Array.from({ length: 11 }, () => picture(400, 400, shade()))),
}))
const many =
  (count: number): Make =>
  async () => {
    const { text, pictures } = await gallery()
    return { text: text!, pictures: pictures!.slice(0, count) }
  }
/** Makes a picture of exactly `size` bytes, filled up with invisible comments. */
const heavy =
  (size: number): Make =>
  async () => {
    const bytes = await picture(400, 400, shade())
    const comments: Buffer[] = []
    for (let left = size - bytes.length; left > 0;) {
      const length = Math.min(left, 65_000 + (left - 65_000 < 4 ? -4 : 0))
      const comment = Buffer.alloc(length)
      comment.writeUInt16BE(0xfffe)
      comment.writeUInt16BE(length - 2, 2)
      comments.push(comment)
      left -= length
    }
    return { text: unique(), pictures: [Buffer.concat([bytes.subarray(0, 2), ...comments, bytes.subarray(2)])] }
  }
const coded =
  (format: 'png' | 'gif' | 'webp'): Make =>
  async () => {
    const bytes = sharp(await picture(400, 400, shade()))
    return { text: unique(), pictures: [await bytes.toFormat(format).toBuffer()] }
  }
const filmed =
  (options: VideoOptions = {}): Make =>
  async () => ({ text: unique(), video: await still(options) })
const said =
  (text: () => string, base: Make = () => ({})): Make =>
  async () => ({ ...(await base()), text: text() })
const silent =
  (base: Make): Make =>
  async () => ({ ...(await base()), text: '' })

const small = { width: 360, height: 360 }
const square = kept(pictured(400, 400))
const short = kept(filmed({ seconds: 3, ...small }))
const both: Make = async () => ({ ...(await square()), ...(await short()) })

const rows: Record<Platform, Record<string, Row>> = {
  NET_PAGE: {
    textLimit: {
      at: [said(() => long(63_206))],
      beyond: [{ make: said(() => long(63_207)), code: 'text_too_long', refused: /^100/ }],
    },
    countedIn: {
      at: [said(() => long(63_206, '😀'))],
      beyond: [{ make: said(() => long(63_207, '😀')), code: 'text_too_long' }],
    },
    textOnly: {
      at: [said(unique)],
      beyond: [{ make: () => ({ text: '' }), code: 'empty', refused: /^100/ }],
    },
    'images.mimeTypes': {
      at: [square, coded('png'), coded('gif')],
      beyond: [{ make: coded('webp'), code: 'format_not_accepted', refused: /^324/, fixed: true }],
    },
    'images.maxBytes': {
      at: [heavy(10_000_000)],
      beyond: [{ make: heavy(10 * 1024 * 1024 + 1), code: 'file_too_large', refused: /^324/, fixed: true }],
    },
    mixed: { at: [], beyond: [{ make: both, code: 'mixed_media' }] },
    'video.max': { at: [short] },
    'images.max': { at: [many(10)], beyond: [{ make: many(11), code: 'too_many_images' }] },
    'video.mimeTypes': {
      at: [short, filmed({ ...small, type: 'mov' })],
      judged: { at: {}, beyond: { mimeType: 'video/webm' }, code: 'format_not_accepted' },
    },
    'video.codecs': {
      at: (['avc', 'hevc', 'vp9', 'av1'] as const).map((codec) => filmed({ ...small, codec })),
      judged: { at: {}, beyond: { codec: 'vp8' }, code: 'codec_not_accepted' },
    },
    'video.maxBytes': { at: [], own: (name, network) => testSize(name, network) },
    'video.seconds.min': {
      at: [filmed({ ...small, seconds: 1 })],
      beyond: [{ make: filmed({ ...small, seconds: 0.9 }), code: 'duration_not_accepted', refused: /^error$/ }],
    },
    'video.seconds.max': {
      at: [filmed({ width: 64, height: 64, seconds: 14_400, frameRate: 1 })],
      judged: { at: { duration: 14_400 }, beyond: { duration: 14_401 }, code: 'duration_not_accepted' },
    },
    callsPerHour: { at: [], own: (name, network) => testCalls(name, network) },
  },
  NET_PHOTO: {
    textLimit: {
      at: [said(() => long(2_200), square)],
      beyond: [{ make: said(() => long(2_201), square), code: 'text_too_long', refused: /2207010/ }],
    },
    countedIn: {
      at: [said(() => characters(2_200), square)],
      beyond: [{ make: said(() => characters(2_201), square), code: 'text_too_long', refused: /2207010/ }],
    },
    hashtagLimit: {
      at: [said(() => tags(30, (i) => `#tag${i}`), square)],
      beyond: [
        (i: number) => `#tag${i}`,
        // Repeated hashtags stay in a caption, and all of them count.
        (i: number) => `#tag${i % 20}`,
      ].map((tag) => ({
        make: said(() => tags(31, tag), square),
        code: 'too_many_hashtags',
        refused: /2207010/,
      })),
    },
    mentionLimit: {
      at: [said(() => tags(20, (i) => `@friend${i}`), square)],
      beyond: [
        { make: said(() => tags(21, (i) => `@friend${i}`), square), code: 'too_many_mentions', refused: /2207010/ },
      ],
    },
    textOnly: {
      at: [silent(square)],
      beyond: [{ make: said(unique), code: 'media_required', refused: /2207028/ }],
    },
    'images.mimeTypes': {
      at: [square],
      beyond: [{ make: coded('png'), code: 'format_not_accepted', refused: /2207005/, fixed: true }],
    },
    'images.maxBytes': {
      at: [heavy(8_000_000)],
      beyond: [{ make: heavy(8 * 1024 * 1024 + 1), code: 'file_too_large', refused: /2207004/, fixed: true }],
    },
    mixed: { at: [both] },
    'video.max': { at: [short] },
    'images.max': { at: [many(10)], beyond: [{ make: many(11), code: 'too_many_images', refused: /2207028/ }] },
    'images.aspect.min': {
      at: [pictured(400, 500)],
      beyond: [{ make: pictured(399, 500), code: 'aspect_not_accepted', refused: /2207009/, fixed: true }],
    },
    'images.aspect.max': {
      at: [pictured(955, 500)],
      beyond: [{ make: pictured(956, 500), code: 'aspect_not_accepted', refused: /2207009/, fixed: true }],
    },
    'images.width.min': {
      at: [pictured(320, 320)],
      beyond: [{ make: pictured(319, 319), code: 'size_not_accepted', fixed: true }],
    },
    'images.width.max': {
      at: [pictured(1440, 1440)],
      beyond: [{ make: pictured(1441, 1441), code: 'size_not_accepted', fixed: true }],
    },
    'video.mimeTypes': {
      at: [short, filmed({ ...small, type: 'mov' })],
      judged: { at: {}, beyond: { mimeType: 'video/webm' }, code: 'format_not_accepted' },
    },
    'video.codecs': {
      at: [short, filmed({ ...small, codec: 'hevc' })],
      beyond: [{ make: filmed({ ...small, codec: 'vp9' }), code: 'codec_not_accepted', refused: /2207026/ }],
    },
    'video.maxBytes': { at: [], own: (name, network) => testSize(name, network) },
    'video.seconds.min': {
      at: [short],
      beyond: [{ make: filmed({ ...small, seconds: 2.9 }), code: 'duration_not_accepted', refused: /2207026/ }],
    },
    'video.seconds.max': {
      at: [filmed({ width: 64, height: 64, seconds: 900, frameRate: 23 })],
      beyond: [
        {
          make: filmed({ width: 64, height: 64, seconds: 901, frameRate: 23 }),
          code: 'duration_not_accepted',
          refused: /2207026/,
        },
      ],
    },
    'video.framesPerSecond.min': {
      at: [filmed({ ...small, frameRate: 23 })],
      beyond: [22, 22.96].map((frameRate) => ({
        make: filmed({ ...small, frameRate }),
        code: 'frame_rate_not_accepted',
        refused: /2207026/,
      })),
    },
    'video.framesPerSecond.max': {
      at: [filmed({ ...small, frameRate: 60 })],
      beyond: [{ make: filmed({ ...small, frameRate: 61 }), code: 'frame_rate_not_accepted', refused: /2207026/ }],
    },
    // The encoder makes no narrower video.
    'video.width.min': { at: [filmed({ width: 16, height: 360 })] },
    'video.width.max': {
      at: [filmed({ width: 1920, height: 360 })],
      beyond: [{ make: filmed({ width: 1922, height: 360 }), code: 'size_not_accepted', refused: /2207026/ }],
    },
    'video.aspect.min': {
      at: [filmed({ width: 16, height: 1600 })],
      beyond: [{ make: filmed({ width: 16, height: 1616 }), code: 'aspect_not_accepted', refused: /2207026/ }],
    },
    'video.aspect.max': {
      at: [filmed({ width: 1920, height: 192 })],
      beyond: [{ make: filmed({ width: 1920, height: 190 }), code: 'aspect_not_accepted', refused: /2207026/ }],
    },
    callsPerHour: { at: [], own: (name, network) => testCalls(name, network) },
  },
  NET_VIDEO: {
    textLimit: {
      at: [said(() => long(2_200), short)],
      beyond: [{ make: said(() => long(2_201), short), code: 'text_too_long', refused: /invalid_params/ }],
    },
    countedIn: {
      at: [said(() => long(2_200, '😀'), short)],
      beyond: [{ make: said(() => long(2_201, '😀'), short), code: 'text_too_long', refused: /invalid_params/ }],
    },
    textOnly: { at: [silent(short)], beyond: [{ make: said(unique), code: 'media_required' }] },
    mixed: { at: [square], beyond: [{ make: both, code: 'kind_not_accepted' }] },
    'video.max': { at: [short] },
    images: { at: [], beyond: [{ make: both, code: 'kind_not_accepted' }] },
    'video.mimeTypes': {
      at: [short, filmed({ ...small, type: 'mov' })],
      judged: { at: {}, beyond: { mimeType: 'video/webm' }, code: 'format_not_accepted' },
    },
    'video.codecs': {
      at: (['avc', 'hevc', 'vp9'] as const).map((codec) => filmed({ ...small, codec })),
      beyond: [{ make: filmed({ ...small, codec: 'av1' }), code: 'codec_not_accepted', refused: /file_format/ }],
    },
    'video.maxBytes': { at: [], own: (name, network) => testSize(name, network) },
    'video.seconds.min': {
      at: [short],
      beyond: [{ make: filmed({ ...small, seconds: 2.9 }), code: 'duration_not_accepted', refused: /duration_check/ }],
    },
    'video.seconds.max': {
      at: [filmed({ ...small, seconds: 600, frameRate: 23 })],
      beyond: [
        {
          make: filmed({ ...small, seconds: 601, frameRate: 23 }),
          code: 'duration_not_accepted',
          refused: /duration_check/,
        },
      ],
    },
    'video.framesPerSecond.min': {
      at: [filmed({ ...small, frameRate: 23 })],
      beyond: [22, 22.96].map((frameRate) => ({
        make: filmed({ ...small, frameRate }),
        code: 'frame_rate_not_accepted',
        refused: /frame_rate_check/,
      })),
    },
    'video.framesPerSecond.max': {
      at: [filmed({ ...small, frameRate: 60 })],
      beyond: [{ make: filmed({ ...small, frameRate: 61 }), code: 'frame_rate_not_accepted', refused: /frame_rate/ }],
    },
    'video.side.min': {
      at: [filmed({ width: 360, height: 640 })],
      beyond: [{ make: filmed({ width: 358, height: 640 }), code: 'size_not_accepted', refused: /picture_size/ }],
    },
    'video.side.max': {
      at: [filmed({ width: 4096, height: 360 })],
      beyond: [{ make: filmed({ width: 4098, height: 360 }), code: 'size_not_accepted', refused: /picture_size/ }],
    },
  },
}

/**
 * The facts that a usual run tests. Our check has the same code for every network and for both ends of a range, so one
 * network stands for each kind of limit, where its post takes the least work. Files at the limits of bytes and seconds
 * take too long.
 */
const usual: Record<Platform, string[]> = {
  NET_PAGE: ['textLimit', 'textOnly', 'mixed', 'images.max', 'video.maxBytes', 'callsPerHour'],
  NET_PHOTO: [
    'countedIn',
    'hashtagLimit',
    'mentionLimit',
    'textOnly',
    'images.mimeTypes',
    'images.aspect.max',
    'images.width.max',
    'video.seconds.min',
    'video.aspect.max',
    'video.width.max',
  ],
  NET_VIDEO: [
    'countedIn',
    'images',
    'video.maxBytes',
    'video.mimeTypes',
    'video.framesPerSecond.max',
    'video.side.min',
  ],
}

describe.each(PLATFORMS)('%s', (network) => {
  test('the facts of a usual run are in the table', () => {
    expect(Object.keys(rows[network])).toEqual(expect.arrayContaining(usual[network]))
  })
  for (const [fact, { at, beyond = [], judged, own }] of Object.entries(rows[network])) {
    if (!isLong && !usual[network].includes(fact)) continue
    if (own) own(fact, network)
    else {
      test.concurrent(fact, async () => {
        for (const make of at) await isTakenOnce(network, make)
        for (const each of beyond) {
          const made = await each.make()
          await isFound(network, made, each)
          if (each.refused) await isRefused(network, made, each.refused)
        }
        if (judged) {
          expect(codesOf(network, { ...film, ...judged.at })).toEqual([])
          expect(codesOf(network, { ...film, ...judged.beyond })).toEqual([judged.code])
        }
      })
    }
  }

  test('has a row for every fact', () => {
    expect(new Set(Object.keys(rows[network]))).toEqual(new Set(leaves(facts[network])))
  })
})

/**
 * Returns the name of each fact, and of both ends of a range. A null fact limits nothing and has no name, except
 * `images`: null means that the network accepts no pictures.
 */
const leaves = (of: Facts) =>
  Object.entries(of).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'images' && value === null) return [name]
    // This limit only serves forecasts, and our check refuses nothing for it. The stand-ins' own tests reach the limit
    // of a day.
    if (name === 'postsPerDay') return []
    return named(name, value)
  })

function named(name: string, value: unknown): string[] {
  if (value === null) return []
  if (typeof value !== 'object' || Array.isArray(value)) return [name]
  return Object.entries(value).flatMap(([part, each]) => named(`${name}.${part}`, each))
}

/** Tests the size limit of a video. The upload is only begun if the file is too large to be sent here. */
function testSize(name: string, network: Platform): void {
  test.concurrent(name, async () => {
    const { maxBytes } = facts[network].video!
    expect(codesOf(network, { ...film, fileSize: maxBytes })).toEqual([])
    expect(codesOf(network, { ...film, fileSize: maxBytes + 1 })).toEqual(['file_too_large'])
    const start = await still(small)
    // NET_PHOTO checks the size when it has the whole video, the others before they take the first byte.
    const whole = network === 'NET_PHOTO'
    const send = async (size: number) => {
      let begun = false
      const read = () => {
        begun = true
        if (!whole) throw new Error('More than can be sent here')
        return Readable.from(filledUp(start, size))
      }
      const step = newStep(inTurn(granted)[network], unique(), [asVideo(start, { size, read })])
      const error: unknown = await publishUnchecked(networks()[network], step, TIME_SCALE).catch(
        (thrown: unknown) => thrown,
      )
      return { begun, error }
    }
    // A usual run sends no hundreds of megabytes.
    if (whole && !isLong) return
    expect(await send(maxBytes)).toMatchObject({ begun: true, ...(whole && { error: undefined }) })
    expect(await send(maxBytes + 1)).toEqual({ begun: whole, error: expect.any(NetworkError) })
  })
}

/** A video of exactly `size` bytes, filled up with a box that players skip. */
function* filledUp(start: Buffer, size: number) {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(size - start.length)
  head.write('free', 4)
  yield start
  yield head
  const piece = Buffer.alloc(1_000_000)
  for (let left = size - start.length - 8; left > 0; left -= piece.length) yield piece.subarray(0, left)
}

/** Tests the number of calls that one person may make per hour. */
function testCalls(name: string, network: Platform): void {
  test(name, async () => {
    const user = network === 'NET_PAGE' ? 'u501' : 'u502'
    const { accessToken, externalId, userKey } = await grant(networks()[network], user)
    const made = async () => {
      const { body } = await call<{ users: { id: string; calls: number }[] }>(sandbox.url, 'GET', '/state')
      return body.users.find(({ id }) => id === userKey)?.calls ?? 0
    }
    const ask = () => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return call<{ error?: { code: number } }>(
        `${sandbox.url}/graph/v25.0`,
        'GET',
        `/${externalId}?fields=id`,
        undefined,
        headers,
      )
    }
    for (let left = facts[network].callsPerHour! - (await made()); left > 0; left -= 1) {
      expect((await ask()).status).toBe(200)
    }
    expect((await ask()).body.error?.code).toSatisfy((code: number) => code === 4 || code === 32)
  })
}
