import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { accountsById } from '../../channels/accounts.ts'
import type { SocialAccount } from '../../channels/api.ts'
import { wantCrops } from '../media/media-crops.ts'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import type { Platform } from '../../networks/api.ts'
import { countText, factsOf, networks } from '../../networks/rules.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import { query, sql } from '../../core/platform/db.ts'
import { readOnlyFaults } from '../../core/platform/patch.ts'
import { ReadAtCommit, type Scope, type Tx } from '../../core/platform/scope.ts'
import { useQuotaAtCommit } from '../../team/plans/plans.ts'
import type { Ports } from '../../services.ts'
import type { Check, NewPost, Post, PostPatch, Removal, Submission } from './api.ts'
import { actAfter, needsNewApproval, refuseUnapproved, requestApproval, withdrawApproval } from './posts-approval.ts'
import { applyInput, checksOf, currentChecks, refuseFindings, surroundingsOf } from './posts-content.ts'
import { saveLabels } from './posts-labels.ts'
import { postRow, readPost } from './posts-read.ts'
import { removalsWhere } from './posts-shape.ts'
import { type Content, compose, contentOf, keptOptions, kindOf, ofAccount, wantedCrops } from './compose/rules.ts'
import { mayApprove, isTimePassed } from './rules.ts'
import { dequeueTargets, enqueueRemovals, enqueueTargets, forgetRemovals, makeDue } from '../../delivery/deliveries.ts'
import { lockPost, statusAfter, timeToCome } from './posts-state.ts'
import { insertPost, recomputeOutcome, saveContent, saveMedia, replaceTargets, written } from './posts-save.ts'

type PostPorts = Pick<Ports, 'networks' | 'settings'>

type Action = NonNullable<NewPost['action']>

function actionOf({ action, status, scheduledAt }: NewPost): Action {
  const byStatus = status && (status === 'DRAFT' ? 'draft' : 'schedule')
  if (action && byStatus && action !== byStatus) {
    throw invalid({
      path: '/status',
      code: 'contradicts_action',
      message: 'The action and the status contradict each other. Send only one of them.',
    })
  }
  return action ?? byStatus ?? (scheduledAt ? 'schedule' : 'draft')
}

const made: Record<Action, { status: Post['status']; audit: string }> = {
  draft: { status: 'DRAFT', audit: 'post.created' },
  submit: { status: 'DRAFT', audit: 'post.created' },
  schedule: { status: 'SCHEDULED', audit: 'post.scheduled' },
  publish: { status: 'PUBLISHING', audit: 'post.publish_requested' },
}

/** A planned post: its content, findings and time. */
export interface PlannedPost {
  action: Action
  content: Content
  labels: readonly string[]
  accounts: readonly SocialAccount[]
  checks: Check[]
  at: Date | null
  approved: boolean
  submission: Submission
}

/** Plans a new post and saves nothing. Throws what stops the requested action. */
export async function planPost(
  tx: Tx,
  ports: PostPorts,
  { onApproval, client, ...input }: NewPost,
  role: Role | null,
): Promise<PlannedPost> {
  const action = actionOf(input)
  const goesOut = action === 'schedule' || action === 'publish'
  const { content, accounts, labels = [], surroundings } = await applyInput(tx, ports, input)
  const checks = checksOf(content, accounts, ports, surroundings)
  const scheduledAt = content.scheduledAt ? new Date(content.scheduledAt) : null
  const isPlanned =
    action === 'schedule' || (action === 'submit' && actAfter({ onApproval, client }, content) === 'schedule')
  const at = isPlanned ? timeToCome(scheduledAt, tx.now) : scheduledAt
  if (goesOut) await refuseUnapproved(tx, role, false)
  if (action !== 'draft') refuseFindings(checks, action === 'publish' ? 'publish' : 'schedule')
  return {
    action,
    content,
    labels,
    accounts,
    checks,
    at,
    approved: goesOut && mayApprove(role),
    submission: { onApproval, client },
  }
}

/**
 * Saves a planned post in the same transaction, and submits, schedules or publishes it. The caller counts the quota.
 * With `atCommit`, its rows leave with the commit if nothing else needs them. Returns the id.
 */
export async function savePlanned(
  tx: Tx,
  ports: PostPorts,
  { action, content, labels, accounts, checks, at, approved, submission }: PlannedPost,
  { atCommit = false } = {},
): Promise<string> {
  const id = uuidv7()
  const { status, audit } = made[action]
  const scheduledAt = action === 'publish' ? null : (at?.toISOString() ?? null)
  const insert = insertPost(tx, id, { ...content, scheduledAt }, accounts, { status, checks, labels, approved })
  tx.record({ type: audit, subject: { postId: id }, data: action === 'schedule' ? { at: scheduledAt } : {} })
  await wantCrops(tx, wantedCrops(content))
  if (action === 'submit') {
    await tx.run(insert)
    await requestApproval(tx, await readPost(tx, ports, id), submission)
    return id
  }
  const due = makeDue(tx, id, action === 'schedule' && at ? at : 'now')
  const statements = status === 'DRAFT' ? [insert] : [insert, due]
  if (atCommit) statements.forEach((statement) => tx.atCommit(statement))
  else await tx.together(() => statements.map((statement) => tx.run<unknown>(statement)))
  return id
}

