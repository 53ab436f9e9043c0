import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import { ModelError } from '../../core/platform/model/model.ts'
import type { Scopes, Scope } from '../../core/platform/scope.ts'
import { RESERVATION_MINUTES } from '../../team/plans/plans.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { editPost } from '../../publishing/posts/posts.ts'
import { underWay } from './ai.ts'
import {
  endInPost,
  fail,
  failureOf,
  type GenerationFailure,
  INTERRUPTED,
  LATE,
  roleOf,
  type GenerationPorts,
  succeed,
  succeedAtCommit,
} from './ai-end.ts'
import { makePicture, pictureFor } from './ai-picture.ts'
import { findIdeas, keepIdeas } from './ai-suggestions.ts'
import { beginCall, type Begun, enqueueCall, leaseEnd, lockCalls, wake } from './ai-turns.ts'
import { BEAT, followGeneration, type Following } from './ai-wait.ts'
import { type WrittenOptions, write } from './ai-write.ts'
import type { HashtagsInput, Option } from './api.ts'
import { mayEdit } from './rules.ts'

/** A call that takes longer is cancelled. */
const TIME_LIMIT = 120_000

/**
 * Whether a generation `g` has lapsed: no process runs it any more, or it has waited longer than its reservations last.
 */
const lapsed = sql`case g.status when 'RUNNING' then (g.leased_until > app_now()) is not true
  when 'QUEUED' then g.created_at < app_now() - make_interval(mins => ${RESERVATION_MINUTES}) else false end`

/**
 * The only rule of recovery. Ends the lapsed calls of a workspace: the options that were delivered are their answer,
 * and the model is not asked again. Each ends in a separate transaction, and only if it is still lapsed. Returns the
 * calls that continue.
 */
async function reap(scope: Scope) {
  // Waiting calls come first, since ending a running one would start them.
  const [calls] = await scope.read(
    query<{ id: string; running: boolean; leasedUntil: Date | null; lapsed: boolean }>`select g.id,
        g.status = 'RUNNING' as running, g.leased_until, ${lapsed} as lapsed
      from ai_generation g where g.workspace_id = ${scope.workspaceId} and ${underWay} order by running, g.id`,
  )
  for (const { id, running } of calls.filter((call) => call.lapsed)) {
    await scope.transaction((tx) => fail(tx, id, running ? INTERRUPTED : LATE, lapsed))
  }
  return calls.filter((call) => !call.lapsed)
}

/** Ends lapsed calls in all workspaces, and enqueues the jobs of calls whose turn it is. */
export async function reapExpired(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const workspaces = await scopes.ask(
    'watch',
    query<{ id: string }>`select distinct workspace_id as id from ai_generation where status in ('QUEUED', 'RUNNING')`,
  )
  for (const { id } of workspaces) {
    const theirs = scopes.scope(id, scope.actor)
    await reap(theirs)
    await theirs.transaction((tx) => {
      tx.lock(lockCalls(tx.workspaceId))
      return wake(tx)
    })
  }
}

/**
 * Runs a call of the model and ends it in every case, at once and with its cost. A call whose turn has not come keeps
 * waiting.
 */
export async function runGeneration(
  scope: Scope,
  ports: GenerationPorts,
  scopes: Pick<Scopes, 'scope'>,
  id: string,
  stopping?: AbortSignal,
): Promise<void> {
  const begun = await beginCall(scope, id)
  if (!begun) {
    const runAt = (await reap(scope)).find((call) => call.id === id)?.leasedUntil
    // If another process runs the call, this job runs again when its lease expires. A waiting call is woken when
    // another one ends.
    if (runAt) await scope.transaction(async (tx) => enqueueCall(tx, id, { runAt }))
    return
  }
  const endFailed = (failure: GenerationFailure) => scope.transaction((tx) => fail(tx, id, failure))
  if (!begun.held) return endFailed(LATE)
  const ended = new AbortController()
  const following = followGeneration(ports.events, scope.workspaceId, id)
  void holdLease(scope, id, following, ended)
  const optionWriter = createOptionWriter(scope, ports, id, ended)
  try {
    const { kind, input, createdBy } = begun
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(TIME_LIMIT), ...(stopping ? [stopping] : [])])
    const author: Scope =
      createdBy === null
        ? scope
        : scopes.scope(scope.workspaceId, { kind: 'user', userId: createdBy, sessionId: '', standing: null })
    if (kind === 'image') await makePicture(author, ports, begun, signal)
    else if (kind === 'suggestions') await endSuggestions(scope, ports, begun, signal)
    else {
      const around = kind === 'alt_text' ? { ...begun, picture: await pictureFor(ports, begun) } : begun
      const outcome = await write(ports, kind, input, around, signal, optionWriter.add)
      await optionWriter.stop()
      await endWritten(author, ports, begun, outcome)
    }
  } catch (error) {
    await optionWriter.stop()
    if (error instanceof ModelError) {
      // The message contains nothing of the request or the answer.
      if (error.kind !== 'aborted') scope.log.warn({ kind: error.kind, reason: error.message }, 'the model failed')
    } else if (!(error instanceof AppError)) {
      scope.log.error({ err: error, generationId: id }, 'a generation failed')
    }
    if (stopping?.aborted && (await handOver(scope, id))) return
    await endFailed(stopping?.aborted ? INTERRUPTED : failureOf(error))
  } finally {
    following.stop()
  }
}

