import type { RawBuilder } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { VoiceText } from '../../assistant/brand-voices/api.ts'
import { voiceTextShape } from '../../assistant/brand-voices/brand-voices.ts'
import { findLanguage } from '../../assistant/ai/ai-language.ts'
import { tellLanguage } from '../../assistant/ai/text-language.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { RowsOf, Scope, Tx } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import type { EscalationRule } from '../escalation/api.ts'
import { rulesWhere } from '../escalation/escalation.ts'
import { choosingFor, strategyOf } from '../experiments/experiments.ts'
import { rememberedIn } from '../memory/memory.ts'
import { filtersOf, type NamedFilter, segmentsWith } from '../audience/segments/membership.ts'
import { INTENTS, REPLY, withoutInvisible } from './ask.ts'
import { botIsOn } from './config/config.ts'
import type { BegunDecision, Stored } from './decisions.ts'
import { type BotRules, type DecisionFacts, type EarlierDecision, isFailed, judgedText } from './decision-facts.ts'
import { passagesFor } from './written.ts'
import { countWords, type Knowledge, passagesOf, sampleOf } from './knowledge.ts'

// Reads the facts that a decision considers.

/** A message is left to people if it waited for its turn, or was on its way to us, longer than these milliseconds. */
const TOO_LATE = 3_600_000
/** How many messages of a thread the model gets, and how many characters of each. */
const MOST_MESSAGES = 12
const LONGEST_MESSAGE = 4_000
/** How many earlier decisions of the thread the model gets, and in how many segments the customer is. */
const MOST_DECISIONS = 5
const MOST_SEGMENTS = 10

/** The configuration `c` of workspace `w` in the shape of `BotRules`, without the knowledge. */
const rulesShape = sql`json_build_object('isEnabled', ${botIsOn},
  'autoReplyComments', coalesce(c.auto_reply_comments, true), 'autoReplyDMs', coalesce(c.auto_reply_dms, true),
  'maxAutoRepliesPerThread', coalesce(c.max_auto_replies_per_thread, 3), 'replyDelaySeconds', coalesce(c.reply_delay_seconds, 0),
  'hours', case when c.working_hours_only then
    json_build_object('start', c.working_hours_start, 'end', c.working_hours_end, 'zone', c.working_timezone) end,
  'maxConfidenceForAuto', coalesce(c.max_confidence_for_auto, 0.7), 'blockedTopics', coalesce(c.blocked_topics, '{}'),
  'escalateKeywords', coalesce(c.escalate_keywords, '{}'), 'draftsOnlyUntil', iso(c.drafts_only_until),
  'disclosureText', c.disclosure_text, 'brandVoiceId', c.brand_voice_id)`

type Rules = Omit<BotRules, keyof Knowledge>

const knowledgeWhere = (workspaceId: string, hash: string | null) =>
  query<Knowledge>`select faq_entries, knowledge_base from bot_knowledge where workspace_id = ${workspaceId} and hash = ${hash}`

const EMPTY: Knowledge = { faqEntries: [], knowledgeBase: {} }
const recent = new LRUCache<string, Knowledge>({ max: 100 })

/**
 * Returns the knowledge of a row with this hash, or empty knowledge without a row. The same knowledge is one object, so
 * that its words are counted once.
 */
export function sameKnowledge(workspaceId: string, hash: string | null, row: Knowledge | null | undefined): Knowledge {
  if (!row || hash === null) return EMPTY
  const key = `${workspaceId} ${hash}`
  const found = recent.get(key) ?? row
  recent.set(key, found)
  return found
}

/** Returns the same with its words counted. Other work gets turns meanwhile, so no transaction may wait for it. */
async function countedKnowledge(...of: Parameters<typeof sameKnowledge>): Promise<Knowledge> {
  const found = sameKnowledge(...of)
  await countWords(found)
  return found
}

/** Returns the knowledge with a hash, or empty knowledge if there is none. */
async function readKnowledge(scope: Scope, hash: string | null): Promise<Knowledge> {
  const [[row]] = await scope.read(knowledgeWhere(scope.workspaceId, hash))
  return countedKnowledge(scope.workspaceId, hash, row)
}

