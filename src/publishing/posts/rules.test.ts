import { describe, expect, test } from 'vitest'
import { type Status, STATUSES } from './api.ts'
import { check, foresee, nextLook, type RiskTold, risksToTell } from './checks/rules.ts'
import { compose, type PostDraft, noContent, type TargetAccount } from './compose/rules.ts'
import { type Act, allowed, isRetryNext, next, outcome } from './rules.ts'

const draft = (change: Partial<PostDraft> = {}): PostDraft => ({
  ...noContent,
  caption: 'Autumn in a cup',
  targets: ['a'],
  ...change,
})

const account: TargetAccount = {
  id: 'a',
  platform: 'NET_PAGE',
  name: 'Northside',
  status: 'CONNECTED',
  paused: false,
  missingScopes: [],
}

const image = (change: object = {}, item: object = {}): PostDraft['media'][number] => ({
  mediaFileId: 'm1',
  sortOrder: 0,
  platforms: null,
  crops: {},
  ...item,
  file: {
    kind: 'IMAGE',
    state: 'READY',
    rejectedCode: null,
    rejectedReason: null,
    fileName: 'a.jpg',
    mimeType: 'image/jpeg',
    fileSize: 1000,
    width: 800,
    height: 600,
    duration: null,
    codec: null,
    frameRate: null,
    renditions: {},
    cropped: [],
    altText: '',
    aiGenerated: false,
    storageUrl: 'http://x/a.jpg',
    thumbnailUrl: null,
    ...change,
  },
})

const video = (change: object = {}, item: object = {}) =>
  image(
    {
      kind: 'VIDEO',
      fileName: 'a.mp4',
      mimeType: 'video/mp4',
      width: 1080,
      height: 1920,
      duration: 10,
      codec: 'avc',
      frameRate: 30,
      ...change,
    },
    item,
  )

const codes = (post: PostDraft, accounts = [account], publicMedia = true) =>
  check(post, accounts, { publicMedia }).map((found) => found.code)

describe('the status of a post', () => {
  /** The result of every act in every status, as the contract specifies it. */
  const table: Record<Status, Partial<Record<Act, Status>>> = {
    DRAFT: { edit: 'DRAFT', schedule: 'SCHEDULED', publish: 'PUBLISHING', delete: 'DRAFT' },
    SCHEDULED: { edit: 'SCHEDULED', schedule: 'SCHEDULED', cancel: 'DRAFT', publish: 'PUBLISHING', delete: 'DRAFT' },
    PUBLISHING: {},
    PUBLISHED: { delete: 'PUBLISHED' },
    PARTIALLY_PUBLISHED: { edit: 'PARTIALLY_PUBLISHED', retry: 'PUBLISHING', delete: 'PARTIALLY_PUBLISHED' },
    FAILED: { edit: 'DRAFT', retry: 'PUBLISHING', delete: 'FAILED' },
  }
  const acts: Act[] = ['edit', 'schedule', 'cancel', 'publish', 'retry', 'delete']

  for (const status of STATUSES) {
    for (const act of acts) {
      const to = table[status][act]
      test(`${act} of a post in ${status} ${to ? `makes it ${to}` : 'is refused'}`, () => {
        expect(next(status, act)).toBe(to)
        expect(allowed(status).includes(act)).toBe(to !== undefined)
      })
    }
  }

  test.each([
    [['PUBLISHED', 'PUBLISHED'], 'PUBLISHED'],
    [['PUBLISHED', 'FAILED'], 'PARTIALLY_PUBLISHED'],
    [['PUBLISHED', 'UNCONFIRMED'], 'PARTIALLY_PUBLISHED'],
    [['FAILED', 'UNCONFIRMED'], 'FAILED'],
    [[], 'FAILED'],
  ] as const)('targets %j make the post %s', (states, expected) => {
    expect(outcome(states.map((state) => ({ state, dropped: false })))).toBe(expected)
  })

  test('a dropped target does not affect the outcome', () => {
    const targets = [
      { state: 'PUBLISHED', dropped: false },
      { state: 'FAILED', dropped: true },
    ] as const
    expect(outcome(targets)).toBe('PUBLISHED')
  })
})

