import type { RawBuilder } from 'kysely'
import type { Role } from '../../core/http/endpoint.ts'
import { fileUrl, renditionsShape } from '../media/media.ts'
import { croppedShape, uncropped } from '../media/media-crops.ts'
import { en as rejections } from '../../core/texts/rejections/en.ts'
import { labelMark, labelOrder } from '../../team/labels/labels.ts'
import { sql, whole } from '../../core/platform/db.ts'
import type { Removal } from './api.ts'
import { timePassed } from './checks/rules.ts'
import { latestApproval } from './posts-approval.ts'

// One read shape for a post: get, list and the response of every write use it.

/**
 * The statuses of posts that a CLIENT sees, besides drafts that wait for a client. To a CLIENT the shapes below leave
 * out errors of networks, the health of accounts, and the ids of people.
 */
const clientStatuses = sql`('SCHEDULED', 'PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED')`

export const visibleTo = (role: Role | null) =>
  role === 'CLIENT'
    ? sql`(p.status in ${clientStatuses} or (p.status = 'DRAFT' and exists (select from approval_request r
        where r.workspace_id = p.workspace_id and r.post_id = p.id and r.state = 'PENDING' and r.for_client)))`
    : sql`true`

/** Whether a post `p` is about to go out without an approval that its workspace requires. */
export const unapproved = sql`(p.status in ('SCHEDULED', 'PUBLISHING') and not p.approved and exists (select from workspace w
  join subscription s on s.workspace_id = w.id join plan_feature f on f.plan_id = s.plan_id and f.feature_id = 'approvals'
  where w.id = p.workspace_id and w.approval_mode in ('required', 'required_with_client')))`

/**
 * Whether an approved draft `p` needs a new time, because its own has passed. The finding is computed on each read and
 * never stored, so it ends when the post gets a new time, loses its time, or goes out.
 */
export const timeHasPassed = sql`(p.status = 'DRAFT' and p.approved and p.scheduled_at <= app_now() and exists (
  select from approval_request r where r.workspace_id = p.workspace_id and r.post_id = p.id and r.state = 'APPROVED'))`

const unlessClient = (role: Role | null, value: RawBuilder<unknown>) => (role === 'CLIENT' ? sql`null` : value)

/**
 * The reason why a publication `t` waits. In a paused workspace, a due target without another reason waits for the
 * pause.
 */
const waitReason = sql`coalesce(t.wait_reason, case when t.state = 'PENDING' and t.due_at <= app_now() and exists (select
  from workspace w where w.id = t.workspace_id and w.publishing_paused_at is not null) then 'publishing_paused' end)`

/** The state of a first comment `c`, in the API's terms. */
export const commentState = sql`case c.state when 'PREPARING' then 'PENDING' when 'SUBMITTING' then 'SENDING'
  when 'PUBLISHED' then 'POSTED' else c.state end`

/** A removal `r` with its post `p`, target `t` and account `a`, as the API returns it. */
export const removalShape = sql`json_build_object('id', r.id, 'postId', r.post_id, 'publicationId', r.after_id,
  'caption', left(p.caption, 200), 'platform', a.platform, 'accountId', r.account_id, 'accountName', a.name,
  'permalink', t.permalink, 'state', case r.state when 'PREPARING' then 'PENDING' when 'SUBMITTING' then 'REMOVING'
    when 'PUBLISHED' then 'REMOVED' else r.state end, 'waitReason', r.wait_reason, 'error', r.error - 'by',
  'removedAt', iso(r.published_at), 'updatedAt', iso(r.updated_at))`

/** Selects removals as the API returns them, as `json`. */
export const removalsWhere = (condition: RawBuilder<unknown>) =>
  whole<{ json: Removal }>(sql`select ${removalShape} as json from delivery r
    join post p on p.workspace_id = r.workspace_id and p.id = r.post_id
    join delivery t on t.workspace_id = r.workspace_id and t.id = r.after_id
    join social_account a on a.workspace_id = r.workspace_id and a.id = r.account_id
    where r.kind = 'remove' and ${condition}`)

/** A publication `t` with its account `a`, as the API returns it. */
export const publicationShape = (role: Role | null = null): RawBuilder<unknown> => sql`json_build_object('id', t.id,
  'postId', t.post_id, 'accountId', t.account_id, 'accountName', a.name, 'platform', a.platform, 'position', t.position,
  'state', t.state, 'phase', t.phase, 'dropped', t.dropped_at is not null, 'waitReason', ${unlessClient(role, waitReason)}, 'attempts', t.tries,
  'dueAt', iso(t.due_at), 'nextAttemptAt', iso(case when t.lease_until > app_now() then null else t.next_at end), 'externalId', t.external_id, 'permalink', t.permalink,
  'publishedAt', iso(t.published_at), 'error', ${unlessClient(role, sql`t.error - 'by'`)},
  'stoppedBy', ${unlessClient(role, sql`(select u.name from app_user u where u.id = (t.error ->> 'by')::uuid)`)},
  'editedSince', t.state = 'FAILED' and exists (select from post_version v where v.workspace_id = t.workspace_id
    and v.post_id = t.post_id and v.saved_at > t.updated_at),
  'firstComment', (select json_build_object('text', c.content ->> 'text', 'state', ${commentState}, 'error', ${unlessClient(role, sql`c.error`)})
    from delivery c where c.workspace_id = t.workspace_id and c.after_id = t.id and c.kind = 'comment'), 'updatedAt', iso(t.updated_at))`

