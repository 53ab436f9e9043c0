import { createHash } from 'node:crypto'
import { renewRefused } from '../../channels/accounts-refresh.ts'
import { AppError } from '../../core/errors.ts'
import { type Handles, type Network, NetworkError, type Permit } from '../../networks/network.ts'
import { facts } from '../../networks/rules.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Check } from '../posts/api.ts'
import { check, stopsPublishing } from '../posts/checks/rules.ts'
import { awaitsMedia, type Composed } from '../posts/compose/rules.ts'
import type { Claimed } from './queue.ts'
import { afterTransient, ended, type Failure, HEARTBEAT, LEASE, STALE_INTENT, STEP_LIMIT, tooLate } from './rules.ts'
import { type Settlement, settleAlone } from './settle.ts'
import { isAbsent, isThere, readBack, readBroke } from './step-read.ts'
import {
  accepted,
  asSettlement,
  composedOf,
  addPermalink,
  calling,
  failed,
  finish,
  held,
  later,
  Lost,
  published,
  type StepPorts,
  taggingOf,
  taskOf,
} from './step-task.ts'

/** Takes one claimed publication one step on: to its end, or to a wait. */
export async function step(scope: Scope, ports: StepPorts, row: Claimed): Promise<void> {
  const network = ports.networks.get(row.platform)
  const rest = keepLease(scope, ports, row)
  try {
    if (row.state === 'SUBMITTING') await readBack(scope, ports, network, row)
    else await send(scope, ports, network, row)
  } catch (error) {
    if (!(error instanceof Lost)) return broke(scope, ports, row, error)
    scope.log.info({ publicationId: row.id }, 'a publication went to another worker')
  } finally {
    rest()
  }
}

/** Renews the lease while the step works, however slow the network is; a step of an hour is thought dead. Answers how to end it. */
function keepLease(scope: Scope, { settings }: StepPorts, row: Claimed): () => void {
  const lease = seconds(LEASE / settings.timeScale)
  let left = STEP_LIMIT / HEARTBEAT
  const beat = async () => {
    left -= 1
    const mine = await scope.write(
      query`update publication set lease_until = greatest(lease_until, app_now() + ${lease}::interval),
          next_at = greatest(next_at, app_now() + ${lease}::interval)
        where workspace_id = ${scope.workspaceId} and id = ${row.id} and fence = ${row.fence} and lease_until is not null
          and state in ('PREPARING', 'SUBMITTING') returning id`,
      { relaxed: true },
    )
    // Whoever is no longer the holder learns it from the fence at the next save.
    if (mine.length === 0 || left <= 0) clearInterval(timer)
  }
  const timer = setInterval(() => {
    beat().catch((error: unknown) => scope.log.warn({ err: error, publicationId: row.id }, 'a lease was not renewed'))
  }, HEARTBEAT / settings.timeScale)
  return () => clearInterval(timer)
}

/**
 * What breaks a step here and not at the network goes round no longer than a failure there: before the intent nothing was sent,
 * after it there is doubt. A database that does not answer is nobody's failure: the lease runs out.
 */
async function broke(scope: Scope, ports: StepPorts, row: Claimed, error: unknown): Promise<void> {
  if (error instanceof AppError && error.code === 'unavailable') throw error
  scope.log.error({ err: error, publicationId: row.id }, 'a step broke')
  if (row.state === 'SUBMITTING') return readBroke(scope, ports, row)
  const { timeScale } = ports.settings
  const now = scope.now()
  const unsent = asSettlement(afterTransient(broken, row, ports.random()), row, now, timeScale)
  if ((await settleAlone(scope, row, unsent)) === 'settled') return
  const sent: Claimed = { ...row, state: 'SUBMITTING' }
  await settleAlone(scope, sent, asSettlement({ to: 'doubt' }, sent, now, timeScale))
}

const broken: Failure = {
  failure: 'config',
  committed: 'no',
  networkCode: null,
  message: 'This service failed and could not prepare the post.',
}

// ---- prepare, intent, commit

