import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Urgency } from '../threads/api.ts'
import { endHold } from '../threads/by-bot.ts'
import { botIsOn, claimPages } from './config/config.ts'
import { enqueueDecision } from './decisions.ts'
import { supersede } from './drafts.ts'

/** Lower ranks come first. Comments come after all direct messages. */
const RANKS: Readonly<Record<Urgency, number>> = { CRITICAL: 0, HIGH: 1, MEDIUM: 2, LOW: 3 }
const AFTER_MESSAGES = 10

interface Answered {
  isDue: boolean
  kind: 'COMMENT' | 'DM'
  urgency: Urgency
  revision: number
  isPage: boolean
  isLive: boolean
  isClaimed: boolean
}

/**
 * Ends what the bot has begun in a thread or left to people, and enqueues a decision about its newest message if the
 * bot is enabled and the customer still waits. Returns whether there is a decision. Called after the customer wrote,
 * edited or removed something, with the thread locked.
 * `author` is the writer's id at the network, or null if the event has none.
 */
export async function decideAbout(tx: Tx, threadId: string, author: string | null): Promise<boolean> {
  await supersede(tx, threadId, 'the customer wrote')
  const [, [thread]] = await tx.together(() => [
    endHold(tx, threadId),
    tx.run(query<Answered & { messageId: string }>`select ${botIsOn} and t.unanswered_at is not null as is_due,
        t.kind, t.urgency, t.revision, t.live as is_live,
        exists (select from bot_claim b where b.workspace_id = a.workspace_id and b.platform = a.platform and b.external_id = a.external_id) as is_claimed,
        ${botIsOn} and t.kind = 'COMMENT' and (page_is_known(a.platform, ${author}) or exists (select from decision d
          where d.workspace_id = t.workspace_id and d.thread_id = t.id and coalesce(d.facts #>> '{message,foreign}', d.facts ->> 'foreign') = 'page')) as is_page,
        (select m.id from message m where m.workspace_id = t.workspace_id and m.thread_id = t.id and m.direction = 'IN'
          and m.removed_at is null order by m.at desc, m.id desc limit 1) as message_id
      from thread t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      join workspace w on w.id = t.workspace_id left join bot_config c on c.workspace_id = t.workspace_id
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId}`),
  ])
  if (!thread?.isDue || thread.messageId === null) return false
  // The account was connected after the bot was enabled, or the workspace that answered it has released it.
  if (!thread.isClaimed) await claimPages(tx)
  await enqueueDecision(tx, {
    kind: 'bot',
    threadId,
    messageId: thread.messageId,
    revision: thread.revision,
    rank: RANKS[thread.urgency] + (thread.kind === 'COMMENT' ? AFTER_MESSAGES : 0),
    foreign: thread.isLive ? 'live' : thread.isPage ? 'page' : null,
  })
  return true
}
