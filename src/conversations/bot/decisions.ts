import type { RawBuilder } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { enterCredits } from '../../assistant/ai/ai.ts'
import { AppError } from '../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { JobPlace, Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import type { Use } from '../../core/platform/model/model.ts'
import {
  chargeReservation,
  endLapsed,
  keepReservations,
  newReservation,
  releaseReservations,
  reserveAll,
} from '../../team/plans/plans.ts'
import { decide, type DecisionStep, judgeFailed, RULES_VERSION } from './decide.ts'
import type { DecisionFacts } from './decision-facts.ts'
import { citedIn, confidenceFor, vetoesFor, writtenIn } from './written.ts'
import type { ChargedDecision, Decision, HeldFor } from '../decisions/api.ts'
import { chargedShape, decisionShape } from '../decisions/shapes.ts'

// Has every statement that writes the table `decision`. A process holds a running decision by its fence and renews its
// lease. Lock order: the thread, then its decisions, then its drafts.

/** How many decisions of a workspace run at the same time. */
const AT_ONCE = 4
/** How long a lease lasts, in milliseconds. */
export const LEASE = 12_000
const leaseEnd = sql`app_now() + make_interval(secs => ${LEASE / 1_000})`
/** The path of the comment above in stored facts. Only parked and concluded decisions store it, under its lock. */
const PARENT = sql`'{told,input,parent}'::text[]`
/** What a reply costs in credits, besides one of `ai_generations`. */
const CREDITS = 1
/** How long a reservation is kept if nothing else ends it, in milliseconds. */
const KEPT = 30 * 24 * 3_600_000
/** How many milliseconds the facts of a decision are kept. Its steps stay. */
export const DECISION_KEPT = 180 * 24 * 3_600_000

const open = sql`('QUEUED', 'RUNNING', 'WAITING')`

// ---- reading

const decisionsWhere = (workspaceId: string, condition: ReturnType<typeof sql>) =>
  whole<{ json: Decision }>(sql`select ${decisionShape} as json from decision d
    where d.workspace_id = ${workspaceId} and ${condition}`)

