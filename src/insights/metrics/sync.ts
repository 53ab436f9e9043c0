import { uuidv7 } from 'uuidv7'
import { TOKEN_CALL, withToken } from '../../channels/accounts-refresh.ts'
import { query, sql } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import {
  type ContentKind,
  type MetricsAsk,
  type Network,
  NetworkError,
  type PostsRead,
} from '../../networks/network.ts'
import type { Services } from '../../services.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { type Daily, readDays, storeDifferences } from './account.ts'
import { type Ending, endingOf, findPosts, isHalted, worseOf } from './find.ts'
import { namesGone, storeGone } from './gone.ts'
import {
  areDaysDue,
  callsOf,
  isSearchDue,
  LAST_AGE,
  nextDays,
  nextReading,
  retryAfter,
  SEARCHED_AGAIN,
  SEARCHED_EVERY,
  spareOf,
  TOGETHER,
} from './rules.ts'
import { storeReadings } from './store.ts'

// Reads the figures of an account and of its live posts, each at its scheduled ages. Publishing and people's replies
// come first: a reading gets only the calls that they leave (delivery/rules.ts).

/** How long a process may read an account before another one takes over. */
const LEASE = 600_000
/** The maximum number of calls of one reading if the network has no limit. */
const MOST_CALLS = 20
/** The minimum time between two turns of an account, whatever is still due. */
const APART = 60_000

type SyncPorts = Pick<Services, 'networks' | 'crypto' | 'budget' | 'settings'>
type Sweeping = Pick<Scopes, 'ask' | 'scope'>

interface Account extends Daily {
  platform: Platform
  grantedScopes: string[] | null
}

interface Due {
  id: string
  externalId: string
  kind: ContentKind
  publishedAt: Date
  place: number
}

/** Whether the plan of a workspace includes something that is made of figures. */
const isRead = (workspaceId: ReturnType<typeof sql>) =>
  isInPlan(workspaceId, 'analytics', 'competitors', 'predictions', 'ab_testing')

/**
 * Reads the due posts and days of an account, and plans its next reading. Only one process does so at a time. In a
 * deleted workspace, and on a plan without figures, nothing is read or planned. The sweep goes on afterwards.
 */
export async function syncAccount(scope: Scope, scopes: Sweeping, ports: SyncPorts, accountId: string): Promise<void> {
  // Readings are dated by the database clock, even just after that clock was moved.
  await scope.steadySince()
  const until = new Date(scope.now().getTime() + LEASE)
  const [claimed] = await scope.write(query<{ failures: number }>`
    insert into account_sync as s (workspace_id, account_id, lease_until)
    select a.workspace_id, a.id, ${until}::timestamptz
    from social_account a join workspace w on w.id = a.workspace_id and w.deleted_at is null
    where a.workspace_id = ${scope.workspaceId} and a.id = ${accountId} and ${isRead(sql`a.workspace_id`)}
    on conflict (workspace_id, account_id) do update set lease_until = ${until}
      where s.lease_until is null or s.lease_until <= ${scope.now()}
    returning failures`)
  if (!claimed) return
  try {
    await readDue(scope, scopes, ports, { accountId, failures: claimed.failures, until })
  } catch (error) {
    await scope.write(query`update account_sync set lease_until = null
      where workspace_id = ${scope.workspaceId} and account_id = ${accountId} and lease_until = ${until}`)
    throw error
  }
}

interface AccountReading {
  accountId: string
  failures: number
  /** Identifies the lease. */
  until: Date
}

async function readDue(scope: Scope, scopes: Sweeping, ports: SyncPorts, reading: AccountReading): Promise<void> {
  const { accountId } = reading
  const [[account]] = await scope.read(
    query<Account>`select a.id, a.platform, a.external_id, a.network_user, a.access_token, a.granted_scopes, s.found_at, s.found_after,
        s.days_at, s.gaps, w.timezone
      from social_account a join account_sync s on s.workspace_id = a.workspace_id and s.account_id = a.id
      join workspace w on w.id = a.workspace_id and w.deleted_at is null
      where a.workspace_id = ${scope.workspaceId} and a.id = ${accountId} and a.status = 'CONNECTED'`,
  )
  if (!account) return endReading(scope, reading, { at: null })
  const network = ports.networks.get(account.platform)
  const isGranted = account.grantedScopes === null || account.grantedScopes.includes(network.metrics.scope)
  const gone = await namesGone(scopes, network)
  await adopt(scope, accountId)
  let ending: Ending = { ok: true }
  if (isSearchDue(account.foundAt, scope.now())) {
    const search = await findPosts(scope, scopes, ports, network, account, { gone, isGranted })
    await storeGone(scope, scopes, network, search.gone)
    for (const name of search.gone) gone.add(name)
    ending = search.ending
    if (isHalted(ending)) return endReading(scope, reading, ending)
    // A post in the list may have proved that a target is live.
    await adopt(scope, accountId)
  }
  const hasDays = areDaysDue(account.daysAt, scope.now())
  const isByDifference = hasDays && network.metrics.account.days === null
  if (hasDays) {
    const days = await readDays(scope, ports, network, account, { gone, isGranted })
    await storeGone(scope, scopes, network, days.gone)
    for (const name of days.gone) gone.add(name)
    if (isHalted(days.ending)) return endReading(scope, reading, days.ending)
    ending = worseOf(ending, days.ending)
  }
  const due = await dueOf(scope, accountId, isByDifference)
  const hourly = ports.budget.limit(network.platform)
  const ask = askOf(due, callsOf(hourly) ?? MOST_CALLS, { network, gone, isGranted, spare: spareOf(hourly) })
  if (ask.posts.length === 0) return endReading(scope, reading, ending)

  const read = await readPosts(scope, ports, network, account, ask)
  // A failure before it counts, although its retry may have no calls either.
  if ('until' in read) return endReading(scope, reading, 'error' in ending ? ending : { at: read.until })
  const { found, readAt, ending: last } = read
  await storeGone(scope, scopes, network, found.gone)
  await storeReadings(scope, { accountId, due, found, readAt })
  if (isByDifference) await storeDifferences(scope, account)
  await endReading(scope, reading, 'ok' in last ? ending : last)
}

