import { isDeepStrictEqual } from 'node:util'
import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { VoiceText } from '../../assistant/brand-voices/api.ts'
import { voiceTextShape } from '../../assistant/brand-voices/brand-voices.ts'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { storeVariant } from '../threads/by-bot.ts'
import {
  type ExperimentPatch,
  MOST_EXPERIMENTS,
  type NewExperiment,
  type ReplyExperiment,
  type Variant,
} from './api.ts'
import { areComparable, type ArmCounts, NEEDED, pValue, winnerOf } from './rules.ts'

// Experiments compare two ways of replying. Has every statement that writes `reply_experiment` and `exposure`.

type Row = Omit<
  ReplyExperiment,
  'a' | 'b' | `variant${'A' | 'B'}${'Count' | 'Conversions'}` | 'pValue' | 'comparable' | 'needed'
> & {
  arms: { variant: 'A' | 'B'; drafted: number; served: number; conversions: number }[]
}

const experimentsWhere = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    id: string
    json: Row
  }>(sql`select e.id, json_build_object('id', e.id, 'name', e.name, 'state', e.state, 'variantA', e.variant_a,
      'variantB', e.variant_b, 'winnerId', e.winner, 'startedAt', iso(e.started_at), 'endedAt', iso(e.ended_at), 'version', e.version,
      'createdAt', iso(e.created_at), 'updatedAt', iso(e.updated_at),
      'arms', coalesce((select json_agg(json_build_object('variant', x.variant, 'drafted', x.drafted, 'served', x.served,
          'conversions', x.conversions))
        from (select variant, count(*)::int as drafted, count(served_at)::int as served, count(converted_at)::int as conversions
          from exposure where workspace_id = e.workspace_id and experiment_id = e.id group by variant) x), '[]')) as json
    from reply_experiment e where e.workspace_id = ${workspaceId} and ${more}`)

const NONE: ArmCounts = { drafted: 0, served: 0, conversions: 0 }

function shown({ arms, ...row }: Row): ReplyExperiment {
  const of = (variant: 'A' | 'B') => arms.find((arm) => arm.variant === variant) ?? NONE
  const [a, b] = [of('A'), of('B')]
  const arm = ({ drafted, served, conversions }: ArmCounts) => ({
    drafted,
    served,
    conversions,
    rate: served === 0 ? null : Math.round((conversions / served) * 1_000) / 1_000,
  })
  const value = pValue(a, b)
  return {
    ...row,
    variantACount: a.served,
    variantBCount: b.served,
    variantAConversions: a.conversions,
    variantBConversions: b.conversions,
    a: arm(a),
    b: arm(b),
    pValue: value === null ? null : Math.round(value * 10_000) / 10_000,
    comparable: areComparable(a, b),
    needed: NEEDED,
  }
}

/** Returns a page of the experiments, newest first. */
export async function listExperiments(scope: Scope, request: PageRequest): Promise<Page<ReplyExperiment>> {
  const newest = page(sql`e.id`, request)
  const [rows] = await scope.read(experimentsWhere(scope.workspaceId, newest.rows))
  const { data, nextCursor } = newest.of(rows)
  return { data: data.map(({ json }) => shown(json)), nextCursor }
}

