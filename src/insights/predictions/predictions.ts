import { AppError } from '../../core/errors.ts'
import { query, type Query, sql } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { inPieces } from '../../core/platform/pieces.ts'
import type { Platform } from '../../networks/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { compose, kindOf } from '../../publishing/posts/compose/rules.ts'
import { readPost } from '../../publishing/posts/posts-read.ts'
import { lockPost } from '../../publishing/posts/posts-state.ts'
import type { Ports } from '../../services.ts'
import { EARLY_HOURS } from '../metrics/rules.ts'
import type { BestTimes, EngagementPrediction, Prediction, PredictionAccuracy, Predictions } from './api.ts'
import {
  accuracyOf,
  bestTimesOf,
  type MeasuredSample,
  POSTS_NEEDED,
  predict,
  type PredictedOutcome,
  scaled,
  traitsOf,
} from './rules.ts'

/** The posts from which an account is predicted: its last posts within these days. */
const MOST_POSTS = 200
const DAYS = '180 days'
/** How many of the last predictions with an outcome show how good predictions are. */
const LATEST = 50

/**
 * The engagement of a live post `p` by day 7, from its first reading at or after that age. A post that was older when
 * it was found has no earlier reading, and posts gain little after their first week.
 */
export const byDay7 = sql`(select m.engagement from post_metric m where m.workspace_id = p.workspace_id and m.post_id = p.id
  and m.day >= (p.published_at + interval '5 days')::date and m.age_hours >= 168 - ${sql.lit(EARLY_HOURS)} and m.engagement is not null
  order by m.day limit 1)`

interface SampleRow {
  kind: string
  topic: string | null
  tone: string | null
  text: string
  at: Date
  engagement: number
  timezone: string
}

/** Selects the measured posts of an account. A story is over after a day, so it says nothing about day 7. */
const samplesOf = (workspaceId: string, accountId: string): Query<SampleRow> =>
  query<SampleRow>`select s.*, w.timezone from (
      select p.kind, coalesce(g.topic, p.topic) as topic, coalesce(g.tone, p.tone) as tone, p.caption as text,
        p.published_at as at, ${byDay7}::float8 as engagement
      from measured_post p
      left join delivery d on d.workspace_id = p.workspace_id and d.id = p.delivery_id
      left join post_tags g on g.workspace_id = d.workspace_id and g.post_id = d.post_id
      where p.workspace_id = ${workspaceId} and p.account_id = ${accountId} and p.kind <> 'story'
        and p.published_at between app_now() - ${DAYS}::interval and app_now() - interval '7 days'
      order by p.published_at desc
    ) s join workspace w on w.id = ${workspaceId} where s.engagement is not null limit ${MOST_POSTS}`

const sampleOf = ({ timezone, engagement, ...post }: SampleRow): MeasuredSample => ({
  traits: traitsOf(post, timezone),
  y: scaled(engagement),
})

const predictionsOf = (workspaceId: string, postId: string) =>
  query<{ json: EngagementPrediction }>`select distinct on (e.account_id) json_build_object('postId', e.post_id,
      'accountId', e.account_id, 'verdict', 'predicted', 'version', e.version, 'low', e.low, 'middle', e.middle,
      'high', e.high, 'usual', e.usual, 'n', e.n, 'percentile', e.percentile, 'reasons', e.reasons,
      'actual', (select ${byDay7} from measured_post p join delivery d on d.workspace_id = p.workspace_id and d.id = p.delivery_id
        where p.workspace_id = e.workspace_id and p.account_id = e.account_id and d.post_id = e.post_id limit 1),
      'madeAt', iso(e.made_at)) as json
    from engagement_prediction e
    join post o on o.workspace_id = e.workspace_id and o.id = e.post_id
    join publication t on t.workspace_id = e.workspace_id and t.post_id = e.post_id and t.account_id = e.account_id
      and t.dropped_at is null
    join social_account a on a.workspace_id = e.workspace_id and a.id = e.account_id
    where e.workspace_id = ${workspaceId} and e.post_id = ${postId}
      and o.platform_options -> a.platform ->> 'kind' is distinct from 'story'
    order by e.account_id, e.version desc`

