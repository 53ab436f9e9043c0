import { randomInt } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { page, type Page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { claimName, lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { byDay7 } from '../predictions/predictions.ts'
import { type ABTest, type ABTestPatch, MOST_TESTS, type NewABTest, type TestKind } from './api.ts'
import { powerOf } from './power.ts'
import { sigmaOf } from './rules.ts'

const postOf = (column: 'first_post_id' | 'second_post_id', isA: ReturnType<typeof sql>) =>
  sql`(select json_build_object('variant', case when ${isA} then 'A' else 'B' end, 'postId', b.${sql.raw(column)},
      'caption', p.caption, 'scheduledAt', iso(p.scheduled_at),
      'publishedAt', (select iso(t.published_at) from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id
        and t.account_id = t_.account_id and t.dropped_at is null and t.state = 'PUBLISHED'))
    from (select 1) one left join post p on p.workspace_id = b.workspace_id and p.id = b.${sql.raw(column)})`

const blocks = sql`(select json_agg(json_build_object('n', b.n, 'first', ${postOf('first_post_id', sql`b.first_is_a`)},
    'second', ${postOf('second_post_id', sql`not b.first_is_a`)}, 'dropped', b.dropped,
    'ratio', case when t_.state = 'done' then b.ratio end) order by b.n)
  from ab_block b where b.workspace_id = t_.workspace_id and b.test_id = t_.id)`

const json = sql`json_build_object('id', t_.id, 'name', t_.name, 'accountId', t_.account_id, 'platform', a_.platform,
    'kind', t_.kind, 'slot', t_.slot, 'trait', t_.trait, 'a', t_.a, 'b', t_.b, 'state', t_.state, 'blocks', ${blocks},
    'result', t_.result, 'version', t_.version, 'createdAt', iso(t_.created_at), 'updatedAt', iso(t_.updated_at),
    'startedAt', iso(t_.started_at), 'endedAt', iso(t_.ended_at))`

const testsWhere = (workspaceId: string, more = sql`true`) =>
  whole<{ id: string; json: ABTest }>(sql`select t_.id, ${json} as json
    from ab_test t_ join social_account a_ on a_.workspace_id = t_.workspace_id and a_.id = t_.account_id
    where t_.workspace_id = ${workspaceId} and ${more}`)

/** Lists the tests, newest first. Throws `validation_failed`. */
export async function listTests(scope: Scope, asked: PageRequest): Promise<Page<ABTest>> {
  const pages = page(sql`t_.id`, asked)
  const [rows] = await scope.read(testsWhere(scope.workspaceId, pages.rows))
  const { data, nextCursor } = pages.of(rows)
  return { data: data.map(({ json: test }) => test), nextCursor }
}

/** Returns a test. Throws `not_found`. */
export async function getTest(scope: Scope, id: string): Promise<ABTest> {
  const [[row]] = await scope.read(testsWhere(scope.workspaceId, sql`t_.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

export const readTest = async (tx: Tx, id: string): Promise<ABTest> =>
  (await tx.one(testsWhere(tx.workspaceId, sql`t_.id = ${id}`), 'not_found')).json

const LIST = { table: 'ab_test', most: MOST_TESTS } as const

async function knownAccount(tx: Tx, accountId: string): Promise<void> {
  const [account] =
    await tx.run(query`select from social_account where workspace_id = ${tx.workspaceId} and id = ${accountId}
    and status <> 'DISCONNECTED'`)
  if (!account) throw invalid({ path: '/accountId', code: 'unknown_id', message: 'No account has this ID.' })
}

const recordAct = (tx: Tx, act: string, id: string, name: string) =>
  tx.record({ type: `ab_test.${act}`, subject: { testId: id }, data: { name } })

/** Plans a test and flips the coin of each block. Throws `name_taken`, `too_many_saved`, `validation_failed`. */
export async function createTest(scope: Scope, wanted: NewABTest): Promise<ABTest> {
  const { name, accountId, kind, slot, trait, a, b } = wanted
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    await claimName(tx, LIST, { id, name })
    await knownAccount(tx, accountId)
    await tx.run(query`insert into ab_test (workspace_id, id, name, account_id, kind, slot, trait, a, b)
      values (${tx.workspaceId}, ${id}, ${name}, ${accountId}, ${kind}, ${slot}, ${trait}, ${a}, ${b})`)
    const coins = Array.from({ length: wanted.blocks }, () => randomInt(2) === 1)
    await tx.run(query`insert into ab_block (workspace_id, test_id, n, first_is_a)
      select ${tx.workspaceId}, ${id}, c.n, c.first_is_a from unnest(${coins}::boolean[]) with ordinality as c(first_is_a, n)`)
    recordAct(tx, 'created', id, name)
    return readTest(tx, id)
  })
}

/** Locks a test against concurrent changes, and returns it. Throws `not_found`, `stale_version`. */
export async function lockTest(tx: Tx, id: string, ifMatch?: number): Promise<ABTest> {
  await lockList(tx)
  // This makes the job that ends a test wait too.
  await tx.one(query`select from ab_test where workspace_id = ${tx.workspaceId} and id = ${id} for update`, 'not_found')
  const test = await readTest(tx, id)
  refuseStale(test.version, ifMatch)
  return test
}

const CHANGEABLE = ['name', 'accountId', 'kind', 'slot', 'trait', 'a', 'b'] as const

/**
 * Changes a test. A change to the same values keeps the version. Throws `stale_version`, `name_taken`,
 * `validation_failed`, and `invalid_state` if more than the name of a test changes that was started or has posts.
 */
export async function updateTest(scope: Scope, id: string, patch: ABTestPatch, ifMatch?: number): Promise<ABTest> {
  return scope.transaction(async (tx) => {
    const current = await lockTest(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, CHANGEABLE)
    if (faults.length > 0) throw invalid(...faults)
    const next = { ...current, ...(patch as Partial<NewABTest>) }
    const changed = CHANGEABLE.filter((field) => next[field] !== current[field])
    if (changed.length === 0) return current
    const isBegun =
      current.state !== 'draft' || current.blocks.some(({ first, second }) => first.postId ?? second.postId)
    if (isBegun && changed.some((field) => field !== 'name')) throw wrongState(current, ['draft'])
    if (changed.includes('name')) await claimName(tx, LIST, { id, name: next.name })
    if (changed.includes('accountId')) await knownAccount(tx, next.accountId)
    await tx.one(
      query`update ab_test set name = ${next.name}, account_id = ${next.accountId}, kind = ${next.kind}, slot = ${next.slot},
          trait = ${next.trait}, a = ${next.a}, b = ${next.b}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    recordAct(tx, 'changed', id, next.name)
    return readTest(tx, id)
  })
}

export const wrongState = ({ state }: Pick<ABTest, 'state'>, allowed: ABTest['state'][]) =>
  new AppError('invalid_state', undefined, { current: state, allowed })

/** Deletes a test that is not running. Its posts stay. Throws `not_found`, `invalid_state`, `stale_version`. */
export async function deleteTest(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const test = await lockTest(tx, id, ifMatch)
    if (test.state === 'running') throw wrongState(test, ['draft', 'done', 'stopped'])
    await tx.one(
      query`delete from ab_test where workspace_id = ${tx.workspaceId} and id = ${id} and state <> 'running' returning id`,
      'invalid_state',
      { current: test.state, allowed: [] },
    )
    recordAct(tx, 'deleted', id, test.name)
  })
}

