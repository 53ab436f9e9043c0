import { createHash } from 'node:crypto'
import { needReconnect, tokenPlace } from '../accounts/accounts.ts'
import { type Handles, type Network, NetworkError, type Permit, type Sighting, type Step } from '../networks/network.ts'
import { facts } from '../networks/rules.ts'
import { query } from '../platform/db.ts'
import type { Scope } from '../platform/scope.ts'
import type { Check } from '../posts/api.ts'
import { check, compose, type Composed, stopsPublishing } from '../posts/rules.ts'
import type { Ports } from '../services.ts'
import type { Claimed, Intent } from './queue.ts'
import {
  afterFailure,
  afterRead,
  afterTransient,
  ended,
  explain,
  type Failure,
  HOLD,
  LEASE,
  STALE_INTENT,
  untilNextRead,
  type Verdict,
} from './rules.ts'
import { isClaimedElsewhere, type Settlement, settle, settleAlone, sight } from './settle.ts'

export type StepPorts = Pick<Ports, 'networks' | 'permits' | 'crypto' | 'settings'> & {
  /** Moves the other ready targets of a person whose calls are used up to when there are some again. */
  postpone(who: { app: string; userKey: string }, until: Date): Promise<void>
  /** The intent, on the disk before the first byte of the commit leaves. False: something holds the target now. */
  intend(intent: Intent): Promise<boolean>
  random(): number
}

/** Whoever finds its fence gone stops: somebody else has the publication. */
class Lost extends Error {}

/** Takes one claimed publication one step on: to its end, or to a wait. */
export async function step(scope: Scope, ports: StepPorts, row: Claimed): Promise<void> {
  const network = ports.networks.get(row.platform)
  try {
    if (row.state === 'SUBMITTING') await readBack(scope, ports, network, row)
    else await send(scope, ports, network, row)
  } catch (error) {
    if (!(error instanceof Lost)) throw error
    scope.log.info({ publicationId: row.id }, 'a publication went to another worker')
  }
}

// ---- prepare, intent, commit

async function send(scope: Scope, ports: StepPorts, network: Network, row: Claimed): Promise<void> {
  const composed = compose(row.post, row.platform)
  const stop = check(row.post, [row.account], { publicMedia: ports.settings.publicMedia() }).find(stopsPublishing)
  if (stop) return finish(scope, row, settlementOf(stop, row, scope.now()))

  const hash = hashOf(composed, row)
  const handles = row.composed === hash ? row.handles : {}
  const work = { text: composed.text, media: mediaOf(composed), handles }
  const who = { app: network.app, userKey: row.networkUser }
  const leave = await ports.permits.reserve(who, network.cost(work), 'begin', facts[row.platform].callsPerHour)
  if ('until' in leave) {
    await finish(scope, row, { state: 'PENDING', nextAt: leave.until, waitReason: 'limit' })
    return ports.postpone(who, leave.until)
  }
  const task = taskOf(scope, ports, row, work, leave.permit)
  let where: 'prepare' | 'commit' = 'prepare'
  let counters = row as { tries: number; failures: number; backoffs: number }
  try {
    await network.prepare(task, async (made) => {
      task.handles = made
      await saveHandles(scope, ports, row, hash, made)
    })
    const written = performance.now()
    const sent = { text: composed.text, media: composed.media.map((item) => item.mediaFileId) }
    if (!(await ports.intend({ workspaceId: row.workspaceId, id: row.id, fence: row.fence, composed: hash, sent }))) {
      return await finish(scope, row, { state: 'PENDING', nextAt: scope.now(), waitReason: null })
    }
    where = 'commit'
    counters = { ...counters, tries: row.tries + 1 }
    if (performance.now() - written > STALE_INTENT / ports.settings.timeScale) {
      // Too slow to be sure that nobody has taken over: provably nothing was sent.
      return await finish(scope, row, { state: 'PENDING', nextAt: scope.now(), waitReason: null })
    }
    const made = await network.commit(task)
    await published(scope, row, made)
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    await failed(scope, ports, row, where, error, counters)
  } finally {
    await leave.settle()
  }
}