describe('the text and media of a target', () => {
  test('caption, call to action and hashtags are separated by blank lines; empty parts are left out', () => {
    expect(compose(draft({ cta: 'Order now', hashtags: ['coffee', '#Autumn'] }), 'NET_PAGE').text).toBe(
      'Autumn in a cup\n\nOrder now\n\n#coffee #Autumn',
    )
    expect(compose(draft({ hashtags: ['coffee'] }), 'NET_PAGE').text).toBe('Autumn in a cup\n\n#coffee')
    expect(compose(draft({ caption: '', hashtags: ['coffee'] }), 'NET_PAGE').text).toBe('#coffee')
  })

  test('a hashtag appears once, ignoring case, and not if the caption has it', () => {
    const post = draft({ caption: 'New #Coffee here', hashtags: ['coffee', 'Tea', '#tea', 'قهوة'] })
    expect(compose(post, 'NET_PAGE').text).toBe('New #Coffee here\n\n#Tea #قهوة')
  })

  test('a hashtag has the marks of its letters, and the end of an address is none', () => {
    const tagged = (caption: string, hashtags: string[]) => compose(draft({ caption, hashtags }), 'NET_PAGE').text
    expect(tagged('عيد #مُبارك', ['مُبارك', 'م'])).toBe('عيد #مُبارك\n\n#م')
    expect(tagged('आज #हिन्दी', ['हिन्दी'])).toBe('आज #हिन्दी')
    expect(tagged('See https://shop.example/#sale', ['sale'])).toBe('See https://shop.example/#sale\n\n#sale')
  })

  test('an override of one network changes neither the caption nor another network', () => {
    const post = draft({
      captionOverrides: { NET_PHOTO: { caption: 'Photo only', cta: 'Link in bio' } },
      cta: 'Order now',
    })
    expect(compose(post, 'NET_PHOTO').text).toBe('Photo only\n\nLink in bio')
    expect(compose(post, 'NET_PAGE').text).toBe('Autumn in a cup\n\nOrder now')
    expect(post.caption).toBe('Autumn in a cup')
  })

  test('an empty override is deliberate; an absent one inherits', () => {
    const post = draft({
      hashtags: ['coffee'],
      captionOverrides: { NET_PAGE: { caption: '' } },
      hashtagOverrides: { NET_PAGE: [] },
    })
    expect(compose(post, 'NET_PAGE').text).toBe('')
    expect(compose(post, 'NET_PHOTO').text).toBe('Autumn in a cup\n\n#coffee')
  })

  test('media are in order, and only on the networks chosen for them', () => {
    const media = [
      image({}, { mediaFileId: 'm2', sortOrder: 2 }),
      image({}, { mediaFileId: 'm1', sortOrder: 1 }),
      image({}, { mediaFileId: 'm3', sortOrder: 0, platforms: ['NET_PHOTO'] }),
    ]
    const ids = (platform: 'NET_PAGE' | 'NET_PHOTO') =>
      compose(draft({ media }), platform).media.map((each) => each.mediaFileId)
    expect(ids('NET_PAGE')).toEqual(['m1', 'm2'])
    expect(ids('NET_PHOTO')).toEqual(['m3', 'm1', 'm2'])
  })
})

