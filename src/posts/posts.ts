import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { accountsById } from '../accounts/accounts.ts'
import type { SocialAccount } from '../accounts/api.ts'
import { wantCrops } from '../media/media-crops.ts'
import { AppError, invalid } from '../errors.ts'
import type { Role } from '../http/endpoint.ts'
import { factsOf, countText } from '../networks/rules.ts'
import { query, sql, whole } from '../platform/db.ts'
import { readOnlyFaults } from '../platform/patch.ts'
import type { Scope, Tx } from '../platform/scope.ts'
import { reserve } from '../plans/plans.ts'
import type { Ports } from '../services.ts'
import type { Check, NewPost, Post, PostPatch, Submission } from './api.ts'
import { approvalMode, approveByAct, refuseUnapproved, requestApproval, withdrawApproval } from './posts-approval.ts'
import { applyInput, checksOf, refuseFindings, surroundingsOf, textKeys } from './posts-content.ts'
import { readPost } from './posts-read.ts'
import { chosenAnew, compose, type Content, contentOf, kindOf, ofAccount, wantedCrops } from './compose/rules.ts'
import { type Act, allowed, demandsApprovalAnew, isOpen, mayApprove, next, outcome } from './rules.ts'

/** A time up to this long ago counts as now. */
const GRACE = 60_000
const RESTORE_DAYS = 30

type PostPorts = Pick<Ports, 'networks' | 'settings'>

/** Refuses an act that the post's status does not allow, or that could lose sight of a target whose outcome is unknown. */
export function refuse(post: Post, act: Act): Post['status'] {
  const status = next(post.status, act)
  if (
    status === undefined &&
    (post.status === 'PUBLISHED' || (post.status === 'PARTIALLY_PUBLISHED' && act !== 'cancel'))
  ) {
    throw new AppError('already_published', undefined, { current: post.status, allowed: allowed(post.status) })
  }
  if (post.status === 'PUBLISHING' || status === undefined) {
    throw new AppError('invalid_state', `A post in ${post.status} does not allow this.`, {
      current: post.status,
      allowed: allowed(post.status),
    })
  }
  if (
    act !== 'cancel' &&
    act !== 'retry' &&
    post.publications.some((each) => each.state === 'UNCONFIRMED' && !each.dropped)
  ) {
    throw new AppError('outcome_unknown')
  }
  return status
}

/** The living post, locked: nobody else changes it in this transaction's time. Throws `not_found`, `stale_version`. */
export async function lockPost(tx: Tx, ports: Pick<Ports, 'settings'>, id: string, ifMatch?: number): Promise<Post> {
  await tx.one(
    query`select from post where workspace_id = ${tx.workspaceId} and id = ${id} and deleted_at is null for update`,
    'not_found',
  )
  const post = await readPost(tx, ports, id)
  if (ifMatch !== undefined && ifMatch !== post.version) {
    throw new AppError('stale_version', undefined, { current: post.version })
  }
  return post
}

/** A time to publish at: a recent one counts as now, an older one is refused. */
function timeToCome(at: Date | null, now: Date): Date {
  if (!at) throw invalid({ path: '/scheduledAt', code: 'required', message: 'Choose a time.' })
  if (at.getTime() < now.getTime() - GRACE) {
    throw invalid({ path: '/scheduledAt', code: 'in_the_past', message: 'This time has passed.' })
  }
  return at.getTime() < now.getTime() ? now : at
}

type Action = NonNullable<NewPost['action']>

function actionOf({ action, status, scheduledAt }: NewPost): Action {
  const byStatus = status && (status === 'DRAFT' ? 'draft' : 'schedule')
  if (action && byStatus && action !== byStatus) {
    throw invalid({ path: '/status', code: 'contradicts_action', message: 'action and status say different things.' })
  }
  return action ?? byStatus ?? (scheduledAt ? 'schedule' : 'draft')
}

