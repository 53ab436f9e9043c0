import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../core/errors.ts'
import { query } from '../core/platform/db.ts'
import type { Scope, Tx } from '../core/platform/scope.ts'
import type { DeliveryState, ThreadDeliveryKind } from '../delivery/api.ts'
import type { ThreadDrivers } from '../delivery/driver.ts'
import { enqueueAgain, enqueueForThread } from '../delivery/deliveries.ts'
import { settle } from '../delivery/settle.ts'
import { errorFor, type FencedRow } from '../delivery/rules.ts'
import type { Platform } from '../networks/api.ts'
import type { Message, NewMessage } from './threads/api.ts'
import { attachFiles } from './attachments/attachments.ts'
import { supersede } from './bot/drafts.ts'
import { endHoldForAnswer, endWaitForAnswer, recountAnswers } from './threads/answered.ts'
import { addMessage } from './threads/messages.ts'
import { fits, MESSAGE_KINDS, roomFor } from './threads/rules.ts'
import { newestMessage, readMessage } from './threads/threads-read.ts'
import { refuseClosed, refuseDisconnected, refusePrivateReply } from './threads/windows.ts'

interface Answered {
  accountId: string
  kind: 'COMMENT' | 'DM'
  status: 'CONNECTED' | 'RECONNECT_NEEDED' | 'DISCONNECTED'
  platform: Platform
  humanUntil: Date | null
  erased: boolean
}

/**
 * Answers a customer. The message and its delivery are written in one transaction, so that it is sent once, even after
 * a crash. Throws `newer_message` if someone wrote after `seen`, `window_closed`, `invalid_state`.
 */
export function createMessage(scope: Scope, threadId: string, input: NewMessage, userId: string): Promise<Message> {
  return scope.transaction(async (tx) => {
    const thread = await tx.one(
      query<Answered>`select t.account_id, t.kind, a.status, a.platform, t.human_until, t.key like 'erased:%' as erased from thread t
        join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
        where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} for update of t`,
      'not_found',
    )
    if (thread.erased)
      throw new AppError('invalid_state', 'This customer’s data was erased, so nobody can reply here.', {
        current: 'ERASED',
        allowed: [],
      })
    const isPrivate = input.privately === true
    const kind: ThreadDeliveryKind = thread.kind === 'DM' ? 'dm' : isPrivate ? 'private_reply' : 'reply'
    const text = checked(input, thread, kind)
    await refuseUnseen(tx, threadId, input.seen)
    await supersede(tx, threadId, 'a person answered')
    refuseDisconnected(thread.status)
    if (kind === 'dm') refuseClosed(thread.humanUntil, tx.now)
    const target = kind === 'dm' ? undefined : await targetOf(tx, threadId, input.parentId)
    if (target && kind === 'private_reply')
      await refusePrivateReply(tx, {
        accountId: thread.accountId,
        commentId: target.externalId,
        commentAt: target.at,
      })

    const id = uuidv7()
    await addMessage(tx, {
      id,
      threadId,
      accountId: thread.accountId,
      kind: MESSAGE_KINDS[kind],
      direction: 'OUT',
      source: 'AGENT_MANUAL',
      author: userId,
      text,
      parent: target?.id ?? null,
      at: tx.now,
    })
    await attachFiles(tx, id, input.attachments ?? [])
    await enqueueForThread(tx, {
      kind,
      threadId,
      messageId: id,
      accountId: thread.accountId,
      content: target ? { commentId: target.externalId } : {},
    })
    await endWaitForAnswer(tx, threadId, userId)
    tx.record({ type: 'message.written', subject: { threadId, messageId: id }, data: { kind } })
    return readMessage(tx, id)
  })
}

/**
 * Returns the text, or null for a picture. Throws `validation_failed` if the network does not accept this kind of
 * answer.
 */