/** Reads the figures of posts. Returns what was read, and when, or when there are calls again. */
async function readPosts(
  scope: Scope,
  ports: SyncPorts,
  network: Network,
  { id: accountId, externalId, networkUser, accessToken: token }: Account,
  ask: MetricsAsk,
): Promise<{ found: PostsRead; readAt: Date; ending: Ending } | { until: Date }> {
  const who = { app: network.app, userKey: networkUser }
  const calls = network.metrics.cost(ask) + ask.spare + TOKEN_CALL
  const reserved = await ports.budget.reserve(who, calls, 'metric_read', network.platform)
  if ('until' in reserved) return reserved
  let readAt = scope.now()
  let found: PostsRead
  let ending: Ending = { ok: true }
  const holder = { accountId, accessToken: token }
  try {
    found = await withToken(scope, ports, holder, async (accessToken) => {
      readAt = scope.now()
      const place = { account: { externalId, accessToken }, reservation: reserved.reservation }
      const read = await network.metrics.posts(place, ask)
      // Nothing was read, so this starts again with a renewed token.
      if (read.error?.kind === 'AUTH' && isEmpty(read)) throw read.error
      return read
    })
    if (found.error) ending = { error: found.error }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    found = { readings: [], missing: [], refused: [], gone: [], error }
    ending = await endingOf(scope, holder, error)
  } finally {
    await reserved.release()
  }
  return { found, readAt, ending }
}

const isEmpty = ({ readings, missing, refused, gone }: PostsRead) =>
  readings.length + missing.length + refused.length + gone.length === 0

/** Returns the posts that are due, or all of them, newest first. */
async function dueOf(scope: Scope, accountId: string, areAll: boolean): Promise<Due[]> {
  const [due] = await scope.read(query<Due>`select * from (
      select id, external_id, kind, published_at, next_read_at,
        (row_number() over (partition by kind = 'story' order by published_at desc) - 1)::int as place
      from measured_post where workspace_id = ${scope.workspaceId} and account_id = ${accountId} and gone_at is null
    ) p where next_read_at <= ${new Date(scope.now().getTime() + TOGETHER)}
      or ${areAll} and published_at > ${new Date(scope.now().getTime() - LAST_AGE)} order by published_at desc`)
  return due
}

/** Returns the posts of one reading, newest first, as many as its calls allow. */
function askOf(
  due: readonly Due[],
  most: number,
  { network, ...how }: { network: Network } & Omit<MetricsAsk, 'posts'>,
): MetricsAsk {
  const ask = (number: number): MetricsAsk => ({
    posts: due.slice(0, number).map(({ externalId, ...post }) => ({ ...post, id: externalId })),
    ...how,
  })
  let number = due.length
  while (number > 1 && network.metrics.cost(ask(number)) + how.spare + TOKEN_CALL > most) number -= 1
  return ask(number)
}

