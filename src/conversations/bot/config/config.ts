import { isDeepStrictEqual } from 'node:util'
import { createHash } from 'node:crypto'
import { AppError, type Fault, invalid } from '../../../core/errors.ts'
import { query, sql, whole } from '../../../core/platform/db.ts'
import { readOnlyFaults, refuseStale } from '../../../core/platform/patch.ts'
import type { Scope, Scopes, Tx } from '../../../core/platform/scope.ts'
import { personShape } from '../../../team/identity/person-shape.ts'
import { isInPlan } from '../../../team/plans/plans.ts'
import { isZone } from '../../../team/identity/identity.ts'
import type { BotConfig, BotConfigChange } from './api.ts'
import type { Knowledge } from '../knowledge.ts'
import { configFaults, knowledgeFaults, WRITABLE } from './rules.ts'

/** Whether the bot of workspace `w` answers: it is enabled in its configuration `c`, and the plan includes it. */
export const botIsOn = sql<boolean>`(coalesce(c.is_enabled, false) and ${isInPlan(sql`w.id`, 'auto_reply')})`

/** Selects the configuration, with the defaults of the table if no one has changed it yet. */
const configOf = (workspaceId: string) =>
  whole<{
    json: BotConfig
  }>(sql`select json_build_object('isEnabled', coalesce(c.is_enabled, false),
      'autoReplyComments', coalesce(c.auto_reply_comments, true), 'autoReplyDMs', coalesce(c.auto_reply_dms, true),
      'commentToDmEnabled', coalesce(c.comment_to_dm_enabled, false),
      'maxAutoRepliesPerThread', coalesce(c.max_auto_replies_per_thread, 3),
      'replyDelaySeconds', coalesce(c.reply_delay_seconds, 0), 'workingHoursOnly', coalesce(c.working_hours_only, false),
      'workingHoursStart', c.working_hours_start, 'workingHoursEnd', c.working_hours_end, 'workingTimezone', c.working_timezone,
      'brandVoiceId', c.brand_voice_id, 'maxConfidenceForAuto', coalesce(c.max_confidence_for_auto, 0.7),
      'blockedTopics', coalesce(c.blocked_topics, '{}'), 'escalateKeywords', coalesce(c.escalate_keywords, '{}'),
      'knowledgeBase', coalesce(k.knowledge_base, '{}'), 'faqEntries', coalesce(k.faq_entries, '[]'),
      'abTestingEnabled', coalesce(c.ab_testing_enabled, false), 'handoffText', c.handoff_text,
      'disclosureText', c.disclosure_text, 'draftsOnlyUntil', iso(c.drafts_only_until),
      'paused', w.bot_paused_at is not null,
      'answeredElsewhere', coalesce((select json_agg(a.id order by a.id) from social_account a
        where ${botIsOn} and a.workspace_id = w.id and a.status <> 'DISCONNECTED' and not exists (select from bot_claim b
          where b.workspace_id = w.id and b.platform = a.platform and b.external_id = a.external_id)), '[]'),
      'version', coalesce(c.version, 1), 'updatedAt', iso(c.updated_at),
      'updatedBy', ${personShape(sql`c.updated_by`)}
    ) as json
    from workspace w left join bot_config c on c.workspace_id = w.id
    left join bot_knowledge k on k.workspace_id = c.workspace_id and k.hash = c.knowledge_hash where w.id = ${workspaceId}`)

export async function getConfig(scope: Scope): Promise<BotConfig> {
  const [[row]] = await scope.read(configOf(scope.workspaceId))
  if (!row) throw new AppError('not_found')
  return row.json
}

export const readConfig = async (tx: Tx): Promise<BotConfig> =>
  (await tx.one(configOf(tx.workspaceId), 'not_found')).json

/**
 * Changes the named fields. Enabling the bot claims the pages that no other workspace answers, and disabling it
 * releases them. Throws `stale_version`, `validation_failed`.
 */
export function updateConfig(
  scope: Scope,
  change: BotConfigChange,
  ifMatch: number | undefined,
  userId: string,
): Promise<BotConfig> {
  return scope.transaction(async (tx) => writeConfig(tx, await lockConfig(tx, ifMatch), change, userId))
}

/** Locks the configuration and returns it. Throws `stale_version`. */
export async function lockConfig(tx: Tx, ifMatch?: number): Promise<BotConfig> {
  await tx.run(query`insert into bot_config (workspace_id) values (${tx.workspaceId}) on conflict do nothing`)
  await tx.one(query`select from bot_config where workspace_id = ${tx.workspaceId} for update`, 'not_found')
  const current = await readConfig(tx)
  refuseStale(current.version, ifMatch)
  return current
}

