import { needReconnect, tokenPlace } from '../../channels/accounts.ts'
import type { Platform } from '../../networks/api.ts'
import { AppError } from '../../core/errors.ts'
import { type CommentPlace, type Network, NetworkError } from '../../networks/network.ts'
import { notify } from '../../team/notifications/notifications.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { FirstComment, Post } from '../posts/api.ts'
import type { DeliveryError } from '../../delivery/api.ts'
import { readPost } from '../posts/posts-read.ts'
import type { Ports } from '../../services.ts'
import {
  afterFailure,
  afterRead,
  certainAge,
  ended,
  explain,
  limitOf,
  STALE_INTENT,
  untilNextRead,
} from '../../delivery/rules.ts'

// The first comment below a live post. It has a life of its own: whatever becomes of it, the post stays what it is.

interface Row {
  state: FirstComment['state']
  text: string
  tries: number
  failures: number
  backoffs: number
  limitedUntil: Date | null
  networkAt: Date | null
  intentAt: Date | null
  absentReads: number
  absentAt: Date | null
  lateReads: number
  lateReadAt: Date | null
  postId: string
  externalId: string | null
  platform: Platform
  accountId: string
  networkUser: string
  externalAccountId: string
  status: string
  accessToken: string | null
  /** Nothing is begun: publishing is paused, or the account, or the workspace is deleted. */
  held: boolean
}

type CommentPorts = Pick<Ports, 'networks' | 'budget' | 'crypto' | 'settings'> & { random(): number }

/**
 * One step of a first comment: it is written, or after a lost answer looked for; then it is over, or there is a time for the
 * next step. Running it twice at once is harmless: each change names the state and the try that it knows.
 */
export async function stepFirstComment(scope: Scope, ports: CommentPorts, publicationId: string): Promise<void> {
  const [[row]] =
    await scope.read(query<Row>`select c.state, c.text, c.tries, c.failures, c.backoffs, c.limited_until, c.network_at, c.intent_at, c.absent_reads,
      c.absent_at, c.late_reads, c.late_read_at, t.post_id, t.external_id, a.platform, a.id as account_id, a.network_user,
      a.external_id as external_account_id, a.status, a.access_token,
      (w.publishing_paused_at is not null or w.deleted_at is not null
        or (a.paused_at is not null and a.status = 'CONNECTED')) as held
    from first_comment c join publication t on t.workspace_id = c.workspace_id and t.id = c.publication_id
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    join workspace w on w.id = c.workspace_id
    where c.workspace_id = ${scope.workspaceId} and c.publication_id = ${publicationId}
      and c.state in ('PENDING', 'SENDING')`)
  const network = row && ports.networks.get(row.platform)
  if (!row || !network?.comments) return
  const mine: Mine = { ...row, publicationId, network }
  // While the id of the post is looked for, the comment has no step. A person has retried this one.
  if (row.externalId === null) return fail(scope, mine, ended('post_unnamed'))
  // While it is held nothing is written; it is looked at again every minute.
  if (row.held && row.state === 'PENDING') return change(scope, mine, sql`state = state`, later(scope, HELD))
  // What may be there is looked for however long the account is away; what was never sent is told.
  if (row.status !== 'CONNECTED' || row.accessToken === null) {
    const steadySince = await scope.steadySince()
    const unread = { complete: false, begun: scope.now(), steadySince }
    return row.state === 'SENDING'
      ? undecided(scope, ports, mine, unread)
      : fail(scope, mine, ended('reconnect_needed'))
  }
  const who = { app: network.app, userKey: row.networkUser }
  // A refused comment may have to be looked for in the same step.
  const calls = row.state === 'PENDING' ? 1 + network.readCost : network.readCost
  const part = row.state === 'PENDING' ? 'begin' : 'finish'
  const reserved = await ports.budget.reserve(who, calls, part, row.platform)
  if ('until' in reserved) return change(scope, mine, sql`state = state`, reserved.until)
  try {
    const sealed = tokenPlace(scope.workspaceId, row.accountId, 'access_token')
    const place: CommentPlace = {
      account: { externalId: row.externalAccountId, accessToken: ports.crypto.open(row.accessToken, sealed) },
      postId: row.externalId,
      text: row.text,
      permit: reserved.permit,
    }
    if (row.state === 'PENDING') await write(scope, ports, mine, place)
    else await find(scope, ports, mine, place)
  } catch (error) {
    await broke(scope, ports, mine, error)
  } finally {
    await reserved.release()
  }
}

/** A comment in the state and with the number of tries that the caller has read. */
type Known = Pick<Row, 'state' | 'tries' | 'postId'> & { publicationId: string }

interface Mine extends Row {
  publicationId: string
  network: Network
}

