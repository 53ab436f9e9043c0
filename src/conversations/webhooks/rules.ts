/** After this many failures an event is no longer retried. It does not block others. */
export const MOST_FAILURES = 5

/** How many milliseconds raw events from networks are kept. */
export const RAW_KEPT = 14 * 24 * 3_600_000
