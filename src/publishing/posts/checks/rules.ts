import type { Platform } from '../../../networks/api.ts'
import { countText, type Facts, factsOf, networks, optionsOf } from '../../../networks/rules.ts'
import { codeOf, fill } from '../../../core/texts/fill.ts'
import { en, type FindingKey } from '../../../core/texts/findings/en.ts'
import type { Check, PostMedia } from '../api.ts'
import {
  type PostDraft,
  type Tagging,
  type TargetAccount,
  compose,
  hashtagsIn,
  kindOf,
  ofAccount,
} from '../compose/rules.ts'

// ---- obstacles to publishing

export interface CheckScope {
  publicMedia: boolean
  tagging?: Tagging | null
  /** The post is about to go out without an approval that its workspace requires. */
  unapproved?: boolean
  /** The post was approved after its scheduled time, so nothing sends it. */
  timePassed?: boolean
}

/**
 * Returns all findings of a post for its accounts, from the table of network facts. Browser and server use this same
 * function.
 */
export function check(draft: PostDraft, accounts: readonly TargetAccount[], scope: CheckScope): Check[] {
  const found: Check[] = scope.timePassed ? [timePassed] : []
  if (scope.unapproved) {
    found.push(finding('approval_outstanding', '/approval'))
  }
  if (draft.targets.length === 0) {
    found.push(noTarget)
  }
  for (const id of draft.targets) {
    const account = accounts.find((candidate) => candidate.id === id)
    if (account) found.push(...checkTarget(draft, account, scope))
  }
  return found
}

/** For a post without an account. It may be scheduled, but not published. */
export const noTarget: Check = finding('no_target', '/targets')

/**
 * For an approved draft whose time has passed. Only a warning, so that it never blocks a new time or publishing now.
 */
export const timePassed: Check = finding('time_passed', '/scheduledAt', { severity: 'warning' })

// ---- foreseeable obstacles

/** Facts about an account at the time of a post. */
export interface Outlook {
  accountId: string
  /** The number of other posts to the account in the 24 hours before the post. */
  before: number
  /** The number of those that are of the same kind on its network. */
  ofKind: number
  /** When a token expires that cannot be renewed; null for other tokens. */
  tokenEnds: string | null
}

/**
 * Returns the problems that a post will have at its time but does not have today. They are warnings, since the network
 * has the last word.
 */
export function foresee(
  draft: Pick<PostDraft, 'targets' | 'scheduledAt' | 'platformOptions' | 'media'>,
  accounts: readonly TargetAccount[],
  outlook: readonly Outlook[],
): Check[] {
  const { scheduledAt } = draft
  if (scheduledAt === null) return []
  return outlook.flatMap(({ accountId, before, ofKind, tokenEnds }) => {
    const account = accounts.find(({ id }) => id === accountId)
    if (!account || !draft.targets.includes(accountId) || account.status !== 'CONNECTED') return []
    const found: Check[] = []
    const warn = (code: FindingKey, rest: Finding) =>
      found.push(finding(code, '/scheduledAt', { severity: 'warning', ...rest }, account))
    const all = factsOf(account.platform, 'post').postsPerDay
    const limit = all ?? factsOf(account.platform, kindOf(draft, account.platform)).postsPerDay
    const others = all === null ? ofKind : before
    if (limit !== null && others >= limit) {
      warn('network_quota', { limit, value: others + 1 })
    }
    if (tokenEnds !== null && tokenEnds <= scheduledAt) {
      warn('token_ends', { value: tokenEnds })
    }
    return found
  })
}

/** A second post with the same text within this many days, before or after, gets a warning. */
export const SAME_TEXT_DAYS = 30

/** Normalizes a text for comparison, without case, spacing and invisible characters. Null if nothing is left. */
export function alike(text: string): string | null {
  const plain = text.normalize('NFKC').toLowerCase()
  return (
    plain
      .replaceAll(/[\p{Cf}\p{Variation_Selector}]/gu, '')
      .replaceAll(/\s+/gu, ' ')
      .trim() || null
  )
}

/** Another post, scheduled or live, with the same text on an account. */
export interface Twin {
  accountId: string
  postId: string
}

/** The warnings about posts with the same text. `value` is the id of the other post. */
export const warnOfTwins = (accounts: readonly TargetAccount[], twins: readonly Twin[]): Check[] =>
  accounts.flatMap((account) => {
    const twin = twins.find(({ accountId }) => accountId === account.id)
    if (!twin) return []
    const key = networks[account.platform].refusesSameText ? 'same_text_refused' : 'same_text'
    const rest = { severity: 'warning', value: twin.postId, more: { days: SAME_TEXT_DAYS } } as const
    return [finding(key, '/caption', rest, account)]
  })