/**
 * Puts a running call back into the queue for another process, since this one stops. Returns false if options have been
 * delivered or the call has ended.
 */
async function handOver(scope: Scope, id: string): Promise<boolean> {
  return scope.transaction(async (tx) => {
    tx.lock(lockCalls(tx.workspaceId))
    const back = await tx.run(query`update ai_generation set status = 'QUEUED', started_at = null, leased_until = null
      where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'RUNNING' and options = '[]' returning id`)
    if (back.length > 0) await wake(tx)
    return back.length > 0
  })
}

/**
 * Renews the lease until the call ends. Aborts the call once its row is no longer RUNNING, because somebody stopped it.
 */
async function holdLease(scope: Scope, id: string, following: Following, ended: AbortController): Promise<void> {
  const ours = sql`workspace_id = ${scope.workspaceId} and id = ${id} and status = 'RUNNING'`
  while (await following.more()) {
    const rows = await scope
      .write(
        query`with renewed as (update ai_generation set leased_until = ${leaseEnd}
            where ${ours} and leased_until < ${leaseEnd} - make_interval(secs => ${BEAT / 1_000}))
          select from ai_generation where ${ours}`,
        { relaxed: true },
      )
      .catch((error: unknown) => scope.log.warn({ err: error }, 'a lease was not renewed'))
    // If the database does not answer, the call has not necessarily ended.
    if (rows?.length === 0) return ended.abort()
  }
}

/** Options that arrive within this many milliseconds are written together. */
const GATHER = 20

/**
 * Returns a writer of options as they arrive, so that every process can read them. An option counts as delivered once it
 * is written.
 */
function createOptionWriter(
  scope: Scope,
  { events }: Pick<GenerationPorts, 'events'>,
  id: string,
  ended: AbortController,
) {
  let waiting: Option[] = []
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = () => {
    timer = undefined
    const options = waiting
    waiting = []
    writing = writing.then(async () => {
      const written =
        await scope.write(query`update ai_generation set options = options || ${JSON.stringify(options)}::jsonb
        where workspace_id = ${scope.workspaceId} and id = ${id} and status = 'RUNNING' returning id`)
      if (written.length === 0) return ended.abort()
      events.publish(scope.workspaceId, { kind: 'generation', id })
    })
    writing = writing.catch((error: unknown) => {
      scope.log.warn({ err: error, generationId: id }, 'options were not written')
      ended.abort()
    })
  }
  return {
    add(option: Option) {
      waiting.push(option)
      timer ??= setTimeout(flush, GATHER)
    },
    /** Stops writing, because the end of the call writes the whole result. */
    async stop() {
      clearTimeout(timer)
      await writing
    },
  }
}

/** Prepares new ideas and stores them together with the end of the generation. */
async function endSuggestions(scope: Scope, ports: GenerationPorts, begun: Begun, signal: AbortSignal): Promise<void> {
  const { ideas, use } = await findIdeas(scope, ports, signal)
  await scope.transaction(async (tx) => {
    const result = { options: [], dropped: [], voice: null, mediaFileId: null, applied: null, use }
    if (await succeed(tx, begun, result)) await keepIdeas(tx, ideas)
  })
}

/**
 * Ends a call with its result. Hashtags are saved to their post by the rules of every edit; if these refuse, the
 * hashtags stay unapplied.
 */
async function endWritten(
  scope: Scope,
  ports: GenerationPorts,
  begun: Begun,
  { use, ...outcome }: WrittenOptions,
): Promise<void> {
  const { kind, postId } = begun
  const hashtags = outcome.options[0]?.hashtags ?? []
  const isApplied = kind === 'hashtags' && postId !== null
  const end = (wanted: boolean | null) =>
    scope.transaction(async (tx) => {
      const role = wanted ? await roleOf(tx, begun) : null
      const applied = wanted && mayEdit(role)
      const result = { ...outcome, mediaFileId: null, applied, use }
      if (!(await succeed(tx, begun, result)) || !applied || postId === null) return
      const { platform } = begun.input as HashtagsInput
      await editPost(tx, ports, postId, (post) => withHashtags(post, hashtags, platform), role)
    })
  if (!isApplied) {
    const result = { ...outcome, mediaFileId: null, applied: null, use }
    if (!(await succeedAtCommit(ports, begun, result))) await end(null)
  } else await endInPost(end)
}

const withHashtags = ({ hashtagOverrides }: Post, hashtags: string[], platform: HashtagsInput['platform']) =>
  platform ? { hashtagOverrides: { ...hashtagOverrides, [platform]: hashtags } } : { hashtags }
