import type { RawBuilder } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, page } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { enqueueForThread } from '../../delivery/deliveries.ts'
import type { ThreadDeliveryKind } from '../../delivery/api.ts'
import type { Platform } from '../../networks/api.ts'
import { endWaitForApproval } from '../threads/answered.ts'
import { replaceHold } from '../threads/by-bot.ts'
import { addMessage } from '../threads/messages.ts'
import { fits, MESSAGE_KINDS, PRIVATE_REPLY_WINDOW } from '../threads/rules.ts'
import { markRead } from '../threads/presence.ts'
import { newestMessage, readMessage } from '../threads/threads-read.ts'
import { refuseClosed, refuseDisconnected, refusePrivateReply } from '../threads/windows.ts'
import type { DraftQuery } from './api.ts'
import type { DraftReply } from '../decisions/api.ts'
import {
  decidedAnswers,
  endReservations,
  eraseFacts,
  eraseFactsWith,
  readersOf,
  supersedeDecisions,
} from './decisions.ts'
import { draftShape } from '../decisions/shapes.ts'
import { decide } from './decide.ts'
import type { DecisionFacts } from './decision-facts.ts'
import { citedIn, confidenceFor, textOf, vetoesFor } from './written.ts'

// Replies that wait for a person. Has every statement that writes the table `draft_reply`. Lock order: the thread, then
// its drafts.

const DAY = 24 * 3_600_000
/** How long a draft below a comment waits at most. This is less than its reservations last. */
const LONGEST_WAIT = 28 * DAY

const draftsWhere = (workspaceId: string, condition: ReturnType<typeof sql>) =>
  whole<{ json: DraftReply; id: string }>(sql`select ${draftShape} as json, r.id from draft_reply r
    where r.workspace_id = ${workspaceId} and ${condition}`)

/** Lists a page of drafts, in one state or in any. */
export async function listDrafts(
  scope: Scope,
  { state, sort, ...request }: Omit<DraftQuery, 'workspaceId'>,
): Promise<Page<DraftReply>> {
  const drafts = page(sql`r.id`, request, sort === 'oldest' ? 'asc' : 'desc')
  const inState = state === undefined ? sql`true` : sql`r.state = ${state}`
  const [rows] = await scope.read(draftsWhere(scope.workspaceId, sql`${inState} and ${drafts.rows}`))
  const found = drafts.of(rows)
  return { data: found.data.map(({ json }) => json), nextCursor: found.nextCursor }
}

