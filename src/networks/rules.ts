// What each network takes, as one table of facts. The composer, validation, scheduling and publishing all read it.
// Sources: the networks' published limits; where they publish none, what their answers say.

interface Range {
  min: number
  max: number
}

export interface Facts {
  /** Longest text, caption with call to action and hashtags, counted as the network counts. */
  textLimit: number
  countedIn: 'utf16' | 'codepoints'
  hashtagLimit: number | null
  mentionLimit: number | null
  textOnly: boolean
  /** Pictures and videos together, as many as there may be pictures. */
  mixed: boolean
  images: {
    mimeTypes: readonly string[]
    maxBytes: number
    max: number
    /** Width divided by height. */
    aspect: Range | null
    /** Pixels of the width. */
    width: Range | null
  } | null
  video: {
    mimeTypes: readonly string[]
    codecs: readonly string[]
    maxBytes: number
    max: number
    seconds: Range
    framesPerSecond: Range | null
    /** Pixels of the width, the height, and of each side. */
    width: Range | null
    height: Range | null
    side: Range | null
    aspect: Range | null
  } | null
  /** Calls that one connected user may cause in an hour, over all networks of the same app. */
  callsPerHour: number | null
  /** Posts that one account takes in 24 hours; null where the network names no number. */
  postsPerDay: number | null
}

const MB = 1_000_000

type Network = 'NET_PAGE' | 'NET_PHOTO' | 'NET_VIDEO'

/** Of a usual post: on NET_PAGE and NET_PHOTO what stands in the feed, on NET_VIDEO a video. */
export const facts: Readonly<Record<Network, Facts>> = {
  NET_PAGE: {
    textLimit: 63_206,
    countedIn: 'utf16',
    hashtagLimit: null,
    mentionLimit: null,
    textOnly: true,
    mixed: false,
    images: {
      mimeTypes: ['image/jpeg', 'image/png', 'image/gif'],
      maxBytes: 10 * MB,
      max: 10,
      aspect: null,
      width: null,
    },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      codecs: ['avc', 'hevc', 'vp9', 'av1'],
      maxBytes: 4_000 * MB,
      max: 1,
      seconds: { min: 1, max: 14_400 },
      framesPerSecond: null,
      width: null,
      height: null,
      side: null,
      aspect: null,
    },
    callsPerHour: 200,
    postsPerDay: null,
  },
  NET_PHOTO: {
    textLimit: 2_200,
    countedIn: 'codepoints',
    hashtagLimit: 30,
    mentionLimit: 20,
    textOnly: false,
    mixed: true,
    images: {
      mimeTypes: ['image/jpeg'],
      maxBytes: 8 * MB,
      max: 10,
      aspect: { min: 0.8, max: 1.91 },
      width: { min: 320, max: 1_440 },
    },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      codecs: ['avc', 'hevc'],
      maxBytes: 300 * MB,
      max: 10,
      seconds: { min: 3, max: 900 },
      framesPerSecond: { min: 23, max: 60 },
      width: { min: 1, max: 1_920 },
      height: null,
      side: null,
      aspect: { min: 0.01, max: 10 },
    },
    callsPerHour: 200,
    postsPerDay: 50,
  },
  NET_VIDEO: {
    textLimit: 2_200,
    countedIn: 'utf16',
    hashtagLimit: null,
    mentionLimit: null,
    textOnly: false,
    mixed: false,
    images: null,
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      codecs: ['avc', 'hevc', 'vp8', 'vp9'],
      maxBytes: 4_000 * MB,
      max: 1,
      seconds: { min: 3, max: 600 },
      framesPerSecond: { min: 23, max: 60 },
      width: null,
      height: null,
      side: { min: 360, max: 4_096 },
      aspect: null,
    },
    callsPerHour: null,
    postsPerDay: 15,
  },
}

export type Kind = 'post' | 'reel' | 'story' | 'pictures'

const { NET_PAGE, NET_PHOTO, NET_VIDEO } = facts as { [N in Network]: Facts & { video: NonNullable<Facts['video']> } }

/** The kinds that a network has besides its usual posts. */
export const kindFacts: Readonly<Partial<Record<`${Network} ${Kind}`, Facts>>> = {
  'NET_PAGE reel': {
    ...NET_PAGE,
    textOnly: false,
    images: null,
    video: {
      ...NET_PAGE.video,
      mimeTypes: ['video/mp4', 'video/quicktime'],
      seconds: { min: 3, max: 90 },
      framesPerSecond: { min: 24, max: 60 },
      width: { min: 540, max: 2_304 },
      height: { min: 960, max: 4_096 },
      // 9 by 16, but for the rounding of whole pixels.
      aspect: { min: 0.555, max: 0.57 },
    },
  },
  'NET_PHOTO reel': { ...NET_PHOTO, mixed: false, images: null, video: { ...NET_PHOTO.video, max: 1 } },
  'NET_PHOTO story': {
    ...NET_PHOTO,
    textLimit: 0,
    mixed: false,
    images: { mimeTypes: ['image/jpeg'], maxBytes: 8 * MB, max: 1, aspect: null, width: { min: 320, max: 1_440 } },
    video: { ...NET_PHOTO.video, maxBytes: 100 * MB, max: 1, seconds: { min: 3, max: 60 } },
  },
  'NET_VIDEO pictures': {
    ...NET_VIDEO,
    textLimit: 4_000,
    images: {
      mimeTypes: ['image/jpeg', 'image/webp'],
      maxBytes: 20 * MB,
      max: 35,
      aspect: { min: 0.5625, max: 10 },
      width: { min: 100, max: 1_080 },
    },
    video: null,
  },
}

