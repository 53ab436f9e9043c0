import { uuidv7 } from 'uuidv7'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { type Charge, charge, chargeCtes } from '../../team/plans/plans.ts'
import type { Ports } from '../../services.ts'
import type { Generation } from './api.ts'
import { generationById, getGeneration, seenGeneration } from './ai-read.ts'
import { type Asker, isAccepted, lockCalls, wake } from './ai-turns.ts'
import { mayTag } from './post-tags.ts'

// Ends AI calls, charges them, and records which option was used.

interface Ended {
  id: string
  credits: number
  creditHold: string
  generationHold: string
  charged: boolean
  charges: Charge[]
  /** Whether other calls wait for their turn. */
  waited: boolean
}

export const underWay = sql`g.status in ('QUEUED', 'RUNNING')`

/**
 * Ends a generation `g` that meets the condition `from`. `change` sets its final state, and `charged` says whether it
 * costs anything. This also charges or releases its reservations, adds a ledger entry for the charged month, and wakes
 * the next calls. Returns false if it had already ended.
 */
export async function endGeneration(
  tx: Tx,
  id: string,
  from: ReturnType<typeof sql>,
  change: ReturnType<typeof sql>,
  charged: ReturnType<typeof sql>,
): Promise<boolean> {
  tx.lock(lockCalls(tx.workspaceId))
  const reservations = sql`select credit_hold as id, case when charged then credits else 0 end::bigint as amount from ended
    union all select generation_hold, case when charged then 1 else 0 end from ended`
  const [ended] = await tx.run(query<Ended>`with ended as (
      update ai_generation g set ${change}, ended_at = ${tx.now}
      where g.workspace_id = ${tx.workspaceId} and g.id = ${id} and ${from}
      returning g.id, g.credits, g.credit_hold, g.generation_hold, ${charged} as charged),
    ${chargeCtes(tx.workspaceId, reservations)}
    select e.id, e.credits, e.credit_hold, e.generation_hold, e.charged,
      (select coalesce(json_agg(c), '[]') from charged c) as charges, exists (select from ai_generation q
        where q.workspace_id = ${tx.workspaceId} and q.status = 'QUEUED' and q.id <> e.id) as waited
    from ended e`)
  if (!ended) return false
  const { creditHold, generationHold, credits } = ended
  const amount = (full: number) => (ended.charged ? full : 0)
  const periods = await charge(
    tx,
    [
      { id: creditHold, quota: 'ai_credits', amount: amount(credits) },
      { id: generationHold, quota: 'ai_generations', amount: amount(1) },
    ],
    ended.charges,
  )
  if (ended.waited) await wake(tx)
  tx.emit({ kind: 'generation', id })
  if (ended.charged) {
    tx.last(
      query`insert into credit_entry (workspace_id, id, generation_id, period, credits)
        values (${tx.workspaceId}, ${uuidv7()}, ${id}, ${periods.get('ai_credits')}, ${credits})`,
      'not_found',
    )
  }
  return true
}

/**
 * Ends a running generation with its full price in the packet of the commit, and reads it there. The statements refuse
 * if the generation was stopped, if others wait for their turn, if a reservation has lapsed, or if admins are notified
 * of the use. `endGeneration` then ends it.
 */
export async function endAtCommit(
  { scope, ended }: Asker,
  ports: Pick<Ports, 'settings'>,
  id: string,
  change: ReturnType<typeof sql>,
): Promise<boolean> {
  const reservations = sql`select credit_hold as id, credits::bigint as amount from ended
    union all select generation_hold, 1 from ended`
  const atCommit = async (tx: Tx) => {
    const end = query`with ended as (update ai_generation g set ${change}, ended_at = ${tx.now}
        where g.workspace_id = ${tx.workspaceId} and g.id = ${id} and g.status = 'RUNNING'
          and not exists (select from ai_generation q where q.workspace_id = ${tx.workspaceId} and q.status = 'QUEUED')
        returning g.id, g.credits, g.credit_hold, g.generation_hold),
      ${chargeCtes(tx.workspaceId, reservations, { belowMarks: true })},
      entered as (insert into credit_entry (workspace_id, id, generation_id, period, credits)
        select ${tx.workspaceId}, ${uuidv7()}, e.id, c.period::date, e.credits from ended e, charged c
        where c.quota = 'ai_credits' and (select count(*) from charged) = 2 returning id)
      select must_find(count(*)) from entered`
    tx.last(seenGeneration(ports, tx.workspaceId, id), 'invalid_state', {
      before: [lockCalls(tx.workspaceId), end],
      seen: ([seen]) => seen && ended(seen),
    })
    tx.emit({ kind: 'generation', id })
  }
  return isAccepted(scope.transaction(atCommit))
}

