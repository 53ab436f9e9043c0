import { storableText } from '../core/platform/rules.ts'
import { withToken } from '../channels/accounts-refresh.ts'
import { needReconnect, tokenPlace } from '../channels/accounts.ts'
import { type Network, NetworkError, type Reservation, type RemotePost, type Since } from '../networks/network.ts'
import { AppError } from '../core/errors.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import type { DeliveryError } from './api.ts'
import type { Call, Claimed, Driver } from './driver.ts'
import type { Others } from './queue.ts'
import {
  acceptedVerdict,
  afterConfirm,
  afterFailure,
  afterRead,
  afterTransient,
  assign,
  type CallClass,
  certainAge,
  errorFor,
  errorOfFailure,
  type Failure,
  type FencedRow,
  liveVerdict,
  later,
  LEASE,
  limitOf,
  type Moment,
  untilNextRead,
  type Verdict,
  verdictOf,
} from './rules.ts'

// Finds the outcome of a commit by reading only: nothing in this file sends or settles anything.

/** The external services that a step needs. */
export type StepPorts = Pick<Ports, 'networks' | 'budget' | 'crypto' | 'settings' | 'storage'> & {
  driver: Driver
  /**
   * The other deliveries of this service, in all workspaces, that have one of these ids or would look the same on the account.
   */
  othersOn(row: Claimed, ids: string[]): Promise<Others>
  random(): number
}

/** The result of a step, for the worker to settle. */
export interface Outcome {
  /** The delivery as the step leaves it. */
  row: FencedRow
  verdict: Verdict
  /** Set if the person's calls of a class are used up until then, so other deliveries of theirs must wait as well. */
  limited?: { who: { app: string; userKey: string }; refused: CallClass; until: Date }
  /**
   * The verdict to settle if the first cannot be settled: the row had another state, or another delivery has the id of the
   * post.
   */
  otherwise?: { row: FencedRow; verdict: Verdict }
}

/** Reads back a delivery that is SUBMITTING: after a lost answer, or until what was accepted is live. */
export async function reconcile(scope: Scope, ports: StepPorts, row: Claimed): Promise<Outcome> {
  try {
    const outcome = await withReadCalls(scope, ports, row, 'finish', (call) =>
      row.phase === 'confirm' ? confirm(scope, ports, row, call) : read(scope, ports, row, call),
    )
    if (!('until' in outcome)) return outcome
    const { phase, unreadSince } = row
    return { row, verdict: { state: 'SUBMITTING', phase, nextAt: outcome.until, unreadSince } }
  } catch (error) {
    if (isUnavailable(error)) throw error
    // An error of this service proves nothing: the next read comes at its planned time.
    scope.log.error({ err: error, deliveryId: row.id }, 'a delivery step failed')
    if (row.phase === 'confirm') return readLater(scope, ports, row, false)
    return undecided(scope, ports, row, { complete: false, begun: scope.now(), steadySince: await scope.steadySince() })
  }
}

/** A database that does not answer is not a failure of a delivery: the lease expires, and the row is due again. */
export const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable'

