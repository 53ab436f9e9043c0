import { withToken } from '../channels/accounts-refresh.ts'
import { needReconnect, tokenPlace } from '../channels/accounts.ts'
import { AppError } from '../core/errors.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { Network, NetworkError, RemotePost, Reservation } from '../networks/network.ts'
import type { Ports } from '../services.ts'
import type { Call, Claimed, Driver } from './driver.ts'
import type { Others } from './queue.ts'
import {
  afterFailure,
  type CallClass,
  type Failure,
  type FencedRow,
  type Moment,
  type Verdict,
  verdictOf,
} from './rules.ts'

// What both steps of a claimed delivery need: run.ts sends it, reconcile.ts reads it back. Each returns an outcome.

/** The external services that a step needs. */
export type StepPorts = Pick<Ports, 'networks' | 'budget' | 'crypto' | 'settings' | 'storage'> & {
  driver: Driver
  /**
   * The other deliveries of this service, in all workspaces, that have one of these ids or would look the same on the
   * account.
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
   * The verdict to settle if the first cannot be settled: the row had another state, or another delivery has the id of
   * the post.
   */
  otherwise?: { row: FencedRow; verdict: Verdict }
}

/** A database that does not answer is not a failure of a delivery: the lease expires, and the row is due again. */
export const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable'

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

/** Marks the account. Returns false if it has another token by now (`needReconnect`). */
export const markRefused = (scope: Scope, { accountId, accessToken }: Claimed) =>
  scope.transaction((tx) => needReconnect(tx, accountId, accessToken))

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
