import { AppError, invalid } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { mayAnswer } from './answerers.ts'
import { assignedTo } from './assignment.ts'
import { type BulkAct, MOST_LABELS, type Thread, type ThreadChange, type ThreadStatus } from './api.ts'
import { writeNote } from './notes.ts'
import { ALLOWED } from './rules.ts'
import { readThread } from './threads-read.ts'

/**
 * A thread was escalated. `assignee` had it before: a new one is told of the assignment instead. Without `roles`, owners
 * and admins are notified.
 */
export interface ThreadEscalated extends DomainEvent {
  type: 'thread.escalated'
  subject: { threadId: string }
  context: { assignee: string | null; roles?: readonly string[] }
}

interface Locked {
  id: string
  status: ThreadStatus
  version: number
  assignee: string | null
}

/** Locks a thread against concurrent changes. Throws `not_found`, `stale_version`. */
async function lock(tx: Tx, id: string, ifMatch?: number): Promise<Locked> {
  const thread = await tx.one(
    query<Locked>`select id, status, version, assignee from thread where workspace_id = ${tx.workspaceId} and id = ${id} for update`,
    'not_found',
  )
  refuseStale(thread.version, ifMatch)
  return thread
}

function allow(thread: Locked, act: keyof typeof ALLOWED): void {
  const allowed: readonly ThreadStatus[] = ALLOWED[act]
  if (!allowed.includes(thread.status))
    throw new AppError('invalid_state', undefined, { current: thread.status, allowed })
}

