import { isClaimedElsewhere, recordRemotePost } from '../../delivery/deliveries.ts'
import { sameText } from '../../networks/rules.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { postDriver } from './post.ts'

/** A live post that a network shows. */
export interface Sighting {
  id: string
  text: string
  permalink: string | null
  publishedAt: Date
  /** Whether this application made it; null where the network does not tell. */
  isOurs: boolean | null
}

/** The network's clock and ours differ by this much at most, in milliseconds. */
const SKEW = 120_000

/**
 * Settles the UNCONFIRMED targets of an account whose post is among these. Only where one post can be the one target's: it has the
 * same text, is not older than the try, and belongs to no other target. Everything else stays with a person.
 */
export async function settleSightings(scope: Scope, accountId: string, seen: readonly Sighting[]): Promise<void> {
  if (seen.length === 0) return
  const [targets, taken] = await scope.read(
    query<{ id: string; subjectId: string; text: string; intentAt: Date }>`
      select id, post_id as subject_id, sent ->> 'text' as text, coalesce(first_intent_at, intent_at) as intent_at from publication
      where workspace_id = ${scope.workspaceId} and account_id = ${accountId} and state = 'UNCONFIRMED' and dropped_at is null
        and external_id is null and sent ->> 'text' <> '' and intent_at is not null`,
    query<{ externalId: string }>`select external_id from publication
      where workspace_id = ${scope.workspaceId} and account_id = ${accountId}
        and external_id = any (${seen.map(({ id }) => id)}::text[])`,
  )
  const known = new Set(taken.map(({ externalId }) => externalId))
  const free = seen.filter(({ id, isOurs }) => isOurs !== false && !known.has(id))
  for (const target of targets) {
    const alike = targets.filter(({ text }) => sameText(text, target.text))
    const possible = free.filter(
      ({ text, publishedAt }) =>
        sameText(text, target.text) && publishedAt.getTime() >= target.intentAt.getTime() - SKEW,
    )
    const [post, ...others] = possible
    if (!post || others.length > 0 || alike.length > 1) continue
    const { id: externalId, permalink, publishedAt } = post
    try {
      await recordRemotePost(scope, postDriver, target, { state: 'PUBLISHED', externalId, permalink, publishedAt })
    } catch (error) {
      if (!isClaimedElsewhere(error)) throw error
    }
  }
}
