import { isClaimedElsewhere, recordRemotePost } from '../../delivery/settle.ts'
import { postsOn } from '../../delivery/queue.ts'
import type { Platform } from '../../networks/api.ts'
import { NETWORK_CLOCK_SKEW, sameText } from '../../networks/rules.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import { postDriver } from './post.ts'

/** A live post in a network's list of posts. */
export interface ListedPost {
  id: string
  text: string
  permalink: string | null
  publishedAt: Date
  /** Whether this application made the post; null if the network does not tell. */
  isOurs: boolean | null
}

/** The longest time from a try until its post is live, in milliseconds. */
const LIVE_WITHIN = 24 * 3_600_000

interface Seen {
  seen: readonly ListedPost[]
  /** `seen` is complete from this time on, in milliseconds. */
  since: number
}

/**
 * Settles UNCONFIRMED targets of an account whose post is among those seen. It does so only if a single post can belong
 * to the target: it has the same text, went live within a day of the try, belongs to no other delivery to this account
 * in any workspace, and no other delivery may have made it. All other targets are left to a person.
 */
export async function settleByRemotePosts(
  scope: Scope,
  scopes: Pick<Scopes, 'ask'>,
  account: { id: string; platform: Platform; externalId: string },
  { seen, since }: Seen,
): Promise<void> {
  const [targets] = await scope.read(
    query<{ id: string; subjectId: string; text: string; first: Date; last: Date }>`
      select id, post_id as subject_id, sent ->> 'text' as text, coalesce(first_intent_at, intent_at) as first, intent_at as last
      from publication where workspace_id = ${scope.workspaceId} and account_id = ${account.id} and state = 'UNCONFIRMED'
        and dropped_at is null and external_id is null and sent ->> 'text' <> '' and intent_at is not null`,
  )
  if (targets.length === 0) return
  const { claimed, withoutId } = await postsOn(
    scopes,
    account,
    seen.map(({ id }) => id),
  )
  const free = seen.filter(({ id, isOurs }) => isOurs !== false && !claimed.includes(id))
  for (const { id, subjectId, text, first, last } of targets) {
    if (since > first.getTime() - NETWORK_CLOCK_SKEW) continue
    if (withoutId.some((other) => other.id !== id && sameText(other.text, text))) continue
    const [post, ...others] = free.filter(
      (one) =>
        sameText(one.text, text) &&
        one.publishedAt.getTime() >= first.getTime() - NETWORK_CLOCK_SKEW &&
        one.publishedAt.getTime() <= last.getTime() + LIVE_WITHIN,
    )
    if (!post || others.length > 0) continue
    const { id: externalId, permalink, publishedAt } = post
    try {
      await recordRemotePost(
        scope,
        postDriver,
        { id, subjectId },
        { state: 'PUBLISHED', externalId, permalink, publishedAt },
      )
    } catch (error) {
      if (!isClaimedElsewhere(error)) throw error
    }
  }
}