const made: Record<Action, { status: Post['status']; audit: string }> = {
  draft: { status: 'DRAFT', audit: 'post.created' },
  submit: { status: 'DRAFT', audit: 'post.created' },
  schedule: { status: 'SCHEDULED', audit: 'post.scheduled' },
  publish: { status: 'PUBLISHING', audit: 'post.publish_requested' },
}

/** What a new post comes to: what it will show, what is found of it, and when it is to go out. */
export interface Drawn {
  action: Action
  content: Content
  accounts: readonly SocialAccount[]
  checks: Check[]
  at: Date | null
  approved: boolean
  submission: Submission
}

/** Draws up a new post and saves nothing. Throws what stands in the way of what it asks for. */
export async function drawPost(
  tx: Tx,
  ports: PostPorts,
  { onApproval, client, ...input }: NewPost,
  role: Role | null,
): Promise<Drawn> {
  const action = actionOf(input)
  const goesOut = action === 'schedule' || action === 'publish'
  const { content, accounts } = await applyInput(tx, ports, input)
  const checks = checksOf(content, accounts, ports, await surroundingsOf(tx, content, accounts, null))
  const scheduledAt = content.scheduledAt ? new Date(content.scheduledAt) : null
  const at = action === 'schedule' ? timeToCome(scheduledAt, tx.now) : action === 'publish' ? tx.now : scheduledAt
  if (goesOut) await refuseUnapproved(tx, role, false)
  if (action !== 'draft') refuseFindings(checks, action === 'publish' ? 'publish' : 'schedule')
  return {
    action,
    content,
    accounts,
    checks,
    at,
    approved: goesOut && mayApprove(role),
    submission: { onApproval, client },
  }
}

/** Saves what was drawn up in the same transaction, and submits, schedules or publishes it. The quota is the caller's. */
export async function saveDrawn(tx: Tx, ports: PostPorts, drawn: Drawn): Promise<string> {
  const { action, content, accounts, checks, at, approved, submission } = drawn
  const id = uuidv7()
  const { status, audit } = made[action]
  const scheduledAt = action === 'publish' ? null : (at?.toISOString() ?? null)
  await insertPost(tx, id, { ...content, scheduledAt }, accounts, { status, checks, approved })
  if (status !== 'DRAFT') await setUp(tx, id, at ?? tx.now)
  if (action === 'schedule') lookNow(tx, id)
  if (action === 'submit') await requestApproval(tx, await readPost(tx, ports, id), submission)
  tx.audit(audit, { postId: id })
  tx.emit({ kind: 'post', id })
  return id
}

/** Creates a post, and submits, schedules or publishes it with that: one unit of the quota. */
export async function createPost(scope: Scope, ports: PostPorts, input: NewPost, role: Role | null): Promise<Post> {
  return scope.transaction(async (tx) => {
    const id = await saveDrawn(tx, ports, await drawPost(tx, ports, input, role))
    const post = await readPost(tx, ports, id)
    // Last: whoever creates in this workspace at the same time waits from here on only.
    await reserve(tx, 'posts', 1)
    return post
  })
}

async function insertPost(
  tx: Tx,
  id: string,
  content: Content,
  accounts: readonly SocialAccount[],
  { status, checks, approved = false }: Pick<Post, 'status' | 'checks'> & { approved?: boolean },
): Promise<void> {
  const createdBy = tx.actor.kind === 'user' ? tx.actor.userId : null
  await tx.one(
    query`with saved as (
      insert into post (workspace_id, id, caption, hashtags, cta, media_type, caption_overrides, hashtag_overrides,
        platform_options, link_tags, status, scheduled_at, checks, approved, created_by)
      values (${tx.workspaceId}, ${id}, ${content.caption}, ${content.hashtags}, ${content.cta}, ${content.mediaType},
        ${JSON.stringify(content.captionOverrides)}, ${JSON.stringify(content.hashtagOverrides)},
        ${JSON.stringify(content.platformOptions)}, ${JSON.stringify(content.linkTags)}, ${status}, ${content.scheduledAt}, ${JSON.stringify(checks)}, ${approved}, ${createdBy})
      returning id
    ), version as (${insertVersion(tx, id, 1, content)}), media as (${insertMedia(tx, id, content.media)}), targets as (${insertTargets(tx, id, content, accounts)})
    select id from saved`,
    'not_found',
  )
  await wantCrops(tx, wantedCrops(content))
}

