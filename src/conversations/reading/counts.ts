import { query } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { withToken } from '../../channels/accounts-refresh.ts'
import { type CountedPage, type CountedPost, type Network, NetworkError } from '../../networks/network.ts'
import type { Services } from '../../services.ts'
import { type CountedRise, lowerCounts, openCounted } from '../threads/inbound.ts'
import { callsOf, type Counts, countsAfter, risenSince } from './rules.ts'

// Some networks do not show apps the comments below a post, or announce new ones, but only count them. This count is
// read often, and a post whose count rises gets a thread with a link to the network.

type CountingPorts = Pick<Services, 'networks' | 'crypto' | 'budget' | 'settings'>

/** The maximum number of calls of one reading if the network has no limit: 400 posts. */
const MOST_CALLS = 20

interface Account {
  id: string
  externalId: string
  networkUser: string
  accessToken: string | null
  counts: Counts | null
}

interface Counted {
  account: Account
  network: Network
  commentCounts: NonNullable<Network['commentCounts']>
  /** Older posts are ignored. */
  since: Date
}

/** Reads how many comments the posts of an account have, and opens the threads of those with more than before. */
export async function readCounts(
  scope: Scope,
  ports: CountingPorts,
  { account, network, commentCounts, since }: Counted,
): Promise<void> {
  const calls = callsOf(ports.budget.limit(network.platform)) ?? MOST_CALLS
  const who = { app: network.app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(who, calls, 'conversation_read', network.platform)
  // The next reading is soon enough.
  if ('until' in reserved) return
  const { reservation } = reserved
  const posts: CountedPost[] = []
  let isWhole = false
  try {
    await withToken(scope, ports, { accountId: account.id, accessToken: account.accessToken }, async (accessToken) => {
      const place = { account: { externalId: account.externalId, accessToken }, reservation }
      for (let made = 0, after: string | null = null; made < calls && !isWhole; made += 1) {
        const page: CountedPage = await commentCounts.list(place, after)
        const recent = page.posts.filter(({ at }) => new Date(at) >= since)
        posts.push(...recent)
        after = page.after
        isWhole = after === null || recent.length < page.posts.length
      }
    })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.warn({ err: error, accountId: account.id }, 'the comments of an account could not be counted')
    return storeCounts(scope, account, { risen: [], posts: [], counts: account.counts })
  } finally {
    await reserved.release()
  }
  await storeCounts(scope, account, {
    risen: risenSince(account.counts, posts),
    posts,
    counts: countsAfter(account.counts, posts, isWhole),
  })
}

/** Changes threads and counts in one transaction, so that each rise is noticed once. */
const storeCounts = (
  scope: Scope,
  { id: accountId }: Account,
  { risen, posts, counts }: { risen: readonly CountedRise[]; posts: readonly CountedPost[]; counts: Counts | null },
) =>
  scope.transaction(async (tx) => {
    await tx.run(query`insert into inbox_reading (workspace_id, account_id, read_at, comment_counts)
      values (${tx.workspaceId}, ${accountId}, ${tx.now}, ${counts === null ? null : JSON.stringify(counts)}::jsonb)
      on conflict (workspace_id, account_id) do update
        set read_at = greatest(inbox_reading.read_at, excluded.read_at), comment_counts = excluded.comment_counts,
          underway_until = null`)
    for (const post of risen) await openPost(tx, accountId, post)
    const changed = await lowerCounts(tx, accountId, posts)
    for (const id of changed) tx.emit({ kind: 'conversation', id })
  })

async function openPost(tx: Tx, accountId: string, post: CountedRise): Promise<void> {
  const threadId = await openCounted(tx, accountId, post)
  const { comments, before } = post
  tx.record({ type: 'thread.counted', subject: { threadId }, data: { comments, before } })
}