/** Returns an experiment. Throws `not_found`. */
export async function getExperiment(scope: Scope, id: string): Promise<ReplyExperiment> {
  const [[row]] = await scope.read(experimentsWhere(scope.workspaceId, sql`e.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return shown(row.json)
}

const readExperiment = async (tx: Tx, id: string): Promise<ReplyExperiment> =>
  shown((await tx.one(experimentsWhere(tx.workspaceId, sql`e.id = ${id}`), 'not_found')).json)

/** Returns the faults of variants whose brand voice does not exist. */
async function unknownVoices(tx: Tx, variants: Partial<Record<'variantA' | 'variantB', Variant>>): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [field, variant] of Object.entries(variants)) {
    if (!variant?.brandVoiceId) continue
    const [voice] = await tx.run(
      query`select from brand_voice where workspace_id = ${tx.workspaceId} and id = ${variant.brandVoiceId}`,
    )
    if (!voice)
      faults.push({ path: `/${field}/brandVoiceId`, code: 'unknown_id', message: 'No brand voice has this ID.' })
  }
  return faults
}

/** Adds a stopped experiment. Throws `too_many_saved`, `validation_failed`. */
export function createExperiment(scope: Scope, { name, variantA, variantB }: NewExperiment): Promise<ReplyExperiment> {
  return scope.transaction(async (tx) => {
    await lockList(tx)
    const { count } = await tx.one(
      query<{
        count: number
      }>`select count(*)::int as count from reply_experiment where workspace_id = ${tx.workspaceId}`,
      'not_found',
    )
    if (count >= MOST_EXPERIMENTS) throw new AppError('too_many_saved', undefined, { limit: MOST_EXPERIMENTS })
    const faults = await unknownVoices(tx, { variantA, variantB })
    if (faults.length > 0) throw invalid(...faults)
    const id = uuidv7()
    await tx.run(query`insert into reply_experiment (workspace_id, id, name, variant_a, variant_b)
      values (${tx.workspaceId}, ${id}, ${name}, ${JSON.stringify(variantA)}::jsonb, ${JSON.stringify(variantB)}::jsonb)`)
    tx.record({ type: 'experiment.created', subject: { experimentId: id } })
    return readExperiment(tx, id)
  })
}

const WRITABLE = ['name', 'variantA', 'variantB', 'state'] as const

/**
 * Starts or stops an experiment, or changes it. Its variants are fixed once it has run. Only one experiment runs at a
 * time. Throws `not_found`, `stale_version`, `invalid_state`, `validation_failed`.
 */
export function updateExperiment(
  scope: Scope,
  id: string,
  patch: ExperimentPatch,
  ifMatch?: number,
): Promise<ReplyExperiment> {
  return scope.transaction(async (tx) => {
    await lockList(tx)
    const current = await readExperiment(tx, id)
    refuseStale(current.version, ifMatch)
    const next = { ...current, ...(patch as Partial<Pick<ReplyExperiment, (typeof WRITABLE)[number]>>) }
    const faults = [...readOnlyFaults(patch, current, WRITABLE), ...(await unknownVoices(tx, patch))]
    if (next.state === 'DECIDED' && current.state !== 'DECIDED') {
      faults.push({
        path: '/state',
        code: 'not_allowed',
        message: 'Must be RUNNING or STOPPED. Only its results decide an experiment.',
      })
    }
    if (faults.length > 0) throw invalid(...faults)
    const isOther = (field: (typeof WRITABLE)[number]) => !isDeepStrictEqual(next[field], current[field])
    if (!WRITABLE.some(isOther)) return current
    if ((isOther('variantA') || isOther('variantB')) && current.startedAt !== null) {
      throw new AppError(
        'invalid_state',
        'This experiment has already run, so its variants can’t be changed. Create a new one instead.',
        {
          current: current.state,
          allowed: [],
        },
      )
    }
    if (isOther('state')) {
      if (current.state === 'DECIDED')
        throw new AppError('invalid_state', 'This experiment already has a winner. Create a new one instead.', {
          current: current.state,
          allowed: [],
        })
      if (next.state === 'RUNNING') await refuseSecond(tx, id)
    }
    const isRunning = next.state === 'RUNNING'
    await tx.one(
      query`update reply_experiment set name = ${next.name}, variant_a = ${JSON.stringify(next.variantA)}::jsonb,
          variant_b = ${JSON.stringify(next.variantB)}::jsonb, state = ${next.state},
          started_at = case when ${isRunning} then coalesce(started_at, ${tx.now}) else started_at end,
          ended_at = case when ${isRunning} then null when state = 'RUNNING' then ${tx.now}::timestamptz else ended_at end,
          version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    tx.record({ type: 'experiment.changed', subject: { experimentId: id }, data: { state: next.state } })
    return readExperiment(tx, id)
  })
}

async function refuseSecond(tx: Tx, id: string): Promise<void> {
  const [other] = await tx.run(
    query`select from reply_experiment where workspace_id = ${tx.workspaceId} and state = 'RUNNING' and id <> ${id}`,
  )
  if (other)
    throw new AppError('invalid_state', 'Only one experiment can run at a time. Stop the other one first.', {
      current: 'RUNNING',
      allowed: ['STOPPED'],
    })
}

