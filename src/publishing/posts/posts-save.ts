import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import type { SocialAccount } from '../../channels/api.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { dropTargets, insertTargets, saveTargets } from '../../delivery/deliveries.ts'
import type { Post } from './api.ts'
import { textKeys } from './posts-content.ts'
import { insertLabels } from './posts-labels.ts'
import { readPost } from './posts-read.ts'
import type { RiskTold } from './checks/rules.ts'
import type { Content } from './compose/rules.ts'
import { isOpen, outcome } from './rules.ts'

// Saves a post: its content, its versions, its media, its targets, its findings and its outcome.

/** The statement that inserts a post. It fails by itself. */
export function insertPost(
  tx: Tx,
  id: string,
  content: Content,
  accounts: readonly SocialAccount[],
  {
    status,
    checks,
    labels = [],
    approved = false,
  }: Pick<Post, 'status' | 'checks'> & { labels?: readonly string[]; approved?: boolean },
) {
  const createdBy = userIdOf(tx.actor)
  return query`with saved as (
      insert into post (workspace_id, id, caption, hashtags, cta, media_type, caption_overrides, hashtag_overrides,
        platform_options, link_tags, status, scheduled_at, checks, approved, created_by)
      values (${tx.workspaceId}, ${id}, ${content.caption}, ${content.hashtags}, ${content.cta}, ${content.mediaType},
        ${JSON.stringify(content.captionOverrides)}, ${JSON.stringify(content.hashtagOverrides)},
        ${JSON.stringify(content.platformOptions)}, ${JSON.stringify(content.linkTags)}, ${status}, ${content.scheduledAt}, ${JSON.stringify(checks)}, ${approved}, ${createdBy})
      returning id
    ), version as (${insertVersion(tx, id, 1, content)}), media as (${insertMedia(tx, id, content.media)}), targets as (${insertTargets(tx, id, targetsOf(content, accounts))})
      ${labels.length > 0 ? sql`, labels as (${insertLabels(tx, id, labels)})` : sql``}
    select id from saved`
}

export async function saveContent(
  tx: Tx,
  post: Post,
  content: Content,
  { status, checks, approved }: Pick<Post, 'status' | 'checks' | 'approved'>,
): Promise<void> {
  await tx.one(
    query`with saved as (update post set caption = ${content.caption}, hashtags = ${content.hashtags}, cta = ${content.cta},
      media_type = ${content.mediaType}, caption_overrides = ${JSON.stringify(content.captionOverrides)},
      hashtag_overrides = ${JSON.stringify(content.hashtagOverrides)}, platform_options = ${JSON.stringify(content.platformOptions)},
      link_tags = ${JSON.stringify(content.linkTags)},
      scheduled_at = ${content.scheduledAt}, status = ${status}, checks = ${JSON.stringify(checks)}, approved = ${approved},
      version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${post.id} and status = ${post.status} and version = ${post.version}
      returning id
    ), continued as (${continueVersion(tx, post, content)}),
    version as (${insertVersion(tx, post.id, post.version + 1, content)} from saved where not exists (select from continued))
    select id from saved`,
    'stale_version',
    { current: post.version },
  )
}

/** The written part of a content, without the data of its files. */
export const written = ({ media, ...content }: Content) => ({
  ...content,
  media: media.map(({ file: _, ...item }) => item),
})

const versionOf = (content: Content) => JSON.stringify(written(content))

/** Inserts a version of a post, saved by the acting person. */
const insertVersion = (tx: Tx, postId: string, version: number, content: Content) => sql`
  insert into post_version (workspace_id, id, post_id, version, content, saved_by, saved_at)
  select ${tx.workspaceId}::uuid, ${uuidv7()}::uuid, ${postId}::uuid, ${version}::int, ${versionOf(content)}::jsonb,
    ${userIdOf(tx.actor)}::uuid, ${tx.now}::timestamptz`

const SAME_VERSION = '10 minutes'

/**
 * Updates the latest version instead, if its author keeps editing a draft: within ten minutes, and until approval of
 * that version is requested.
 */
const continueVersion = (tx: Tx, post: Post, content: Content) => sql`
  update post_version v set version = ${post.version + 1}, content = ${versionOf(content)}::jsonb
  where v.workspace_id = ${tx.workspaceId} and v.post_id = ${post.id} and ${post.status} = 'DRAFT'
    and v.version = (select max(l.version) from post_version l where l.workspace_id = v.workspace_id and l.post_id = v.post_id)
    and v.saved_by = ${userIdOf(tx.actor)} and v.saved_at > ${tx.now}::timestamptz - ${SAME_VERSION}::interval
    and not exists (select from approval_request r where r.workspace_id = v.workspace_id and r.post_id = v.post_id
      and r.post_version >= v.version)
  returning v.id`