async function send(scope: Scope, ports: StepPorts, network: Network, row: Claimed): Promise<void> {
  const { unapproved } = row
  const tagging = taggingOf(row)
  const composed = composedOf(row)
  const stop = check(row.post, [row.account], { publicMedia: ports.settings.publicMedia(), unapproved, tagging }).find(
    (found) => stopsPublishing(found) && found.code !== 'media_processing',
  )
  if (stop) return finish(scope, row, settlementOf(stop, row, scope.now()))
  const late = tooLate(row.dueAt, row.waited, scope.now())
  if (late) return finish(scope, row, { state: 'FAILED', error: ended(late) })

  if (awaitsMedia(composed)) {
    const nextAt = later(scope.now(), MEDIA_LOOK / ports.settings.timeScale)
    return finish(scope, row, { state: 'PENDING', nextAt, waitReason: 'media' })
  }

  if (row.unproven && row.sent && !(await isAbsent(scope, ports, network, row))) return

  const hash = hashOf(composed, row)
  const handles = row.composed === hash ? row.handles : {}
  const who = { app: network.app, userKey: row.networkUser }
  const leave = await ports.permits.reserve(
    who,
    network.cost(taskOf(scope, ports, row, none, composed, handles)),
    'begin',
    facts[row.platform].callsPerHour,
  )
  if ('until' in leave) {
    await finish(scope, row, { state: 'PENDING', nextAt: leave.until, waitReason: 'limit' })
    return ports.postpone(who, leave.until)
  }
  const task = taskOf(scope, ports, row, leave.permit, composed, handles)
  let mine = row
  let tried: Claimed | undefined
  try {
    const prepare = () =>
      network.prepare(task, async (made) => {
        task.handles = made
        await saveHandles(scope, ports, row, hash, made)
      })
    const notYet = await calling(scope, ports, row, task, prepare)
    if (notYet) {
      const nextAt = later(scope.now(), notYet.after / ports.settings.timeScale)
      return await finish(scope, row, { state: 'PENDING', nextAt, waitReason: 'container' })
    }
    const written = performance.now()
    const intentAt = scope.now()
    const { text, comment } = composed
    const sent = { text, comment, media: composed.media.map((item) => item.mediaFileId), tagging }
    const networkAt = network.clock.now()
    const { workspaceId, id, fence } = row
    if (!(await ports.intend({ workspaceId, id, fence, composed: hash, sent, networkAt }))) {
      return await finish(scope, row, { state: 'PENDING', nextAt: scope.now(), waitReason: null })
    }
    mine = { ...row, state: 'SUBMITTING', phase: 'commit', tries: row.tries + 1 }
    tried = { ...mine, intentAt, networkAt: row.networkAt ?? networkAt, sent, handles: task.handles }
    if (performance.now() - written > STALE_INTENT / ports.settings.timeScale) {
      // Too slow to be sure that nobody has taken over: provably nothing was sent.
      return await finish(scope, mine, { state: 'PENDING', nextAt: scope.now(), waitReason: null })
    }
    const made = await network.commit(task)
    if (made === 'accepted') return await accepted(scope, mine, ports.settings.timeScale)
    if ('handles' in made) return await accepted(scope, mine, ports.settings.timeScale, made.handles)
    await published(scope, ports, mine, made)
    await addPermalink(scope, network, mine, task, made)
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    const where = mine.state === 'SUBMITTING' ? 'commit' : 'prepare'
    const first = row.firstIntentAt === null && error.kind === 'DUPLICATE'
    if (tried && first && (await isThere(scope, ports, network, tried))) return
    // An intent is too old once a token was renewed after it: another try has the new one. Only the first refusal is worth it,
    // and only one that certainly had no effect.
    const refused = where === 'commit' && error.kind === 'AUTH' && error.committed === 'no'
    const again = refused && mine.failures === 0
    const renewed = again && (await renewRefused(scope, ports, mine)) !== null
    const told = renewed ? new NetworkError('transient', error.message) : error
    await failed(scope, ports, mine, told, where, error.spoilt)
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
    who: stop.code === 'approval_outstanding' ? 'admin' : 'author',
    retryable: false,
  } as const
  return { state: 'FAILED', error }
}

/** So often a target looks for pictures that are still being made, in milliseconds. */
const MEDIA_LOOK = 5_000

/** For counting alone. */
const none: Permit = { take() {}, report() {} }

function hashOf(composed: Composed, row: Claimed): string {
  const media = composed.media.map(({ mediaFileId, file, crops }) => [
    mediaFileId,
    row.storageKeys?.[mediaFileId],
    file.altText,
    ...(file.aiGenerated ? ['ai'] : []),
    ...(crops[row.platform] ? [crops[row.platform]] : []),
  ])
  const { firstComment: _, ...options } = { firstComment: '', ...row.post.platformOptions[row.platform] }
  const shown = [
    row.accountId,
    row.externalAccountId,
    composed.text,
    media,
    row.post.platformOptions[row.platform] && options,
  ]
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}
