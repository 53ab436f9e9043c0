import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import { ModelError } from '../../core/platform/model/model.ts'
import type { Scopes, Scope } from '../../core/platform/scope.ts'
import { RESERVATION_MINUTES } from '../../team/plans/plans.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { editPost } from '../../publishing/posts/posts.ts'
import { beginCall, enqueueCall, LEASE, lockCalls, wake } from './ai.ts'
import {
  type Begun,
  endFailed,
  fail,
  failureOf,
  INTERRUPTED,
  LATE,
  roleOf,
  type GenerationPorts,
  succeed,
} from './ai-end.ts'
import { makePicture } from './ai-picture.ts'
import { findIdeas, keepIdeas } from './ai-suggestions.ts'
import { awaitGeneration, tellWaiting } from './ai-wait.ts'
import { type WrittenOptions, write } from './ai-write.ts'
import type { HashtagsInput, Option } from './api.ts'
import { mayEdit } from './rules.ts'

/** A call that takes longer is given up. */
const LONGEST = 120_000

const RENEWED = sql`interval '10 seconds'`

/**
 * One whose turn has not come waits: the end of another one wakes it. One that runs is ended once nobody runs it any more: its
 * process has ended. It is not asked again, and costs nothing.
 */
async function lookAfter(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    tx.lock(lockCalls(tx.workspaceId))
    const [running] = await tx.run(query<{ leasedUntil: Date; left: boolean }>`select leased_until,
        (leased_until > app_now()) is not true as left
      from ai_generation where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'RUNNING'`)
    if (running?.left) await fail(tx, id, INTERRUPTED)
    else if (running) enqueueCall(tx, id, { runAt: running.leasedUntil })
  })
  tellWaiting(id)
}

/** Ends what nobody ends any more, in all workspaces, and gives turns to what still waits. */
export async function reapExpired(scope: Scope, platform: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const workspaces = await platform.ask(
    'watch',
    query<{ id: string }>`select distinct workspace_id as id from ai_generation where status in ('QUEUED', 'RUNNING')`,
  )
  for (const { id } of workspaces) {
    const ended = await platform.scope(id, scope.actor).transaction(async (tx) => {
      tx.lock(lockCalls(tx.workspaceId))
      const left = await tx.run(query<{ id: string; running: boolean }>`select id, status = 'RUNNING' as running
        from ai_generation where workspace_id = ${tx.workspaceId} and status in ('QUEUED', 'RUNNING')
          and case when status = 'RUNNING' then (leased_until > app_now()) is not true
            else created_at < app_now() - make_interval(mins => ${RESERVATION_MINUTES}) end`)
      for (const one of left) await fail(tx, one.id, one.running ? INTERRUPTED : LATE)
      await wake(tx)
      return left
    })
    for (const one of ended) tellWaiting(one.id)
  }
}

/**
 * Has the model do what was asked, and ends it: whatever happens, at once and with what it cost. Before its turn it only waits.
 */
export async function runGeneration(
  scope: Scope,
  ports: GenerationPorts,
  platform: Pick<Scopes, 'scope'>,
  id: string,
  stopping?: AbortSignal,
): Promise<void> {
  const begun = await beginCall(scope, id)
  if (!begun) return lookAfter(scope, id)
  if (!begun.held) return endFailed(scope, id, LATE)
  const ended = new AbortController()
  const watch = watchFor(scope, ports, id, ended)
  const delivery = deliver(scope, id, ended)
  try {
    const { kind, input, createdBy } = begun
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(LONGEST), ...(stopping ? [stopping] : [])])
    const author: Scope =
      createdBy === null
        ? scope
        : platform.scope(scope.workspaceId, { kind: 'user', userId: createdBy, sessionId: '', standing: null })
    if (kind === 'image') await makePicture(author, ports, begun, signal)
    else if (kind === 'suggestions') await endSuggestions(scope, ports, begun, signal)
    else {
      const outcome = await write(ports, kind, input, begun, signal, delivery.give)
      await delivery.over()
      await endWritten(author, ports, begun, outcome)
    }
    tellWaiting(id)
  } catch (error) {
    await delivery.over()
    if (error instanceof ModelError) {
      // Its words name nothing of what was asked or answered.
      if (error.kind !== 'aborted') scope.log.warn({ kind: error.kind, reason: error.message }, 'the model failed')
    } else if (!(error instanceof AppError)) {
      scope.log.error({ err: error, generationId: id }, 'a generation failed')
    }
    if (stopping?.aborted && (await handOver(scope, id))) return
    await endFailed(scope, id, stopping?.aborted ? INTERRUPTED : failureOf(error))
  } finally {
    watch.stop()
  }
}