const HOUR = 3_600_000

/** People are told again of a post at risk at these times before its own. */
const REMINDERS = [24 * HOUR, HOUR]
/** The last check before the time of a post. From then on, a file in processing may be late. */
const LAST_LOOK = HOUR / 6

/**
 * Returns when a scheduled post is checked again: daily, and 24 hours, 1 hour and 10 minutes before its time; null if no
 * such time is left.
 */
export function nextLook(scheduledAt: Date, now: Date): Date | null {
  const before = [...REMINDERS, LAST_LOOK].map((lead) => scheduledAt.getTime() - lead)
  const coming = [...before, now.getTime() + 24 * HOUR].filter(
    (time) => time > now.getTime() && time < scheduledAt.getTime(),
  )
  return coming.length === 0 ? null : new Date(Math.min(...coming))
}

/** Whether a scheduled post with this finding would not go out at its time. */
const isRisk = ({ severity, code }: Check) => severity === 'error' || code === 'token_ends' || code === 'network_quota'

/** What people were told of the risks of a post that is scheduled for `at`, and how many reminders were due by then. */
export interface RiskTold {
  at: string
  reminders: number
  findings: Pick<Check, 'code' | 'target'>[]
}

interface RiskScope {
  scheduledAt: string
  told: RiskTold | null
  now: Date
  /** The check is of this post alone, for example after an edit, and no account's notice reports it. */
  alone: boolean
}

/**
 * Returns the risks to tell people about now, and what they know afterwards: each risk when a check first finds it, and
 * all of them again 24 hours and 1 hour before the time of the post. A new time starts this over. Two kinds wait for the
 * reminders: an account that is held, whose own notice says so, and a file in processing, which is ready in moments. In
 * the last 10 minutes such a file is a risk like any other.
 */
export function risksToTell(checks: readonly Check[], { scheduledAt, told: before, now, alone }: RiskScope) {
  const risks = checks.filter(isRisk)
  if (risks.length === 0) return { risks, told: null }
  const told = before?.at === scheduledAt ? before : null
  const left = new Date(scheduledAt).getTime() - now.getTime()
  const reminders = REMINDERS.filter((lead) => left <= lead).length
  const isReminder = told !== null && reminders > told.reminders
  const isKnown = ({ code, target }: Check) =>
    told?.findings.some((known) => known.code === code && known.target === target) || (heldAccount.has(code) && !alone)
  const canWait = (risk: Check) => risk.code === 'media_processing' && left > LAST_LOOK && !isReminder && !isKnown(risk)
  const current = risks.filter((risk) => !canWait(risk))
  return {
    risks: isReminder ? risks : current.filter((risk) => !isKnown(risk)),
    told: { at: scheduledAt, reminders, findings: current.map(({ code, target }) => ({ code, target })) },
  }
}

const heldAccount = new Set(['reconnect_needed', 'account_paused'])

interface Finding extends Partial<Pick<Check, 'severity' | 'limit' | 'value'>> {
  /** Further values for its English text. */
  more?: Record<string, string | number>
}

function finding(key: FindingKey, field: string, { more, ...rest }: Finding = {}, account?: TargetAccount): Check {
  const network = account && networks[account.platform].called[0]
  const said = { account: account?.name, network, ...rest, ...more }
  return {
    severity: 'error',
    target: account?.id ?? null,
    platform: account?.platform ?? null,
    field,
    code: codeOf(key),
    limit: null,
    value: null,
    ...rest,
    message: fill(en[key].message, said).trim(),
    fix: fill(en[key].fix, said),
  }
}

function checkTarget(draft: PostDraft, account: TargetAccount, scope: CheckScope): Check[] {
  const limits = factsOf(account.platform, kindOf(draft, account.platform))
  const { text, media, comment } = compose(draft, account.platform, ofAccount(scope.tagging, account))
  const found: Check[] = []
  const add = (code: FindingKey, field: string, rest?: Finding) => found.push(finding(code, field, rest, account))

  if (account.status !== 'CONNECTED') {
    add('reconnect_needed', '/targets')
  } else if (account.paused) {
    add('account_paused', '/targets')
  } else if (account.missingScopes.some((missing) => missing.neededFor === 'publish')) {
    add('scope_missing', '/targets')
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
      more: { excess: length - limits.textLimit },
    })
  }
  const hashtagCount = hashtagsIn(text).length // duplicates within a caption are sent as written, so they count
  if (limits.hashtagLimit !== null && hashtagCount > limits.hashtagLimit) {
    add('too_many_hashtags', '/hashtags', { limit: limits.hashtagLimit, value: hashtagCount })
  }
  const mentions = (text.match(/(^|\s)@[\w.]+/gu) ?? []).length
  if (limits.mentionLimit !== null && mentions > limits.mentionLimit) {
    add('too_many_mentions', captionField, { limit: limits.mentionLimit, value: mentions })
  }
  if (media.length === 0 && text === '') {
    add('empty', '/caption')
  } else if (media.length === 0 && !limits.textOnly) {
    add('media_required', '/media')
  }
  found.push(
    ...checkMedia(media, limits, account, scope),
    ...checkCrops(draft, account),
    ...checkAnimations(draft, account),
    ...checkComment(draft, comment, account),
    ...checkCover(draft, account),
  )
  if (limits.textLimit === 0 && (draft.captionOverrides[account.platform]?.caption ?? draft.caption).trim() !== '') {
    add('text_not_shown', captionField, { severity: 'warning' })
  }
  found.push(...checkOptions(draft, media, account))
  return found
}

