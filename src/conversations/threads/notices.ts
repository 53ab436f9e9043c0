import type { Tx } from '../../core/platform/scope.ts'
import { actorOf } from '../../team/notifications/actor.ts'
import { notify } from '../../team/notifications/notifications.ts'
import { ANSWERING } from '../../team/notifications/rules.ts'

// Notices about threads. They do not name customers, because a notice stays after its customer is erased.

/** Notifies the members whom a note mentions. */
export async function tellMentioned(tx: Tx, threadId: string, members: readonly string[]): Promise<void> {
  if (members.length === 0) return
  const { userId, by } = await actorOf(tx)
  await notify(tx, { roles: [], members, except: userId }, 'thread_mention', { threadId, by })
}

/**
 * Notifies a member of a thread that someone else assigned to them. One notice counts those that a person assigns together
 * with others.
 */
export async function tellAssigned(
  tx: Tx,
  assignee: string,
  threadId: string,
  { isOneOfMany = false }: { isOneOfMany?: boolean } = {},
): Promise<void> {
  if (tx.actor.kind === 'user' && tx.actor.userId === assignee) return
  const { by } = await actorOf(tx)
  const data = { threadId, ...(isOneOfMany && { threadIds: [threadId] }), by }
  await notify(tx, { roles: [], members: [assignee] }, 'thread_assigned', data)
}

/** Notifies the given roles, and the assignee of an escalated thread. */
export async function tellEscalated(
  tx: Tx,
  threadId: string,
  { assignee, roles = ['OWNER', 'ADMIN'] }: { assignee: string | null; roles?: readonly string[] },
): Promise<void> {
  const { userId, by } = await actorOf(tx)
  const members = assignee === null ? [] : [assignee]
  await notify(tx, { roles, members, except: userId }, 'thread_escalated', { threadId, by })
}

/** Milliseconds between two notices of held messages to one person, so that many of them give one notice. */
const HELD_EVERY = 15 * 60_000

/** The given members who answer. Without any, everyone who answers. */
const orEveryone = (members: readonly string[]) => ({ roles: members.length === 0 ? ANSWERING : [], members })

/** Notifies these members, or else everyone who answers, that the bot left a message to people. */
export async function tellHeld(tx: Tx, threadId: string, members: readonly string[]): Promise<void> {
  const unlessSince = new Date(tx.now.getTime() - HELD_EVERY)
  await notify(tx, { ...orEveryone(members), unlessSince }, 'reply_held', { threadId })
}

/** Notifies these members, or else everyone who answers, of customers who wait too long. */
export async function tellWaiting(tx: Tx, threadIds: readonly string[], members: readonly string[]): Promise<void> {
  const which = threadIds.length === 1 ? { threadId: threadIds[0] } : {}
  await notify(tx, orEveryone(members), 'thread_waiting', { count: threadIds.length, ...which })
}

/** Notifies these members, or else everyone who answers, that an answer has failed. */
export async function tellFailed(
  tx: Tx,
  { threadId, messageId }: { threadId: string; messageId: string },
  members: readonly string[],
): Promise<void> {
  const except = tx.actor.kind === 'user' ? tx.actor.userId : null
  await notify(tx, { ...orEveryone(members), except }, 'reply_failed', { threadId, messageIds: [messageId] })
}

/** Notifies owners and admins that the bot has no credits left. */
export const tellNoCredits = (tx: Tx) => notify(tx, { roles: ['OWNER', 'ADMIN'] }, 'bot_no_credits')
