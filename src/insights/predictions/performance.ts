import type { PostPerformance } from '../../assistant/ai/ideas.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { instantOf } from '../../publishing/scheduler/rules.ts'
import { byDay7, getBestTimes } from './predictions.ts'
import { nextOfSlot, POSTS_NEEDED } from './rules.ts'

/** The maximum number of accounts whose best times are computed. Ideas name only a few. */
const ACCOUNTS = 5

/**
 * Returns what ideas may know about how posts did: the best times of each account, if they are more than chance, and
 * how old posts rank among the posts of their account.
 */
export async function readPerformance(scope: Scope): Promise<PostPerformance> {
  const [accounts, posts] = await scope.read(
    query<{ id: string; name: string }>`select id, name from social_account
      where workspace_id = ${scope.workspaceId} and status = 'CONNECTED' order by connected_at limit ${ACCOUNTS}`,
    query<{ postId: string; percentile: number }>`select d.post_id, max(s.rank)::float8 as percentile from (
        select p.delivery_id, percent_rank() over (partition by p.account_id order by ${byDay7}) as rank,
          count(*) over (partition by p.account_id) as posts
        from measured_post p where p.workspace_id = ${scope.workspaceId} and p.kind <> 'story'
          and p.published_at > app_now() - interval '1 year' and ${byDay7} is not null
      ) s join delivery d on d.workspace_id = ${scope.workspaceId} and d.id = s.delivery_id
      where s.posts >= ${POSTS_NEEDED} group by d.post_id`,
  )
  const times: PostPerformance['times'][number][] = []
  for (const { id, name } of accounts) {
    const { slots, timezone } = await getBestTimes(scope, id)
    for (const { slot, n, ratio, low, high } of slots) {
      const at = instantOf(nextOfSlot(slot, scope.now(), timezone), timezone)
      times.push({ account: name, at, posts: n, ratio, low, high })
    }
  }
  times.sort((a, b) => b.ratio - a.ratio)
  return { times, posts }
}
