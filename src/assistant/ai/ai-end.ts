import type { VoiceText } from '../brand-voices/api.ts'
import { type Code, errors, AppError } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { query, sql } from '../../core/platform/db.ts'
import { ModelError, type Use } from '../../core/platform/model/model.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { endAtCommit, endGeneration, underWay } from './ai.ts'
import type { Begun } from './ai-turns.ts'
import type { ReadPerformance } from './ideas.ts'
import type { Dropped, Option } from './api.ts'

export type GenerationPorts = Pick<Services, 'model' | 'settings' | 'networks' | 'storage' | 'events'> & {
  performance: ReadPerformance
}

/** Why a generation ended without a result. */
export interface GenerationFailure {
  code: string
  message: string
}

export const INTERRUPTED: GenerationFailure = {
  code: 'interrupted',
  message: 'The AI request was interrupted. Try again.',
}

/** Whether an error is the post's refusal of an edit. */
const isEditRefused = (error: AppError) =>
  error.status < 500 && error.code !== 'quota_exceeded' && error.code !== 'ai_cancelled'

/**
 * Ends a generation whose result goes into a post. If the post refuses the edit, the result is kept without being
 * applied. After a failure of the database the edit is tried once more. If that fails too, the result is kept as after a
 * refusal. The first end may have been committed, which `succeed` then finds.
 */
export async function endInPost(end: (applied: boolean) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await end(true)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const isUnavailable = error.code === 'unavailable'
      if (isUnavailable && tries === 1) continue
      if (!isUnavailable && !isEditRefused(error)) throw error
      return end(false)
    }
  }
}

export function failureOf(error: unknown): GenerationFailure {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  const code = codeOf(error)
  return { code, message: errors[code][1] }
}

function codeOf(error: unknown): Code {
  if (!(error instanceof ModelError)) return 'internal'
  if (error.kind === 'refused') return 'ai_refused'
  return error.kind === 'not_configured' ? 'ai_not_configured' : 'ai_failed'
}

export const LATE: GenerationFailure = { code: 'interrupted', message: 'The AI request waited too long. Try again.' }

interface Result {
  options: Option[]
  dropped: Dropped[]
  voice: VoiceText | null
  mediaFileId: string | null
  applied: boolean | null
  /** null if the model was not needed, or broke off before it reported its use. */
  use: Use | null
}

const asSucceeded = ({ options, dropped, voice, mediaFileId, applied, use }: Result) =>
  sql`status = 'SUCCEEDED', options = ${JSON.stringify(options)}::jsonb,
    dropped = ${JSON.stringify(dropped)}::jsonb, voice = ${voice ? JSON.stringify(voice) : null}::jsonb,
    media_file_id = ${mediaFileId}, applied = ${applied}, model = ${use?.model ?? null},
    input_tokens = ${use?.inputTokens ?? null}, output_tokens = ${use?.outputTokens ?? null}`

/** Ends a running generation with its result and charges it. Returns false if it was stopped in the meantime. */
export const succeed = (tx: Tx, { id }: Pick<Begun, 'id'>, result: Result): Promise<boolean> =>
  endGeneration(tx, id, sql`g.status = 'RUNNING'`, asSucceeded(result), sql`true`)

/**
 * Ends a running generation with its result and charges it, in one trip, and hands it to the request that waits for it.
 * Returns false if no request of this process waits, if its person may no longer act, or if the end needs more than its
 * statements. `succeed` then ends the generation without the person.
 */
export async function succeedAtCommit(
  ports: Pick<GenerationPorts, 'settings'>,
  { id, asker }: Pick<Begun, 'id' | 'asker'>,
  result: Result,
): Promise<boolean> {
  if (!asker) return false
  return endAtCommit(asker, ports, id, asSucceeded(result)).catch((error: unknown) =>
    error instanceof AppError ? false : Promise.reject(error),
  )
}

/**
 * Ends a generation that broke off, if it meets the condition `from`. If options were delivered, they are its answer
 * and it is charged. Without any it has failed and costs nothing.
 */
export async function fail(tx: Tx, id: string, failure: GenerationFailure, from = underWay): Promise<void> {
  const delivered = sql`g.options <> '[]'`
  const missing = sql`g.asked - jsonb_array_length(g.options)`
  const change = sql`status = case when ${delivered} then 'SUCCEEDED' else 'FAILED' end,
    error = case when not ${delivered} then ${JSON.stringify(failure)}::jsonb end,
    options = coalesce((select jsonb_agg(o order by (o ->> 'score')::numeric desc)
      from jsonb_array_elements(g.options) o), '[]'),
    dropped = case when ${delivered} and ${missing} > 0
      then jsonb_build_array(jsonb_build_object('code', 'missing', 'count', ${missing})) else g.dropped end`
  await endGeneration(tx, id, from, change, delivered)
}

/**
 * Returns the role of the person who asked, or null after their removal. The lock keeps the role until the transaction
 * ends.
 */
export async function roleOf(tx: Tx, { createdBy }: Begun): Promise<Role | null> {
  const [member] = await tx.run(query<{ role: Role }>`select role from member
    where workspace_id = ${tx.workspaceId} and user_id = ${createdBy} for share`)
  return member?.role ?? null
}
