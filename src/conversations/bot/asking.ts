import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import { countWith } from '../../core/platform/limits.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { type Platform, PLATFORMS } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import { assertModel, callLimit } from '../../assistant/ai/access.ts'
import type { Ports } from '../../services.ts'
import { rulesWhere } from '../escalation/escalation.ts'
import type { Simulation } from './api.ts'
import { withoutInvisible } from './ask.ts'
import type { BotConfigChange } from './config/api.ts'
import { keepKnowledge } from './config/config.ts'
import { knowledgeFaults } from './config/rules.ts'
import type { Decision } from '../decisions/api.ts'
import { enqueueDecision, listRun, storedOf } from './decisions.ts'
import { decide } from './decide.ts'
import type { BotRules, DecisionFacts } from './decision-facts.ts'
import { refuseClosed } from '../threads/windows.ts'
import { supersede } from './drafts.ts'
import { readRules, rulesOf, withKnowledge } from './facts.ts'
import { prepareChecks } from './written.ts'

// What people ask of the bot: a draft for a thread, a simulation of texts, and the replay of a decision.

type AskPorts = Pick<Ports, 'model' | 'settings'>

/** The fields of a draft configuration that matter to a simulation. Nothing is sent, and nothing waits. */
const TRIED = [
  'autoReplyComments',
  'autoReplyDMs',
  'maxAutoRepliesPerThread',
  'maxConfidenceForAuto',
  'brandVoiceId',
  'blockedTopics',
  'escalateKeywords',
  'knowledgeBase',
  'faqEntries',
  'disclosureText',
] as const satisfies readonly (keyof BotRules & keyof BotConfigChange)[]

const triedOf = (config: BotConfigChange): Partial<BotRules> =>
  Object.fromEntries(TRIED.filter((field) => config[field] !== undefined).map((field) => [field, config[field]]))

/** The rank of simulated texts, behind all messages of customers. */
const AFTER_CUSTOMERS = 100

/**
 * Counts a request for decisions. A batch counts as one try: its replies cost credits, its texts wait behind the
 * customers, and the limit of a minute is smaller than a batch may be.
 */
const counted = (tx: Tx, ports: AskPorts, userId: string) => countWith(tx, callLimit(ports, userId))

/**
 * Enqueues a draft for the newest message of a thread, which supersedes what the bot has begun there. Returns the id of
 * the decision. Throws `ai_not_configured`, `rate_limited`, `window_closed`, and `invalid_state` if the customer has
 * written nothing.
 */
export async function suggest(scope: Scope, ports: AskPorts, threadId: string, userId: string): Promise<string> {
  assertModel(ports)
  return scope.transaction(async (tx) => {
    const thread = await tx.one(
      query<{
        revision: number
        kind: 'COMMENT' | 'DM'
        windowUntil: Date | null
      }>`select revision, kind, window_until from thread
        where workspace_id = ${tx.workspaceId} and id = ${threadId} for update`,
      'not_found',
    )
    if (thread.kind === 'DM') refuseClosed(thread.windowUntil, tx.now)
    const [message] = await tx.run(query<{ id: string }>`select id from message where workspace_id = ${tx.workspaceId}
      and thread_id = ${threadId} and direction = 'IN' and removed_at is null and text is not null order by at desc, id desc limit 1`)
    if (!message) {
      throw new AppError('invalid_state', 'This conversation has no customer message to reply to.', {
        current: 'EMPTY',
        allowed: [],
      })
    }
    await counted(tx, ports, userId)
    await supersede(tx, threadId, 'another draft was asked for')
    const { revision } = thread
    const asked = { kind: 'suggest', threadId, messageId: message.id, revision, createdBy: userId } as const
    const id = await enqueueDecision(tx, asked)
    if (id === undefined) throw new Error('A suggestion must create its own decision')
    return id
  })
}

/** The network of simulations while no account is connected: the first one that takes messages. */
const usualNetwork = PLATFORMS.find((platform) => networks[platform].answers)!

/**
 * Returns the network of a simulation: that of the given account, or else of the first account that takes messages.
 * Throws `validation_failed` if the given account does not exist.
 */
async function platformOf(tx: Tx, accountId: string | undefined): Promise<Platform> {
  const rows = await tx.run(query<{
    platform: Platform
  }>`select platform from social_account where workspace_id = ${tx.workspaceId}
    and status <> 'DISCONNECTED' and ${accountId === undefined ? sql`true` : sql`id = ${accountId}`} order by id`)
  const [first] = rows.filter(({ platform }) => networks[platform].answers)
  if (first) return first.platform
  if (accountId === undefined) return usualNetwork
  throw invalid({ path: '/accountId', code: 'unknown_id', message: 'No account that can send replies has this ID.' })
}

async function refuseUnknownVoice(tx: Tx, id: string | null | undefined): Promise<void> {
  if (!id) return
  const [voice] = await tx.run(query`select from brand_voice where workspace_id = ${tx.workspaceId} and id = ${id}`)
  if (!voice) {
    throw invalid({ path: '/config/brandVoiceId', code: 'unknown_id', message: 'No brand voice has this ID.' })
  }
}

