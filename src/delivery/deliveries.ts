import { uuidv7 } from 'uuidv7'
import type { Handles } from '../networks/network.ts'
import { AppError } from '../core/errors.ts'
import { query, sql } from '../core/platform/db.ts'
import type { Scopes, Scope, Tx } from '../core/platform/scope.ts'
import type { ThreadDeliveryKind } from './api.ts'
import type { Sent } from './driver.ts'
import { COMMIT_LEASE, errorFor, type FencedRow, LEASE, type Verdict } from './rules.ts'

// The statements that enqueue, dequeue, backdate and erase deliveries, end those without an intent, and save the steps
// of a worker. Only three other files write the table `delivery` (migrations/owners.json): settle.ts (verdicts),
// queue.ts (turns and claims) and waits.ts (pauses, and the end of waits). A sequence is the deliveries of one kind of
// one post or thread; they run one at a time. Lock order: the post, then its deliveries.

// ---- targets of a post

/** The statement that inserts new targets. `targets`: id, accountId, position and the key of their text. */
export const insertTargets = (tx: Tx, postId: string, targets: readonly object[]) => sql`
  insert into delivery (workspace_id, id, post_id, account_id, position, text_key)
  select ${tx.workspaceId}::uuid, (t ->> 'id')::uuid, ${postId}::uuid, (t ->> 'accountId')::uuid, (t ->> 'position')::int, t ->> 'key'
  from jsonb_array_elements(${JSON.stringify(targets)}::jsonb) t`

/**
 * Removes the targets of all other accounts. A target without any try loses its row; any other keeps it, marked as
 * dropped.
 */
export const dropTargets = (tx: Tx, postId: string, accountIds: readonly string[]): Promise<unknown> =>
  tx.together(() => [
    tx.run(query`delete from delivery where workspace_id = ${tx.workspaceId} and post_id = ${postId} and kind = 'post'
      and not (account_id = any (${accountIds}::uuid[])) and intent_at is null and state in ('PENDING', 'FAILED')`),
    tx.run(query`update delivery set dropped_at = ${tx.now}, fence = fence + 1, next_at = null, turn = null,
        lease_until = null, due_at = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and post_id = ${postId} and kind = 'post'
        and not (account_id = any (${accountIds}::uuid[])) and dropped_at is null`),
  ])

/** Adds targets, and restores dropped ones. */
export async function saveTargets(tx: Tx, postId: string, targets: readonly object[]): Promise<void> {
  await tx.run(query`${insertTargets(tx, postId, targets)}
    on conflict (workspace_id, post_id, account_id, kind) do update set position = excluded.position, dropped_at = null,
      text_key = excluded.text_key
    where (delivery.position, delivery.dropped_at, delivery.text_key)
      is distinct from (excluded.position, null::timestamptz, excluded.text_key)`)
}

/**
 * The statement that makes every target that can be sent due at `dueAt`. The first position is the next in the
 * sequence. `now` is the database's own time: a process may not know yet that the clock was set back, and the target
 * would wait for the length of the step. Live and dropped targets stay as they are. A worker that has claimed a target
 * loses its claim. `only` names targets to send again: a post that the network shows may belong to an earlier try of
 * them.
 */
export function makeDue(tx: Tx, postId: string, dueAt: Date | 'now', only?: readonly string[]) {
  const due = dueAt === 'now' ? sql`app_now()` : sql`${dueAt}::timestamptz`
  const isNew = sql`${only === undefined} and not t.unproven`
  return query`
    with chosen as (
      select id, row_number() over (order by position, id) as rank from delivery
      where workspace_id = ${tx.workspaceId} and post_id = ${postId} and dropped_at is null and state in ('PENDING', 'FAILED')
        and kind = 'post' and (${only === undefined} or id = any (${only ?? []}::uuid[])))
    update delivery t set state = 'PENDING', phase = null, fence = t.fence + 1, tries = 0, failures = 0, backoffs = 0,
      due_at = ${due}, next_at = case when chosen.rank = 1 then ${due} end, turn = null, lease_until = null,
      absent_reads = 0, absent_at = null, late_reads = 0, late_read_at = null, wait_reason = null, error = null,
      first_intent_at = case when ${isNew} then null else t.first_intent_at end,
      network_at = case when ${isNew} then null else t.network_at end,
      limited_until = null, delay_told_at = null, updated_at = ${tx.now}
    from chosen where t.workspace_id = ${tx.workspaceId} and t.id = chosen.id returning t.id`
}