/** Changes the configuration, which the caller has locked. Throws `validation_failed`. */
export async function writeConfig(
  tx: Tx,
  current: BotConfig,
  change: BotConfigChange,
  userId: string,
): Promise<BotConfig> {
  const { draftsOnlyUntil, ...named } = change
  const next: BotConfig = {
    ...current,
    ...(named as Partial<BotConfig>),
    ...(draftsOnlyUntil !== undefined && { draftsOnlyUntil: draftsOnlyUntil?.toISOString() ?? null }),
  }
  const changed = WRITABLE.filter((field) => !isDeepStrictEqual(next[field], current[field]))
  const faults = [...readOnlyFaults(change, current, WRITABLE), ...(await faultsIn(tx, change, next, changed))]
  if (faults.length > 0) throw invalid(...faults)
  if (changed.length === 0) return current
  const knowledgeHash = await keepKnowledge(tx, next)
  await tx.one(
    query`update bot_config set is_enabled = ${next.isEnabled}, auto_reply_comments = ${next.autoReplyComments},
          auto_reply_dms = ${next.autoReplyDMs}, comment_to_dm_enabled = ${next.commentToDmEnabled},
          max_auto_replies_per_thread = ${next.maxAutoRepliesPerThread}, reply_delay_seconds = ${next.replyDelaySeconds},
          working_hours_only = ${next.workingHoursOnly}, working_hours_start = ${next.workingHoursStart},
          working_hours_end = ${next.workingHoursEnd}, working_timezone = ${next.workingTimezone},
          brand_voice_id = ${next.brandVoiceId}, max_confidence_for_auto = ${next.maxConfidenceForAuto},
          blocked_topics = ${next.blockedTopics}, escalate_keywords = ${next.escalateKeywords},
          knowledge_hash = ${knowledgeHash}, ab_testing_enabled = ${next.abTestingEnabled}, handoff_text = ${next.handoffText},
          disclosure_text = ${next.disclosureText}, drafts_only_until = ${next.draftsOnlyUntil},
          version = version + 1, updated_at = ${tx.now}, updated_by = ${userId}
        where workspace_id = ${tx.workspaceId} and version = ${current.version} returning version`,
    'stale_version',
    { current: current.version },
  )
  if (next.isEnabled !== current.isEnabled) await (next.isEnabled ? claimPages(tx) : leavePages(tx))
  tx.record({ type: 'bot.changed', subject: {}, data: { fields: changed } })
  return readConfig(tx)
}

/**
 * Returns what is wrong with a changed configuration. Keeps its brand voice until the end of the transaction. Knowledge
 * from before its limits may stay, so that everything else can still be changed.
 */
async function faultsIn(
  tx: Tx,
  change: BotConfigChange,
  next: BotConfig,
  changed: readonly (keyof BotConfig)[],
): Promise<Fault[]> {
  const faults = [
    ...configFaults(next),
    ...knowledgeFaults({
      ...(changed.includes('faqEntries') && { faqEntries: next.faqEntries }),
      ...(changed.includes('knowledgeBase') && { knowledgeBase: next.knowledgeBase }),
    }),
  ]
  if (change.workingTimezone && !isZone(change.workingTimezone)) {
    faults.push({
      path: '/workingTimezone',
      code: 'unknown_zone',
      message: 'This time zone is unknown. Use an IANA name such as Europe/Berlin.',
    })
  }
  if (change.brandVoiceId) {
    const [voice] = await tx.run(query`select from brand_voice where workspace_id = ${tx.workspaceId}
        and id = ${change.brandVoiceId} for key share`)
    if (!voice) faults.push({ path: '/brandVoiceId', code: 'unknown_id', message: 'No brand voice has this ID.' })
  }
  return faults
}

/** Stores a version of the knowledge for the decisions that refer to it. Returns its hash. */
export async function keepKnowledge(tx: Tx, { faqEntries, knowledgeBase }: Knowledge): Promise<string> {
  const [faq, base] = [JSON.stringify(faqEntries), JSON.stringify(knowledgeBase)]
  const hash = createHash('sha256').update(`${faq}\n${base}`).digest('hex')
  await tx.run(query`insert into bot_knowledge (workspace_id, hash, faq_entries, knowledge_base)
    values (${tx.workspaceId}, ${hash}, ${faq}::jsonb, ${base}::jsonb)
    on conflict (workspace_id, hash) do update set created_at = app_now()`)
  return hash
}

/** Deletes knowledge that was last stored before a time, unless it is the current one or a decision refers to it. */
export const forgetKnowledge = (scopes: Pick<Scopes, 'ask'>, before: Date) =>
  scopes.ask(
    'inbox',
    query`delete from bot_knowledge k where k.created_at < ${before}
      and not exists (select from bot_config c where c.workspace_id = k.workspace_id and c.knowledge_hash = k.hash)
      and not exists (select from decision d where d.workspace_id = k.workspace_id and d.knowledge_hash = k.hash)`,
  )

/** Claims the pages of all connected accounts that no other workspace answers. */
export const claimPages = (tx: Tx) =>
  tx.run(query`insert into bot_claim (platform, external_id, workspace_id, account_id)
    select distinct on (a.platform, a.external_id) a.platform, a.external_id, a.workspace_id, a.id
    from social_account a join workspace w on w.id = a.workspace_id and w.deleted_at is null
    where a.workspace_id = ${tx.workspaceId} and a.status <> 'DISCONNECTED' order by a.platform, a.external_id, a.id
    on conflict do nothing`)

const leavePages = (tx: Tx) => tx.run(query`delete from bot_claim where workspace_id = ${tx.workspaceId}`)

/**
 * Releases the pages that their workspace no longer answers, so that another one may: the account was disconnected, the
 * workspace was deleted, or its plan no longer includes the bot. Then claims the free pages of all whose bot is on.
 */
export async function balanceClaims(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  await scopes.ask(
    'inbox',
    query`delete from bot_claim b using social_account a, workspace w
      where a.workspace_id = b.workspace_id and a.id = b.account_id and w.id = b.workspace_id
        and (a.status = 'DISCONNECTED' or w.deleted_at is not null or not ${isInPlan(sql`w.id`, 'auto_reply')})`,
  )
  const workspaces = await scopes.ask(
    'inbox',
    query<{ id: string }>`select w.id from workspace w join bot_config c on c.workspace_id = w.id
      where w.deleted_at is null and ${botIsOn} and exists (select from social_account a where a.workspace_id = w.id
        and a.status <> 'DISCONNECTED' and not exists (select from bot_claim b
          where b.platform = a.platform and b.external_id = a.external_id)) order by w.created_at, w.id`,
  )
  for (const { id } of workspaces) await scopes.scope(id, scope.actor).transaction(claimPages)
}
