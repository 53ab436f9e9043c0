import { createHash } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { accountsById, connectedAccounts } from '../../channels/accounts.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { PLATFORMS } from '../../networks/api.ts'
import type { Ports } from '../../services.ts'
import type { Check, NewPost, Post, PostMedia, PostPatch } from './api.ts'
import { chooseLabels } from './posts-labels.ts'
import { postFileShape } from './posts-shape.ts'
import { isLasting, stopsPublishing } from './rules.ts'
import {
  alike,
  check,
  type CheckScope,
  foresee,
  type Outlook,
  SAME_TEXT_DAYS,
  type Twin,
  warnOfTwins,
} from './checks/rules.ts'
import { type Content, contentOf, mediaTypeOf, noContent, showsText, type Tagging, textOf } from './compose/rules.ts'

type Input = Omit<NewPost, 'action' | 'status' | 'workspaceId' | 'onApproval' | 'client'> | PostPatch

interface Applied {
  content: Content
  accounts: SocialAccount[]
  labels: string[] | undefined
  /** Read in the same round trip. */
  surroundings: PostSurroundings
}

/**
 * Applies an input to a post, or to a new one without `postId`: absent fields stay, null clears, arrays and maps are
 * replaced whole. Throws `validation_failed` with all unknown ids, disconnected accounts and a media type that
 * contradicts the media, and `ambiguous_target`.
 */
export async function applyInput(
  tx: Tx,
  ports: Pick<Ports, 'networks' | 'settings'>,
  input: Input,
  current: Content = noContent,
  postId: string | null = null,
): Promise<Applied> {
  const texts = textsOf(input, current)
  const scheduledAt = input.scheduledAt === undefined ? current.scheduledAt : (input.scheduledAt?.toISOString() ?? null)
  const ofTargets: Fault[] = []
  const ofMedia: Fault[] = []
  const ofLabels: Fault[] = []
  const reads = [
    chooseTargets(tx, ports, input, current, ofTargets),
    chooseMedia(tx, ports, input, current, ofMedia),
    chooseLabels(tx, input, ofLabels),
    surroundingsOf(tx, { ...texts, scheduledAt }, choiceOf(input, current), postId),
  ] as const
  // No statement runs on after an error, since an import continues its transaction with the next line.
  await Promise.allSettled(reads)
  const [chosen, files, labels, surroundings] = await Promise.all(reads)
  const faults = [...ofTargets, ...ofMedia, ...ofLabels]
  const declared = input.mediaType === undefined ? current.mediaType : input.mediaType
  const mediaType = mediaTypeOf(files, declared)
  if (input.mediaType && mediaType !== input.mediaType) {
    faults.push({
      path: '/mediaType',
      code: 'contradicts_media',
      message: `With these media, the type is ${mediaType}.`,
    })
  }
  if (faults.length > 0) throw invalid(...faults)
  return {
    accounts: chosen,
    labels,
    surroundings,
    content: {
      ...texts,
      mediaType,
      scheduledAt,
      targets: chosen.map((account) => account.id),
      media: files,
    },
  }
}

type Texts = Pick<
  Content,
  'caption' | 'hashtags' | 'cta' | 'captionOverrides' | 'hashtagOverrides' | 'platformOptions' | 'linkTags'
>

/** Applies an input to the written part of a post by the same rules: absent fields stay, null clears. */
export const textsOf = (input: Pick<Input, keyof Texts>, current: Texts = noContent): Texts => ({
  caption: text(input.caption, current.caption),
  cta: text(input.cta, current.cta),
  hashtags: input.hashtags === undefined ? current.hashtags : (input.hashtags ?? []),
  captionOverrides:
    input.captionOverrides === undefined ? current.captionOverrides : captionOverrides(input.captionOverrides),
  hashtagOverrides:
    input.hashtagOverrides === undefined ? current.hashtagOverrides : withoutNull(input.hashtagOverrides),
  platformOptions: input.platformOptions === undefined ? current.platformOptions : (input.platformOptions ?? {}),
  linkTags:
    input.linkTags === undefined
      ? current.linkTags
      : { on: input.linkTags?.on ?? null, campaign: input.linkTags?.campaign || null },
})

const text = (given: string | null | undefined, current: string) => (given === undefined ? current : (given ?? ''))

