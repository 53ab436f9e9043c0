import { uuidv7 } from 'uuidv7'
import { needReconnect } from '../../channels/accounts.ts'
import { type Holder, withToken } from '../../channels/accounts-refresh.ts'
import { query } from '../../core/platform/db.ts'
import { asJson } from '../../core/platform/json.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import { type FoundPage, type FoundPost, type Network, NetworkError } from '../../networks/network.ts'
import type { Platform } from '../../networks/api.ts'
import { settleByRemotePosts } from '../../publishing/sending/remote-posts.ts'
import type { Services } from '../../services.ts'
import { LAST_AGE, nextReading, spareOf } from './rules.ts'
import { storeReadings } from './store.ts'

// Finds the live posts of an account that were not made with Parley, by the network's list of all posts: once those of
// the last 90 days, and then the new ones each day.

/** The maximum number of pages of one search, which is about `MOST_FOUND` posts. */
const PAGES = 8

type FindingPorts = Pick<Services, 'crypto' | 'networks' | 'budget'>

export interface Searched {
  id: string
  platform: Platform
  externalId: string
  networkUser: string
  accessToken: string | null
  foundAt: Date | null
  /** Where the first search continues. */
  foundAfter: string | null
}

/**
 * How a turn ended: successfully, with an error, or unfinished. An unfinished turn continues at the given time, if
 * there is one.
 */
export type Ending = { ok: true } | Stopped
type Stopped = { error: NetworkError } | { at: Date | null }

/** Returns the ending that counts for two turns: the first error, or else the first that is unfinished. */
export function worseOf(first: Ending, second: Ending): Ending {
  if ('error' in first || 'ok' in second) return first
  return 'error' in second || 'ok' in first ? second : first
}

/**
 * Returns the ending of a turn that an error ended, after `withToken`. A token that the network refused marks the
 * account, and nothing more is planned until a person reconnects it.
 */
export async function endingOf(scope: Scope, holder: Holder, error: NetworkError): Promise<Stopped> {
  const waits =
    error.kind === 'AUTH' && (await scope.transaction((tx) => needReconnect(tx, holder.accountId, holder.accessToken)))
  return waits ? { at: null } : { error }
}

/** Whether the account waits for a person, so that no further call can succeed. */
export const isHalted = (ending: Ending) => 'at' in ending && ending.at === null

/** How far, in milliseconds, a daily search overlaps with the one before, because a list may show a post late. */
const OVERLAP = 3_600_000

/**
 * Searches as far as the call budget allows, and returns how it ended with the further names that are gone. A first
 * search that was interrupted continues where it stopped. Every other search begins with the newest post and goes back
 * to the previous search.
 */
export async function findPosts(
  scope: Scope,
  scopes: Pick<Scopes, 'ask'>,
  ports: FindingPorts,
  network: Network,
  account: Searched,
  { gone: known, isGranted }: { gone: ReadonlySet<string>; isGranted: boolean },
): Promise<{ ending: Ending; gone: string[] }> {
  const gone = new Set(known)
  const ending = await search(scope, scopes, ports, network, account, { gone, isGranted })
  return { ending, gone: [...gone].filter((name) => !known.has(name)) }
}

/**
 * Searches, and adds to `gone` the names that the network refuses, also before an error. Returns how the search ended.
 */
async function search(
  scope: Scope,
  scopes: Pick<Scopes, 'ask'>,
  ports: FindingPorts,
  network: Network,
  account: Searched,
  ask: { gone: Set<string>; isGranted: boolean },
): Promise<Ending> {
  const { foundAt } = account
  const oldest = new Date(foundAt === null ? scope.now().getTime() - LAST_AGE : foundAt.getTime() - OVERLAP)
  const seen: FoundPost[] = []
  let after = foundAt === null ? account.foundAfter : null
  const isWhole = after === null
  // All posts since this time were listed.
  let since = Infinity
  for (let pages = 1; ; pages += 1) {
    const listed = await listPage(scope, ports, network, account, { ...ask, after })
    if ('error' in listed || 'at' in listed) {
      // If the network refuses a cursor, it is dropped, and the next search begins with the newest post.
      if ('error' in listed && after !== null && pages === 1) await goOnAfter(scope, account.id, null, foundAt)
      return listed
    }
    const { page, readAt } = listed
    const recent = page.posts.filter(({ publishedAt }) => publishedAt > oldest)
    seen.push(...page.posts)
    since = Math.min(since, ...page.posts.map(({ publishedAt }) => publishedAt.getTime()))
    await takeIn(scope, account.id, recent, readAt)
    after = page.after
    const isOver = after === null || recent.length < page.posts.length || pages === PAGES
    if (!isOver) {
      if (foundAt === null) await goOnAfter(scope, account.id, after, null)
      continue
    }
    // Only a list of all posts since an attempt shows which of them can be its own.
    if (isWhole) await settleByRemotePosts(scope, scopes, account, { seen, since: after === null ? 0 : since })
    await endSearch(scope, account, readAt)
    return { ok: true }
  }
}

