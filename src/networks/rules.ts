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

/** The limits of a usual post. */
export const facts = Object.fromEntries(
  Object.entries(rulesOf).map(([platform, { post }]) => [platform, post]),
) as Readonly<Record<Platform, Facts>>

/** The networks on which the owner of an account restricts what a post may be. */
export type OwnersPlatform = {
  [P in Platform]: (typeof rulesOf)[P]['asksOwner'] extends true ? P : never
}[Platform]
export const isOwnersPlatform = (platform: Platform): platform is OwnersPlatform => networks[platform].asksOwner

export const factsOf = (network: Platform, kind: ContentKind): Facts =>
  networks[network].kinds[kind] ?? networks[network].post

/** Whether an address is one at which the network keeps the files of messages: encrypted, on a host of its own. */
export function isFileHost(platform: Platform, address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, port, username } = new URL(address)
  const { fileHosts } = networks[platform]
  const isKnown = fileHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
  return protocol === 'https:' && port === '' && username === '' && isKnown
}

/** The options of a post for a network, among those that several networks have. */
export const optionsOf = (options: PlatformOptions, platform: Platform): SharedOptions => options[platform] ?? {}

/** The renditions of pictures for the networks, each with the limits that it fulfils. */
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

/** The networks on which a post of pictures is recognized only by its text. */
export const byTextAlone = (Object.keys(rulesOf) as Platform[]).filter((one) => networks[one].knowsPicturesByText)

/** The change that a picture needs for a network; null if the network accepts it unchanged. */
export interface Rendition {
  width: number
  height: number
  /** The size of the picture within the frame; the rest is border. Nothing of the picture is cut off. */
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

/** The JPEG for a network instead of a picture, in a size and ratio that the network accepts. */
export function renditionOf(picture: PictureSize, { images }: Facts): Rendition | null {
  if (!images) return null
  const { aspect, width: widths, maxBytes } = images
  const ratio = picture.width / picture.height
  const wanted = aspect ? Math.min(Math.max(ratio, aspect.min), aspect.max) : ratio
  const fits = wanted === ratio && (!widths || (picture.width >= widths.min && picture.width <= widths.max))
  if (fits && images.mimeTypes.includes(picture.mimeType) && picture.fileSize <= maxBytes) return null
  // The smallest frame that holds the picture, then scaled to the accepted widths.
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

/** The crop of a picture for a network, in pixels of the upright picture. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

export const sameArea = (a: Area, b: Area) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height

/** The JPEG for a network from a crop of a picture. */
export const cropOf = ({ width, height }: Area, use: RenditionUse): Rendition | null =>
  renditionOf({ width, height, mimeType: '', fileSize: 0 }, renditionUses[use].facts)

/** The common ratios, width by height. */
const RATIOS = [
  [9, 16],
  [4, 5],
  [1, 1],
  [16, 9],
  [1.91, 1],
] as const

/**
 * The common ratios that each of these networks accepts without a border, and the ratio of a phone if one of the renditions
 * fills it.
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

/** The widest rendition for a network without a limit of its own. */
const LARGEST = 4_096

/** The length of a text for a network, in the unit that the network counts. */
export function countText(text: string, countedIn: Facts['countedIn']): number {
  return countedIn === 'utf16' ? text.length : Array.from(text).length
}

/** Networks keep words, but may change the white space between them. */
const normalised = (text: string) => text.replaceAll(/\s+/g, ' ').trim().normalize('NFC')

/** Whether two texts are the same to a network. */
export const sameText = (a: string, b: string) => normalised(a) === normalised(b)