function withoutNull<T>(map: Record<string, T | null | undefined> | null): Record<string, T> {
  return Object.fromEntries(Object.entries(map ?? {}).filter((entry): entry is [string, T] => entry[1] != null))
}

/** A bare string is a caption. An override without content inherits everything. */
function captionOverrides(given: NonNullable<Input['captionOverrides']> | null): Post['captionOverrides'] {
  const entries = Object.entries(withoutNull(given)).map(([platform, value]) => [
    platform,
    typeof value === 'string' ? { caption: value } : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => Object.keys(value as object).length > 0))
}

/** The accounts that a post is for: named ones, or the connected ones of some networks. */
type Choice = { targets: readonly string[] } | { platforms: readonly string[] }

function choiceOf({ targets, platforms }: Input, current: Content): Choice {
  if (targets !== undefined) return { targets: [...new Set(targets ?? [])] }
  return platforms === undefined ? { targets: current.targets } : { platforms }
}

async function chooseTargets(tx: Tx, ports: Pick<Ports, 'networks'>, input: Input, current: Content, faults: Fault[]) {
  const choice = choiceOf(input, current)
  if ('platforms' in choice) return byPlatform(tx, ports, choice.platforms, faults)
  const ids = choice.targets
  const known = await accountsById(tx, ports, ids)
  return ids.flatMap((id, index) => {
    const account = known.find((each) => each.id === id)
    if (!account) {
      faults.push({ path: `/targets/${index}`, code: 'unknown_id', message: 'No account has this ID.' })
    } else if (account.status === 'DISCONNECTED' && !current.targets.includes(id)) {
      faults.push({
        path: `/targets/${index}`,
        code: 'account_disconnected',
        message: `${account.name} is disconnected. Reconnect it first.`,
      })
    }
    return account ? [account] : []
  })
}

async function byPlatform(tx: Tx, ports: Pick<Ports, 'networks'>, platforms: readonly string[], faults: Fault[]) {
  const connected = await connectedAccounts(tx, ports)
  return [...new Set(platforms)].flatMap((platform, index) => {
    const choices = connected.filter((account) => account.platform === platform)
    if (choices.length > 1) {
      throw new AppError('ambiguous_target', `Several ${platform} accounts are connected. Name one in targets.`, {
        choices: choices.map(({ id, name }) => ({ id, name, platform })),
        errors: [
          { path: `/platforms/${index}`, code: 'ambiguous_target', message: 'Name one of the choices in targets.' },
        ],
      })
    }
    if (choices.length === 0) {
      faults.push({ path: `/platforms/${index}`, code: 'no_account', message: `No ${platform} account is connected.` })
    }
    return choices
  })
}

async function chooseMedia(
  tx: Tx,
  { settings }: Pick<Ports, 'settings'>,
  input: Input,
  current: Content,
  faults: Fault[],
): Promise<PostMedia[]> {
  if (input.media === undefined && input.mediaIds === undefined) return current.media
  const given = input.media === undefined ? (input.mediaIds ?? []) : (input.media ?? [])
  const field = input.media === undefined ? 'mediaIds' : 'media'
  const wanted = given.map((item, index) =>
    typeof item === 'string'
      ? { mediaFileId: item, sortOrder: index, platforms: null, crops: {} }
      : {
          mediaFileId: item.mediaFileId,
          sortOrder: item.sortOrder ?? index,
          platforms: item.platforms ?? null,
          crops: item.crops ?? {},
        },
  )
  if (new Set(wanted.map((item) => item.mediaFileId)).size < wanted.length) {
    throw invalid({ path: `/${field}`, code: 'duplicate', message: 'A post can’t use the same file twice.' })
  }
  if (wanted.length === 0) return []
  const ids = wanted.map((item) => item.mediaFileId)
  const url = settings.filesUrl()
  // A post keeps a deleted file that it already shows.
  const kept = current.media.map((item) => item.mediaFileId)
  const rows = await tx.run(query<{ id: string; file: PostMedia['file'] }>`select f.id, ${postFileShape(url)} as file
    from media_file f where f.workspace_id = ${tx.workspaceId} and f.id = any (${ids}::uuid[])
      and (f.deleted_at is null or f.id = any (${kept}::uuid[])) for key share`)
  const found = wanted.flatMap((item, index) => {
    const row = rows.find((each) => each.id === item.mediaFileId)
    if (!row) {
      faults.push({ path: `/${field}/${index}`, code: 'unknown_id', message: 'No file has this ID.' })
      return []
    }
    return [{ ...item, file: row.file }]
  })
  return found.toSorted((a, b) => a.sortOrder - b.sortOrder)
}

