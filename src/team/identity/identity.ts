import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import { countTry, forgetTry, type Limit } from '../../core/platform/limits.ts'
import { readOnlyFaults } from '../../core/platform/patch.ts'
import { securityEvent } from '../../core/platform/security-events.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Language, Profile, ProfilePatch, Session, SignInMethod } from './api.ts'
import { inPlace, isPassword, refuseWhenFull } from './passwords.ts'
import { tellOfChange } from './notices.ts'
import { perAccount, perAddress } from './tries.ts'

const IDLE_DAYS = 30
const ABSOLUTE_DAYS = 90
const OVERLAP_SECONDS = 10
const DAY = 86_400_000

/** A session that was not renewed since this time has expired. */
export const idleSince = (now: Date) => new Date(now.getTime() - IDLE_DAYS * DAY)

/** A session with the refresh token for its cookie. */
export interface OpenedSession {
  session: Session
  refreshToken: string
  refreshExpiresAt: Date
}

export interface Device {
  userAgent?: string | undefined
  ip?: string | undefined
}

const profileOf = (userId: string) => query<{ profile: Profile | null }>`select profile(${userId})::jsonb
  || jsonb_build_object('emailCodeSentAt', (select iso(c.sent_at) from one_time_code c join app_user u on u.id = c.user_id
    and u.email = c.destination where u.id = ${userId} and c.purpose = 'verify' and c.expires_at > app_now())) as profile`

/** Adds a person, with an address or a number, within the caller's transaction. Throws `email_taken`, `phone_taken`. */
export async function addUser(
  tx: Tx,
  user: {
    email?: string | null
    /** Whether the address is proven. */
    confirmed?: boolean
    passwordHash?: string
    /** Always proven: an unproven number opens no account. */
    phone?: string
    name: string
    timezone: string
    language: Language
    defaultWorkspaceId: string
  },
): Promise<string> {
  const id = uuidv7()
  await tx.one(
    query`insert into app_user (id, email, email_confirmed_at, password_hash, phone, phone_confirmed_at, name, timezone, language, default_workspace_id)
      values (${id}, ${user.email ?? null}, ${user.confirmed ? tx.now : null}, ${user.passwordHash ?? null}, ${user.phone ?? null},
        ${user.phone === undefined ? null : tx.now}, ${user.name}, ${user.timezone}, ${user.language}, ${user.defaultWorkspaceId})
      on conflict do nothing returning id`,
    user.phone === undefined ? 'email_taken' : 'phone_taken',
  )
  return id
}

/** Starts a session for a person who has just proven their identity, and records it. */
export async function startSession(tx: Tx, userId: string, device: Device, method: SignInMethod): Promise<SessionRow> {
  tx.record({ type: 'login', subject: { userId }, data: { method } })
  return addSession(tx, userId, device, method)
}

/**
 * Takes an address from an account that never proved it, for a person who does. Returns false if there is no such
 * account.
 */
export async function freeAddress(tx: Tx, email: string): Promise<boolean> {
  const [loser] = await tx.run(query<{ id: string }>`update app_user set email = null
    where email = ${email} and email_confirmed_at is null returning id`)
  if (!loser) return false
  await tx.run(query`delete from password_reset where user_id = ${loser.id}`)
  // For this person's log only: the audit log of a workspace does not mention it.
  await tx.run(securityEvent({ action: 'email.lost', userId: loser.id }))
  return true
}

/** Starts a session within a transaction. `openSession` makes the answer from the row afterwards. */
export async function addSession(
  tx: Tx,
  userId: string,
  device: Device,
  method: SignInMethod = 'password',
): Promise<SessionRow> {
  const row: SessionRow = {
    id: uuidv7(),
    userId,
    currentToken: uuidv7(),
    issuedAt: tx.now,
    expiresAt: new Date(tx.now.getTime() + ABSOLUTE_DAYS * DAY),
  }
  await tx.run(query`insert into session (id, user_id, current_token, issued_at, last_used_at, created_at, expires_at, user_agent, ip, method)
    values (${row.id}, ${userId}, ${row.currentToken}, ${row.issuedAt}, ${row.issuedAt}, ${row.issuedAt}, ${row.expiresAt},
      ${device.userAgent?.slice(0, 300) ?? null}, ${device.ip ?? null}, ${method})`)
  return row
}

