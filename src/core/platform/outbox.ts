import { uuidv7 } from 'uuidv7'
import { type Actor, NO_WORKSPACE, type WorkspaceId } from './actor.ts'
import { type Query, query } from './db.ts'
import type { Event, Events } from './events.ts'
import { type Jobs, sharedTurns, tries } from './job-names.ts'
import type { Json } from './json.ts'
import type { LocalJob, LocalRunner } from './local-dispatch.ts'
import { type DomainEvent, hintOf, type Hints } from './record.ts'
import { securityEvent } from './security-events.ts'

// What a transaction leaves behind: entries of the history, jobs and hints. Nothing of it leaves before the commit.

export interface JobPlace {
  /** At most one waiting job has this key: a newer job replaces it. */
  key?: string
  runAt?: Date
  /**
   * Runs the job in this process as soon as it is committed, if the process runs such jobs and has room. In case the
   * process dies, the queue runs the job after this many milliseconds, so its work must still be idempotent. Its key
   * must be new.
   */
  localFor?: number
}

interface OutboxParts {
  workspaceId: WorkspaceId
  actor: Actor
  /** Milliseconds by which the product's clock is ahead of that of the database. */
  shift: number
  hints: Hints
  local: LocalRunner | undefined
}

/** Collects what one transaction leaves behind. */
export function createOutbox({ workspaceId, actor, shift, hints, local }: OutboxParts) {
  const recorded: DomainEvent[] = []
  const audits: Query<unknown>[] = []
  const jobs: Json[] = []
  const localJobs: LocalJob[] = []
  /** By subject, so that several changes of one thing give one hint. */
  const emitted = new Map<string, Event>()

  function enqueue<J extends keyof Jobs>(name: J, data: Jobs[J], { key, runAt, localFor = 0 }: JobPlace = {}): boolean {
    const isLocal = localFor > 0 && key !== undefined && local?.takes(name) === true
    const dueAt = isLocal ? new Date(Date.now() + localFor) : runAt && new Date(runAt.getTime() - shift)
    if (isLocal && dueAt) localJobs.push({ name, workspaceId, data, key, runAt: dueAt })
    jobs.push({
      name,
      data,
      ...(key && { key }),
      ...(dueAt && { runAt: dueAt.toISOString() }),
      ...(isLocal && { own: true }),
      ...(tries[name] && { maxAttempts: tries[name] }),
      ...(sharedTurns[name] && { turns: sharedTurns[name] }),
    })
    return isLocal
  }

  const emit = (event: Event) => void emitted.set(`${event.kind} ${event.id}`, event)

  function record(event: DomainEvent): void {
    recorded.push(event)
    audits.push(auditEntry(workspaceId, actor, event))
    const hint = hintOf(hints, event, workspaceId)
    if (hint) emit(hint)
  }

  return {
    enqueue,
    emit,
    record,
    /** Grows while the subscribers of its events record further ones. */
    recorded: recorded as Iterable<DomainEvent>,
    /** The statements that add the entries of the history. */
    history: (): readonly Query<unknown>[] => audits,
    /** The statement that enqueues the jobs, if there are any. */
    enqueueing: (): readonly Query<unknown>[] => (jobs.length > 0 ? [enqueueJobs(workspaceId, jobs)] : []),
    /** Publishes the hints and hands over the jobs of this process. Only after the commit. */
    leave(events: Pick<Events, 'publish'>): void {
      for (const event of emitted.values()) events.publish(workspaceId, event)
      for (const job of localJobs) local?.take(job)
    },
  }
}

/** Enqueues jobs. Jobs with turns take the turn of the workspace's owner, since one person may have many workspaces. */
function enqueueJobs(workspaceId: string, jobs: readonly object[]): Query<unknown> {
  const all = JSON.stringify(jobs)
  if (!jobs.some((job) => 'turns' in job)) return query`select enqueue_jobs(${all}::jsonb)`
  return query`select enqueue_jobs((select jsonb_agg(case when job ? 'turns'
      then job || jsonb_build_object('turnOf', (select user_id from member where workspace_id = ${workspaceId} and role = 'OWNER'))
      else job end order by position)
    from jsonb_array_elements(${all}::jsonb) with ordinality as each (job, position)))`
}

function auditEntry(
  workspaceId: WorkspaceId,
  actor: Actor,
  { type: action, subject: object, data: detail = {}, by = null }: DomainEvent,
): Query<unknown> {
  // A person who signs up or joins by an invitation is not an actor yet, so the event itself names the person.
  const newcomer = actor.kind === 'anonymous' && typeof object.userId === 'string' ? object.userId : null
  const userId = actor.kind === 'user' ? actor.userId : (newcomer ?? by)
  const ip = actor.kind === 'system' ? null : (actor.ip ?? null)
  const requestId = actor.kind === 'system' ? null : (actor.requestId ?? null)
  if (workspaceId === NO_WORKSPACE) {
    const subject = typeof object.userId === 'string' ? object.userId : null
    return securityEvent({ action, userId: userId ?? subject, object, detail, ip, requestId })
  }
  return query`insert into audit_entry (workspace_id, id, actor_kind, actor_id, action, object, detail, ip, request_id)
    values (${workspaceId}, ${uuidv7()}, ${userId ? 'user' : 'system'}, ${userId}, ${action},
      ${JSON.stringify(object)}, ${JSON.stringify(detail)}, ${ip}, ${requestId})`
}
