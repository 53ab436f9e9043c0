import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import { readOnlyFaults } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { kindOf } from '../../publishing/posts/compose/rules.ts'
import { lockPost } from '../../publishing/posts/posts-state.ts'
import type { Ports } from '../../services.ts'
import { slotOf } from '../predictions/rules.ts'
import type { ABBlock, ABBlockChange, ABTest } from './api.ts'
import { lockTest, readTest, wrongState } from './ab-tests.ts'
import { isWeekAfter } from './rules.ts'

const CHANGEABLE = ['firstPostId', 'secondPostId'] as const

/**
 * Sets the posts of a block before they go live, so that their figures cannot influence the choice. Throws `not_found`,
 * `invalid_state`, `already_published`, and `validation_failed` for a post that does not fit or a read-only field.
 */
export async function setBlock(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  { id, n }: { id: string; n: number },
  wanted: ABBlockChange,
): Promise<ABBlock> {
  return scope.transaction(async (tx) => {
    const test = await lockTest(tx, id)
    const block = test.blocks.find((one) => one.n === n)
    if (!block) throw new AppError('not_found')
    const readOnly = readOnlyFaults(wanted, block, CHANGEABLE)
    if (readOnly.length > 0) throw invalid(...readOnly)
    if (test.state !== 'draft' && test.state !== 'running') throw wrongState(test, ['draft', 'running'])
    const { firstPostId = block.first.postId, secondPostId = block.second.postId } = wanted
    const changed = [
      { was: block.first, next: firstPostId, path: '/firstPostId' },
      { was: block.second, next: secondPostId, path: '/secondPostId' },
    ].filter(({ was, next }) => was.postId !== next)
    if (changed.length === 0) return block
    // A live post cannot be replaced, because its figures are visible.
    if (changed.some(({ was }) => was.publishedAt !== null)) throw new AppError('already_published')
    const { timezone } = await tx.one(
      query<{ timezone: string }>`select timezone from workspace where id = ${tx.workspaceId}`,
      'not_found',
    )
    const faults: Fault[] = []
    for (const { next, path } of changed) {
      if (next !== null) faults.push(...(await faultsOf(tx, ports, { test, n, id: next, path, timezone })))
    }
    if (faults.length > 0) throw invalid(...faults)
    await tx.one(
      query`update ab_block set first_post_id = ${firstPostId}, second_post_id = ${secondPostId}
        where workspace_id = ${tx.workspaceId} and test_id = ${id} and n = ${n} returning n`,
      'not_found',
    )
    const next = (await readTest(tx, id)).blocks.find((one) => one.n === n)!
    refuseOtherWeek(next, timezone)
    tx.record({ type: 'ab_test.changed', subject: { testId: id }, data: { name: test.name } })
    return next
  })
}

interface Candidate {
  test: ABTest
  n: number
  id: string
  path: string
  timezone: string
}

/** Returns why a post does not fit. Throws `already_published`. */
async function faultsOf(
  tx: Tx,
  ports: Pick<Ports, 'settings'>,
  { test, n, id, path, timezone }: Candidate,
): Promise<Fault[]> {
  const [known] = await tx.run(
    query`select from post where workspace_id = ${tx.workspaceId} and id = ${id} and deleted_at is null`,
  )
  if (!known) return [{ path, code: 'unknown_id', message: 'No post has this ID.' }]
  const post = await lockPost(tx, ports, id)
  if (['PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED'].includes(post.status)) throw new AppError('already_published')
  const isTaken = test.blocks.some(
    ({ n: other, first, second }) => other !== n && (first.postId === id || second.postId === id),
  )
  if (isTaken) return [{ path, code: 'already_used', message: 'This post is already in another block.' }]
  if (post.scheduledAt === null)
    return [{ path, code: 'not_scheduled', message: 'This post isn’t scheduled yet. Schedule it first.' }]
  return [
    ...(isFor(post, test)
      ? []
      : [{ path, code: 'other_account', message: 'This post isn’t for the account of the test.' }]),
    ...(kindOf(post, test.platform) === test.kind
      ? []
      : [{ path, code: 'other_kind', message: 'This post isn’t of the type that the test compares.' }]),
    ...(slotOf(new Date(post.scheduledAt), timezone) === test.slot
      ? []
      : [{ path, code: 'other_slot', message: 'This post is scheduled for another time of the week than the test.' }]),
  ]
}

const isFor = (post: Post, { accountId }: ABTest) =>
  post.publications.some((target) => target.accountId === accountId && !target.dropped)

function refuseOtherWeek({ first, second }: ABBlock, timezone: string): void {
  if (first.scheduledAt === null || second.scheduledAt === null) return
  if (isWeekAfter(new Date(first.scheduledAt), new Date(second.scheduledAt), timezone)) return
  throw invalid({
    path: '/secondPostId',
    code: 'other_week',
    message: 'The second post must go out in the week after the first.',
  })
}