/** Makes targets due (`makeDue`). Throws `outcome_unknown` unless it makes all targets in `only` due. */
export async function enqueueTargets(
  tx: Tx,
  postId: string,
  dueAt: Date | 'now',
  only?: readonly string[],
): Promise<void> {
  const due = await tx.run(makeDue(tx, postId, dueAt, only))
  if (only && due.length !== only.length) throw new AppError('outcome_unknown')
}

/** Takes the waiting targets of posts out of the queue. */
export async function dequeueTargets(tx: Tx, postIds: readonly string[]): Promise<void> {
  await tx.run(query`update delivery set due_at = null, next_at = null, turn = null, lease_until = null, wait_reason = null,
      fence = fence + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = any (${postIds}::uuid[]) and kind = 'post'
      and state = 'PENDING'`)
}

/** Enqueues the comment below a live delivery, once. The comment waits until the network gives the id of the post. */
export async function enqueueComment(tx: Tx, afterId: string, text: string, isNamed: boolean): Promise<void> {
  await tx.run(query`
    insert into delivery (workspace_id, id, kind, post_id, account_id, position, after_id, content, due_at, next_at, wait_reason)
    select workspace_id, ${uuidv7()}::uuid, 'comment', post_id, account_id, position, id, ${JSON.stringify({ text })}::jsonb, app_now(),
      case when ${isNamed} then app_now() end, case when not ${isNamed} then 'unnamed' end
    from delivery where workspace_id = ${tx.workspaceId} and id = ${afterId} and dropped_at is null
    on conflict (workspace_id, post_id, account_id, kind) do update
      set due_at = app_now(), next_at = app_now(), wait_reason = null, updated_at = ${tx.now}
      where delivery.wait_reason = 'unnamed' and ${isNamed}`)
}

/** Enqueues the removal of live targets from their networks. */
export async function enqueueRemovals(tx: Tx, publicationIds: readonly string[]): Promise<void> {
  const removals = publicationIds.map((of) => ({ id: uuidv7(), of }))
  await tx.run(query`
    insert into delivery (workspace_id, id, kind, post_id, account_id, position, after_id, content, due_at, next_at)
    select t.workspace_id, r.id, 'remove', t.post_id, t.account_id, t.position, t.id, '{}', app_now(), app_now()
    from jsonb_to_recordset(${JSON.stringify(removals)}::jsonb) as r(id uuid, "of" uuid)
    join delivery t on t.workspace_id = ${tx.workspaceId} and t.id = r.of`)
}

/** Forgets the failed removals of a post. Returns whether the post has no other removal. */
export async function forgetRemovals(tx: Tx, postId: string): Promise<boolean> {
  await tx.run(query`delete from delivery where workspace_id = ${tx.workspaceId} and post_id = ${postId} and kind = 'remove'
    and state = 'FAILED'`)
  const others = await tx.run(query`select from delivery where workspace_id = ${tx.workspaceId} and post_id = ${postId}
    and kind = 'remove'`)
  return others.length === 0
}

/** Sends a failed delivery other than a post again. The caller has locked it. Throws `invalid_state`. */
export async function enqueueAgain(tx: Tx, id: string): Promise<void> {
  await tx.one(
    query`update delivery set state = 'PENDING', phase = null, fence = fence + 1, tries = 0, failures = 0, backoffs = 0,
        due_at = app_now(), next_at = app_now(), turn = null, lease_until = null, absent_reads = 0, absent_at = null,
        late_reads = 0, late_read_at = null, wait_reason = null, error = null, limited_until = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and kind <> 'post' and state = 'FAILED' returning id`,
    'invalid_state',
    { current: 'FAILED', allowed: [] },
  )
}

/**
 * Makes a worker look for an UNCONFIRMED delivery again, and send it once it is proven absent. Throws `invalid_state`.
 */
export async function reconcileAgain(tx: Tx, id: string): Promise<void> {
  await tx.one(
    query`update delivery set state = 'SUBMITTING', phase = 'commit', fence = fence + 1, failures = 0, next_at = app_now(),
        absent_reads = 0, absent_at = null, late_reads = 0, late_read_at = null, error = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'UNCONFIRMED' returning id`,
    'invalid_state',
    { current: 'UNCONFIRMED', allowed: [] },
  )
}

/** Changes the time of a live post's targets. */
export async function backdateTargets(tx: Tx, postId: string, publishedAt: Date): Promise<void> {
  await tx.run(query`update delivery set published_at = ${publishedAt}, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = ${postId} and kind = 'post' and state = 'PUBLISHED'`)
}

/**
 * Deletes the deliveries of threads that are being erased, except those under way at a network. Returns whether none is
 * left.
 */