/** Returns the facts of a row together with the knowledge that they refer to. */
export async function withKnowledge(scope: Scope, stored: Stored, hash: string | null): Promise<DecisionFacts> {
  const { config, ...facts } = stored
  return { ...facts, config: { ...config, ...(await readKnowledge(scope, hash)) } }
}

/** Returns the current configuration with its knowledge. */
export async function readRules(scope: Scope): Promise<{ rules: BotRules; knowledgeHash: string | null }> {
  const { workspaceId } = scope
  const [[row], [knowledge]] = await scope.read(
    whole<{
      rules: Rules
      knowledgeHash: string | null
    }>(sql`select ${rulesShape} as rules, c.knowledge_hash from workspace w
      left join bot_config c on c.workspace_id = w.id where w.id = ${workspaceId}`),
    query<Knowledge>`select k.faq_entries, k.knowledge_base from bot_knowledge k join bot_config c
      on c.workspace_id = k.workspace_id and c.knowledge_hash = k.hash where k.workspace_id = ${workspaceId}`,
  )
  const { rules, knowledgeHash } = row!
  return { rules: { ...rules, ...(await countedKnowledge(workspaceId, knowledgeHash, knowledge)) }, knowledgeHash }
}

interface Read {
  message: {
    kind: 'COMMENT' | 'DM'
    text: string
    earlier: string[] | null
    platform: Platform
    isLate: boolean | null
    isClaimed: boolean
  }
  thread: DecisionFacts['thread']
  rules: Rules
  knowledgeHash: string | null
}

/** How many messages of a thread are looked at whose decisions were superseded. */
const MOST_UNDECIDED = 50

/**
 * The messages of thread `t` that wait with message `m` and whose decisions were superseded, since the last one that was
 * made. Null if there are none.
 */
const undecided = sql`(select json_agg(left(e.text, ${LONGEST_MESSAGE}) order by e.at, e.id) from (select distinct u.id, u.text, u.at
    from decision d join message u on u.workspace_id = d.workspace_id and u.id = d.message_id
    where d.workspace_id = t.workspace_id and d.thread_id = t.id and d.kind = 'bot' and d.verdict = 'SUPERSEDED'
      and u.id <> m.id and u.at >= t.unanswered_at and u.removed_at is null and u.text is not null
      and not exists (select from decision o where o.workspace_id = t.workspace_id and o.thread_id = t.id
        and o.kind = 'bot' and o.id > d.id and o.state = 'DONE' and o.verdict <> 'SUPERSEDED')
    order by u.at desc, u.id desc limit ${MOST_UNDECIDED}) e)`

/** Whether message `m` came late, such as after an outage of its network. Its first decision is as old as its arrival. */
const cameLate = sql`(select min(f.created_at) > m.at + make_interval(secs => ${TOO_LATE / 1_000}) from decision f
  where f.workspace_id = m.workspace_id and f.message_id = m.id and f.kind = 'bot')`

/** Returns the parts of escalation rules that a decision needs. */
export const rulesOf = (rules: readonly EscalationRule[]): DecisionFacts['rules'] =>
  rules.map(({ id, keywords, intents, urgency, sentiment }) => ({ id, keywords, intents, urgency, sentiment }))

const readWhere = (workspaceId: string, { threadId, messageId }: BegunDecision) =>
  whole<Read>(sql`select
        json_build_object('kind', t.kind, 'text', coalesce(m.text, ''), 'earlier', ${undecided}, 'platform', a.platform,
          'isLate', ${cameLate}, 'isClaimed', exists (select from bot_claim b where b.workspace_id = t.workspace_id and b.platform = a.platform
            and b.external_id = a.external_id)) as message,
        json_build_object('status', t.status, 'botPaused', t.bot_paused_at is not null,
          'workspacePaused', w.bot_paused_at is not null, 'streak', t.bot_streak, 'revision', t.revision,
          'windowUntil', iso(t.window_until)) as thread,
        ${rulesShape} as rules, c.knowledge_hash
      from thread t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      join workspace w on w.id = t.workspace_id
      join message m on m.workspace_id = t.workspace_id and m.id = ${messageId}
      left join bot_config c on c.workspace_id = t.workspace_id
      where t.workspace_id = ${workspaceId} and t.id = ${threadId}`)

