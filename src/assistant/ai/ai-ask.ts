import { type Fault, invalid } from '../../core/errors.ts'
import type { MediaFile } from '../../publishing/media/api.ts'
import { voiceTextShape } from '../brand-voices/brand-voices.ts'
import { query, sql } from '../../core/platform/db.ts'
import { countAtCommit, countWith } from '../../core/platform/limits.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { assertQuota, newReservation, reserveAll, reserveAtCommit } from '../../team/plans/plans.ts'
import { readPost } from '../../publishing/posts/posts-read.ts'
import { statusAfter } from '../../publishing/posts/posts-state.ts'
import type { Ports } from '../../services.ts'
import type { Change, Generation, Kind } from './api.ts'
import { assertModel, callLimit } from './access.ts'
import { languageOf } from './ai-language.ts'
import { generationShape } from './ai-read.ts'
import {
  type Asker,
  AT_ONCE,
  begin,
  type Begun,
  begunLocally,
  begunShape,
  enqueueCall,
  isAccepted,
  LEASE,
  leaseEnd,
  lockCalls,
} from './ai-turns.ts'
import { answersOf, canShorten, COSTS } from './rules.ts'

// Asks for an AI call: checks the request, reserves its cost and enqueues it.

interface Asked {
  brandVoiceId?: string | null | undefined
  postId?: string | undefined
  mediaIds?: string[] | undefined
  /** The picture to describe. */
  mediaId?: string | undefined
  language?: string | undefined
  targetLanguage?: string | undefined
  count?: number | undefined
  change?: Change | undefined
  caption?: string | undefined
}

/** The maximum number of generations of a workspace that wait. */
const WAITING = 20

/** The storage that a generated picture needs, in bytes. */
const PICTURE = 4 * 1024 * 1024

/** Whether the results of a kind are written into the post. */
const isWritten = (kind: Kind) => kind === 'hashtags' || kind === 'image'

/** Throws `validation_failed` for an input that no call can use. */
function refuseInvalid(asked: Asked): void {
  for (const field of ['language', 'targetLanguage'] as const) {
    if (asked[field] !== undefined) languageOf(asked[field], `/${field}`)
  }
  if (asked.change === 'shorter' && !canShorten(asked.caption ?? '')) {
    throw invalid({ path: '/caption', code: 'too_short', message: 'The caption is as short as it can be.' })
  }
}

/** Throws `validation_failed` with all ids that do not exist, and refuses a post that cannot be edited. */
async function refuseUnknown(
  tx: Tx,
  ports: Pick<Ports, 'settings'>,
  kind: Kind,
  { brandVoiceId = null, postId, mediaIds = [], mediaId }: Asked,
): Promise<void> {
  if (brandVoiceId === null && postId === undefined && mediaIds.length === 0 && mediaId === undefined) return
  const { voice, post, media, picture } = await tx.one(
    query<{ voice: string | null; post: string | null; media: string[]; picture: Describable | null }>`select
      (select v.id from brand_voice v where v.workspace_id = ${tx.workspaceId} and v.id = ${brandVoiceId}) as voice,
      (select p.id from post p where p.workspace_id = ${tx.workspaceId} and p.id = ${postId ?? null}
        and p.deleted_at is null) as post,
      array(select f.id::text from media_file f where f.workspace_id = ${tx.workspaceId} and f.id = any (${mediaIds}::uuid[])
        and f.deleted_at is null) as media,
      (select json_build_object('kind', f.kind, 'state', f.state) from media_file f
        where f.workspace_id = ${tx.workspaceId} and f.id = ${mediaId ?? null} and f.deleted_at is null) as picture`,
    'not_found',
  )
  const faults: Fault[] = []
  if (brandVoiceId !== null && voice === null) {
    faults.push({ path: '/brandVoiceId', code: 'unknown_id', message: 'No brand voice has this ID.' })
  }
  if (postId !== undefined && post === null) {
    faults.push({ path: '/postId', code: 'unknown_id', message: 'No post has this ID.' })
  }
  for (const [index, id] of mediaIds.entries()) {
    if (!media.includes(id.toLowerCase())) {
      faults.push({ path: `/mediaIds/${index}`, code: 'unknown_id', message: 'No file has this ID.' })
    }
  }
  if (mediaId !== undefined) faults.push(...undescribable(picture))
  if (faults.length > 0) throw invalid(...faults)
  if (post !== null && isWritten(kind)) statusAfter(await readPost(tx, ports, post), 'edit')
}

type Describable = Pick<MediaFile, 'kind' | 'state'>

/** Returns why a file cannot be described. The model needs a decoded picture. */
function undescribable(file: Describable | null): Fault[] {
  const path = '/mediaId'
  if (!file) return [{ path, code: 'unknown_id', message: 'No file has this ID.' }]
  if (file.kind !== 'IMAGE') return [{ path, code: 'not_a_picture', message: 'Only pictures can be described.' }]
  return file.state === 'READY'
    ? []
    : [{ path, code: 'not_ready', message: `The picture is ${file.state}. Choose one that is READY.` }]
}

interface NewGeneration {
  id: string
  kind: Kind
  asked: Asked
  /** The ids of the reservations. */
  credits: string
  generations: string
  userId: string | null
}

/**
 * Inserts a call with its voice, unless too many calls of the workspace wait or, for one that begins as `RUNNING`, run.
 * The reservations serialize these requests, so the count is exact.
 */