/** Creates a post and submits, schedules or publishes it. Uses one unit of the quota. */
export async function createPost(scope: Scope, ports: PostPorts, input: NewPost, role: Role | null): Promise<Post> {
  return useQuotaAtCommit(scope, 'posts', 1, async (tx, use) => {
    const planned = await planPost(tx, ports, input, role)
    const id = await savePlanned(tx, ports, planned, { atCommit: true })
    await use()
    return new ReadAtCommit(postRow(tx, ports, id))
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
  'labels',
  'targets',
  'platforms',
  'media',
  'mediaIds',
  'scheduledAt',
] as const

/**
 * Edits a post and its labels, which can change in any status. A scheduled post is checked again. On a partly live
 * post, only what no live target shows can change.
 */
export async function updatePost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  patch: PostPatch,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    await editPost(tx, ports, id, () => patch, role, ifMatch)
    return new ReadAtCommit(postRow(tx, ports, id))
  })
}

/** Edits a post within the caller's transaction. `patchOf` makes the patch from the locked post. */
export async function editPost(
  tx: Tx,
  ports: PostPorts,
  id: string,
  patchOf: (post: Post) => PostPatch,
  role: Role | null,
  ifMatch?: number,
): Promise<void> {
  const post = await lockPost(tx, ports, id, ifMatch)
  const patch = patchOf(post)
  const checksNow = async () => [...post.checks.filter(isTimePassed), ...(await currentChecks(tx, ports, post))]
  const shown = 'checks' in patch ? { ...post, checks: await checksNow() } : post
  const faults = readOnlyFaults(patch, shown, writable)
  if (faults.length > 0) throw invalid(...faults)
  const current = contentOf(post)
  const { content, accounts, labels, surroundings } = await applyInput(tx, ports, patch, current, id)
  if (labels) await saveLabels(tx, post, labels)
  // Saving a post, even unchanged, retries a crop that failed.
  await wantCrops(tx, wantedCrops(content))
  if (isDeepStrictEqual(written(content), written(current))) return
  const edited = statusAfter(post, 'edit')
  refuseChangeOfLive(post, current, content)
  const status = edited === 'SCHEDULED' && (await needsNewApproval(tx, role)) ? 'DRAFT' : edited
  await withdrawApproval(tx, post)
  const checks = checksOf(content, accounts, ports, surroundings)
  if (status === 'SCHEDULED') {
    refuseFindings(checks, 'schedule')
    if (content.scheduledAt !== current.scheduledAt || !content.scheduledAt) {
      content.scheduledAt = timeToCome(content.scheduledAt ? new Date(content.scheduledAt) : null, tx.now).toISOString()
    }
  }
  const isOtherMedia = !isDeepStrictEqual(written(content).media, written(current).media)
  await tx.together(() => [
    saveContent(tx, post, content, { status, checks, approved: status === 'SCHEDULED' && mayApprove(role) }),
    replaceTargets(tx, post, content, accounts),
    ...(isOtherMedia ? [saveMedia(tx, id, content.media)] : []),
  ])
  if (status === 'DRAFT' && post.status === 'SCHEDULED') await dequeueTargets(tx, [id])
  if (status === 'SCHEDULED') await enqueueTargets(tx, id, new Date(content.scheduledAt as string))
  if (status === 'PARTIALLY_PUBLISHED') await recomputeOutcome(tx, ports, id)
  tx.record({ type: 'post.edited', subject: { postId: id } })
  const { scheduledAt: at } = content
  if (status === 'SCHEDULED') {
    if (at === current.scheduledAt) enqueueFlightCheck(tx, { postId: id })
    else tx.record({ type: 'post.scheduled', subject: { postId: id }, data: { at } })
  }
}

/** Throws `already_published` if an edit changes what people already see of a post. */
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

/** The number of targets of a deleted post that stay live, and the removals of the others. */
interface Left {
  live: number
  removals: Removal[]
}

/**
 * Deletes a post. Its live targets stay on their networks, except on the networks in `alsoOn`, which remove theirs.
 * Throws `removal_unsupported`, and `validation_failed` for a network without a live target.
 */
