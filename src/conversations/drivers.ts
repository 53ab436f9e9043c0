import type { SocialAccount } from '../channels/api.ts'
import type { Crypto } from '../core/platform/crypto.ts'
import { query, sql } from '../core/platform/db.ts'
import type { Tx } from '../core/platform/scope.ts'
import type { DeliveryState, ThreadDeliveryKind } from '../delivery/api.ts'
import type { Call, Claimed, Driver, Settled, ThreadDrivers } from '../delivery/driver.ts'
import { errorFor, graceEnds, holdUntil, later, type Verdict } from '../delivery/rules.ts'
import type { Inbox } from '../networks/network.ts'
import { fileUrl } from '../publishing/media/media.ts'
import type { Settings } from '../services.ts'
import { deleteMessageAttachments } from './attachments/attachments.ts'
import { answerersAmong } from './threads/answerers.ts'
import { guardReply, replySettled, replyUnconfirmed } from './bot/sending.ts'
import { endForAnswer } from './answers.ts'
import { recountAnswers } from './threads/answered.ts'
import { copyFromTwin, deleteMessage, storeExternalId, storeHidden } from './threads/messages.ts'
import { personPlace } from './audience/customers.ts'
import { countServed } from './experiments/experiments.ts'
import { countHits } from './memory/memory.ts'
import { tellFailed } from './threads/notices.ts'
import { PRIVATE_REPLY_WINDOW } from './threads/rules.ts'
import { reopenForAnswer } from './threads/threads.ts'
import { releaseWaiting } from './webhooks/events.ts'

// The deliveries of a thread: answers, direct messages, and hiding comments. An answer that is proven absent fails, and
// is not resent automatically, so that a person decides whether it is still right.

/** A delivery of a thread, as read with its claim. */
interface Subject {
  text: string | null
  /** The URL of the picture, or null for a text. */
  picture: string | null
  /** Whether it is a picture, which may have been deleted since. */
  isPicture: boolean
  messageId: string
  /** Whether the bot sends it without a person. */
  isBots: boolean
  identityId: string
  person: string
  commentId: string | null
  /** When the comment was written that it answers. */
  commentAt: string | null
  hidden: boolean
  status: SocialAccount['status']
  paused: boolean
  /**
   * Whether the network's ordinary window has closed. `humanUntil` is the time until which a person may still write.
   */
  late: boolean
  humanUntil: string | null
}

interface Content {
  text: string
  picture: string | null
  messageId: string
  personId: string
  commentId: string
  hidden: boolean
  /** Whether the network takes it only with the tag for people. */
  isTagged: boolean
}

interface Head {
  id: string
  accountId: string
}

const inboxOf = ({ network }: Pick<Call, 'network'>): Inbox => {
  if (!network.inbox) throw new Error('The network doesn’t let apps take part in conversations.')
  return network.inbox
}

const shown = (externalId: string | null) => ({ externalId, permalink: null, publishedAt: null })

const placeOf = ({ account, reservation, content: { commentId, text, picture } }: Call<Content>) => ({
  account,
  reservation,
  commentId,
  text,
  picture,
})
const directPlace = ({ account, reservation, content }: Call<Content>) => ({
  account,
  reservation,
  text: content.text,
  picture: content.picture,
  metadata: content.messageId,
  to: { personId: content.personId, human: content.isTagged },
})
const privatePlace = (call: Call<Content>) => ({ ...directPlace(call), to: { commentId: call.content.commentId } })

const effects: Record<ThreadDeliveryKind, Pick<Driver<Subject, Content, Head>, 'commit' | 'find'>> = {
  reply: {
    commit: async (call) => shown(await inboxOf(call).reply(placeOf(call))),
    find: async (call, since) => (await inboxOf(call).findReplies(placeOf(call), since)).map(shown),
  },
  private_reply: {
    commit: async (call) => shown(await inboxOf(call).send(privatePlace(call))),
    find: async (call, since) => foundIn(await inboxOf(call).findMessages(privatePlace(call), since)),
  },
  dm: {
    commit: async (call) => shown(await inboxOf(call).send(directPlace(call))),
    find: async (call, since) => foundIn(await inboxOf(call).findMessages(directPlace(call), since)),
  },
  hide: {
    async commit(call) {
      const { commentId, hidden } = call.content
      await inboxOf(call).hide({ ...placeOf(call), commentId, hidden })
      return shown(null)
    },
    find: async (call) => ((await inboxOf(call).isHidden(placeOf(call))) === call.content.hidden ? [shown(null)] : []),
  },
}

