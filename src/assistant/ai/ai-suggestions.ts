import { uuidv7 } from 'uuidv7'
import type { VoiceText } from '../brand-voices/api.ts'
import { voiceTextShape } from '../brand-voices/brand-voices.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import { countTry, within } from '../../core/platform/limits.ts'
import { type Model, ModelError, type Use } from '../../core/platform/model/model.ts'
import type { Scopes, Scope, Tx } from '../../core/platform/scope.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import type { Slot } from '../../publishing/scheduler/api.ts'
import { dateIn, type ScheduledPost, wallTime } from '../../publishing/scheduler/rules.ts'
import type { Brief } from './ai-brief.ts'
import { findLanguage } from './ai-language.ts'
import { lockCalls } from './ai-turns.ts'
import { askTopics } from './ai-write.ts'
import { type IdeaFacts, type Idea, ideasOf, type PostPerformance, type ReadPerformance, type Topic } from './ideas.ts'

const DAY = 86_400_000
const REPOST_AFTER = 60
const LOOKED_BACK = 90

interface Known {
  timezone: string
  language: string
  niche: string
  slots: Slot[]
  voice: VoiceText | null
  recent: { text: string }[]
}

/** Only posts that did at least as well as half of the posts of their account are suggested again, if that is known. */
const WORTH_REPOSTING = 0.5

async function readFacts(
  scope: Scope,
  performance: PostPerformance,
): Promise<{ facts: IdeaFacts; voice: VoiceText | null; recent: { text: string }[] }> {
  const now = scope.now()
  const ago = (days: number) => new Date(now.getTime() - days * DAY)
  const id = scope.workspaceId
  const [[known], planned, old, hashtags, published] = await scope.read(
    query<Known>`select w.timezone, w.language, coalesce(w.niche, '') as niche, coalesce(q.slots, '[]') as slots,
        (select ${voiceTextShape} from brand_voice v where v.workspace_id = w.id and v.is_default) as voice,
        (select coalesce(json_agg(json_build_object('text', left(r.caption, 500))), '[]') from (select p.caption from post p
          where p.workspace_id = w.id and p.status = 'PUBLISHED' and p.deleted_at is null and p.caption <> ''
          order by p.published_at desc limit 10) r) as recent
      from workspace w left join posting_queue q on q.workspace_id = w.id where w.id = ${id}`,
    query<ScheduledPost>`select p.happens_at as at, array(select t.account_id from publication t where t.workspace_id = p.workspace_id
        and t.post_id = p.id and t.dropped_at is null) as accounts
      from post p where p.workspace_id = ${id} and p.deleted_at is null and p.status <> 'FAILED'
        and (p.status <> 'DRAFT' or p.scheduled_at is not null)
        and p.happens_at between ${now} and ${ago(-9)}`,
    query<
      IdeaFacts['old'][number]
    >`select p.caption, p.published_at, array(select distinct a.platform from publication t
        join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
        where t.workspace_id = p.workspace_id and t.post_id = p.id and t.state = 'PUBLISHED') as platforms, r.percentile
      from post p left join json_to_recordset(${asJson([...performance.posts])}::json) as r("postId" uuid, percentile float8)
        on r."postId" = p.id where coalesce(r.percentile, 1) >= ${WORTH_REPOSTING} and p.workspace_id = ${id} and p.deleted_at is null and p.status = 'PUBLISHED' and p.caption <> ''
        and p.published_at <= ${ago(REPOST_AFTER)}
        and not exists (select from post o where o.workspace_id = p.workspace_id and o.id <> p.id and o.caption = p.caption
          and o.deleted_at is null and o.created_at > ${ago(REPOST_AFTER)})
      order by r.percentile desc nulls last, p.published_at desc, p.id limit 5`,
    query<
      IdeaFacts['hashtags'][number]
    >`select case when tag like '#%' then tag else '#' || tag end as tag, count(*)::int as count
      from post p, unnest(p.hashtags) tag where p.workspace_id = ${id} and p.deleted_at is null
        and p.created_at > ${ago(REPOST_AFTER)} group by 1 order by 2 desc, 1 limit 8`,
    query<{ at: Date }>`select p.published_at as at from post p where p.workspace_id = ${id} and p.deleted_at is null
      and p.published_at > ${ago(LOOKED_BACK)} order by p.published_at desc limit 500`,
  )
  if (!known) throw new Error('No workspace has this ID')
  const { voice, recent, ...more } = known
  return {
    facts: { ...more, now, planned, old, times: performance.times, hashtags, published: published.map(({ at }) => at) },
    voice,
    recent,
  }
}

const TOPICS = 4

interface IdeaPorts {
  model: Model
  performance: ReadPerformance
}

/**
 * Finds ideas for the next posts from known facts and topics of the model. Throws `ModelError`, unless `orElse` handles
 * it.
 */