export async function deletePost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  { alsoOn = [], ifMatch }: { alsoOn?: readonly Platform[] | undefined; ifMatch?: number | undefined },
): Promise<Left> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    const status = statusAfter(post, 'delete')
    const live = post.publications.filter((each) => each.state === 'PUBLISHED')
    const removed = live.filter(({ platform }) => alsoOn.includes(platform))
    refuseRemovals(alsoOn, removed)
    if (post.status === 'SCHEDULED') await dequeueTargets(tx, [id])
    // A restored post must be approved again; otherwise deleting would be a way to change its time.
    await withdrawApproval(tx, post)
    await tx.one(
      query`update post set status = ${status}, approved = false, deleted_at = ${tx.now}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and status = ${post.status} and deleted_at is null returning id`,
      'invalid_state',
      { current: post.status, allowed: [] },
    )
    tx.record({ type: 'post.deleted', subject: { postId: id }, data: alsoOn.length > 0 ? { alsoOn } : {} })
    if (removed.length === 0) return { live: live.length, removals: [] }
    await enqueueRemovals(
      tx,
      removed.map((each) => each.id),
    )
    const rows = await tx.run(
      removalsWhere(sql`r.workspace_id = ${tx.workspaceId} and r.post_id = ${id} order by r.position, r.id`),
    )
    return { live: live.length - removed.length, removals: rows.map(({ json }) => json) }
  })
}

function refuseRemovals(alsoOn: readonly Platform[], removed: Post['publications']): void {
  const platforms = alsoOn.filter((platform) => !networks[platform].removesPosts)
  if (platforms.length > 0) throw new AppError('removal_unsupported', undefined, { platforms })
  const faults = alsoOn.flatMap((platform) => {
    const there = removed.filter((each) => each.platform === platform)
    const path = '/alsoOn'
    if (there.length === 0) return [{ path, code: 'not_live', message: `The post isn’t live on ${platform}.` }]
    if (there.every(({ externalId }) => externalId !== null)) return []
    const message = `${platform} hasn’t returned the ID of the post yet. Try again later, or delete the post there.`
    return [{ path, code: 'post_unnamed', message }]
  })
  if (faults.length > 0) throw invalid(...faults)
}

const RESTORE_DAYS = 30

/**
 * Restores a post that was deleted within the last 30 days. Throws `invalid_state` for a post that is being removed
 * from its network.
 */
export async function restorePost(scope: Scope, ports: PostPorts, id: string): Promise<Post> {
  return scope.transaction(async (tx) => {
    await tx.one(
      query`update post set deleted_at = null, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id}
          and deleted_at > ${new Date(tx.now.getTime() - RESTORE_DAYS * 86_400_000)} returning id`,
      'not_found',
    )
    if (!(await forgetRemovals(tx, id))) {
      throw new AppError('invalid_state', 'The post was also deleted from its network, so it can’t be restored.', {
        current: 'removed',
        allowed: [],
      })
    }
    tx.record({ type: 'post.restored', subject: { postId: id } })
    return readPost(tx, ports, id)
  })
}

/** Creates a draft with the same content, for those of its targets that are still connected. */
export async function duplicatePost(scope: Scope, ports: PostPorts, id: string): Promise<Post> {
  return useQuotaAtCommit(scope, 'posts', 1, async (tx, use) => {
    const post = await readPost(tx, ports, id)
    if (post.deletedAt) throw new AppError('not_found')
    const accounts = (await accountsById(tx, ports, post.targets)).filter(
      (account) => account.status !== 'DISCONNECTED',
    )
    const targets = post.targets.filter((target) => accounts.some((account) => account.id === target))
    const platformOptions = keptOptions(post.platformOptions)
    const content = { ...contentOf(post), platformOptions, targets, scheduledAt: null }
    const copy = uuidv7()
    const checks = checksOf(content, accounts, ports, await surroundingsOf(tx, content, content, null))
    await wantCrops(tx, wantedCrops(content))
    const labels = post.labels.map((label) => label.id)
    tx.atCommit(insertPost(tx, copy, content, accounts, { status: 'DRAFT', checks, labels }))
    tx.record({ type: 'post.duplicated', subject: { postId: copy }, data: { from: id } })
    await use()
    return new ReadAtCommit(postRow(tx, ports, copy))
  })
}

/** Returns the findings and previews of a post without storing it. */
export async function validatePost(scope: Scope, ports: PostPorts, input: NewPost) {
  return scope.transaction(async (tx) => {
    const { content, accounts, surroundings } = await applyInput(tx, ports, input)
    const checks = checksOf(content, accounts, ports, surroundings)
    if (actionOf(input) === 'schedule') timeToCome(content.scheduledAt ? new Date(content.scheduledAt) : null, tx.now)
    return {
      checks,
      previews: accounts.map((account) => {
        const { id, platform } = account
        const { text } = compose(content, platform, ofAccount(surroundings.tagging, account))
        const { countedIn, textLimit } = factsOf(platform, kindOf(content, platform))
        return { target: id, platform, text, length: countText(text, countedIn), limit: textLimit }
      }),
    }
  })
}