function checked(
  { text, attachments, privately }: NewMessage,
  { kind: threadKind, platform }: Answered,
  kind: ThreadDeliveryKind,
): string | null {
  if (privately !== undefined && threadKind === 'DM') {
    throw invalid({
      path: '/privately',
      code: 'unsupported',
      message: 'Direct messages are always private. Omit `privately`.',
    })
  }
  const limit = roomFor(platform, kind)
  if (!limit)
    throw invalid({
      path: '/text',
      code: 'unsupported',
      message: 'This network doesn’t let Parley send replies. Reply on the network itself.',
    })
  if ((text === undefined) === (attachments === undefined)) {
    throw invalid({ path: '/text', code: 'required', message: 'Send either text or a picture, not both.' })
  }
  if (attachments && kind === 'private_reply') {
    throw invalid({ path: '/attachments', code: 'unsupported', message: 'Private replies can’t include pictures.' })
  }
  if (attachments && !limit.pictures) {
    throw invalid({
      path: '/attachments',
      code: 'unsupported',
      message: 'This network doesn’t accept pictures in comments.',
    })
  }
  if (text === undefined) return null
  if (!fits(text, platform, kind)) {
    throw invalid({
      path: '/text',
      code: 'too_long',
      message: `The network accepts at most ${limit.most} ${limit.in}.`,
      limit: limit.most,
    })
  }
  return text
}

/**
 * Refuses an answer whose author has not seen the newest message. The error contains that message. The author may have
 * seen a note after it.
 */
async function refuseUnseen(tx: Tx, threadId: string, seen: string | undefined): Promise<void> {
  if (seen === undefined) return
  const newest = await newestMessage(tx, threadId)
  if (newest === undefined) return
  const [isSeen] =
    await tx.run(query`select from message s join message n on n.workspace_id = s.workspace_id and n.id = ${newest}
    where s.workspace_id = ${tx.workspaceId} and s.thread_id = ${threadId} and s.id = ${seen} and (s.at, s.id) >= (n.at, n.id)`)
  if (isSeen) return
  throw new AppError('newer_message', undefined, { message: await readMessage(tx, newest) })
}

/** Returns the customer's comment to answer: the given one, or else the newest. */
async function targetOf(tx: Tx, threadId: string, id: string | undefined) {
  const [target] = await tx.run(query<{
    id: string
    externalId: string
    at: Date
  }>`select id, external_id, at from message
    where workspace_id = ${tx.workspaceId} and thread_id = ${threadId} and kind = 'COMMENT' and direction = 'IN'
      and removed_at is null and (${id ?? null}::uuid is null or id = ${id ?? null}) order by at desc, id desc limit 1`)
  if (target) return target
  if (id !== undefined)
    throw invalid({
      path: '/parentId',
      code: 'unknown',
      message: 'No customer comment in this conversation has this ID.',
    })
  throw new AppError('invalid_state', 'The customer deleted every comment here, so there’s nothing to reply to.', {
    current: 'REMOVED',
    allowed: [],
  })
}

interface Sending extends FencedRow {
  kind: ThreadDeliveryKind
  /** Whether a person wrote what it sends. */
  isAnswer: boolean
  state: DeliveryState
  accountId: string
  commentId: string | null
  /** When the comment was written that it answers. */
  commentAt: Date | null
  humanUntil: Date | null
}

/** Locks the thread and then the delivery of a message, and returns the delivery. Throws `not_found`. */
async function lockDelivery(tx: Tx, threadId: string, messageId: string): Promise<Sending> {
  await tx.one(
    query`select from thread where workspace_id = ${tx.workspaceId} and id = ${threadId} for update`,
    'not_found',
  )
  return tx.one(
    query<Sending>`select d.id, d.thread_id as subject_id, d.fence, d.state, d.kind, d.account_id, d.content ->> 'commentId' as comment_id,
        (select q.at from message q where q.workspace_id = m.workspace_id and q.id = m.parent_id) as comment_at,
        t.human_until, d.kind <> 'hide' and m.source <> 'BOT_AUTO' as is_answer
      from delivery d join thread t on t.workspace_id = d.workspace_id and t.id = d.thread_id
      join message m on m.workspace_id = d.workspace_id and m.id = d.message_id
      where d.workspace_id = ${tx.workspaceId} and d.thread_id = ${threadId} and d.message_id = ${messageId} for update of d`,
    'not_found',
  )
}

