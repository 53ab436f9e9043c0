import { inBatches } from '../core/platform/batch.ts'
import { query } from '../core/platform/db.ts'
import type { Log } from '../core/platform/log.ts'
import type { Scopes } from '../core/platform/scope.ts'
import type { Platform } from '../networks/api.ts'
import type { Reservation } from '../networks/network.ts'
import { facts } from '../networks/rules.ts'
import { type CallClass, RESERVED_ABOVE } from './rules.ts'

/** Counts the calls of each connected person over all workspaces and processes. */
export interface CallBudget {
  /**
   * Reserves `calls` for a person, or returns the time at which enough calls are free again. Each class leaves a share
   * of the hour to the classes above it (`RESERVED_ABOVE`).
   */
  reserve(who: Person, calls: number, what: CallClass, network: Platform): Promise<Granted | Refused>
  /** Counts calls that were made already, even beyond the limit. */
  count(who: Person, calls: number, network: Platform): Promise<void>
  /** Returns the calls counted in the last hour, and until when the network asks us to wait. */
  counted(who: Person): Promise<Counted>
  /** Returns the calls per hour of one person; null if the network counts none. */
  limit(network: Platform): number | null
}

export interface Counted {
  calls: number
  blockedUntil: Date | null
}

interface Person {
  app: string
  userKey: string
}

export interface Granted {
  reservation: Reservation
  /**
   * Releases the calls that were not made, and applies the network's own count to the budget. Must be called when the
   * step has ended. Never throws, since the outcome of the step counts: a failure is logged, and calls that cannot be
   * given back count for an hour.
   */
  release(): Promise<void>
}

export interface Refused {
  until: Date
}

interface Asking extends Person {
  calls: number
  /** The number of calls per hour that must stay free. */
  keep: number
  hourly: number
}

interface Answer {
  /** The minute to which the calls are counted. */
  granted: Date | null
  until: Date | null
}

const unlimited: Answer = { granted: null, until: null }

/**
 * Usage in percent, by the network's own count. From `SLOW` on we slow down; from `STOP` on we stop for a while. This
 * applies only if the network counts more calls than we do, since our own count stays within the limit anyway.
 */
const SLOW = 75
const STOP = 95
const STOP_MINUTES = 5
/** The longest pause that a network's answer can cause, in milliseconds. */
const LONGEST_STOP = 24 * 3_600_000
/** Our count may differ from the network's by this many percent, since we count by minutes. */
const ALIKE = 5

export function createCallBudget(
  { scopes, log }: { scopes: Pick<Scopes, 'ask'>; log: Log },
  callsPerHour: number,
): CallBudget {
  const ask = inBatches(reserveCalls)
  const limit = (network: Platform) => (facts[network].callsPerHour === null ? null : callsPerHour)

  return {
    limit,
    async counted({ app, userKey }) {
      const [found] = await scopes.ask(
        'reserve',
        query<Counted>`select blocked_until, (select coalesce(sum(calls), 0)::int from network_call c where c.app = u.app
            and c.user_key = u.user_key and minute >= date_trunc('minute', app_now()) - interval '60 minutes') as calls
          from network_user u where app = ${app} and user_key = ${userKey}`,
      )
      return found ?? { calls: 0, blockedUntil: null }
    },

    async count({ app, userKey }, calls, network) {
      if (limit(network) === null) return
      await scopes.ask(
        'reserve',
        // Locks the person before their calls, as `reserve_calls` does.
        query`with person as (
            insert into network_user (app, user_key) values (${app}, ${userKey})
            on conflict (app, user_key) do update set blocked_until = network_user.blocked_until returning app, user_key
          )
          insert into network_call (app, user_key, minute, calls)
          select app, user_key, date_trunc('minute', app_now()), ${calls}::int from person
          on conflict (app, user_key, minute) do update set calls = network_call.calls + excluded.calls`,
        { relaxed: true },
      )
    },

    async reserve({ app, userKey }, calls, what, network) {
      const hourly = limit(network)
      const answer =
        hourly === null
          ? unlimited
          : await ask({ app, userKey, calls, keep: Math.ceil(hourly * RESERVED_ABOVE[what]), hourly })
      if (answer.until) return { until: answer.until }
      const { granted } = answer
      let left = calls
      let worst: { percent: number; regainMs?: number } | undefined
      return {
        reservation: {
          take() {
            if (left <= 0) throw new Error(`A step made more than the ${calls} calls that it reserved`)
            left -= 1
          },
          report(usage) {
            if (!worst || usage.percent > worst.percent) worst = usage
          },
        },
        async release() {
          if (hourly === null) return
          try {
            if (left > 0) await giveBack({ app, userKey }, left, granted)
          } catch (error) {
            log.warn({ err: error, calls: left }, 'reserved calls were not given back')
          }
          try {
            if (worst && worst.percent >= SLOW) await slowDown({ app, userKey }, hourly, worst)
          } catch (error) {
            log.warn({ err: error, ...worst }, 'the count of the network was not applied')
          }
        },
      }
    },
  }

  /**
   * Answers all requests in one round trip. Each is granted or refused separately, in the order of persons, then of
   * requests.
   */
  function reserveCalls(asking: Asking[]): Promise<Answer[]> {
    return scopes.ask(
      'reserve',
      query<Answer>`
        with asked as materialized (
          select app, user_key, calls, keep, hourly, place
          from json_to_recordset(${JSON.stringify(asking.map((each, place) => ({ ...each, user_key: each.userKey, place })))}::json)
            as a(app text, user_key text, calls int, keep int, hourly int, place int)
          order by app, user_key, place
        ), answered as materialized (
          select a.place, r.granted, r.until from asked a, lateral reserve_calls(a.app, a.user_key, a.calls, a.keep, a.hourly) r
        )
        select granted, until from answered order by place`,
      { relaxed: true },
    )
  }

  /** Removes calls that were not made from the count. */
  async function giveBack({ app, userKey }: Person, calls: number, minute: Date | null): Promise<void> {
    await scopes.ask(
      'reserve',
      query`update network_call set calls = calls - ${calls}
          where app = ${app} and user_key = ${userKey} and minute = ${minute} and calls >= ${calls}`,
      { relaxed: true },
    )
  }

  async function slowDown(
    { app, userKey }: Person,
    hourly: number,
    { percent, regainMs = 0 }: { percent: number; regainMs?: number },
  ): Promise<void> {
    const limit = Math.max(Math.ceil(hourly / 10), Math.floor((hourly * (100 - percent)) / (100 - SLOW)))
    const blocked = percent >= STOP ? Math.min(Math.max(STOP_MINUTES * 60_000, regainMs), LONGEST_STOP) : null
    await scopes.ask(
      'reserve',
      query`update network_user set usage_limit = ${limit}, usage_limit_until = app_now() + interval '5 minutes',
          blocked_until = coalesce(app_now() + ${blocked}::float8 * interval '1 millisecond', blocked_until)
        where app = ${app} and user_key = ${userKey} and (${regainMs}::float8 > 0 or ${percent - ALIKE}::float8 > (
          select coalesce(sum(calls), 0) * 100.0 / ${hourly}::int from network_call c where c.app = network_user.app
            and c.user_key = network_user.user_key and minute >= date_trunc('minute', app_now()) - interval '60 minutes'))`,
    )
  }
}