async function write(scope: Scope, ports: CommentPorts, row: Mine, place: CommentPlace): Promise<void> {
  const { timeScale } = ports.settings
  const written = performance.now()
  const intentAt = scope.now()
  const networkAt = row.network.clock.now()
  // On the disk before the first byte leaves: a worker that comes after a crash only looks. Once a pause is answered none is written.
  const sending = await scope.transaction(async (tx) => {
    const [open] = await tx.run(query`select w.id from workspace w join social_account a on a.workspace_id = w.id
      where w.id = ${tx.workspaceId} and w.publishing_paused_at is null and w.deleted_at is null
        and a.id = ${row.accountId} and a.status = 'CONNECTED' and a.paused_at is null for share`)
    if (!open) return null
    return tx.run(query`update first_comment set state = 'SENDING', tries = tries + 1, intent_at = app_now(), limited_until = null,
        network_at = coalesce(network_at, ${networkAt}, (select max(t.network_at) from publication t
          where t.workspace_id = ${tx.workspaceId} and t.account_id = ${row.accountId})), absent_reads = 0,
        absent_at = null, late_reads = 0, late_read_at = null, error = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and publication_id = ${row.publicationId} and state = 'PENDING'
        and tries = ${row.tries} returning publication_id`)
  })
  // Held or disconnected meanwhile: the next step tells which.
  if (sending === null) return change(scope, row, sql`state = state`, scope.now())
  if (sending.length === 0) return
  const mine: Mine = { ...row, state: 'SENDING', tries: row.tries + 1 }
  if (performance.now() - written > STALE_INTENT / timeScale) {
    return change(scope, mine, sql`state = 'PENDING', intent_at = null`, scope.now())
  }
  let id: string
  try {
    id = (await row.network.comments?.write(place)) as string
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.warn({ err: error, publicationId: row.publicationId }, 'a first comment was not answered as wished')
    // A proxy may have sent the request twice: the comment is then live, and the refusal answers the second copy.
    if (error.kind === 'DUPLICATE') {
      const tried = { ...mine, networkAt: row.networkAt ?? networkAt, intentAt: row.intentAt ?? intentAt }
      const there = await look(scope, tried, place).catch(() => [])
      if (there[0] !== undefined) return posted(scope, mine, there[0])
    }
    return refused(scope, ports, mine, error)
  }
  await posted(scope, mine, id)
}

/**
 * Counts an error of this service like a failure of the network: otherwise the comment would wait for ever after the last try of
 * its job. Throws the error when the database is unavailable: the queue then tries the job again.
 */
async function broke(scope: Scope, ports: CommentPorts, row: Mine, error: unknown): Promise<void> {
  if (error instanceof AppError && error.code === 'unavailable') throw error
  scope.log.error({ err: error, publicationId: row.publicationId }, 'a step of a first comment broke')
  if (row.state === 'SENDING') {
    const steadySince = await scope.steadySince()
    return undecided(scope, ports, row, { complete: false, begun: scope.now(), steadySince })
  }
  const failures = row.failures + 1
  if (failures >= TRIES) await fail(scope, row, explain(broken))
  else await change(scope, row, sql`failures = ${failures}`, later(scope, MINUTE / ports.settings.timeScale))
  // Where the intent is saved, the comment may have been sent: look for it.
  const sent: Mine = { ...row, state: 'SENDING', tries: row.tries + 1 }
  await change(scope, sent, sql`state = 'SENDING'`, later(scope, untilNextRead(0, 0) / ports.settings.timeScale))
}

const broken = {
  failure: 'config',
  committed: 'no',
  networkCode: null,
  message: 'This service failed and could not write the comment.',
} as const

const MINUTE = 60_000

async function refused(scope: Scope, ports: CommentPorts, row: Mine, error: NetworkError): Promise<void> {
  const { timeScale } = ports.settings
  if (error.kind === 'AUTH' && error.committed === 'no') {
    await scope.transaction((tx) => needReconnect(tx, row.accountId, row.accessToken))
    return fail(scope, row, explain(error))
  }
  // That the text is there already can only be said of an earlier try of ours, which reading tells.
  const counters = { tries: row.tries, failures: row.failures, backoffs: row.backoffs, firstIntentAt: row.intentAt }
  const verdict = afterFailure(error, 'commit', counters, ports.random())
  switch (verdict.to) {
    case 'doubt':
      return change(
        scope,
        row,
        verdict.limited === undefined
          ? sql`state = 'SENDING'`
          : sql`state = 'SENDING', backoffs = backoffs + 1, limited_until = ${later(scope, verdict.limited / timeScale)}`,
        later(scope, untilNextRead(0, 0) / timeScale),
      )
    case 'wait': {
      const next = later(scope, verdict.after / timeScale)
      if (verdict.reason === 'limit') {
        return change(scope, row, sql`state = 'PENDING', intent_at = null, backoffs = backoffs + 1`, next)
      }
      const failures = row.failures + 1
      if (failures >= TRIES) return fail(scope, row, explain(error))
      const again = sql`state = 'PENDING', intent_at = null, failures = ${failures}`
      return change(scope, row, again, next)
    }
    case 'hold':
      return fail(scope, row, explain(error))
    case 'FAILED':
      return fail(scope, row, verdict.error)
  }
}

