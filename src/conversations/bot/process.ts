import type { Model, Use } from '../../core/platform/model/model.ts'
import { ModelError } from '../../core/platform/model/model.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import { query } from '../../core/platform/db.ts'
import { countTry, within } from '../../core/platform/limits.ts'
import type { Ports } from '../../services.ts'
import { classify, generateReply } from './ask.ts'
import {
  begin,
  type BegunDecision,
  conclude,
  endFailed,
  enqueueProcess,
  eraseIfRemoved,
  leaseOf,
  LEASE,
  park,
  renewLease,
  requeue,
  reserve,
  type Stored,
  wakeLapsed,
} from './decisions.ts'
import { decide } from './decide.ts'
import type { DecisionFacts } from './decision-facts.ts'
import { prepareChecks, writtenIn } from './written.ts'
import { addresseeOf } from './drafts.ts'
import {
  classifyPrompt,
  lockThread,
  readFacts,
  readTold,
  readWords,
  replyPrompt,
  withKnowledge,
  withoutRemovedParent,
} from './facts.ts'
import { carryOut, hold } from './outcomes.ts'

// Makes a decision: `decide` names the missing fact, this file gets it, and `outcomes.ts` carries out the result. No
// transaction is open while the model is asked.

type DecidingPorts = { model: Model } & Pick<Ports, 'settings'>

/** The classification beyond the limit: the lists of words decide, and people answer. */
const LIMITED = { value: { failed: 'limited' }, use: null } as const

/**
 * Returns whether the model may classify one more message, and counts it. Classifying is free, so a workspace has a
 * limit. What people ask for is counted when they ask.
 */
const mayClassify = (scope: Scope, { settings }: DecidingPorts, { kind }: BegunDecision): Promise<boolean> =>
  kind === 'bot'
    ? within(
        countTry(scope, {
          key: `classify ${scope.workspaceId}`,
          tries: settings.classificationsPerMinute,
          seconds: 60,
        }),
      )
    : Promise.resolve(true)

/** Adds up the token use of the model's answers. */
const sum = (a: Use | null, b: Use | null): Use | null =>
  a === null || b === null
    ? (a ?? b)
    : {
        model: b.model,
        inputTokens: (a.inputTokens ?? 0) + (b.inputTokens ?? 0),
        outputTokens: (a.outputTokens ?? 0) + (b.outputTokens ?? 0),
      }

/** A decision that did not end as often is left to people. */
const MOST_FAILURES = 5

/**
 * Advances a decision as far as possible. Does nothing if it is not its turn. After an error, the decision begins again
 * when its lease has ended.
 */
export async function processDecision(
  scope: Scope,
  ports: DecidingPorts,
  id: string,
  stopping?: AbortSignal,
): Promise<void> {
  const begun = await begin(scope, id)
  if (!begun) {
    // If another process runs the decision, this job runs again when the lease ends. A decision that waits is woken
    // when another one ends.
    const runAt = await leaseOf(scope, id)
    if (runAt) await scope.transaction(async (tx) => void enqueueProcess(tx, id, { runAt }))
    return
  }
  if (begun.failures >= MOST_FAILURES) return giveUp(scope, begun)
  const lost = new AbortController()
  const timer = setInterval(() => {
    void renewLease(scope, begun).then(
      (isOurs) => {
        if (!isOurs) lost.abort()
      },
      (error: unknown) => scope.log.warn({ err: error, decisionId: id }, 'a lease was not renewed'),
    )
  }, LEASE / 4)
  try {
    await runDecision(scope, ports, begun, AbortSignal.any([lost.signal, ...(stopping ? [stopping] : [])]))
  } catch (error) {
    if (!(error instanceof ModelError) || error.kind !== 'aborted') {
      scope.log.warn({ err: error, decisionId: id, failures: begun.failures + 1 }, 'a decision failed')
      throw error
    }
    if (!lost.signal.aborted) await requeue(scope, begun)
  } finally {
    clearInterval(timer)
  }
}

async function runDecision(
  scope: Scope,
  ports: DecidingPorts,
  begun: BegunDecision,
  stopping: AbortSignal,
): Promise<void> {
  const read = await factsOf(scope, begun)
  if (!read) return
  let { facts } = read
  let use: Use | null = null
  for (;;) {
    await prepareChecks(facts)
    const { next } = decide(facts)
    const now = scope.now().toISOString()
    switch (next.do) {
      case 'classify': {
        const told: DecisionFacts = await readTold(scope, begun, facts, read.telling)
        const { value, use: used } = (await mayClassify(scope, ports, begun))
          ? await classify(ports, classifyPrompt(told), stopping)
          : LIMITED
        use = sum(use, used)
        facts = { ...told, classification: value, at: { ...told.at, classified: now } }
        break
      }
      case 'reserve': {
        const reserved = await reserve(scope, begun, facts)
        if (reserved === 'lost') return
        facts = { ...facts, reserved, at: { ...facts.at, reserved: now } }
        break
      }
      case 'generate': {
        const { value, use: used } = await generateReply(ports, replyPrompt(facts), stopping)
        use = sum(use, used)
        const generated = scope.now().toISOString()
        facts = { ...facts, reply: value, at: { ...facts.at, generated }, now: generated }
        break
      }
      case 'wait': {
        const [kept, until] = [facts, new Date(next.until)]
        return scope.transaction(async (tx) => park(tx, begun, await withoutRemovedParent(tx, begun, kept), until))
      }
      default:
        return endDecision(scope, begun, facts, use)
    }
  }
}

