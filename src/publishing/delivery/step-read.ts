import { needReconnect } from '../../channels/accounts.ts'
import { type Network, NetworkError, type Sighting, type Since, type Step } from '../../networks/network.ts'
import { facts } from '../../networks/rules.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PublicationError } from '../posts/api.ts'
import type { Claimed } from './queue.ts'
import {
  afterConfirm,
  afterRead,
  afterTransient,
  assign,
  certainAge,
  explain,
  type Failure,
  LEASE,
  limitOf,
  untilNextRead,
} from './rules.ts'
import { isClaimedElsewhere, type Settlement } from './settle.ts'
import {
  accepted,
  addPermalink,
  calling,
  failed,
  asSettlement,
  finish,
  later,
  published,
  type StepPorts,
  taskOf,
} from './step-task.ts'

// What became of a commit, by reading alone: nothing on this page sends anything.

/** Reads back a publication that is SUBMITTING: after a lost answer, or until what was accepted is live. */
export async function readBack(scope: Scope, ports: StepPorts, network: Network, row: Claimed): Promise<void> {
  const hourly = facts[row.platform].callsPerHour
  const who = { app: network.app, userKey: row.networkUser }
  const leave = await ports.permits.reserve(who, network.readCost, 'finish', hourly)
  if ('until' in leave)
    return finish(scope, row, {
      state: 'SUBMITTING',
      phase: row.phase,
      nextAt: leave.until,
      unreadSince: row.unreadSince,
    })
  try {
    const task = taskOf(scope, ports, row, leave.permit)
    if (row.phase === 'confirm') await confirm(scope, ports, network, row, task)
    else await find(scope, ports, network, row, task)
  } finally {
    await leave.settle()
  }
}

/** A read that broke here has proven nothing: the next one comes at its time. */
export async function readBroke(scope: Scope, ports: StepPorts, row: Claimed): Promise<void> {
  if (row.phase === 'confirm') return notYet(scope, ports, row, false)
  return undecided(scope, ports, row, { complete: false, begun: scope.now(), steadySince: await scope.steadySince() })
}

// ---- doubt

/** What one read of the network says: the post, that it is not there, or neither. */
type Seen = Sighting | 'accepted' | 'absent' | 'unprovable' | { meant: Sighting[] }

/** Reads once. Of several posts that may be ours, or may be another's, only some can be told apart (`assign`). */
async function look(scope: Scope, ports: StepPorts, network: Network, row: Claimed, task: Step): Promise<Seen> {
  const since = sinceOf(scope, network, row)
  const seen = await calling(scope, ports, row, task, () => network.find(task, since))
  if (seen === 'accepted' || seen === 'unprovable') return seen
  const ids = seen.flatMap((each) => each.externalId ?? [])
  const others = ids.length > 0 ? await ports.othersOn(row, ids) : { claimed: [], unsettled: [] }
  const ours = seen.filter(({ externalId }) => externalId === null || !others.claimed.includes(externalId))
  // The network knows these handles as published, so this post is live, although another target owns the post that was read.
  if (ours.length === 0 && seen.length > 0 && hasHandles(row)) return unnamed
  const mine = { id: row.id, networkAt: row.networkAt, intentAt: since.ours }
  const found = assign(ours, mine, others.unsettled)
  return found === 'none' ? 'absent' : found === 'ambiguous' ? { meant: ours } : found
}

const hasHandles = ({ handles }: Claimed) => Object.keys(handles).length > 0

/** A live post with an unknown id. */
const unnamed: Sighting = { externalId: null, permalink: null, publishedAt: null }

const sinceOf = (scope: Scope, network: Network, row: Claimed): Since => ({
  at: row.networkAt,
  seen: network.clock.now(),
  ours: (row.firstIntentAt ?? row.intentAt) as Date,
  now: scope.now(),
})

async function find(scope: Scope, ports: StepPorts, network: Network, row: Claimed, task: Step): Promise<void> {
  // What a read shows is as old as its beginning, however long it took.
  const steadySince = await scope.steadySince()
  const begun = scope.now()
  let seen: Seen
  try {
    seen = await look(scope, ports, network, row, task)
  } catch (error) {
    await unreadable(scope, row, error)
    if (isLimit(error)) return waitForReads(scope, ports, row, error)
    return undecided(scope, ports, row, { complete: false, begun, steadySince })
  }
  if (seen === 'accepted') return accepted(scope, row, ports.settings.timeScale)
  if (typeof seen === 'object' && !('meant' in seen)) return foundLive(scope, ports, network, row, task, seen)
  const meant = typeof seen === 'object' ? seen.meant : []
  return undecided(scope, ports, row, { complete: seen === 'absent', begun, steadySince, meant })
}