export interface SessionRow {
  id: string
  userId: string
  currentToken: string
  issuedAt: Date
  expiresAt: Date
}

/** The answer and the cookie of a session. Its tokens are made only from the stored ids and times. */
export async function openSession(
  scope: Scope,
  { tokens }: Pick<Ports, 'tokens'>,
  row: SessionRow,
): Promise<OpenedSession> {
  const [[found]] = await scope.read(profileOf(row.userId))
  if (!found?.profile) throw new AppError('unauthenticated')
  const idle = new Date(row.issuedAt.getTime() + IDLE_DAYS * DAY)
  const refreshExpiresAt = idle < row.expiresAt ? idle : row.expiresAt
  return {
    session: {
      user: found.profile,
      accessToken: await tokens.signAccess({ userId: row.userId, sessionId: row.id }, scope.now()),
      tokenType: 'Bearer',
      expiresIn: tokens.accessSeconds,
      workspaces: found.profile.workspaces,
    },
    refreshToken: await tokens.signRefresh(
      { sessionId: row.id, tokenId: row.currentToken },
      row.issuedAt,
      refreshExpiresAt,
    ),
    refreshExpiresAt,
  }
}

/**
 * Signs in with a password, unless too many tries have failed. An unknown address gets the same answer after the same
 * time as a wrong password.
 */
export async function login(
  scope: Scope,
  ports: Pick<Ports, 'tokens' | 'settings'>,
  credentials: Credentials,
  device: Device,
): Promise<OpenedSession> {
  await refuseWhenFull()
  const ofAddress = perAddress(scope, ports)
  // Before a place is taken, so that one address cannot take them all.
  await countTry(scope, ofAddress)
  const session = await inPlace(() => checkAndStart(scope, ports, ofAddress, credentials, device))
  return openSession(scope, ports, session)
}

interface Credentials {
  email: string
  password: string
}

async function checkAndStart(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  ofAddress: Limit,
  { email, password }: Credentials,
  device: Device,
): Promise<SessionRow> {
  const ofAccount = perAccount('login', email)
  await countTry(scope, ofAccount)
  const [[user]] = await scope.read(
    query<{ id: string; passwordHash: string | null; disabledAt: Date | null }>`
      select id, password_hash, disabled_at from app_user where email = ${email}`,
  )
  const right = await isPassword(password, user?.passwordHash ?? null, ports.settings)
  if (!user || !right) {
    // Recorded for an unknown address too, because the time would reveal a missing record.
    await scope.transaction(async (tx) => tx.record({ type: 'login.failed', subject: { userId: user?.id ?? null } }))
    throw new AppError('invalid_credentials')
  }
  for (const limit of [ofAddress, ofAccount]) await forgetTry(scope, limit)
  if (user.disabledAt) throw new AppError('account_disabled')
  return scope.transaction(async (tx) => {
    // If the password was replaced during the check, no session starts: the new password has ended them all.
    await tx.one(
      query`select from app_user where id = ${user.id} and password_hash = ${user.passwordHash} for share`,
      'invalid_credentials',
    )
    return startSession(tx, user.id, device, 'password')
  })
}

interface StoredSession extends SessionRow {
  previousToken: string | null
  endedAt: Date | null
}

/**
 * Rotates a refresh token. For 10 s, the previous token gets the same successor, so that parallel tabs stay signed in.
 * An older token counts as stolen when used again, and ends the session. Throws `refresh_invalid`.
 */