/** What of it was written: not what a file was made into meanwhile. */
const written = ({ media, ...content }: Content) => ({ ...content, media: media.map(({ file: _, ...item }) => item) })

const versionOf = (content: Content) => JSON.stringify(written(content))

const authorOf = (tx: Tx) => (tx.actor.kind === 'user' ? tx.actor.userId : null)

/** What a post says at a version of it, by who saves it. */
const insertVersion = (tx: Tx, postId: string, version: number, content: Content) => sql`
  insert into post_version (workspace_id, id, post_id, version, content, saved_by, saved_at)
  select ${tx.workspaceId}::uuid, ${uuidv7()}::uuid, ${postId}::uuid, ${version}::int, ${versionOf(content)}::jsonb,
    ${authorOf(tx)}::uuid, ${tx.now}::timestamptz`

const SAME_VERSION = '10 minutes'

/** The same for a draft that its author goes on with: one version until somebody was asked to look at it, or for ten minutes. */
const continueVersion = (tx: Tx, post: Post, content: Content) => sql`
  update post_version v set version = ${post.version + 1}, content = ${versionOf(content)}::jsonb
  where v.workspace_id = ${tx.workspaceId} and v.post_id = ${post.id} and ${post.status} = 'DRAFT'
    and v.version = (select max(l.version) from post_version l where l.workspace_id = v.workspace_id and l.post_id = v.post_id)
    and v.saved_by = ${authorOf(tx)} and v.saved_at > ${tx.now}::timestamptz - ${SAME_VERSION}::interval
    and not exists (select from approval_request r where r.workspace_id = v.workspace_id and r.post_id = v.post_id
      and r.post_version >= v.version)
  returning v.id`

const insertMedia = (tx: Tx, postId: string, media: Content['media']) => sql`
  insert into post_media (workspace_id, post_id, media_file_id, sort_order, platforms, crops)
  select ${tx.workspaceId}::uuid, ${postId}::uuid, (m ->> 'mediaFileId')::uuid, (m ->> 'sortOrder')::int,
    case when jsonb_typeof(m -> 'platforms') = 'array' then array(select jsonb_array_elements_text(m -> 'platforms')) end, m -> 'crops'
  from jsonb_array_elements(${JSON.stringify(media.map(({ file: _, ...item }) => item))}::jsonb) m`

const targetsOf = (content: Content, accounts: readonly SocialAccount[]) =>
  JSON.stringify(
    textKeys(content, accounts).map((each) => ({
      id: uuidv7(),
      position: content.targets.indexOf(each.accountId),
      ...each,
    })),
  )

const insertTargets = (tx: Tx, postId: string, content: Content, accounts: readonly SocialAccount[]) => sql`
  insert into publication (workspace_id, id, post_id, account_id, position, text_key)
  select ${tx.workspaceId}::uuid, (t ->> 'id')::uuid, ${postId}::uuid, (t ->> 'accountId')::uuid, (t ->> 'position')::int, t ->> 'key'
  from jsonb_array_elements(${targetsOf(content, accounts)}::jsonb) t`

/**
 * Statement 0 of the publishing machine: every target that is to be sent waits for `dueAt`, the first position with the baton.
 * What is live or not counted any more is left alone. Whatever worker held a row loses it. Those named are sent again: what
 * the network has may be of an earlier try.
 */