function checkMedia(
  media: readonly PostMedia[],
  limits: Facts,
  account: TargetAccount,
  scope: { publicMedia: boolean },
): Check[] {
  const found: Check[] = []
  const images = media.filter((item) => item.file.kind === 'IMAGE')
  const videos = media.length - images.length
  const addAll = (code: FindingKey, rest?: Finding) => found.push(finding(code, '/media', rest, account))

  if (limits.images && images.length > limits.images.max) {
    addAll('too_many_images', { limit: limits.images.max, value: images.length })
  }
  const most = limits.video?.max ?? 0
  if (limits.video && videos > most) {
    addAll('too_many_videos', { limit: most, value: videos })
  } else if (limits.mixed && limits.images && images.length <= limits.images.max && media.length > limits.images.max) {
    addAll('too_many_media', { limit: limits.images.max, value: media.length })
  } else if (videos > 0 && images.length > 0 && limits.images && limits.video && !limits.mixed) {
    addAll('mixed_media')
  }
  for (const item of media) {
    for (const [code, rest] of fileFindings(item.file, limits)) {
      const { fileName: file } = item.file
      const said = { value: file, ...rest, more: { file, ...rest?.more } }
      found.push(finding(code, `/media/${item.sortOrder}`, said, account))
    }
  }
  const unmarked = media.find(({ file }) => file.aiGenerated && !networks[account.platform].marksAi.includes(file.kind))
  if (unmarked) {
    found.push(
      finding(
        'ai_not_marked',
        `/media/${unmarked.sortOrder}`,
        { severity: 'warning', value: unmarked.file.fileName },
        account,
      ),
    )
  }
  if (media.length > 0 && !scope.publicMedia) {
    addAll('media_not_public')
  }
  return found
}

/** Reports GIFs. Every network shows only their first frame. */
const checkAnimations = ({ media }: PostDraft, account: TargetAccount): Check[] =>
  media
    .filter(({ platforms, file }) => file.mimeType === 'image/gif' && (platforms?.includes(account.platform) ?? true))
    .map(({ file, sortOrder }) => {
      const rest = { severity: 'warning', value: file.fileName } as const
      return finding('animation_lost', `/media/${sortOrder}`, rest, account)
    })

/** Reports crops that reach beyond their picture. */
function checkCrops({ media }: PostDraft, account: TargetAccount): Check[] {
  return media.flatMap(({ crops, file, sortOrder, platforms }) => {
    const area = crops[account.platform]
    const { width, height, fileName: value } = file
    if (!area || file.kind !== 'IMAGE' || !width || !height) return []
    if (platforms && !platforms.includes(account.platform)) return []
    if (area.x + area.width <= width && area.y + area.height <= height) return []
    const rest = { value }
    return [finding('crop_beyond', `/media/${sortOrder}`, rest, account)]
  })
}

/**
 * Returns the video whose cover can be chosen from its frames on a network: the only media of a post that is no story.
 * Else null.
 */
export function coverable(draft: PostDraft, platform: Platform): PostMedia | null {
  if (!networks[platform].covers) return null
  const { media } = compose(draft, platform)
  const [video] = media
  return media.length === 1 && video?.file.kind === 'VIDEO' && kindOf(draft, platform) !== 'story' ? video : null
}

/** Returns the chosen time of the cover in milliseconds, or null if no cover can be chosen. */
export const coverOf = (draft: PostDraft, platform: Platform): number | null =>
  coverable(draft, platform) ? (optionsOf(draft.platformOptions, platform).coverMs ?? null) : null

/** Reports a cover time beyond the end of the video. */
function checkCover(draft: PostDraft, account: TargetAccount): Check[] {
  const { platform } = account
  const at = coverOf(draft, platform)
  const lasts = coverable(draft, platform)?.file.duration ?? null
  if (at === null || lasts === null || at < lasts * 1000) return []
  const rest = { limit: lasts, value: at / 1000 }
  return [finding('cover_beyond', `/platformOptions/${platform}/coverMs`, rest, account)]
}