/** Does `work` with the calls of one read reserved, or returns when calls are free. */
async function withReadCalls<T>(
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

/** Returns the call on behalf of the row's account, by default with the content of its latest try. */
export function callOf(
  scope: Scope,
  { crypto, driver, storage }: Pick<StepPorts, 'crypto' | 'driver' | 'storage'>,
  network: Network,
  row: Claimed,
  reservation: Reservation,
  content: unknown = driver.recall(row, storage),
): Call {
  const place = tokenPlace(scope.workspaceId, row.accountId, 'access_token')
  return {
    network,
    account: {
      externalId: row.externalAccountId,
      accessToken: row.accessToken === null ? '' : crypto.open(row.accessToken, place),
    },
    content,
    handles: row.handles,
    reservation,
    now: scope.now(),
  }
}

/** Runs repeatable calls. If the token is refused, it is renewed once and the calls are repeated. */
export const withRenewal = <T>(
  scope: Scope,
  ports: StepPorts,
  row: Claimed,
  call: Call,
  work: () => Promise<T>,
): Promise<T> =>
  withToken(scope, ports, row, (accessToken) => {
    call.account = { ...call.account, accessToken }
    return work()
  })

export const momentOf = (scope: Scope, { settings }: Pick<StepPorts, 'settings'>, restart = false): Moment => ({
  now: scope.now(),
  scale: settings.timeScale,
  restart,
})

/** The verdict after a network's refusal or silence. If the token was refused, the account is marked too. */
export async function afterRefusal(
  scope: Scope,
  ports: StepPorts,
  row: Claimed,
  error: NetworkError,
  { where, restart }: { where: 'prepare' | 'commit'; restart: boolean },
): Promise<Verdict> {
  scope.log.warn({ err: error, deliveryId: row.id, where, networkCode: error.networkCode }, 'a network call failed')
  const { failure, committed, networkCode, said, retryAfterMs, limit } = error
  // If the refused token is no longer the account's, another try with the new token is worthwhile.
  const isOld = error.kind === 'AUTH' && !(await markRefused(scope, row))
  const told: Failure = { failure: isOld ? 'transient' : failure, committed, networkCode, said, retryAfterMs, limit }
  const moment = { ...momentOf(scope, ports, restart), heldUntil: ports.driver.heldUntil?.(row) }
  return verdictOf(afterFailure(told, where, row, ports.random()), row, moment)
}

const markRefused = (scope: Scope, { accountId, accessToken }: Claimed) =>
  scope.transaction((tx) => needReconnect(tx, accountId, accessToken))

// ---- an unknown outcome

/** The result of one read of the network: the post, its absence, or neither. */
type Seen = RemotePost | 'accepted' | 'absent' | 'unprovable' | { meant: RemotePost[] }

/** Reads once. If several posts match, `assign` decides which one is ours, if it can. */
async function look(scope: Scope, ports: StepPorts, row: Claimed, call: Call): Promise<Seen> {
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

async function read(scope: Scope, ports: StepPorts, row: Claimed, call: Call): Promise<Outcome> {
  // A read counts from its start, however long it takes.
  const steadySince = await scope.steadySince()
  const begun = scope.now()
  let seen: Seen
  try {
    seen = await look(scope, ports, row, call)
  } catch (error) {
    await noteUnreadable(scope, row, error)
    if (isLimit(error)) return waitForReads(scope, ports, row, error)
    return undecided(scope, ports, row, { complete: false, begun, steadySince })
  }
  if (seen === 'accepted') return { row, verdict: acceptedVerdict(row, momentOf(scope, ports)) }
  if (typeof seen === 'object' && !('meant' in seen)) return liveOutcome(scope, ports, row, call, seen)
  const meant = typeof seen === 'object' ? seen.meant : []
  return undecided(scope, ports, row, { complete: seen === 'absent', begun, steadySince, meant })
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
    // Still unreadable, so the person's statement decides here too. A network that refuses the read for its token or a limit
    // would also refuse the post.
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

const isLimit = (error: unknown): error is NetworkError => error instanceof NetworkError && error.kind === 'RATE_LIMIT'

/** A rate limit says nothing about the post, and ends nothing. The next read comes when calls are allowed again. */
function waitForReads(scope: Scope, { settings, random }: StepPorts, row: Claimed, error: NetworkError): Outcome {
  const age = Math.max(0, scope.now().getTime() - (row.intentAt?.getTime() ?? 0)) * settings.timeScale
  const planned = untilNextRead(age, 0)
  const after = Math.max(limitOf(error, row.backoffs, random()), planned) / settings.timeScale
  const { phase, unreadSince } = row
  const nextAt = later(scope.now(), after)
  return { row, verdict: { state: 'SUBMITTING', phase, nextAt, unreadSince, backoffs: row.backoffs + 1 } }
}

/** Logs an unreadable network, which proves nothing about the post. A refused token marks the account. */
async function noteUnreadable(scope: Scope, row: Claimed, error: unknown): Promise<void> {
  if (!(error instanceof NetworkError)) throw error
  scope.log.warn({ err: error, deliveryId: row.id }, 'the network could not be read back')
  if (error.kind === 'AUTH') await markRefused(scope, row)
}

/**
 * The verdict for a live post. If another delivery has the id, the post is live without an id if the network knows its handles;
 * otherwise it is read again later.
 */
async function liveOutcome(
  scope: Scope,
  ports: StepPorts,
  row: Claimed,
  call: Call,
  seen: RemotePost,
): Promise<Outcome> {
  const verdict = liveVerdict(await withPermalink(scope, ports, row, call, seen), scope.now())
  const otherwise: Verdict = hasHandles(row)
    ? liveVerdict(unnamed, scope.now())
    : { state: 'SUBMITTING', phase: row.phase, nextAt: later(scope.now(), LEASE / ports.settings.timeScale) }
  return { row, verdict, otherwise: { row, verdict: otherwise } }
}

/** Adds the address of a live post, if the network returns it separately. Nothing depends on it. */
export async function withPermalink(
  scope: Scope,
  { driver }: Pick<StepPorts, 'driver'>,
  row: Pick<Claimed, 'id'>,
  call: Call,
  seen: RemotePost,
): Promise<RemotePost> {
  if (seen.permalink !== null || seen.externalId === null) return seen
  try {
    return { ...seen, permalink: (await driver.permalink?.(call, seen.externalId)) ?? null }
  } catch (error) {
    scope.log.info({ err: error, deliveryId: row.id }, 'the address of a live post is not known')
    return seen
  }
}

/** A read that did not find the post, and when it started. `meant`: the posts that may be ours. */
interface Undecided {
  complete: boolean
  begun: Date
  steadySince: Date
  meant?: readonly RemotePost[]
}

async function undecided(
  scope: Scope,
  { settings, random, driver }: StepPorts,
  row: Claimed,
  { complete, begun, steadySince, meant = [] }: Undecided,
): Promise<Outcome> {
  // The clock may have been moved during the read, so this reads the time again before it writes.
  await scope.steadySince()
  const now = scope.now()
  const scale = settings.timeScale
  const certain = (at: Date | null) => (at ? certainAge(at, begun, steadySince) * scale : null)
  const verdict = afterRead(complete, {
    age: row.intentAt ? (begun.getTime() - row.intentAt.getTime()) * scale : 0,
    certain: certain(row.intentAt) ?? 0,
    absentReads: row.absentReads,
    sinceAbsent: certain(row.absentAt),
    lateReads: row.lateReads,
    sinceLateRead: certain(row.lateReadAt),
  })
  switch (verdict.to) {
    case 'UNCONFIRMED':
      return { row, verdict: { state: 'UNCONFIRMED', error: unconfirmed(driver, meant) } }
    case 'absent':
      return { row, verdict: afterAbsence(driver, row, { now, scale }, random()) }
    case 'read':
      return {
        row,
        verdict: {
          state: 'SUBMITTING',
          phase: 'commit',
          nextAt: later(now, verdict.after / scale),
          absent: { reads: verdict.absentReads, at: verdict.countedAbsent ? now : null },
          late: { reads: verdict.lateReads, at: verdict.countedLate ? now : null },
        },
      }
  }
}

/**
 * The verdict for a delivery that is proven absent. It is sent again: after the limit, if a limit caused the failure,
 * else as after a failure. A `sentOnce` delivery without a limit fails instead.
 */
function afterAbsence({ words, sentOnce }: Driver, row: Claimed, moment: Moment, jitter: number): Verdict {
  const { limitedUntil } = row
  if (sentOnce && !limitedUntil) return { state: 'FAILED', error: errorOfFailure(unanswered(words)) }
  if (!limitedUntil) return verdictOf(afterTransient(unanswered(words), row, jitter), row, moment)
  return { state: 'PENDING', nextAt: limitedUntil > moment.now ? limitedUntil : moment.now, waitReason: 'limit' }
}

const unanswered = (words: Driver['words']): Failure => ({
  failure: 'transient',
  committed: 'no',
  networkCode: null,
  said: null,
  text: `transient/${words}`,
})

/** The error that asks a person to check the network, with the addresses of the posts that may be ours. */
function unconfirmed({ words }: Driver, meant: readonly RemotePost[]): DeliveryError {
  const posts = meant.flatMap(({ permalink, externalId }) => permalink ?? externalId ?? []).join(' ')
  if (posts) return errorFor('outcome_unknown/several', { posts: storableText(posts, 2000) })
  return errorFor(words === 'post' ? 'outcome_unknown' : `outcome_unknown/${words}`)
}

// ---- accepted, not yet live

async function confirm(scope: Scope, ports: StepPorts, row: Claimed, call: Call): Promise<Outcome> {
  let outcome: Awaited<ReturnType<NonNullable<Driver['confirm']>>> | 'unreadable'
  try {
    outcome = (await withRenewal(scope, ports, row, call, async () => ports.driver.confirm?.(call))) ?? 'unreadable'
  } catch (error) {
    await noteUnreadable(scope, row, error)
    if (isLimit(error)) return waitForReads(scope, ports, row, error)
    outcome = 'unreadable'
  }
  if (outcome instanceof NetworkError) {
    // Refused in the end: nothing is or will be live, so only another try from the beginning can help.
    return { row, verdict: await afterRefusal(scope, ports, row, outcome, { where: 'prepare', restart: true }) }
  }
  // The network does not have what it reported, so from now on only reads prove the outcome.
  if (outcome === 'missing') {
    const age = row.intentAt ? (scope.now().getTime() - row.intentAt.getTime()) * ports.settings.timeScale : 0
    const nextAt = later(scope.now(), untilNextRead(Math.max(0, age), row.absentReads) / ports.settings.timeScale)
    return { row, verdict: { state: 'SUBMITTING', phase: 'commit', nextAt } }
  }
  if (typeof outcome === 'object') return liveOutcome(scope, ports, row, call, outcome)
  return readLater(scope, ports, row, outcome === 'accepted')
}

/** The delivery is still accepted, or unreadable: plans the next read, or ends as UNCONFIRMED. */
function readLater(scope: Scope, { settings, driver }: StepPorts, row: Claimed, readable: boolean): Outcome {
  const { timeScale } = settings
  const now = scope.now()
  const unreadSince = readable ? null : (row.unreadSince ?? now)
  // A time in the future was written before the clock was set back.
  const since = (at: Date) => Math.max(0, now.getTime() - at.getTime()) * timeScale
  const verdict = afterConfirm(since(row.acceptedAt ?? now), unreadSince && since(unreadSince), {
    lateReads: row.lateReads,
    sinceLateRead: row.lateReadAt && since(row.lateReadAt),
  })
  if (verdict === 'UNCONFIRMED') return { row, verdict: { state: 'UNCONFIRMED', error: unconfirmed(driver, []) } }
  return {
    row,
    verdict: {
      state: 'SUBMITTING',
      phase: 'confirm',
      nextAt: later(now, verdict.after / timeScale),
      unreadSince,
      late: { reads: verdict.lateReads, at: verdict.countedLate ? now : null },
    },
  }
}
