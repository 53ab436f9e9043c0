import type { Scope } from '../core/platform/scope.ts'
import { NetworkError, type RemotePost } from '../networks/network.ts'
import type { Call, Driver, Submitted } from './driver.ts'
import { liveOutcome, look, type ReadResult, unconfirmed, withReadCalls } from './reads.ts'
import {
  acceptedVerdict,
  afterConfirm,
  afterRead,
  afterTransient,
  ageOf,
  certainAge,
  errorOfFailure,
  type Failure,
  later,
  limitOf,
  missingVerdict,
  type Moment,
  untilNextRead,
  type Verdict,
  verdictOf,
} from './rules.ts'
import {
  afterRefusal,
  isUnavailable,
  markRefused,
  momentOf,
  type Outcome,
  type StepPorts,
  withRenewal,
} from './step.ts'

// Finds the outcome of a commit by reading only: nothing in this file sends or settles anything.

/** Reads back a delivery that is SUBMITTING: after a lost answer, or until what was accepted is live. */
export async function reconcile(scope: Scope, ports: StepPorts, row: Submitted): Promise<Outcome> {
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

// ---- an unknown outcome

async function read(scope: Scope, ports: StepPorts, row: Submitted, call: Call): Promise<Outcome> {
  // A read counts from its start, however long it takes.
  const steadySince = await scope.steadySince()
  const begun = scope.now()
  let seen: ReadResult
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

const isLimit = (error: unknown): error is NetworkError => error instanceof NetworkError && error.kind === 'RATE_LIMIT'

/** A rate limit says nothing about the post, and ends nothing. The next read comes when calls are allowed again. */
function waitForReads(scope: Scope, { settings, random }: StepPorts, row: Submitted, error: NetworkError): Outcome {
  const planned = untilNextRead(ageOf(row.intentAt, scope.now(), settings.timeScale), 0)
  const after = Math.max(limitOf(error, row.backoffs, random()), planned) / settings.timeScale
  const { phase, unreadSince } = row
  const nextAt = later(scope.now(), after)
  return { row, verdict: { state: 'SUBMITTING', phase, nextAt, unreadSince, backoffs: row.backoffs + 1 } }
}

/** Logs an unreadable network, which proves nothing about the post. A refused token marks the account. */
async function noteUnreadable(scope: Scope, row: Submitted, error: unknown): Promise<void> {
  if (!(error instanceof NetworkError)) throw error
  scope.log.warn({ err: error, deliveryId: row.id }, 'the network could not be read back')
  if (error.kind === 'AUTH') await markRefused(scope, row)
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
  row: Submitted,
  { complete, begun, steadySince, meant = [] }: Undecided,
): Promise<Outcome> {
  // The clock may have been moved during the read, so this reads the time again before it writes.
  await scope.steadySince()
  const now = scope.now()
  const scale = settings.timeScale
  const certain = (at: Date | null) => (at ? certainAge(at, begun, steadySince) * scale : null)
  const verdict = afterRead(complete, {
    age: ageOf(row.intentAt, begun, scale),
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
function afterAbsence({ words, sentOnce }: Driver, row: Submitted, moment: Moment, jitter: number): Verdict {
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

// ---- accepted, not yet live

async function confirm(scope: Scope, ports: StepPorts, row: Submitted, call: Call): Promise<Outcome> {
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
  if (outcome === 'missing') return { row, verdict: missingVerdict(row, momentOf(scope, ports)) }
  if (typeof outcome === 'object') return liveOutcome(scope, ports, row, call, outcome)
  return readLater(scope, ports, row, outcome === 'accepted')
}

/** The delivery is still accepted, or unreadable: plans the next read, or ends as UNCONFIRMED. */
function readLater(scope: Scope, { settings, driver }: StepPorts, row: Submitted, readable: boolean): Outcome {
  const { timeScale } = settings
  const now = scope.now()
  const unreadSince = readable ? null : (row.unreadSince ?? now)
  const verdict = afterConfirm(
    ageOf(row.acceptedAt, now, timeScale),
    unreadSince && ageOf(unreadSince, now, timeScale),
    { lateReads: row.lateReads, sinceLateRead: row.lateReadAt && ageOf(row.lateReadAt, now, timeScale) },
  )
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