export async function eraseThreadDeliveries(tx: Tx, threadIds: readonly string[]): Promise<boolean> {
  await tx.run(query`delete from delivery where workspace_id = ${tx.workspaceId} and thread_id = any (${threadIds}::uuid[])
    and state not in ('PREPARING', 'SUBMITTING')`)
  const left = await tx.run(query`select from delivery where workspace_id = ${tx.workspaceId}
    and thread_id = any (${threadIds}::uuid[]) limit 1`)
  return left.length === 0
}

/** Ends every target of a post that has no intent. */
export async function failUnsent(tx: Tx, postId: string, reason: Parameters<typeof errorFor>[0]): Promise<void> {
  await tx.run(query`update delivery set state = 'FAILED', phase = null, next_at = null, turn = null, lease_until = null,
      wait_reason = null, fence = fence + 1, error = ${JSON.stringify(errorFor(reason))}, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = ${postId} and kind = 'post' and state in ('PENDING', 'PREPARING')
      and dropped_at is null returning id`)
}

/**
 * SQL condition: failures or a lost answer have delayed the target `t` for `after` milliseconds, and people have not
 * been notified.
 */
export const delayed = (after: number) => sql`t.dropped_at is null and t.delay_told_at is null
  and ((t.state in ('PENDING', 'PREPARING') and t.failures > 0) or (t.state = 'SUBMITTING' and t.phase = 'commit'))
  and t.due_at <= app_now() - ${`${after} milliseconds`}::interval`

/** Records that people are notified of the delayed targets of a post. Returns the names of their accounts. */
export async function noteDelay(tx: Tx, postId: string, after: number): Promise<string[]> {
  const told = await tx.run(query<{ accountName: string }>`
    update delivery t set delay_told_at = ${tx.now} from social_account a
    where t.workspace_id = ${tx.workspaceId} and t.post_id = ${postId} and t.kind = 'post' and ${delayed(after)}
      and a.workspace_id = t.workspace_id and a.id = t.account_id returning a.name as account_name`)
  return told.map(({ accountName }) => accountName)
}

// ---- deliveries of a thread

/** A delivery of a thread to be made once. `messageId` is the message that it sends or hides. */
export interface ThreadDelivery {
  kind: ThreadDeliveryKind
  threadId: string
  messageId: string
  accountId: string
  content: object
}

/**
 * Enqueues a delivery of a thread, due now, or after open ones of its kind. Hiding and showing a comment reuses one
 * row. Returns false if the message already has a delivery, other than a finished one of kind `hide`.
 */
export async function enqueueForThread(
  tx: Tx,
  { kind, threadId, messageId, accountId, content }: ThreadDelivery,
): Promise<boolean> {
  const waits = sql`exists (select from delivery o where o.workspace_id = ${tx.workspaceId} and o.thread_id = ${threadId}
    and o.kind = ${kind} and o.state in ('PENDING', 'PREPARING', 'SUBMITTING'))`
  const made = await tx.run(query<{ id: string }>`
    insert into delivery (workspace_id, id, kind, thread_id, message_id, account_id, position, content, due_at, next_at)
    select ${tx.workspaceId}::uuid, ${uuidv7()}::uuid, ${kind}, ${threadId}::uuid, ${messageId}::uuid, ${accountId}::uuid, 0,
      ${JSON.stringify(content)}::jsonb, app_now(), case when not ${waits} then app_now() end
    on conflict (workspace_id, message_id) where message_id is not null do update
      set state = 'PENDING', phase = null, content = excluded.content, due_at = excluded.due_at, next_at = excluded.next_at,
        fence = delivery.fence + 1, tries = 0, failures = 0, backoffs = 0, error = null, wait_reason = null, published_at = null,
        intent_at = null, first_intent_at = null, network_at = null, sent = null, composed = null, unproven = false,
        absent_reads = 0, absent_at = null, late_reads = 0, late_read_at = null, limited_until = null, updated_at = app_now()
      where delivery.kind = 'hide' and delivery.state in ('PUBLISHED', 'FAILED', 'UNCONFIRMED')
    returning id`)
  return made.length > 0
}

// ---- the steps of a worker

/** Thrown by a worker whose fence is outdated, because another worker has claimed the delivery. */
export class Lost extends Error {}

type Claim = Pick<FencedRow, 'id' | 'fence'>