/** Returns the findings of a content, by the same rules as in the browser. */
export const checksOf = (
  content: Content,
  accounts: readonly SocialAccount[],
  { settings }: Pick<Ports, 'settings'>,
  {
    tagging,
    unapproved = false,
    timePassed = false,
    outlook = [],
    twins = [],
  }: Pick<CheckScope, 'unapproved' | 'timePassed'> & {
    tagging: Tagging | null
    outlook?: readonly Outlook[]
    twins?: readonly Twin[]
  },
) => [
  ...check(content, accounts, { publicMedia: settings.publicMedia(), unapproved, timePassed, tagging }),
  ...foresee(content, accounts, outlook),
  ...warnOfTwins(
    accounts.filter(({ platform }) => showsText(content, platform)),
    twins,
  ),
]

/** The link parameters of a workspace `w`, for a post and its time. */
export const taggingShape = (
  post: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
) => sql`w.link_tags || jsonb_build_object(
  'date', to_char(coalesce(${at}, app_now()) at time zone w.timezone, 'YYYY-MM-DD'), 'post', ${post})`

/** Selects the link parameters of the stored posts `p` that meet a condition. */
export const taggingWhere = (condition: ReturnType<typeof sql>) =>
  whole<{
    of: string
    tagging: Tagging
  }>(sql`select p.id as of, ${taggingShape(sql`p.id`, sql`p.scheduled_at`)} as tagging
    from post p join workspace w on w.id = p.workspace_id where ${condition}`)

/** What the findings of a content depend on besides the content. */
export interface PostSurroundings {
  /** Posts with the same text. */
  twins: Twin[]
  /** The link parameters of the workspace. */
  tagging: Tagging | null
}

type TimedTexts = Parameters<typeof textOf>[0] & Pick<Content, 'scheduledAt'>

/** Reads the surroundings of a content that is not saved yet. */
export async function surroundingsOf(
  tx: Tx,
  texts: TimedTexts,
  choice: Choice,
  postId: string | null,
): Promise<PostSurroundings> {
  const [twins, [found]] = await Promise.all([
    twinsOf(tx, texts, choice, postId),
    tx.run(
      whole<{ tagging: Tagging }>(sql`select
        ${taggingShape(sql`${postId}::uuid`, sql`${texts.scheduledAt}::timestamptz`)} as tagging
        from workspace w where w.id = ${tx.workspaceId}`),
    ),
  ])
  return { twins, tagging: found?.tagging ?? null }
}

/**
 * Returns the key by which texts are compared, null for an empty text. Link parameters are left out, since readers do
 * not see them as text.
 */
function textKey(texts: TimedTexts, platform: SocialAccount['platform']): string | null {
  const text = alike(textOf(texts, platform))
  return text && createHash('sha256').update(text).digest('base64url')
}

/** Returns the key of the text that each account would show. */
export const textKeys = (content: Content, accounts: readonly Pick<SocialAccount, 'id' | 'platform'>[]) =>
  accounts.map(({ id, platform }) => ({
    accountId: id,
    key: showsText(content, platform) ? textKey(content, platform) : null,
  }))

/** Selects the post nearest to a time that shows a text on an account, among scheduled and live posts. */
const twinOf = (target: { account: RawBuilder<unknown>; key: RawBuilder<unknown>; at: RawBuilder<unknown> }) => sql`
  select s.post_id from publication s join post o on o.workspace_id = s.workspace_id and o.id = s.post_id
  where s.workspace_id = mine.workspace_id and s.account_id = ${target.account} and s.text_key = ${target.key}
    and (s.due_at is not null or s.state in ('PUBLISHED', 'UNCONFIRMED'))
    and s.post_id is distinct from mine.post_id and s.dropped_at is null and o.deleted_at is null
    and (o.status in ('SCHEDULED', 'PUBLISHING') or s.state in ('PUBLISHED', 'UNCONFIRMED'))
    and coalesce(s.published_at, o.happens_at) between ${target.at} - ${`${SAME_TEXT_DAYS} days`}::interval
      and ${target.at} + ${`${SAME_TEXT_DAYS} days`}::interval
  order by abs(extract(epoch from coalesce(s.published_at, o.happens_at) - ${target.at})), s.post_id limit 1`

