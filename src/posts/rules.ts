import type { SocialAccount } from '../accounts/api.ts'
import { countText, facts } from '../networks/rules.ts'
import type { Check, Post, PostMedia, Publication, Status } from './api.ts'

type Platform = SocialAccount['platform']

// ---- the life of a post

export type Act = 'edit' | 'schedule' | 'cancel' | 'publish' | 'retry' | 'delete'

/** What each act makes of each status (specification section 3, contract section 4). An act that is not named is refused. */
const transitions: Readonly<Record<Status, Partial<Record<Act, Status>>>> = {
  DRAFT: { edit: 'DRAFT', schedule: 'SCHEDULED', publish: 'PUBLISHING', delete: 'DRAFT' },
  SCHEDULED: { edit: 'SCHEDULED', schedule: 'SCHEDULED', cancel: 'DRAFT', publish: 'PUBLISHING', delete: 'DRAFT' },
  PUBLISHING: {},
  PUBLISHED: { delete: 'PUBLISHED' },
  PARTIALLY_PUBLISHED: { edit: 'PARTIALLY_PUBLISHED', retry: 'PUBLISHING', delete: 'PARTIALLY_PUBLISHED' },
  FAILED: { edit: 'DRAFT', retry: 'PUBLISHING', delete: 'FAILED' },
}

/** The status after an act, or undefined when the status does not allow it. */
export const next = (status: Status, act: Act): Status | undefined => transitions[status][act]

/** The acts that a status allows. */
export const allowed = (status: Status): Act[] => Object.keys(transitions[status]) as Act[]

export interface Target {
  state: Publication['state']
  dropped: boolean
}

export const isOpen = (target: Target) =>
  !target.dropped && (target.state === 'PENDING' || target.state === 'PREPARING' || target.state === 'SUBMITTING')

/** What a post is once none of its targets is open: all live PUBLISHED, some PARTIALLY_PUBLISHED, none FAILED. */
export function outcome(targets: readonly Target[]): 'PUBLISHED' | 'PARTIALLY_PUBLISHED' | 'FAILED' {
  const counted = targets.filter((target) => !target.dropped)
  const live = counted.filter((target) => target.state === 'PUBLISHED').length
  if (live === 0) return 'FAILED'
  return live === counted.length ? 'PUBLISHED' : 'PARTIALLY_PUBLISHED'
}

// ---- what a target shows

/** What composing needs of a post. */
export type Draft = Pick<
  Post,
  | 'caption'
  | 'hashtags'
  | 'cta'
  | 'mediaType'
  | 'captionOverrides'
  | 'hashtagOverrides'
  | 'platformOptions'
  | 'scheduledAt'
> & { targets: readonly string[]; media: readonly PostMedia[] }

/** What checking needs of an account. */
export type TargetAccount = Pick<SocialAccount, 'id' | 'platform' | 'name' | 'status' | 'paused' | 'missingScopes'>

export interface Composed {
  text: string
  media: PostMedia[]
}

const withHash = (tag: string) => (tag.startsWith('#') ? tag : `#${tag}`)

