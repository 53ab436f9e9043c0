import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Urgency } from '../api.ts'
import { claimPages } from './config/config.ts'
import { enqueueDecision } from './decisions/decisions.ts'
import { supersede } from './drafts.ts'

/** Direct messages come first, then the most urgent. */
const RANKS: Readonly<Record<Urgency, number>> = { CRITICAL: 0, HIGH: 1, MEDIUM: 2, LOW: 3 }
const AFTER_MESSAGES = 10

interface Answered {
  isEnabled: boolean
  kind: 'COMMENT' | 'DM'
  urgency: Urgency
  revision: number
  isPage: boolean
  isLive: boolean
  isClaimed: boolean
}

/**
 * Has the bot decide about what a customer wrote or changed, if it is enabled and nobody has answered that since. What it had
 * begun in the thread ends. The thread is locked. `author`: the writer's id at the network; null where it is not known again.
 */
export async function decideAbout(tx: Tx, threadId: string, messageId: string, author: string | null): Promise<void> {
  await supersede(tx, threadId, 'the customer wrote')
  const [thread] = await tx.run(query<Answered>`update thread t set held = null
      from message m, social_account a left join bot_config c on c.workspace_id = a.workspace_id
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} and a.workspace_id = t.workspace_id and a.id = t.account_id
        and m.workspace_id = t.workspace_id and m.id = ${messageId} and m.removed_at is null
        and m.at = t.last_in_at and t.unanswered_at is not null
      returning coalesce(c.is_enabled, false) as is_enabled, t.kind, t.urgency, t.revision, t.live as is_live,
        exists (select from bot_claim b where b.workspace_id = a.workspace_id and b.platform = a.platform and b.external_id = a.external_id) as is_claimed,
        coalesce(c.is_enabled, false) and t.kind = 'COMMENT' and page_is_known(a.platform, ${author}) as is_page`)
  if (!thread?.isEnabled) return
  // The account was connected after the bot was enabled, or the workspace that answered it has left it.
  if (!thread.isClaimed) await claimPages(tx)
  await enqueueDecision(tx, {
    kind: 'bot',
    threadId,
    messageId,
    revision: thread.revision,
    rank: RANKS[thread.urgency] + (thread.kind === 'COMMENT' ? AFTER_MESSAGES : 0),
    foreign: thread.isLive ? 'live' : thread.isPage ? 'page' : null,
  })
}