const HELD = 60_000

/** So often a comment is tried by itself. */
const TRIES = 5

const look = async (scope: Scope, row: Mine, place: CommentPlace): Promise<string[]> =>
  (await row.network.comments?.find(place, {
    at: row.networkAt,
    seen: row.network.clock.now(),
    ours: row.intentAt as Date,
    now: scope.now(),
  })) as string[]

async function find(scope: Scope, ports: CommentPorts, row: Mine, place: CommentPlace): Promise<void> {
  const steadySince = await scope.steadySince()
  const begun = scope.now()
  let found: string[]
  try {
    found = await look(scope, row, place)
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.info({ err: error, publicationId: row.publicationId }, 'a first comment could not be looked for')
    if (error.kind === 'RATE_LIMIT') {
      const after = limitOf(error, row.backoffs, ports.random()) / ports.settings.timeScale
      return change(scope, row, sql`backoffs = backoffs + 1`, later(scope, Math.max(after, 1_000)))
    }
    return undecided(scope, ports, row, { complete: false, begun, steadySince })
  }
  const [only] = found
  return only === undefined
    ? undecided(scope, ports, row, { complete: true, begun, steadySince })
    : posted(scope, row, only)
}

/** Looked for and not found, or not to be read: the rules are those of posts. */
async function undecided(
  scope: Scope,
  { settings, random }: CommentPorts,
  row: Mine,
  { complete, begun, steadySince }: { complete: boolean; begun: Date; steadySince: Date },
) {
  const { timeScale } = settings
  await scope.steadySince()
  const now = scope.now()
  const certain = (at: Date | null) => (at ? certainAge(at, begun, steadySince) * timeScale : null)
  const verdict = afterRead(complete, {
    age: row.intentAt ? (begun.getTime() - row.intentAt.getTime()) * timeScale : 0,
    certain: certain(row.intentAt) ?? 0,
    absentReads: row.absentReads,
    sinceAbsent: certain(row.absentAt),
    lateReads: row.lateReads,
    sinceLateRead: certain(row.lateReadAt),
  })
  switch (verdict.to) {
    case 'UNCONFIRMED':
      return fail(scope, row, unknown, 'UNCONFIRMED')
    case 'absent': {
      if (row.limitedUntil) {
        return change(
          scope,
          row,
          sql`state = 'PENDING', intent_at = null`,
          row.limitedUntil > now ? row.limitedUntil : now,
        )
      }
      const failures = row.failures + 1
      if (failures >= TRIES) return fail(scope, row, explain(notThere))
      const after = Math.round(((2 ** failures * 60_000) / timeScale) * (0.5 + random() / 2))
      return change(scope, row, sql`state = 'PENDING', intent_at = null, failures = ${failures}`, later(scope, after))
    }
    case 'read': {
      const counted = sql`absent_reads = ${verdict.absentReads}, late_reads = ${verdict.lateReads},
        absent_at = coalesce(${verdict.countedAbsent ? now : null}::timestamptz, absent_at),
        late_read_at = coalesce(${verdict.countedLate ? now : null}::timestamptz, late_read_at)`
      return change(scope, row, counted, later(scope, verdict.after / timeScale))
    }
  }
}

const notThere = {
  failure: 'transient',
  committed: 'no',
  networkCode: null,
  message: 'The network did not answer, and the comment is provably not there.',
} as const

const unknown: DeliveryError = {
  code: 'outcome_unknown',
  networkCode: null,
  message: 'The network did not answer and cannot be read: the comment may be there.',
  fix: 'Look below the post on the network; trying again looks there first.',
  who: 'author',
  retryable: true,
}

const later = (scope: Scope, milliseconds: number) => new Date(scope.now().getTime() + milliseconds)

/** One change, by the state and the try that are known, with the time of the next step. A worker that is late changes nothing. */
async function change(scope: Scope, row: Mine, to: ReturnType<typeof sql>, next: Date): Promise<void> {
  await scope.transaction(async (tx) => {
    if (await changed(tx, row, to)) enqueueStep(tx, row.publicationId, next)
  })
}