/**
 * Puts a running call back into the queue, for the next process: this one stops. False: options of it were delivered already, or
 * it has ended.
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

/** Says that somebody runs it, and ends the call once it is no longer running: somebody stopped it. */
function watchFor(scope: Scope, { events }: Pick<GenerationPorts, 'events'>, id: string, ended: AbortController) {
  const waiting = awaitGeneration(events, scope.workspaceId, id)
  let over = false
  const look = async () => {
    while (!over) {
      await waiting.more()
      if (over) return
      const rows = await scope
        .write(
          query`with renewed as (update ai_generation set leased_until = app_now() + ${LEASE}
            where workspace_id = ${scope.workspaceId} and id = ${id} and status = 'RUNNING'
              and leased_until < app_now() + ${RENEWED})
          select from ai_generation where workspace_id = ${scope.workspaceId} and id = ${id} and status = 'RUNNING'`,
          { relaxed: true },
        )
        .catch((error: unknown) => scope.log.warn({ err: error }, 'a generation was not looked at'))
      // Of one that could not be looked at nobody knows that it ended.
      if (rows?.length === 0) return ended.abort()
    }
  }
  void look()
  return {
    stop() {
      over = true
      waiting.stop()
    },
  }
}

/** What comes within this time is written together. */
const GATHER = 20

/** Writes options as they come, where every process can read them. What is not written yet has not been delivered. */
function deliver(scope: Scope, id: string, ended: AbortController) {
  let waiting: Option[] = []
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = () => {
    timer = undefined
    const options = waiting
    waiting = []
    writing = writing.then(async () => {
      const written = await scope.transaction(async (tx) => {
        tx.emit({ kind: 'generation', id })
        return tx.run(query`update ai_generation set options = options || ${JSON.stringify(options)}::jsonb
          where workspace_id = ${tx.workspaceId} and id = ${id} and status = 'RUNNING' returning id`)
      })
      if (written.length === 0) ended.abort()
      tellWaiting(id)
    })
    writing = writing.catch((error: unknown) => {
      scope.log.warn({ err: error, generationId: id }, 'options were not written')
      ended.abort()
    })
  }
  return {
    give(option: Option) {
      waiting.push(option)
      timer ??= setTimeout(flush, GATHER)
    },
    /** Nothing more is written: the end says what there is. */
    async over() {
      clearTimeout(timer)
      await writing
    },
  }
}

/** Prepares new ideas: they are stored together with the end of the generation. */
async function endSuggestions(scope: Scope, ports: GenerationPorts, begun: Begun, signal: AbortSignal): Promise<void> {
  const { ideas, use } = await findIdeas(scope, ports, signal)
  await scope.transaction(async (tx) => {
    const result = { options: [], dropped: [], voice: null, mediaFileId: null, applied: null, use }
    if (await succeed(tx, begun, result)) await keepIdeas(tx, ideas)
  })
}

/** Ends what was written; hashtags are put into their post, by the rules of every edit. One that refuses them leaves them unapplied. */
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
  if (!isApplied) await end(null)
  else await end(true).catch((error: unknown) => (error instanceof AppError ? end(false) : Promise.reject(error)))
}

const withHashtags = ({ hashtagOverrides }: Post, hashtags: string[], platform: HashtagsInput['platform']) =>
  platform ? { hashtagOverrides: { ...hashtagOverrides, [platform]: hashtags } } : { hashtags }