const foundIn = (ids: string[] | 'unprovable') => (ids === 'unprovable' ? ids : ids.map(shown))

/** Creates the drivers of everything that a thread delivers. Without `humanAgent`, no call has the tag for people. */
export function createThreadDrivers(crypto: Crypto, { humanAgent }: Pick<Settings, 'humanAgent'>): ThreadDrivers {
  const contentOf = (row: Claimed<Subject>): Content => {
    const { subject } = row
    return {
      text: row.sent?.text ?? subject.text ?? '',
      picture: subject.picture,
      messageId: subject.messageId,
      personId: crypto.open(subject.person, personPlace(row.workspaceId, subject.identityId)),
      commentId: subject.commentId ?? '',
      hidden: subject.hidden,
      isTagged: humanAgent && subject.late,
    }
  }

  const driver = (kind: ThreadDeliveryKind): Driver<Subject, Content, Head> => ({
    ...effects[kind],
    kind,
    calls:
      kind === 'hide'
        ? sql`'reply'`
        : sql`case (select m.source from message m where m.workspace_id = c.workspace_id and m.id = c.message_id)
          when 'BOT_AUTO' then 'bot_reply' else 'reply' end`,
    sentOnce: true,
    words: 'answer',

    subject: (filesUrl) =>
      sql`(select json_build_object('text', m.text, 'isPicture', p.id is not null,
        'picture', ${fileUrl(filesUrl, sql`f.storage_key`)}, 'messageId', m.id,
        'isBots', m.source = 'BOT_AUTO' and c.kind <> 'hide', 'identityId', i.id, 'person', i.value,
        'commentId', c.content ->> 'commentId',
        'commentAt', (select iso(q.at) from message q where q.workspace_id = m.workspace_id and q.id = m.parent_id), 'hidden', coalesce((c.content ->> 'hidden')::boolean, false), 'status', a.status,
        'paused', a.paused_at is not null, 'late', coalesce(t.window_until <= app_now(), false), 'humanUntil', iso(t.human_until))
      from thread t join message m on m.workspace_id = t.workspace_id and m.id = c.message_id
      left join message_attachment p on p.workspace_id = m.workspace_id and p.message_id = m.id and m.direction = 'OUT'
        and p.position = 0 and p.type = 'image' and m.text is null
      left join media_file f on f.workspace_id = p.workspace_id and f.id = p.media_file_id
      join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
      where t.workspace_id = c.workspace_id and t.id = c.thread_id)`,

    stop: ({ subject, dueAt }, _settings, now) => stop(kind, subject, dueAt, now),
    heldUntil: ({ subject, dueAt }) => heldUntil(kind, subject, dueAt),

    compose(row) {
      const text = row.subject.text ?? ''
      return { hash: row.subject.picture ?? text, sent: { text, media: [] }, content: { ...contentOf(row), text } }
    },
    recall: contentOf,

    cost: () => 1,
    readCost: () => 1,

    guard: ({ subject, subjectId, dueAt }) =>
      subject.isBots
        ? async (tx) =>
            endIfClosed(kind, subject, tx.now) ??
            endIfLate(kind, dueAt, tx.now) ??
            guardReply(tx, subjectId, subject.messageId)
        : undefined,
    lock: (workspaceId, threadId) =>
      query<Head>`select id, account_id from thread where workspace_id = ${workspaceId} and id = ${threadId} for update`,
    onSettled: (tx, at) => applyOutcome(tx, kind, at),
  })

  return { reply: driver('reply'), private_reply: driver('private_reply'), dm: driver('dm'), hide: driver('hide') }
}

/** Returns why a delivery is not sent now, as a wait or a failure. Null lets it proceed. */
function stop(kind: ThreadDeliveryKind, subject: Subject, dueAt: Date, now: Date): Verdict | null {
  const { status, paused, isPicture, picture } = subject
  if (isPicture && picture === null) return { state: 'FAILED', error: errorFor('media_fetch/deleted') }
  if (status === 'DISCONNECTED') return { state: 'FAILED', error: errorFor('account_disconnected') }
  const closed = endIfClosed(kind, subject, now)
  if (closed) return closed
  if (status !== 'CONNECTED') return holdUntil('reconnect_needed', heldUntil(kind, subject, dueAt), now)
  return paused ? holdUntil('account_paused', heldUntil(kind, subject, dueAt), now) : endIfLate(kind, dueAt, now)
}

