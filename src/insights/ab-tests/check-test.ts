import { query, sql } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import { inPieces } from '../../core/platform/pieces.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { byDay7 } from '../predictions/predictions.ts'
import type { TestKind, Trait } from './api.ts'
import { type Block, judge, resultOf, type TestedPost } from './rules.ts'

/** Enqueues a check of each running test once a day. A check that failed is tried again each hour. */
export async function sweepTests(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const unchecked = await scopes.ask(
    'metrics',
    query<{ workspaceId: string; id: string }>`select x.workspace_id, x.id from ab_test x
      join workspace w on w.id = x.workspace_id and w.deleted_at is null
      where x.state = 'running' and ${isInPlan(sql`x.workspace_id`, 'ab_testing')} and coalesce(x.checked_at, x.started_at) <= app_now() - interval '1 day'`,
  )
  for (const { workspaceId, id } of unchecked) {
    await scopes
      .scope(workspaceId, scope.actor)
      .transaction(async (tx) => void tx.enqueue('ab-test-check', { testId: id }, { key: `ab-test:${id}` }))
  }
}

interface Row {
  kind: TestKind
  slot: string
  trait: Trait
  zone: string
  blocks: (Block & { n: number; firstId: string | null; secondId: string | null })[]
}

/**
 * The post of a block. It is lost if it was deleted before it went live, or if for a week it has been neither live nor on
 * its way. A live post that is deleted here stays live on the network.
 */
const postOf = (
  column: string,
) => sql`(select json_build_object('isLost', (o.deleted_at is not null and t.state is distinct from 'PUBLISHED') or t.id is null
      or (t.state <> 'PUBLISHED' and o.status not in ('SCHEDULED', 'PUBLISHING')
        and coalesce(o.scheduled_at, o.updated_at) < app_now() - interval '7 days'),
    'publishedAt', case when t.state = 'PUBLISHED' then iso(t.published_at) end, 'kind', p.kind,
    'text', coalesce(p.caption, o.caption), 'topic', g.topic, 'tone', g.tone, 'engagement', ${byDay7})
  from post o left join publication t on t.workspace_id = o.workspace_id and t.post_id = o.id and t.account_id = x.account_id
    and t.dropped_at is null
  left join measured_post p on p.workspace_id = t.workspace_id and p.delivery_id = t.id
  left join post_tags g on g.workspace_id = o.workspace_id and g.post_id = o.id
  where o.workspace_id = b.workspace_id and o.id = b.${sql.raw(column)})`

/** Ends a test once all its blocks are in, if the plan includes tests. Otherwise the sweep checks it again. */
export async function checkTest(scope: Scope, id: string): Promise<void> {
  let isJudged = false
  while (!isJudged) isJudged = await judgeTest(scope, id)
}

/**
 * Judges a test as it is now. It is not locked meanwhile, because its result can take seconds on a busy machine. Returns
 * false if a block got another post in the meantime, so that the test is judged again.
 */
async function judgeTest(scope: Scope, id: string): Promise<boolean> {
  const [[row]] = await scope.read(query<Row>`select x.kind, x.slot, x.trait, w.timezone as zone,
      (select json_agg(json_build_object('n', b.n, 'firstIsA', b.first_is_a, 'firstId', b.first_post_id,
        'secondId', b.second_post_id, 'first', ${postOf('first_post_id')}, 'second', ${postOf('second_post_id')}) order by b.n)
        from ab_block b where b.workspace_id = x.workspace_id and b.test_id = x.id) as blocks
    from ab_test x join workspace w on w.id = x.workspace_id and w.deleted_at is null
    where x.workspace_id = ${scope.workspaceId} and x.id = ${id} and x.state = 'running'
      and ${isInPlan(sql`x.workspace_id`, 'ab_testing')}`)
  if (!row) return true
  const conditions = { ...row, now: scope.now() }
  const judged = row.blocks.map(({ n, firstId, secondId, firstIsA, first, second }) => ({
    n,
    firstId,
    secondId,
    verdict: judge({ firstIsA, first: revived(first), second: revived(second) }, conditions),
  }))
  const verdicts = judged.map(({ verdict, ...block }) => ({
    ...block,
    dropped: verdict.state === 'dropped' ? verdict.why : null,
    ratio: verdict.state === 'counted' ? Math.exp(verdict.difference) : null,
  }))
  const differences = judged.flatMap(({ verdict }) => (verdict.state === 'counted' ? [verdict.difference] : []))
  const isOpen = judged.some(({ verdict }) => verdict.state === 'open')
  const result = isOpen ? null : await inPieces(resultOf(differences))
  return scope.transaction(async (tx) => {
    const [test] = await tx.run(query<{ name: string }>`select name from ab_test
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'running' for update`)
    if (!test) return true
    const kept = await tx.run(query`update ab_block b set dropped = s.dropped, ratio = s.ratio
      from json_to_recordset(${asJson(verdicts)}::json)
        as s(n int, "firstId" uuid, "secondId" uuid, dropped text, ratio float8)
      where b.workspace_id = ${tx.workspaceId} and b.test_id = ${id} and b.n = s.n
        and b.first_post_id is not distinct from s."firstId" and b.second_post_id is not distinct from s."secondId"
      returning b.n`)
    if (kept.length < verdicts.length) return false
    if (!result) {
      await tx.one(
        query`update ab_test set checked_at = ${tx.now}
          where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'running' returning id`,
        'invalid_state',
        { current: 'running', allowed: [] },
      )
      return true
    }
    await tx.one(
      query`update ab_test set state = 'done', result = ${JSON.stringify(result)}::jsonb, ended_at = ${tx.now},
          updated_at = ${tx.now}, version = version + 1
        where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'running' returning id`,
      'invalid_state',
      { current: 'running', allowed: [] },
    )
    tx.record({ type: 'ab_test.done', subject: { testId: id }, data: { name: test.name } })
    return true
  })
}

const revived = (post: (Omit<TestedPost, 'publishedAt'> & { publishedAt: Date | string | null }) | null) =>
  post && { ...post, publishedAt: post.publishedAt === null ? null : new Date(post.publishedAt) }