/** Begins to measure live posts of ours that are not measured yet. */
async function adopt(scope: Scope, accountId: string): Promise<void> {
  const [posts] = await scope.read(query<{
    deliveryId: string
    externalId: string
    kind: ContentKind | null
    caption: string
    permalink: string | null
    publishedAt: Date
  }>`select t.id as delivery_id, t.external_id, p.platform_options -> a.platform ->> 'kind' as kind,
      coalesce(t.sent ->> 'text', p.caption) as caption, t.permalink, t.published_at
    from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = ${scope.workspaceId} and t.account_id = ${accountId} and t.state = 'PUBLISHED'
      and t.external_id is not null and t.dropped_at is null
      and t.published_at > ${new Date(scope.now().getTime() - LAST_AGE)}
      and not exists (select from measured_post m where m.workspace_id = t.workspace_id and m.delivery_id = t.id)`)
  if (posts.length === 0) return
  const now = scope.now()
  const rows = posts.map(({ kind, ...post }) => {
    const measured = { ...post, kind: kind ?? 'post' }
    const first = nextReading(measured, null)
    return { ...measured, id: uuidv7(), nextReadAt: first && first > now ? first : now }
  })
  await scope.transaction(async (tx) => {
    await tx.run(query`insert into measured_post (workspace_id, id, account_id, delivery_id, external_id, kind, caption, permalink,
        published_at, next_read_at)
      select ${tx.workspaceId}, r.id, ${accountId}, r."deliveryId", r."externalId", r.kind, r.caption, r.permalink,
        r."publishedAt", r."nextReadAt"
      from json_to_recordset(${asJson(rows)}::json) as r(id uuid, "deliveryId" uuid, "externalId" text, kind text,
        caption text, permalink text, "publishedAt" timestamptz, "nextReadAt" timestamptz)
      on conflict (workspace_id, account_id, external_id) do update set delivery_id = excluded.delivery_id,
        kind = excluded.kind, caption = excluded.caption where measured_post.delivery_id is null`)
  })
}

/** Gives up the lease and plans the next reading, in one transaction. */
async function endReading(scope: Scope, { accountId, failures, until }: AccountReading, ending: Ending): Promise<void> {
  await scope.transaction(async (tx) => {
    const failed = 'error' in ending ? failures + 1 : 'ok' in ending ? 0 : failures
    const earliest = new Date(
      tx.now.getTime() + ('error' in ending ? retryAfter(failed, ending.error.retryAfterMs) : APART),
    )
    const planned = sql`greatest(${earliest}::timestamptz, least(
      case when coalesce(days_at, '-infinity') < ${nextDays(tx.now)}::timestamptz - interval '1 day' then ${tx.now} else ${nextDays(tx.now)}::timestamptz end,
      coalesce(found_at + ${`${SEARCHED_EVERY} milliseconds`}::interval, ${new Date(tx.now.getTime() + SEARCHED_AGAIN)}::timestamptz),
      (select min(next_read_at) from measured_post
        where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and gone_at is null)))`
    const [reading] = await tx.run(query<{
      nextAt: Date | null
    }>`update account_sync set lease_until = null, failures = ${failed},
        next_at = ${'at' in ending ? sql`${ending.at}::timestamptz` : planned},
        ok_at = case when ${'ok' in ending} then ${tx.now} else ok_at end,
        error = ${'error' in ending ? ending.error.failure : null}
      where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and lease_until = ${until}
      returning next_at`)
    // Without a row the lease has lapsed, and another process plans.
    const nextAt = reading?.nextAt
    if (nextAt) tx.enqueue('analytics-sync', { accountId }, { key: `sync:${accountId}`, runAt: nextAt })
  })
}

// ---- the sweep

/**
 * Enqueues a reading of accounts that are due but have no job, that have a live post which is not measured yet, or that
 * were never read. Drops the figures of posts that are older than 25 months.
 */
export async function sweepAccounts(scope: Scope, scopes: Sweeping): Promise<void> {
  await scopes.ask('metrics', query`select post_metric_expire()`)
  const accounts = await scopes.ask(
    'metrics',
    query<{ workspaceId: string; id: string }>`select due.workspace_id, due.id from (
      select s.workspace_id, s.account_id as id from account_sync s
      join social_account a on a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'CONNECTED'
      join workspace w on w.id = s.workspace_id and w.deleted_at is null
      where coalesce(s.next_at <= app_now(), true) and (s.lease_until is null or s.lease_until <= app_now())
      union select a.workspace_id, a.id from social_account a
      join workspace w on w.id = a.workspace_id and w.deleted_at is null where a.status = 'CONNECTED'
        and a.connected_at < app_now() - interval '2 minutes'
        and not exists (select from account_sync s where s.workspace_id = a.workspace_id and s.account_id = a.id)
      union select t.workspace_id, t.account_id from delivery t
        join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id and a.status = 'CONNECTED'
        join workspace w on w.id = t.workspace_id and w.deleted_at is null
        where t.kind = 'post' and t.state = 'PUBLISHED' and t.external_id is not null and t.dropped_at is null
          and t.published_at > app_now() - interval '1 day'
          and not exists (select from measured_post m where m.workspace_id = t.workspace_id and m.delivery_id = t.id)
      ) due where ${isRead(sql`due.workspace_id`)}`,
  )
  for (const { workspaceId, id } of accounts) {
    await scopes
      .scope(workspaceId, scope.actor)
      .transaction(async (tx) => void tx.enqueue('analytics-sync', { accountId: id }, { key: `sync:${id}` }))
  }
}