/** Writes a change if the thread still has the locked version, and records it. */
async function change(
  tx: Tx,
  { id, version }: Locked,
  columns: ReturnType<typeof sql>,
  event: Pick<DomainEvent, 'type' | 'data' | 'context'>,
): Promise<void> {
  await tx.one(
    query`update thread set ${columns}, version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
    'stale_version',
  )
  tx.record({ ...event, subject: { threadId: id } })
}

type Act = (tx: Tx, thread: Locked) => Promise<void>

const assign =
  (userId: string | null, isOneOfMany = false): Act =>
  async (tx, thread) => {
    if (userId === thread.assignee) return
    if (userId !== null) {
      const [member] =
        await tx.run(query`select from member p where p.workspace_id = ${tx.workspaceId} and p.user_id = ${userId}
        and ${mayAnswer}`)
      if (!member) throw invalid({ path: '/userId', code: 'unknown', message: 'No member who can reply has this ID.' })
    }
    await change(tx, thread, sql`assignee = ${userId}`, assignedTo(thread.id, userId, { isOneOfMany }))
  }

/**
 * Closes a thread, which ends the pause of the bot. What the bot has left to people is not shown meanwhile, and ends
 * when the customer writes.
 */
export const CLOSING = sql`status = 'CLOSED', snoozed_until = null, ended_pause_at = bot_paused_at, bot_paused_at = null,
  bot_streak = 0`

/** Opens a thread as it was before it was closed. A pause that began since then stays. */
const OPENING = sql`status = 'OPEN', snoozed_until = null,
  bot_paused_at = coalesce(bot_paused_at, case when status = 'CLOSED' then ended_pause_at end)`

const close: Act = async (tx, thread) => {
  allow(thread, 'close')
  await change(tx, thread, CLOSING, { type: 'thread.closed' })
}

const reopen: Act = async (tx, thread) => {
  allow(thread, 'reopen')
  await change(tx, thread, OPENING, { type: 'thread.opened' })
}

const snooze =
  (until: Date): Act =>
  async (tx, thread) => {
    if (until <= tx.now) throw invalid({ path: '/until', code: 'in_past', message: 'Choose a time in the future.' })
    allow(thread, 'snooze')
    await change(tx, thread, sql`status = 'SNOOZED', snoozed_until = ${until}`, {
      type: 'thread.snoozed',
      data: { until: until.toISOString() },
    })
    wakeAt(tx, thread.id, until)
  }

const escalate =
  (reason: string | null): Act =>
  async (tx, thread) => {
    allow(thread, 'escalate')
    await change(tx, thread, sql`status = 'ESCALATED', snoozed_until = null`, {
      type: 'thread.escalated',
      context: { assignee: thread.assignee },
    } satisfies Omit<ThreadEscalated, 'subject'>)
    if (reason !== null && tx.actor.kind === 'user') await writeNote(tx, thread.id, reason, tx.actor.userId)
  }

const pause =
  (paused: boolean): Act =>
  async (tx, thread) => {
    const { isPaused } = await tx.one(
      query<{ isPaused: boolean }>`select bot_paused_at is not null as is_paused from thread
        where workspace_id = ${tx.workspaceId} and id = ${thread.id}`,
      'not_found',
    )
    if (isPaused === paused) return
    const columns = paused ? sql`bot_paused_at = ${tx.now}` : sql`bot_paused_at = null, bot_streak = 0`
    await change(tx, thread, columns, { type: paused ? 'bot.paused' : 'bot.resumed' })
  }

const apply = (scope: Scope, id: string, act: Act): Promise<Thread> =>
  scope.transaction(async (tx) => {
    await act(tx, await lock(tx, id))
    return readThread(tx, id)
  })

export const assignThread = (scope: Scope, id: string, userId: string | null) => apply(scope, id, assign(userId))
export const closeThread = (scope: Scope, id: string) => apply(scope, id, close)
export const reopenThread = (scope: Scope, id: string) => apply(scope, id, reopen)
export const pauseBot = (scope: Scope, id: string, paused: boolean) => apply(scope, id, pause(paused))
export const snoozeThread = (scope: Scope, id: string, until: Date) => apply(scope, id, snooze(until))
export const escalateThread = (scope: Scope, id: string, reason: string | null) => apply(scope, id, escalate(reason))

const WRITABLE = ['labels', 'urgency', 'replyStyle'] as const satisfies readonly (keyof ThreadChange)[]

/**
 * Changes labels, urgency or style. A change to the same values keeps the version. Throws `validation_failed` for
 * a change to another field.
 */
export function updateThread(scope: Scope, id: string, patch: ThreadChange, ifMatch?: number): Promise<Thread> {
  return scope.transaction(async (tx) => {
    const thread = await lock(tx, id, ifMatch)
    const before = await readThread(tx, id)
    const faults = readOnlyFaults(patch, before, WRITABLE)
    if (faults.length > 0) throw invalid(...faults)
    const {
      labels = before.labels.map((label) => label.id),
      urgency = before.urgency,
      replyStyle = before.replyStyle,
    } = patch
    const isSame = areSame(labels, before.labels)
    if (isSame && urgency === before.urgency && replyStyle === before.replyStyle) return before
    if (!isSame) await setLabels(tx, id, labels)
    await change(
      tx,
      thread,
      sql`urgency_by = case when urgency = ${urgency} then urgency_by else 'person' end, urgency = ${urgency}, reply_style = ${replyStyle}`,
      { type: 'thread.changed' },
    )
    return readThread(tx, id)
  })
}

/** Whether a thread has exactly these labels. */
function areSame(ids: readonly string[], labels: Thread['labels']): boolean {
  const has = new Set(labels.map(({ id }) => id))
  return new Set(ids).size === has.size && ids.every((id) => has.has(id))
}

/** Replaces the labels of a thread. Throws `validation_failed` for an unknown label. */
async function setLabels(tx: Tx, id: string, labels: readonly string[]): Promise<void> {
  const known = await tx.run(query<{ id: string }>`select id from label where workspace_id = ${tx.workspaceId}
    and id = any (${labels}::uuid[]) for share`)
  const ids = new Set(known.map((label) => label.id))
  const faults = labels.flatMap((label, index) =>
    ids.has(label) ? [] : [{ path: `/labels/${index}`, code: 'unknown', message: 'No label has this ID.' }],
  )
  if (faults.length > 0) throw invalid(...faults)
  await tx.run(query`delete from thread_label where workspace_id = ${tx.workspaceId} and thread_id = ${id}
    and not (label_id = any (${labels}::uuid[]))`)
  await tx.run(query`insert into thread_label (workspace_id, thread_id, label_id)
    select ${tx.workspaceId}::uuid, ${id}::uuid, unnest(${labels}::uuid[]) on conflict do nothing`)
}

/** Opens a snoozed thread whose time has come. If the job runs too early, it is enqueued again. */
export async function wakeThread(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const [snoozed] = await tx.run(query<{ until: Date }>`select snoozed_until as until from thread
      where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'SNOOZED' for update`)
    if (!snoozed) return
    if (snoozed.until > tx.now) return wakeAt(tx, id, snoozed.until)
    await tx.one(
      query`update thread set status = 'OPEN', snoozed_until = null, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'SNOOZED' returning id`,
      'invalid_state',
      { current: 'SNOOZED', allowed: [] },
    )
    tx.record({ type: 'thread.opened', subject: { threadId: id } })
  })
}

/** Opens a closed or snoozed thread because of what became of an answer in it. The caller has locked it. */
export async function reopenForAnswer(tx: Tx, id: string): Promise<void> {
  const [opened] = await tx.run(query`update thread set ${OPENING}, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = ${id} and status in ('CLOSED', 'SNOOZED') and key not like 'erased:%'
    returning id`)
  if (opened) tx.record({ type: 'thread.opened', subject: { threadId: id } })
}

const wakeAt = (tx: Tx, threadId: string, runAt: Date): void =>
  void tx.enqueue('thread-wake', { threadId }, { key: `wake:${threadId}`, runAt })

/**
 * Applies one action to many threads, each in its own transaction, and returns the result for each. If the request breaks
 * off, a new assignee has been told of the threads that they already have.
 */
export async function bulk(scope: Scope, { ids, ...acts }: BulkAct): Promise<{ data: { id: string; code: string }[] }> {
  const data: { id: string; code: string }[] = []
  for (const id of new Set(ids)) {
    try {
      await scope.beforeLast().transaction(async (tx) => actOf(acts)(tx, await lock(tx, id)))
      data.push({ id, code: 'ok' })
    } catch (error) {
      if (!(error instanceof AppError) || error.ofStanding || error.code === 'unavailable') throw error
      data.push({ id, code: error.code })
    }
  }
  // Keeps the answer of the request's Idempotency-Key.
  return scope.transaction(async () => ({ data }))
}

function actOf({ assign: to, labels, close: isClosed, snooze: later }: Omit<BulkAct, 'ids'>): Act {
  if (to) return assign(to.userId, true)
  if (later) return snooze(later.until)
  if (isClosed) return close
  if (!labels) return reopen
  return async (tx, thread) => {
    const { labels: has } = await readThread(tx, thread.id)
    const kept = new Set([...has.map((label) => label.id), ...(labels.add ?? [])])
    for (const gone of labels.remove ?? []) kept.delete(gone)
    if (areSame([...kept], has)) return
    if (kept.size > MOST_LABELS) {
      throw invalid({
        path: '/labels/add',
        code: 'too_many_labels',
        message: `A conversation can have at most ${MOST_LABELS} labels.`,
        limit: MOST_LABELS,
      })
    }
    await setLabels(tx, thread.id, [...kept])
    await change(tx, thread, sql`urgency = urgency`, { type: 'thread.changed' })
  }
}
