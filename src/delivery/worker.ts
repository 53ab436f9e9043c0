import { inBatches } from '../core/platform/batch.ts'
import type { Clock } from '../core/platform/clock.ts'
import type { Event, Events } from '../core/platform/events.ts'
import type { Log } from '../core/platform/log.ts'
import type { Scopes, Scope } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import { Lost, renewLease, writeIntents } from './deliveries.ts'
import { isClaimedElsewhere, type Live, recordRemotePost, settleAlone, settleLive } from './settle.ts'
import type { Claimed, Driver, Drivers } from './driver.ts'
import { forEachPost, PUBLISHER } from './for-each-post.ts'
import { claim, othersOn, postpone, sweep, SWEEP_EVERY } from './queue.ts'
import { reconcile } from './reconcile.ts'
import { DELAYED, HEARTBEAT, type FencedRow, STEP_LIMIT, type Verdict } from './rules.ts'
import { run, type RunPorts } from './run.ts'
import type { Outcome } from './step.ts'
import { endOverlongWaits, wakeHeld } from './waits.ts'

const SLOTS = 100
/** The maximum number of consecutive full sweeps before this process claims anything. */
const TURNS_FIRST = 10
/** Milliseconds between two sweeps while deliveries are under way, or after an event that may make one due. */
const SWEEP_SOON = 250
/** Events that may make a target due. A finished file or a changed session makes none due. */
const WAKING: readonly Event['kind'][] = ['post', 'account', 'workspace', 'conversation']
const WATCH_EVERY = 60_000
/** The maximum number of milliseconds that a stop waits. */
const STOP_LIMIT = 30_000

export interface PublisherParts extends Pick<
  Ports,
  'networks' | 'budget' | 'precedence' | 'crypto' | 'settings' | 'storage'
> {
  scopes: Scopes
  events: Pick<Events, 'publish' | 'subscribeAll'>
  drivers: Drivers
  log: Log
  clock: Clock
  /** Whether this process may claim. It may not after losing the connection that proves it is alive. */
  mayClaim(): boolean
}

export interface Publisher {
  /** Stops claiming, and waits for running steps, a running sweep and a running watch, for `STOP_LIMIT` at most. */
  stop(): Promise<void>
}

/**
 * Sweeps, claims and runs deliveries until stopped. Any number of processes can run side by side; the rows decide which
 * one does what.
 */