export async function refreshSession(
  scope: Scope,
  ports: Pick<Ports, 'tokens' | 'crypto' | 'settings' | 'sms'>,
  refreshToken: string | undefined,
): Promise<OpenedSession> {
  const { tokens } = ports
  const claims = refreshToken ? await tokens.verifyRefresh(refreshToken, scope.now()) : undefined
  if (!claims) throw new AppError('refresh_invalid')
  const { sessionId, tokenId } = claims

  const row = await scope.transaction(async (tx) => {
    const [rotated] = await tx.run(query<SessionRow>`
      update session set previous_token = current_token, current_token = ${uuidv7()}, issued_at = ${tx.now}, last_used_at = ${tx.now}
      where id = ${sessionId} and current_token = ${tokenId} and ended_at is null and expires_at > ${tx.now}
        and not exists (select from app_user u where u.id = user_id and u.disabled_at is not null)
      returning id, user_id, current_token, issued_at, expires_at`)
    if (rotated) return rotated

    const [stored] = await tx.run(query<StoredSession>`
      select id, user_id, current_token, previous_token, issued_at, expires_at, ended_at from session where id = ${sessionId}`)
    if (!stored || stored.endedAt || stored.expiresAt <= tx.now) return undefined
    const age = tx.now.getTime() - stored.issuedAt.getTime()
    if (stored.previousToken === tokenId && age <= OVERLAP_SECONDS * 1000) return stored
    if (stored.currentToken === tokenId) return undefined
    const [ended] = await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'reuse'
      where id = ${sessionId} and ended_at is null returning id`)
    if (ended) {
      tx.record({ type: 'session.reuse', subject: { userId: stored.userId }, data: { sessionId } })
      await tellOfChange(tx, ports, stored.userId, 'session_reuse')
    }
    return undefined
  })
  if (!row) throw new AppError('refresh_invalid')
  return openSession(scope, ports, row)
}

/** Ends a session, if it still lives. */
export async function endSession(scope: Scope, sessionId: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const [ended] = await tx.run(query<{
      userId: string
    }>`update session set ended_at = ${tx.now}, end_reason = 'logout'
      where id = ${sessionId} and ended_at is null returning user_id`)
    if (!ended) return
    tx.record({ type: 'logout', subject: { userId: ended.userId }, data: { sessionId } })
  })
}

export async function getProfile(scope: Scope, userId: string): Promise<Profile> {
  const [[found]] = await scope.read(profileOf(userId))
  if (!found?.profile) throw new AppError('not_found')
  return found.profile
}

const writable = ['name', 'language', 'timezone', 'defaultWorkspaceId'] as const

/** Changes the caller's own profile. A default workspace must be one of theirs. */
export async function updateProfile(scope: Scope, userId: string, change: ProfilePatch): Promise<Profile> {
  if (change.timezone !== undefined) refuseUnknownZone(change.timezone)
  const profile = await getProfile(scope, userId)
  const faults = readOnlyFaults(change, profile, writable)
  if (faults.length > 0) throw invalid(...faults)
  const { name, language, timezone, defaultWorkspaceId = null } = change
  await scope.transaction(async (tx) => {
    // A removal takes this lock alone: it either ended before the statement, or clears the default after it.
    if (defaultWorkspaceId)
      tx.lock(query`select pg_advisory_xact_lock_shared(standing_key(${userId}::uuid, ${defaultWorkspaceId}::uuid))`)
    const [changed] = await tx.run(query`update app_user set name = coalesce(${name ?? null}, name),
        language = coalesce(${language ?? null}, language), timezone = coalesce(${timezone ?? null}, timezone),
        default_workspace_id = coalesce(${defaultWorkspaceId}, default_workspace_id)
      where id = ${userId} and (${defaultWorkspaceId}::uuid is null or exists (
        select from json_array_elements(profile(${userId}) -> 'workspaces') own
          where own ->> 'id' = ${defaultWorkspaceId}::uuid::text)) returning id`)
    if (changed) return
    throw invalid({
      path: '/defaultWorkspaceId',
      code: 'unknown_id',
      message: 'You aren’t a member of this workspace.',
    })
  })
  return getProfile(scope, userId)
}

/** Throws the validation error for a zone that is not an IANA name. */
export function refuseUnknownZone(timezone: string, path = '/timezone'): void {
  if (!isZone(timezone)) {
    throw invalid({
      path,
      code: 'unknown_timezone',
      message: 'This time zone is unknown. Use an IANA name such as Europe/Berlin.',
    })
  }
}

/** Whether this machine knows a time zone of this name. */
export function isZone(timezone: string): boolean {
  try {
    // Intl accepts offsets such as +01:00, but they are not zones and have no summer time.
    return /^[A-Za-z]/.test(timezone) && Boolean(new Intl.DateTimeFormat('en', { timeZone: timezone }))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
