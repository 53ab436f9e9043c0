import { query, sql } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import type { DiscoveredAccount } from '../../networks/network.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { retryAfter } from '../metrics/rules.ts'
import { type AccountState, type LookUpAccount, lookUp, type LookUpPorts, mayLookUp } from './look-up.ts'

// Reads each competitor once a day, in the early morning of its workspace.

/** How many characters of a post's caption are kept. */
const KEPT_CAPTION = 300
/** How long snapshots are kept: as long as the figures of posts. */
const KEPT = '25 months'

/** A reading that is later than this has no job that can succeed. */
const OVERDUE = '1 hour'

/** Enqueues the overdue readings. */
export async function sweepCompetitors(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const overdue = await scopes.ask(
    'metrics',
    query<{ workspaceId: string; id: string }>`select c.workspace_id, c.id from competitor c
      join workspace w on w.id = c.workspace_id and w.deleted_at is null
      where c.next_at <= app_now() - ${OVERDUE}::interval and ${isInPlan(sql`c.workspace_id`, 'competitors')}`,
  )
  for (const { workspaceId, id } of overdue) {
    await scopes.scope(workspaceId, scope.actor).transaction(async (tx) => enqueueReading(tx, id))
  }
}

const enqueueReading = (tx: Tx, id: string, runAt?: Date) =>
  tx.enqueue('competitor-reading', { competitorId: id }, { key: `competitor:${id}`, ...(runAt && { runAt }) })

/**
 * Reads an account, as a job. Each run plans the next one in the transaction that stores its result. In a deleted
 * workspace, and on a plan without competitors, nothing is read or planned. The sweep goes on afterwards.
 */
export async function readCompetitor(scope: Scope, ports: LookUpPorts, id: string): Promise<void> {
  const [[found]] = await scope.read(query<
    LookUpAccount & AccountState & { known: string; username: string; failures: number; error: string | null }
  >`
    select c.external_id as known, c.username, c.failures, c.error, a.granted_scopes, a.id as account_id, a.platform, a.external_id, a.network_user, a.access_token, a.status
    from competitor c join social_account a on a.workspace_id = c.workspace_id and a.id = c.account_id
    join workspace w on w.id = c.workspace_id and w.deleted_at is null
    where c.workspace_id = ${scope.workspaceId} and c.id = ${id} and ${isInPlan(sql`c.workspace_id`, 'competitors')}`)
  if (!found) return
  const { known, username, failures, error } = found
  const { discovery } = ports.networks.get(found.platform)
  const mayAsk = !discovery || mayLookUp(found, discovery)
  const answer = mayAsk ? await lookUp(scope, ports, found, username) : 'not_connected'
  await scope.transaction(async (tx) => {
    if (typeof answer === 'string') return planReading(tx, id, { error: answer })
    if ('until' in answer) return planReading(tx, id, { error, failures, at: answer.until })
    if ('error' in answer) {
      const { failure, retryAfterMs } = answer.error
      const at = new Date(tx.now.getTime() + retryAfter(failures + 1, retryAfterMs))
      return planReading(tx, id, { error: failure, failures: failures + 1, at })
    }
    // Someone else may have taken the name, after the account changed its own.
    if (answer.account.externalId !== known) return planReading(tx, id, { error: 'not_discoverable' })
    await storeSnapshot(tx, id, answer.account)
    return planReading(tx, id)
  })
}

/**
 * Stores what an account shows as the reading of the workspace's current day. A later reading on that day replaces it.
 */
export async function storeSnapshot(tx: Tx, id: string, account: DiscoveredAccount): Promise<void> {
  const { username, name, followers, mediaCount } = account
  const posts = account.posts.map(({ text, ...post }) => ({
    ...post,
    caption: Array.from(text).slice(0, KEPT_CAPTION).join(''),
    publishedAt: post.publishedAt.toISOString(),
  }))
  // A competitor that was removed in the meantime has no row.
  await tx.run(query`insert into competitor_snapshot as s (workspace_id, competitor_id, day, read_at, followers, media_count, posts)
    select c.workspace_id, c.id, (${tx.now}::timestamptz at time zone w.timezone)::date, ${tx.now}, ${followers}, ${mediaCount},
      ${asJson(posts)}::jsonb
    from competitor c join workspace w on w.id = c.workspace_id where c.workspace_id = ${tx.workspaceId} and c.id = ${id}
    on conflict (workspace_id, competitor_id, day) do update set read_at = excluded.read_at, followers = excluded.followers,
      media_count = excluded.media_count, posts = excluded.posts where excluded.read_at > s.read_at`)
  await tx.run(query`update competitor set username = ${username}, name = ${name}
    where workspace_id = ${tx.workspaceId} and id = ${id}`)
  await tx.run(query`delete from competitor_snapshot where workspace_id = ${tx.workspaceId} and competitor_id = ${id}
    and day < ${tx.now}::date - ${KEPT}::interval`)
}

/** Plans the next reading for the next morning, or for the given time. */
export async function planReading(
  tx: Tx,
  id: string,
  { error = null, failures = 0, at = null }: { error?: string | null; failures?: number; at?: Date | null } = {},
): Promise<void> {
  const morning = sql`((${tx.now}::timestamptz at time zone w.timezone)::date + 1 + time '04:00'
    + mod(abs(hashtext(c.id::text)), 120) * interval '1 minute') at time zone w.timezone`
  const [planned] = await tx.run(query<{ nextAt: Date }>`
    update competitor c set next_at = coalesce(${at}::timestamptz, ${morning}), failures = ${failures}, error = ${error}
    from workspace w where w.id = c.workspace_id and c.workspace_id = ${tx.workspaceId} and c.id = ${id} returning c.next_at`)
  if (planned) enqueueReading(tx, id, planned.nextAt)
}
