import type { RawBuilder } from 'kysely'
import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Message } from './api.ts'

// Adding and deleting messages, and what becomes of our own at the network. The caller has locked the thread.

interface NewRow {
  id: string
  threadId: string
  accountId: string
  kind: 'COMMENT' | 'PRIVATE_REPLY' | 'DM'
  direction: 'IN' | 'OUT'
  source: Message['source']
  /** The member who wrote it. */
  author?: string | null
  /** Null for a message with only attachments. */
  text: string | null
  /** The id of the comment that it replies to. */
  parent: string | null | RawBuilder<unknown>
  /** The id at the network. */
  externalId?: string
  at: Date | string
  /** The decision of the bot that wrote it. */
  decisionId?: string
  /** False for a reply that the bot only plans. */
  isIntended?: boolean
}

/** Adds a message to its thread. */
export const addMessage = (tx: Tx, row: NewRow) =>
  tx.run(query`insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, author, text, parent_id,
      external_id, at, decision_id, is_intended)
    values (${tx.workspaceId}, ${row.id}, ${row.threadId}, ${row.accountId}, ${row.kind}, ${row.direction}, ${row.source},
      ${row.author ?? null}, ${row.text}, ${row.parent}, ${row.externalId ?? null}, ${row.at}, ${row.decisionId ?? null},
      ${row.isIntended ?? true})`)

/** Joins the message `m` of a delivery `d`. */
const ofDelivery = (tx: Tx, deliveryId: string) => sql`from delivery d where d.workspace_id = ${tx.workspaceId}
  and d.id = ${deliveryId} and m.workspace_id = d.workspace_id and m.id = d.message_id`

/** Stores that the comment of a delivery is hidden, or shown again. */
export const storeHidden = (tx: Tx, deliveryId: string) =>
  tx.run(query`update message m set hidden_at = case when (d.content ->> 'hidden')::boolean then ${tx.now}::timestamptz end,
    hide_at = ${tx.now} ${ofDelivery(tx, deliveryId)}`)

/** Stores the id of the message at the network that a delivery has sent, unless it is known. */
export const storeExternalId = (tx: Tx, deliveryId: string, externalId: string | null) =>
  tx.run(
    query`update message m set external_id = ${externalId} ${ofDelivery(tx, deliveryId)} and m.external_id is null`,
  )

/**
 * Gives a message without an id at the network what the network has told about its twin, the same message stored from
 * the network's inbox: the comments below it, its last text, its reaction and its removal.
 */
export async function copyFromTwin(tx: Tx, messageId: string, twinId: string): Promise<void> {
  await tx.one(
    query`update message m set edit_number = w.edit_number, edited_at = w.edited_at, removed_at = w.removed_at,
        reaction = w.reaction, reaction_at = w.reaction_at,
        text = case when w.edited_at is null and w.removed_at is null then m.text else w.text end
      from message w where m.workspace_id = ${tx.workspaceId} and m.id = ${messageId} and m.external_id is null
        and w.workspace_id = m.workspace_id and w.id = ${twinId} returning m.id`,
    'invalid_state',
    { current: 'NAMED', allowed: [] },
  )
  await tx.run(query`update message set parent_id = ${messageId}
    where workspace_id = ${tx.workspaceId} and parent_id = ${twinId}`)
}

/** Deletes a message. Throws `not_found`. */
export async function deleteMessage(tx: Tx, id: string): Promise<void> {
  await tx.one(
    query`delete from message where workspace_id = ${tx.workspaceId} and id = ${id} returning id`,
    'not_found',
  )
}
