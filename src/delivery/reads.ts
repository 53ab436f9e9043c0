import { storableText } from '../core/platform/rules.ts'
import type { Scope } from '../core/platform/scope.ts'
import { type Network, NetworkError, type RemotePost, type Since } from '../networks/network.ts'
import type { DeliveryError } from './api.ts'
import type { Call, Claimed, Driver } from './driver.ts'
import { acceptedVerdict, assign, type CallClass, errorFor, later, LEASE, liveVerdict, type Verdict } from './rules.ts'
import { afterRefusal, callOf, momentOf, type Outcome, type StepPorts, withPermalink, withRenewal } from './step.ts'

// One read of the network for a delivery: whether it is there. reconcile.ts reads until the outcome is known; run.ts
// reads before it sends an unproven delivery again, and after a refusal as a duplicate.

/** Does `work` with the calls of one read reserved, or returns when calls are free. */
export async function withReadCalls<T>(
  scope: Scope,
  ports: StepPorts,
  row: Claimed,
  calls: CallClass,
  work: (call: Call) => Promise<T>,
): Promise<T | { until: Date }> {
  const network = ports.networks.get(row.platform)
  const who = { app: network.app, userKey: row.networkUser }
  const reserved = await ports.budget.reserve(who, ports.driver.readCost(network), calls, row.platform)
  if ('until' in reserved) return reserved
  try {
    return await work(callOf(scope, ports, network, row, reserved.reservation))
  } finally {
    await reserved.release()
  }
}

/** The result of one read of the network: the post, its absence, or neither. */
export type ReadResult = RemotePost | 'accepted' | 'absent' | 'unprovable' | { meant: RemotePost[] }

/** Reads once. If several posts match, `assign` decides which one is ours, if it can. */
export async function look(scope: Scope, ports: StepPorts, row: Claimed, call: Call): Promise<ReadResult> {
  const since = sinceOf(scope, call.network, row)
  const seen = await withRenewal(scope, ports, row, call, () => ports.driver.find(call, since))
  if (seen === 'accepted' || seen === 'unprovable') return seen
  const ids = seen.flatMap((each) => each.externalId ?? [])
  const others = ids.length > 0 ? await ports.othersOn(row, ids) : { claimed: [], withoutId: [] }
  const ours = seen.filter(({ externalId }) => externalId === null || !others.claimed.includes(externalId))
  // The network reports these handles as published, so this post is live, although another delivery has the post that
  // was read.
  if (ours.length === 0 && seen.length > 0 && hasHandles(row)) return unnamed
  const mine = { id: row.id, networkAt: row.networkAt, intentAt: since.ours }
  const found = assign(ours, mine, others.withoutId)
  return found === 'none' ? 'absent' : found === 'ambiguous' ? { meant: ours } : found
}

const hasHandles = ({ handles }: Claimed) => Object.keys(handles).length > 0

/** A live post with an unknown id. */
const unnamed: RemotePost = { externalId: null, permalink: null, publishedAt: null }

const sinceOf = (scope: Scope, network: Network, row: Claimed): Since => ({
  at: row.networkAt,
  seen: network.clock.now(),
  ours: (row.firstIntentAt ?? row.intentAt) as Date,
  now: scope.now(),
})

/**
 * The verdict for a live post. If another delivery has the id, the post is live without an id if the network knows its
 * handles; otherwise it is read again later.
 */
export async function liveOutcome(
  scope: Scope,
  ports: StepPorts,
  row: Claimed,
  call: Call,
  seen: RemotePost,
): Promise<Outcome> {
  const verdict = liveVerdict(await withPermalink(scope, ports, row, call, seen), scope.now())
  const otherwise: Verdict = hasHandles(row)
    ? liveVerdict(unnamed, scope.now())
    : {
        state: 'SUBMITTING',
        phase: row.phase ?? 'commit',
        nextAt: later(scope.now(), LEASE / ports.settings.timeScale),
      }
  return { row, verdict, otherwise: { row, verdict: otherwise } }
}

/** The error that asks a person to check the network, with the addresses of the posts that may be ours. */
export function unconfirmed({ words }: Driver, meant: readonly RemotePost[]): DeliveryError {
  const posts = meant.flatMap(({ permalink, externalId }) => permalink ?? externalId ?? []).join(' ')
  if (posts) return errorFor('outcome_unknown/several', { posts: storableText(posts, 2000) })
  return errorFor(words === 'post' ? 'outcome_unknown' : `outcome_unknown/${words}`)
}

/**
 * Reads once before an UNCONFIRMED delivery is sent again, whatever a person saw on the network. Returns null if it may
 * be sent.
 */
export async function readBeforeSending(scope: Scope, ports: StepPorts, row: Claimed): Promise<Outcome | null> {
  try {
    const outcome = await withReadCalls(scope, ports, row, row.calls, async (call): Promise<Outcome | null> => {
      const seen = await look(scope, ports, row, call)
      // Nothing can be proven, so the person's statement decides.
      if (seen === 'absent' || seen === 'unprovable') return null
      if (seen === 'accepted') return { row, verdict: acceptedVerdict(row, momentOf(scope, ports)) }
      if ('meant' in seen)
        return { row, verdict: { state: 'UNCONFIRMED', error: unconfirmed(ports.driver, seen.meant) } }
      return liveOutcome(scope, ports, row, call, seen)
    })
    if (!outcome || !('until' in outcome)) return outcome
    return { row, verdict: { state: 'PENDING', nextAt: outcome.until, waitReason: 'limit' } }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    // Still unreadable, so the person's statement decides here too. A network that refuses the read for its token or a
    // limit would also refuse the post.
    if (error.kind !== 'AUTH' && error.kind !== 'RATE_LIMIT') return null
    return { row, verdict: await afterRefusal(scope, ports, row, error, { where: 'prepare', restart: false }) }
  }
}

/**
 * Reads once after the network refused the first try as a duplicate: a proxy may have sent the request twice, and the
 * first copy is then live. Returns null if it is not found.
 */
export async function readAfterDuplicate(scope: Scope, ports: StepPorts, row: Claimed): Promise<Outcome | null> {
  try {
    const outcome = await withReadCalls(scope, ports, row, 'finish', async (call) => {
      const seen = await look(scope, ports, row, call)
      return typeof seen !== 'object' || 'meant' in seen ? null : liveOutcome(scope, ports, row, call, seen)
    })
    return outcome && 'until' in outcome ? null : outcome
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return null
  }
}
