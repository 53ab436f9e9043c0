import { uuidv7 } from 'uuidv7'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import type { MediaFile } from '../../publishing/media/api.ts'
import type { VoiceText } from '../brand-voices/api.ts'
import { voiceTextShape } from '../brand-voices/brand-voices.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { countAtCommit, countWith } from '../../core/platform/limits.ts'
import { type JobPlace, LastRefused, type Scope, type Tx } from '../../core/platform/scope.ts'
import {
  type Charge,
  charge,
  reserveAll,
  reserveAtCommit,
  assertQuota,
  newReservation,
  renewReservations,
  chargeCtes,
} from '../../team/plans/plans.ts'
import { readPost } from '../../publishing/posts/posts-read.ts'
import { statusAfter } from '../../publishing/posts/posts-state.ts'
import type { Ports } from '../../services.ts'
import type { Change, Generation, Kind } from './api.ts'
import type { Surroundings } from './ai-brief.ts'
import { languageOf } from './ai-language.ts'
import { generationById, generationShape, getGeneration, seenGeneration, type SeenGeneration } from './ai-read.ts'
import { mayTag } from './post-tags.ts'
import { answersOf, canShorten, COSTS } from './rules.ts'

// ---- asking

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

/** The maximum number of generations of a workspace that run at once, and of those that wait. */
const AT_ONCE = 4
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
 * Inserts a call with its voice, unless too many calls of the workspace wait or, if it has `begun`, run. The
 * reservations serialize these requests, so the count is exact.
 */
function insertGeneration(workspaceId: string, { id, kind, asked, ...call }: NewGeneration, begun: boolean) {
  const answers = kind === 'hashtags' ? 1 : answersOf(kind, asked)
  const isVoiced = kind !== 'voice' && asked.change !== 'spelling' && asked.brandVoiceId !== null
  return sql`insert into ai_generation as g (workspace_id, id, kind, input, asked, credits,
      brand_voice_id, told_voice, post_id, credit_hold, generation_hold, created_by, status, started_at, leased_until)
    select ${workspaceId}, ${id}, ${kind}, ${JSON.stringify(asked)}::jsonb, ${answers}, ${COSTS[kind]}, v.id,
      v.told, ${asked.postId ?? null}, ${call.credits}, ${call.generations}, ${call.userId},
      ${begun ? sql`'RUNNING', app_now(), ${leaseEnd}` : sql`'QUEUED', null, null`}
    from (values (0)) one left join (select v.id, ${voiceTextShape} as told from brand_voice v
      where ${isVoiced} and v.workspace_id = ${workspaceId}
        and case when ${asked.brandVoiceId ?? null}::uuid is null then v.is_default
          else v.id = ${asked.brandVoiceId ?? null} end) v on true
    where (select count(*) from ai_generation o where o.workspace_id = ${workspaceId}
      and o.status in ('QUEUED', 'RUNNING')) < ${begun ? AT_ONCE : AT_ONCE + WAITING}
    returning g.*`
}