/** Returns the obstacles to the first comment. Only those that can never go away are obstacles to the post too. */
function checkComment(draft: PostDraft, text: string, account: TargetAccount): Check[] {
  const { platform } = account
  const limit = networks[platform].commentLimit
  if (text === '' || limit === null) return []
  const found: Check[] = []
  const add = (code: FindingKey, rest?: Finding) =>
    found.push(finding(code, `/platformOptions/${platform}/firstComment`, rest, account))
  if (kindOf(draft, platform) === 'story') add('comment_not_possible')
  const length = Array.from(text).length
  if (length > limit) add('comment_too_long', { limit, value: length })
  if (account.missingScopes.some(({ neededFor }) => neededFor === 'comments')) {
    add('comment_scope_missing', { severity: 'warning' })
  }
  return found
}

type FileFinding = [key: FindingKey, rest?: Finding]

/** Returns the problems of one file on a network, in the form that the network would get. */
function fileFindings(file: PostMedia['file'], limits: Facts): FileFinding[] {
  if (file.state === 'PROCESSING') return [['media_processing']]
  if (file.state === 'REJECTED') return [['media_rejected', { more: { reason: file.rejectedReason ?? '' } }]]
  const kind = file.kind === 'IMAGE' ? limits.images : limits.video
  if (!kind) return [['kind_not_accepted']]
  const found: FileFinding[] = []
  if (!kind.mimeTypes.includes(file.mimeType)) {
    found.push(['format_not_accepted', { more: { type: file.mimeType, types: kind.mimeTypes.join(', ') } }])
  } else if (file.fileSize > kind.maxBytes) {
    const more = { size: megabytes(file.fileSize), most: megabytes(kind.maxBytes) }
    found.push(['file_too_large', { limit: kind.maxBytes, value: file.fileSize, more }])
  }
  if (file.kind === 'VIDEO' && limits.video) found.push(...videoFindings(file, limits.video))
  const ratio = file.width && file.height ? file.width / file.height : null
  if (kind.aspect && ratio !== null && (ratio < kind.aspect.min || ratio > kind.aspect.max)) {
    const key = ratio < kind.aspect.min ? 'aspect_not_accepted/tall' : 'aspect_not_accepted'
    found.push([key, { value: Math.round(ratio * 100) / 100 }])
  }
  if (kind.width && file.width) found.push(...outside('size_not_accepted', file.width, kind.width))
  return found
}

function videoFindings(file: PostMedia['file'], limits: NonNullable<Facts['video']>): FileFinding[] {
  const { codec, duration, frameRate, width, height } = file
  const found: FileFinding[] = []
  if (codec !== null && !limits.codecs.includes(codec)) {
    found.push(['codec_not_accepted', { value: codec, more: { codecs: limits.codecs.join(' or ') } }])
  }
  const { seconds, framesPerSecond, side, height: heights } = limits
  if (duration !== null) {
    const key = duration < seconds.min ? 'duration_not_accepted/short' : 'duration_not_accepted'
    found.push(...outside(key, duration, seconds))
  }
  // Cameras only approximate their rate, so a hair above the limit passes; below it does not.
  const rate = frameRate === null ? null : Math.min(frameRate, round(frameRate))
  if (framesPerSecond && rate !== null) found.push(...outside('frame_rate_not_accepted', rate, framesPerSecond))
  if (heights && height !== null) found.push(...outside('size_not_accepted/height', height, heights))
  for (const length of side ? [width, height] : []) {
    if (side && length !== null) found.push(...outside('size_not_accepted/side', length, side))
  }
  return found
}

/** Returns a finding if a value is out of range. */
function outside(key: FindingKey, value: number, { min, max }: { min: number; max: number }): FileFinding[] {
  if (value >= min && value <= max) return []
  return [[key, { limit: value < min ? min : max, value, more: { min, max } }]]
}

/** Reports options that break the network's own rules. */
const checkOptions = ({ platformOptions }: PostDraft, media: readonly PostMedia[], account: TargetAccount): Check[] =>
  (networks[account.platform].checkOptions?.(optionsOf(platformOptions, account.platform)) ?? []).map(
    ({ option, code }) => {
      const pictures = media.some(({ file }) => file.kind === 'IMAGE')
      const key = pictures && code === 'privacy_required' ? 'privacy_required/pictures' : code
      return finding(key, `/platformOptions/${account.platform}/${option}`, {}, account)
    },
  )

const round = (value: number) => Math.round(value * 10) / 10

const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10
