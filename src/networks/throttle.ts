import { query } from '../platform/db.ts'
import type { Platform } from '../platform/scope.ts'
import type { Permit } from './network.ts'

/** Counts the calls of each connected person over all workspaces and processes. */
export interface Permits {
  /**
   * Leave for `calls` in the name of a person, or the time when there is enough again. A tenth of the hour is kept for
   * `finish`: commits under way and reading back.
   */
  reserve(
    who: { app: string; userKey: string },
    calls: number,
    what: 'begin' | 'finish',
    hourly: number | null,
  ): Promise<Granted | Refused>
}

export interface Granted {
  permit: Permit
  /** Tells the count what the network said of its own; call when the step is over. */
  settle(): Promise<void>
}

export interface Refused {
  until: Date
}

/** From this percentage of its limit on, the network's own count slows us down; from the second one we stop for a while. */
const SLOW = 75
const STOP = 95
const STOP_MINUTES = 5

export function createPermits(platform: Pick<Platform, 'across'>): Permits {
  return {
    async reserve({ app, userKey }, calls, what, hourly) {
      if (hourly !== null) {
        const keep = what === 'begin' ? Math.ceil(hourly / 10) : 0
        const [row] = await platform.across(
          'reserve',
          (tx) =>
            tx.run(
              query<{
                until: Date | null
              }>`select reserve_calls(${app}, ${userKey}, ${calls}, ${keep}, ${hourly}) as until`,
            ),
          { relaxed: true },
        )
        if (row?.until) return { until: row.until }
      }
      let left = calls
      let worst: { percent: number; regainMs?: number } | undefined
      return {
        permit: {
          take() {
            if (left <= 0) throw new Error(`A step made more calls than the ${calls} that it reserved`)
            left -= 1
          },
          report(usage) {
            if (!worst || usage.percent > worst.percent) worst = usage
          },
        },
        async settle() {
          if (hourly === null || !worst || worst.percent < SLOW) return
          const { percent, regainMs } = worst
          const blockedMinutes = percent >= STOP ? Math.max(STOP_MINUTES, (regainMs ?? 0) / 60_000) : null
          const limit = Math.max(Math.ceil(hourly / 10), Math.floor((hourly * (100 - percent)) / (100 - SLOW)))
          await platform.across('reserve', (tx) =>
            tx.run(query`update network_user set usage_limit = ${limit},
              usage_limit_until = app_now() + interval '5 minutes',
              blocked_until = case when ${blockedMinutes}::float8 is null then blocked_until
                else greatest(blocked_until, app_now() + make_interval(secs => ${(blockedMinutes ?? 0) * 60})) end
              where app = ${app} and user_key = ${userKey}`),
          )
        },
      }
    },
  }
}
