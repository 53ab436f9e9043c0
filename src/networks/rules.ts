import type { Platform, PlatformOptions, RenditionUse } from './api.ts'
import type { Facts, ContentKind, NetworkRules, RenditionRules, SharedOptions } from './facts.ts'
import { graphFailures } from './graph/rules.ts'
import { page, pageFailures } from './page/rules.ts'
import { photo, photoFailures } from './photo/rules.ts'
import { video, videoFailures } from './video/rules.ts'

export type { RenditionUse } from './api.ts'
export type { Facts, ContentKind, SharedOptions } from './facts.ts'

const rulesOf = { NET_PAGE: page, NET_PHOTO: photo, NET_VIDEO: video } as const satisfies Record<Platform, NetworkRules>

/** What differs between the networks. The composer, validation, scheduling and publishing all decide by it. */
export const networks: Readonly<Record<Platform, NetworkRules>> = rulesOf

/** The limits of a usual post. */
export const facts = Object.fromEntries(
  Object.entries(rulesOf).map(([platform, { post }]) => [platform, post]),
) as Readonly<Record<Platform, Facts>>

/** The networks on which the owner of an account decides what a post may be. */
export type OwnersPlatform = {
  [P in Platform]: (typeof rulesOf)[P]['asksOwner'] extends true ? P : never
}[Platform]
export const isOwnersPlatform = (platform: Platform): platform is OwnersPlatform => networks[platform].asksOwner

export const factsOf = (network: Platform, kind: ContentKind): Facts =>
  networks[network].kinds[kind] ?? networks[network].post

/** What was chosen for a network of the options that several have. */
export const optionsOf = (options: PlatformOptions, platform: Platform): SharedOptions => options[platform] ?? {}

/** The copies of pictures that networks get, each with whose demands it fulfils. */
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

/** Every refusal that is known, by the place where it is read: `failures/rules.ts` tells what follows from each. */
export const failureTables = { ...graphFailures, ...pageFailures, ...photoFailures, ...videoFailures } as const

/** The networks whose pictures leave nothing by which a post is known but its text. */
export const byTextAlone = (Object.keys(rulesOf) as Platform[]).filter((one) => networks[one].knowsPicturesByText)

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
  renditionOf({ width, height, mimeType: '', fileSize: 0 }, renditionUses[use].facts)

/** The ratios that people know, width by height. */
const RATIOS = [
  [9, 16],
  [4, 5],
  [1, 1],
  [16, 9],
  [1.91, 1],
] as const

/** Those of them that every one of these takes without a border, and the one of a phone where one of these fills it. */
export const ratiosFor = (uses: readonly RenditionUse[]) =>
  RATIOS.filter(
    ([width, height]) =>
      (width / height === 9 / 16 && uses.some((use) => renditionUses[use].fillsPhone)) ||
      uses.every((use) => {
        const { aspect } = renditionUses[use].facts.images ?? { aspect: null }
        return !aspect || (width / height >= aspect.min && width / height <= aspect.max)
      }),
  )

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