function insertGeneration(
  workspaceId: string,
  { id, kind, asked, ...call }: NewGeneration,
  { as }: { as: 'QUEUED' | 'RUNNING' },
) {
  const answers = kind === 'hashtags' ? 1 : answersOf(kind, asked)
  const isVoiced = kind !== 'voice' && asked.change !== 'spelling' && asked.brandVoiceId !== null
  return sql`insert into ai_generation as g (workspace_id, id, kind, input, asked, credits,
      brand_voice_id, told_voice, post_id, credit_hold, generation_hold, created_by, status, started_at, leased_until)
    select ${workspaceId}, ${id}, ${kind}, ${JSON.stringify(asked)}::jsonb, ${answers}, ${COSTS[kind]}, v.id,
      v.told, ${asked.postId ?? null}, ${call.credits}, ${call.generations}, ${call.userId},
      ${as === 'RUNNING' ? sql`'RUNNING', app_now(), ${leaseEnd}` : sql`'QUEUED', null, null`}
    from (values (0)) one left join (select v.id, ${voiceTextShape} as told from brand_voice v
      where ${isVoiced} and v.workspace_id = ${workspaceId}
        and case when ${asked.brandVoiceId ?? null}::uuid is null then v.is_default
          else v.id = ${asked.brandVoiceId ?? null} end) v on true
    where (select count(*) from ai_generation o where o.workspace_id = ${workspaceId}
      and o.status in ('QUEUED', 'RUNNING')) < ${as === 'RUNNING' ? AT_ONCE : AT_ONCE + WAITING}
    returning g.*`
}

export type AskPorts = Pick<Ports, 'model' | 'settings'>

/**
 * Reserves the cost of a call and enqueues its job, in one transaction. The job ends the call in every case; `ended` gets
 * the ended call if this process ends it and the person may still act. Throws `ai_not_configured` before anything else,
 * `rate_limited`, `ai_busy`, `quota_exceeded`, `validation_failed`, `invalid_state`.
 */
export async function requestGeneration(
  scope: Scope,
  ports: AskPorts,
  id: string,
  kind: Kind,
  input: object,
  ended: Asker['ended'],
): Promise<void> {
  assertModel(ports)
  const asked = input as Asked
  refuseInvalid(asked)
  const userId = scope.actor.kind === 'user' ? scope.actor.userId : null
  const location = { location: `/api/v1/ai/generations/${id}`, 'content-type': 'application/json; charset=utf-8' }
  const [credits, generations] = [newReservation('ai_credits', COSTS[kind]), newReservation('ai_generations', 1)]
  const call = { id, kind, asked, credits: credits.id, generations: generations.id, userId }
  const insert = (as: 'QUEUED' | 'RUNNING') => insertGeneration(scope.workspaceId, call, { as })
  const limit = callLimit(ports, userId)
  const begins = (ours: Begun | undefined) => void (ours && begunLocally.set(id, { ...ours, asker: { scope, ended } }))
  const prepare = async (tx: Tx) => {
    const isLocal = enqueueCall(tx, id, { localFor: LEASE })
    if (isLocal) tx.lock(lockCalls(tx.workspaceId))
    await refuseUnknown(tx, ports, kind, asked)
    if (kind === 'image') await assertQuota(tx, 'media_bytes', () => PICTURE)
    return isLocal
  }
  const atCommit = async (tx: Tx) => {
    const isLocal = await prepare(tx)
    const before = [countAtCommit(tx, limit), ...reserveAtCommit(tx, [credits, generations])]
    if (!isLocal) {
      const made = query`with g as (${insert('QUEUED')}) select must_find(count(*)) from g`
      return tx.last(made, 'ai_busy', { before })
    }
    // Refuses if the generation must wait for its turn.
    const made = query<Begun>`with g as (${insert('RUNNING')}) select must_find((select count(*) from g)), ${begunShape(sql`true`)}
      from (values (0)) one left join g on true left join workspace w on w.id = g.workspace_id`
    return tx.last(made, 'ai_busy', { before, seen: ([ours]) => begins(ours) })
  }
  const askInOrder = async (tx: Tx) => {
    const isLocal = await prepare(tx)
    const shape = generationShape(ports.settings.filesUrl())
    const [, , { json }, [ours]] = await tx.together(() => [
      countWith(tx, limit),
      reserveAll(tx, [credits, generations]),
      tx.one(query<{ json: Generation }>`with g as (${insert('QUEUED')}) select ${shape} as json from g`, 'ai_busy', {
        retryAfter: 5,
      }),
      isLocal ? tx.run(begin(tx.workspaceId, id)) : Promise.resolve([]),
    ])
    begins(ours)
    return json
  }
  try {
    // The answer to a repeat with the same key is kept before the commit, so the statements leave before it.
    const hasKey = scope.actor.kind === 'user' && scope.actor.once !== undefined
    if (!hasKey && !asking.has(scope.workspaceId)) {
      asking.add(scope.workspaceId)
      const isDone = await isAccepted(scope.transaction(atCommit)).finally(() => asking.delete(scope.workspaceId))
      if (isDone) return
    }
    await scope.transaction(askInOrder, { unanswered: { status: 202, headers: location } })
  } catch (error) {
    begunLocally.delete(id)
    throw error
  }
}

/**
 * The workspaces with a request whose statements leave with the commit. Other requests of the workspace do not try it
 * meanwhile: of many at once most are refused, and each refusal would take the locks twice.
 */
const asking = new Set<string>()
