import { setTimeout as sleep } from 'node:timers/promises'

/** The time of the stand-ins: the real clock plus an offset that only grows. */
export type SandboxClock = {
  /** Milliseconds since 1970 by the networks' clock. */
  now(): number
  /** Waits `ms` of the networks' time in real time, divided by the time scale. Moving the clock does not shorten it. */
  wait(ms: number): Promise<void>
}

export function createClock(offset: () => number, timeScale: number): SandboxClock {
  return {
    now: () => Date.now() + offset(),
    wait: (ms) => (ms > 0 ? sleep(ms / timeScale) : Promise.resolve()),
  }
}
