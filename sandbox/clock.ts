import { setTimeout as sleep } from 'node:timers/promises'

/** The time that the stand-ins live in: the real clock plus an offset that only moves forward. */
export type SandboxClock = {
  /** Milliseconds since 1970, as the networks see them. */
  now(): number
  /** Waits `ms` of the networks' time in real time: divided by the time scale, whatever the clock is moved to. */
  wait(ms: number): Promise<void>
}

export function createClock(offset: () => number, timeScale: number): SandboxClock {
  return {
    now: () => Date.now() + offset(),
    wait: (ms) => (ms > 0 ? sleep(ms / timeScale) : Promise.resolve()),
  }
}
