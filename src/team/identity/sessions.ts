import { exactly, type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { SignIn, SignInMethod } from './api.ts'
import { deviceOf } from './device.ts'
import { idleSince } from './identity.ts'

interface Row {
  id: string
  userAgent: string | null
  ip: string | null
  method: SignInMethod
  createdAt: Date
  lastUsedAt: Date
  /** `lastUsedAt` to the microsecond. */
  key: string
}

interface Caller {
  userId: string
  sessionId: string
}

/** The condition for a session that a person can still use: not ended, expired or idle. */
export const liveSession = (session: ReturnType<typeof sql>, now: Date) =>
  sql`${session}.ended_at is null and ${session}.expires_at > ${now} and ${session}.issued_at > ${idleSince(now)}`

/** A page of a person's live sessions, the current one first, without ended and idle ones. */
export async function listSessions(scope: Scope, caller: Caller, request: PageRequest): Promise<Page<SignIn>> {
  const columns = [
    [sql`(id = ${caller.sessionId})::int`, 'bigint'],
    [sql`last_used_at`, 'timestamptz'],
    [sql`id`, 'uuid'],
  ] as const
  const recent = pageBy<Row>(columns, request, ({ id, key }) => [id === caller.sessionId ? 1 : 0, key, id])
  const [rows] = await scope.read(query<Row>`select id, user_agent, ip, method, created_at, last_used_at,
      ${exactly(sql`last_used_at`)} as key
    from session s where user_id = ${caller.userId} and ${liveSession(sql`s`, scope.now())} and ${recent.rows}`)
  const { data: shown, nextCursor } = recent.of(rows)
  const data = shown.map(({ id, userAgent, ip, method, createdAt, lastUsedAt }) => ({
    id,
    device: deviceOf(userAgent),
    place: ip,
    method,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    current: id === caller.sessionId,
  }))
  return { data, nextCursor }
}

/** Ends one of the caller's sessions. Throws `not_found` for one that is not theirs or has ended. */
export async function revokeSession(scope: Scope, caller: Caller, sessionId: string): Promise<void> {
  await scope.transaction(
    async (tx) => {
      await tx.one(
        query`update session set ended_at = ${tx.now}, end_reason = 'revoked'
          where id = ${sessionId} and user_id = ${caller.userId} and ended_at is null returning id`,
        'not_found',
      )
      tx.record({ type: 'session.ended', subject: { userId: caller.userId }, data: { sessionId } })
    },
    { alone: 'sessions' },
  )
}

/** Ends all of the caller's sessions except the current one. */
export async function revokeOthers(scope: Scope, caller: Caller): Promise<void> {
  await scope.transaction(
    async (tx) => {
      const ended = await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'revoked'
        where user_id = ${caller.userId} and id <> ${caller.sessionId} and ended_at is null returning id`)
      if (ended.length === 0) return
      tx.record({ type: 'sessions.ended', subject: { userId: caller.userId }, data: { count: ended.length } })
    },
    { alone: 'sessions' },
  )
}