export const factsOf = (network: Network, kind: Kind): Facts => kindFacts[`${network} ${kind}`] ?? facts[network]

/** The longest first comment by a post's own account; null where the network has none. */
export const commentLimits: Readonly<Record<Network, number | null>> = {
  NET_PAGE: 8_000,
  NET_PHOTO: 2_200,
  NET_VIDEO: null,
}

/** What statistics call a network that a link was opened in; null where nobody can open one from a text. */
export const linkNames: Readonly<Record<Network, string | null>> = {
  NET_PAGE: 'facebook',
  NET_PHOTO: null,
  NET_VIDEO: null,
}

/** What a network takes a mark for that it was made by a machine. */
export const marksAi: Readonly<Record<Network, readonly ('IMAGE' | 'VIDEO')[]>> = {
  NET_PAGE: [],
  NET_PHOTO: ['IMAGE'],
  NET_VIDEO: ['IMAGE', 'VIDEO'],
}

/** The names under which a network's own copies of pictures are kept, each with whose demands it fulfils. */
export const renditionUses = {
  NET_PAGE: factsOf('NET_PAGE', 'post'),
  NET_PHOTO: factsOf('NET_PHOTO', 'post'),
  NET_PHOTO_STORY: factsOf('NET_PHOTO', 'story'),
  NET_VIDEO: factsOf('NET_VIDEO', 'pictures'),
} as const
export type RenditionUse = keyof typeof renditionUses
export const RENDITION_USES = Object.keys(renditionUses) as RenditionUse[]

export const renditionUseOf = (network: Network, kind: Kind): RenditionUse =>
  network === 'NET_PHOTO' && kind === 'story' ? 'NET_PHOTO_STORY' : network

/** How a picture must be changed for a network that does not take it as it is; null when it does. */
export interface Rendition {
  width: number
  height: number
  /** The picture within it, the rest is border: nothing of it is cut off. */
  inner: { width: number; height: number }
  maxBytes: number
}

/** A picture as it is served: upright. */
export interface PictureSize {
  mimeType: string
  fileSize: number
  width: number
  height: number
}

/** The JPEG that a network gets instead of a picture, of the size and ratio that it takes. */
export function renditionOf(picture: PictureSize, { images }: Facts): Rendition | null {
  if (!images) return null
  const { aspect, width: widths, maxBytes } = images
  const ratio = picture.width / picture.height
  const wanted = aspect ? Math.min(Math.max(ratio, aspect.min), aspect.max) : ratio
  const fits = wanted === ratio && (!widths || (picture.width >= widths.min && picture.width <= widths.max))
  if (fits && images.mimeTypes.includes(picture.mimeType) && picture.fileSize <= maxBytes) return null
  // The frame that just holds the picture, then scaled to the widths taken.
  const frame = ratio > wanted ? picture.width : picture.height * wanted
  const width = Math.round(widths ? Math.min(Math.max(frame, widths.min), widths.max) : Math.min(frame, LARGEST))
  // Rounded inwards, so that the ratio of whole pixels is within the bounds.
  const round = wanted === aspect?.max ? Math.ceil : Math.floor
  const height = Math.max(1, wanted === ratio ? Math.round(width / wanted) : round(width / wanted))
  const scale = Math.min(width / picture.width, height / picture.height)
  const inner = {
    width: Math.min(width, Math.max(1, Math.round(picture.width * scale))),
    height: Math.min(height, Math.max(1, Math.round(picture.height * scale))),
  }
  return { width, height, inner, maxBytes }
}

/** Of a picture the part that a network is to get, in pixels of the upright picture. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

export const sameArea = (a: Area, b: Area) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height

/** The JPEG that a network gets of a part of a picture. */
export const cropOf = ({ width, height }: Area, use: RenditionUse): Rendition | null =>
  renditionOf({ width, height, mimeType: '', fileSize: 0 }, renditionUses[use])

/** The ratios that people know, width by height. */
const RATIOS = [
  [9, 16],
  [4, 5],
  [1, 1],
  [16, 9],
  [1.91, 1],
] as const

/** Where a picture fills a phone that is held upright. */
const UPRIGHT: readonly RenditionUse[] = ['NET_PHOTO_STORY', 'NET_VIDEO']

/** Those of them that every one of these takes without a border, and the one of a phone where one of these fills it. */
export const ratiosFor = (uses: readonly RenditionUse[]) =>
  RATIOS.filter(
    ([width, height]) =>
      (width / height === 9 / 16 && uses.some((use) => UPRIGHT.includes(use))) ||
      uses.every((use) => {
        const { aspect } = renditionUses[use].images ?? { aspect: null }
        return !aspect || (width / height >= aspect.min && width / height <= aspect.max)
      }),
  )

/** How a model of language knows the networks. */
export const knownAs: Readonly<Record<Network, string>> = {
  NET_PAGE: 'Facebook page',
  NET_PHOTO: 'Instagram',
  NET_VIDEO: 'TikTok',
}

/** The widest picture that is made for a network without a limit of its own. */
const LARGEST = 4_096

/** How long a text is for a network, in the unit that it counts. */
export function countText(text: string, countedIn: Facts['countedIn']): number {
  return countedIn === 'utf16' ? text.length : Array.from(text).length
}

/** Networks keep words, not always the white space between them. */
const normalised = (text: string) => text.replaceAll(/\s+/g, ' ').trim().normalize('NFC')

/** Whether two texts are the same to a network. */
export const sameText = (a: string, b: string) => normalised(a) === normalised(b)