/**
 * Stops a generation under way. Before its first option it costs nothing, afterwards its full price. Throws
 * `not_found`, `invalid_state`.
 */
export async function cancelGeneration(scope: Scope, ports: Pick<Ports, 'settings'>, id: string): Promise<Generation> {
  await scope.transaction(async (tx) => {
    if (await endGeneration(tx, id, underWay, sql`status = 'CANCELLED'`, sql`g.options <> '[]'`)) return
    const { status } = await tx.one(
      query<{ status: Generation['status'] }>`select status from ai_generation
        where workspace_id = ${tx.workspaceId} and id = ${id}`,
      'not_found',
    )
    throw new AppError('invalid_state', `This AI request is already ${status}.`, { current: status, allowed: [] })
  })
  return getGeneration(scope, ports, id)
}

/** Adds the cost of a bot's decision to the ledger. */
export const enterCredits = (
  tx: Tx,
  { decisionId, period, credits }: { decisionId: string; period: string; credits: number },
) =>
  tx.run(query`insert into credit_entry (workspace_id, id, decision_id, period, credits)
    values (${tx.workspaceId}, ${uuidv7()}, ${decisionId}, ${period}, ${credits})`)

/**
 * Records which option was used, and enqueues tagging of its post, once for each text. Throws `not_found`,
 * `invalid_state`, `validation_failed`.
 */
export async function acceptGeneration(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  id: string,
  { option, postId }: { option: number; postId: string },
): Promise<Generation> {
  return scope.transaction(async (tx) => {
    const { options, status, changed } = await tx.one(
      query<{ options: number; status: Generation['status']; changed: boolean }>`select status,
          jsonb_array_length(options) as options,
          (accepted_option, accepted_post_id) is distinct from (${option}::int, ${postId}::uuid) as changed
        from ai_generation where workspace_id = ${tx.workspaceId} and id = ${id} for update`,
      'not_found',
    )
    if (status !== 'SUCCEEDED') {
      throw new AppError(
        'invalid_state',
        `This AI request is ${status}. Only the options of a SUCCEEDED one can be used.`,
        { current: status, allowed: [] },
      )
    }
    const [post] = await tx.run(
      query<{ tagged: boolean }>`select exists (select from post_tags t where t.workspace_id = p.workspace_id
          and t.post_id = p.id and t.caption_hash = sha256(convert_to(p.caption, 'UTF8'))) as tagged
        from post p where p.workspace_id = ${tx.workspaceId} and p.id = ${postId} and p.deleted_at is null`,
    )
    const faults: Fault[] = []
    if (option >= Math.max(1, options)) {
      faults.push({ path: '/option', code: 'out_of_range', message: 'This option doesn’t exist.', limit: options })
    }
    if (!post) faults.push({ path: '/postId', code: 'unknown_id', message: 'No post has this ID.' })
    if (faults.length > 0) throw invalid(...faults)
    await tx.one(
      query`update ai_generation set accepted_option = ${option}, accepted_post_id = ${postId}
        where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'SUCCEEDED' returning id`,
      'not_found',
    )
    if (changed && !post?.tagged && (await mayTag(tx))) {
      tx.enqueue('post-classify', { postId }, { key: `classify:${postId}` })
    }
    tx.emit({ kind: 'generation', id })
    const { json } = await tx.one(generationById(ports, tx.workspaceId, id), 'not_found')
    return json
  })
}