/**
 * Reads once before a target is sent again that nobody could tell about, whatever a person saw on the network since. True when
 * it may go out; else what was found is settled, and told.
 */
export async function isAbsent(scope: Scope, ports: StepPorts, network: Network, row: Claimed): Promise<boolean> {
  const who = { app: network.app, userKey: row.networkUser }
  const leave = await ports.permits.reserve(who, network.readCost, 'begin', facts[row.platform].callsPerHour)
  if ('until' in leave) {
    await finish(scope, row, { state: 'PENDING', nextAt: leave.until, waitReason: 'limit' })
    return false
  }
  try {
    const task = taskOf(scope, ports, { ...row, state: 'SUBMITTING' }, leave.permit)
    const seen = await look(scope, ports, network, row, task)
    // Where nothing can be proven, the person's word has to do.
    if (seen === 'absent' || seen === 'unprovable') return true
    if (seen === 'accepted') await accepted(scope, row, ports.settings.timeScale)
    else if ('meant' in seen) await finish(scope, row, { state: 'UNCONFIRMED', error: unconfirmed(seen.meant) })
    else await foundLive(scope, ports, network, row, task, seen)
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    // Unreadable still: the person's word has to do here too. What refuses to be called at all would refuse the post as well.
    if (error.kind !== 'AUTH' && error.kind !== 'RATE_LIMIT') return true
    await failed(scope, ports, row, error, 'prepare', false)
  } finally {
    await leave.settle()
  }
  return false
}

/**
 * Reads the network once after it refused the first try as a duplicate: a proxy may have sent the request twice, and the first
 * copy is then live. Returns true when the post was found and settled.
 */
export async function isThere(scope: Scope, ports: StepPorts, network: Network, row: Claimed): Promise<boolean> {
  const who = { app: network.app, userKey: row.networkUser }
  const leave = await ports.permits.reserve(who, network.readCost, 'finish', facts[row.platform].callsPerHour)
  if ('until' in leave) return false
  try {
    const task = taskOf(scope, ports, row, leave.permit)
    const seen = await look(scope, ports, network, row, task)
    if (typeof seen !== 'object' || 'meant' in seen) return false
    await foundLive(scope, ports, network, row, task, seen)
    return true
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return false
  } finally {
    await leave.settle()
  }
}

const isLimit = (error: unknown): error is NetworkError => error instanceof NetworkError && error.kind === 'RATE_LIMIT'

/** Too many calls: that says nothing of the post, and ends nothing. The next read comes when there may be one. */
function waitForReads(scope: Scope, { settings, random }: StepPorts, row: Claimed, error: NetworkError): Promise<void> {
  const age = Math.max(0, scope.now().getTime() - (row.intentAt?.getTime() ?? 0)) * settings.timeScale
  const planned = untilNextRead(age, 0)
  const after = Math.max(limitOf(error, row.backoffs, random()), planned) / settings.timeScale
  return finish(scope, row, {
    state: 'SUBMITTING',
    phase: row.phase,
    nextAt: later(scope.now(), after),
    unreadSince: row.unreadSince,
    backoffs: row.backoffs + 1,
  })
}

/** An unreadable network has proven nothing; only a refused token says something, of the account. */
async function unreadable(scope: Scope, row: Claimed, error: unknown): Promise<void> {
  if (!(error instanceof NetworkError)) throw error
  scope.log.warn({ err: error, publicationId: row.id }, 'the network could not be read back')
  if (error.kind === 'AUTH') await scope.transaction((tx) => needReconnect(tx, row.accountId, row.accessToken))
}

async function foundLive(
  scope: Scope,
  ports: StepPorts,
  network: Network,
  row: Claimed,
  task: Step,
  seen: Sighting,
): Promise<void> {
  try {
    await published(scope, ports, row, seen)
    await addPermalink(scope, network, row, task, seen)
  } catch (error) {
    if (!isClaimedElsewhere(error)) throw error
    if (hasHandles(row)) return published(scope, ports, row, unnamed)
    await finish(scope, row, { state: 'SUBMITTING', phase: row.phase, nextAt: later(scope.now(), LEASE) })
  }
}

/** A read that did not find the post, and when it began. `meant`: the posts that it may be. */
interface Undecided {
  complete: boolean
  begun: Date
  steadySince: Date
  meant?: readonly Sighting[]
}