/** Deletes an experiment that is not running. Throws `not_found`, `invalid_state`, `stale_version`. */
export async function deleteExperiment(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    await lockList(tx)
    const { version, state } = await readExperiment(tx, id)
    refuseStale(version, ifMatch)
    if (state === 'RUNNING')
      throw new AppError('invalid_state', 'This experiment is running. Stop it first.', {
        current: state,
        allowed: ['STOPPED', 'DECIDED'],
      })
    await tx.one(
      query`delete from reply_experiment where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    tx.record({ type: 'experiment.deleted', subject: { experimentId: id } })
  })
}

// ---- in a decision

/** The way of replying that an experiment chooses for the customer of a thread. */
export interface Strategy {
  experimentId: string
  variant: 'A' | 'B'
  voice: VoiceText | null
  style: string | null
  instructions: string | null
}

/** Returns the variant of a customer in an experiment. It is the first bit of a hash, so it never changes. */
const variantOf = (experimentId: string, identityId: string): 'A' | 'B' =>
  (createHash('sha256').update(`${experimentId}:${identityId}`).digest()[0]! & 0x80) === 0 ? 'A' : 'B'

interface Choosing {
  id: string
  winner: 'A' | 'B' | null
  identityId: string
  kept: 'A' | 'B' | null
  variantA: Variant
  variantB: Variant
}

/**
 * Selects the experiment that chooses for a thread: the running one, or else the last decided one. Selects none if
 * experiments are off.
 */
export const choosingFor = (workspaceId: string, threadId: string | null) =>
  query<Choosing>`select e.id, e.winner, t.identity_id,
      case when t.experiment_id = e.id then t.variant end as kept, e.variant_a, e.variant_b
    from thread t join bot_config c on c.workspace_id = t.workspace_id and c.ab_testing_enabled
    join reply_experiment e on e.workspace_id = t.workspace_id and e.state in ('RUNNING', 'DECIDED')
    where t.workspace_id = ${workspaceId} and t.id = ${threadId} order by e.state = 'RUNNING' desc, e.ended_at desc limit 1`

/** Returns the strategy of an experiment for a thread: the winner's, or else that of the customer's variant. */
export async function strategyOf(scope: Scope, row: Choosing): Promise<Strategy> {
  const variant = row.winner ?? row.kept ?? variantOf(row.id, row.identityId)
  const { brandVoiceId = null, style = null, instructions = null } = variant === 'A' ? row.variantA : row.variantB
  const [[voice]] = await scope.read(
    whole<{ json: VoiceText }>(sql`select ${voiceTextShape} as json from brand_voice v
      where v.workspace_id = ${scope.workspaceId} and v.id = ${brandVoiceId}`),
  )
  return { experimentId: row.id, variant, voice: voice?.json ?? null, style, instructions }
}

/**
 * Counts a reply that was written for the customer of a thread in a running experiment. The thread keeps its variant.
 */
export async function countDrafted(
  tx: Tx,
  threadId: string,
  { experimentId, variant }: Pick<Strategy, 'experimentId' | 'variant'>,
): Promise<void> {
  const [experiment] =
    await tx.run(query`select from reply_experiment where workspace_id = ${tx.workspaceId} and id = ${experimentId}
    and state in ('RUNNING', 'DECIDED') for key share`)
  if (!experiment) return
  await tx.run(query`insert into exposure (workspace_id, experiment_id, identity_id, variant, drafted_at)
    select t.workspace_id, e.id, t.identity_id, ${variant}, ${tx.now} from thread t
    join reply_experiment e on e.workspace_id = t.workspace_id and e.id = ${experimentId} and e.state = 'RUNNING'
    where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} on conflict do nothing`)
  await storeVariant(tx, threadId, { experimentId, variant })
}

/** Counts the first reply that was sent to the customer of a thread. Ends the experiment if it has a winner now. */
export async function countServed(tx: Tx, threadId: string): Promise<void> {
  const [counted] = await tx.run(query<{
    experimentId: string
  }>`update exposure x set served_at = ${tx.now} from thread t where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId}
    and x.workspace_id = t.workspace_id and x.experiment_id = t.experiment_id and x.identity_id = t.identity_id
    and x.served_at is null returning x.experiment_id`)
  if (counted) await decideExperiment(tx, counted.experimentId)
}

/** Milliseconds after the first reply within which a conversion counts. */
const COUNTED_FOR = 7 * 24 * 3_600_000

/**
 * Counts a conversion: the customer of a thread was content, or the thread closed without a person. Ends the experiment
 * if it has a winner now.
 */
export async function countConversion(tx: Tx, threadId: string): Promise<void> {
  const [counted] = await tx.run(query<{
    experimentId: string
  }>`update exposure x set converted_at = ${tx.now} from thread t
    where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} and x.workspace_id = t.workspace_id
      and x.experiment_id = t.experiment_id and x.identity_id = t.identity_id and x.converted_at is null
      and x.served_at > ${new Date(tx.now.getTime() - COUNTED_FOR)} returning x.experiment_id`)
  if (counted) await decideExperiment(tx, counted.experimentId)
}

/** Names the winner of a running experiment once the difference is significant. */
async function decideExperiment(tx: Tx, id: string): Promise<void> {
  const experiment = await readExperiment(tx, id)
  if (experiment.state !== 'RUNNING') return
  const winner = winnerOf(experiment.a, experiment.b)
  if (winner === null) return
  const ended =
    await tx.run(query`update reply_experiment set state = 'DECIDED', winner = ${winner}, ended_at = ${tx.now},
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'RUNNING' returning id`)
  if (ended.length > 0) tx.record({ type: 'experiment.decided', subject: { experimentId: id }, data: { winner } })
}

/** Deletes the records of customers who took part. */
export const eraseExposures = (tx: Tx, identityIds: readonly string[]) =>
  tx.run(
    query`delete from exposure where workspace_id = ${tx.workspaceId} and identity_id = any (${identityIds}::uuid[])`,
  )
