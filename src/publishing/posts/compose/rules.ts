import type { SocialAccount } from '../../../channels/api.ts'
import type { Platform } from '../../../networks/api.ts'
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

/** The fields of a post that composing needs. */
export type PostDraft = Pick<
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

/** The fields of an account that the checks need. */
export type TargetAccount = Pick<SocialAccount, 'id' | 'platform' | 'name' | 'status' | 'paused' | 'missingScopes'>

/** The link parameters of a workspace, with the values of their placeholders for a post at its time. */
export type Tagging = Parameters & Omit<Meanings, 'network' | 'account'> & { on: boolean }
/** The link parameters of a post for one account, with the account's name. */
export type AccountTagging = Tagging & Pick<Meanings, 'account'>

export interface Composed {
  text: string
  /** The text of the first comment. */
  comment: string
  media: PostMedia[]
}

/** Returns the kind of a post on a network: the chosen one, or the one that follows from its media. */
export function kindOf(
  { platformOptions, media }: Pick<PostDraft, 'platformOptions' | 'media'>,
  platform: Platform,
): ContentKind {
  const { ofPictures } = networks[platform]
  if (ofPictures === null) return optionsOf(platformOptions, platform).kind ?? 'post'
  const theirs = media.filter((item) => !item.platforms || item.platforms.includes(platform))
  return theirs.length > 0 && theirs.every(({ file }) => file.kind === 'IMAGE') ? ofPictures : 'post'
}

/** Returns the options without those that a person must choose for every post, and without those named in `dropped`. */
export const keptOptions = (options: PostDraft['platformOptions'], dropped: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries(options).map(([platform, chosen]) => {
      const again = [...networks[platform as Platform].chosenPerPost, ...dropped]
      return [platform, Object.fromEntries(Object.entries(chosen).filter(([name]) => !again.includes(name)))]
    }),
  ) as PostDraft['platformOptions']

const withHash = (tag: string) => (tag.startsWith('#') ? tag : `#${tag}`)

/** The part of an address after its # is no hashtag. */
const withoutLinks = (text: string): string => text.replaceAll(/https?:\/\/\S+/giu, ' ')

/** Returns the hashtags in a text, as written. */
export const hashtagsIn = (text: string): string[] => text.match(/#[\p{L}\p{M}\p{N}_]+/gu) ?? []

export const ofAccount = (tagging: Tagging | null | undefined, account: { name: string }): AccountTagging | null =>
  tagging ? { ...tagging, account: account.name } : null

/**
 * Returns a function that adds the parameters to the links of a text. It changes nothing for networks where people
 * cannot open links, since long addresses would only be noise there.
 */
function tagger({ linkTags }: PostDraft, platform: Platform, tagging: AccountTagging | null) {
  const network = networks[platform].linkName
  if (!tagging || network === null || !(linkTags.on ?? tagging.on)) return untagged
  const parameters = { ...tagging, campaign: linkTags.campaign || tagging.campaign }
  return (text: string) => tagLinks(text, parameters, { ...tagging, network })
}

/** The fields of a post that its text consists of. */
type Texts = Pick<PostDraft, 'caption' | 'hashtags' | 'cta' | 'captionOverrides' | 'hashtagOverrides'>

const untagged = (text: string) => text

/**
 * Composes the text of a post for a network: caption, call to action and hashtags, separated by blank lines; empty
 * parts are left out. Hashtags get #, and duplicates and those already in the caption are dropped, ignoring case.
 */
export function textOf(texts: Texts, platform: Platform, tag = untagged): string {
  const override = texts.captionOverrides[platform]
  const caption = override?.caption ?? texts.caption
  const cta = override?.cta ?? texts.cta
  const seen = new Set(hashtagsIn(withoutLinks(caption)).map((tag) => tag.toLowerCase()))
  const hashtags: string[] = []
  for (const tag of (texts.hashtagOverrides[platform] ?? texts.hashtags).map(withHash)) {
    if (seen.has(tag.toLowerCase())) continue
    seen.add(tag.toLowerCase())
    hashtags.push(tag)
  }
  const parts = [tag(caption.trim()), tag(cta.trim()), hashtags.join(' ')]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Whether a post shows its text on a network. Some kinds, such as stories, have none. */
export const showsText = (draft: Pick<PostDraft, 'platformOptions' | 'media'>, platform: Platform) =>
  factsOf(platform, kindOf(draft, platform)).textLimit > 0

/**
 * Composes what a network gets of a post. `tagging` adds the workspace's parameters to links; null leaves links as
 * written.
 */
export function compose(draft: PostDraft, platform: Platform, tagging: AccountTagging | null = null): Composed {
  const tag = tagger(draft, platform, tagging)
  const comment = optionsOf(draft.platformOptions, platform).firstComment ?? ''
  const use = renditionUseOf(platform, kindOf(draft, platform))
  return {
    text: showsText(draft, platform) ? textOf(draft, platform, tag) : '',
    comment: tag(comment.trim()),
    media: draft.media
      .filter((item) => !item.platforms || item.platforms.includes(platform))
      .toSorted((a, b) => a.sortOrder - b.sortOrder)
      .map((item) => ({ ...item, file: fileFor(item, platform, use) })),
  }
}

/** Returns the file as a network gets it: the chosen crop, else its rendition if there is one. */
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

/** Returns a crop of a picture. Until it is made, it has its future size and no address. */
function croppedFile(file: PostMedia['file'], area: Area, use: RenditionUse): PostMedia['file'] {
  const made = file.cropped.find((crop) => crop.use === use && sameArea(crop.area, area))
  const { width, height } = made ?? cropOf(area, use) ?? area
  const { mimeType, fileSize, url } = made ?? { mimeType: 'image/jpeg', fileSize: 0, url: null }
  return { ...file, mimeType, fileSize, width, height, storageUrl: url }
}

/** Returns the crops that a post needs, with the rendition each network uses. */
export const wantedCrops = (draft: Pick<PostDraft, 'media' | 'platformOptions'>) =>
  draft.media.flatMap(({ mediaFileId, crops, file }) =>
    (Object.entries(crops) as [Platform, Area][]).flatMap(([platform, area]) =>
      file.kind === 'IMAGE' ? [{ mediaFileId, area, use: renditionUseOf(platform, kindOf(draft, platform)) }] : [],
    ),
  )

/** Whether a file of the post is still being made. */
export const awaitsMedia = ({ media }: Composed) =>
  media.some(({ file }) => file.state === 'PROCESSING' || (file.state === 'READY' && file.storageUrl === null))

/** Returns the media type that follows from the media. Without media the declared type applies. */
export function mediaTypeOf(media: readonly Pick<PostMedia, 'file'>[], declared: Post['mediaType']): Post['mediaType'] {
  if (media.length === 0) return declared
  if (media.length > 1) return 'CAROUSEL'
  return media[0]?.file.kind ?? null
}

// ---- content

/** All of a post that a person writes, with the objects behind its ids. */
export type Content = PostDraft & { targets: string[]; media: PostMedia[] }

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