const goOnAfter = (scope: Scope, accountId: string, after: string | null, foundAt: Date | null) =>
  scope.write(query`update account_sync set found_after = ${after}, found_at = ${foundAt}
    where workspace_id = ${scope.workspaceId} and account_id = ${accountId}`)

/**
 * Records that the list was read. The first time, its posts are tagged immediately, because an hour would be long for a
 * new account.
 */
function endSearch(scope: Scope, { id, foundAt }: Searched, readAt: Date): Promise<void> {
  return scope.transaction(async (tx) => {
    await tx.run(query`update account_sync set found_after = null, found_at = ${readAt}
      where workspace_id = ${tx.workspaceId} and account_id = ${id}`)
    if (foundAt === null) tx.enqueue('post-classify', { own: true }, { key: `classify:${tx.workspaceId}` })
  })
}

/** Returns one page of the list, the error of the network, or when there are calls again. */
async function listPage(
  scope: Scope,
  ports: FindingPorts,
  network: Network,
  account: Searched,
  ask: { gone: Set<string>; isGranted: boolean; after: string | null },
): Promise<{ page: FoundPage; readAt: Date } | Stopped> {
  const who = { app: network.app, userKey: account.networkUser }
  const spare = spareOf(ports.budget.limit(network.platform))
  const calls = network.metrics.listCost + spare + 1
  const reserved = await ports.budget.reserve(who, calls, 'metric_read', network.platform)
  if ('until' in reserved) return { at: reserved.until }
  const readAt = scope.now()
  const holder = { accountId: account.id, accessToken: account.accessToken }
  try {
    const page = await withToken(scope, ports, holder, (accessToken) =>
      network.metrics.list(
        { account: { externalId: account.externalId, accessToken }, reservation: reserved.reservation },
        { ...ask, spare },
      ),
    )
    return { page, readAt }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.warn({ err: error, accountId: account.id }, 'the posts of an account could not be listed')
    return endingOf(scope, holder, error)
  } finally {
    await reserved.release()
  }
}

/** Begins to measure posts that were unknown or gone, with the figures from the list. */
async function takeIn(scope: Scope, accountId: string, posts: readonly FoundPost[], readAt: Date): Promise<void> {
  const rows = posts.map(({ id: externalId, kind, text, permalink, publishedAt }) => ({
    id: uuidv7(),
    externalId,
    kind: kind ?? 'post',
    caption: text,
    permalink,
    publishedAt,
    nextReadAt: nextReading({ kind: kind ?? 'post', publishedAt }, readAt),
  }))
  const added = await scope.write(query<{ externalId: string }>`
    insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, permalink, published_at, next_read_at)
    select distinct on (r."externalId") ${scope.workspaceId}::uuid, r.id, ${accountId}::uuid, r."externalId", r.kind, r.caption, r.permalink, r."publishedAt", r."nextReadAt"
    from json_to_recordset(${asJson(rows)}::json) as r(id uuid, "externalId" text, kind text, caption text, permalink text,
      "publishedAt" timestamptz, "nextReadAt" timestamptz)
    on conflict (workspace_id, account_id, external_id) do update set gone_at = null, missing_at = null,
      next_read_at = excluded.next_read_at where measured_post.gone_at is not null returning external_id`)
  // This includes posts of a turn that stopped after adding them. The first reading of our own posts happens at its
  // time.
  const [unread] = await scope.read(query<{ externalId: string }>`select external_id from measured_post
    where workspace_id = ${scope.workspaceId} and account_id = ${accountId} and read_at is null and delivery_id is null
      and external_id = any (${posts.map(({ id }) => id)}::text[])`)
  const isNew = new Set([...added, ...unread].map(({ externalId }) => externalId))
  const readings = posts.filter(({ id }) => isNew.has(id)).map((post) => ({ ...post, unmeasurable: false }))
  const found = { readings, missing: [], refused: [], gone: [], error: null }
  await storeReadings(scope, { accountId, due: [], found, readAt })
}