const insertMedia = (tx: Tx, postId: string, media: Content['media']) => sql`
  insert into post_media (workspace_id, post_id, media_file_id, sort_order, platforms, crops)
  select ${tx.workspaceId}::uuid, ${postId}::uuid, (m ->> 'mediaFileId')::uuid, (m ->> 'sortOrder')::int,
    case when jsonb_typeof(m -> 'platforms') = 'array' then array(select jsonb_array_elements_text(m -> 'platforms')) end, m -> 'crops'
  from jsonb_array_elements(${JSON.stringify(media.map(({ file: _, ...item }) => item))}::jsonb) m`

/** Replaces the media of a post. */
export const saveMedia = (tx: Tx, postId: string, media: Content['media']): Promise<unknown> =>
  tx.together(() => [
    tx.run(query`delete from post_media where workspace_id = ${tx.workspaceId} and post_id = ${postId}`),
    tx.run(whole(insertMedia(tx, postId, media))),
  ])

const targetsOf = (content: Content, accounts: readonly SocialAccount[]) =>
  textKeys(content, accounts).map((each) => ({
    id: uuidv7(),
    position: content.targets.indexOf(each.accountId),
    ...each,
  }))

/**
 * Replaces the targets of a post. A target that was never tried loses its row when it is removed; a tried one stays,
 * marked dropped. A target that is added again counts again.
 */
export const replaceTargets = (
  tx: Tx,
  post: Post,
  content: Content,
  accounts: readonly SocialAccount[],
): Promise<unknown> =>
  tx.together(() => [
    ...(isDeepStrictEqual(post.targets, content.targets) ? [] : [dropTargets(tx, post.id, content.targets)]),
    saveTargets(tx, post.id, targetsOf(content, accounts)),
  ])

/**
 * SQL that sets when a post with this outcome went live: the time of its last live target. The SQL does not see a target
 * that the same statement settles, so the time of that target is passed as `settled`.
 */
export function liveTimes(tx: Tx, postId: string, status: Post['status'], settled = sql`null::timestamptz`) {
  const last = sql`greatest(${settled}, (select max(published_at) from publication
    where workspace_id = ${tx.workspaceId} and post_id = ${postId} and dropped_at is null))`
  return sql`live_at = case when ${status} = 'PARTIALLY_PUBLISHED' then ${last} end,
    published_at = case when ${status} = 'PUBLISHED' then coalesce(published_at, ${last}) else published_at end`
}

/** Sets the status of a post without open targets from its targets. */
export async function recomputeOutcome(tx: Tx, { settings }: Pick<Ports, 'settings'>, id: string): Promise<void> {
  const post = await readPost(tx, { settings }, id)
  if (post.publications.some(isOpen)) return
  const status = outcome(post.publications)
  if (status !== post.status) await setOutcome(tx, post, status)
}

/** Gives a post with the expected status its outcome, else throws `invalid_state`. */
export async function setOutcome(tx: Tx, post: Pick<Post, 'id' | 'status'>, status: Post['status']): Promise<void> {
  await tx.one(
    query`update post set status = ${status}, updated_at = ${tx.now}, ${liveTimes(tx, post.id, status)}
      where workspace_id = ${tx.workspaceId} and id = ${post.id} and status = ${post.status} returning id`,
    'invalid_state',
    { current: post.status, allowed: [] },
  )
}

/** Dates a PUBLISHED post into the past. Throws `invalid_state` with the status that the caller saw. */
export async function setPublishedAt(tx: Tx, { id, status }: Pick<Post, 'id' | 'status'>, at: Date): Promise<void> {
  await tx.one(
    query`update post set published_at = ${at}, created_at = least(created_at, ${at}),
        scheduled_at = case when scheduled_at is not null then ${at}::timestamptz end,
        version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'PUBLISHED' returning id`,
    'invalid_state',
    { current: status, allowed: [] },
  )
}

/** The findings of a version of a post, and what people know of its risks. */
interface Findings {
  id: string
  version: number
  checks: Post['checks']
  told: RiskTold | null
}

/**
 * Saves the findings of posts that nobody has edited since. Returns the posts that it saved, and whether their findings
 * changed.
 */
export const saveFindings = (tx: Tx, found: readonly Findings[]): Promise<{ id: string; changed: boolean }[]> =>
  tx.run(query<{ id: string; changed: boolean }>`
    with found as (select id, version, checks, nullif(told, 'null') as told
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as f(id uuid, version int, checks jsonb, told jsonb)),
    locked as (
      select p.id, found.checks, found.told, p.checks is distinct from found.checks as changed
      from post p join found on found.id = p.id and found.version = p.version
      where p.workspace_id = ${tx.workspaceId}
        and (p.checks is distinct from found.checks or p.risk_told is distinct from found.told)
      order by p.id for update of p
    )
    update post p set checks = locked.checks, risk_told = locked.told from locked
    where p.workspace_id = ${tx.workspaceId} and p.id = locked.id returning p.id, locked.changed`)
