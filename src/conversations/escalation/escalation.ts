import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { ThreadStatus, Urgency } from '../threads/api.ts'
import { mayAnswer } from '../threads/answerers.ts'
import { assignedTo } from '../threads/assignment.ts'
import { markEscalated } from '../threads/by-bot.ts'
import type { ThreadEscalated } from '../threads/threads.ts'
import { type EscalationRule, type EscalationRulePatch, MOST_RULES, type NewEscalationRule } from './api.ts'
import { ESCALATED_URGENCY, holdsByWords, moreUrgent, namesSomething } from './rules.ts'

const rulesOf = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    json: EscalationRule
  }>(sql`select json_build_object('id', r.id, 'keywords', r.keywords, 'intents', r.intents, 'urgency', r.urgency,
      'sentiment', r.sentiment, 'assignToRole', r.assign_to_role, 'notifyRoles', r.notify_roles, 'position', r.position,
      'version', r.version, 'createdAt', iso(r.created_at), 'updatedAt', iso(r.updated_at)) as json
    from escalation_rule r where r.workspace_id = ${workspaceId} and ${more}`)

/** Selects the rules of a workspace, by position. */
export const rulesWhere = (workspaceId: string, more = sql`true`) =>
  rulesOf(workspaceId, sql`${more} order by r.position, r.id`)

/** Returns a page of the rules, by position. */
export async function listRules(scope: Scope, request: PageRequest): Promise<Page<EscalationRule>> {
  const columns = [
    [sql`r.position`, 'bigint'],
    [sql`r.id`, 'uuid'],
  ] as const
  const inOrder = pageBy<{ json: EscalationRule }>(columns, request, ({ json }) => [json.position, json.id], 'asc')
  const [rows] = await scope.read(rulesOf(scope.workspaceId, inOrder.rows))
  const { data, nextCursor } = inOrder.of(rows)
  return { data: data.map(({ json }) => json), nextCursor }
}

function refuseEmpty(rule: Parameters<typeof namesSomething>[0]): void {
  if (namesSomething(rule)) return
  throw invalid({
    path: '',
    code: 'required',
    message: 'Set at least one keyword, intent, urgency or sentiment.',
  })
}

const recordAct = (tx: Tx, act: 'created' | 'changed' | 'deleted', id: string) =>
  tx.record({ type: `escalation_rule.${act}`, subject: { escalationRuleId: id } })

const readRule = async (tx: Tx, id: string): Promise<EscalationRule> =>
  (await tx.one(rulesWhere(tx.workspaceId, sql`r.id = ${id}`), 'not_found')).json

/** Adds a rule. Throws `too_many_saved`, and `validation_failed` for a rule without a condition. */
export async function createRule(scope: Scope, { position, ...rule }: NewEscalationRule): Promise<EscalationRule> {
  refuseEmpty(rule)
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    const { count, next } = await tx.one(
      query<{ count: number; next: number }>`select count(*)::int as count, coalesce(max(position) + 1, 0) as next
        from escalation_rule where workspace_id = ${tx.workspaceId}`,
      'not_found',
    )
    if (count >= MOST_RULES) throw new AppError('too_many_saved', undefined, { limit: MOST_RULES })
    await tx.run(query`insert into escalation_rule (workspace_id, id, position, keywords, intents, urgency, sentiment, assign_to_role,
        notify_roles)
      values (${tx.workspaceId}, ${id}, ${position ?? next}, ${rule.keywords}, ${rule.intents}, ${rule.urgency}, ${rule.sentiment},
        ${rule.assignToRole}, ${rule.notifyRoles})`)
    recordAct(tx, 'created', id)
    return readRule(tx, id)
  })
}

const WRITABLE = ['keywords', 'intents', 'urgency', 'sentiment', 'assignToRole', 'notifyRoles', 'position'] as const