/** A simulation of one text, or the run of several. */
export type Simulated = { decisionId: string } | { runId: string }

/**
 * Lets the bot decide about texts as if a new customer had written them. Sends nothing and creates no thread. Returns
 * the id of the decision about one text, or of the run for several. Throws `validation_failed` for a draft
 * configuration with too much knowledge, or with ids that do not exist.
 */
export async function simulate(
  scope: Scope,
  ports: AskPorts,
  { text, texts, kind, accountId, config = {} }: Simulation,
  userId: string,
): Promise<Simulated> {
  assertModel(ports)
  const faults = knowledgeFaults(config, '/config')
  if (faults.length > 0) throw invalid(...faults)
  const { rules, knowledgeHash } = await readRules(scope)
  return scope.transaction(async (tx) => {
    await counted(tx, ports, userId)
    await refuseUnknownVoice(tx, config.brandVoiceId)
    const platform = await platformOf(tx, accountId)
    const escalation = await tx.run(rulesWhere(tx.workspaceId))
    const now = tx.now.toISOString()
    const tried: BotRules = {
      ...rules,
      ...triedOf(config),
      isEnabled: true,
      hours: null,
      draftsOnlyUntil: null,
      replyDelaySeconds: 0,
    }
    const isOther = config.faqEntries !== undefined || config.knowledgeBase !== undefined
    const hash = isOther ? await keepKnowledge(tx, tried) : knowledgeHash
    const factsOf = (message: string): DecisionFacts => ({
      kind: 'simulate',
      now,
      at: { taken: now },
      message: { kind, text: withoutInvisible(message), platform, foreign: null, isLate: false },
      config: tried,
      thread: {
        status: 'OPEN',
        botPaused: false,
        workspacePaused: false,
        streak: 0,
        revision: 0,
        windowUntil: null,
      },
      rules: rulesOf(escalation.map(({ json }) => json)),
    })
    const add = (message: string, run?: { id: string; place: number }) =>
      enqueueDecision(tx, {
        kind: 'simulate',
        rank: AFTER_CUSTOMERS,
        facts: storedOf(factsOf(message)),
        knowledgeHash: hash,
        createdBy: userId,
        ...(run && { run }),
      })
    if (texts) {
      const runId = uuidv7()
      for (const [place, each] of texts.entries()) await add(each, { id: runId, place })
      return { runId }
    }
    const decisionId = await add(text ?? '')
    if (decisionId === undefined) throw new Error('A simulation must create its own decision')
    return { decisionId }
  })
}

/** Returns a batch test with its decisions. Throws `not_found`. */
export async function getRun(scope: Scope, id: string): Promise<{ id: string; done: boolean; data: Decision[] }> {
  const data = await listRun(scope, id)
  if (data.length === 0) throw new AppError('not_found')
  return { id, done: data.every(({ state }) => state === 'DONE'), data }
}

// ---- replay

interface Replay {
  same: boolean
  redacted: boolean
  log: Decision['decisionLog']
  diff: { step: string; before: string | null; after: string | null }[]
}

async function decideAgain(facts: DecisionFacts): Promise<Decision['decisionLog']> {
  await prepareChecks(facts)
  return decide(facts).log
}

/** Repeats a decision from its stored facts by the current rules, and compares the logs. Throws `not_found`. */
export async function replay(scope: Scope, id: string): Promise<Replay> {
  const [[row]] = await scope.read(
    query<{
      facts: ReturnType<typeof storedOf>
      log: Decision['decisionLog']
      knowledgeHash: string | null
      redacted: boolean
    }>`select facts, log,
        knowledge_hash, erased_at is not null as redacted
      from decision where workspace_id = ${scope.workspaceId} and id = ${id}`,
  )
  if (!row) throw new AppError('not_found')
  const { facts, log: before, knowledgeHash, redacted } = row
  if (redacted) return { same: false, redacted, log: before, diff: [] }
  // A decision that ended before its facts were read cannot be repeated.
  const isWhole = (facts as Partial<typeof facts>).message !== undefined
  const log = isWhole ? await decideAgain(await withKnowledge(scope, facts, knowledgeHash)) : before
  const same = canonical(log) === canonical(before)
  return { same, redacted, log, diff: same ? [] : diffOf(before, log) }
}

/** Returns JSON with sorted keys, so that equal values give equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

function diffOf(before: Decision['decisionLog'], after: Decision['decisionLog']): Replay['diff'] {
  const names = [...new Set([...before, ...after].map(({ step }) => step))]
  const outcomeIn = (log: Decision['decisionLog'], name: string) =>
    log.find(({ step }) => step === name)?.outcome ?? null
  return names
    .map((step) => ({ step, before: outcomeIn(before, step), after: outcomeIn(after, step) }))
    .filter(({ before: was, after: is }) => was !== is)
}