export async function setUp(tx: Tx, postId: string, dueAt: Date, only?: readonly string[]): Promise<number> {
  const rows = await tx.run(query<{ id: string }>`
    with chosen as (
      select id, row_number() over (order by position, id) as rank from publication
      where workspace_id = ${tx.workspaceId} and post_id = ${postId} and dropped_at is null
        and state in ('PENDING', 'FAILED') and (${only ?? null}::uuid[] is null or id = any (${only ?? null}::uuid[])))
    update publication t set state = 'PENDING', phase = null, fence = t.fence + 1, tries = 0, failures = 0, backoffs = 0,
      due_at = ${dueAt}, next_at = case when chosen.rank = 1 then ${dueAt}::timestamptz end, turn = null, lease_until = null,
      absent_reads = 0, absent_at = null, late_reads = 0, late_read_at = null, wait_reason = null, error = null,
      first_intent_at = case when ${only === undefined} then null else t.first_intent_at end, updated_at = ${tx.now}
    from chosen where t.workspace_id = ${tx.workspaceId} and t.id = chosen.id returning t.id`)
  return rows.length
}

/** Has a scheduled post looked at: what will happen at its time. From then on it is looked at again by itself. */
const lookNow = (tx: Tx, postId: string) => tx.enqueue('flight-check', { postId }, { key: `flight:${postId}` })

/** Takes a post's waiting targets out of the queue. */
const standDown = (tx: Tx, postId: string) =>
  tx.run(query`update publication set due_at = null, next_at = null, turn = null, lease_until = null, wait_reason = null,
    fence = fence + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = ${postId} and state = 'PENDING' returning id`)

/** Saves a status where it still is the expected one. */
export async function setStatus(
  tx: Tx,
  post: Pick<Post, 'id' | 'status'>,
  status: Post['status'],
  change: { scheduledAt?: Date | null; checks?: Post['checks']; approved?: boolean } = {},
): Promise<void> {
  await tx.one(
    query`update post set status = ${status}, version = version + 1, updated_at = ${tx.now},
      approved = ${change.approved ?? sql`approved`},
      scheduled_at = ${change.scheduledAt === undefined ? sql`scheduled_at` : change.scheduledAt},
      checks = ${change.checks === undefined ? sql`checks` : JSON.stringify(change.checks)}
      where workspace_id = ${tx.workspaceId} and id = ${post.id} and status = ${post.status} returning id`,
    'invalid_state',
    { current: post.status, allowed: allowed(post.status) },
  )
}

async function currentChecks(tx: Tx, ports: PostPorts, post: Post): Promise<Post['checks']> {
  const content = contentOf(post)
  const accounts = await accountsById(tx, ports, post.targets)
  return checksOf(content, accounts, ports, await surroundingsOf(tx, content, accounts, post.id))
}

/**
 * Schedules a draft, or moves a scheduled post. Refuses a past time and what can never be right, and of who needs an approval what
 * has none. Moved by them, what was approved becomes a DRAFT again.
 */
export async function schedulePost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  at: Date | undefined | ((tx: Tx, post: Post) => Promise<Date>),
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    refuse(post, 'schedule')
    const wanted = typeof at === 'function' ? await at(tx, post) : at
    const time = timeToCome(wanted ?? (post.scheduledAt ? new Date(post.scheduledAt) : null), tx.now)
    if (post.status === 'SCHEDULED' && (await demandedAnew(tx, role))) {
      await withdrawApproval(tx, post)
      await takeBack(tx, post, { scheduledAt: time, approved: false })
      return readPost(tx, ports, id)
    }
    await refuseUnapproved(tx, role, post.approved)
    await putOnSchedule(tx, ports, post, time, await approveByAct(tx, role, post))
    return readPost(tx, ports, id)
  })
}

/** Puts a locked post on the schedule. Throws `validation_failed`, having changed nothing, for what can never be right. */
export async function putOnSchedule(tx: Tx, ports: PostPorts, post: Post, time: Date, approved: boolean) {
  const status = refuse(post, 'schedule')
  const checks = await currentChecks(tx, ports, post)
  refuseFindings(checks, 'schedule')
  await setStatus(tx, post, status, { scheduledAt: time, checks, approved })
  await setUp(tx, post.id, time)
  lookNow(tx, post.id)
  tx.audit('post.scheduled', { postId: post.id }, { at: time.toISOString() })
  tx.emit({ kind: 'post', id: post.id })
}