interface PredictedTarget {
  accountId: string
  platform: Platform
}

/** Returns the accounts of a post for which it can be predicted. */
const targetsOf = (post: Post): PredictedTarget[] =>
  post.publications.filter(({ dropped, platform }) => !dropped && kindOf(post, platform) !== 'story')

/**
 * Returns the last prediction of a post on each of its accounts, or how many posts are missing for one. Throws
 * `not_found`.
 */
export async function listPredictions(scope: Scope, id: string): Promise<Predictions> {
  const { workspaceId } = scope
  const [[post], made, unpredicted] = await scope.read(
    query`select from post where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null`,
    predictionsOf(workspaceId, id),
    unpredictedOf(workspaceId, id),
  )
  if (!post) throw new AppError('not_found')
  return listed(id, made, unpredicted)
}

interface Unpredicted {
  accountId: string
  have: number
}

/** Selects the accounts of a post without a prediction, and how many posts each has to predict from. */
const unpredictedOf = (workspaceId: string, postId: string) =>
  query<Unpredicted>`select t.account_id, (select count(*)::int from (
        select from measured_post p where p.workspace_id = t.workspace_id and p.account_id = t.account_id
          and p.kind <> 'story' and p.published_at between app_now() - ${DAYS}::interval and app_now() - interval '7 days'
          and ${byDay7} is not null limit ${POSTS_NEEDED}) s) as have
    from publication t join post o on o.workspace_id = t.workspace_id and o.id = t.post_id
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = ${workspaceId} and t.post_id = ${postId} and t.dropped_at is null
      and o.platform_options -> a.platform ->> 'kind' is distinct from 'story'
      and not exists (select from engagement_prediction e where e.workspace_id = t.workspace_id and e.post_id = t.post_id
        and e.account_id = t.account_id) order by t.position`

const listed = (
  postId: string,
  made: readonly { json: EngagementPrediction }[],
  unpredicted: readonly Unpredicted[],
): Predictions => ({
  data: [
    ...made.map(({ json }) => json),
    ...unpredicted
      .filter(({ have }) => have < POSTS_NEEDED)
      .map(({ accountId, have }) => ({
        postId,
        accountId,
        verdict: 'too_little_data' as const,
        have,
        need: POSTS_NEEDED,
      })),
  ],
  nextCursor: null,
})

/**
 * Predicts the current version of a post on each of its accounts. A version that was already predicted keeps its
 * prediction. The post is not locked while its prediction is computed, so one that was edited meanwhile is predicted
 * again. Throws `not_found`, and `already_published` once the post is going live.
 */
export async function makePredictions(scope: Scope, ports: Pick<Ports, 'settings'>, id: string): Promise<Predictions> {
  for (;;) {
    const predictions = await predictVersion(scope, ports, id)
    if (predictions) return predictions
  }
}

/** Thrown if a post was edited while its prediction was computed, so that the transaction leaves no trace. */
class Edited extends Error {}

/** Predicts the version that a post has now. Returns null if it was edited meanwhile. */
async function predictVersion(scope: Scope, ports: Pick<Ports, 'settings'>, id: string): Promise<Predictions | null> {
  const post = await scope.beforeLast().transaction((tx) => readPost(tx, ports, id))
  if (post.deletedAt !== null) throw new AppError('not_found')
  refuseLive(post)
  const [made] = await scope.read(query<{ accountId: string }>`select account_id from engagement_prediction
    where workspace_id = ${scope.workspaceId} and post_id = ${id} and version = ${post.version}`)
  const isMade = new Set(made.map(({ accountId }) => accountId))
  const predicted: PredictedRow[] = []
  for (const target of targetsOf(post)) {
    const row = isMade.has(target.accountId) ? null : await predictTarget(scope, post, target)
    if (row) predicted.push(row)
  }
  const store = async (tx: Tx) => {
    const current = await lockPost(tx, ports, id)
    refuseLive(current)
    if (current.version !== post.version) throw new Edited()
    for (const { accountId, told } of predicted) {
      await tx.run(query`insert into engagement_prediction (workspace_id, post_id, account_id, version, low, middle, high, usual, n,
          percentile, reasons, made_at)
        values (${tx.workspaceId}, ${id}, ${accountId}, ${post.version}, ${told.low}, ${told.middle}, ${told.high},
          ${told.usual}, ${told.n}, ${told.percentile}, ${asJson(told.reasons)}::jsonb, ${tx.now})
        on conflict (workspace_id, post_id, account_id, version) do nothing`)
    }
    // An Idempotency-Key keeps the result of this transaction as the answer.
    const [made, unpredicted] = await Promise.all([
      tx.run(predictionsOf(tx.workspaceId, id)),
      tx.run(unpredictedOf(tx.workspaceId, id)),
    ])
    return listed(id, made, unpredicted)
  }
  try {
    return await scope.transaction(store)
  } catch (error) {
    if (error instanceof Edited) return null
    throw error
  }
}