/**
 * A file `f` as a post shows it. If `placed`, it has a place `m` in a post, and includes only what that post chose for
 * it.
 */
export const postFileShape = (
  filesUrl: string,
  placed = false,
): RawBuilder<unknown> => sql`json_build_object('kind', f.kind,
  'state', ${placed ? sql`case when ${uncropped} then 'REJECTED' else f.state end` : sql`f.state`},
  'rejectedCode', ${placed ? sql`case when f.state = 'READY' and ${uncropped} then 'crop_impossible' else f.rejected_code end` : sql`f.rejected_code`},
  'rejectedReason', ${placed ? sql`case when f.state = 'READY' and ${uncropped} then ${rejections.crop_impossible} else f.rejected_reason end` : sql`f.rejected_reason`},
  'fileName', f.file_name, 'mimeType', f.mime_type, 'fileSize', f.file_size, 'width', f.width,
  'height', f.height, 'duration', f.duration, 'codec', f.codec, 'frameRate', f.frame_rate, 'altText', f.alt_text, 'aiGenerated', f.ai_generated,
  'storageUrl', ${fileUrl(filesUrl, sql`f.storage_key`)}, 'thumbnailUrl', ${fileUrl(filesUrl, sql`f.thumbnail_key`)},
  'renditions', ${renditionsShape(filesUrl)}, 'cropped', ${croppedShape(filesUrl, placed)})`

/** A file `f` with its place `m` in a post. */
export const postMediaShape = (filesUrl: string): RawBuilder<unknown> => sql`json_build_object('mediaFileId', f.id,
  'sortOrder', m.sort_order, 'platforms', m.platforms, 'crops', m.crops, 'file', ${postFileShape(filesUrl, true)})`

/** The labels of a post `p`. */
const labelsOf = sql`(select coalesce(json_agg(${labelMark} order by ${labelOrder}), '[]') from post_label j
  join label l on l.workspace_id = j.workspace_id and l.id = j.label_id
  where j.workspace_id = p.workspace_id and j.post_id = p.id)`

/** A post `p` as the API returns it, as `json`. */
export const postShape = (filesUrl: string, role: Role | null = null): RawBuilder<unknown> => sql`json_build_object(
  'id', p.id, 'workspaceId', p.workspace_id, 'caption', p.caption, 'hashtags', p.hashtags, 'cta', p.cta,
  'mediaType', p.media_type, 'captionOverrides', p.caption_overrides, 'hashtagOverrides', p.hashtag_overrides,
  'platformOptions', p.platform_options, 'linkTags', p.link_tags, 'labels', ${labelsOf}, 'status', p.status, 'scheduledAt', iso(p.scheduled_at),
  'publishedAt', iso(p.published_at), 'happensAt', iso(p.happens_at), 'late', p.late, 'targets', pubs.targets,
  'media', media.items, 'publications', pubs.items, 'approval', ${latestApproval(role)}, 'approved', p.approved, 'checks', case when ${timeHasPassed} then ${JSON.stringify([timePassed])}::jsonb else '[]'::jsonb end
    || ${role === 'CLIENT' ? sql`'[]'::jsonb` : sql`p.checks`}, 'version', p.version,
  'createdBy', (select json_build_object('id', ${unlessClient(role, sql`u.id`)}, 'name', u.name) from app_user u where u.id = p.created_by),
  'createdAt', iso(p.created_at), 'updatedAt', iso(p.updated_at), 'deletedAt', iso(p.deleted_at)) as json
  from post p
  cross join lateral (
    select coalesce(json_agg(${publicationShape(role)} order by t.position, t.id), '[]') as items,
      coalesce(json_agg(t.account_id order by t.position, t.id) filter (where t.dropped_at is null), '[]') as targets
    from publication t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = p.workspace_id and t.post_id = p.id) pubs
  cross join lateral (
    select coalesce(json_agg(${postMediaShape(filesUrl)} order by m.sort_order, f.id), '[]') as items
    from post_media m join media_file f on f.workspace_id = m.workspace_id and f.id = m.media_file_id
    where m.workspace_id = p.workspace_id and m.post_id = p.id) media`