/** Whether a change of a scheduled post by this role takes it off the schedule, to be approved anew. */
const demandedAnew = async (tx: Tx, role: Role | null) => demandsApprovalAnew(await approvalMode(tx), role)

/**
 * Takes a scheduled post back. Against a start at the same moment exactly one of the two wins. Taken back by who needs an approval,
 * it is to be approved again.
 */
export async function cancelPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    refuse(post, 'cancel')
    const anew = await demandedAnew(tx, role)
    if (anew) await withdrawApproval(tx, post)
    await takeBack(tx, post, anew ? { approved: false } : {})
    return readPost(tx, ports, id)
  })
}

/** Takes a locked post off the schedule. */
export async function takeBack(
  tx: Tx,
  post: Post,
  change: { scheduledAt?: Date; approved?: boolean } = {},
): Promise<void> {
  await setStatus(tx, post, refuse(post, 'cancel'), change)
  await standDown(tx, post.id)
  tx.audit('post.cancelled', { postId: post.id })
  tx.emit({ kind: 'post', id: post.id })
}

/** Publishes now. Refuses every error of the checks, and of who needs an approval what has none. */
export async function publishPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    refuse(post, 'publish')
    await refuseUnapproved(tx, role, post.approved)
    await sendNow(tx, ports, post, await approveByAct(tx, role, post))
    return readPost(tx, ports, id)
  })
}

/** Publishes a locked post at once. Throws `validation_failed`, having changed nothing, for every error of the checks. */
export async function sendNow(tx: Tx, ports: PostPorts, post: Post, approved: boolean): Promise<void> {
  const status = refuse(post, 'publish')
  const checks = await currentChecks(tx, ports, post)
  refuseFindings(checks, 'publish')
  await setStatus(tx, post, status, { checks, approved })
  await setUp(tx, post.id, tx.now)
  tx.audit('post.publish_requested', { postId: post.id })
  tx.emit({ kind: 'post', id: post.id })
}

/** Asks for approval of a draft as it is. Refuses what can never be right, and what waits already. */
export async function submitPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  submission: Submission,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    refuse(post, 'submit')
    const act = submission.onApproval ?? (post.scheduledAt ? 'schedule' : 'draft')
    if (act === 'schedule') timeToCome(post.scheduledAt ? new Date(post.scheduledAt) : null, tx.now)
    refuseFindings(await currentChecks(tx, ports, post), 'schedule')
    await requestApproval(tx, post, submission)
    tx.emit({ kind: 'post', id })
    return readPost(tx, ports, id)
  })
}

const writable = [
  'caption',
  'hashtags',
  'cta',
  'mediaType',
  'captionOverrides',
  'hashtagOverrides',
  'platformOptions',
  'linkTags',
  'targets',
  'platforms',
  'media',
  'mediaIds',
  'scheduledAt',
] as const

/** Edits a post. A scheduled one is checked again; of a partly live one only what no live target shows can change. */
export async function updatePost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  patch: PostPatch,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction((tx) => editPost(tx, ports, id, () => patch, role, ifMatch))
}

