import { AppError } from '../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { clearFailures } from '../webhooks/events.ts'
import { MOST_FAILURES } from '../webhooks/rules.ts'
import type { FailedEvent } from './api.ts'

/** Lists a page of the events that could not be applied, newest first, with their total number. */
export async function listFailedEvents(
  scope: Scope,
  request: PageRequest,
): Promise<Page<FailedEvent> & { count: number }> {
  const failed = sql`e.workspace_id = ${scope.workspaceId} and e.done_at is null and e.failures >= ${MOST_FAILURES}`
  const youngest = page(sql`e.id`, request)
  const [rows, [all]] = await scope.read(
    whole<{
      json: FailedEvent
    }>(sql`select json_build_object('id', e.id, 'accountId', e.account_id, 'platform', a.platform,
        'kind', e.event ->> 'kind', 'at', iso(e.at), 'receivedAt', iso(e.received_at),
        'text', left(e.event ->> 'text', 200), 'failures', e.failures) as json
      from inbound_event e join social_account a on a.workspace_id = e.workspace_id and a.id = e.account_id
      where ${failed} and ${youngest.rows}`),
    whole<{ count: number }>(sql`select count(*)::int as count from inbound_event e where ${failed}`),
  )
  return { ...youngest.of(rows.map(({ json }) => json)), count: all?.count ?? 0 }
}

/** Retries an event that could not be applied. Throws `not_found`, `invalid_state`. */
export async function retryFailedEvent(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const event = await tx.one(
      query<{
        accountId: string
        done: boolean
        failures: number
      }>`select account_id, done_at is not null as done, failures
        from inbound_event where workspace_id = ${tx.workspaceId} and id = ${id} for update`,
      'not_found',
    )
    if (event.done || event.failures < MOST_FAILURES) {
      throw new AppError('invalid_state', undefined, { current: event.done ? 'DONE' : 'WAITING', allowed: ['FAILED'] })
    }
    await clearFailures(tx, id)
    tx.enqueue('webhook-process', { accountId: event.accountId }, { key: `webhook:${event.accountId}` })
    tx.record({ type: 'event.retried', subject: { eventId: id } })
  })
}
