import { query } from '../core/platform/db.ts'
import type { Tx } from '../core/platform/scope.ts'
import { deleteMessageAttachments } from './attachments/attachments.ts'
import { eraseFromDecisions } from './bot/drafts.ts'
import { decideAbout } from './bot/incoming.ts'
import { eraseMemoryFrom } from './memory/memory.ts'
import { recountForChange } from './threads/answered.ts'
import { changeMessage, type MessageChange } from './threads/inbound.ts'
import { eraseEventTexts } from './webhooks/events.ts'

/**
 * Applies a change, whatever came before it. The latest edit, state and reaction win, by number and time, and a removal
 * is final: of what a customer removed, only the empty message stays. Returns whether the message exists here. Locks
 * the thread before the message, like everything that a person does with the message.
 */
export async function applyChange(tx: Tx, accountId: string, event: MessageChange, at: Date): Promise<boolean> {
  const [message] = await tx.run(query<{
    id: string
    threadId: string
    at: Date
    isRemoved: boolean
    isCustomers: boolean
  }>`select id, thread_id, at, removed_at is not null as is_removed, direction = 'IN' as is_customers from message
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and external_id = ${event.id}`)
  if (!message) return false
  await tx.one(
    query`select from thread where workspace_id = ${tx.workspaceId} and id = ${message.threadId} for no key update`,
    'not_found',
  )
  if (!(await changeMessage(tx, message.id, event, at))) {
    // An edit that arrives after the removal brings a text again.
    if (message.isRemoved && message.isCustomers) await eraseEventTexts(tx, { accountId, externalId: event.id })
    return true
  }
  const isGone = event.kind === 'remove' && message.isCustomers
  if (isGone) {
    await deleteMessageAttachments(tx, message.id)
    await eraseMemoryFrom(tx, message.id)
    await eraseEventTexts(tx, { accountId, externalId: event.id })
  }
  const isText = event.kind === 'edit' || event.kind === 'remove'
  if (isText && message.isCustomers) {
    await recountForChange(tx, message.threadId)
    await decideAbout(tx, message.threadId, null)
  }
  // Open decisions and drafts are superseded by now.
  if (isGone) await eraseFromDecisions(tx, message)
  tx.emit({ kind: 'conversation', id: message.threadId })
  return true
}
