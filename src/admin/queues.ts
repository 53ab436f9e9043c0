import { AppError } from '../core/errors.ts'
import { exactly, type Page, pageBy, type PageRequest } from '../core/platform/cursor.ts'
import { query, sql, whole } from '../core/platform/db.ts'
import { jobs } from '../core/platform/job-names.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { DeliveryKind } from '../delivery/api.ts'
import type { FailedWork, Queue } from './api.ts'
import { withoutSecrets } from './rules.ts'

/** The queues that consist of rows of posts and deliveries, with their kinds of delivery. */
const KINDS = {
  publish: ['post'],
  'first-comment': ['comment'],
  removal: ['remove'],
  answer: ['reply', 'private_reply', 'dm', 'hide'],
} as const satisfies Record<string, readonly DeliveryKind[]>
type Rows = keyof typeof KINDS
const isOfRows = (name: string): name is Rows => Object.hasOwn(KINDS, name)
const known = ['publish', 'schedule', ...Object.keys(jobs), 'first-comment', 'removal', 'answer']

const OPEN = sql`('PENDING', 'PREPARING', 'SUBMITTING')`
const FAILED = sql`('FAILED', 'UNCONFIRMED')`

/**
 * The deliveries `t` of a queue in some states that still count, with their posts `p` if they have posts. The conditions
 * are those of the indexes over open and failed deliveries, because the published ones are far more.
 */
function deliveries(name: Rows, states: typeof OPEN) {
  if (name === 'answer') {
    return sql`delivery t where t.kind <> 'post' and t.kind = any (${KINDS.answer}::text[]) and t.state in ${states}`
  }
  const ofKind =
    name === 'publish'
      ? sql`t.kind = 'post' and ${states === OPEN ? sql`p.status in ('SCHEDULED', 'PUBLISHING')` : sql`true`}`
      : sql`t.kind <> 'post' and t.kind = ${KINDS[name][0]}`
  return sql`post p join delivery t on t.workspace_id = p.workspace_id and t.post_id = p.id
    where ${ofKind} and t.state in ${states} and (p.deleted_at is null or t.kind = 'remove') and t.dropped_at is null`
}

/** The figures of a queue. The deliveries of a post wait from the time at which it begins to go out. */
function figuresOf(name: Rows) {
  const waits = name === 'publish' ? sql`t.state = 'PENDING' and p.status = 'PUBLISHING'` : sql`t.state = 'PENDING'`
  const isDue = name === 'publish' ? sql`t.due_at <= app_now()` : sql`true`
  return sql`select ${name}::text as name, count(*) filter (where ${waits})::int as waiting,
      count(*) filter (where t.state in ('PREPARING', 'SUBMITTING'))::int as running,
      (select count(*)::int from ${deliveries(name, FAILED)}) as failed, 0 as retrying,
      extract(epoch from app_now() - min(t.due_at) filter (where ${waits} and ${isDue}))::float8 as oldest_seconds
    from ${deliveries(name, OPEN)}`
}

/** Lists all queues, busy or idle. The age of a queue counts from the time at which its oldest waiting job could run. */
export function listQueues(scope: Scope): Promise<{ data: Queue[]; nextCursor: null }> {
  return scope.transaction(async (tx) => {
    const [ofJobs, ofRows] = await Promise.all([
      tx.run(query<Queue>`select queue as name,
        count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'running')::int as running,
        count(*) filter (where state = 'failed')::int as failed,
        count(*) filter (where state = 'waiting' and error is not null)::int as retrying,
        extract(epoch from now() - min(run_at) filter (where state = 'waiting' and run_at <= now()))::float8 as oldest_seconds
        from admin_jobs(null) group by 1`),
      tx.run(
        whole<Queue>(sql`
          select 'schedule' as name, count(*)::int as waiting, 0 as running, 0 as failed, 0 as retrying,
            extract(epoch from app_now() - min(p.scheduled_at) filter (where p.scheduled_at <= app_now()))::float8 as oldest_seconds
          from post p where p.status = 'SCHEDULED' and p.deleted_at is null
          union all
          ${sql.join((Object.keys(KINDS) as Rows[]).map(figuresOf), sql` union all `)}`),
      ),
    ])
    tx.record({ type: 'admin.read.queues', subject: {} })
    const found = new Map([...ofJobs, ...ofRows].map((queue) => [queue.name, queue]))
    const idle = { waiting: 0, running: 0, failed: 0, retrying: 0, oldestSeconds: null }
    return { data: known.map((name) => found.get(name) ?? { name, ...idle }), nextCursor: null }
  })
}

