import { query } from '../platform/db.ts'
import type { Platform } from '../platform/scope.ts'
import type { Permit } from './network.ts'

/** Counts the calls of each connected person over all workspaces and processes. */
export interface Permits {
  /**
   * Leave for `calls` in the name of a person, or the time when there is enough again. A tenth of the hour is kept for
   * `finish`: commits under way and reading back.
   */
  reserve(who: Person, calls: number, what: 'begin' | 'finish', hourly: number | null): Promise<Granted | Refused>
}

interface Person {
  app: string
  userKey: string
}

export interface Granted {
  permit: Permit
  /** Gives back what was not used, and tells the count what the network said of its own; call when the step is over. */
  settle(): Promise<void>
}

export interface Refused {
  until: Date
}

interface Answer {
  /** The minute in which the calls count. */
  granted: Date | null
  until: Date | null
}

interface Asking {
  calls: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

const unlimited: Answer = { granted: null, until: null }
const sum = (batch: readonly Asking[]) => batch.reduce((total, each) => total + each.calls, 0)

/** From this percentage of its limit on, the network's own count slows us down; from the second one we stop for a while. */
const SLOW = 75
const STOP = 95
const STOP_MINUTES = 5

export function createPermits(platform: Pick<Platform, 'ask'>): Permits {
  const waiting = new Map<string, Asking[]>()

  return {
    async reserve({ app, userKey }, calls, what, hourly) {
      const answer = hourly === null ? unlimited : await together({ app, userKey }, calls, what, hourly)
      if (answer.until) return { until: answer.until }
      const { granted } = answer
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
          if (hourly === null) return
          if (left > 0) await giveBack({ app, userKey }, left, granted)
          if (worst && worst.percent >= SLOW) await slowDown({ app, userKey }, hourly, worst)
        },
      }
    },
  }

  /** Who asks while an answer for the same person is under way is answered together with all who do: one row, one lock. */
  function together(who: Person, calls: number, what: 'begin' | 'finish', hourly: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const key = `${what} ${who.app} ${who.userKey}`
      const asking = waiting.get(key)
      if (asking) {
        asking.push({ calls, resolve, reject })
        return
      }
      waiting.set(key, [])
      void askFor(key, who, [{ calls, resolve, reject }], what, hourly)
    })
  }

  async function askFor(
    key: string,
    who: Person,
    first: Asking[],
    what: 'begin' | 'finish',
    hourly: number,
  ): Promise<void> {
    for (let batch = first; batch.length > 0; batch = waiting.get(key) ?? [], waiting.set(key, [])) {
      try {
        const all = await reserveCalls(who, sum(batch), what, hourly)
        const fits = !all.until || batch.length === 1
        // Not enough for all of them: as far as it goes, in their order.
        for (const each of batch) each.resolve(fits ? all : await reserveCalls(who, each.calls, what, hourly))
      } catch (error) {
        for (const each of batch) each.reject(error)
      }
    }
    waiting.delete(key)
  }

  async function reserveCalls(
    { app, userKey }: Person,
    calls: number,
    what: 'begin' | 'finish',
    hourly: number,
  ): Promise<Answer> {
    const keep = what === 'begin' ? Math.ceil(hourly / 10) : 0
    const [row] = await platform.ask(
      'reserve',
      query<Answer>`select * from reserve_calls(${app}, ${userKey}, ${calls}, ${keep}, ${hourly})`,
      { relaxed: true },
    )
    return row as Answer
  }

  /** Calls that were not made are not counted. */
  async function giveBack({ app, userKey }: Person, calls: number, minute: Date | null): Promise<void> {
    await platform.ask(
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
    const blocked = percent >= STOP ? Math.max(STOP_MINUTES * 60_000, regainMs) : null
    await platform.ask(
      'reserve',
      query`update network_user set usage_limit = ${limit}, usage_limit_until = app_now() + interval '5 minutes',
          blocked_until = coalesce(app_now() + ${blocked}::float8 * interval '1 millisecond', blocked_until)
        where app = ${app} and user_key = ${userKey}`,
    )
  }
}