/**
 * Returns the time until which a delivery waits for its account: a person's private answer as long as networks accept
 * it, everything else a day. What the bot could not send in a day is left to people while they can still answer.
 */
function heldUntil(kind: ThreadDeliveryKind, { isBots, commentAt, humanUntil }: Subject, dueAt: Date): Date {
  if (isBots) return graceEnds(dueAt)
  if (kind === 'private_reply' && commentAt !== null) return later(new Date(commentAt), PRIVATE_REPLY_WINDOW)
  return kind === 'dm' && humanUntil !== null ? new Date(humanUntil) : graceEnds(dueAt)
}

/** Returns the end of a private delivery that networks no longer accept, whatever it waited for. */
function endIfClosed(kind: ThreadDeliveryKind, { commentAt, humanUntil }: Subject, now: Date): Verdict | null {
  if (kind === 'dm' && (humanUntil === null || new Date(humanUntil) <= now))
    return { state: 'FAILED', error: errorFor('window_closed') }
  if (kind === 'private_reply' && commentAt !== null && later(new Date(commentAt), PRIVATE_REPLY_WINDOW) <= now)
    return { state: 'FAILED', error: errorFor('window_closed/private_reply') }
  return null
}

/** Returns the end of a public delivery that has waited for a day, whatever it waited for. */
function endIfLate(kind: ThreadDeliveryKind, dueAt: Date, now: Date): Verdict | null {
  const isPublic = kind === 'reply' || kind === 'hide'
  return isPublic && now >= graceEnds(dueAt) ? { state: 'FAILED', error: errorFor('too_late') } : null
}

/** A delivery that has ended, for now or for good. */
interface Ended {
  threadId: string
  deliveryId: string
  kind: ThreadDeliveryKind
  was: DeliveryState
  verdict: Extract<Verdict, { state: 'PUBLISHED' | 'FAILED' | 'UNCONFIRMED' }>
}

/**
 * Stores the network's id of the message, or the new state of its comment, and applies the events that waited for this
 * outcome.
 */
async function applyOutcome(
  tx: Tx,
  kind: ThreadDeliveryKind,
  { subjectId: threadId, head: { accountId }, mine, verdict }: Settled<Head>,
): Promise<void> {
  tx.emit({ kind: 'conversation', id: threadId })
  if (verdict.state === 'PENDING' || verdict.state === 'SUBMITTING') return
  const ended: Ended = { threadId, deliveryId: mine.id, kind, was: mine.state, verdict }
  const externalId = verdict.state === 'PUBLISHED' ? verdict.externalId : null
  const [reply, twin] = await Promise.all([readReply(tx, mine.id), findTwin(tx, accountId, externalId)])
  if (reply && twin) await absorb(tx, twin, reply.id)
  if (verdict.state === 'PUBLISHED') {
    await (kind === 'hide' ? storeHidden(tx, mine.id) : storeExternalId(tx, mine.id, externalId))
  }
  if (reply) await (reply.isBots ? applyToBotsReply(tx, reply, ended) : applyToPersonsAnswer(tx, reply, ended))
  recordOutcome(tx, reply, ended)
  await releaseWaiting(tx, accountId, `thread:${threadId}`)
  // Changes to the message may have come before its id.
  if (externalId !== null) await releaseWaiting(tx, accountId, externalId)
  tx.enqueue('webhook-process', { accountId }, { key: `webhook:${accountId}` })
  // Last, because other failures of the workspace wait for the lock of its notices.
  if (reply && !reply.isBots && verdict.state === 'FAILED' && mine.state !== 'FAILED')
    await tellFailed(tx, { threadId, messageId: reply.id }, reply.concerned)
}

interface Reply {
  id: string
  author: string | null
  concerned: string[]
  isBots: boolean
  /** The ids of the memories that the bot's draft used, or null for a message without a draft. */
  memory: string[] | null
}