async function changed(tx: Tx, row: Known, to: ReturnType<typeof sql>): Promise<boolean> {
  const rows = await tx.run(query`update first_comment set ${to}, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and publication_id = ${row.publicationId} and state = ${row.state}
      and tries = ${row.tries} returning publication_id`)
  if (rows.length > 0) tx.emit({ kind: 'post', id: row.postId })
  return rows.length > 0
}

async function posted(scope: Scope, row: Mine, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    if (!(await changed(tx, row, sql`state = 'POSTED', external_id = ${id}, error = null`))) return
    tx.audit('first_comment.posted', { postId: row.postId, publicationId: row.publicationId }, { externalId: id })
  })
}

const fail = (scope: Scope, row: Known, error: DeliveryError, state: 'FAILED' | 'UNCONFIRMED' = 'FAILED') =>
  scope.transaction((tx) => failIn(tx, row, error, state))

async function failIn(tx: Tx, row: Known, error: DeliveryError, state: 'FAILED' | 'UNCONFIRMED'): Promise<void> {
  if (!(await changed(tx, row, sql`state = ${state}, error = ${JSON.stringify(error)}`))) return
  const at = { postId: row.postId, publicationId: row.publicationId }
  if (state === 'FAILED') tx.audit('first_comment.failed', at, { code: error.code })
  else tx.audit('first_comment.unconfirmed', at, { code: error.code })
  const [post] = await tx.run(query<{ createdBy: string | null; excerpt: string }>`select created_by,
    left(caption, 80) as excerpt from post where workspace_id = ${tx.workspaceId} and id = ${row.postId}`)
  await notify(tx, { roles: ['OWNER', 'ADMIN'], members: post?.createdBy ? [post.createdBy] : [] }, 'post_failed', {
    postId: row.postId,
    status: 'COMMENT_FAILED',
    excerpt: post?.excerpt ?? '',
  })
}

/** Fails a comment that waits for the id of its post, after the last look for that id. */
export async function giveUpFirstComment(tx: Tx, publicationId: string): Promise<void> {
  const [row] = await tx.run(query<Known>`select c.state, c.tries, t.post_id, c.publication_id
    from first_comment c join publication t on t.workspace_id = c.workspace_id and t.id = c.publication_id
    where c.workspace_id = ${tx.workspaceId} and c.publication_id = ${publicationId} and c.state = 'PENDING'
      and t.external_id is null for update of c`)
  if (row) await failIn(tx, row, ended('post_unnamed'), 'FAILED')
}

/** The next step of a first comment: now, or when it is time. */
function enqueueStep(tx: Tx, publicationId: string, runAt: Date): void {
  tx.enqueue('first-comment', { publicationId }, { key: `comment:${publicationId}`, runAt })
}

/**
 * What a live post still owes: its first comment, if one was written for it. Called in the transaction in which it turned out
 * to be live; a post whose id is not known waits for that.
 */
export async function oweFirstComment(tx: Tx, publicationId: string, externalId: string | null): Promise<void> {
  await tx.run(query`insert into first_comment (workspace_id, publication_id, text)
    select t.workspace_id, t.id, written.text
    from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    cross join lateral (select coalesce(t.sent ->> 'comment', btrim(p.platform_options -> a.platform ->> 'firstComment')) as text) written
    where t.workspace_id = ${tx.workspaceId} and t.id = ${publicationId} and t.dropped_at is null and written.text <> ''
    on conflict do nothing`)
  if (externalId !== null) enqueueStep(tx, publicationId, tx.now)
}

/** Tries a failed comment again; one whose outcome is unknown is looked for first. */
export async function retryFirstComment(
  scope: Scope,
  ports: Parameters<typeof readPost>[1],
  postId: string,
  publicationId: string,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const row = await tx.one(
      query<{ state: FirstComment['state'] }>`select c.state from first_comment c
        join publication t on t.workspace_id = c.workspace_id and t.id = c.publication_id
        where c.workspace_id = ${tx.workspaceId} and c.publication_id = ${publicationId} and t.post_id = ${postId} for update of c`,
      'not_found',
    )
    if (row.state !== 'FAILED' && row.state !== 'UNCONFIRMED') {
      throw new AppError('invalid_state', 'Only a comment that failed is tried again.', {
        current: row.state,
        allowed: [],
      })
    }
    await tx.one(
      query`update first_comment set state = ${row.state === 'FAILED' ? 'PENDING' : 'SENDING'}, failures = 0, tries = tries + 1,
          absent_reads = 0, absent_at = null, late_reads = 0, late_read_at = null, error = null, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and publication_id = ${publicationId} and state = ${row.state}
        returning publication_id`,
      'invalid_state',
    )
    enqueueStep(tx, publicationId, tx.now)
    tx.audit('first_comment.retried', { postId, publicationId })
    tx.emit({ kind: 'post', id: postId })
    return readPost(tx, ports, postId)
  })
}
