import type { Jobs } from '../../core/platform/job-names.ts'
import type { Tx } from '../../core/platform/scope.ts'

/**
 * Enqueues a check of the posts that a change concerns. Until the check runs, further changes of the same post, account,
 * file or workspace share it.
 */
export function enqueueFlightCheck(tx: Tx, concerned: Jobs['flight-check'], at: { runAt?: Date } = {}): void {
  const id = 'scheduled' in concerned ? `scheduled:${tx.workspaceId}` : Object.values(concerned)[0]
  tx.enqueue('flight-check', concerned, { key: `flight:${id}`, ...at })
}