describe('obstacles to publishing', () => {
  test('a plain text with a connected account has no finding', () => expect(codes(draft())).toEqual([]))

  test.each([
    ['no target', draft({ targets: [] }), 'no_target'],
    ['nothing to show', draft({ caption: '  ' }), 'empty'],
    ['a text over the limit', draft({ caption: 'x'.repeat(63_207) }), 'text_too_long'],
    ['a picture in processing', draft({ media: [image({ state: 'PROCESSING' })] }), 'media_processing'],
    ['a rejected picture', draft({ media: [image({ state: 'REJECTED' })] }), 'media_rejected'],
    [
      'a format that the network does not take',
      draft({ media: [image({ mimeType: 'image/webp' })] }),
      'format_not_accepted',
    ],
    ['a picture over 10 MB', draft({ media: [image({ fileSize: 10_000_001 })] }), 'file_too_large'],
    ['two videos', draft({ media: [video(), video({}, { mediaFileId: 'm2', sortOrder: 1 })] }), 'too_many_videos'],
    [
      'a video with a picture',
      draft({ media: [video(), image({}, { mediaFileId: 'm2', sortOrder: 1 })] }),
      'mixed_media',
    ],
    ['a video of another codec', draft({ media: [video({ codec: 'mpeg4' })] }), 'codec_not_accepted'],
    [
      'eleven pictures',
      draft({ media: Array.from({ length: 11 }, (_, i) => image({}, { mediaFileId: `m${i}`, sortOrder: i })) }),
      'too_many_images',
    ],
  ])('%s is found', (_, post, code) => expect(codes(post)).toContain(code))

  test('a text at the limit passes; its hashtags count', () => {
    expect(codes(draft({ caption: 'x'.repeat(63_206) }))).toEqual([])
    expect(codes(draft({ caption: 'x'.repeat(63_200), hashtags: ['coffee'] }))).toEqual(['text_too_long'])
  })

  test.each([
    ['to be connected again', { status: 'RECONNECT_NEEDED' as const }, 'reconnect_needed'],
    ['paused', { paused: true }, 'account_paused'],
    ['without the permission to publish', { missingScopes: [{ scope: 's', neededFor: 'publish' }] }, 'scope_missing'],
  ])('an account %s is found', (_, change, code) => expect(codes(draft(), [{ ...account, ...change }])).toEqual([code]))

  test('media that a network cannot fetch are found', () => {
    expect(codes(draft({ media: [image()] }), [account], false)).toEqual(['media_not_public'])
  })

  test('a finding points to a field of the post, or to its override', () => {
    const long = 'x'.repeat(63_207)
    expect(check(draft({ caption: long }), [account], { publicMedia: true })[0]?.field).toBe('/caption')
    const overridden = draft({ captionOverrides: { NET_PAGE: { caption: long } } })
    expect(check(overridden, [account], { publicMedia: true })[0]?.field).toBe('/captionOverrides/NET_PAGE/caption')
  })
})