/** Returns a decision. Throws `not_found`. */
export async function getDecision(scope: Scope, id: string): Promise<Decision> {
  const [[row]] = await scope.read(decisionsWhere(scope.workspaceId, sql`d.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

/** Lists a page of the decisions that used credits, newest first. */
export async function listCharged(scope: Scope, request: PageRequest): Promise<Page<ChargedDecision>> {
  const decisions = page(sql`e.decision_id`, request)
  const [rows] = await scope.read(
    whole<{ json: ChargedDecision; id: string }>(sql`select ${chargedShape} as json, d.id from credit_entry e
      join decision d on d.workspace_id = e.workspace_id and d.id = e.decision_id
      where e.workspace_id = ${scope.workspaceId} and e.decision_id is not null and ${decisions.rows}`),
  )
  const found = decisions.of(rows)
  return { data: found.data.map(({ json }) => json), nextCursor: found.nextCursor }
}

/** Lists the decisions of a batch test, in the order of its texts. */
export async function listRun(scope: Scope, runId: string): Promise<Decision[]> {
  const [rows] = await scope.read(
    decisionsWhere(scope.workspaceId, sql`d.run_id = ${runId} and d.kind = 'simulate' order by d.place`),
  )
  return rows.map(({ json }) => json)
}

// ---- beginning

interface NewDecision {
  kind: DecisionFacts['kind']
  threadId?: string
  messageId?: string
  revision?: number
  rank?: number
  run?: { id: string; place: number }
  /** Why the bot ignores the message, if this is known before the facts are read. */
  foreign?: DecisionFacts['message']['foreign']
  facts?: Stored
  knowledgeHash?: string | null
  createdBy?: string | null
}

/** The facts as the row stores them. The knowledge has a row for itself. */
export type Stored = Omit<DecisionFacts, 'config'> & {
  config: Omit<DecisionFacts['config'], 'faqEntries' | 'knowledgeBase'>
}

export const storedOf = ({
  config: { faqEntries: _, knowledgeBase: __, ...config },
  ...facts
}: DecisionFacts): Stored => ({
  ...facts,
  config,
})

/** Adds a decision and enqueues it. Returns its id, or undefined if there already is a decision about the message. */
export async function enqueueDecision(tx: Tx, decision: NewDecision): Promise<string | undefined> {
  const { kind, threadId = null, messageId = null, revision = 0, rank = 0, run, foreign = null } = decision
  const facts = decision.facts ?? { kind, foreign }
  const id = uuidv7()
  const [made] =
    await tx.run(query`insert into decision (workspace_id, id, kind, thread_id, message_id, revision, rank, run_id, place,
      facts, knowledge_hash, created_by)
    values (${tx.workspaceId}, ${id}, ${kind}, ${threadId}, ${messageId}, ${revision}, ${rank}, ${run?.id ?? null}, ${run?.place ?? 0},
      ${JSON.stringify(facts)}::jsonb, ${decision.knowledgeHash ?? null}, ${decision.createdBy ?? null})
    on conflict (workspace_id, message_id, revision) where kind = 'bot' do nothing returning id`)
  if (!made) return undefined
  enqueueProcess(tx, id, { localFor: LEASE })
  return id
}

export const enqueueProcess = (tx: Tx, decisionId: string, at: Omit<JobPlace, 'key'> = {}) =>
  tx.enqueue('ice-process', { decisionId }, { ...at, key: `ice:${decisionId}` })

const lockDecisions = (workspaceId: string) =>
  query`select pg_advisory_xact_lock(hashtextextended(${`ice ${workspaceId}`}, 0))`

const isDue = sql`q.state in ('QUEUED', 'WAITING') and coalesce(q.due_at, q.created_at) <= app_now()`

/**
 * The decisions whose turn it is: direct messages before comments, then the most urgent, then the oldest. Simulations
 * are last.
 */
const nextTurns = (workspaceId: string) => sql<{ id: string }>`select q.id from decision q
  where q.workspace_id = ${workspaceId} and ${isDue} order by q.rank, q.id
  limit greatest(0, ${AT_ONCE} - (select count(*) from decision r where r.workspace_id = ${workspaceId} and r.state = 'RUNNING'
    and r.leased_until > app_now()))`

/** A decision that has begun to run. */
export interface BegunDecision {
  id: string
  kind: DecisionFacts['kind']
  fence: number
  threadId: string | null
  messageId: string | null
  /** The facts from when it was parked. A new decision has only its kind, and why its message is ignored. */
  facts: Partial<Stored> & { foreign?: DecisionFacts['message']['foreign'] }
  knowledgeHash: string | null
  /** Whether an earlier process may already have asked the model for the reply. */
  isReserved: boolean
  /** How often it began before and did not end, because of an error or because its process ended. */
  failures: number
  createdAt: Date
  /** The time until which it was parked. */
  dueAt: Date | null
}

/**
 * Begins a decision whose turn it is, or takes over one whose lease has lapsed. Skips a locked row instead of waiting
 * for it: the holder of that lock ends the decision, and itself waits for the lock of `lockDecisions`.
 */
export async function begin(scope: Scope, id: string): Promise<BegunDecision | undefined> {
  const { workspaceId } = scope
  const [begun] = await scope.write(
    query<BegunDecision>`with mine as materialized (select q.id, q.state, q.due_at from decision q where q.workspace_id = ${workspaceId} and q.id = ${id}
        and (q.id in (${nextTurns(workspaceId)}) or (q.state = 'RUNNING' and q.leased_until <= app_now())) for update skip locked)
      update decision d set state = 'RUNNING', fence = d.fence + 1, leased_until = ${leaseEnd}, due_at = null,
        failures = d.failures + (mine.state = 'RUNNING')::int,
        knowledge_hash = case when d.kind = 'simulate' or d.facts ? 'reply' then d.knowledge_hash
          else (select c.knowledge_hash from bot_config c where c.workspace_id = d.workspace_id) end
      from mine where d.workspace_id = ${workspaceId} and d.id = mine.id
      returning d.id, d.kind, d.fence, d.thread_id, d.message_id, d.facts, d.knowledge_hash, d.credit_hold is not null as is_reserved,
        d.failures, d.created_at, mine.due_at`,
    { lock: lockDecisions(workspaceId) },
  )
  return begun
}

/** Returns when a running decision may be taken over, or undefined if it is not running. */
export async function leaseOf(scope: Scope, id: string): Promise<Date | undefined> {
  const [[row]] = await scope.read(query<{ leasedUntil: Date }>`select leased_until from decision
    where workspace_id = ${scope.workspaceId} and id = ${id} and state = 'RUNNING'`)
  return row?.leasedUntil
}

type Claim = Pick<BegunDecision, 'id' | 'fence'>
const held = ({ id, fence }: Claim) => sql`id = ${id} and fence = ${fence} and state = 'RUNNING'`

/** Renews the lease. Returns whether the claim still holds. */
export async function renewLease(scope: Scope, claim: Claim): Promise<boolean> {
  const rows = await scope.write(
    query`update decision set leased_until = ${leaseEnd} where workspace_id = ${scope.workspaceId} and ${held(claim)} returning id`,
    { relaxed: true },
  )
  return rows.length > 0
}

/** Enqueues the decisions whose turn it is. It is called whenever a decision stops running. */
export async function wake(tx: Tx): Promise<void> {
  tx.lock(lockDecisions(tx.workspaceId))
  const next = await tx.run(query<{ id: string }>`${nextTurns(tx.workspaceId)}`)
  // Several callers may wake the same decision. The job key makes sure that the queue has its job once.
  for (const { id } of next) enqueueProcess(tx, id)
}

/** Enqueues the decisions of a workspace whose lease has lapsed, and those whose turn it is. */
export async function wakeLapsed(tx: Tx): Promise<void> {
  const lapsed = await tx.run(query<{ id: string }>`select id from decision where workspace_id = ${tx.workspaceId}
    and state = 'RUNNING' and leased_until <= app_now()`)
  for (const { id } of lapsed) enqueueProcess(tx, id)
  await wake(tx)
}

// ---- while running

/** Reserves the cost of a reply. Returns whether there was enough, or `lost` if the claim no longer holds. */
export async function reserve(
  scope: Scope,
  claim: Claim,
  facts: DecisionFacts,
): Promise<'held' | 'no_credits' | 'lost'> {
  const [credits, generations] = [newReservation('ai_credits', CREDITS), newReservation('ai_generations', 1)]
  try {
    await scope.transaction(async (tx) => {
      await reserveAll(tx, [credits, generations])
      tx.last(
        query`with mine as (update decision set credit_hold = ${credits.id}, generation_hold = ${generations.id},
            facts = ${JSON.stringify(storedOf(facts))}::jsonb #- ${PARENT}
          where workspace_id = ${tx.workspaceId} and ${held(claim)} returning id)
          select must_find(count(*)) from mine`,
        'invalid_state',
      )
    })
    return 'held'
  } catch (error) {
    if (error instanceof AppError && error.code === 'quota_exceeded') return 'no_credits'
    if (error instanceof AppError && error.code === 'invalid_state') return 'lost'
    throw error
  }
}

/** Parks a decision until a time. */
export async function park(tx: Tx, claim: Claim, facts: DecisionFacts, until: Date): Promise<void> {
  const { log } = decide(facts)
  const kept = keepReservations(tx.workspaceId, reservationsOf('parked'), new Date(until.getTime() + KEPT))
  const [[parked]] = await tx.together(() => [
    tx.run(query`with parked as (update decision set state = 'WAITING', due_at = ${until}, leased_until = null,
        facts = ${JSON.stringify(storedOf(facts))}::jsonb, log = ${JSON.stringify(log)}::jsonb, rules_version = ${RULES_VERSION}
      where workspace_id = ${tx.workspaceId} and ${held(claim)} returning credit_hold, generation_hold), kept as (${kept})
      select from parked`),
    wake(tx),
  ])
  if (parked) enqueueProcess(tx, claim.id, { runAt: until })
}

/** Puts a decision back into the queue because its process stops, unless it has reserved credits. */
export async function requeue(scope: Scope, claim: Claim): Promise<void> {
  await scope.transaction(async (tx) => {
    const back = await tx.run(query`update decision set state = 'QUEUED', leased_until = null
      where workspace_id = ${tx.workspaceId} and ${held(claim)} and credit_hold is null returning id`)
    if (back.length > 0) enqueueProcess(tx, claim.id)
  })
}

// ---- ending

interface Reservations {
  creditHold: string | null
  generationHold: string | null
}

/** Selects the reservations of the decisions in the named part of a statement. */
const reservationsOf = (part: string) => sql`select unnest(array[credit_hold, generation_hold]) from ${sql.ref(part)}`

/** The result of a run: the decision is done, or its reply is being sent. */
export interface Concluded {
  id: string
  facts: DecisionFacts
  use: Use | null
  /** With `SENDING`, the settlement of a delivery ends the decision later. */
  to: 'DONE' | 'SENDING'
  /** What happens to its reservations. `keep` holds them until the draft or the delivery ends. */
  cost: 'release' | 'charge' | { keep: Date | null }
}

/**
 * Writes the result of a decision. Returns false if the claim is lost, because someone wrote or another process has it.
 */
export async function conclude(
  tx: Tx,
  from: { fence: number; state: 'RUNNING' | 'SENDING' },
  { id, facts, use, to, cost }: Concluded,
): Promise<boolean> {
  const { log, next } = decide(facts)
  const verdict = next.do === 'end' ? next.verdict : facts.kind === 'bot' ? null : 'SENT'
  const hold = next.do === 'end' && next.verdict === 'HELD' ? next.hold : null
  const written = writtenIn(facts)
  const isJudged = written !== undefined && log.some(({ step }) => step === 'checks')
  const kept =
    cost === 'charge'
      ? sql`select`
      : cost === 'release'
        ? releaseReservations(tx.workspaceId, reservationsOf('concluded'))
        : keepReservations(tx.workspaceId, reservationsOf('concluded'), cost.keep ?? new Date(tx.now.getTime() + KEPT))
  const [[row]] = await tx.together(() => [
    tx.run(query<Reservations>`with concluded as (update decision set state = ${to}, verdict = ${verdict}, hold = ${hold},
        facts = ${JSON.stringify(storedOf(facts))}::jsonb, log = ${JSON.stringify(log)}::jsonb, rules_version = ${RULES_VERSION},
        reply = ${written?.text ?? null}, confidence = ${isJudged ? confidenceFor(facts).value : null},
        sources = ${JSON.stringify(written ? citedIn(facts) : [])}::jsonb, vetoes = ${isJudged ? vetoesFor(facts) : []},
        model = coalesce(${use?.model ?? null}, model), input_tokens = coalesce(${use?.inputTokens ?? null}, input_tokens),
        output_tokens = coalesce(${use?.outputTokens ?? null}, output_tokens),
        leased_until = null, fence = fence + 1, ended_at = ${to === 'DONE' ? tx.now : null}
      where workspace_id = ${tx.workspaceId} and id = ${id} and fence = ${from.fence} and state = ${from.state}
      returning credit_hold, generation_hold), kept as (${kept})
      select * from concluded`),
    wake(tx),
  ])
  if (!row) return false
  if (cost === 'charge') await charge(tx, id, row)
  return true
}

/** Charges the reservations of a decision once, and does nothing if there are none. */
async function charge(tx: Tx, decisionId: string, { creditHold, generationHold }: Reservations): Promise<void> {
  if (creditHold === null || generationHold === null) return
  const period = await chargeReservation(tx, { id: creditHold, quota: 'ai_credits' }, CREDITS)
  await chargeReservation(tx, { id: generationHold, quota: 'ai_generations' }, 1)
  if (period !== undefined) await enterCredits(tx, { decisionId, period, credits: CREDITS })
}

/**
 * Charges or releases the reservations of a draft. Throws `quota_exceeded` if they have lapsed and the quota is used
 * up.
 */
export async function endReservations(tx: Tx, decisionId: string, cost: 'charge' | 'release'): Promise<void> {
  const ended = (cost === 'charge' ? endLapsed : releaseReservations)(tx.workspaceId, reservationsOf('mine'))
  const mine = await tx.one(
    query<Reservations>`with mine as (select credit_hold, generation_hold from decision
        where workspace_id = ${tx.workspaceId} and id = ${decisionId} for update), ended as (${ended})
      select * from mine`,
    'not_found',
  )
  if (cost === 'charge') await charge(tx, decisionId, mine)
}

interface Cut {
  /** The fact that alone decides, whatever else is known. Its step comes first in `decide`. */
  fact: Pick<DecisionFacts, 'superseded' | 'error' | 'again'>
  step: DecisionStep
  verdict: 'SUPERSEDED' | 'HELD'
  hold: HeldFor | null
}

/** Ends decisions before they have decided, and releases their reservations. Returns whether there were any. */
async function cutShort(
  tx: Tx,
  { fact, step, verdict, hold }: Cut,
  condition: ReturnType<typeof sql>,
): Promise<boolean> {
  const released = releaseReservations(tx.workspaceId, reservationsOf('ended'))
  const ended =
    await tx.run(query`with ended as (update decision set state = 'DONE', verdict = ${verdict}, hold = ${hold}, ended_at = ${tx.now},
        leased_until = null, due_at = null, fence = fence + 1, log = ${JSON.stringify([step])}::jsonb,
        rules_version = ${RULES_VERSION}, facts = facts #- ${PARENT} || ${JSON.stringify(fact)}::jsonb
      where workspace_id = ${tx.workspaceId} and ${condition}
      returning credit_hold, generation_hold), released as (${released})
      select from ended`)
  if (ended.length > 0) await wake(tx)
  return ended.length > 0
}

/**
 * Ends every open decision of a thread because someone wrote. With `isSendingToo`, also those whose reply was being
 * sent.
 */
export async function supersedeDecisions(
  tx: Tx,
  threadId: string,
  why: string,
  { isSendingToo = false } = {},
): Promise<void> {
  const at = tx.now.toISOString()
  const step = { step: 'newer_message', input: null, outcome: why, at }
  await cutShort(
    tx,
    { fact: { superseded: { why, at } }, step, verdict: 'SUPERSEDED', hold: null },
    sql`thread_id = ${threadId} and (state in ${open} or (${isSendingToo} and state = 'SENDING'))`,
  )
}

/**
 * Ends a decision that failed too often, for the state in which its thread is now. Returns whether it is left to people:
 * not if the claim is lost, or if a person has the thread.
 */
export async function endFailed(
  tx: Tx,
  claim: Claim & Pick<BegunDecision, 'kind' | 'failures'>,
  again: DecisionFacts['again'],
): Promise<boolean> {
  const { kind, failures } = claim
  const at = tx.now.toISOString()
  const { outcome, verdict } = judgeFailed({ kind, again })
  const isHeld = verdict === 'HELD'
  const isOurs = await cutShort(
    tx,
    {
      fact: { error: { failures, at }, ...(again && { again }) },
      step: { step: 'error', input: { failures }, outcome, at },
      verdict,
      hold: isHeld ? 'error' : null,
    },
    held(claim),
  )
  return isOurs && isHeld
}

/** Stores what a person found in a sent reply: a flag, or that it was right. Returns false if it was checked before. */
export async function storeCheck(
  tx: Tx,
  id: string,
  { flag, userId }: { flag: string | null; userId: string },
): Promise<boolean> {
  const [checked] =
    await tx.run(query`update decision set checked_at = ${tx.now}, checked_by = ${userId}, check_flag = ${flag}
    where workspace_id = ${tx.workspaceId} and id = ${id} and checked_at is null returning id`)
  return checked !== undefined
}

/** How many decisions one statement forgets. */
const FORGOTTEN_AT_ONCE = 1_000

/** Removes the facts and replies of decisions that ended before a time. Their steps stay. */
export async function forgetDecisions(scopes: Pick<Scopes, 'ask'>, before: Date): Promise<void> {
  for (;;) {
    const forgotten = await scopes.ask(
      'inbox',
      query`update decision set facts = '{}', reply = null, sources = '[]', knowledge_hash = null, erased_at = app_now()
        where (workspace_id, id) in (select workspace_id, id from decision where ended_at < ${before} and erased_at is null
          order by ended_at limit ${FORGOTTEN_AT_ONCE}) and erased_at is null returning id`,
    )
    if (forgotten.length < FORGOTTEN_AT_ONCE) return
  }
}

/**
 * Removes the facts and replies of decisions, and the inputs and outcomes of their steps. Why a message was ignored
 * stays, so that two bots never answer each other.
 */
const withoutFacts = (tx: Tx, condition: RawBuilder<unknown>) =>
  tx.run(query`update decision set reply = null, sources = '[]', knowledge_hash = null, erased_at = ${tx.now},
      facts = jsonb_strip_nulls(jsonb_build_object('foreign', coalesce(facts #>> '{message,foreign}', facts ->> 'foreign'))),
      log = coalesce((select jsonb_agg(jsonb_build_object('step', l ->> 'step', 'input', null, 'outcome', '', 'at', l ->> 'at') order by place)
        from jsonb_array_elements(log) with ordinality as e(l, place)), '[]')
    where workspace_id = ${tx.workspaceId} and ${condition}`)

/** Selects the ids of the answers to messages. Decisions about answers have read these messages too. */
const answersTo = (tx: Tx, messages: RawBuilder<unknown>) =>
  sql`(select a.id from message a where a.workspace_id = ${tx.workspaceId} and a.parent_id in (${messages}))`

const answersIn = (tx: Tx, threadIds: readonly string[]) =>
  answersTo(
    tx,
    sql`select m.id from message m where m.workspace_id = ${tx.workspaceId} and m.thread_id = any (${threadIds}::uuid[])`,
  )

/** Selects the ids of the ended decisions about answers to the messages of threads. */
export const decidedAnswers = (tx: Tx, threadIds: readonly string[]) =>
  sql`(select id from decision where workspace_id = ${tx.workspaceId} and state = 'DONE'
    and message_id in ${answersIn(tx, threadIds)})`

/** Removes the comment above from the stored facts of open decisions. Each erases the rest itself when it ends. */
const withoutParent = (tx: Tx, answers: RawBuilder<unknown>) =>
  tx.run(query`update decision set facts = facts #- ${PARENT}
    where workspace_id = ${tx.workspaceId} and state <> 'DONE' and message_id in ${answers}`)

/**
 * Erases the decisions in threads, and the ended ones about answers of others to their comments. The steps stay,
 * without the texts.
 */
export async function eraseFacts(tx: Tx, threadIds: readonly string[]): Promise<void> {
  const isTheirs = sql`thread_id = any (${threadIds}::uuid[])`
  const answers = answersIn(tx, threadIds)
  await withoutFacts(tx, sql`(${isTheirs} or state = 'DONE' and message_id in ${answers})`)
  await withoutParent(tx, answers)
}

/** The time by which the clock of a network may be ahead of ours. */
const AHEAD = sql`interval '5 minutes'`

interface ReadMessage {
  id: string
  threadId: string
  at: Date
}

/**
 * Whether a decision may have read a message: it is about the message, ended after it in its thread, or is about an
 * answer to it.
 */
const readIt = (tx: Tx, { id, threadId, at }: ReadMessage) =>
  sql`(message_id = ${id} or thread_id = ${threadId} and ended_at >= ${at}::timestamptz - ${AHEAD}
    or message_id in ${answersTo(tx, sql`${id}`)})`

/** Selects the ids of the ended decisions that may have read a message. */
export const readersOf = (tx: Tx, message: ReadMessage) =>
  sql`(select id from decision where workspace_id = ${tx.workspaceId} and ${readIt(tx, message)})`

/** Erases an ended decision if something in its thread, or the comment above, was removed since it began. */
export const eraseIfRemoved = (tx: Tx, id: string) =>
  withoutFacts(
    tx,
    sql`id = ${id} and state = 'DONE' and exists (select from message m where m.workspace_id = decision.workspace_id
      and (m.thread_id = decision.thread_id and m.direction = 'IN' or m.id = (select a.parent_id from message a
        where a.workspace_id = decision.workspace_id and a.id = decision.message_id))
      and m.removed_at >= decision.created_at - ${AHEAD})`,
  )

/** Erases the ended decisions that may have read a message. */
export async function eraseFactsWith(tx: Tx, message: ReadMessage): Promise<void> {
  await withoutFacts(tx, sql`state = 'DONE' and ${readIt(tx, message)}`)
  await withoutParent(tx, answersTo(tx, sql`${message.id}`))
}
