import { AppError } from '../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { fileShape } from '../../publishing/media/media.ts'
import { reservedIn } from '../../team/plans/plans.ts'
import type { Ports } from '../../services.ts'
import type { Generation, Kind, Suggestion } from './api.ts'

// Reading generations and the ideas that were prepared.

/** A generation `g` as the API returns it. */
export const generationShape = (
  filesUrl: string,
) => sql`json_build_object('id', g.id, 'kind', g.kind, 'status', g.status,
  'input', g.input, 'asked', g.asked, 'options', g.options, 'dropped', g.dropped,
  'media', (select ${fileShape(filesUrl)} from media_file f where f.workspace_id = g.workspace_id and f.id = g.media_file_id
    and f.deleted_at is null),
  'voice', g.voice, 'applied', g.applied, 'error', g.error,
  'credits', case when g.status in ('QUEUED', 'RUNNING') then g.credits
    else coalesce((select e.credits from credit_entry e where e.workspace_id = g.workspace_id and e.generation_id = g.id), 0) end,
  'brandVoiceId', g.brand_voice_id, 'postId', g.post_id, 'model', g.model,
  'createdBy', case when g.created_by is not null then
    (select json_build_object('id', u.id, 'name', u.name) from app_user u where u.id = g.created_by) end,
  'createdAt', iso(g.created_at), 'endedAt', iso(g.ended_at))`

export const generationById = ({ settings }: Pick<Ports, 'settings'>, workspaceId: string, id: string) =>
  whole<{ json: Generation }>(
    sql`select ${generationShape(settings.filesUrl())} as json from ai_generation g
      where g.workspace_id = ${workspaceId} and g.id = ${id}`,
  )

/** Returns a generation. Throws `not_found`. */
export async function getGeneration(scope: Scope, ports: Pick<Ports, 'settings'>, id: string): Promise<Generation> {
  const [[row]] = await scope.read(generationById(ports, scope.workspaceId, id))
  if (!row) throw new AppError('not_found')
  return row.json
}

/** A generation with the credits left this month; null means no limit. */
export interface SeenGeneration {
  generation: Generation
  remaining: number | null
}

export const seenGeneration = ({ settings }: Pick<Ports, 'settings'>, workspaceId: string, id: string) =>
  query<SeenGeneration>`select ${generationShape(settings.filesUrl())} as generation,
      (select case when pq.amount is not null then greatest(pq.amount - coalesce(u.used, 0)
        - ${reservedIn('w.id', 'q.id', 'u.period')}, 0) end::bigint as remaining
      from workspace w join quota q on q.id = 'ai_credits' join subscription s on s.workspace_id = w.id
      join plan_quota pq on pq.plan_id = s.plan_id and pq.quota_id = q.id
      left join workspace_usage u on u.workspace_id = w.id and u.quota_id = q.id
        and u.period = usage_period(w.id, q.kind, w.timezone)
      where w.id = ${workspaceId}) as remaining
    from ai_generation g where g.workspace_id = ${workspaceId} and g.id = ${id}`

/** Returns a generation. Also throws if the person may no longer act. */
export async function readForAsker(scope: Scope, ports: Pick<Ports, 'settings'>, id: string): Promise<SeenGeneration> {
  const [[seen]] = await scope.confirm(seenGeneration(ports, scope.workspaceId, id))
  if (!seen) throw new AppError('not_found')
  return seen
}

export interface GenerationFilter extends PageRequest {
  kind?: Kind | undefined
  postId?: string | undefined
}

/** Returns a page of generations, newest first. */
export async function listGenerations(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  { kind, postId, ...request }: GenerationFilter,
): Promise<Page<Generation>> {
  const generations = page(sql`g.id`, request)
  const conditions = [sql`g.workspace_id = ${scope.workspaceId}`]
  if (kind) conditions.push(sql`g.kind = ${kind}`)
  if (postId) conditions.push(sql`(g.post_id = ${postId} or g.accepted_post_id = ${postId})`)
  const [rows] = await scope.read(
    whole<{ json: Generation }>(sql`select ${generationShape(settings.filesUrl())} as json from ai_generation g
      where ${sql.join(conditions, sql` and `)} and ${generations.rows}`),
  )
  return generations.of(rows.map(({ json }) => json))
}

/** Returns the latest prepared ideas, best first. */
export async function listSuggestions(scope: Scope): Promise<{ data: Suggestion[]; nextCursor: null }> {
  const [rows] = await scope.read(
    query<{
      json: Suggestion
    }>`select json_build_object('id', s.id, 'kind', s.kind, 'title', s.title, 'reason', s.reason,
        'brief', s.brief, 'score', round(s.score::numeric, 3), 'scheduledAt', iso(s.scheduled_at)) as json
      from ai_suggestion s where s.workspace_id = ${scope.workspaceId} order by s.score desc, s.id`,
  )
  return { data: rows.map(({ json }) => json), nextCursor: null }
}
