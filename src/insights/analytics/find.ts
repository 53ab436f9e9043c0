import { uuidv7 } from 'uuidv7'
import { withToken } from '../../channels/accounts-refresh.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { type FoundPage, type FoundPost, type Network, NetworkError } from '../../networks/network.ts'
import { settleSightings } from '../../publishing/sending/sighting.ts'
import type { Services } from '../../services.ts'
import { LAST_AGE, nextReading } from './rules.ts'
import { storeReadings } from './store.ts'

// Finds the live posts of an account that Parley did not make, by the network's list of all of them: the posts of the last 90 days
// once, and what is new each day.

/** Pages of one search: about 200 posts. */
const PAGES = 8

type Ports = Pick<Services, 'crypto' | 'networks' | 'budget'>

export interface Searched {
  id: string
  externalId: string
  networkUser: string
  accessToken: string | null
  foundAt: Date | null
  /** Where the first search goes on. */
  foundAfter: string | null
}

/** Searches as far as the call budget allows. Returns the names of metrics that the network no longer takes. */
export async function findPosts(
  scope: Scope,
  ports: Ports,
  network: Network,
  account: Searched,
  ask: { gone: ReadonlySet<string>; isGranted: boolean },
): Promise<string[]> {
  const who = { app: network.app, userKey: account.networkUser }
  const holder = { accountId: account.id, accessToken: account.accessToken }
  const oldest = new Date(scope.now().getTime() - LAST_AGE)
  const gone: string[] = []
  let after = account.foundAfter
  for (let pages = 0; pages < PAGES; pages += 1) {
    const reserved = await ports.budget.reserve(who, network.metrics.listCost + 1, 'metric_read', network.platform)
    if ('until' in reserved) return gone
    const readAt = scope.now()
    let page: FoundPage
    try {
      page = await withToken(scope, ports, holder, (accessToken) =>
        network.metrics.list(
          { account: { externalId: account.externalId, accessToken }, reservation: reserved.reservation },
          { ...ask, after },
        ),
      )
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      scope.log.warn({ err: error, accountId: account.id }, 'the posts of an account could not be listed')
      return gone
    } finally {
      await reserved.release()
    }
    gone.push(...page.gone)
    const recent = page.posts.filter(({ publishedAt }) => publishedAt > oldest)
    await settleSightings(scope, account.id, recent)
    const isNew = await takeIn(scope, account.id, recent, readAt)
    after = page.after
    const isOver =
      after === null || recent.length < page.posts.length || (account.foundAt !== null && !isNew.includes(true))
    await scope.write(query`update account_sync set found_after = ${isOver ? null : after},
        found_at = case when ${isOver || pages === PAGES - 1} then ${readAt}::timestamptz else found_at end
      where workspace_id = ${scope.workspaceId} and account_id = ${account.id}`)
    if (isOver) return gone
  }
  return gone
}

/** Begins to measure the posts that are not known yet, with what the list told of them. Returns which ones are new. */
async function takeIn(scope: Scope, accountId: string, posts: readonly FoundPost[], readAt: Date): Promise<boolean[]> {
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
    select ${scope.workspaceId}, r.id, ${accountId}, r."externalId", r.kind, r.caption, r.permalink, r."publishedAt", r."nextReadAt"
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(id uuid, "externalId" text, kind text, caption text, permalink text,
      "publishedAt" timestamptz, "nextReadAt" timestamptz)
    on conflict (workspace_id, account_id, external_id) do nothing returning external_id`)
  const isNew = new Set(added.map(({ externalId }) => externalId))
  const readings = posts.filter(({ id }) => isNew.has(id)).map((post) => ({ ...post, unmeasurable: false }))
  const found = { readings, missing: [], refused: [], gone: [], error: null }
  await storeReadings(scope, { accountId, due: [], found, readAt })
  return posts.map(({ id }) => isNew.has(id))
}