function factsFrom(
  scope: Scope,
  { kind, dueAt, createdAt, facts }: BegunDecision,
  { message, thread, rules }: Read,
  { knowledge, escalation }: { knowledge: Knowledge; escalation: readonly { json: EscalationRule }[] },
): DecisionFacts {
  const now = scope.now()
  const waited = now.getTime() - (dueAt ?? createdAt).getTime()
  const known = facts.message?.foreign ?? facts.foreign ?? null
  return {
    kind,
    now: now.toISOString(),
    at: { taken: now.toISOString() },
    message: {
      kind: message.kind,
      text: withoutInvisible(message.text),
      ...(kind === 'bot' && message.earlier && { earlier: message.earlier.map(withoutInvisible) }),
      platform: message.platform,
      foreign: known ?? (kind === 'bot' && !message.isClaimed ? 'claimed' : null),
      isLate: kind === 'bot' && (message.isLate === true || waited > TOO_LATE),
    },
    config: { ...rules, ...knowledge },
    thread,
    rules: rulesOf(escalation.map(({ json }) => json)),
  }
}

/**
 * Returns everything known before the model is asked, and what to tell it. Returns undefined if the thread or the
 * message is gone.
 */
export async function readFacts(
  scope: Scope,
  begun: BegunDecision,
): Promise<{ facts: DecisionFacts; knowledgeHash: string | null; telling: Telling } | undefined> {
  const { workspaceId } = scope
  const voiceId = sql`(select brand_voice_id from bot_config where workspace_id = ${workspaceId})`
  const [[read], [row], escalation, ...telling] = await scope.read(
    readWhere(workspaceId, begun),
    query<Knowledge>`select k.faq_entries, k.knowledge_base from bot_knowledge k join bot_config c
      on c.workspace_id = k.workspace_id and c.knowledge_hash = k.hash where k.workspace_id = ${workspaceId}`,
    rulesWhere(workspaceId),
    ...tellingOf(workspaceId, begun, voiceId),
  )
  if (!read) return undefined
  const { knowledgeHash } = read
  const knowledge = await countedKnowledge(workspaceId, knowledgeHash, row)
  return { facts: factsFrom(scope, begun, read, { knowledge, escalation }), knowledgeHash, telling }
}

/** Returns the facts by which words alone decide: without the knowledge, and without what the model would be told. */
export async function readWords(scope: Scope, begun: BegunDecision): Promise<DecisionFacts | undefined> {
  const [[read], escalation] = await scope.read(readWhere(scope.workspaceId, begun), rulesWhere(scope.workspaceId))
  return read && factsFrom(scope, begun, read, { knowledge: EMPTY, escalation })
}

/** Returns the prompt of the classification. It judges all messages that nobody decided about as one. */
export const classifyPrompt = ({ message, config, told }: DecisionFacts) => ({
  channel: message.kind,
  thread: told?.input?.thread ?? [],
  ...(told?.input?.parent && { parent: told.input.parent }),
  message: judgedText({ ...message, earlier: message.earlier?.slice(-MOST_MESSAGES) }),
  topics: config.blockedTopics,
  knowledgeLanguage: told?.knowledgeIsIn ?? null,
})

interface Around {
  voice: VoiceText | null
  language: string
  niche: string
  account: string
  style: string | null
  isFirst: boolean
  thread: { who: 'customer' | 'bot' | 'shop'; text: string }[]
  post: string | null
  parent: { who: 'other' | 'shop'; text: string } | null
  customer: { id: string; name: string; engagement: number } | null
  decisions: { verdict: string; hold: string | null; classified: string | null }[]
}

/** Whether the bot has no message in thread `t` yet since it was opened. */
export const isBotsFirst = sql<boolean>`not exists (select from message b where b.workspace_id = t.workspace_id
  and b.thread_id = t.id and b.is_intended and b.source in ('BOT_AUTO', 'BOT_SUGGESTED') and b.at >= t.opened_at)`