export function startPublisher(parts: PublisherParts): Publisher {
  const { scopes, events, log, settings, clock, drivers } = parts
  const { schedule } = drivers
  const running = new Set<Promise<void>>()
  let stopped = false
  const isStopped = () => stopped
  /**
   * More rows are due than one sweep finds. Turns are given before claims, since otherwise a few posts would wait
   * behind the many of another workspace.
   */
  let behind = false
  let sweeping: Promise<void> | undefined
  /** When the last sweep started and when the next one starts, by the monotonic clock. */
  let sweptAt = 0
  let next: { at: number; timer: NodeJS.Timeout } | undefined
  /** Whether more work is known: the last sweep found targets, failed, or was requested again while it ran. */
  let busy = false
  let claiming: Promise<void> | undefined
  let watching: Promise<void> | undefined
  /** Since when the database's clock was steady, as of the last sweep; null before the first. */
  let steadySince: number | null = null
  /** The clock was moved, and rows with times of the old clock may still be written. */
  let moved = false

  const ports: WorkerPorts = {
    ...parts,
    random: Math.random,
    intend: inBatches((intents) => writeIntents(scopes, intents, settings.timeScale)),
    settleLive: inBatches((lives) => settleLive({ scopes, events, bulk: schedule.bulk }, lives)),
    othersOn: (row, ids) => othersOn(scopes, row, ids),
    postpone({ who: { app, userKey }, refused, until }) {
      const networks = parts.networks.all().filter((network) => network.app === app)
      return postpone(scopes, drivers, {
        networkUser: userKey,
        platforms: networks.map((each) => each.platform),
        refused,
        until,
        callsPerHour: parts.budget.limit(networks[0]!.platform)!,
      })
    },
  }

  async function sweepOnce(): Promise<void> {
    try {
      let full = true
      for (let round = 1; full && !stopped; round += 1) {
        const asked = performance.now()
        const swept = await sweep(scopes, schedule)
        busy ||= swept.turns
        behind = swept.full && swept.missed.length === 0 && round < TURNS_FIRST
        if (swept.at) {
          clock.sync(swept.at, asked)
          await afterStep()
        }
        for (const { workspaceId, postId } of swept.started) events.publish(workspaceId, { kind: 'post', id: postId })
        // A delivery that is due before the next sweep gets an earlier one.
        if (swept.soon !== null) sweepAt(performance.now() + swept.soon + 1)
        if (swept.turns) await claimSoon()
        const ended = await forEachPost({ ...parts, isStopped }, swept.missed, (scope, { postId, reason }) =>
          schedule.endMissed(scope, postId, reason),
        )
        full = swept.full && ended
      }
    } catch (error) {
      behind = false
      busy = true
      log.warn({ err: error }, 'the sweep failed; trying again')
    }
  }

  /** Ends overlong waits after the clock was set back, even if that happened while no process ran. */
  async function afterStep(): Promise<void> {
    const since = clock.steadySince().getTime()
    if (since === steadySince) return
    await endOverlongWaits(scopes, schedule, settings.timeScale)
    steadySince = since
    moved = true
  }

  /** Runs one claim at a time. As long as claims fill the free slots, there may be more rows. */
  function claimSoon(): Promise<void> {
    claiming ??= claimAll().finally(() => {
      claiming = undefined
    })
    return claiming
  }

  async function claimAll(): Promise<void> {
    while (!stopped && !behind && parts.mayClaim()) {
      const free = SLOTS - running.size
      if (free <= 0) return
      const rows = await claim(scopes, drivers, {
        slots: free,
        filesUrl: settings.filesUrl(),
        timeScale: settings.timeScale,
      })
      for (const row of rows) begin(row)
      if (rows.length < free) return
    }
  }

  function begin(row: Claimed) {
    const end = parts.precedence.begin()
    const work = deliver(scopes.scope(row.workspaceId, PUBLISHER), ports, row)
      .catch((error: unknown) =>
        log.error({ err: error, deliveryId: row.id }, 'a step could not be ended; its lease will run out'),
      )
      .finally(() => {
        end()
        running.delete(work)
        if (running.size < SLOTS / 2 && !stopped) {
          claimSoon().catch((error: unknown) =>
            log.warn({ err: error }, 'claiming failed; the next sweep claims again'),
          )
        }
      })
    running.add(work)
  }

  /** Starts a watch, unless one is still running. */
  function watchAlone(): void {
    watching ??= watch().finally(() => {
      watching = undefined
    })
  }

  async function watch(): Promise<void> {
    try {
      if (moved) await endOverlongWaits(scopes, schedule, settings.timeScale)
      moved = false
      await wakeHeld(scopes)
      await schedule.watch({ ...parts, isStopped }, DELAYED / settings.timeScale)
    } catch (error) {
      log.warn({ err: error }, 'the watch failed; trying again')
    }
  }

  function sweepNow(): void {
    next = undefined
    // A sweep that is already running may have passed the row of this call, so another one follows soon.
    busy = sweeping !== undefined
    sweeping ??= sweepFrom(performance.now())
  }

  async function sweepFrom(now: number): Promise<void> {
    sweptAt = now
    await sweepOnce()
    sweeping = undefined
    sweepAt(sweptAt + (busy || running.size > 0 ? SWEEP_SOON : SWEEP_EVERY))
  }

  /** Plans the next sweep, unless an earlier one is planned already. Each sweep plans its successor. */
  function sweepAt(at: number): void {
    if (stopped || (next && next.at <= at)) return
    clearTimeout(next?.timer)
    next = { at, timer: setTimeout(sweepNow, at - performance.now()) }
  }

  /** Waits for everything that still runs. A sweep or claim under way may begin more steps. */
  async function allEnded(): Promise<void> {
    await Promise.allSettled([sweeping, claiming])
    await Promise.allSettled([...running, watching])
  }

  sweepAt(0)
  const unsubscribe = events.subscribeAll(({ kind }) => WAKING.includes(kind) && sweepAt(sweptAt + SWEEP_SOON))
  const watches = setInterval(watchAlone, WATCH_EVERY / settings.timeScale)

  return {
    async stop() {
      stopped = true
      unsubscribe()
      clearTimeout(next?.timer)
      clearInterval(watches)
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_LIMIT)))
      await Promise.race([allEnded(), limit])
      clearTimeout(timer)
    },
  }
}