/** Starts a draft, or stops a running test. Throws `not_found`, `invalid_state`. */
export async function moveTest(scope: Scope, id: string, act: 'start' | 'stop'): Promise<ABTest> {
  const [from, to] = act === 'start' ? (['draft', 'running'] as const) : (['running', 'stopped'] as const)
  return scope.transaction(async (tx) => {
    const test = await lockTest(tx, id)
    if (test.state !== from) throw wrongState(test, [from])
    await tx.one(
      query`update ab_test set state = ${to}, version = version + 1, updated_at = ${tx.now},
          started_at = case when ${act === 'start'} then ${tx.now} else started_at end,
          ended_at = case when ${act === 'stop'} then ${tx.now}::timestamptz end
        where workspace_id = ${tx.workspaceId} and id = ${id} and state = ${from} returning id`,
      'invalid_state',
      { current: test.state, allowed: [from] },
    )
    recordAct(tx, act === 'start' ? 'started' : 'stopped', id, test.name)
    return readTest(tx, id)
  })
}

interface Planned {
  accountId: string
  kind: TestKind
  blocks: number
}

/** Returns which differences a test with this many blocks can find on an account. Throws `validation_failed`. */
export async function planTest(scope: Scope, { accountId, kind, blocks: count }: Planned) {
  const { workspaceId } = scope
  const [[account], posts] = await scope.read(
    query`select from social_account where workspace_id = ${workspaceId} and id = ${accountId}`,
    query<{ engagement: number }>`select s.engagement from (select ${byDay7}::float8 as engagement from measured_post p
        where p.workspace_id = ${workspaceId} and p.account_id = ${accountId} and p.kind = ${kind}
          and p.published_at between app_now() - interval '180 days' and app_now() - interval '7 days'
        order by p.published_at desc limit 200) s where s.engagement is not null`,
  )
  if (!account) throw invalid({ path: '/accountId', code: 'unknown_id', message: 'No account has this ID.' })
  const { sigma, n } = sigmaOf(posts.map(({ engagement }) => engagement))
  return { sigma, n, effects: await powerOf(sigma, count) }
}