/** The same as part of another's transaction, by a patch of the post as it is now. */
export async function editPost(
  tx: Tx,
  ports: PostPorts,
  id: string,
  patchOf: (post: Post) => PostPatch,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  const post = await lockPost(tx, ports, id, ifMatch)
  const patch = patchOf(post)
  const faults = readOnlyFaults(patch, { ...post, checks: await currentChecks(tx, ports, post) }, writable)
  if (faults.length > 0) throw invalid(...faults)
  const current = contentOf(post)
  const { content, accounts } = await applyInput(tx, ports, patch, current)
  // Saved anew, also unchanged, what could not be cut out is tried anew.
  await wantCrops(tx, wantedCrops(content))
  if (isDeepStrictEqual(written(content), written(current))) return readPost(tx, ports, id)
  const edited = refuse(post, 'edit')
  refuseChangeOfLive(post, current, content)
  const status = edited === 'SCHEDULED' && (await demandedAnew(tx, role)) ? 'DRAFT' : edited
  await withdrawApproval(tx, post)
  const checks = checksOf(content, accounts, ports, await surroundingsOf(tx, content, accounts, id))
  if (status === 'SCHEDULED') {
    refuseFindings(checks, 'schedule')
    if (content.scheduledAt !== current.scheduledAt || !content.scheduledAt) {
      content.scheduledAt = timeToCome(content.scheduledAt ? new Date(content.scheduledAt) : null, tx.now).toISOString()
    }
  }
  await saveContent(tx, post, content, { status, checks, approved: status === 'SCHEDULED' && mayApprove(role) })
  await saveTargets(tx, post, content, accounts)
  if (status === 'DRAFT' && post.status === 'SCHEDULED') await standDown(tx, id)
  if (!isDeepStrictEqual(written(content).media, written(current).media)) {
    await tx.run(query`delete from post_media where workspace_id = ${tx.workspaceId} and post_id = ${id}`)
    await tx.run(whole(insertMedia(tx, id, content.media)))
  }
  if (status === 'SCHEDULED') {
    await setUp(tx, id, new Date(content.scheduledAt as string))
    lookNow(tx, id)
  }
  if (status === 'PARTIALLY_PUBLISHED') await recomputeOutcome(tx, ports, id)
  tx.audit('post.edited', { postId: id })
  tx.emit({ kind: 'post', id })
  return readPost(tx, ports, id)
}

async function saveContent(
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

/** What people can see already must stay as it is. */
function refuseChangeOfLive(post: Post, before: Content, after: Content): void {
  if (post.status !== 'PARTIALLY_PUBLISHED') return
  const live = post.publications.filter((each) => each.state === 'PUBLISHED' && !each.dropped)
  const kept = live.every((each) => after.targets.includes(each.accountId))
  const added = after.targets.some((id) => !before.targets.includes(id))
  const shows = (content: Content, platform: Post['publications'][number]['platform']) => {
    const { text, media } = compose(content, platform)
    return [
      text,
      content.linkTags,
      content.platformOptions[platform] ?? {},
      ...media.map(({ mediaFileId, crops }) => [mediaFileId, crops[platform]]),
    ]
  }
  const shown = live.every(({ platform }) => isDeepStrictEqual(shows(before, platform), shows(after, platform)))
  if (!kept || added || !shown || before.scheduledAt !== after.scheduledAt) throw new AppError('already_published')
}

/** A target taken out before any try loses its row; later it keeps it, marked dropped. One taken up again counts again. */
async function saveTargets(tx: Tx, post: Post, content: Content, accounts: readonly SocialAccount[]): Promise<void> {
  const { targets } = content
  if (!isDeepStrictEqual(post.targets, targets)) {
    await tx.run(query`delete from publication where workspace_id = ${tx.workspaceId} and post_id = ${post.id}
      and not (account_id = any (${targets}::uuid[])) and intent_at is null and state in ('PENDING', 'FAILED')`)
    await tx.run(query`update publication set dropped_at = ${tx.now}, fence = fence + 1, next_at = null, turn = null,
        lease_until = null, due_at = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and post_id = ${post.id} and not (account_id = any (${targets}::uuid[]))
        and dropped_at is null`)
  }
  await tx.run(query`${insertTargets(tx, post.id, content, accounts)}
    on conflict (workspace_id, post_id, account_id) do update set position = excluded.position, dropped_at = null,
      text_key = excluded.text_key
    where (publication.position, publication.dropped_at, publication.text_key)
      is distinct from (excluded.position, null::timestamptz, excluded.text_key)`)
}

/** Sets a post without open targets to what its targets make it. */
export async function recomputeOutcome(tx: Tx, { settings }: Pick<Ports, 'settings'>, id: string): Promise<void> {
  const post = await readPost(tx, { settings }, id)
  if (post.publications.some(isOpen)) return
  const status = outcome(post.publications)
  if (status === post.status) return
  await tx.one(
    query`update post set status = ${status}, updated_at = ${tx.now},
      published_at = case when ${status} = 'PUBLISHED' then coalesce(published_at, (select max(published_at) from publication
        where workspace_id = ${tx.workspaceId} and post_id = ${id} and dropped_at is null)) else published_at end
      where workspace_id = ${tx.workspaceId} and id = ${id} and status = ${post.status} returning id`,
    'invalid_state',
  )
}

/** Takes a post out of the lists; what is live on a network stays there. Answers how many targets are live. */
export async function deletePost(scope: Scope, ports: PostPorts, id: string, ifMatch?: number): Promise<number> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    const status = refuse(post, 'delete')
    if (post.status === 'SCHEDULED') await standDown(tx, id)
    // Taken back later, it is approved anew: else deleting would be a way to another time.
    await withdrawApproval(tx, post)
    await tx.one(
      query`update post set status = ${status}, approved = false, deleted_at = ${tx.now}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and status = ${post.status} and deleted_at is null returning id`,
      'invalid_state',
    )
    tx.audit('post.deleted', { postId: id })
    tx.emit({ kind: 'post', id })
    return post.publications.filter((each) => each.state === 'PUBLISHED').length
  })
}

