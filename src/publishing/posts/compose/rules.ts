import type { SocialAccount } from '../../../channels/api.ts'
import {
  type Area,
  cropOf,
  factsOf,
  type ContentKind,
  networks,
  optionsOf,
  renditionOf,
  renditionUseOf,
  renditionUses,
  type RenditionUse,
  sameArea,
} from '../../../networks/rules.ts'
import type { Post, PostMedia } from '../api.ts'
import { type Meanings, type Parameters, tagLinks } from '../links/rules.ts'

type Platform = SocialAccount['platform']

/** A post, as composing needs it. */
export type Draft = Pick<
  Post,
  | 'caption'
  | 'hashtags'
  | 'cta'
  | 'mediaType'
  | 'captionOverrides'
  | 'hashtagOverrides'
  | 'platformOptions'
  | 'linkTags'
  | 'scheduledAt'
> & { targets: readonly string[]; media: readonly PostMedia[] }

/** An account, as checking needs it. */
export type TargetAccount = Pick<SocialAccount, 'id' | 'platform' | 'name' | 'status' | 'paused' | 'missingScopes'>

/** The parameters that the links of a post's workspace get, with what their placeholders stand for at its time. */
export type Tagging = Parameters & Omit<Meanings, 'network' | 'account'> & { on: boolean }
/** The same for one account, by its name. */
export type AccountTagging = Tagging & Pick<Meanings, 'account'>

export interface Composed {
  text: string
  /** The first comment. */
  comment: string
  media: PostMedia[]
}

/** The kind of a post on a network: the chosen one, or the one that its media decide. */
export function kindOf(
  { platformOptions, media }: Pick<Draft, 'platformOptions' | 'media'>,
  platform: Platform,
): ContentKind {
  const { ofPictures } = networks[platform]
  if (ofPictures === null) return optionsOf(platformOptions, platform).kind ?? 'post'
  const theirs = media.filter((item) => !item.platforms || item.platforms.includes(platform))
  return theirs.length > 0 && theirs.every(({ file }) => file.kind === 'IMAGE') ? ofPictures : 'post'
}

/** Options without what a person chooses for every post again, and without those named. */
export const keptOptions = (options: Draft['platformOptions'], dropped: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries(options).map(([platform, chosen]) => {
      const again = [...networks[platform as Platform].chosenAnew, ...dropped]
      return [platform, Object.fromEntries(Object.entries(chosen).filter(([name]) => !again.includes(name)))]
    }),
  ) as Draft['platformOptions']

const withHash = (tag: string) => (tag.startsWith('#') ? tag : `#${tag}`)

