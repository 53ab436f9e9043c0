import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import type { Post, PostMedia } from '../../../../src/publishing/posts/api.ts'
import {
  compose,
  type Content,
  contentOf,
  kindOf,
  type Tagging,
} from '../../../../src/publishing/posts/compose/rules.ts'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'
import type { CallOptions } from '../../../client.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'
import { dateIn } from '../../../time.ts'

/** A person's draft, in the shape that the shared rules compose and check. */
export type Draft = Content

/** A tab of the composer: the content for all networks, or one network's own. */
export type Tab = 'all' | Platform

/** The draft of a saved post, with its media in order. */
export const draftOf = (post: Post): Draft => ({
  ...contentOf(post),
  media: post.media.toSorted((a, b) => a.sortOrder - b.sortOrder),
})

/** The tracking parameters of a draft's links at its scheduled time, or today. */
export const taggingOf = (
  { linkTags, timezone }: Pick<Workspace, 'linkTags' | 'timezone'>,
  { scheduledAt }: Pick<Draft, 'scheduledAt'>,
  post: string | null,
): Tagging => ({ ...linkTags, date: dateIn(scheduledAt ? new Date(scheduledAt) : new Date(), timezone), post })

/** The account that a new post starts with, if the workspace has only one. */
export function onlyOne(accounts: readonly SocialAccount[]): string[] {
  const connected = accounts.filter(({ status }) => status !== 'DISCONNECTED')
  return connected.length === 1 ? connected.map(({ id }) => id) : []
}

/** The fields of a draft as a request body. */
export const bodyOf = (draft: Draft) =>
  ({
    caption: draft.caption,
    hashtags: draft.hashtags,
    cta: draft.cta,
    captionOverrides: draft.captionOverrides,
    hashtagOverrides: draft.hashtagOverrides,
    platformOptions: draft.platformOptions,
    linkTags: { on: draft.linkTags.on, campaign: draft.linkTags.campaign },
    targets: draft.targets,
    media: draft.media.map(({ mediaFileId, platforms, crops }, sortOrder) => ({
      mediaFileId,
      sortOrder,
      platforms,
      crops,
    })),
  }) satisfies CallOptions<'updatePost'>['body']

export const sameDraft = (a: Draft, b: Draft) => JSON.stringify(bodyOf(a)) === JSON.stringify(bodyOf(b))

export const inOrder = (media: PostMedia[]): PostMedia[] => media.map((item, sortOrder) => ({ ...item, sortOrder }))

export const isCustomised = (draft: Draft, platform: Platform) =>
  draft.captionOverrides[platform] !== undefined || draft.hashtagOverrides[platform] !== undefined

export const captionIn = (draft: Draft, tab: Tab) =>
  tab === 'all' ? draft.caption : (draft.captionOverrides[tab]?.caption ?? draft.caption)

export const ctaIn = (draft: Draft, tab: Tab) =>
  tab === 'all' ? draft.cta : (draft.captionOverrides[tab]?.cta ?? draft.cta)

export const hashtagsOf = (draft: Draft, tab: Tab) =>
  tab === 'all' ? draft.hashtags : (draft.hashtagOverrides[tab] ?? draft.hashtags)

/** Sets the text or call to action of a tab. In a network's tab it adds an override and leaves `caption` unchanged. */
export function withText(draft: Draft, tab: Tab, field: 'caption' | 'cta', value: string): Draft {
  if (tab === 'all') return { ...draft, [field]: value }
  const override = { ...draft.captionOverrides[tab], [field]: value }
  return { ...draft, captionOverrides: { ...draft.captionOverrides, [tab]: override } }
}

export function withHashtags(draft: Draft, tab: Tab, hashtags: string[]): Draft {
  if (tab === 'all') return { ...draft, hashtags }
  return { ...draft, hashtagOverrides: { ...draft.hashtagOverrides, [tab]: hashtags } }
}

/** Removes a network's own text and hashtags. */
export function withoutOverrides(draft: Draft, platform: Platform): Draft {
  const { [platform]: _text, ...captionOverrides } = draft.captionOverrides
  const { [platform]: _tags, ...hashtagOverrides } = draft.hashtagOverrides
  return { ...draft, captionOverrides, hashtagOverrides }
}

/** Includes a media item on a network, or excludes it. */
export function withMediaOn(draft: Draft, id: string, platform: Platform, on: boolean): Draft {
  const media = draft.media.map((item) => {
    if (item.mediaFileId !== id) return item
    const current = item.platforms ?? PLATFORM_ORDER
    const wanted = PLATFORM_ORDER.filter((one) => (one === platform ? on : current.includes(one)))
    return { ...item, platforms: wanted.length === PLATFORM_ORDER.length ? null : wanted }
  })
  return { ...draft, media }
}

/**
 * Replaces a video by its trimmed version. With `only`, it does so on these networks alone, and the full video stays
 * where it is live.
 */
export function withTrimmed(draft: Draft, id: string, file: MediaFile, only?: readonly Platform[]): Draft {
  const kept = { mediaFileId: file.id, file: { ...file, cropped: [] } }
  if (!only) return { ...draft, media: draft.media.map((one) => (one.mediaFileId === id ? { ...one, ...kept } : one)) }
  const { media } = only.reduce((now, platform) => withMediaOn(now, id, platform, false), draft)
  const at = media.findIndex(({ mediaFileId }) => mediaFileId === id)
  const added: PostMedia = { ...kept, sortOrder: 0, platforms: [...only], crops: {} }
  return { ...draft, media: inOrder(media.toSpliced(at + 1, 0, added)) }
}

/** Removes a file from the post. It stays in the library. */
export const withoutMedia = (draft: Draft, id: string): Draft => ({
  ...draft,
  media: inOrder(draft.media.filter(({ mediaFileId }) => mediaFileId !== id)),
})

export function moved(media: PostMedia[], id: string, by: -1 | 1): PostMedia[] {
  const from = media.findIndex((item) => item.mediaFileId === id)
  const to = from + by
  const item = media[from]
  if (!item || to < 0 || to >= media.length) return media
  return inOrder(media.toSpliced(from, 1).toSpliced(to, 0, item))
}

/** Moves an item to the position of another. */
export function placed(media: PostMedia[], id: string, at: string): PostMedia[] {
  const from = media.findIndex((item) => item.mediaFileId === id)
  const to = media.findIndex((item) => item.mediaFileId === at)
  const item = media[from]
  if (!item || to < 0 || from === to) return media
  return inOrder(media.toSpliced(from, 1).toSpliced(to, 0, item))
}

/** Splits typed hashtags at spaces and commas. */
export const parseHashtags = (text: string): string[] =>
  text.split(/[\s,،]+/).filter((tag) => tag !== '' && tag !== '#')

/** Whether a network shows the post as a reel: by choice, or because it turns any single video into one. */
export function isReel(draft: Draft, platform: Platform): boolean {
  const kind = kindOf(draft, platform)
  if (kind !== 'post' || !networks[platform].reelsInFeed) return kind === 'reel'
  const { media } = compose(draft, platform)
  return media.length === 1 && media[0]?.file.kind === 'VIDEO'
}

/** Whether the draft has any content. */
export const isWritten = ({ media, caption, cta, hashtags }: Draft) =>
  media.length > 0 || [caption, cta, ...hashtags].some((one) => one.trim() !== '')