async function undecided(
  scope: Scope,
  { settings, random }: StepPorts,
  row: Claimed,
  { complete, begun, steadySince, meant = [] }: Undecided,
): Promise<void> {
  // The clock may have been moved while the network was read: what is written now goes by what it says now.
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
      return finish(scope, row, { state: 'UNCONFIRMED', error: unconfirmed(meant) })
    case 'absent':
      return finish(scope, row, afterAbsence(row, now, scale, random()))
    case 'read':
      return finish(scope, row, {
        state: 'SUBMITTING',
        phase: 'commit',
        nextAt: later(now, verdict.after / scale),
        absent: { reads: verdict.absentReads, at: verdict.countedAbsent ? now : null },
        late: { reads: verdict.lateReads, at: verdict.countedLate ? now : null },
      })
  }
}

/** It goes out again: after a limit when that is over, else as after a failure. */
function afterAbsence(row: Claimed, now: Date, scale: number, jitter: number): Settlement {
  const { limitedUntil } = row
  if (!limitedUntil) return asSettlement(afterTransient(notThere, row, jitter), row, now, scale)
  return { state: 'PENDING', nextAt: limitedUntil > now ? limitedUntil : now, waitReason: 'limit' }
}

const notThere: Failure = {
  failure: 'transient',
  committed: 'no',
  networkCode: null,
  message: 'The network did not answer, and the post is provably not there.',
}

/** What a person is asked to look at; where posts were found that may be it, their addresses. */
function unconfirmed(meant: readonly Sighting[]): PublicationError {
  const links = meant.flatMap(({ permalink, externalId }) => permalink ?? externalId ?? [])
  const message =
    links.length > 0
      ? `The network did not answer. One of these posts may be it: ${links.join(' ')}`
      : 'The network did not answer and cannot be read: the post may be live.'
  return {
    ...explain({ ...notThere, message }),
    code: 'outcome_unknown',
    fix: 'Look at the account on the network, then say whether the post is there.',
    who: 'author',
    retryable: false,
  }
}

// ---- accepted, not yet live

async function confirm(scope: Scope, ports: StepPorts, network: Network, row: Claimed, task: Step): Promise<void> {
  let outcome: Awaited<ReturnType<NonNullable<Network['confirm']>>> | 'unreadable'
  try {
    outcome = (await calling(scope, ports, row, task, async () => network.confirm?.(task))) ?? 'unreadable'
  } catch (error) {
    await unreadable(scope, row, error)
    if (isLimit(error)) return waitForReads(scope, ports, row, error)
    outcome = 'unreadable'
  }
  if (outcome instanceof NetworkError) {
    // Refused after all: nothing of it is or will be live, so what may help is a new try from the beginning.
    return failed(scope, ports, row, outcome, 'prepare', true)
  }
  // It does not have what it said to have: from here on only reads prove what became of it.
  if (outcome === 'doubtful') {
    const age = row.intentAt ? (scope.now().getTime() - row.intentAt.getTime()) * ports.settings.timeScale : 0
    const nextAt = later(scope.now(), untilNextRead(Math.max(0, age), row.absentReads) / ports.settings.timeScale)
    return finish(scope, row, { state: 'SUBMITTING', phase: 'commit', nextAt })
  }
  if (typeof outcome === 'object') return foundLive(scope, ports, network, row, task, outcome)
  return notYet(scope, ports, row, outcome === 'accepted')
}

/** Accepted still, or unreadable: for a while more. */
function notYet(scope: Scope, { settings }: StepPorts, row: Claimed, readable: boolean): Promise<void> {
  const { timeScale } = settings
  const now = scope.now()
  const unreadSince = readable ? null : (row.unreadSince ?? now)
  // A time to come was written before the clock was set back.
  const since = (at: Date) => Math.max(0, now.getTime() - at.getTime()) * timeScale
  const verdict = afterConfirm(since(row.acceptedAt ?? now), unreadSince && since(unreadSince), {
    lateReads: row.lateReads,
    sinceLateRead: row.lateReadAt && since(row.lateReadAt),
  })
  if (verdict === 'UNCONFIRMED') return finish(scope, row, { state: 'UNCONFIRMED', error: unconfirmed([]) })
  return finish(scope, row, {
    state: 'SUBMITTING',
    phase: 'confirm',
    nextAt: later(now, verdict.after / timeScale),
    unreadSince,
    late: { reads: verdict.lateReads, at: verdict.countedLate ? now : null },
  })
}