/** Selects posts with the same text, for stored posts `p` that meet a condition. */
export const twinsWhere = (condition: ReturnType<typeof sql>) =>
  whole<Twin & { of: string }>(sql`
    select mine.post_id as of, mine.account_id, twin.post_id
    from post p join publication mine on mine.workspace_id = p.workspace_id and mine.post_id = p.id
      and mine.dropped_at is null and mine.text_key is not null
    cross join lateral (${twinOf({
      account: sql`mine.account_id`,
      key: sql`mine.text_key`,
      at: sql`coalesce(p.scheduled_at, app_now())`,
    })}) twin
    where p.deleted_at is null and ${condition}`)

/**
 * Finds posts with the text of a content that is not saved yet, also for accounts on which it would not show its text.
 * So it needs neither the accounts nor the media, and shares their round trip.
 */
async function twinsOf(tx: Tx, texts: TimedTexts, choice: Choice, postId: string | null): Promise<Twin[]> {
  const keys = JSON.stringify(PLATFORMS.map((platform) => ({ platform, key: textKey(texts, platform) })))
  const chosen =
    'targets' in choice
      ? sql`a.id = any (${choice.targets}::uuid[])`
      : sql`a.platform = any (${choice.platforms}) and a.status <> 'DISCONNECTED'`
  return tx.run(
    whole<Twin>(sql`
      select mine.account_id, twin.post_id
      from (select a.workspace_id, ${postId}::uuid as post_id, a.id as account_id, k ->> 'key' as text_key,
          coalesce(${texts.scheduledAt}::timestamptz, ${tx.now}) as at
        from social_account a join jsonb_array_elements(${keys}::jsonb) k on k ->> 'platform' = a.platform
        where a.workspace_id = ${tx.workspaceId} and ${chosen}) mine
      cross join lateral (${twinOf({ account: sql`mine.account_id`, key: sql`mine.text_key`, at: sql`mine.at` })}) twin`),
  )
}

/** Selects facts about the accounts of posts `p` that meet a condition, at the time of each post. */
export const outlookWhere = (condition: ReturnType<typeof sql>) =>
  whole<{ postId: string } & Outlook>(sql`
    select p.id as post_id, t.account_id, others.before, others.of_kind,
      case when a.refresh_token is null and a.user_token is null then iso(a.token_expires_at) end as token_ends
    from post p join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id and t.dropped_at is null
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    cross join lateral (select count(*)::int as before, count(*) filter (where
        coalesce(o.platform_options -> a.platform ->> 'kind', 'post') = coalesce(p.platform_options -> a.platform ->> 'kind', 'post')
      )::int as of_kind
      from post o join publication s on s.workspace_id = o.workspace_id and s.post_id = o.id and s.dropped_at is null
      where o.workspace_id = p.workspace_id and s.account_id = t.account_id and o.id <> p.id and o.deleted_at is null
        and o.status in ('SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED')
        and o.happens_at > p.scheduled_at - interval '24 hours' and o.happens_at <= p.scheduled_at) others
    where p.status = 'SCHEDULED' and p.deleted_at is null and ${condition}`)

/**
 * Throws `validation_failed` with the findings that stop an act: lasting errors stop scheduling, and all errors stop
 * publishing now.
 */
export function refuseFindings(checks: readonly Check[], act: 'schedule' | 'publish'): void {
  const standing = checks.filter(act === 'schedule' ? isLasting : stopsPublishing)
  if (standing.length === 0) return
  throw invalid(...standing.map(({ field, ...rest }) => ({ ...rest, path: field })))
}

/** Returns the current findings of a stored post. */
export async function currentChecks(
  tx: Tx,
  ports: Pick<Ports, 'networks' | 'settings'>,
  post: Post,
): Promise<Post['checks']> {
  const content = contentOf(post)
  const [accounts, surroundings] = await Promise.all([
    accountsById(tx, ports, post.targets),
    surroundingsOf(tx, content, content, post.id),
  ])
  return checksOf(content, accounts, ports, surroundings)
}
