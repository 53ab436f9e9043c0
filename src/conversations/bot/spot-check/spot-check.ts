import { AppError } from '../../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../../core/platform/cursor.ts'
import { query, sql, whole } from '../../../core/platform/db.ts'
import type { Scope } from '../../../core/platform/scope.ts'
import { personShape } from '../../../team/identity/person-shape.ts'
import { storeCheck } from '../decisions.ts'
import type { SentReply, SentReplyCheck } from './api.ts'

// The spot check: people look at some replies that the bot has sent, so that the calibration also knows about replies
// that nobody reviewed before.

/**
 * Whether the reply of decision `d` was sent and is in the sample: 13 of 256, which is about 5 %, by the hash of its id.
 * So neither the reply nor its confidence decides whether it is checked. The index `decision_to_check` has these words.
 */
const isSampled = sql`d.kind = 'bot' and d.verdict = 'SENT' and d.reply is not null
  and get_byte(sha256(uuid_send(d.id)), 0) < 13`

/** The sampled decisions `d` with the message `s` that was sent: with its disclosure, and as short as its network wants. */
const sampled = sql`from decision d join message s on s.workspace_id = d.workspace_id and s.decision_id = d.id
    and s.source = 'BOT_AUTO' and s.is_intended and s.removed_at is null and s.text is not null
  where ${isSampled}`

const sentShape = sql`json_build_object('id', d.id, 'conversationId', d.thread_id, 'messageId', d.message_id,
  'customer', (select n.name from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where t.workspace_id = d.workspace_id and t.id = d.thread_id),
  'question', (select m.text from message m where m.workspace_id = d.workspace_id and m.id = d.message_id),
  'text', s.text, 'confidence', d.confidence, 'sources', d.sources, 'sentAt', iso(d.ended_at),
  'check', case when d.checked_at is not null
    then json_build_object('flag', d.check_flag, 'by', ${personShape(sql`d.checked_by`)}, 'at', iso(d.checked_at)) end)`

const sentWhere = (workspaceId: string, condition: ReturnType<typeof sql>) =>
  whole<{ json: SentReply; id: string }>(sql`select ${sentShape} as json, d.id ${sampled}
    and d.workspace_id = ${workspaceId} and ${condition}`)

/** Lists a page of the sent replies that nobody has checked yet, newest first. Removed ones are not shown. */
export async function listToCheck(scope: Scope, request: PageRequest): Promise<Page<SentReply>> {
  const replies = page(sql`d.id`, request)
  const [rows] = await scope.read(sentWhere(scope.workspaceId, sql`d.checked_at is null and ${replies.rows}`))
  const found = replies.of(rows)
  return { data: found.data.map(({ json }) => json), nextCursor: found.nextCursor }
}

/** Stores what a person found in a reply of the sample. Throws `not_found`, `invalid_state` if it was checked before. */
export function checkReply(scope: Scope, id: string, { flag }: SentReplyCheck, userId: string): Promise<SentReply> {
  return scope.transaction(async (tx) => {
    const { threadId } = await tx.one(
      query<{ threadId: string }>`select d.thread_id ${sampled}
        and d.workspace_id = ${tx.workspaceId} and d.id = ${id}`,
      'not_found',
    )
    if (!(await storeCheck(tx, id, { flag, userId })))
      throw new AppError('invalid_state', 'Someone has already checked this reply.', {
        current: 'CHECKED',
        allowed: [],
      })
    tx.record({ type: 'reply.checked', subject: { threadId, decisionId: id }, data: { flag } })
    return (await tx.one(sentWhere(tx.workspaceId, sql`d.id = ${id}`), 'not_found')).json
  })
}