/** Changes a rule. Throws `not_found`, `stale_version`, `validation_failed`. */
export async function updateRule(
  scope: Scope,
  id: string,
  patch: EscalationRulePatch,
  ifMatch?: number,
): Promise<EscalationRule> {
  return scope.transaction(async (tx) => {
    const current = await lockRule(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, WRITABLE)
    if (faults.length > 0) throw invalid(...faults)
    const rule = { ...current, ...(patch as Partial<NewEscalationRule>) }
    if (WRITABLE.every((field) => JSON.stringify(rule[field]) === JSON.stringify(current[field]))) return current
    refuseEmpty(rule)
    await tx.one(
      query`update escalation_rule set position = ${rule.position}, keywords = ${rule.keywords}, intents = ${rule.intents},
          urgency = ${rule.urgency}, sentiment = ${rule.sentiment}, assign_to_role = ${rule.assignToRole},
          notify_roles = ${rule.notifyRoles}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    recordAct(tx, 'changed', id)
    return readRule(tx, id)
  })
}

async function lockRule(tx: Tx, id: string, ifMatch: number | undefined): Promise<EscalationRule> {
  await lockList(tx)
  const rule = await readRule(tx, id)
  refuseStale(rule.version, ifMatch)
  return rule
}

export async function deleteRule(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { version } = await lockRule(tx, id, ifMatch)
    await tx.one(
      query`delete from escalation_rule where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    recordAct(tx, 'deleted', id)
  })
}

// ---- a customer's message

interface Escalated {
  status: ThreadStatus
  urgency: Urgency
  assignee: string | null
}

/**
 * Escalates a thread by the first rule that the words of its customer's message fulfil, where the bot makes no decision
 * about it. The caller has locked the thread.
 */
export async function escalateByRule(
  tx: Tx,
  rules: readonly EscalationRule[],
  threadId: string,
  text: string,
): Promise<void> {
  const rule = rules.find((each) => holdsByWords(each, text))
  if (rule) await escalateTo(tx, threadId, await readEscalated(tx, threadId), rule)
}

/** Escalates a thread that the bot hands over, by a rule or without one. The caller has locked the thread. */
export const handOverThread = async (tx: Tx, threadId: string, rule: EscalationRule | undefined): Promise<void> =>
  escalateTo(tx, threadId, await readEscalated(tx, threadId), rule)

const readEscalated = (tx: Tx, threadId: string) =>
  tx.one(
    query<Escalated>`select status, urgency, assignee from thread where workspace_id = ${tx.workspaceId} and id = ${threadId}`,
    'not_found',
  )

async function escalateTo(
  tx: Tx,
  threadId: string,
  thread: Escalated,
  rule: EscalationRule | undefined,
): Promise<void> {
  const { status } = thread
  if (status === 'ESCALATED') return
  const urgency = moreUrgent(thread.urgency, ESCALATED_URGENCY)
  const found = thread.assignee ?? (await leastLoaded(tx, rule?.assignToRole ?? null))
  await markEscalated(tx, threadId, { status, urgency, assignee: found })
  if (found !== thread.assignee) tx.record(assignedTo(threadId, found))
  tx.record({
    type: 'thread.escalated',
    subject: { threadId },
    data: rule ? { rule: rule.id } : {},
    context: {
      assignee: thread.assignee,
      ...(rule && rule.notifyRoles.length > 0 && { roles: rule.notifyRoles }),
    },
  } satisfies ThreadEscalated)
}

/** Returns the member with a role who may answer and has the fewest open threads. */
async function leastLoaded(tx: Tx, role: EscalationRule['assignToRole']): Promise<string | null> {
  if (role === null) return null
  const [member] = await tx.run(query<{ userId: string }>`select p.user_id from member p
    where p.workspace_id = ${tx.workspaceId} and p.role = ${role} and ${mayAnswer}
    order by (select count(*) from thread t where t.workspace_id = p.workspace_id and t.assignee = p.user_id
      and t.status in ('OPEN', 'ESCALATED')), p.user_id limit 1`)
  return member?.userId ?? null
}
