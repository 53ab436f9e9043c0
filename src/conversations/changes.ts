import { query, sql } from '../core/platform/db.ts'
import type { Tx } from '../core/platform/scope.ts'
import type { Inbound } from '../networks/network.ts'
import { supersede } from './bot/drafts.ts'
import { decideAbout } from './bot/incoming.ts'
import { firstUnanswered, lastMessages } from './threads/answered.ts'

/** A change to a message that the network has reported before. */
export type MessageChange = Extract<Inbound, { kind: 'edit' | 'remove' | 'hide' | 'reaction' }>

export const isChange = (event: Inbound): event is MessageChange =>
  event.kind === 'edit' || event.kind === 'remove' || event.kind === 'hide' || event.kind === 'reaction'

/**
 * Applies a change, whatever came before it. The latest edit, state and reaction win, by number and time, and a removal
 * is final. Returns whether the message exists here. Locks the thread before the message, like everything that a person
 * does with the message.
 */
export async function applyChange(tx: Tx, accountId: string, event: MessageChange, at: Date): Promise<boolean> {
  const [message] = await tx.run(query<{
    id: string
    threadId: string
    isCustomers: boolean
  }>`select id, thread_id, direction = 'IN' as is_customers from message
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and external_id = ${event.id}`)
  if (!message) return false
  await tx.one(
    query`select from thread where workspace_id = ${tx.workspaceId} and id = ${message.threadId} for no key update`,
    'not_found',
  )
  const [changed] = await tx.run(statement(tx, message.id, event, at))
  if (!changed) return true
  const isText = event.kind === 'edit' || event.kind === 'remove'
  if (isText && message.isCustomers) {
    await tx.one(
      query`update thread t set revision = t.revision + 1, unanswered_at = ${firstUnanswered(sql`n.last_answer`)}, updated_at = ${tx.now}
        from ${lastMessages(tx, message.threadId)} n where t.workspace_id = ${tx.workspaceId} and t.id = ${message.threadId} returning t.id`,
      'not_found',
    )
    await decideAbout(tx, message.threadId, null)
  }
  tx.emit({ kind: 'conversation', id: message.threadId })
  return true
}

/**
 * Ends what the bot has begun in a thread, because a person's answer that had failed is sent after all. The caller has
 * locked the thread.
 */
export async function endForAnswer(tx: Tx, threadId: string): Promise<void> {
  await supersede(tx, threadId, 'a person answered')
  await tx.one(
    query`update thread set revision = revision + 1, held = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
}

function statement({ workspaceId }: Tx, id: string, event: MessageChange, at: Date) {
  switch (event.kind) {
    case 'edit':
      return query`update message set text = ${event.text}, edit_number = ${event.number}, edited_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and removed_at is null
          and (${event.number}::int, ${at}::timestamptz, ${event.text}) > (edit_number, coalesce(edited_at, '-infinity'), coalesce(text, ''))
        returning id`
    case 'remove':
      return query`update message set text = null, removed_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and removed_at is null returning id`
    case 'hide':
      return query`update message set hidden_at = ${event.hidden ? at : null}, hide_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and ${at}::timestamptz > coalesce(hide_at, '-infinity') returning id`
    case 'reaction':
      return query`update message set reaction = ${event.reaction}, reaction_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and ${at}::timestamptz > coalesce(reaction_at, '-infinity') returning id`
  }
}
