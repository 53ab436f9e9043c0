import { uuidv7 } from 'uuidv7'
import { enterCredits } from '../../../assistant/ai/ai.ts'
import { AppError } from '../../../core/errors.ts'
import { query, sql, whole } from '../../../core/platform/db.ts'
import type { JobPlace, Scope, Scopes, Tx } from '../../../core/platform/scope.ts'
import type { Use } from '../../../core/platform/model/model.ts'
import {
  chargeReservation,
  endLapsed,
  keepReservations,
  newReservation,
  releaseReservations,
  reserveAll,
} from '../../../team/plans/plans.ts'
import { citedIn, confidenceFor, decide, type DecisionFacts, isFailed, RULES_VERSION, vetoesFor } from '../decide.ts'
import type { Decision } from './api.ts'
import { decisionShape } from './shapes.ts'

// Every statement that writes the table `decision`. A process holds a running decision by its fence and renews its lease. Lock
// order: the thread, then its decisions, then its drafts.

/** Decisions of a workspace that run at once. */
const AT_ONCE = 4
/** Milliseconds for which the row says that a process runs its decision. */
export const LEASE = 12_000
const leaseEnd = sql`app_now() + make_interval(secs => ${LEASE / 1_000})`
/** What a reply costs: credits, and one of `ai_generations`. */
const CREDITS = 1
/** Reservations last so long for what has no end of its own, in milliseconds. */
const KEPT = 30 * 24 * 3_600_000

const open = sql`('QUEUED', 'RUNNING', 'WAITING')`

// ---- reading

const decisionsWhere = (workspaceId: string, condition: ReturnType<typeof sql>) =>
  whole<{ json: Decision }>(sql`select ${decisionShape} as json from decision d
    where d.workspace_id = ${workspaceId} and ${condition}`)

