import type { VoiceText } from '../brand-voices/api.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { type JobPlace, LastRefused, type Scope, type Tx } from '../../core/platform/scope.ts'
import { renewReservations } from '../../team/plans/plans.ts'
import type { Kind } from './api.ts'
import type { Surroundings } from './ai-brief.ts'
import type { SeenGeneration } from './ai-read.ts'

// The turns of AI calls: few run at once in a workspace, and the oldest that waits begins first.

/** The maximum number of generations of a workspace that run at once. */
export const AT_ONCE = 4

/** A request that waits in this process for the end of its generation. */
export interface Asker {
  /** Requires the standing of the person who asked. */
  scope: Scope
  /** Gets the ended generation after its commit. */
  ended(seen: SeenGeneration): void
}

/** A generation whose turn has come. */
export interface Begun {
  id: string
  kind: Kind
  input: object
  postId: string | null
  createdBy: string | null
  /** Whether its reservations are still valid. */
  held: boolean
  workspace: Surroundings['workspace']
  voice: VoiceText | null
  media: Surroundings['media']
  /** The thumbnail of the picture to describe. */
  pictureKey: string | null
  asker?: Asker
}

/** Enqueues the job of a call. At most one job waits for each call. */
export const enqueueCall = (tx: Tx, id: string, at: Omit<JobPlace, 'key'> = {}) =>
  tx.enqueue('ai-suggestions', { generationId: id }, { ...at, key: `ai:${id}` })

/**
 * The lock of a workspace's calls, held until the transaction ends. Starting, ending and waking calls takes it before
 * changing the first row, so each transaction sees the effects of earlier ones and at most four calls run.
 */
export const lockCalls = (workspaceId: string) =>
  query`select pg_advisory_xact_lock(hashtextextended(${`ai ${workspaceId}`}, 0))`

/** The waiting calls whose turn it is, oldest first. */
const nextTurns = (workspaceId: string) => sql<{ id: string }>`select q.id from ai_generation q
  where q.workspace_id = ${workspaceId} and q.status = 'QUEUED' order by q.id
  limit greatest(0, ${AT_ONCE} - (select count(*) from ai_generation r where r.workspace_id = ${workspaceId} and r.status = 'RUNNING'))`

/**
 * Milliseconds of the lease of a running call. Its process renews it; once it has expired, no process runs the call.
 */
export const LEASE = 12_000

export const leaseEnd = sql`app_now() + make_interval(secs => ${LEASE / 1_000})`

/**
 * Makes a QUEUED call RUNNING if its turn has come, and renews its reservations. Returns everything that the model
 * needs.
 */
export const begin = (workspaceId: string, id: string) => query<Begun>`
  with begun as (update ai_generation w set status = 'RUNNING', started_at = app_now(), leased_until = ${leaseEnd}
    where w.workspace_id = ${workspaceId} and w.id = ${id} and w.status = 'QUEUED'
      and w.id in (${nextTurns(workspaceId)}) returning w.*),
  renewed as (${renewReservations(workspaceId, sql`select unnest(array[credit_hold, generation_hold]) from begun`)})
  select ${begunShape(sql`(select count(*) from renewed) = 2`)} from begun g join workspace w on w.id = g.workspace_id`

/** Everything that the model needs of a generation `g` of a workspace `w`. */
export const begunShape = (
  held: ReturnType<typeof sql>,
) => sql`g.id, g.kind, g.input, g.post_id, g.created_by, ${held} as held,
    json_build_object('language', w.language, 'niche', coalesce(w.niche, '')) as workspace,
    g.told_voice as voice,
    (select coalesce(json_agg(json_build_object('kind', f.kind, 'altText', f.alt_text, 'fileName', f.file_name)), '[]')
      from media_file f where f.workspace_id = g.workspace_id and f.deleted_at is null
        and f.id in (select value::uuid from jsonb_array_elements_text(coalesce(g.input -> 'mediaIds', '[]'))
          union all select (g.input ->> 'mediaId')::uuid)) as media,
    (select f.thumbnail_key from media_file f where f.workspace_id = g.workspace_id and f.id = (g.input ->> 'mediaId')::uuid
      and f.deleted_at is null) as picture_key`

/** Calls that began in the transaction of their request, until local dispatch runs their job. */
export const begunLocally = new Map<string, Begun>()

/**
 * Begins a call, unless the transaction of its request has done so. Returns undefined if its turn has not come or is
 * over.
 */
export async function beginCall(scope: Scope, id: string): Promise<Begun | undefined> {
  const ours = begunLocally.get(id)
  begunLocally.delete(id)
  if (ours) return ours
  const [begun] = await scope.write(begin(scope.workspaceId, id), { lock: lockCalls(scope.workspaceId) })
  return begun
}

/** Enqueues the jobs of the calls whose turn it is. */
export async function wake(tx: Tx): Promise<void> {
  for (const { id } of await tx.run(whole(nextTurns(tx.workspaceId)))) enqueueCall(tx, id)
}

/** Whether the statements that left with the commit found what they expect. */
export const isAccepted = (transaction: Promise<void>): Promise<boolean> =>
  transaction.then(
    () => true,
    (error: unknown) => (error instanceof LastRefused ? false : Promise.reject(error)),
  )
