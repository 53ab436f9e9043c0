import { AppError, invalid, pointer } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql } from '../../core/platform/db.ts'
import { PLAN_SEED } from '../../core/platform/lock-ids.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Plan, Subscription, Usage } from './api.ts'
import { reservedIn, resetsAt } from './plans.ts'

/** The order in which quotas are shown. */
const ORDER = ['posts', 'ai_credits', 'ai_generations', 'social_accounts', 'members', 'media_bytes']
const inOrder = <T extends { quota: string }>(quotas: T[]) =>
  quotas.toSorted((a, b) => ORDER.indexOf(a.quota) - ORDER.indexOf(b.quota))

const plansWhere = (condition: ReturnType<typeof sql>) => query<Plan & { position: number }>`select p.position, p.id,
  case when p.price_amount is not null
    then json_build_object('amount', p.price_amount, 'currency', p.price_currency) end as price,
  coalesce((select json_agg(feature_id order by feature_id) from plan_feature where plan_id = p.id), '[]') as features,
  coalesce((select json_agg(json_build_object('quota', q.id, 'kind', q.kind, 'limit', l.amount))
    from plan_quota l join quota q on q.id = l.quota_id where l.plan_id = p.id), '[]') as quotas
  from plan p where ${condition}`

const plansQuery = plansWhere(sql`true order by p.position`)

const arranged = ({ position: _, ...plan }: Plan & { position: number }): Plan => ({
  ...plan,
  quotas: inOrder(plan.quotas),
})

/** Returns a page of the plans, smallest first. */
export async function listPlans(scope: Scope, request: PageRequest): Promise<Page<Plan>> {
  const smallest = pageBy<{ position: number }>(
    [[sql`p.position`, 'bigint']],
    request,
    (plan) => [plan.position],
    'asc',
  )
  const [rows] = await scope.read(plansWhere(smallest.rows))
  const { data, nextCursor } = smallest.of(rows)
  return { data: data.map(arranged), nextCursor }
}

/** Reads the plans within the caller's transaction. */
export const readPlans = async (tx: Tx): Promise<Plan[]> => (await tx.run(plansQuery)).map(arranged)

/** Returns all features that a plan may have. */
export const readFeatures = async (tx: Tx): Promise<string[]> =>
  (await tx.run(query<{ id: string }>`select id from feature order by id`)).map(({ id }) => id)

/**
 * Returns the use of each quota. Running operations count as used, and so do open invitations, since their seats are
 * promised.
 */
export async function listUsage(scope: Scope): Promise<{ data: Usage[]; nextCursor: null }> {
  const [rows] = await scope.read(
    query<Omit<Usage, 'resetsAt'> & { resetsAt: Date | null }>`select q.id as quota, q.kind, l.amount as limit,
        (coalesce(u.used, 0) + ${reservedIn('w.id', 'q.id', 'p.period')}
          + case when q.id = 'members' then (select count(*) from workspace_invitation i
            where i.workspace_id = w.id and i.accepted_at is null and i.expires_at > app_now()) else 0 end)::bigint as used,
        ${resetsAt('p.period')} as resets_at
      from workspace w join subscription s on s.workspace_id = w.id join plan_quota l on l.plan_id = s.plan_id
      join quota q on q.id = l.quota_id
      cross join lateral (select usage_period(w.id, q.kind, w.timezone) as period) p
      left join workspace_usage u on u.workspace_id = w.id and u.quota_id = q.id and u.period = p.period
      where w.id = ${scope.workspaceId}`,
  )
  const data = rows.map((row) => ({ ...row, resetsAt: row.resetsAt?.toISOString() ?? null }))
  return { data: inOrder(data), nextCursor: null }
}

const subscriptionQuery = (workspaceId: string) =>
  query<Pick<Subscription, 'plan' | 'status'>>`select plan_id as plan, status from subscription
    where workspace_id = ${workspaceId}`

/** Returns the plan of the workspace and what it includes. */
export async function getSubscription(scope: Scope): Promise<Subscription> {
  const [[found], plans] = await scope.read(subscriptionQuery(scope.workspaceId), plansQuery)
  const plan = plans.find(({ id }) => id === found?.plan)
  if (!found || !plan) throw new AppError('not_found')
  return { ...found, renewsAt: null, features: plan.features, quotas: inOrder(plan.quotas) }
}

/**
 * Gives the workspace the plan that its OWNER chose. Nothing is deleted: what exceeds a smaller plan stays and cannot
 * grow. Throws `billing_managed`, `validation_failed`, and `role_required` if the caller is no longer the OWNER.
 */
export async function chooseSubscription(
  scope: Scope,
  { payments }: Pick<Ports, 'payments'>,
  userId: string,
  plan: string,
): Promise<Subscription> {
  if (!payments.chosenByOwners) throw new AppError('billing_managed')
  await refuseUnknownPlan(scope, plan)
  await payments.agree({ workspaceId: scope.workspaceId, plan })
  await changing(scope, async (tx) => {
    const { role } = await tx.one(
      query<{ role: Role }>`select role from member where workspace_id = ${tx.workspaceId} and user_id = ${userId}`,
      'not_found',
    )
    if (role !== 'OWNER') throw new AppError('role_required', undefined, { required: 'OWNER', actual: role })
    await setPlan(tx, plan)
  })
  return getSubscription(scope)
}

