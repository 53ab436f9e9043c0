import type { Platform, PlatformOptions, RenditionUse } from './api.ts'
import type { Facts, ContentKind, NetworkRules, RenditionRules, SharedOptions } from './facts.ts'
import { graphFailures } from './graph/rules.ts'
import { page, pageFailures } from './page/rules.ts'
import { photo, photoFailures } from './photo/rules.ts'
import { video, videoFailures } from './video/rules.ts'

export type { RenditionUse } from './api.ts'
export type { Facts, ContentKind, SharedOptions } from './facts.ts'

const rulesOf = { NET_PAGE: page, NET_PHOTO: photo, NET_VIDEO: video } as const satisfies Record<Platform, NetworkRules>

/** The differences between the networks. The composer, validation, scheduling and publishing all use this table. */
export const networks: Readonly<Record<Platform, NetworkRules>> = rulesOf

/** The limits of ordinary posts. */
export const facts = Object.fromEntries(
  Object.entries(rulesOf).map(([platform, { post }]) => [platform, post]),
) as Readonly<Record<Platform, Facts>>

/** The networks where the owner of an account sets restrictions for posts. */
export type OwnersPlatform = {
  [P in Platform]: (typeof rulesOf)[P]['asksOwner'] extends true ? P : never
}[Platform]
export const isOwnersPlatform = (platform: Platform): platform is OwnersPlatform => networks[platform].asksOwner

/** The maximum difference between two clocks, of machines of a network or of a network and Parley, in milliseconds. */
export const NETWORK_CLOCK_SKEW = 120_000

export const factsOf = (network: Platform, kind: ContentKind): Facts =>
  networks[network].kinds[kind] ?? networks[network].post

/** Whether the network stores files of messages at this address: over HTTPS, on one of its own hosts. */
export function isFileHost(platform: Platform, address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, port, username } = new URL(address)
  const { fileHosts } = networks[platform]
  const isKnown = fileHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
  return protocol === 'https:' && port === '' && username === '' && isKnown
}

/** Returns the options of a post for a network, limited to those that several networks have. */
export const optionsOf = (options: PlatformOptions, platform: Platform): SharedOptions => options[platform] ?? {}

/** The renditions of pictures for the networks, each with the limits that it meets. */
export const renditionUses: Readonly<Record<RenditionUse, RenditionRules & { sameAs?: RenditionUse }>> = {
  ...page.renditions,
  ...photo.renditions,
  ...video.renditions,
}
export const RENDITION_USES = Object.keys(renditionUses) as RenditionUse[]

export function renditionUseOf(network: Platform, kind: ContentKind): RenditionUse {
  const own = Object.entries(networks[network].renditions).find(([, rendition]) => rendition.kind === kind)
  return (own?.[0] ?? network) as RenditionUse
}

/** Every known refusal, by the place where it is read. `failures/rules.ts` has the consequence of each. */
export const failureTables = { ...graphFailures, ...pageFailures, ...photoFailures, ...videoFailures } as const

/** The networks where only the text can identify a post of pictures. */
export const byTextAlone = (Object.keys(rulesOf) as Platform[]).filter((one) => networks[one].knowsPicturesByText)

/** The change that a picture needs for a network; null if the network accepts it unchanged. */
export interface Rendition {
  width: number
  height: number
  /** The size of the picture within the frame. The rest is border: the picture is not cropped. */
  inner: { width: number; height: number }
  maxBytes: number
}

/** A picture as it is served, which is upright. */
export interface PictureSize {
  mimeType: string
  fileSize: number
  width: number
  height: number
}

/**
 * Returns the JPEG that replaces a picture for a network, in an accepted size and ratio. Null if the network accepts
 * the picture unchanged.
 */
export function renditionOf(picture: PictureSize, { images }: Facts): Rendition | null {
  if (!images) return null
  const { aspect, width: widths, maxBytes } = images
  const ratio = picture.width / picture.height
  const wanted = aspect ? Math.min(Math.max(ratio, aspect.min), aspect.max) : ratio
  const fits = wanted === ratio && (!widths || (picture.width >= widths.min && picture.width <= widths.max))
  if (fits && images.mimeTypes.includes(picture.mimeType) && picture.fileSize <= maxBytes) return null
  // The smallest frame that holds the picture, scaled to the accepted widths.
  const frame = ratio > wanted ? picture.width : picture.height * wanted
  const width = Math.round(widths ? Math.min(Math.max(frame, widths.min), widths.max) : Math.min(frame, LARGEST))
  // Rounds inwards, so that the ratio of whole pixels stays within the bounds.
  const round = wanted === aspect?.max ? Math.ceil : Math.floor
  const height = Math.max(1, wanted === ratio ? Math.round(width / wanted) : round(width / wanted))
  const scale = Math.min(width / picture.width, height / picture.height)
  const inner = {
    width: Math.min(width, Math.max(1, Math.round(picture.width * scale))),
    height: Math.min(height, Math.max(1, Math.round(picture.height * scale))),
  }
  return { width, height, inner, maxBytes }
}

/** The crop of a picture for a network, in pixels of the upright picture. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

export const sameArea = (a: Area, b: Area) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height

/** Returns the JPEG for a network from a crop of a picture. */
export const cropOf = ({ width, height }: Area, use: RenditionUse): Rendition | null =>
  renditionOf({ width, height, mimeType: '', fileSize: 0 }, renditionUses[use].facts)

/** The common ratios, as width and height. */
const RATIOS = [
  [9, 16],
  [4, 5],
  [1, 1],
  [16, 9],
  [1.91, 1],
] as const

/**
 * Returns the common ratios that all these networks accept without a border, and the ratio of a phone if one of the
 * renditions fills its screen.
 */
export const ratiosFor = (uses: readonly RenditionUse[]) =>
  RATIOS.filter(
    ([width, height]) =>
      (width / height === 9 / 16 && uses.some((use) => renditionUses[use].fillsPhone)) ||
      uses.every((use) => {
        const { aspect } = renditionUses[use].facts.images ?? { aspect: null }
        return !aspect || (width / height >= aspect.min && width / height <= aspect.max)
      }),
  )

/** The maximum width of a rendition for a network without its own limit. */
const LARGEST = 4_096

/** Returns the length of a text in the unit that the network counts in. */
export function countText(text: string, countedIn: Facts['countedIn']): number {
  return countedIn === 'utf16' ? text.length : Array.from(text).length
}

/** Networks keep words, but may change the white space between them. */
const normalised = (text: string) => text.replaceAll(/\s+/g, ' ').trim().normalize('NFC')

/** Whether two texts are equal to a network. */
export const sameText = (a: string, b: string) => normalised(a) === normalised(b)
