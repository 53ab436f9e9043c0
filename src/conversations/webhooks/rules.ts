/** After this many failures an event is no longer retried. It does not block others. */
export const MOST_FAILURES = 5

/** Milliseconds before the first retry of an event. Each further failure doubles the delay. */
export const RETRY_AFTER = 1_000

/** How many milliseconds raw events from networks are kept. */
export const RAW_KEPT = 14 * 24 * 3_600_000