/** A request that waits in this process for the end of its generation. */
interface Asker {
  /** Requires the standing of the person who asked. */
  scope: Scope
  /** Gets the ended generation after its commit. */
  ended(seen: SeenGeneration): void
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
  if (!ports.model.configured) throw new AppError('ai_not_configured', undefined, { retryAfter: 3_600 })
  const asked = input as Asked
  refuseInvalid(asked)
  const userId = scope.actor.kind === 'user' ? scope.actor.userId : null
  const location = { location: `/api/v1/ai/generations/${id}`, 'content-type': 'application/json; charset=utf-8' }
  const [credits, generations] = [newReservation('ai_credits', COSTS[kind]), newReservation('ai_generations', 1)]
  const insert = (begun = false) =>
    insertGeneration(
      scope.workspaceId,
      { id, kind, asked, credits: credits.id, generations: generations.id, userId },
      begun,
    )
  const limit = { key: `ai ${userId}`, tries: ports.settings.aiCallsPerMinute, seconds: 60 }
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
      const made = query`with g as (${insert()}) select must_find(count(*)) from g`
      return tx.last(made, 'ai_busy', { before })
    }
    // Refuses if the generation must wait for its turn.
    const made = query<Begun>`with g as (${insert(true)}) select must_find((select count(*) from g)), ${begunShape(sql`true`)}
      from (values (0)) one left join g on true left join workspace w on w.id = g.workspace_id`
    return tx.last(made, 'ai_busy', { before, seen: ([ours]) => begins(ours) })
  }
  const inTurn = async (tx: Tx) => {
    const isLocal = await prepare(tx)
    const shape = generationShape(ports.settings.filesUrl())
    const [, , { json }, [ours]] = await tx.together(() => [
      countWith(tx, limit),
      reserveAll(tx, [credits, generations]),
      tx.one(query<{ json: Generation }>`with g as (${insert()}) select ${shape} as json from g`, 'ai_busy', {
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
    await scope.transaction(inTurn, { unanswered: { status: 202, headers: location } })
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

/** Whether the statements that left with the commit found what they expect. */
const isAccepted = (transaction: Promise<void>): Promise<boolean> =>
  transaction.then(
    () => true,
    (error: unknown) => (error instanceof LastRefused ? false : Promise.reject(error)),
  )

// ---- running

/** A generation whose turn has come. */
export interface Begun {
  id: string
  kind: Kind
  input: object
  postId: string | null
  createdBy: string | null
  /** Whether its reservations are still valid. */
  held: boolean
  workspace: Surroundings['workspace']
  voice: VoiceText | null
  media: Surroundings['media']
  /** The thumbnail of the picture to describe. */
  pictureKey: string | null
  asker?: Asker
}

/** Enqueues the job of a call. At most one job waits for each call. */
export const enqueueCall = (tx: Tx, id: string, at: Omit<JobPlace, 'key'> = {}) =>
  tx.enqueue('ai-suggestions', { generationId: id }, { ...at, key: `ai:${id}` })

/**
 * The lock of a workspace's calls, held until the transaction ends. Starting, ending and waking calls takes it before
 * changing the first row, so each transaction sees the effects of earlier ones and at most four calls run.
 */
export const lockCalls = (workspaceId: string) =>
  query`select pg_advisory_xact_lock(hashtextextended(${`ai ${workspaceId}`}, 0))`

/** The waiting calls whose turn it is, oldest first. */
export const nextTurns = (workspaceId: string) => sql<{ id: string }>`select q.id from ai_generation q
  where q.workspace_id = ${workspaceId} and q.status = 'QUEUED' order by q.id
  limit greatest(0, ${AT_ONCE} - (select count(*) from ai_generation r where r.workspace_id = ${workspaceId} and r.status = 'RUNNING'))`

/**
 * Milliseconds of the lease of a running call. Its process renews it; once it has expired, no process runs the call.
 */
export const LEASE = 12_000

export const leaseEnd = sql`app_now() + make_interval(secs => ${LEASE / 1_000})`

/**
 * Makes a QUEUED call RUNNING if its turn has come, and renews its reservations. Returns everything that the model
 * needs.
 */
const begin = (workspaceId: string, id: string) => query<Begun>`
  with begun as (update ai_generation w set status = 'RUNNING', started_at = app_now(), leased_until = ${leaseEnd}
    where w.workspace_id = ${workspaceId} and w.id = ${id} and w.status = 'QUEUED'
      and w.id in (${nextTurns(workspaceId)}) returning w.*),
  renewed as (${renewReservations(workspaceId, sql`select unnest(array[credit_hold, generation_hold]) from begun`)})
  select ${begunShape(sql`(select count(*) from renewed) = 2`)} from begun g join workspace w on w.id = g.workspace_id`

/** Everything that the model needs of a generation `g` of a workspace `w`. */
const begunShape = (
  held: ReturnType<typeof sql>,
) => sql`g.id, g.kind, g.input, g.post_id, g.created_by, ${held} as held,
    json_build_object('language', w.language, 'niche', coalesce(w.niche, '')) as workspace,
    g.told_voice as voice,
    (select coalesce(json_agg(json_build_object('kind', f.kind, 'altText', f.alt_text, 'fileName', f.file_name)), '[]')
      from media_file f where f.workspace_id = g.workspace_id and f.deleted_at is null
        and f.id in (select value::uuid from jsonb_array_elements_text(coalesce(g.input -> 'mediaIds', '[]'))
          union all select (g.input ->> 'mediaId')::uuid)) as media,
    (select f.thumbnail_key from media_file f where f.workspace_id = g.workspace_id and f.id = (g.input ->> 'mediaId')::uuid
      and f.deleted_at is null) as picture_key`

/** Calls that began in the transaction of their request, until local dispatch runs their job. */
const begunLocally = new Map<string, Begun>()

/**
 * Begins a call, unless the transaction of its request has done so. Returns undefined if its turn has not come or is
 * over.
 */
export async function beginCall(scope: Scope, id: string): Promise<Begun | undefined> {
  const ours = begunLocally.get(id)
  begunLocally.delete(id)
  if (ours) return ours
  const [begun] = await scope.write(begin(scope.workspaceId, id), { lock: lockCalls(scope.workspaceId) })
  return begun
}

/** Enqueues the jobs of the calls whose turn it is. */
export async function wake(tx: Tx): Promise<void> {
  for (const { id } of await tx.run(whole(nextTurns(tx.workspaceId)))) enqueueCall(tx, id)
}

// ---- ending

interface Ended {
  id: string
  credits: number
  creditHold: string
  generationHold: string
  charged: boolean
  charges: Charge[]
  /** Whether other calls wait for their turn. */
  waited: boolean
}

export const underWay = sql`g.status in ('QUEUED', 'RUNNING')`

/**
 * Ends a generation `g` that meets the condition `from`. `change` sets its final state, and `charged` says whether it
 * costs anything. This also charges or releases its reservations, adds a ledger entry for the charged month, and wakes
 * the next calls. Returns false if it had already ended.
 */
export async function endGeneration(
  tx: Tx,
  id: string,
  from: ReturnType<typeof sql>,
  change: ReturnType<typeof sql>,
  charged: ReturnType<typeof sql>,
): Promise<boolean> {
  tx.lock(lockCalls(tx.workspaceId))
  const holds = sql`select credit_hold as id, case when charged then credits else 0 end::bigint as amount from ended
    union all select generation_hold, case when charged then 1 else 0 end from ended`
  const [ended] = await tx.run(query<Ended>`with ended as (
      update ai_generation g set ${change}, ended_at = ${tx.now}
      where g.workspace_id = ${tx.workspaceId} and g.id = ${id} and ${from}
      returning g.id, g.credits, g.credit_hold, g.generation_hold, ${charged} as charged),
    ${chargeCtes(tx.workspaceId, holds)}
    select e.id, e.credits, e.credit_hold, e.generation_hold, e.charged,
      (select coalesce(json_agg(c), '[]') from charged c) as charges, exists (select from ai_generation q
        where q.workspace_id = ${tx.workspaceId} and q.status = 'QUEUED' and q.id <> e.id) as waited
    from ended e`)
  if (!ended) return false
  const { creditHold, generationHold, credits } = ended
  const amount = (full: number) => (ended.charged ? full : 0)
  const periods = await charge(
    tx,
    [
      { id: creditHold, quota: 'ai_credits', amount: amount(credits) },
      { id: generationHold, quota: 'ai_generations', amount: amount(1) },
    ],
    ended.charges,
  )
  if (ended.waited) await wake(tx)
  tx.emit({ kind: 'generation', id })
  if (ended.charged) {
    tx.last(
      query`insert into credit_entry (workspace_id, id, generation_id, period, credits)
        values (${tx.workspaceId}, ${uuidv7()}, ${id}, ${periods.get('ai_credits')}, ${credits})`,
      'not_found',
    )
  }
  return true
}

/**
 * Ends a running generation with its full price in the packet of the commit, and reads it there. The statements refuse
 * if the generation was stopped, if others wait for their turn, if a reservation has lapsed, or if admins are notified
 * of the use. `endGeneration` then ends it.
 */
export async function endAtCommit(
  { scope, ended }: Asker,
  ports: Pick<Ports, 'settings'>,
  id: string,
  change: ReturnType<typeof sql>,
): Promise<boolean> {
  const holds = sql`select credit_hold as id, credits::bigint as amount from ended
    union all select generation_hold, 1 from ended`
  const atCommit = async (tx: Tx) => {
    const end = query`with ended as (update ai_generation g set ${change}, ended_at = ${tx.now}
        where g.workspace_id = ${tx.workspaceId} and g.id = ${id} and g.status = 'RUNNING'
          and not exists (select from ai_generation q where q.workspace_id = ${tx.workspaceId} and q.status = 'QUEUED')
        returning g.id, g.credits, g.credit_hold, g.generation_hold),
      ${chargeCtes(tx.workspaceId, holds, { belowMarks: true })},
      entered as (insert into credit_entry (workspace_id, id, generation_id, period, credits)
        select ${tx.workspaceId}, ${uuidv7()}, e.id, c.period::date, e.credits from ended e, charged c
        where c.quota = 'ai_credits' and (select count(*) from charged) = 2 returning id)
      select must_find(count(*)) from entered`
    tx.last(seenGeneration(ports, tx.workspaceId, id), 'invalid_state', {
      before: [lockCalls(tx.workspaceId), end],
      seen: ([seen]) => seen && ended(seen),
    })
    tx.emit({ kind: 'generation', id })
  }
  return isAccepted(scope.transaction(atCommit))
}

/**
 * Stops a generation under way. Before its first option it costs nothing, afterwards its full price. Throws
 * `not_found`, `invalid_state`.
 */
export async function cancelGeneration(scope: Scope, ports: Pick<Ports, 'settings'>, id: string): Promise<Generation> {
  await scope.transaction(async (tx) => {
    if (await endGeneration(tx, id, underWay, sql`status = 'CANCELLED'`, sql`g.options <> '[]'`)) return
    const { status } = await tx.one(
      query<{ status: Generation['status'] }>`select status from ai_generation
        where workspace_id = ${tx.workspaceId} and id = ${id}`,
      'not_found',
    )
    throw new AppError('invalid_state', `This AI request is already ${status}.`, { current: status, allowed: [] })
  })
  return getGeneration(scope, ports, id)
}

/** Adds the cost of a bot's decision to the ledger. */
export const enterCredits = (
  tx: Tx,
  { decisionId, period, credits }: { decisionId: string; period: string; credits: number },
) =>
  tx.run(query`insert into credit_entry (workspace_id, id, decision_id, period, credits)
    values (${tx.workspaceId}, ${uuidv7()}, ${decisionId}, ${period}, ${credits})`)

// ---- accepting

/**
 * Records which option was used, and enqueues tagging of its post, once for each text. Throws `not_found`,
 * `invalid_state`, `validation_failed`.
 */
export async function acceptGeneration(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  id: string,
  { option, postId }: { option: number; postId: string },
): Promise<Generation> {
  return scope.transaction(async (tx) => {
    const { options, status, changed } = await tx.one(
      query<{ options: number; status: Generation['status']; changed: boolean }>`select status,
          jsonb_array_length(options) as options,
          (accepted_option, accepted_post_id) is distinct from (${option}::int, ${postId}::uuid) as changed
        from ai_generation where workspace_id = ${tx.workspaceId} and id = ${id} for update`,
      'not_found',
    )
    if (status !== 'SUCCEEDED') {
      throw new AppError(
        'invalid_state',
        `This AI request is ${status}. Only the options of a SUCCEEDED one can be used.`,
        { current: status, allowed: [] },
      )
    }
    const [post] = await tx.run(
      query<{ tagged: boolean }>`select exists (select from post_tags t where t.workspace_id = p.workspace_id
          and t.post_id = p.id and t.caption_hash = sha256(convert_to(p.caption, 'UTF8'))) as tagged
        from post p where p.workspace_id = ${tx.workspaceId} and p.id = ${postId} and p.deleted_at is null`,
    )
    const faults: Fault[] = []
    if (option >= Math.max(1, options)) {
      faults.push({ path: '/option', code: 'out_of_range', message: 'This option doesn’t exist.', limit: options })
    }
    if (!post) faults.push({ path: '/postId', code: 'unknown_id', message: 'No post has this ID.' })
    if (faults.length > 0) throw invalid(...faults)
    await tx.one(
      query`update ai_generation set accepted_option = ${option}, accepted_post_id = ${postId}
        where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'SUCCEEDED' returning id`,
      'not_found',
    )
    if (changed && !post?.tagged && (await mayTag(tx))) {
      tx.enqueue('post-classify', { postId }, { key: `classify:${postId}` })
    }
    tx.emit({ kind: 'generation', id })
    const { json } = await tx.one(generationById(ports, tx.workspaceId, id), 'not_found')
    return json
  })
}