const around = (workspaceId: string, { threadId, messageId }: BegunDecision, voiceId: RawBuilder<unknown>) =>
  whole<Around>(sql`select w.language, coalesce(w.niche, '') as niche, coalesce(a.name, w.name) as account, t.reply_style as style,
      (select ${voiceTextShape} from brand_voice v where v.workspace_id = w.id
        and case when ${voiceId}::uuid is null then v.is_default else v.id = ${voiceId} end) as voice,
      ${isBotsFirst} as is_first,
      coalesce((select json_agg(json_build_object('who', case m.source when 'CUSTOMER' then 'customer' when 'AGENT_MANUAL' then 'shop'
            else 'bot' end, 'text', left(m.text, ${LONGEST_MESSAGE})) order by m.at, m.id)
        from (select * from message n where n.workspace_id = t.workspace_id and n.thread_id = t.id and n.kind <> 'NOTE'
          and (t.kind = 'DM' or n.kind = 'COMMENT') and n.is_intended and n.removed_at is null and n.text is not null and n.id is distinct from ${messageId}::uuid
          and n.at >= t.opened_at order by n.at desc, n.id desc limit ${MOST_MESSAGES}) m), '[]') as thread,
      (select left(p.caption, 500) from post p where p.workspace_id = t.workspace_id and p.id = t.post_id) as post,
      (select json_build_object('who', case q.direction when 'IN' then 'other' else 'shop' end, 'text', left(q.text, ${LONGEST_MESSAGE}))
        from message m join message q on q.workspace_id = m.workspace_id and q.id = m.parent_id
        where m.workspace_id = t.workspace_id and m.id = ${messageId}::uuid and m.kind = 'COMMENT' and q.thread_id <> t.id
          and q.text is not null and q.removed_at is null) as parent,
      (select json_build_object('id', n.id, 'name', n.name, 'engagement', engagement(n.heat, n.heat_at, app_now()))
        from audience_identity i join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
        where i.workspace_id = t.workspace_id and i.id = t.identity_id) as customer,
      coalesce((select json_agg(json_build_object('verdict', e.verdict, 'hold', e.hold, 'classified',
            (select l ->> 'outcome' from jsonb_array_elements(e.log) l where l ->> 'step' = 'classify' limit 1)) order by e.id)
        from (select d.id, d.verdict, d.hold, d.log from decision d where d.workspace_id = t.workspace_id and d.thread_id = t.id
          and d.kind = 'bot' and d.state = 'DONE' and d.verdict not in ('IGNORED', 'SUPERSEDED') and d.ended_at >= t.opened_at
          order by d.id desc limit ${MOST_DECISIONS}) e), '[]') as decisions
    from workspace w left join thread t on t.workspace_id = w.id and t.id = ${threadId}
    left join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where w.id = ${workspaceId}`)

const tellingOf = (workspaceId: string, begun: BegunDecision, voiceId: RawBuilder<unknown>) =>
  [
    around(workspaceId, begun, voiceId),
    rememberedIn(workspaceId, begun.threadId),
    choosingFor(workspaceId, begun.kind === 'bot' ? begun.threadId : null),
    filtersOf(workspaceId),
  ] as const
type Telling = RowsOf<ReturnType<typeof tellingOf>>

/** Adds the model's input besides the message and the knowledge: from `telling`, or read now. */
export async function readTold(
  scope: Scope,
  begun: BegunDecision,
  facts: DecisionFacts,
  telling?: Telling,
): Promise<DecisionFacts> {
  const [[row], remembered, [choosing], filters] =
    telling ?? (await scope.read(...tellingOf(scope.workspaceId, begun, sql`${facts.config.brandVoiceId}`)))
  const { language, niche, account, isFirst, thread, post, parent, customer, decisions } = row!
  const strategy = choosing && (await strategyOf(scope, choosing))
  const voice = strategy?.voice ?? row!.voice
  // The style that a person set for the thread goes before the one of an experiment.
  const style = row!.style ?? strategy?.style ?? null
  const instructions = strategy?.instructions ?? null
  // Everyone can read a comment, so its prompt has nothing about the person.
  const isDirect = facts.message.kind === 'DM'
  const profile = isDirect && customer ? await profileOf(scope, customer, filters) : null
  const knowledge = sampleOf(passagesOf(facts.config))
  const last = thread.findLast(({ who }) => who !== 'customer')?.text ?? null
  return {
    ...facts,
    told: {
      system: REPLY,
      forbidden: voice?.vocabulary.avoid ?? [],
      last,
      isFirst,
      knowledgeIsIn: knowledge === '' ? null : (tellLanguage(knowledge, language) ?? language),
      input: {
        business: account,
        niche,
        voice,
        style,
        instructions,
        post,
        thread: thread.map(({ who, text }) => ({ who, text: withoutInvisible(text) })),
        ...(parent && { parent: { who: parent.who, text: withoutInvisible(parent.text) } }),
        ...(isDirect && {
          memory: remembered.map(({ key, value }) => ({ key, value })),
          profile,
        }),
        decisions: decisions.map(earlierOf),
      },
      ...(isDirect && remembered.length > 0 && { memory: remembered.map(({ id }) => id) }),
      ...(strategy && { strategy: { experimentId: strategy.experimentId, variant: strategy.variant } }),
    },
  }
}