/**
 * Retries a failed answer, which then counts as a person's answer: it ends what the bot has begun. Refuses one with an
 * unknown outcome, which a person has to resolve first.
 */
export function retryMessage(scope: Scope, threadId: string, messageId: string): Promise<Message> {
  return scope.transaction(async (tx) => {
    const sending = await lockDelivery(tx, threadId, messageId)
    if (sending.state === 'UNCONFIRMED') throw new AppError('outcome_unknown')
    if (sending.state !== 'FAILED')
      throw new AppError('invalid_state', undefined, { current: sending.state, allowed: ['FAILED'] })
    if (sending.kind === 'dm') refuseClosed(sending.humanUntil, tx.now)
    if (sending.kind === 'private_reply') await refusePrivateReply(tx, sending)
    await enqueueAgain(tx, sending.id)
    if (sending.isAnswer) await endForAnswer(tx, threadId)
    await recountAnswers(tx, threadId)
    tx.record({ type: 'message.retried', subject: { threadId, messageId } })
    return readMessage(tx, messageId)
  })
}

/**
 * Ends what the bot has begun in a thread, because a person's answer that had failed is sent after all. The caller has
 * locked the thread.
 */
export async function endForAnswer(tx: Tx, threadId: string): Promise<void> {
  await supersede(tx, threadId, 'a person answered')
  await endHoldForAnswer(tx, threadId)
}

/** Settles an unknown outcome by what a person saw on the network. */
export function resolveMessage(
  scope: Scope,
  drivers: ThreadDrivers,
  { threadId, messageId, outcome }: { threadId: string; messageId: string; outcome: 'live' | 'not_live' },
): Promise<Message> {
  return scope.transaction(async (tx) => {
    const sending = await lockDelivery(tx, threadId, messageId)
    if (sending.state !== 'UNCONFIRMED') {
      throw new AppError('invalid_state', undefined, { current: sending.state, allowed: ['UNCONFIRMED'] })
    }
    const settled = await settle(
      tx,
      drivers[sending.kind],
      sending,
      outcome === 'live'
        ? { state: 'PUBLISHED', externalId: null, permalink: null, publishedAt: tx.now }
        : { state: 'FAILED', error: errorFor('not_live') },
    )
    if (settled === 'lost') throw new AppError('invalid_state', undefined, { current: sending.state, allowed: [] })
    tx.record({ type: 'message.resolved', subject: { threadId, messageId }, data: { outcome } })
    return readMessage(tx, messageId)
  })
}

/** Hides a customer's comment at the network, or shows it again. */
export function hideMessage(scope: Scope, threadId: string, messageId: string, hidden: boolean): Promise<Message> {
  return scope.transaction(async (tx) => {
    await tx.one(
      query`select from thread where workspace_id = ${tx.workspaceId} and id = ${threadId} for update`,
      'not_found',
    )
    const comment = await tx.one(
      query<{
        accountId: string
        externalId: string
        isCustomers: boolean
        removed: boolean
      }>`select account_id, external_id,
          kind = 'COMMENT' and direction = 'IN' as is_customers, removed_at is not null as removed
        from message where workspace_id = ${tx.workspaceId} and thread_id = ${threadId} and id = ${messageId} for update`,
      'not_found',
    )
    if (!comment.isCustomers || comment.removed) {
      const current = comment.removed ? 'REMOVED' : 'NOT_A_COMMENT'
      throw new AppError(
        'invalid_state',
        'Only a customer’s comment that hasn’t been removed can be hidden or unhidden.',
        { current, allowed: [] },
      )
    }
    const { accountId, externalId: commentId } = comment
    const begun = await enqueueForThread(tx, {
      kind: 'hide',
      threadId,
      messageId,
      accountId,
      content: { commentId, hidden },
    })
    if (!begun)
      throw new AppError('invalid_state', 'This comment is already being hidden or unhidden. Try again shortly.', {
        current: 'SUBMITTING',
        allowed: [],
      })
    tx.record({ type: hidden ? 'message.hidden' : 'message.shown', subject: { threadId, messageId } })
    return readMessage(tx, messageId)
  })
}