/**
 * Leaves a message to people because its decision failed too often, unless a person has its thread. Words that escalate
 * do so first. If that fails too, or ends the process, the next call reads none of the facts, which may be the cause.
 */
async function giveUp(scope: Scope, begun: BegunDecision): Promise<void> {
  const { id, kind, threadId, failures } = begun
  scope.log.error({ decisionId: id, failures }, 'a decision failed too often, so it is left to people')
  if (kind === 'bot' && failures === MOST_FAILURES) {
    try {
      const facts = await readWords(scope, begun)
      const error = { failures, at: scope.now().toISOString(), isRead: true } as const
      if (facts) await endDecision(scope, begun, { ...facts, error }, null)
      return
    } catch (error) {
      scope.log.warn({ err: error, decisionId: id }, 'the words of a message were not judged')
    }
  }
  await scope.transaction(async (tx) => {
    const again = threadId === null ? undefined : await lockThread(tx, threadId)
    if (threadId !== null && !again) return
    const isHeld = await endFailed(tx, begun, again)
    if (isHeld && threadId !== null) await hold(tx, threadId, 'error')
  })
}

/** Ends a decision under the lock of its thread, with the thread read again. */
async function endDecision(scope: Scope, begun: BegunDecision, read: DecisionFacts, use: Use | null): Promise<void> {
  await scope.transaction(async (tx) => {
    const { threadId, messageId } = begun
    // The comment is locked before the thread and the decision, as in its removal.
    const facts = await withoutRemovedParent(tx, begun, read)
    if (threadId === null || messageId === null) {
      await conclude(
        tx,
        { ...begun, state: 'RUNNING' },
        { id: begun.id, facts, use, to: 'DONE', cost: writtenIn(facts) ? 'charge' : 'release' },
      )
      return
    }
    const [again, [mine], to] = await tx.together(() => [
      lockThread(tx, threadId),
      tx.run(query`select from decision where workspace_id = ${tx.workspaceId} and id = ${begun.id}
        and fence = ${begun.fence} and state = 'RUNNING' for update`),
      addresseeOf(tx, threadId, messageId),
    ])
    if (!again || !mine || !to) return
    const now = tx.now.toISOString()
    const isAsked = decide(facts).next.do === 'read_again'
    const known: DecisionFacts = isAsked ? { ...facts, again, now, at: { ...facts.at, again: now } } : facts
    await carryOut(tx, { ...begun, threadId, messageId, to, state: 'RUNNING' }, known, use)
    // A parked reply may repeat a comment that was removed since.
    if (facts !== read || begun.facts.reply) await eraseIfRemoved(tx, begun.id)
  })
}

/**
 * Returns the facts of a decision: read again with the model's input, or as they were stored when its reply was parked.
 */
async function factsOf(scope: Scope, begun: BegunDecision) {
  const { facts: stored, kind } = begun
  const now = scope.now().toISOString()
  if (kind === 'simulate' || (stored.config && stored.reply)) {
    const kept = await withKnowledge(scope, stored as Stored, begun.knowledgeHash)
    return { facts: kind === 'simulate' && !stored.reply ? interruptedIf(begun, { ...kept, now }) : { ...kept, now } }
  }
  const read = await readFacts(scope, begun)
  if (!read) return undefined
  if (read.knowledgeHash !== begun.knowledgeHash) {
    await scope.write(query`update decision set knowledge_hash = ${read.knowledgeHash}
      where workspace_id = ${scope.workspaceId} and id = ${begun.id} and fence = ${begun.fence}`)
  }
  const { facts, telling } = read
  // The decision waited for working hours after it was classified.
  const { classification, told, at } = stored
  const isSame = JSON.stringify(stored.config?.blockedTopics) === JSON.stringify(facts.config.blockedTopics)
  const known =
    classification && told && isSame ? { ...facts, classification, told, at: { ...facts.at, ...at } } : facts
  return { facts: interruptedIf(begun, known), telling }
}

/**
 * The model is not asked twice for one charge. A process that ended after the reservation may have asked it already.
 */
function interruptedIf({ isReserved, facts: stored }: BegunDecision, facts: DecisionFacts): DecisionFacts {
  if (!isReserved) return facts
  const { classification, told, at } = stored as Stored
  return {
    ...facts,
    ...(classification && { classification }),
    ...(told && { told }),
    at: { ...facts.at, ...at },
    reserved: 'held',
    reply: { failed: 'interrupted' },
  }
}

/** Enqueues the decisions that no process holds, in all workspaces. */
export async function sweepDecisions(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const workspaces = await scopes.ask(
    'watch',
    query<{
      id: string
    }>`select distinct workspace_id as id from decision where state in ('QUEUED', 'RUNNING', 'WAITING')`,
  )
  for (const { id } of workspaces) await scopes.scope(id, scope.actor).transaction(wakeLapsed)
}
