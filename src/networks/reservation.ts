/** A reservation of calls on behalf of one connected person. Each call takes one; no call is possible without one. */
export interface Reservation {
  /** Throws if all calls are taken. A step that makes more calls than it reserved is a bug. */
  take(): void
  /** Reports the network's own count, as a percentage of its limit. */
  report(usage: { percent: number; regainMs?: number }): void
}

/** Accounts are connected before the person whose calls count is known, so these calls use no budget. */
export const unmetered: Reservation = { take() {}, report() {} }
