import { needReconnect } from '../accounts/accounts.ts'
import { type Network, NetworkError, type Sighting, type Step } from '../networks/network.ts'
import { facts } from '../networks/rules.ts'
import type { Scope } from '../platform/scope.ts'
import type { Claimed } from './queue.ts'
import { afterConfirm, afterRead, afterTransient, explain, type Failure, LEASE } from './rules.ts'
import { isClaimedElsewhere } from './settle.ts'
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
export function readBroke(scope: Scope, ports: StepPorts, row: Claimed): Promise<void> {
  if (row.phase === 'confirm') return notYet(scope, ports, row, false)
  return undecided(scope, ports, row, { complete: false, begun: scope.now() })
}

// ---- doubt

async function find(scope: Scope, ports: StepPorts, network: Network, row: Claimed, task: Step): Promise<void> {
  // What a read shows is as old as its beginning, however long it took.
  const begun = scope.now()
  let seen: Sighting[] | 'accepted'
  try {
    const since = (row.firstIntentAt ?? row.intentAt) as Date
    seen = await calling(scope, ports, row, task, () => network.find(task, since, begun))
  } catch (error) {
    await unreadable(scope, row, error)
    return undecided(scope, ports, row, { complete: false, begun })
  }
  if (seen === 'accepted') return accepted(scope, row, ports.settings.timeScale)
  const ids = seen.flatMap((each) => each.externalId ?? [])
  const others = ids.length > 0 ? await ports.othersOn(row, ids) : { claimed: [], unsettled: false }
  const ours = seen.filter(({ externalId }) => externalId === null || !others.claimed.includes(externalId))
  const [only] = ours
  if (only && ours.length === 1 && !others.unsettled) return foundLive(scope, ports, network, row, task, only)
  // Several that match, or one that may be another's, prove neither that ours is there nor that it is not.
  return undecided(scope, ports, row, { complete: ours.length === 0, begun })
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
    await finish(scope, row, { state: 'SUBMITTING', phase: row.phase, nextAt: later(scope.now(), LEASE) })
  }
}

async function undecided(
  scope: Scope,
  { settings, random }: StepPorts,
  row: Claimed,
  { complete, begun }: { complete: boolean; begun: Date },
): Promise<void> {
  const now = scope.now()
  const scale = settings.timeScale
  const since = (at: Date | null) => (at ? (begun.getTime() - at.getTime()) * scale : null)
  const verdict = afterRead(complete, {
    age: since(row.intentAt) ?? 0,
    absentReads: row.absentReads,
    sinceAbsent: since(row.absentAt),
    lateReads: row.lateReads,
    sinceLateRead: since(row.lateReadAt),
  })
  switch (verdict.to) {
    case 'UNCONFIRMED':
      return finish(scope, row, { state: 'UNCONFIRMED', error: unconfirmed })
    case 'absent':
      return finish(scope, row, asSettlement(afterTransient(notThere, row, random()), row, now, scale))
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

const notThere: Failure = {
  failure: 'transient',
  committed: 'no',
  networkCode: null,
  message: 'The network did not answer, and the post is provably not there.',
}

const unconfirmed = {
  ...explain({ ...notThere, message: 'The network did not answer and cannot be read: the post may be live.' }),
  code: 'outcome_unknown',
  fix: 'Look at the account on the network, then say whether the post is there.',
  who: 'author',
  retryable: false,
} as const

// ---- accepted, not yet live

async function confirm(scope: Scope, ports: StepPorts, network: Network, row: Claimed, task: Step): Promise<void> {
  let outcome: Awaited<ReturnType<NonNullable<Network['confirm']>>> | 'unreadable'
  try {
    outcome = (await calling(scope, ports, row, task, async () => network.confirm?.(task))) ?? 'unreadable'
  } catch (error) {
    await unreadable(scope, row, error)
    outcome = 'unreadable'
  }
  if (outcome instanceof NetworkError) {
    // Refused after all: nothing of it is or will be live, so what may help is a new try from the beginning.
    return failed(scope, ports, row, outcome, 'prepare', true)
  }
  if (typeof outcome === 'object') return foundLive(scope, ports, network, row, task, outcome)
  return notYet(scope, ports, row, outcome === 'accepted')
}

/** Accepted still, or unreadable: for a while more. */
function notYet(scope: Scope, { settings }: StepPorts, row: Claimed, readable: boolean): Promise<void> {
  const { timeScale } = settings
  const now = scope.now()
  const unreadSince = readable ? null : (row.unreadSince ?? now)
  const since = (at: Date) => (now.getTime() - at.getTime()) * timeScale
  const verdict = afterConfirm(since(row.acceptedAt ?? now), unreadSince && since(unreadSince), {
    lateReads: row.lateReads,
    sinceLateRead: row.lateReadAt && since(row.lateReadAt),
  })
  if (verdict === 'UNCONFIRMED') return finish(scope, row, { state: 'UNCONFIRMED', error: unconfirmed })
  return finish(scope, row, {
    state: 'SUBMITTING',
    phase: 'confirm',
    nextAt: later(now, verdict.after / timeScale),
    unreadSince,
    late: { reads: verdict.lateReads, at: verdict.countedLate ? now : null },
  })
}