/** Saves the handles that prepare made so far, and extends the lease. Throws `Lost`. */
export async function saveHandles(
  scope: Scope,
  row: Claim,
  { composed, handles, scale }: { composed: string; handles: Handles; scale: number },
): Promise<void> {
  const lease = `${LEASE / scale} milliseconds`
  const saved = await scope.write(
    query`update delivery set handles = ${JSON.stringify(handles)}, composed = ${composed},
        lease_until = app_now() + ${lease}::interval, next_at = app_now() + ${lease}::interval
        where workspace_id = ${scope.workspaceId} and id = ${row.id} and fence = ${row.fence} and state = 'PREPARING' returning id`,
    { relaxed: true },
  )
  if (saved.length === 0) throw new Lost()
}

/** Extends the lease of a claim. Returns whether the claim still holds. */
export async function renewLease(scope: Scope, row: Claim, scale: number): Promise<boolean> {
  const lease = `${LEASE / scale} milliseconds`
  const mine = await scope.write(
    query`update delivery set lease_until = greatest(lease_until, app_now() + ${lease}::interval),
        next_at = greatest(next_at, app_now() + ${lease}::interval)
      where workspace_id = ${scope.workspaceId} and id = ${row.id} and fence = ${row.fence} and lease_until is not null
        and state in ('PREPARING', 'SUBMITTING') returning id`,
    { relaxed: true },
  )
  return mine.length > 0
}

/** The content that a worker is about to send for a delivery, under its fence. */
export interface Intent extends Claim {
  workspaceId: string
  /** The hash of the composed content. */
  composed: string
  sent: Sent
  /** The current time by the network's clock, as far as this process knows it. */
  networkAt: Date | null
}

/**
 * The statement that writes intents, each under its own fence. It writes none while a pause or a disconnected account
 * holds the delivery. The holds are looked up one by one: with a join, the planner could begin with all accounts of a
 * large workspace.
 */
function intentStatement(intents: readonly Intent[], timeScale: number) {
  const lease = `${COMMIT_LEASE / timeScale} milliseconds`
  const rows = intents.map(({ workspaceId, networkAt, ...rest }) => ({
    ...rest,
    workspace_id: workspaceId,
    network_at: networkAt,
  }))
  return query<{ id: string }>`
      update delivery t set state = 'SUBMITTING', phase = 'commit', intent_at = app_now(),
        first_intent_at = coalesce(t.first_intent_at, app_now()), limited_until = null,
        network_at = coalesce(t.network_at, i.network_at, (select max(s.network_at) from delivery s
          where s.workspace_id = t.workspace_id and s.account_id = t.account_id)), tries = t.tries + 1,
        sent = i.sent, composed = i.composed,
        handles = case when t.composed = i.composed then t.handles else '{}' end, lease_until = app_now() + ${lease}::interval, next_at = app_now() + ${lease}::interval,
        absent_reads = 0, absent_at = null, late_reads = 0, late_read_at = null
      from json_to_recordset(${JSON.stringify(rows)}::json)
          as i(workspace_id uuid, id uuid, fence int, composed text, sent jsonb, network_at timestamptz)
      where t.workspace_id = i.workspace_id and t.id = i.id and t.fence = i.fence and t.state = 'PREPARING'
        and t.external_id is null and t.dropped_at is null
        and (select a.status = 'CONNECTED' and a.paused_at is null
            and (w.publishing_paused_at is null or t.thread_id is not null) and w.deleted_at is null
          from social_account a join workspace w on w.id = a.workspace_id
          where a.workspace_id = t.workspace_id and a.id = t.account_id)
      returning t.id`
}

/** Writes the intents of several deliveries of all workspaces. Returns whether each was written. */
export async function writeIntents(scopes: Scopes, intents: Intent[], timeScale: number): Promise<boolean[]> {
  const written = await scopes.ask('intent', intentStatement(intents, timeScale))
  const ids = new Set(written.map((row) => row.id))
  return intents.map((intent) => ids.has(intent.id))
}

/** Thrown if the guard passed but the intent was not written, to undo the guard's changes. */
class NotIntended extends Error {}

/**
 * Writes an intent with its guard, in one transaction: the guard's locks last until the intent is on disk. Returns the
 * guard's verdict, or whether the intent was written.
 */
export async function writeGuardedIntent(
  scope: Scope,
  intent: Intent,
  guard: (tx: Tx) => Promise<Verdict | null>,
  timeScale: number,
): Promise<Verdict | boolean> {
  try {
    return await scope.transaction(async (tx) => {
      const verdict = await guard(tx)
      if (verdict) return verdict
      if ((await tx.run(intentStatement([intent], timeScale))).length === 0) throw new NotIntended()
      return true
    })
  } catch (error) {
    if (error instanceof NotIntended) return false
    throw error
  }
}