async function saveHandles(
  scope: Scope,
  { settings }: StepPorts,
  row: Claimed,
  hash: string,
  handles: Handles,
): Promise<void> {
  const saved = await scope.write(
    query`update publication set handles = ${JSON.stringify(handles)}, composed = ${hash},
        lease_until = app_now() + ${seconds(LEASE / settings.timeScale)}, next_at = app_now() + ${seconds(LEASE / settings.timeScale)}
        where workspace_id = ${scope.workspaceId} and id = ${row.id} and fence = ${row.fence} and state = 'PREPARING' returning id`,
    { relaxed: true },
  )
  if (saved.length === 0) throw new Lost()
}

const seconds = (milliseconds: number) => `${milliseconds} milliseconds`

/** Saves that it is live. Who lost the fence meanwhile still knows the id: that is a proof. */
async function published(scope: Scope, row: Claimed, seen: Sighting): Promise<void> {
  const live = { externalId: seen.externalId, permalink: seen.permalink, publishedAt: seen.publishedAt ?? scope.now() }
  const result = await settleAlone(scope, row, { state: 'PUBLISHED', ...live })
  if (result === 'lost') await sight(scope, row.postId, row.id, live)
}

async function failed(
  scope: Scope,
  { settings, random }: StepPorts,
  row: Claimed,
  where: 'prepare' | 'commit',
  error: NetworkError,
  counters: { tries: number; failures: number; backoffs: number },
): Promise<void> {
  scope.log.warn({ err: error, publicationId: row.id, where, networkCode: error.networkCode }, 'a network call failed')
  const verdict = afterFailure(asFailure(error), where, counters, random())
  await scope.transaction(async (tx) => {
    if (error.kind === 'AUTH') await needReconnect(tx, row.accountId)
    await settle(tx, row.postId, row.id, row.fence, asSettlement(verdict, row, tx.now, settings.timeScale))
  })
}

const asFailure = ({ kind, committed, networkCode, message, retryAfterMs }: NetworkError): Failure => ({
  kind,
  committed,
  networkCode,
  message,
  retryAfterMs,
})

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds)

function asSettlement(verdict: Verdict, row: Claimed, now: Date, scale: number): Settlement {
  switch (verdict.to) {
    case 'FAILED':
      return { state: 'FAILED', error: verdict.error }
    case 'hold':
      return held(verdict.reason, row, now)
    case 'doubt':
      return { state: 'SUBMITTING', nextAt: later(now, untilNextRead(0, 0) / scale) }
    case 'wait':
      return {
        state: 'PENDING',
        nextAt: later(now, verdict.after / scale),
        waitReason: verdict.reason,
        ...verdict.counters,
      }
  }
}

/** A held target waits for its account until a day after its time. */
function held(reason: 'reconnect_needed' | 'account_paused', row: Claimed, now: Date): Settlement {
  const until = later(row.dueAt, HOLD)
  return until <= now
    ? { state: 'FAILED', error: ended(reason) }
    : { state: 'PENDING', nextAt: until, waitReason: reason }
}

/** What a finding at the moment of sending means for the target. */
function settlementOf(stop: Check, row: Claimed, now: Date): Settlement {
  if (stop.code === 'account_paused') return held('account_paused', row, now)
  if (stop.code === 'reconnect_needed') {
    return row.account.status === 'DISCONNECTED'
      ? { state: 'FAILED', error: ended('account_disconnected') }
      : held('reconnect_needed', row, now)
  }
  const error = {
    code: stop.code,
    networkCode: null,
    message: stop.message,
    fix: stop.fix,
    who: 'author',
    retryable: false,
  } as const
  return { state: 'FAILED', error }
}

async function finish(scope: Scope, row: Claimed, settlement: Settlement): Promise<void> {
  const result = await settleAlone(scope, row, settlement)
  if (result === 'lost') throw new Lost()
}

// ---- doubt: reads only