/** The hashtags in a text, as written. */
export const hashtagsIn = (text: string): string[] => text.match(/#[\p{L}\p{N}_]+/gu) ?? []

/**
 * What a platform gets of a post: caption, call to action and hashtags with a blank line between, empty parts left out;
 * hashtags with #, doubles and those that the caption already has dropped without regard to case.
 */
export function compose(draft: Draft, platform: Platform): Composed {
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
  const parts = [caption.trim(), cta.trim(), hashtags.join(' ')]
  return {
    text: parts.filter((part) => part !== '').join('\n\n'),
    media: draft.media
      .filter((item) => !item.platforms || item.platforms.includes(platform))
      .toSorted((a, b) => a.sortOrder - b.sortOrder),
  }
}

/** The media type that follows from the media; a declared one holds while there is none. */
export function mediaTypeOf(media: readonly Pick<PostMedia, 'file'>[], declared: Post['mediaType']): Post['mediaType'] {
  if (media.length === 0) return declared
  if (media.length > 1) return 'CAROUSEL'
  return media[0]?.file.kind ?? null
}

// ---- what stands between a post and going live

/**
 * `lasting`: never right as it is, so scheduling refuses it. The other errors may mend themselves until the time comes (an
 * account reconnected, a picture processed): a scheduled post shows them, publishing now refuses them too.
 */
const passing = new Set(['no_target', 'reconnect_needed', 'account_paused', 'media_processing', 'scope_missing'])

export const isLasting = (check: Check) => check.severity === 'error' && !passing.has(check.code)

/** What stands in the way of publishing this target now: errors, less what only makes it wait. */
export const stopsPublishing = (check: Check) => check.severity === 'error'

/** Every finding of a post for the accounts that it names, from the table of facts; the same in browser and server. */
export function check(draft: Draft, accounts: readonly TargetAccount[], scope: { publicMedia: boolean }): Check[] {
  const found: Check[] = []
  if (draft.targets.length === 0) {
    found.push(finding('no_target', '/targets', { message: 'No account is chosen.', fix: 'Choose where to post.' }))
  }
  for (const id of draft.targets) {
    const account = accounts.find((candidate) => candidate.id === id)
    if (account) found.push(...checkTarget(draft, account, scope))
  }
  return found
}

type Finding = Partial<Pick<Check, 'severity' | 'limit' | 'value'>> & Pick<Check, 'message' | 'fix'>

function finding(code: string, field: string, rest: Finding, account?: TargetAccount): Check {
  return {
    severity: 'error',
    target: account?.id ?? null,
    platform: account?.platform ?? null,
    field,
    code,
    limit: null,
    value: null,
    ...rest,
  }
}

function checkTarget(draft: Draft, account: TargetAccount, scope: { publicMedia: boolean }): Check[] {
  const limits = facts[account.platform]
  const { text, media } = compose(draft, account.platform)
  const found: Check[] = []
  const add = (code: string, field: string, rest: Finding) => found.push(finding(code, field, rest, account))

  if (account.status !== 'CONNECTED') {
    add('reconnect_needed', '/targets', {
      message: `${account.name} must be connected again.`,
      fix: 'Reconnect the account; the post waits for it.',
    })
  } else if (account.paused) {
    add('account_paused', '/targets', { message: `${account.name} is paused.`, fix: 'Resume the account.' })
  } else if (account.missingScopes.some((missing) => missing.neededFor === 'publish')) {
    add('scope_missing', '/targets', {
      message: `${account.name} may not publish: a permission was not given.`,
      fix: 'Reconnect the account and grant every permission.',
    })
  }

  const captionField =
    draft.captionOverrides[account.platform]?.caption === undefined
      ? '/caption'
      : `/captionOverrides/${account.platform}/caption`
  const length = countText(text, limits.countedIn)
  if (length > limits.textLimit) {
    add('text_too_long', captionField, {
      limit: limits.textLimit,
      value: length,
      message: `The text has ${length} characters; at most ${limits.textLimit} are possible.`,
      fix: `Shorten it by ${length - limits.textLimit}.`,
    })
  }
  const hashtagCount = new Set(hashtagsIn(text).map((tag) => tag.toLowerCase())).size
  if (limits.hashtagLimit !== null && hashtagCount > limits.hashtagLimit) {
    add('too_many_hashtags', '/hashtags', {
      limit: limits.hashtagLimit,
      value: hashtagCount,
      message: `There are ${hashtagCount} hashtags; at most ${limits.hashtagLimit} are possible.`,
      fix: 'Remove some hashtags.',
    })
  }
  const mentions = (text.match(/(^|\s)@[\w.]+/gu) ?? []).length
  if (limits.mentionLimit !== null && mentions > limits.mentionLimit) {
    add('too_many_mentions', captionField, {
      limit: limits.mentionLimit,
      value: mentions,
      message: `There are ${mentions} mentions; at most ${limits.mentionLimit} are possible.`,
      fix: 'Remove some mentions.',
    })
  }
  if (media.length === 0 && text === '') {
    add('empty', '/caption', { message: 'There is nothing to post yet.', fix: 'Write a text or add a picture.' })
  } else if (media.length === 0 && !limits.textOnly) {
    add('media_required', '/media', {
      message: 'This network takes no post without media.',
      fix: 'Add a picture or a video.',
    })
  }
  found.push(...checkMedia(media, account, scope))
  return found
}

function checkMedia(media: readonly PostMedia[], account: TargetAccount, scope: { publicMedia: boolean }): Check[] {
  const limits = facts[account.platform]
  const found: Check[] = []
  const images = media.filter((item) => item.file.kind === 'IMAGE')
  const add = (code: string, item: PostMedia, rest: Finding) =>
    found.push(finding(code, `/media/${item.sortOrder}`, { value: item.file.fileName, ...rest }, account))

  if (limits.images && images.length > limits.images.max) {
    found.push(
      finding(
        'too_many_images',
        '/media',
        {
          limit: limits.images.max,
          value: images.length,
          message: `There are ${images.length} pictures; at most ${limits.images.max} are possible.`,
          fix: 'Remove some pictures, for this network or for all.',
        },
        account,
      ),
    )
  }
  for (const item of media) {
    const { file } = item
    const kind = file.kind === 'IMAGE' ? limits.images : limits.video
    if (file.state === 'PROCESSING') {
      add('media_processing', item, {
        message: `${file.fileName} is still being processed.`,
        fix: 'It will be ready in a moment.',
      })
    } else if (file.state === 'REJECTED') {
      add('media_rejected', item, { message: `${file.fileName} cannot be used.`, fix: 'Replace the file.' })
    } else if (!kind) {
      add('kind_not_accepted', item, {
        message: `This network cannot take ${file.fileName}.`,
        fix: 'Take it out for this network.',
      })
    } else if (!kind.mimeTypes.includes(file.mimeType)) {
      add('format_not_accepted', item, {
        message: `${file.fileName} is ${file.mimeType}, which this network does not take.`,
        fix: `Use ${kind.mimeTypes.join(', ')}.`,
      })
    } else if (file.fileSize > kind.maxBytes) {
      add('file_too_large', item, {
        limit: kind.maxBytes,
        value: file.fileSize,
        message: `${file.fileName} has ${megabytes(file.fileSize)} MB; at most ${megabytes(kind.maxBytes)} are possible.`,
        fix: 'Use a smaller file.',
      })
    }
    const aspect = file.kind === 'IMAGE' && limits.images?.aspect
    if (aspect && file.width && file.height) {
      const ratio = file.width / file.height
      if (ratio < aspect.min || ratio > aspect.max) {
        add('aspect_not_accepted', item, {
          value: Math.round(ratio * 100) / 100,
          message: `${file.fileName} is too ${ratio < aspect.min ? 'tall' : 'wide'} for this network.`,
          fix: 'Crop it.',
        })
      }
    }
  }
  if (media.length > 0 && !scope.publicMedia) {
    found.push(
      finding(
        'media_not_public',
        '/media',
        {
          message: 'The network cannot fetch pictures from this server.',
          fix: 'The operator must set PUBLIC_URL to a public https address.',
        },
        account,
      ),
    )
  }
  return found
}

const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10