/** Takes a deleted post back, within 30 days. */
export async function restorePost(scope: Scope, ports: PostPorts, id: string): Promise<Post> {
  return scope.transaction(async (tx) => {
    await tx.one(
      query`update post set deleted_at = null, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id}
          and deleted_at > ${new Date(tx.now.getTime() - RESTORE_DAYS * 86_400_000)} returning id`,
      'not_found',
    )
    tx.audit('post.restored', { postId: id })
    tx.emit({ kind: 'post', id })
    return readPost(tx, ports, id)
  })
}

/** A new draft with the same content and those of its targets that are still connected. */
export async function duplicatePost(scope: Scope, ports: PostPorts, id: string): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await readPost(tx, ports, id)
    if (post.deletedAt) throw new AppError('not_found')
    const accounts = (await accountsById(tx, ports, post.targets)).filter(
      (account) => account.status !== 'DISCONNECTED',
    )
    const targets = post.targets.filter((target) => accounts.some((account) => account.id === target))
    const platformOptions = chosenAnew(post.platformOptions)
    const content = { ...contentOf(post), platformOptions, targets, scheduledAt: null }
    await reserve(tx, 'posts', 1)
    const copy = uuidv7()
    const checks = checksOf(content, accounts, ports, await surroundingsOf(tx, content, accounts, null))
    await insertPost(tx, copy, content, accounts, { status: 'DRAFT', checks })
    tx.audit('post.duplicated', { postId: copy }, { from: id })
    tx.emit({ kind: 'post', id: copy })
    return readPost(tx, ports, copy)
  })
}

/** The findings and previews of a post that is not stored. */
export async function validatePost(scope: Scope, ports: PostPorts, input: NewPost) {
  return scope.transaction(async (tx) => {
    const { content, accounts } = await applyInput(tx, ports, input)
    const around = await surroundingsOf(tx, content, accounts, null)
    const checks = checksOf(content, accounts, ports, around)
    if (actionOf(input) === 'schedule') timeToCome(content.scheduledAt ? new Date(content.scheduledAt) : null, tx.now)
    return {
      checks,
      previews: accounts.map((account) => {
        const { id, platform } = account
        const { text } = compose(content, platform, ofAccount(around.tagging, account))
        const { countedIn, textLimit } = factsOf(platform, kindOf(content, platform))
        return { target: id, platform, text, length: countText(text, countedIn), limit: textLimit }
      }),
    }
  })
}