/** Returns a draft. Throws `not_found`. */
export async function getDraft(scope: Scope, id: string): Promise<DraftReply> {
  const [[row]] = await scope.read(draftsWhere(scope.workspaceId, sql`r.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

const readDraft = async (tx: Tx, id: string): Promise<DraftReply> =>
  (await tx.one(draftsWhere(tx.workspaceId, sql`r.id = ${id}`), 'not_found')).json

interface Reply {
  threadId: string
  messageId: string
  decisionId: string
}

/** Stores a reply as a draft that waits for a person, and enqueues its expiry. Returns when it expires. */
export async function keepDraft(
  tx: Tx,
  { threadId, messageId, decisionId }: Reply,
  facts: DecisionFacts,
  privately: boolean,
): Promise<Date> {
  const { next } = decide(facts)
  if (next.do !== 'end' || next.verdict !== 'HELD') throw new Error('Only a held reply can become a draft')
  await endDrafts(tx, threadId)
  const id = uuidv7()
  const { value, ...parts } = confidenceFor(facts)
  const windowUntil = (facts.again ?? facts.thread).windowUntil
  const expiresAt =
    facts.message.kind === 'DM' && windowUntil !== null
      ? new Date(windowUntil)
      : new Date(tx.now.getTime() + LONGEST_WAIT)
  await tx.run(query`insert into draft_reply (workspace_id, id, decision_id, thread_id, message_id, revision, text, reason, confidence,
      parts, threshold, sources, vetoes, privately, expires_at)
    values (${tx.workspaceId}, ${id}, ${decisionId}, ${threadId}, ${messageId}, ${facts.thread.revision}, ${textOf(facts)}, ${next.hold},
      ${value}, ${JSON.stringify(parts)}::jsonb, ${facts.config.maxConfidenceForAuto}, ${JSON.stringify(citedIn(facts))}::jsonb,
      ${vetoesFor(facts)}, ${privately}, ${expiresAt})`)
  tx.enqueue('ice-process', { draftId: id }, { key: `draft:${id}`, runAt: expiresAt })
  return expiresAt
}

/** Ends what the bot has begun in a thread, because someone wrote. The caller has locked the thread. */
export async function supersede(tx: Tx, threadId: string, why: string): Promise<void> {
  await supersedeDecisions(tx, threadId, why)
  await endDrafts(tx, threadId)
}

/** Ends the waiting draft of a thread. The caller has locked the thread. */
export async function endDrafts(tx: Tx, threadId: string): Promise<void> {
  const ended = await tx.run(query<{
    decisionId: string
  }>`update draft_reply set state = 'SUPERSEDED', decided_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and thread_id = ${threadId} and state = 'PENDING_REVIEW' returning decision_id`)
  for (const { decisionId } of ended) await endReservations(tx, decisionId, 'release')
}

/** Ends a draft whose window has closed. */
export async function expireDraft(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const [draft] = await tx.run(query<{
      threadId: string
      expiresAt: Date
    }>`select thread_id, expires_at from draft_reply
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'PENDING_REVIEW'`)
    if (!draft) return
    await tx.run(query`select from thread where workspace_id = ${tx.workspaceId} and id = ${draft.threadId} for update`)
    if (draft.expiresAt > tx.now) {
      tx.enqueue('ice-process', { draftId: id }, { key: `draft:${id}`, runAt: draft.expiresAt })
      return
    }
    const [ended] = await tx.run(query<{
      decisionId: string
    }>`update draft_reply set state = 'EXPIRED', decided_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'PENDING_REVIEW' returning decision_id`)
    if (!ended) return
    await endReservations(tx, ended.decisionId, 'release')
    await replaceHold(tx, draft.threadId, 'window')
    tx.record({ type: 'reply.decided', subject: { threadId: draft.threadId, draftId: id }, data: { state: 'EXPIRED' } })
  })
}

/** Erases what a customer wrote from decisions and drafts. The steps of a decision stay, without the texts. */
export async function eraseDecisions(tx: Tx, threadIds: readonly string[]): Promise<void> {
  for (const id of threadIds) {
    await supersedeDecisions(tx, id, 'the customer was erased', { isSendingToo: true })
    await endDrafts(tx, id)
  }
  await eraseFacts(tx, threadIds)
  await withoutTexts(
    tx,
    sql`(thread_id = any (${threadIds}::uuid[])
      or state <> 'PENDING_REVIEW' and decision_id in ${decidedAnswers(tx, threadIds)})`,
  )
}

/** Erases a message that its customer removed from decisions and drafts. The caller has superseded what was open. */
export async function eraseFromDecisions(tx: Tx, message: { id: string; threadId: string; at: Date }): Promise<void> {
  await eraseFactsWith(tx, message)
  await withoutTexts(tx, sql`state <> 'PENDING_REVIEW' and decision_id in ${readersOf(tx, message)}`)
}

/** Removes the texts of drafts. Whether a person had edited one stays, for the figures. */
const withoutTexts = (tx: Tx, condition: RawBuilder<unknown>) =>
  tx.run(query`update draft_reply set text = '', sent_text = case when sent_text is not null then '' end,
      flag_note = null, sources = '[]' where workspace_id = ${tx.workspaceId} and ${condition}`)

// ---- decisions by people

interface Locked {
  decisionId: string
  messageId: string
  revision: number
  state: DraftReply['state']
  text: string
  privately: boolean
}

interface Open {
  threadId: string
  accountId: string
  kind: 'COMMENT' | 'DM'
  platform: Platform
  accountStatus: string
  revision: number
  windowUntil: Date | null
}

/** Locks a draft and its thread. Throws `not_found`, `invalid_state`. */
async function lockDraft(tx: Tx, id: string): Promise<Locked & { thread: Open }> {
  const { threadId } = await tx.one(
    query<{
      threadId: string
    }>`select thread_id from draft_reply where workspace_id = ${tx.workspaceId} and id = ${id}`,
    'not_found',
  )
  const thread = await tx.one(
    query<Open>`select t.id as thread_id, t.account_id, t.kind, a.platform, a.status as account_status, t.revision, t.window_until
      from thread t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} for update of t`,
    'not_found',
  )
  const draft = await tx.one(
    query<Locked>`select decision_id, message_id, revision, state, text, privately from draft_reply
      where workspace_id = ${tx.workspaceId} and id = ${id} for update`,
    'not_found',
  )
  if (draft.state !== 'PENDING_REVIEW') {
    throw new AppError('invalid_state', undefined, { current: draft.state, allowed: ['PENDING_REVIEW'] })
  }
  return { ...draft, thread }
}

/**
 * Sends a draft, unchanged or with another text. This counts as a person's answer: it ends the bot's streak, but does
 * not pause the bot. The person has then read the thread. Throws `invalid_state`, `newer_message` if someone wrote
 * since, `window_closed`, `validation_failed`, `quota_exceeded`.
 */
export function approveDraft(scope: Scope, id: string, given: string | undefined, userId: string): Promise<DraftReply> {
  return scope.transaction(async (tx) => {
    const { thread, decisionId, messageId, revision, ...draft } = await lockDraft(tx, id)
    const { threadId } = thread
    if (thread.revision !== revision) {
      const newest = await newestMessage(tx, threadId)
      if (newest === undefined) throw new AppError('not_found')
      throw new AppError('newer_message', undefined, { message: await readMessage(tx, newest) })
    }
    refuseDisconnected(thread.accountStatus)
    if (thread.kind === 'DM') refuseClosed(thread.windowUntil, tx.now)
    const text = given ?? draft.text
    const kind: ThreadDeliveryKind = thread.kind === 'DM' ? 'dm' : draft.privately ? 'private_reply' : 'reply'
    if (!fits(text, thread.platform, kind)) {
      throw invalid({ path: '/text', code: 'too_long', message: 'The text is too long for this network. Shorten it.' })
    }
    const to = await addresseeOf(tx, threadId, messageId)
    if (!to) throw new AppError('not_found')
    if (kind === 'private_reply')
      await refusePrivateReply(tx, { accountId: to.accountId, commentId: to.externalId, commentAt: to.at })
    await writeReply(tx, { threadId, messageId, decisionId, text, to: { ...to, kind } }, userId)
    await endWaitForApproval(tx, threadId, { revision, userId })
    await decideDraft(tx, id, sql`state = 'APPROVED', sent_text = ${text === draft.text ? null : text}`, userId)
    await markRead(tx, { threadId, messageId }, userId)
    await endReservations(tx, decisionId, 'charge')
    tx.record({ type: 'reply.decided', subject: { threadId, draftId: id }, data: { state: 'APPROVED' } })
    return readDraft(tx, id)
  })
}

/**
 * Records what is wrong with a draft, which is then never sent. Its thread is reviewed, but still waits for an answer.
 */
export function flagDraft(
  scope: Scope,
  id: string,
  { reason, note }: { reason: string; note?: string | undefined },
  userId: string,
): Promise<DraftReply> {
  return scope.transaction(async (tx) => {
    const { decisionId, messageId, thread } = await lockDraft(tx, id)
    await decideDraft(tx, id, sql`state = 'FLAGGED', flag_reason = ${reason}, flag_note = ${note ?? null}`, userId)
    await markRead(tx, { threadId: thread.threadId, messageId }, userId)
    await replaceHold(tx, thread.threadId, null)
    await endReservations(tx, decisionId, 'charge')
    tx.record({
      type: 'reply.decided',
      subject: { threadId: thread.threadId, draftId: id },
      data: { state: 'FLAGGED', reason },
    })
    return readDraft(tx, id)
  })
}

const decideDraft = (tx: Tx, id: string, columns: ReturnType<typeof sql>, userId: string) =>
  tx.one(
    query`update draft_reply set ${columns}, decided_by = ${userId}, decided_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'PENDING_REVIEW' returning id`,
    'invalid_state',
    { current: 'PENDING_REVIEW', allowed: [] },
  )

// ---- sending

/** Where the answer to a customer's message goes. */
export interface Addressee {
  kind: ThreadDeliveryKind
  accountId: string
  /** The id of the message at the network. */
  externalId: string | null
  at: Date
}

interface Written {
  threadId: string
  /** The customer's message that the reply answers. */
  messageId: string
  decisionId: string
  text: string
  to: Addressee
}

/**
 * Writes a reply as a message with its delivery. A reply by a person appears in the thread immediately, one by the bot
 * once its intent is written.
 */
export async function writeReply(tx: Tx, reply: Written, userId: string | null): Promise<void> {
  const { threadId, messageId, decisionId, text } = reply
  const { kind, accountId, externalId } = reply.to
  const id = uuidv7()
  const isBots = userId === null
  const content = kind === 'dm' ? {} : { commentId: externalId }
  await tx.together(() => [
    addMessage(tx, {
      id,
      threadId,
      accountId,
      kind: MESSAGE_KINDS[kind],
      direction: 'OUT',
      source: isBots ? 'BOT_AUTO' : 'BOT_SUGGESTED',
      author: userId,
      text,
      parent: kind === 'dm' ? null : messageId,
      at: tx.now,
      decisionId,
      isIntended: !isBots,
    }),
    enqueueForThread(tx, { kind, threadId, messageId: id, accountId, content }),
  ])
  if (!isBots) tx.record({ type: 'message.written', subject: { threadId, messageId: id }, data: { kind } })
}

/**
 * Returns where a reply goes. A comment is answered privately if that is wanted and possible, and in public otherwise.
 * `except` is the id of a reply whose delivery is about to fail, so that another one may be as private. Returns
 * undefined if the message is gone.
 */
export async function addresseeOf(
  tx: Tx,
  threadId: string,
  messageId: string,
  { except = null }: { except?: string | null } = {},
): Promise<Addressee | undefined> {
  const [row] = await tx.run(
    query<
      Omit<Addressee, 'kind'> & { kind: 'COMMENT' | 'DM'; isPrivate: boolean }
    >`select t.kind, t.account_id, m.external_id, m.at, coalesce(c.comment_to_dm_enabled, false)
        and m.at > ${new Date(tx.now.getTime() - PRIVATE_REPLY_WINDOW)} and not exists (select from delivery d where d.workspace_id = t.workspace_id
          and d.account_id = t.account_id and d.kind = 'private_reply' and d.state <> 'FAILED'
          and d.message_id is distinct from ${except}::uuid and d.content ->> 'commentId' = m.external_id) as is_private
      from thread t join message m on m.workspace_id = t.workspace_id and m.id = ${messageId}
      left join bot_config c on c.workspace_id = t.workspace_id
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId}`,
  )
  if (!row) return undefined
  const { kind, isPrivate, ...to } = row
  return { ...to, kind: kind === 'DM' ? 'dm' : isPrivate ? 'private_reply' : 'reply' }
}