async function profileOf(
  scope: Scope,
  { id, ...profile }: NonNullable<Around['customer']>,
  filters: readonly NamedFilter[],
) {
  const segments = (await segmentsWith(scope, id, filters)).slice(0, MOST_SEGMENTS)
  return { ...profile, ...(segments.length > 0 && { segments }) }
}

/** Only a known intent is told: the model named it for a text of the customer, who may have told it what to name. */
const earlierOf = ({ verdict, hold, classified }: Around['decisions'][number]): EarlierDecision => ({
  verdict,
  ...(hold !== null && { hold }),
  ...(classified !== null && INTENTS.includes(classified) && { intent: classified }),
})

/**
 * Locks the comment above a message until the commit, so that it cannot be removed in the meantime. Returns the facts
 * without its text if it was removed before.
 */
export async function withoutRemovedParent(
  tx: Tx,
  { messageId }: Pick<BegunDecision, 'messageId'>,
  facts: DecisionFacts,
): Promise<DecisionFacts> {
  const { told } = facts
  if (!told?.input?.parent) return facts
  const [kept] =
    await tx.run(query`select from message m join message p on p.workspace_id = m.workspace_id and p.id = m.parent_id
    where m.workspace_id = ${tx.workspaceId} and m.id = ${messageId} and p.removed_at is null for share of p`)
  const { parent: _, ...input } = told.input
  return kept ? facts : { ...facts, told: { ...told, input } }
}

/** Returns the prompt of the reply. Everyone can read a comment, so its prompt has nothing about the person. */
export function replyPrompt(facts: DecisionFacts): object {
  const { message, classification, told } = facts
  const code = classification && !isFailed(classification) ? classification.language : ''
  return {
    channel: message.kind,
    language: findLanguage(code) ?? { code: 'en', name: 'English' },
    ...(told?.input as object),
    knowledge: passagesFor(facts),
    message: message.text,
  }
}

// ---- read again under lock

/** Locks a thread and returns its current state, or undefined if it is gone. */
export async function lockThread(tx: Tx, threadId: string): Promise<NonNullable<DecisionFacts['again']> | undefined> {
  const [row] = await tx.run(
    whole<{ json: NonNullable<DecisionFacts['again']> }>(sql`select json_build_object('status', t.status,
        'botPaused', t.bot_paused_at is not null, 'workspacePaused', w.bot_paused_at is not null, 'streak', t.bot_streak,
        'revision', t.revision, 'windowUntil', iso(t.window_until), 'isEnabled', ${botIsOn},
        'maxAutoRepliesPerThread', coalesce(c.max_auto_replies_per_thread, 3)) as json
      from thread t join workspace w on w.id = t.workspace_id left join bot_config c on c.workspace_id = t.workspace_id
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} for update of t`),
  )
  return row?.json
}

/** Returns the whole escalation rule with an id, if it still exists and the plan still includes it. */
export async function ruleOf(tx: Tx, id: string): Promise<EscalationRule | undefined> {
  const isInForce = sql`r.id = ${id} and ${isInPlan(sql`r.workspace_id`, 'auto_reply')}`
  return (await tx.run(rulesWhere(tx.workspaceId, isInForce)))[0]?.json
}