/** Returns the message of a delivery, or undefined if it hides a comment. */
async function readReply(tx: Tx, deliveryId: string): Promise<Reply | undefined> {
  const [reply] = await tx.run(query<Reply>`select m.id, m.author, m.source = 'BOT_AUTO' as is_bots,
      case when m.source = 'BOT_SUGGESTED' then array(select jsonb_array_elements_text(w.facts #> '{told,memory}')
        from decision w where w.workspace_id = m.workspace_id and w.id = m.decision_id) end as memory,
      ${answerersAmong(sql`t.workspace_id`, sql`m.author, t.assignee`)} as concerned
    from delivery d join message m on m.workspace_id = d.workspace_id and m.id = d.message_id
    join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id
    where d.workspace_id = ${tx.workspaceId} and d.id = ${deliveryId} and d.kind <> 'hide'`)
  return reply
}

/** Counts a person's answer as sent or failed. A person's answer that failed answered nobody, so its customer waits. */
async function applyToPersonsAnswer(
  tx: Tx,
  { memory }: Reply,
  { threadId, deliveryId, was, verdict: { state } }: Ended,
): Promise<void> {
  // Experiments are locked before the turns of decisions.
  if (memory && state === 'PUBLISHED' && was !== 'PUBLISHED') {
    await countServed(tx, threadId)
    await countHits(tx, memory)
  }
  const failed = state === 'FAILED'
  if (failed !== (was === 'FAILED')) {
    await recountAnswers(tx, threadId, { deliveryId, failed })
    if (failed) await reopenForAnswer(tx, threadId)
    else await endForAnswer(tx, threadId)
  }
  // Only a person can say whether the answer was sent, and nobody looks into a closed thread.
  if (state === 'UNCONFIRMED' && was !== 'UNCONFIRMED') await reopenForAnswer(tx, threadId)
}

/** Ends the decision behind a reply of the bot, or leaves the reply to a person. */
async function applyToBotsReply(
  tx: Tx,
  { id: messageId }: Reply,
  { threadId, deliveryId, verdict: { state } }: Ended,
): Promise<void> {
  if (state === 'UNCONFIRMED') await replyUnconfirmed(tx, threadId)
  else await replySettled(tx, threadId, { messageId, deliveryId, isSent: state === 'PUBLISHED' })
}

function recordOutcome(tx: Tx, reply: Reply | undefined, { threadId, deliveryId, kind, was, verdict }: Ended): void {
  const outcome = outcomeOf(kind, verdict.state, was)
  if (outcome === null) return
  tx.record({
    type: `message.${outcome}`,
    subject: { threadId, deliveryId },
    data: { kind, ...('error' in verdict && { code: verdict.error.code }), ...(reply?.isBots && { by: 'bot' }) },
    by: reply?.author ?? null,
  })
}

const OUTCOMES = { PUBLISHED: 'sent', FAILED: 'failed', UNCONFIRMED: 'unconfirmed' } as const
const HIDE_OUTCOMES = { PUBLISHED: null, FAILED: 'hide_failed', UNCONFIRMED: 'hide_unconfirmed' } as const

/**
 * Returns the outcome that is recorded, or null. Hiding and showing are recorded when a person requests them, so only an
 * outcome that they cannot expect is recorded here. A delivery that a person has found at the network gets its id later,
 * which is no new outcome.
 */
function outcomeOf(kind: ThreadDeliveryKind, state: Ended['verdict']['state'], was: DeliveryState) {
  if (was === 'PUBLISHED') return null
  return (kind === 'hide' ? HIDE_OUTCOMES : OUTCOMES)[state]
}

/** A message that was stored as written in the network's own inbox, although one of our deliveries made it. */
interface Twin {
  id: string
  threadId: string
}

async function findTwin(tx: Tx, accountId: string, externalId: string | null): Promise<Twin | undefined> {
  const [twin] =
    await tx.run(query<Twin>`select m.id, m.thread_id from message m where m.workspace_id = ${tx.workspaceId}
    and m.account_id = ${accountId} and m.external_id = ${externalId} and m.direction = 'OUT' and m.source = 'AGENT_MANUAL'
    and not exists (select from delivery d where d.workspace_id = m.workspace_id and d.message_id = m.id) for update of m`)
  return twin
}

/**
 * Replaces the twin of our message, which has its id at the network, by our message. What the network has told about
 * the twin since is kept: the comments below it, its last text, its reaction and its removal.
 */
async function absorb(tx: Tx, twin: Twin, messageId: string): Promise<void> {
  await copyFromTwin(tx, messageId, twin.id)
  await deleteMessageAttachments(tx, twin.id)
  await deleteMessage(tx, twin.id)
  await recountAnswers(tx, twin.threadId)
  tx.emit({ kind: 'conversation', id: twin.threadId })
}