// ---- one delivery

export type WorkerPorts = Omit<RunPorts, 'driver'> & {
  drivers: Pick<Drivers, 'of'>
  /** Settles a live delivery that is the whole of its sequence, in a batch. Returns false if it was not settled. */
  settleLive(live: Live): Promise<boolean>
  /** Postpones the other ready deliveries of a person that may get no calls either. */
  postpone(limited: NonNullable<Outcome['limited']>): Promise<void>
}

/** Runs or reconciles one claimed delivery, and settles the outcome. */
export async function deliver(scope: Scope, { drivers, ...parts }: WorkerPorts, row: Claimed): Promise<void> {
  const ports = { ...parts, driver: drivers.of[row.kind] }
  const rest = keepLease(scope, ports, row)
  try {
    const outcome = row.state === 'SUBMITTING' ? await reconcile(scope, ports, row) : await run(scope, ports, row)
    await settleOutcome(scope, ports, outcome)
    if (outcome.limited) await ports.postpone(outcome.limited)
  } catch (error) {
    if (!(error instanceof Lost)) throw error
    scope.log.info({ deliveryId: row.id }, 'a delivery went to another worker')
  } finally {
    rest()
  }
}

/**
 * Renews the lease while a step works, however slow the network is. A step of an hour counts as dead. Returns a
 * function that ends the renewal.
 */
function keepLease(scope: Scope, { settings }: Pick<WorkerPorts, 'settings'>, row: Claimed): () => void {
  let left = STEP_LIMIT / HEARTBEAT
  const beat = async () => {
    left -= 1
    // A worker that lost its claim notices it by the fence at its next write.
    if (!(await renewLease(scope, row, settings.timeScale)) || left <= 0) clearInterval(timer)
  }
  const timer = setInterval(() => {
    beat().catch((error: unknown) => scope.log.warn({ err: error, deliveryId: row.id }, 'a lease was not renewed'))
  }, HEARTBEAT / settings.timeScale)
  return () => clearInterval(timer)
}

type SettlePorts = { driver: Driver } & Pick<WorkerPorts, 'settleLive'>

/** Settles the verdict of a step, or `otherwise`. Throws `Lost` when this worker may settle neither. */
export async function settleOutcome(
  scope: Scope,
  ports: SettlePorts,
  { row, verdict, otherwise }: Outcome,
): Promise<void> {
  try {
    if ((await settleOne(scope, ports, row, verdict)) === 'settled') return
  } catch (error) {
    if (!otherwise || !isClaimedElsewhere(error)) throw error
  }
  if (!otherwise || (await settleOne(scope, ports, otherwise.row, otherwise.verdict)) === 'lost') throw new Lost()
}

async function settleOne(
  scope: Scope,
  { driver, settleLive }: SettlePorts,
  row: FencedRow,
  verdict: Verdict,
): Promise<'settled' | 'lost'> {
  if (verdict.state !== 'PUBLISHED') return settleAlone(scope, driver, row, verdict)
  if (
    driver.kind === 'post' &&
    verdict.externalId !== null &&
    (await settleInBatch(scope, { settleLive }, row, verdict))
  )
    return 'settled'
  if ((await settleAlone(scope, driver, row, verdict)) === 'lost') {
    // A worker that lost the fence still has a proof that the post is live.
    await recordRemotePost(scope, driver, row, verdict)
  }
  return 'settled'
}

/** Settles a delivery in a batch. One delivery can fail the whole batch, and each is then settled alone. */
async function settleInBatch(
  scope: Scope,
  { settleLive }: Pick<WorkerPorts, 'settleLive'>,
  { id, subjectId, fence }: FencedRow,
  { externalId, permalink, publishedAt }: Extract<Verdict, { state: 'PUBLISHED' }>,
): Promise<boolean> {
  const { workspaceId } = scope
  try {
    return await settleLive({ workspaceId, id, subjectId, fence, externalId: externalId!, permalink, publishedAt })
  } catch (error) {
    scope.log.warn({ err: error, deliveryId: id }, 'several live posts were not settled together')
    return false
  }
}
