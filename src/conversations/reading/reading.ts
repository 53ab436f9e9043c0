import { query, sql } from '../../core/platform/db.ts'
import type { Jobs } from '../../core/platform/job-names.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import { withToken } from '../../channels/accounts-refresh.ts'
import {
  type Inbox,
  type Listed,
  type Network,
  NetworkError,
  type ReadBack,
  type ReadStep,
} from '../../networks/network.ts'
import type { Services } from '../../services.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { RAW_KEPT } from '../webhooks/rules.ts'
import { storeEvents } from '../webhooks/store.ts'
import { readCounts } from './counts.ts'
import { callsOf, type Counts } from './rules.ts'

// Networks keep no copy of a webhook. Events that were not delivered are found by reading: after an outage, after an
// account was reconnected or resubscribed, and every six hours.

const MINUTE = 60_000
/** How often an account is read even if nothing is known to be missing. */
const READ_EVERY = 6 * 60 * MINUTE
/** How far a reading overlaps with the last one, because networks deliver and list messages late. */
const OVERLAP = 10 * MINUTE
/** How often comment counts are read, because no event reports a rise. */
const COUNT_EVERY = 15 * MINUTE
/** How much later a reading that has used up its calls continues. */
const CONTINUE_AFTER = 60 * MINUTE
/**
 * How long after its time the job of a reading still counts as under way. This is longer than the longest wait of the
 * queue after a failure, so that a failing reading keeps its growing waits.
 */
const LOST_AFTER = 8 * 60 * MINUTE

type ReadingPorts = Pick<Services, 'networks' | 'crypto' | 'budget' | 'settings'>

interface Account {
  id: string
  platform: string
  externalId: string
  networkUser: string
  accessToken: string | null
  readAt: Date | null
  counts: Counts | null
}

/** Whether the inbox of an account `a` is read: its workspace `w` is not deleted, and the plan includes conversations. */
const isInboxRead = sql`w.deleted_at is null and ${isInPlan(sql`w.id`, 'auto_reply')}`

/**
 * Reads what a network has not delivered for an account, or cannot deliver. On a plan without conversations nothing is
 * read, and the first reading on one with them goes back to the last one before.
 */
export async function readAccount(scope: Scope, ports: ReadingPorts, job: Jobs['inbox-reading']): Promise<void> {
  const [[account]] = await scope.read(
    query<Account>`select a.id, a.platform, a.external_id, a.network_user, a.access_token, r.read_at, r.comment_counts as counts
      from social_account a join workspace w on w.id = a.workspace_id
      left join inbox_reading r on r.workspace_id = a.workspace_id and r.account_id = a.id
      where a.workspace_id = ${scope.workspaceId} and a.id = ${job.accountId} and a.status = 'CONNECTED' and ${isInboxRead}`,
  )
  if (!account) return
  const network = ports.networks.get(account.platform)
  try {
    if (network.inbox) await readEvents(scope, ports, { account, network, inbox: network.inbox, job })
    else if (network.commentCounts) {
      const since = new Date(scope.now().getTime() - RAW_KEPT)
      await readCounts(scope, ports, { account, network, commentCounts: network.commentCounts, since })
    }
  } catch (error) {
    // The queue runs this job again, after a wait that grows with each failure.
    await keepUnderway(scope, account.id, LOST_AFTER)
    throw error
  }
}

/**
 * Reads what was written to an account since the last reading. The first reading only records its time: messages from
 * before the account was connected are not imported.
 */