function refuseUnknown(name: string): void {
  if (!known.includes(name)) throw new AppError('not_found')
}

interface FailedRow {
  /** Its place among work of the same time. */
  place: string
  id: string
  state: FailedWork['state']
  at: Date
  /** `at` as a cursor has it. */
  key: string
  nextAt: Date | null
  attempts: number
  maxAttempts: number | null
  error: string | null
}

/** Lists a page of a queue's work whose last try failed, latest try first. Throws `not_found` for an unknown queue. */
export async function listFailed(scope: Scope, name: string, request: PageRequest): Promise<Page<FailedWork>> {
  refuseUnknown(name)
  const columns = [
    [sql`at`, 'timestamptz'],
    [sql`place`, 'text'],
  ] as const
  const failed = pageBy<FailedRow>(columns, request, ({ key, place }) => [key, place])
  const work = isOfRows(name)
    ? sql`select t.id::text as place, t.id::text, 'failed' as state, t.updated_at as at, null::timestamptz as next_at, t.tries as attempts,
          null::int as max_attempts, coalesce(t.error ->> 'code' || ': ' || (t.error ->> 'message'), lower(t.state)) as error
          from ${deliveries(name, FAILED)}`
    : sql`select lpad(id::text, 20, '0') as place, id::text, state, tried_at as at, case when state = 'waiting' then run_at end as next_at,
          attempts, max_attempts, error from admin_jobs(${name}) where state <> 'running' and error is not null`
  return scope.transaction(async (tx) => {
    const rows = await tx.run(
      whole<FailedRow>(sql`select work.*, ${exactly(sql`at`)} as key from (${work}) as work where ${failed.rows}`),
    )
    tx.record({ type: 'admin.read.failed', subject: { queue: name }, data: { cursor: request.cursor } })
    const { data, nextCursor } = failed.of(rows)
    return {
      data: data.map(({ place: _, key: __, at, nextAt, error, ...row }) => ({
        ...row,
        at: at.toISOString(),
        nextAt: nextAt?.toISOString() ?? null,
        error: withoutSecrets(error ?? ''),
        canRetry: !isOfRows(name),
      })),
      nextCursor,
    }
  })
}

/**
 * Runs all failed jobs of a queue now, including those to be retried later. Throws `not_found` for an unknown queue,
 * and `invalid_state` for queues of posts and deliveries: only the people of a workspace send again what a network
 * refused.
 */
export function retryQueue(scope: Scope, name: string): Promise<{ retried: number }> {
  refuseUnknown(name)
  if (!Object.hasOwn(jobs, name)) {
    throw new AppError('invalid_state', 'Members of the workspace retry these themselves.', {
      current: name,
      allowed: [],
    })
  }
  return scope.transaction(async (tx) => {
    const retried = await tx.run(query`select admin_retry_jobs(array(select id from admin_jobs(${name})))`)
    tx.record({ type: 'admin.queue.retried', subject: { queue: name }, data: { jobs: retried.length } })
    return { retried: retried.length }
  })
}

/** Runs one failed job now. Throws `not_found`, and `invalid_state` for a job that is running or has not failed. */
export function retryJob(scope: Scope, id: string): Promise<{ retried: number }> {
  if (!/^\d{1,18}$/.test(id)) throw new AppError('not_found')
  return scope.transaction(async (tx) => {
    const job = await tx.one(
      query<{ queue: string; state: string }>`select queue, state from admin_jobs(null) where id = ${id}::bigint`,
      'not_found',
    )
    await tx.one(query`select admin_retry_jobs(array[${id}::bigint])`, 'invalid_state', {
      current: job.state,
      allowed: ['failed'],
    })
    tx.record({ type: 'admin.job.retried', subject: { jobId: id, queue: job.queue } })
    return { retried: 1 }
  })
}