/** A decision. Throws `not_found`. */
export async function getDecision(scope: Scope, id: string): Promise<Decision> {
  const [[row]] = await scope.read(decisionsWhere(scope.workspaceId, sql`d.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

/** The decisions of a batch test, in the order of their texts. */
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
  /** Why the message is not answered, if that is known from its author. */
  foreign?: DecisionFacts['message']['foreign']
  facts?: Stored
  knowledgeHash?: string | null
  createdBy?: string | null
}

/** What of the facts stands in the row: the knowledge stands in its own. */
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

/** Adds a decision, and has it made soon. Answers its id; undefined for a message that is decided already. */
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

const lockTurns = (workspaceId: string) =>
  query`select pg_advisory_xact_lock(hashtextextended(${`ice ${workspaceId}`}, 0))`

const isDue = sql`q.state in ('QUEUED', 'WAITING') and coalesce(q.due_at, q.created_at) <= app_now()`

/** The decisions whose turn it is: direct messages first, then the most urgent, then the oldest. */
const nextTurns = (workspaceId: string) => sql<{ id: string }>`select q.id from decision q
  where q.workspace_id = ${workspaceId} and ${isDue} order by q.rank, q.id
  limit greatest(0, ${AT_ONCE} - (select count(*) from decision r where r.workspace_id = ${workspaceId} and r.state = 'RUNNING'
    and r.leased_until > app_now()))`

/** A decision whose turn has come. */
export interface BegunDecision {
  id: string
  kind: DecisionFacts['kind']
  fence: number
  threadId: string | null
  messageId: string | null
  /** What was known when it was put away; of a new one its kind, and whether its author is foreign. */
  facts: Partial<Stored> & { foreign?: DecisionFacts['message']['foreign'] }
  knowledgeHash: string | null
  /** Its reply may have been asked for already, by a process that has ended. */
  isReserved: boolean
  isTakenOver: boolean
  /** The time until which it was put away. */
  dueAt: Date | null
}

/**
 * Begins a decision whose turn it is, or takes over one that nobody runs any more. It waits for no row: who has it locked ends
 * it, and waits for the turns.
 */
export async function begin(scope: Scope, id: string): Promise<BegunDecision | undefined> {
  const { workspaceId } = scope
  const [begun] = await scope.write(
    query<BegunDecision>`with mine as materialized (select q.id, q.state, q.due_at from decision q where q.workspace_id = ${workspaceId} and q.id = ${id}
        and (q.id in (${nextTurns(workspaceId)}) or (q.state = 'RUNNING' and q.leased_until <= app_now())) for update skip locked)
      update decision d set state = 'RUNNING', fence = d.fence + 1, leased_until = ${leaseEnd}, due_at = null,
        knowledge_hash = case when d.kind = 'simulate' or d.facts ? 'reply' then d.knowledge_hash
          else (select c.knowledge_hash from bot_config c where c.workspace_id = d.workspace_id) end
      from mine where d.workspace_id = ${workspaceId} and d.id = mine.id
      returning d.id, d.kind, d.fence, d.thread_id, d.message_id, d.facts, d.knowledge_hash, d.credit_hold is not null as is_reserved,
        mine.state = 'RUNNING' as is_taken_over, mine.due_at`,
    { lock: lockTurns(workspaceId) },
  )
  return begun
}

/** When a running decision may be taken over; undefined when it does not run. */
export async function leaseOf(scope: Scope, id: string): Promise<Date | undefined> {
  const [[row]] = await scope.read(query<{ leasedUntil: Date }>`select leased_until from decision
    where workspace_id = ${scope.workspaceId} and id = ${id} and state = 'RUNNING'`)
  return row?.leasedUntil
}

type Claim = Pick<BegunDecision, 'id' | 'fence'>
const held = ({ id, fence }: Claim) => sql`id = ${id} and fence = ${fence} and state = 'RUNNING'`

/** Renews the lease. Answers whether the claim still holds. */
export async function renewLease(scope: Scope, claim: Claim): Promise<boolean> {
  const rows = await scope.write(
    query`update decision set leased_until = ${leaseEnd} where workspace_id = ${scope.workspaceId} and ${held(claim)} returning id`,
    { relaxed: true },
  )
  return rows.length > 0
}

/** Has the decisions whose turn it is made. Every end calls it. */
export async function wake(tx: Tx): Promise<void> {
  tx.lock(lockTurns(tx.workspaceId))
  const next = await tx.run(query<{ id: string }>`${nextTurns(tx.workspaceId)}`)
  // Several ends may wake the same one: its key is known, so that the queue has its job once.
  for (const { id } of next) enqueueProcess(tx, id)
}

/** Has what nobody runs any more made, in a workspace. */
export async function wakeLapsed(tx: Tx): Promise<void> {
  const lapsed = await tx.run(query<{ id: string }>`select id from decision where workspace_id = ${tx.workspaceId}
    and state = 'RUNNING' and leased_until <= app_now()`)
  for (const { id } of lapsed) enqueueProcess(tx, id)
  await wake(tx)
}

// ---- on the way

/**
 * Sets aside what a reply costs. Answers whether there was enough, or that the claim is lost: somebody wrote meanwhile.
 */
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
            facts = ${JSON.stringify(storedOf(facts))}::jsonb
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

/** Puts a decision away until a time. */
export async function park(tx: Tx, claim: Claim, facts: DecisionFacts, until: Date): Promise<void> {
  const { log } = decide(facts)
  const kept = keepReservations(tx.workspaceId, holdsOf('parked'), new Date(until.getTime() + KEPT))
  const [[parked]] = await tx.together(() => [
    tx.run(query`with parked as (update decision set state = 'WAITING', due_at = ${until}, leased_until = null,
        facts = ${JSON.stringify(storedOf(facts))}::jsonb, log = ${JSON.stringify(log)}::jsonb, rules_version = ${RULES_VERSION}
      where workspace_id = ${tx.workspaceId} and ${held(claim)} returning credit_hold, generation_hold), kept as (${kept})
      select from parked`),
    wake(tx),
  ])
  if (parked) enqueueProcess(tx, claim.id, { runAt: until })
}

/** Puts a decision back whose process stops, unless it has cost something. Answers whether it did. */
export async function handOver(scope: Scope, claim: Claim): Promise<boolean> {
  return scope.transaction(async (tx) => {
    const back = await tx.run(query`update decision set state = 'QUEUED', leased_until = null
      where workspace_id = ${tx.workspaceId} and ${held(claim)} and credit_hold is null returning id`)
    if (back.length > 0) enqueueProcess(tx, claim.id)
    return back.length > 0
  })
}

// ---- ends

interface Holds {
  creditHold: string | null
  generationHold: string | null
}

/** The reservations of decisions: rows of the part of a statement with this name. */
const holdsOf = (part: string) => sql`select unnest(array[credit_hold, generation_hold]) from ${sql.ref(part)}`

/** What a decision comes to: it ends, or its reply is being sent. */
export interface Concluded {
  id: string
  facts: DecisionFacts
  use: Use | null
  /** `SENDING` expects that a delivery settles it. */
  to: 'DONE' | 'SENDING'
  /** What becomes of its reservations. `keep`: until the draft or the delivery ends. */
  cost: 'release' | 'charge' | { keep: Date | null }
}

/** Writes what a decision has come to. Answers false when the claim is lost: somebody wrote, or another process has it. */
export async function conclude(
  tx: Tx,
  from: { fence: number; state: 'RUNNING' | 'SENDING' },
  { id, facts, use, to, cost }: Concluded,
): Promise<boolean> {
  const { log, next } = decide(facts)
  const verdict = next.do === 'end' ? next.verdict : facts.kind === 'bot' ? null : 'SENT'
  const hold = next.do === 'end' ? (next.hold ?? null) : null
  const written = facts.reply && !isFailed(facts.reply) && facts.reply.action === 'reply' ? facts.reply : undefined
  const isJudged = written !== undefined && log.some(({ step }) => step === 'checks')
  const kept =
    cost === 'charge'
      ? sql`select`
      : cost === 'release'
        ? releaseReservations(tx.workspaceId, holdsOf('concluded'))
        : keepReservations(tx.workspaceId, holdsOf('concluded'), cost.keep ?? new Date(tx.now.getTime() + KEPT))
  const [[row]] = await tx.together(() => [
    tx.run(query<Holds>`with concluded as (update decision set state = ${to}, verdict = ${verdict}, hold = ${hold},
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

/** Charges what was set aside for a decision, once: nothing where nothing was. */
async function charge(tx: Tx, decisionId: string, { creditHold, generationHold }: Holds): Promise<void> {
  if (creditHold === null || generationHold === null) return
  const period = await chargeReservation(tx, { id: creditHold, quota: 'ai_credits' }, CREDITS)
  await chargeReservation(tx, { id: generationHold, quota: 'ai_generations' }, 1)
  if (period !== undefined) await enterCredits(tx, { decisionId, period, credits: CREDITS })
}

/** Charges or releases what a draft kept. Throws `quota_exceeded` where its reservations have lapsed and others took the room. */
export async function endReservations(tx: Tx, decisionId: string, cost: 'charge' | 'release'): Promise<void> {
  const ended = (cost === 'charge' ? endLapsed : releaseReservations)(tx.workspaceId, holdsOf('mine'))
  const mine = await tx.one(
    query<Holds>`with mine as (select credit_hold, generation_hold from decision
        where workspace_id = ${tx.workspaceId} and id = ${decisionId} for update), ended as (${ended})
      select * from mine`,
    'not_found',
  )
  if (cost === 'charge') await charge(tx, decisionId, mine)
}

/** Ends every decision of a thread that is not made, because somebody wrote; with `isSendingToo` also those whose reply is gone. */
export async function supersedeDecisions(tx: Tx, threadId: string, why: string, isSendingToo = false): Promise<void> {
  const at = tx.now.toISOString()
  const log = [{ step: 'newer_message', input: null, outcome: why, at }]
  const released = releaseReservations(tx.workspaceId, holdsOf('ended'))
  const ended =
    await tx.run(query`with ended as (update decision set state = 'DONE', verdict = 'SUPERSEDED', ended_at = ${tx.now}, leased_until = null,
        due_at = null, fence = fence + 1, log = ${JSON.stringify(log)}::jsonb, rules_version = ${RULES_VERSION},
        facts = facts || ${JSON.stringify({ superseded: { why, at } })}::jsonb
      where workspace_id = ${tx.workspaceId} and thread_id = ${threadId} and (state in ${open} or (${isSendingToo} and state = 'SENDING'))
      returning credit_hold, generation_hold), released as (${released})
      select from ended`)
  if (ended.length > 0) await wake(tx)
}

/** Decisions that are forgotten by one statement. */
const FORGOTTEN_AT_ONCE = 1_000

/** Removes what decisions that ended before a time considered and wrote. Their steps stay. */
export async function forgetDecisions(platform: Pick<Scopes, 'ask'>, before: Date): Promise<void> {
  for (;;) {
    const forgotten = await platform.ask(
      'inbox',
      query`update decision set facts = '{}', reply = null, sources = '[]', knowledge_hash = null, erased_at = app_now()
        where (workspace_id, id) in (select workspace_id, id from decision where ended_at < ${before} and erased_at is null
          order by ended_at limit ${FORGOTTEN_AT_ONCE}) and erased_at is null returning id`,
    )
    if (forgotten.length < FORGOTTEN_AT_ONCE) return
  }
}

/** Removes what decisions considered and wrote, and what their steps say of it. */
export const eraseFacts = (tx: Tx, threadIds: readonly string[]) =>
  tx.run(query`update decision set facts = '{}', reply = null, sources = '[]', knowledge_hash = null, erased_at = ${tx.now},
      log = coalesce((select jsonb_agg(jsonb_build_object('step', l ->> 'step', 'input', null, 'outcome', '', 'at', l ->> 'at') order by place)
        from jsonb_array_elements(log) with ordinality as e(l, place)), '[]')
    where workspace_id = ${tx.workspaceId} and thread_id = any (${threadIds}::uuid[])`)