function refuseLive({ status }: Pick<Post, 'status'>): void {
  if (['PUBLISHING', 'PUBLISHED', 'PARTIALLY_PUBLISHED'].includes(status))
    throw new AppError('already_published', 'A post can only be predicted before it goes live.', { current: status })
}

interface PredictedRow {
  accountId: string
  told: Prediction
}

/** Predicts a post on an account, or returns null if the account has too few posts. */
async function predictTarget(
  scope: Scope,
  post: Post,
  { accountId, platform }: PredictedTarget,
): Promise<PredictedRow | null> {
  const [rows, [tags], [workspace]] = await scope.read(
    samplesOf(scope.workspaceId, accountId),
    query<{ topic: string; tone: string }>`select topic, tone from post_tags
      where workspace_id = ${scope.workspaceId} and post_id = ${post.id}`,
    query<{ timezone: string }>`select timezone from workspace where id = ${scope.workspaceId}`,
  )
  const traits = traitsOf(
    {
      kind: kindOf(post, platform),
      topic: tags?.topic ?? null,
      tone: tags?.tone ?? null,
      text: compose(post, platform).text,
      at: post.scheduledAt === null ? null : new Date(post.scheduledAt),
    },
    workspace?.timezone ?? 'UTC',
  )
  const told = await inPieces(predict(rows.map(sampleOf), traits))
  return told.verdict === 'predicted' ? { accountId, told } : null
}

/**
 * Returns how the last predictions of an account turned out. A post counts with its last prediction before it went
 * live. Throws `not_found`.
 */
export async function getAccuracy(scope: Scope, accountId: string): Promise<PredictionAccuracy> {
  const [[account], outcomes] = await scope.read(
    accountOf(scope, accountId),
    query<PredictedOutcome>`select * from (
        select distinct on (e.post_id) e.low::float8, e.middle::float8, e.high::float8, e.usual::float8,
          ${byDay7}::float8 as actual, p.published_at
        from engagement_prediction e
        join delivery d on d.workspace_id = e.workspace_id and d.post_id = e.post_id and d.account_id = e.account_id
        join measured_post p on p.workspace_id = d.workspace_id and p.delivery_id = d.id
        where e.workspace_id = ${scope.workspaceId} and e.account_id = ${accountId}
        order by e.post_id, e.version desc
      ) o where actual is not null order by published_at desc limit ${LATEST}`,
  )
  if (!account) throw new AppError('not_found')
  return { accountId, ...accuracyOf(outcomes) }
}

/** Returns when the posts of an account do better than its mean, or why no time is named. Throws `not_found`. */
export async function getBestTimes(scope: Scope, accountId: string): Promise<BestTimes> {
  const [[account], rows] = await scope.read(accountOf(scope, accountId), samplesOf(scope.workspaceId, accountId))
  if (!account) throw new AppError('not_found')
  return { accountId, timezone: account.timezone, ...bestTimesOf(rows.map(sampleOf)) }
}

const accountOf = (scope: Scope, accountId: string) =>
  query<{ timezone: string }>`select w.timezone from social_account a join workspace w on w.id = a.workspace_id
    where a.workspace_id = ${scope.workspaceId} and a.id = ${accountId}`