async function readEvents(
  scope: Scope,
  ports: ReadingPorts,
  { account, network, inbox, job }: { account: Account; network: Network; inbox: Inbox; job: Jobs['inbox-reading'] },
): Promise<void> {
  const { accountId } = job
  if (!account.readAt) return storeReadAt(scope, accountId, scope.now())
  const begun = job.begun === undefined ? scope.now() : new Date(job.begun)
  const oldest = begun.getTime() - RAW_KEPT
  const since = new Date(Math.max(account.readAt.getTime() - OVERLAP, oldest))
  const steps = job.steps ?? (await stepsOf(scope, accountId, new Date(oldest)))

  const calls = callsOf(ports.budget.limit(network.platform)) ?? steps.length
  const who = { app: network.app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(who, calls, 'conversation_read', network.platform)
  if ('until' in reserved) return continueLater(scope, { accountId, begun, steps }, reserved.until)
  const { reservation } = reserved
  const left = [...steps]
  try {
    await withToken(scope, ports, { accountId, accessToken: account.accessToken }, async (accessToken) => {
      for (let made = 0; made < calls; made += 1) {
        const step = left.shift()
        if (!step) return
        const place = { account: { externalId: account.externalId, accessToken }, reservation }
        // Networks do not report removed comments, so posts are read as far back as raw events are kept.
        const back = step.list === 'comments' && !inbox.tellsRemovals ? new Date(oldest) : since
        const { events, next, listed } = await unlessGone(inbox.readBack(place, step, back), step, {
          accountId: account.externalId,
          at: scope.now().toISOString(),
        })
        await storeEvents(
          scope,
          events.filter(({ at }) => new Date(at) >= since).map((event) => ({ account: accountId, event })),
          'read',
        )
        left.push(...next)
        if (step.list === 'comments' && listed && !inbox.tellsRemovals) {
          left.push(...(await missing(scope, accountId, { ...step, ...listed, begun, oldest: new Date(oldest) })))
        }
      }
    })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.warn({ err: error, accountId }, 'the conversations of an account could not be read')
    return keepUnderway(scope, accountId, READ_EVERY)
  } finally {
    await reserved.release()
  }
  if (left.length > 0)
    return continueLater(scope, { accountId, begun, steps: left }, new Date(scope.now().getTime() + CONTINUE_AFTER))
  await storeReadAt(scope, accountId, begun)
}

/** A post that is gone has no comments, and a comment that is gone was removed. */
const unlessGone = (read: Promise<ReadBack>, step: ReadStep, event: { accountId: string; at: string }) =>
  read.catch((error: unknown): ReadBack => {
    if (!(error instanceof NetworkError) || error.kind !== 'NOT_FOUND') throw error
    if (step.list === 'comments') return { events: [], next: [] }
    if (step.list !== 'comment') throw error
    const { comment: id } = step
    return { events: [{ ...event, kind: 'remove', id, key: `del:${id}` }], next: [] }
  })

/**
 * Returns steps that check the customers' comments which a page of a post should have but does not. Each is checked
 * separately, because networks list late and a removal is final. An answer belongs to the page of its root comment.
 * Networks report whole seconds, so comments from the last second of a page may be on the next page. A later reading,
 * whose pages end elsewhere, checks those.
 */
async function missing(
  scope: Scope,
  accountId: string,
  {
    post,
    ids,
    cut,
    from,
    before,
    begun,
    oldest,
  }: Listed & { post: string; before?: string; begun: Date; oldest: Date },
): Promise<ReadStep[]> {
  const [rows] = await scope.read(query<{ comment: string }>`
    select m.external_id as comment from thread t
    join message m on m.workspace_id = t.workspace_id and m.thread_id = t.id
    cross join lateral (select split_part(t.key, ':', 2) as id) root
    left join message r on r.workspace_id = t.workspace_id and r.account_id = t.account_id and r.external_id = root.id
    where t.workspace_id = ${scope.workspaceId} and t.account_id = ${accountId} and t.post_ref = ${post}
      and m.kind = 'COMMENT' and m.direction = 'IN' and m.removed_at is null and m.at >= ${oldest} and m.at < ${begun}
      and m.external_id <> all (${ids}::text[]) and (m.external_id = root.id or root.id <> all (${cut}::text[]))
      and coalesce(r.at, m.at) > coalesce(${from}::timestamptz, '-infinity')
      and coalesce(r.at, m.at) < coalesce(${before ?? null}::timestamptz, 'infinity')`)
  return rows.map(({ comment }) => ({ list: 'comment', comment, after: null }))
}

/** Returns the first steps: the conversations, and the recent posts that are ours or have comments. */
async function stepsOf(scope: Scope, accountId: string, oldest: Date): Promise<ReadStep[]> {
  const [posts] = await scope.read(query<{ post: string }>`
    select external_id as post from publication where workspace_id = ${scope.workspaceId} and account_id = ${accountId}
      and state = 'PUBLISHED' and published_at > ${oldest} and external_id is not null
    union select post_ref from thread where workspace_id = ${scope.workspaceId} and account_id = ${accountId}
      and kind = 'COMMENT' and last_in_at > ${oldest} and post_ref is not null`)
  return [
    { list: 'conversations', after: null },
    ...posts.map(({ post }): ReadStep => ({ list: 'comments', post, after: null })),
  ]
}

const continueLater = (
  scope: Scope,
  { accountId, begun, steps }: { accountId: string; begun: Date; steps: ReadStep[] },
  runAt: Date,
) =>
  scope.transaction(async (tx) => {
    const data = { accountId, begun: begun.toISOString(), steps }
    await tx.run(underway(tx, accountId, new Date(runAt.getTime() + LOST_AFTER)))
    tx.enqueue('inbox-reading', data, { key: `reading:${accountId}`, runAt })
  })

/** Makes the watch begin no other reading of an account until a time. An outage or a reconnection still does. */
const underway = ({ workspaceId }: Pick<Tx, 'workspaceId'>, accountId: string, until: Date) =>
  query`update inbox_reading set underway_until = ${until}
    where workspace_id = ${workspaceId} and account_id = ${accountId}`

const keepUnderway = async (scope: Scope, accountId: string, milliseconds: number) =>
  void (await scope.write(underway(scope, accountId, new Date(scope.now().getTime() + milliseconds))))

const storeReadAt = (scope: Scope, accountId: string, at: Date) =>
  scope.transaction(async (tx) => {
    await tx.run(query`insert into inbox_reading (workspace_id, account_id, read_at)
      values (${tx.workspaceId}, ${accountId}, ${at})
      on conflict (workspace_id, account_id) do update set read_at = greatest(inbox_reading.read_at, excluded.read_at),
        underway_until = null`)
  })

type Sweeping = Pick<Scopes, 'ask' | 'scope'>
type Networks = Pick<Services, 'networks'>

const isIdle = sql`coalesce(r.underway_until, '-infinity') <= app_now()`

/**
 * Enqueues a reading of the connected accounts of some networks that were last read before a time, or never: of all, or
 * of those that no reading is under way for. An account that was connected on a plan without conversations was never
 * read. The queue has one reading of an account: a new one replaces the one that waits, with its steps.
 */
async function readAll(
  scope: Scope,
  scopes: Sweeping,
  { of, before, which }: { of: readonly Network[]; before: Date; which: 'all' | 'idle' },
): Promise<void> {
  const platforms = of.map(({ platform }) => platform)
  const accounts = await scopes.ask(
    'inbox',
    query<{ workspaceId: string; id: string }>`select a.workspace_id, a.id from social_account a
      join workspace w on w.id = a.workspace_id
      left join inbox_reading r on r.workspace_id = a.workspace_id and r.account_id = a.id
      where ${isInboxRead} and a.status = 'CONNECTED' and a.platform = any (${platforms}::text[])
        and coalesce(r.read_at, '-infinity') <= ${before} and (${which === 'all'} or ${isIdle})`,
  )
  await readLater(scope, scopes, accounts)
}

/** The networks whose accounts are read. */
const readNetworks = ({ networks }: Networks) =>
  networks.all().filter(({ inbox, commentCounts }) => inbox ?? commentCounts)

async function readLater(scope: Scope, scopes: Sweeping, accounts: readonly { workspaceId: string; id: string }[]) {
  for (const { workspaceId, id } of accounts) {
    await scopes
      .scope(workspaceId, scope.actor)
      .transaction(async (tx) => void tx.enqueue('inbox-reading', { accountId: id }, { key: `reading:${id}` }))
  }
}

/** Enqueues a reading of the accounts that have not been read for six hours. */
export const readSilent = (scope: Scope, scopes: Sweeping, ports: Networks) =>
  readAll(scope, scopes, {
    of: readNetworks(ports),
    before: new Date(scope.now().getTime() - READ_EVERY),
    which: 'idle',
  })

/** Enqueues a reading of the accounts whose network reports only comment counts. */
export const countComments = (scope: Scope, scopes: Sweeping, { networks }: Networks) =>
  readAll(scope, scopes, {
    of: networks.all().filter(({ commentCounts }) => commentCounts),
    before: new Date(scope.now().getTime() - COUNT_EVERY),
    which: 'idle',
  })

// ---- outages

/** How often a process that accepts webhooks records a heartbeat, in milliseconds. */
const HEARTBEAT_EVERY = 15_000
/** Networks deliver again what was not accepted during an outage shorter than this. */
const SHORT_OUTAGE = 60_000

/**
 * Records until stopped that webhooks are accepted. After an outage it enqueues a reading of all accounts. Returns a
 * function that stops it.
 */
export async function startHeartbeat(scope: Scope, scopes: Sweeping, ports: Networks): Promise<() => void> {
  const [last] = await scopes.ask('inbox', query<{ at: Date }>`select at from inbox_alive`)
  const beat = () =>
    scopes.ask(
      'inbox',
      query`insert into inbox_alive (at) values (app_now()) on conflict (singleton) do update set at = excluded.at`,
      { relaxed: true },
    )
  const now = scope.now()
  if (last && now.getTime() - last.at.getTime() > SHORT_OUTAGE) {
    // What was written meanwhile may belong to a step that a waiting reading has made already.
    await readAll(scope, scopes, { of: readNetworks(ports), before: now, which: 'all' })
  }
  await beat()
  const timer = setInterval(() => {
    beat().catch((error: unknown) => scope.log.warn({ err: error }, 'the heartbeat of webhooks could not be stored'))
  }, HEARTBEAT_EVERY).unref()
  return () => clearInterval(timer)
}
