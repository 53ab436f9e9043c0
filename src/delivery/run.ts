import { renewRefused } from '../channels/accounts-refresh.ts'
import { NetworkError } from '../networks/network.ts'
import type { Scope } from '../core/platform/scope.ts'
import { type Intent, Lost, saveHandles, writeGuardedIntent } from './deliveries.ts'
import type { Claimed, Driver } from './driver.ts'
import { readAfterDuplicate, readBeforeSending } from './reads.ts'
import {
  acceptedVerdict,
  afterTransient,
  type Failure,
  liveVerdict,
  later,
  type Moment,
  STALE_INTENT,
  type Verdict,
  verdictOf,
} from './rules.ts'
import {
  afterRefusal,
  callOf,
  isUnavailable,
  momentOf,
  type Outcome,
  type StepPorts,
  withPermalink,
  withRenewal,
} from './step.ts'

export type RunPorts = StepPorts & {
  /**
   * Writes the intent to disk before the first byte of the commit is sent. Returns false if a hold prevents the
   * delivery now.
   */
  intend(intent: Intent): Promise<boolean>
}

/**
 * Takes one claimed delivery from its start to its commit, or to a wait: compose, check, reserve, prepare, intent,
 * commit. Throws `Lost` if another worker has claimed the row, and `unavailable` if the database does not answer.
 */
export async function run(scope: Scope, ports: RunPorts, row: Claimed): Promise<Outcome> {
  const known = { row }
  try {
    return await send(scope, ports, known)
  } catch (error) {
    if (error instanceof Lost || isUnavailable(error)) throw error
    scope.log.error({ err: error, deliveryId: row.id }, 'a delivery step failed')
    return afterFault(scope, ports, known.row)
  }
}

/**
 * Returns the outcome after a fault of this service, which counts like a failure of the network: before the intent
 * nothing was sent, after it the outcome is unknown. If writing the intent failed, the row may be in either state.
 */
function afterFault(scope: Scope, ports: RunPorts, row: Claimed): Outcome {
  const moment = momentOf(scope, ports)
  if (row.state === 'SUBMITTING') return unknownOutcome(row, moment)
  return {
    row,
    verdict: verdictOf(afterTransient(fault(ports.driver), row, ports.random()), row, moment),
    otherwise: unknownOutcome(row, moment),
  }
}

/** Returns the outcome of a row with an intent whose outcome is unknown, so that it is read. */
const unknownOutcome = (row: Claimed, moment: Moment) => ({
  row: { ...row, state: 'SUBMITTING' as const },
  verdict: verdictOf({ to: 'reconcile' }, row, moment),
})

const fault = ({ words }: Pick<Driver, 'words'>): Failure => ({
  failure: 'config',
  committed: 'no',
  networkCode: null,
  said: null,
  text: `config/${words}`,
})

/** `known.row` is the row in the state that the database has, so that a fault can be settled. */
async function send(scope: Scope, ports: RunPorts, known: { row: Claimed }): Promise<Outcome> {
  const { row } = known
  const { driver, settings } = ports
  const stop = driver.stop(row, settings, scope.now())
  if (stop) return { row, verdict: stop }
  if (row.unproven && row.sent) {
    const seen = await readBeforeSending(scope, ports, row)
    if (seen) return seen
  }

  const network = ports.networks.get(row.platform)
  const { hash, sent, content } = driver.compose(row, ports.storage)
  const begun: Claimed = { ...row, handles: row.composed === hash ? row.handles : {} }
  const who = { app: network.app, userKey: row.networkUser }
  const cost = driver.cost({ network, content, handles: begun.handles })
  const reserved = await ports.budget.reserve(who, cost, row.calls, row.platform)
  if ('until' in reserved) {
    const { until } = reserved
    return {
      row,
      verdict: { state: 'PENDING', nextAt: until, waitReason: 'limit' },
      limited: { who, refused: row.calls, until },
    }
  }
  const call = callOf(scope, ports, network, begun, reserved.reservation, content)
  let tried: Claimed | undefined
  try {
    const scale = settings.timeScale
    const notYet = await withRenewal(scope, ports, row, call, async () =>
      driver.prepare?.(call, async (handles) => {
        call.handles = handles
        await saveHandles(scope, row, { composed: hash, handles, scale })
      }),
    )
    if (notYet) return wait(row, later(scope.now(), notYet.after / scale), 'container')

    const written = performance.now()
    const intentAt = scope.now()
    const networkAt = network.clock.now()
    const { workspaceId, id, fence } = row
    const intent: Intent = { workspaceId, id, fence, composed: hash, sent, networkAt }
    const guard = driver.guard?.(row)
    const intended = guard ? await writeGuardedIntent(scope, intent, guard, scale) : await ports.intend(intent)
    if (typeof intended === 'object') return { row, verdict: intended }
    if (!intended) return wait(row, scope.now())
    const mine: Claimed = { ...row, state: 'SUBMITTING', phase: 'commit', tries: row.tries + 1 }
    known.row = mine
    tried = { ...mine, intentAt, networkAt: row.networkAt ?? networkAt, sent, handles: call.handles }
    // Too slow: another worker may have taken over. Nothing was sent.
    if (performance.now() - written > STALE_INTENT / scale) return wait(mine, scope.now())

    const made = await driver.commit(call)
    const moment = momentOf(scope, ports)
    if (made === 'accepted') return { row: mine, verdict: acceptedVerdict(mine, moment) }
    if ('handles' in made) return { row: mine, verdict: acceptedVerdict(mine, moment, made.handles) }
    const live = liveVerdict(await withPermalink(scope, ports, row, call, made), scope.now())
    return { row: mine, verdict: live, otherwise: unknownOutcome(mine, moment) }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return await refused(scope, ports, known.row, { error, tried, isFirst: row.firstIntentAt === null })
  } finally {
    await reserved.release()
  }
}

/** Returns the outcome after a network's refusal or silence, during prepare or the commit. */
async function refused(
  scope: Scope,
  ports: RunPorts,
  row: Claimed,
  { error, tried, isFirst }: { error: NetworkError; tried: Claimed | undefined; isFirst: boolean },
): Promise<Outcome> {
  if (tried && isFirst && error.kind === 'DUPLICATE') {
    const seen = await readAfterDuplicate(scope, ports, tried)
    if (seen) return seen
  }
  const where = row.state === 'SUBMITTING' ? 'commit' : 'prepare'
  // If the token is renewed after the intent, the intent is too old, so another try uses the new token. This is
  // worthwhile only for the first refusal, and only if the call certainly had no effect.
  const isWorthIt = where === 'commit' && error.kind === 'AUTH' && error.committed === 'no' && row.failures === 0
  const isRenewed = isWorthIt && (await renewRefused(scope, ports, row)) !== null
  const told = isRenewed ? new NetworkError('transient', error.message, { said: error.said }) : error
  return { row, verdict: await afterRefusal(scope, ports, row, told, { where, restart: error.spoilt }) }
}

const wait = (
  row: Claimed,
  nextAt: Date,
  waitReason: Extract<Verdict, { state: 'PENDING' }>['waitReason'] = null,
): Outcome => ({ row, verdict: { state: 'PENDING', nextAt, waitReason } })