describe('the limits of NET_PHOTO and NET_VIDEO', () => {
  const photo = { ...account, platform: 'NET_PHOTO' as const }
  const clips = { ...account, platform: 'NET_VIDEO' as const }
  const chosen = { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE' as const, consent: true } }
  const clip = (change: object) => draft({ media: [video(change)], platformOptions: chosen })

  test.each([
    ['a picture of 4:5', photo, draft({ media: [image({ width: 1080, height: 1350 })] })],
    ['a picture of 1.91:1', photo, draft({ media: [image({ width: 1146, height: 600 })] })],
    ['ten pictures', photo, draft({ media: Array.from({ length: 10 }, (_, i) => image({}, { sortOrder: i })) })],
    ['a video of 3 seconds', photo, draft({ media: [video({ duration: 3 })] })],
    ['a video of 15 minutes', photo, draft({ media: [video({ duration: 900 })] })],
    ['a video of 3 seconds', clips, clip({ duration: 3 })],
    ['a video of 10 minutes', clips, clip({ duration: 600 })],
    ['a side of 360 pixels', clips, clip({ width: 360, height: 640 })],
    ['a text of 2,200', clips, { ...clip({}), caption: 'x'.repeat(2_200) }],
  ])('%s has no finding', (_what, to, post) => {
    expect(codes(post, [to])).toEqual([])
  })

  /** The edges of each network's limits for videos: a value just within and one just beyond. */
  const edges: [TargetAccount['platform'], object, object, string][] = [
    ['NET_PAGE', { fileSize: 4_000_000_000 }, { fileSize: 4_000_000_001 }, 'file_too_large'],
    ['NET_PAGE', { codec: 'av1' }, { codec: 'vp8' }, 'codec_not_accepted'],
    ['NET_PAGE', { duration: 1 }, { duration: 0.9 }, 'duration_not_accepted'],
    ['NET_PAGE', { duration: 14_400 }, { duration: 14_401 }, 'duration_not_accepted'],
    ['NET_PAGE', { frameRate: 240 }, { mimeType: 'video/webm' }, 'format_not_accepted'],
    ['NET_PHOTO', { fileSize: 300_000_000 }, { fileSize: 300_000_001 }, 'file_too_large'],
    ['NET_PHOTO', { codec: 'hevc' }, { codec: 'vp9' }, 'codec_not_accepted'],
    ['NET_PHOTO', { duration: 3 }, { duration: 2.97 }, 'duration_not_accepted'],
    ['NET_PHOTO', { duration: 900 }, { duration: 900.1 }, 'duration_not_accepted'],
    ['NET_PHOTO', { frameRate: 23 }, { frameRate: 22.96 }, 'frame_rate_not_accepted'],
    ['NET_PHOTO', { frameRate: 60.002 }, { frameRate: 61 }, 'frame_rate_not_accepted'],
    ['NET_PHOTO', { width: 1920, height: 192 }, { width: 1920, height: 191 }, 'aspect_not_accepted'],
    ['NET_PHOTO', { width: 1920, height: 1080 }, { width: 1921, height: 1080 }, 'size_not_accepted'],
    ['NET_VIDEO', { fileSize: 4_000_000_000 }, { fileSize: 4_000_000_001 }, 'file_too_large'],
    ['NET_VIDEO', { codec: 'vp8' }, { codec: 'av1' }, 'codec_not_accepted'],
    ['NET_VIDEO', { duration: 3 }, { duration: 2.9 }, 'duration_not_accepted'],
    ['NET_VIDEO', { duration: 600 }, { duration: 600.1 }, 'duration_not_accepted'],
    ['NET_VIDEO', { frameRate: 59.94 }, { frameRate: 60.1 }, 'frame_rate_not_accepted'],
    ['NET_VIDEO', { width: 360, height: 4096 }, { width: 359, height: 640 }, 'size_not_accepted'],
    ['NET_VIDEO', { width: 4096, height: 2160 }, { width: 4097, height: 2160 }, 'size_not_accepted'],
    ['NET_VIDEO', { mimeType: 'video/quicktime' }, { state: 'PROCESSING' }, 'media_processing'],
  ]
  test.each(edges)('%s accepts a video with %j, and reports %3$s for one with %j', (platform, within, beyond, code) => {
    const to = [{ ...account, platform }]
    expect(codes(clip(within), to)).toEqual([])
    expect(codes(clip(beyond), to)).toEqual([code])
  })

  test('the finding of a rejected file has its reason', () => {
    const rejected = clip({ state: 'REJECTED', rejectedReason: 'The file is incomplete.' })
    expect(check(rejected, [clips], { publicMedia: true })).toMatchObject([
      { code: 'media_rejected', message: 'a.mp4 can’t be used. The file is incomplete.' },
    ])
  })

  test.each([
    ['no media', photo, draft(), 'media_required'],
    [
      'a picture taller than 4:5',
      photo,
      draft({ media: [image({ width: 1080, height: 1351 })] }),
      'aspect_not_accepted',
    ],
    ['a picture of 319 pixels', photo, draft({ media: [image({ width: 319, height: 319 })] }), 'size_not_accepted'],
    ['a PNG', photo, draft({ media: [image({ mimeType: 'image/png' })] }), 'format_not_accepted'],
    [
      '31 hashtags',
      photo,
      { ...draft({ media: [image()] }), hashtags: Array.from({ length: 31 }, (_, i) => `t${i}`) },
      'too_many_hashtags',
    ],
    ['a video of 2.9 seconds', photo, draft({ media: [video({ duration: 2.9 })] }), 'duration_not_accepted'],
    ['a video over 15 minutes', photo, draft({ media: [video({ duration: 900.1 })] }), 'duration_not_accepted'],
    ['22 frames a second', photo, draft({ media: [video({ frameRate: 22 })] }), 'frame_rate_not_accepted'],
    ['a video 1,921 pixels wide', photo, draft({ media: [video({ width: 1921, height: 1080 })] }), 'size_not_accepted'],
    [
      'a picture beside a video',
      clips,
      { ...draft({ media: [image(), video({}, { mediaFileId: 'm2', sortOrder: 1 })] }), platformOptions: chosen },
      'kind_not_accepted',
    ],
    ['a side of 359 pixels', clips, clip({ width: 359 }), 'size_not_accepted'],
    ['a video over 10 minutes', clips, clip({ duration: 601 }), 'duration_not_accepted'],
    ['a text of 2,201', clips, { ...clip({}), caption: 'x'.repeat(2_201) }, 'text_too_long'],
    [
      'nobody chosen who may see it',
      clips,
      { ...clip({}), platformOptions: { NET_VIDEO: { consent: true } } },
      'privacy_required',
    ],
    [
      'terms not agreed to',
      clips,
      { ...clip({}), platformOptions: { NET_VIDEO: { privacyLevel: 'SELF_ONLY' as const } } },
      'consent_required',
    ],
    [
      'paid advertising for oneself alone',
      clips,
      {
        ...clip({}),
        platformOptions: { NET_VIDEO: { privacyLevel: 'SELF_ONLY' as const, brandContent: true, consent: true } },
      },
      'privacy_not_accepted',
    ],
  ])('%s is found', (_what, to, post, code) => {
    expect(codes(post, [to])).toEqual([code])
  })

  const of = (kind: 'post' | 'reel' | 'story', more: object = {}) =>
    ({ NET_PAGE: { kind: kind === 'story' ? 'post' : kind, ...more }, NET_PHOTO: { kind, ...more } }) as const
  const many = (count: number, make: typeof image) =>
    Array.from({ length: count }, (_, i) => make({}, { mediaFileId: `${make.name}${i}`, sortOrder: i }))
  const upright = (change: object = {}) => [video({ width: 540, height: 960, duration: 30, ...change })]
  const reel = (change: object = {}) => draft({ platformOptions: of('reel'), media: upright(change) })
  const story = (media: PostDraft['media'], caption = '') => draft({ caption, platformOptions: of('story'), media })
  const still = { url: 'http://x/r.jpg', mimeType: 'image/jpeg', fileSize: 10, width: 800, height: 600 }
  const gif = image({ mimeType: 'image/gif', fileName: 'a.gif', renditions: { NET_PHOTO: still } })
  const pictures = (change: object, count = 1) =>
    draft({
      caption: 'x',
      platformOptions: chosen,
      media: many(count, (_change, item) => image({ width: 1080, height: 1080, ...change }, item)),
    })

  test.each([
    ['a reel of 3 seconds', account, reel({ duration: 3 }), []],
    ['a reel of 90 seconds', account, reel({ duration: 90 }), []],
    ['a reel of 2.9 seconds', account, reel({ duration: 2.9 }), ['duration_not_accepted']],
    ['a reel of 90.1 seconds', account, reel({ duration: 90.1 }), ['duration_not_accepted']],
    ['a reel of 23 frames a second', account, reel({ frameRate: 23 }), ['frame_rate_not_accepted']],
    ['a reel 538 pixels wide', account, reel({ width: 538, height: 958 }), ['size_not_accepted', 'size_not_accepted']],
    ['a square reel', account, reel({ width: 960, height: 960 }), ['aspect_not_accepted']],
    ['a reel of a picture', account, draft({ platformOptions: of('reel'), media: [image()] }), ['kind_not_accepted']],
    ['a reel of nothing', account, draft({ platformOptions: of('reel') }), ['media_required']],
    ['two videos as a reel', photo, draft({ platformOptions: of('reel'), media: many(2, video) }), ['too_many_videos']],
    ['ten files, mixed', photo, draft({ media: [...many(5, image), ...many(5, video)] }), []],
    ['eleven files, mixed', photo, draft({ media: [...many(5, image), ...many(6, video)] }), ['too_many_media']],
    ['eleven videos', photo, draft({ media: many(11, video) }), ['too_many_videos']],
    ['a story of a tall picture', photo, story([image({ width: 900, height: 1600 })]), []],
    ['a story of 60 seconds', photo, story([video({ duration: 60 })]), []],
    ['a story of 60.1 seconds', photo, story([video({ duration: 60.1 })]), ['duration_not_accepted']],
    ['a story over 100 MB', photo, story([video({ fileSize: 100_000_001 })]), ['file_too_large']],
    ['a story of two pictures', photo, story(many(2, image)), ['too_many_images']],
    ['a story of nothing', photo, story([]), ['empty']],
    ['a story with a text', photo, story([image()], 'Hello'), ['text_not_shown']],
    [
      'a story with a first comment',
      photo,
      draft({ caption: '', platformOptions: of('story', { firstComment: 'Hi' }), media: [image()] }),
      ['comment_not_possible'],
    ],
    [
      'a cover at the end',
      photo,
      draft({ platformOptions: of('post', { coverMs: 29_999 }), media: [video({ duration: 30 })] }),
      [],
    ],
    [
      'a cover after the end',
      photo,
      draft({ platformOptions: of('post', { coverMs: 30_000 }), media: [video({ duration: 30 })] }),
      ['cover_beyond'],
    ],
    [
      'a comment of 2,200',
      photo,
      draft({ platformOptions: of('post', { firstComment: 'x'.repeat(2200) }), media: [image()] }),
      [],
    ],
    [
      'a comment of 2,201',
      photo,
      draft({ platformOptions: of('post', { firstComment: 'x'.repeat(2201) }), media: [image()] }),
      ['comment_too_long'],
    ],
    [
      'a comment of 8,001',
      account,
      draft({ platformOptions: of('post', { firstComment: 'x'.repeat(8001) }) }),
      ['comment_too_long'],
    ],
    [
      'a comment without the permission',
      { ...account, missingScopes: [{ scope: 'pages_manage_engagement', neededFor: 'comments' }] },
      draft({ platformOptions: of('post', { firstComment: 'Hi' }) }),
      ['comment_scope_missing'],
    ],
    ['35 pictures', clips, pictures({}, 35), []],
    ['36 pictures', clips, pictures({}, 36), ['too_many_images']],
    ['a PNG', clips, pictures({ mimeType: 'image/png' }), ['format_not_accepted']],
    ['a WebP', clips, pictures({ mimeType: 'image/webp' }), []],
    ['a picture over 20 MB', clips, pictures({ fileSize: 20_000_001 }), ['file_too_large']],
    ['a picture 1,081 pixels wide', clips, pictures({ width: 1081 }), ['size_not_accepted']],
    ['4,000 signs under pictures', clips, { ...pictures({}), caption: 'x'.repeat(4000) }, []],
    ['4,001 signs under pictures', clips, { ...pictures({}), caption: 'x'.repeat(4001) }, ['text_too_long']],
    [
      'a marked picture where there is no mark',
      account,
      draft({ media: [image({ aiGenerated: true })] }),
      ['ai_not_marked'],
    ],
    ['a GIF where its rendition is a JPEG', photo, draft({ media: [gif] }), ['animation_lost']],
    ['a GIF where it is sent as it is', account, draft({ media: [gif] }), ['animation_lost']],
    ['a GIF for another network', account, draft({ media: [{ ...gif, platforms: ['NET_PHOTO'] }] }), []],
    ['a marked picture where there is one', photo, draft({ media: [image({ aiGenerated: true })] }), []],
    [
      'a marked video where only pictures are marked',
      photo,
      draft({ media: [video({ aiGenerated: true })] }),
      ['ai_not_marked'],
    ],
  ] satisfies [string, TargetAccount, PostDraft, string[]][])('kinds of posts: %s', (_what, to, post, found) => {
    expect(codes(post, [to])).toEqual(found)
  })

  test('informational findings are only warnings', () => {
    const said = [
      ...check(story([image()], 'Hello'), [photo], { publicMedia: true }),
      ...check(draft({ media: [image({ aiGenerated: true })] }), [account], { publicMedia: true }),
      ...check(draft({ media: [gif] }), [account], { publicMedia: true }),
    ]
    expect(said.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning'])
  })

  test('a story gets the whole picture, a feed post the framed one', () => {
    const made = { url: 'http://x/story.jpg', mimeType: 'image/jpeg', fileSize: 10, width: 1080, height: 1920 }
    const framed = { ...made, url: 'http://x/feed.jpg', height: 1350 }
    const media = [image({ height: 4000, renditions: { NET_PHOTO: framed, NET_PHOTO_STORY: made } })]
    expect(compose(story(media), 'NET_PHOTO').media[0]?.file.storageUrl).toBe('http://x/story.jpg')
    expect(compose(draft({ media }), 'NET_PHOTO').media[0]?.file.storageUrl).toBe('http://x/feed.jpg')
  })

  test('a network with a rendition gets it, others get the original file', () => {
    const rendition = { url: 'http://x/r.jpg', mimeType: 'image/jpeg', fileSize: 10, width: 1080, height: 1350 }
    const post = draft({
      media: [image({ mimeType: 'image/webp', height: 4000, renditions: { NET_PHOTO: rendition } })],
    })
    expect(compose(post, 'NET_PHOTO').media[0]?.file).toMatchObject({ storageUrl: 'http://x/r.jpg', width: 1080 })
    expect(compose(post, 'NET_PAGE').media[0]?.file).toMatchObject({ storageUrl: 'http://x/a.jpg', height: 4000 })
    expect(codes(post, [photo])).toEqual([])
  })
})

describe('a foreseen problem', () => {
  const scheduledAt = '2026-12-10T09:00:00.000Z'
  const account: TargetAccount = {
    id: 'a',
    platform: 'NET_VIDEO',
    name: 'North',
    status: 'CONNECTED',
    paused: false,
    missingScopes: [],
  }
  const post = { targets: ['a'], scheduledAt, platformOptions: {}, media: [] }
  const look = (before: number, tokenEnds: string | null) =>
    foresee(post, [account], [{ accountId: 'a', before, ofKind: 0, tokenEnds }]).map(({ code }) => code)

  test('is the daily limit, from the first post beyond it', () => {
    expect([look(14, null), look(15, null)]).toEqual([[], ['network_quota']])
  })

  test('is the daily limit of reels on a page, which counts reels alone', () => {
    const page: TargetAccount = { ...account, platform: 'NET_PAGE' }
    const found = (kind: 'post' | 'reel', ofKind: number) =>
      foresee(
        { ...post, platformOptions: { NET_PAGE: { kind } } },
        [page],
        [{ accountId: 'a', before: 99, ofKind, tokenEnds: null }],
      ).map(({ code, limit, value }) => [code, limit, value])
    expect([found('reel', 29), found('reel', 30), found('post', 99)]).toEqual([[], [['network_quota', 30, 31]], []])
  })

  test('is a token that expires by the time of the post', () => {
    expect([look(0, '2026-12-10T09:00:00.001Z'), look(0, scheduledAt)]).toEqual([[], ['token_ends']])
  })

  test('is not reported for a disconnected account, nor without a time', () => {
    const gone: TargetAccount = { ...account, status: 'DISCONNECTED' }
    const outlook = [{ accountId: 'a', before: 99, ofKind: 99, tokenEnds: null }]
    expect(foresee(post, [gone], outlook)).toEqual([])
    expect(foresee({ ...post, scheduledAt: null }, [account], outlook)).toEqual([])
  })
})

describe('the next check of a scheduled post', () => {
  const at = new Date('2026-12-10T09:00:00Z')
  test.each([
    ['2026-12-01T09:00:00Z', '2026-12-02T09:00:00Z'],
    ['2026-12-08T20:00:00Z', '2026-12-09T09:00:00Z'],
    ['2026-12-09T09:00:00Z', '2026-12-10T08:00:00Z'],
    ['2026-12-10T08:00:00Z', '2026-12-10T08:50:00Z'],
    ['2026-12-10T08:30:00Z', '2026-12-10T08:50:00Z'],
    ['2026-12-10T08:50:00Z', null],
    ['2026-12-11T08:30:00Z', null],
  ])('after %s is at %s', (now, next) => {
    expect(nextLook(at, new Date(now))).toEqual(next === null ? null : new Date(next))
  })
})

test('a retry is offered before a fix only for failures that pass or were fixed', () => {
  const error = (who: 'author' | 'admin' | 'network', retryable: boolean) => ({
    code: 'content' as const,
    networkCode: null,
    message: '',
    fix: '',
    who,
    retryable,
  })
  const of = (failure: ReturnType<typeof error>, editedSince = false, change: Partial<TargetAccount> = {}) =>
    isRetryNext({ error: failure, editedSince }, { ...account, ...change })
  expect([of(error('author', false)), of(error('author', false), true)]).toEqual([false, true])
  expect([of(error('network', true)), of(error('author', true))]).toEqual([true, true])
  const admins = error('admin', true)
  expect(of(admins)).toBe(true)
  expect([of(admins, true, { status: 'RECONNECT_NEEDED' }), of(admins, true, { paused: true })]).toEqual([false, false])
  expect(isRetryNext({ error: admins, editedSince: true }, undefined)).toBe(false)
})

describe('the risks that people are told about', () => {
  const scheduledAt = '2026-12-10T09:00:00.000Z'
  const scope = { publicMedia: true }
  const [noTarget] = check(draft({ targets: [] }), [], scope)
  const held = check(draft(), [{ ...account, status: 'RECONNECT_NEEDED' }], scope)
  const processing = check(draft({ media: [image({ state: 'PROCESSING' })] }), [account], scope)
  const tell = (found: typeof held, now: string, told: RiskTold | null = null, alone = true) => {
    const next = risksToTell(found, { scheduledAt, told, now: new Date(now), alone })
    return { codes: next.risks.map(({ code }) => code), told: next.told }
  }

  test('are told by a check of the post, and not again by the next one', () => {
    const first = tell([noTarget!], '2026-12-01T09:00:00Z')
    expect(first.codes).toEqual(['no_target'])
    expect(tell([noTarget!], '2026-12-02T09:00:00Z', first.told).codes).toEqual([])
    expect(tell([], '2026-12-02T09:00:00Z', first.told)).toEqual({ codes: [], told: null })
  })

  test('that an account holds are told by the account’s own notice, then by the reminders', () => {
    const first = tell(held, '2026-12-01T09:00:00Z', null, false)
    expect(first.codes).toEqual([])
    expect(tell(held, '2026-12-02T09:00:00Z', first.told).codes).toEqual([])
    expect(tell(held, '2026-12-09T09:00:00Z', first.told).codes).toEqual(['reconnect_needed'])
    expect(tell(held, '2026-12-01T09:00:00Z').codes).toEqual(['reconnect_needed'])
  })

  test('do not include a file in processing before the reminders or the last minutes, then each once', () => {
    const days = tell(processing, '2026-12-01T09:00:00Z')
    expect(days.codes).toEqual([])
    const reminded = tell(processing, '2026-12-10T08:00:00Z', days.told)
    expect(reminded.codes).toEqual(['media_processing'])
    expect(tell(processing, '2026-12-10T08:50:00Z', reminded.told).codes).toEqual([])
    const late = tell(processing, '2026-12-10T08:10:00Z')
    expect(late.codes).toEqual([])
    const last = tell(processing, '2026-12-10T08:50:00Z', late.told)
    expect(last.codes).toEqual(['media_processing'])
    expect(tell(processing, '2026-12-10T08:55:00Z', last.told).codes).toEqual([])
  })
})
