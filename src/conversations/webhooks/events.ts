import { query, sql } from '../../core/platform/db.ts'
import { storableText } from '../../core/platform/rules.ts'
import type { Scopes, Tx } from '../../core/platform/scope.ts'
import type { MessageChange } from '../threads/inbound.ts'
import { MOST_FAILURES, RETRY_AFTER } from './rules.ts'

// What becomes of a stored event. `store.ts` adds them.

/** Counts a failure to apply an event, and sets when it is retried. Returns both, or undefined if it is applied. */
export async function addFailure(
  tx: Tx,
  id: string,
  error: unknown,
): Promise<{ failures: number; retryAt: Date } | undefined> {
  const [row] = await tx.run(query<{ failures: number; retryAt: Date }>`
    update inbound_event set failures = failures + 1, error = ${storableText(String(error), 500)},
      retry_at = ${tx.now}::timestamptz + power(2, failures) * ${RETRY_AFTER}::int * interval '1 millisecond'
    where workspace_id = ${tx.workspaceId} and id = ${id} and done_at is null returning failures, retry_at`)
  return row
}

/** Ends an event, or parks it until what it is `about` comes. Throws `invalid_state` if it has ended. */
export async function endOrPark(tx: Tx, id: string, about: string | null): Promise<void> {
  await tx.one(
    query`update inbound_event set about = ${about}, waits = ${about !== null},
        done_at = ${about === null ? tx.now : null} where workspace_id = ${tx.workspaceId} and id = ${id} and done_at is null
      returning id`,
    'invalid_state',
    { current: 'DONE', allowed: [] },
  )
}

/** Ends the changes that came before their message, and returns them. The caller applies them. */
export const takeChanges = (tx: Tx, accountId: string, about: string) =>
  tx.run(query<{
    id: string
    event: MessageChange
    at: Date
  }>`update inbound_event set waits = false, done_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and waits and about = ${about} returning id, event, at`)

/** Lets the events of an account no longer wait for something. The caller enqueues the job that applies them. */
export const releaseWaiting = (tx: Tx, accountId: string, about: string) =>
  tx.run(query`update inbound_event set waits = false where workspace_id = ${tx.workspaceId} and account_id = ${accountId}
    and waits and about = ${about}`)

/**
 * Whether the event `e` waits for the message `m`, which is there. A change that was parked while our message got its id
 * may not have seen it.
 */
const waitsForKnown = sql`m.workspace_id = e.workspace_id and m.account_id = e.account_id and m.external_id = e.about and e.waits`

/** Returns the workspaces with changes that wait for a message that is there. */
export const findOverlooked = (scopes: Pick<Scopes, 'ask'>) =>
  scopes.ask(
    'inbox',
    query<{ id: string }>`select distinct e.workspace_id as id from inbound_event e, message m where ${waitsForKnown}`,
  )

/** Lets changes no longer wait for messages that are there, and enqueues the jobs that apply them. */
export async function releaseOverlooked(tx: Tx): Promise<void> {
  const released = await tx.run(query<{ accountId: string }>`update inbound_event e set waits = false from message m
    where e.workspace_id = ${tx.workspaceId} and ${waitsForKnown} returning e.account_id`)
  for (const accountId of new Set(released.map((each) => each.accountId))) {
    tx.enqueue('webhook-process', { accountId }, { key: `webhook:${accountId}` })
  }
}

/** Lets an event that could not be applied be tried again. Throws `invalid_state`. */
export async function clearFailures(tx: Tx, id: string): Promise<void> {
  await tx.one(
    query`update inbound_event set failures = 0, error = null, retry_at = null where workspace_id = ${tx.workspaceId} and id = ${id}
      and done_at is null and failures >= ${MOST_FAILURES} returning id`,
    'invalid_state',
    { current: 'DONE', allowed: [] },
  )
}

/** Removes the text and files of a message from its raw events. Their keys stay, so that none is applied again. */
export const eraseEventTexts = (tx: Tx, { accountId, externalId }: { accountId: string; externalId: string }) =>
  tx.run(query`update inbound_event set event = event || '{"text": ""}'
      || case when event ? 'attachments' then '{"attachments": []}'::jsonb else '{}' end
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and text_of = ${externalId}`)

/** Deletes the raw events from the person, to them, and about their messages. */
export async function eraseEvents(tx: Tx, accountId: string, personId: string, externalIds: string[]): Promise<void> {
  await tx.run(query`delete from inbound_event where workspace_id = ${tx.workspaceId} and account_id = ${accountId}
    and (event -> 'from' ->> 'id' = ${personId} or event ->> 'withId' = ${personId}
      or event ->> 'id' = any (${externalIds}::text[]) or event ->> 'parentId' = any (${externalIds}::text[]))`)
}

/** How many rows one statement deletes. This keeps it within the time limit of statements. */
const DELETED_AT_ONCE = 5_000

/** Deletes the events that were received before a time. */
export async function forgetEvents(scopes: Pick<Scopes, 'ask'>, before: Date): Promise<void> {
  for (;;) {
    const gone = await scopes.ask(
      'inbox',
      query`delete from inbound_event where (workspace_id, id) in (
        select workspace_id, id from inbound_event where received_at < ${before} order by received_at limit ${DELETED_AT_ONCE})
        returning id`,
    )
    if (gone.length < DELETED_AT_ONCE) return
  }
}