export async function findIdeas(
  scope: Scope,
  ports: IdeaPorts,
  signal: AbortSignal,
  orElse?: (error: ModelError) => void,
): Promise<{ ideas: Idea[]; use: Use | null }> {
  const { facts, voice, recent } = await readFacts(scope, await ports.performance(scope))
  const brief: Brief = {
    task: 'topics',
    count: TOPICS,
    ...(facts.niche && { niche: facts.niche }),
    language: findLanguage(facts.language) ?? { code: 'en', name: 'English' },
    hashtags: null,
    emoji: null,
    cta: null,
    network: null,
    voice,
    posts: recent,
  }
  const nothing = { topics: [] as Topic[], use: null }
  const { topics, use } = await askTopics(ports, brief, signal).catch((error: unknown) => {
    if (!orElse || !(error instanceof ModelError)) throw error
    orElse(error)
    return nothing
  })
  return { ideas: ideasOf(facts, topics), use }
}

/** Replaces the stored ideas. */
export async function keepIdeas(tx: Tx, ideas: readonly Idea[]): Promise<void> {
  await tx.run(query`delete from ai_suggestion where workspace_id = ${tx.workspaceId}`)
  const rows = ideas.map(({ scheduledAt, ...idea }) => ({ id: uuidv7(), ...idea, scheduled_at: scheduledAt }))
  await tx.run(query`insert into ai_suggestion (workspace_id, id, kind, title, reason, brief, score, scheduled_at, made_at)
    select ${tx.workspaceId}, i.id, i.kind, i.title, i.reason, i.brief, i.score, i.scheduled_at, ${tx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as i(id uuid, kind text, title text, reason text, brief jsonb, score real, scheduled_at timestamptz)`)
  tx.emit({ kind: 'workspace', id: tx.workspaceId })
}

/** The hour of the workspace's day from which its ideas are prepared. */
const MORNING = 5
const USED_WITHIN = 14

/**
 * Enqueues the preparation of ideas for every workspace whose day has begun, that was used lately and whose plan has
 * the feature.
 */
export async function findWorkspaces(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const since = new Date(scope.now().getTime() - USED_WITHIN * DAY)
  const workspaces = await scopes.ask(
    'ideas',
    query<{ id: string }>`select w.id from workspace w
      where w.deleted_at is null and ${isInPlan(sql`w.id`, 'ai_suggestions')} and extract(hour from app_now() at time zone w.timezone) >= ${MORNING}
        and exists (select from post p where p.workspace_id = w.id and p.deleted_at is null and p.happens_at > ${since})`,
  )
  for (const { id } of workspaces) {
    await scopes
      .scope(id, scope.actor)
      .transaction(async (tx) => tx.enqueue('suggestions-daily', { own: true }, { key: `suggestions:${id}` }))
  }
}

const TIME_LIMIT = 60_000

/** How often a day the model is asked, if it brings no ideas or they cannot be saved. */
const ASKED_A_DAY = 3

const mayAsk = (scope: Scope) =>
  within(countTry(scope, { key: `ideas ${scope.workspaceId}`, tries: ASKED_A_DAY, seconds: 20 * 3600 }))

/**
 * Prepares the ideas of a workspace, once a day, if its plan includes them. If the model fails, there are no topics among
 * them. Ideas that were stored meanwhile stay.
 */
export async function prepareIdeas(scope: Scope, ports: IdeaPorts, stopping?: AbortSignal): Promise<void> {
  const [[last]] = await scope.read(
    query<{ timezone: string; madeAt: Date | null }>`select w.timezone, (${lastMade(scope)}) as made_at from workspace w
      where w.id = ${scope.workspaceId} and w.deleted_at is null and ${isInPlan(sql`w.id`, 'ai_suggestions')}`,
  )
  if (!last) return
  const { timezone, madeAt } = last
  const now = scope.now()
  const isOfToday =
    madeAt !== null &&
    dateIn(madeAt, timezone) === dateIn(now, timezone) &&
    Number(wallTime(madeAt, timezone).slice(11, 13)) >= MORNING
  if (isOfToday) return
  if (!(await mayAsk(scope))) return
  const signal = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT), ...(stopping ? [stopping] : [])])
  const { ideas } = await findIdeas(scope, ports, signal, (error) =>
    scope.log.warn({ kind: error.kind }, 'ideas were prepared without topics'),
  )
  await scope.transaction(async (tx) => {
    // A person who asked for ideas meanwhile has paid for them. The end of their request takes this lock too.
    tx.lock(lockCalls(tx.workspaceId))
    const [latest] = await tx.run(whole(lastMade(tx)))
    if (latest?.madeAt?.getTime() === madeAt?.getTime()) await keepIdeas(tx, ideas)
  })
}

/** Selects when the stored ideas were made, or null if there are none. */
const lastMade = ({ workspaceId }: Pick<Scope, 'workspaceId'>) =>
  sql<{
    madeAt: Date | null
  }>`select max(s.made_at) as made_at from ai_suggestion s where s.workspace_id = ${workspaceId}`