/** The hashtags in a text, as written. */
export const hashtagsIn = (text: string): string[] => text.match(/#[\p{L}\p{N}_]+/gu) ?? []

export const ofAccount = (tagging: Tagging | null | undefined, account: { name: string }): AccountTagging | null =>
  tagging ? { ...tagging, account: account.name } : null

/** Puts the parameters into the links of a text. Only where people can open them: elsewhere they would be noise, and long. */
function tagger({ linkTags }: Draft, platform: Platform, tagging: AccountTagging | null) {
  const network = networks[platform].linkName
  if (!tagging || network === null || !(linkTags.on ?? tagging.on)) return (text: string) => text
  const parameters = { ...tagging, campaign: linkTags.campaign || tagging.campaign }
  return (text: string) => tagLinks(text, parameters, { ...tagging, network })
}

/**
 * What a platform gets of a post: caption, call to action and hashtags with a blank line between, empty parts left
 * out; hashtags with #, doubles and those that the caption already has dropped without regard to case. `tagging` puts the
 * parameters of the workspace into links; null leaves them as they were written.
 */
export function compose(draft: Draft, platform: Platform, tagging: AccountTagging | null = null): Composed {
  const tag = tagger(draft, platform, tagging)
  const override = draft.captionOverrides[platform]
  const caption = override?.caption ?? draft.caption
  const cta = override?.cta ?? draft.cta
  const seen = new Set(hashtagsIn(caption).map((tag) => tag.toLowerCase()))
  const hashtags: string[] = []
  for (const tag of (draft.hashtagOverrides[platform] ?? draft.hashtags).map(withHash)) {
    if (seen.has(tag.toLowerCase())) continue
    seen.add(tag.toLowerCase())
    hashtags.push(tag)
  }
  const parts = [tag(caption.trim()), tag(cta.trim()), hashtags.join(' ')]
  const comment = optionsOf(draft.platformOptions, platform).firstComment ?? ''
  const kind = kindOf(draft, platform)
  return {
    text: factsOf(platform, kind).textLimit === 0 ? '' : parts.filter((part) => part !== '').join('\n\n'),
    comment: tag(comment.trim()),
    media: draft.media
      .filter((item) => !item.platforms || item.platforms.includes(platform))
      .toSorted((a, b) => a.sortOrder - b.sortOrder)
      .map((item) => ({ ...item, file: fileFor(item, platform, renditionUseOf(platform, kind)) })),
  }
}

/** The file as a network gets it: what was chosen of it, else its rendition where there is one. */
function fileFor({ file, crops }: PostMedia, platform: Platform, use: RenditionUse): PostMedia['file'] {
  const area = crops[platform]
  if (area && file.kind === 'IMAGE' && file.state === 'READY') return croppedFile(file, area, use)
  const { width, height } = file
  const { facts, sameAs } = renditionUses[use]
  const wanted = sameAs && width && height ? renditionOf({ ...file, width, height }, facts) : null
  const rendition = file.renditions[use] ?? (sameAs && wanted ? file.renditions[sameAs] : undefined)
  if (!rendition) return file
  const { url, ...bytes } = rendition
  return { ...file, ...bytes, storageUrl: url }
}

/** A crop of a picture. Until it is made, it has its future size and no address. */
function croppedFile(file: PostMedia['file'], area: Area, use: RenditionUse): PostMedia['file'] {
  const made = file.cropped.find((crop) => crop.use === use && sameArea(crop.area, area))
  const { width, height } = made ?? cropOf(area, use) ?? area
  const { mimeType, fileSize, url } = made ?? { mimeType: 'image/jpeg', fileSize: 0, url: null }
  return { ...file, mimeType, fileSize, width, height, storageUrl: url }
}

/** The crops and renditions that the networks of a post need. */
export const wantedCrops = (draft: Pick<Draft, 'media' | 'platformOptions'>) =>
  draft.media.flatMap(({ mediaFileId, crops, file }) =>
    (Object.entries(crops) as [Platform, Area][]).flatMap(([platform, area]) =>
      file.kind === 'IMAGE' ? [{ mediaFileId, area, use: renditionUseOf(platform, kindOf(draft, platform)) }] : [],
    ),
  )

/** Whether something that it shows is not there yet. */
export const awaitsMedia = ({ media }: Composed) =>
  media.some(({ file }) => file.state === 'PROCESSING' || (file.state === 'READY' && file.storageUrl === null))

/** The media type that follows from the media; a declared one holds while there is none. */
export function mediaTypeOf(media: readonly Pick<PostMedia, 'file'>[], declared: Post['mediaType']): Post['mediaType'] {
  if (media.length === 0) return declared
  if (media.length > 1) return 'CAROUSEL'
  return media[0]?.file.kind ?? null
}

// ---- what a person writes

/** Everything of a post that a person writes, with what its ids stand for. */
export type Content = Draft & { targets: string[]; media: PostMedia[] }

export const noContent: Content = {
  caption: '',
  hashtags: [],
  cta: '',
  mediaType: null,
  captionOverrides: {},
  hashtagOverrides: {},
  platformOptions: {},
  linkTags: { on: null, campaign: null },
  scheduledAt: null,
  targets: [],
  media: [],
}

export const contentOf = (post: Post): Content => ({
  caption: post.caption,
  hashtags: post.hashtags,
  cta: post.cta,
  mediaType: post.mediaType,
  captionOverrides: post.captionOverrides,
  hashtagOverrides: post.hashtagOverrides,
  platformOptions: post.platformOptions,
  linkTags: post.linkTags,
  scheduledAt: post.scheduledAt,
  targets: post.targets,
  media: post.media,
})