/**
 * Runs a change of the plan. It takes turns with changes of the members, and waits for requests that rely on the plan
 * before it locks a row that these may want.
 */
const changing = (scope: Scope, work: (tx: Tx) => Promise<void>) =>
  scope.transaction(
    async (tx) => {
      tx.lock(query`select pg_advisory_xact_lock(standing_key(${tx.workspaceId}::uuid))`)
      await tx.one(
        query`select from workspace where id = ${tx.workspaceId} and deleted_at is null for no key update`,
        'not_found',
      )
      await work(tx)
    },
    { alone: 'members' },
  )

async function refuseUnknownPlan(scope: Scope, plan: string) {
  const [known] = await scope.read(query<{ id: string }>`select id from plan order by position`)
  if (known.some(({ id }) => id === plan)) return
  const names = known.map(({ id }) => id).join(', ')
  throw invalid({ path: '/plan', code: 'not_allowed', message: `Must be one of ${names}.` })
}

/**
 * Gives the workspace a plan, even where owners cannot choose plans. `noted` runs in the same transaction. Throws
 * `validation_failed`, and `not_found` for an unknown or deleted workspace.
 */
export async function giveSubscription(
  scope: Scope,
  plan: string,
  noted: (tx: Tx) => Promise<void>,
): Promise<Subscription> {
  await refuseUnknownPlan(scope, plan)
  await changing(scope, async (tx) => {
    await setPlan(tx, plan)
    await noted(tx)
  })
  return getSubscription(scope)
}

interface PlanWish {
  /** Per month; null: on request. */
  price?: Plan['price'] | undefined
  features?: string[] | undefined
  /** New limits by quota; null: unlimited. */
  quotas?: Record<string, number | null> | undefined
}

/** Changes what a plan includes and costs. Fields that are not given stay. Throws `not_found`, `validation_failed`. */
export async function changePlan(tx: Tx, id: string, { price, features, quotas = {} }: PlanWish) {
  const find = async () => (await readPlans(tx)).find((plan) => plan.id === id)
  await tx.one(query`select from plan where id = ${id}`, 'not_found')
  await tx.run(query`select pg_advisory_xact_lock(hashtextextended(${`plan ${id}`}, ${PLAN_SEED}))`)
  const before = (await find()) as Plan
  const known = await readFeatures(tx)
  const faults = [
    ...(price && !Intl.supportedValuesOf('currency').includes(price.currency) ? ['/price/currency'] : []),
    ...(features ?? []).flatMap((feature, index) => (known.includes(feature) ? [] : [`/features/${index}`])),
    ...Object.keys(quotas).flatMap((quota) => (ORDER.includes(quota) ? [] : [pointer(['quotas', quota])])),
  ]
  if (faults.length > 0) {
    throw invalid(
      ...faults.map((path) => ({
        path,
        code: 'unknown',
        message: 'This currency, feature or quota doesn’t exist.',
      })),
    )
  }
  if (features) {
    await tx.run(query`delete from plan_feature where plan_id = ${id} and feature_id <> all (${features}::text[])`)
    await tx.run(query`insert into plan_feature (plan_id, feature_id)
      select ${id}, feature from unnest(${features}::text[]) feature on conflict do nothing`)
  }
  for (const [quota, amount] of Object.entries(quotas)) {
    await tx.one(
      query`update plan_quota set amount = ${amount} where plan_id = ${id} and quota_id = ${quota} returning quota_id`,
      'not_found',
    )
  }
  if (price !== undefined) {
    await tx.one(
      query`update plan set price_amount = ${price?.amount ?? null}, price_currency = ${price?.currency ?? null}
        where id = ${id} returning id`,
      'not_found',
    )
  }
  return { before, after: (await find()) as Plan }
}

/** Gives a new workspace its plan and the first use of each quota. Its OWNER counts as its first member. */
export async function startSubscription(tx: Tx, plan: string, timezone: string): Promise<void> {
  await tx.run(query`insert into subscription (workspace_id, plan_id) values (${tx.workspaceId}, ${plan})`)
  await tx.run(query`insert into workspace_usage (workspace_id, quota_id, period, used)
    select ${tx.workspaceId}, id, usage_period(${tx.workspaceId}, kind, ${timezone}), case id when 'members' then 1 else 0 end
    from quota`)
}

/** Sets the plan within the caller's transaction. Setting the present plan changes nothing. */
async function setPlan(tx: Tx, plan: string): Promise<void> {
  const [changed] = await tx.run(query<{ old: string }>`
    with old as (select plan_id from subscription where workspace_id = ${tx.workspaceId} for update)
    update subscription s set plan_id = ${plan}, updated_at = ${tx.now} from old
    where s.workspace_id = ${tx.workspaceId} and s.plan_id = old.plan_id and old.plan_id <> ${plan}
    returning old.plan_id as old`)
  if (!changed) return
  tx.record({
    type: 'subscription.changed',
    subject: { workspaceId: tx.workspaceId },
    data: { from: changed.old, to: plan },
  })
}