async function readBack(scope: Scope, ports: StepPorts, network: Network, row: Claimed): Promise<void> {
  const { settings } = ports
  const hourly = facts[row.platform].callsPerHour
  const leave = await ports.permits.reserve(
    { app: network.app, userKey: row.networkUser },
    network.readCost,
    'finish',
    hourly,
  )
  if ('until' in leave) return finish(scope, row, { state: 'SUBMITTING', nextAt: leave.until })
  const intentAt = row.intentAt as Date
  try {
    const text = row.sent?.text ?? compose(row.post, row.platform).text
    const media = mediaOf(compose(row.post, row.platform)).filter(
      (item) => !row.sent || row.sent.media.includes(item.id),
    )
    const task = taskOf(scope, ports, row, { text, media, handles: row.handles }, leave.permit)
    const seen = await network.find(task, intentAt, scope.now())
    const ours = await withoutClaimed(scope, row, seen)
    const [only] = ours
    if (only && ours.length === 1) return await foundLive(scope, row, only)
    // Several that match prove neither that ours is there nor that it is not.
    await undecided(scope, row, ours.length === 0, settings.timeScale, ports.random())
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.warn({ err: error, publicationId: row.id }, 'the network could not be read back')
    if (error.kind === 'AUTH') await scope.transaction((tx) => needReconnect(tx, row.accountId))
    await undecided(scope, row, false, settings.timeScale, ports.random())
  } finally {
    await leave.settle()
  }
}

async function foundLive(scope: Scope, row: Claimed, seen: Sighting): Promise<void> {
  try {
    await published(scope, row, seen)
  } catch (error) {
    if (!isClaimedElsewhere(error)) throw error
    await finish(scope, row, { state: 'SUBMITTING', nextAt: later(scope.now(), LEASE) })
  }
}

/** Posts on the account that no other publication has as its own. */
async function withoutClaimed(scope: Scope, row: Claimed, seen: Sighting[]): Promise<Sighting[]> {
  if (seen.length === 0) return seen
  const [claimed] = await scope.read(query<{ externalId: string }>`select external_id from publication
    where workspace_id = ${scope.workspaceId} and account_id = ${row.accountId} and id <> ${row.id}
      and external_id = any (${seen.map((each) => each.externalId)}::text[])`)
  return seen.filter((each) => !claimed.some((other) => other.externalId === each.externalId))
}

async function undecided(scope: Scope, row: Claimed, complete: boolean, scale: number, jitter: number): Promise<void> {
  const now = scope.now()
  const since = (at: Date | null) => (at ? (now.getTime() - at.getTime()) * scale : null)
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
      return finish(scope, row, asSettlement(afterTransient(notThere, row, jitter), row, now, scale))
    case 'read':
      return finish(scope, row, {
        state: 'SUBMITTING',
        nextAt: later(now, verdict.after / scale),
        absent: { reads: verdict.absentReads, at: verdict.countedAbsent ? now : null },
        late: { reads: verdict.lateReads, at: verdict.countedLate ? now : null },
      })
  }
}

const notThere: Failure = {
  kind: 'TRANSIENT',
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

// ---- what a network is given

const mediaOf = (composed: Composed): Step['media'] =>
  composed.media.map(({ mediaFileId, file }) => ({
    id: mediaFileId,
    kind: file.kind,
    url: file.storageUrl ?? '',
    mimeType: file.mimeType,
    altText: file.altText,
  }))

function hashOf(composed: Composed, row: Claimed): string {
  const shown = [row.accountId, row.externalAccountId, composed.text, composed.media.map((item) => item.mediaFileId)]
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}

function taskOf(
  scope: Scope,
  { crypto }: StepPorts,
  row: Claimed,
  work: Pick<Step, 'text' | 'media' | 'handles'>,
  permit: Permit,
): Step {
  const place = tokenPlace(scope.workspaceId, row.accountId, 'access_token')
  const accessToken = row.accessToken === null ? '' : crypto.open(row.accessToken, place)
  return { account: { externalId: row.externalAccountId, accessToken }, ...work, permit }
}
