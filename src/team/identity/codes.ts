import { randomInt, timingSafeEqual } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { AppError } from '../../core/errors.ts'
import type { CipherPlace } from '../../core/platform/crypto.ts'
import { codeOf, query, sql } from '../../core/platform/db.ts'
import { countTry, forgetTry, type Limit } from '../../core/platform/limits.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { postSms } from '../../core/platform/sms.ts'
import type { Ports } from '../../services.ts'
import type { Language, Profile } from './api.ts'
import { type Destination, destinationOf, phoneOf } from './destination.ts'
import { type Device, getProfile, type SessionRow, startSession } from './identity.ts'
import { codeLetter, codeText } from './letters.ts'
import { reauthenticate } from './presence.ts'
import { type NoticePorts, tellOfChange } from './notices.ts'
import { addressOf, doerOf, perAccount, perAddress } from './tries.ts'

const MINUTE = 60_000
const LIFE = 5 * MINUTE
const RESEND = MINUTE
const TRIES = 5
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

type Needs = Pick<Ports, 'crypto' | 'settings'>
type Purpose = 'login' | 'verify'

/** The destination and purpose of a code. A code to confirm is bound to the person who requested it. */
interface Wish {
  to: Destination
  purpose: Purpose
  userId: string | null
}

/** The code that a body requests. Only a signed-in person can confirm. Throws `unauthenticated`. */
export async function wishOf(
  caller: { userId: string } | null,
  {
    purpose = caller ? 'verify' : 'login',
    ...to
  }: Parameters<typeof destinationOf>[0] & { purpose?: Purpose | undefined },
): Promise<Wish> {
  if (purpose === 'verify' && !caller) throw new AppError('unauthenticated')
  return { to: await destinationOf(to), purpose, userId: purpose === 'verify' && caller ? caller.userId : null }
}

/**
 * Sends a code. Neither the answer nor its time reveals whether the address has an account: a job does all work that
 * depends on it.
 */
export async function sendCode(
  scope: Scope,
  ports: Needs & Pick<Ports, 'mail' | 'sms'>,
  wish: Wish,
  language: Language = 'en',
): Promise<{ expiresInSeconds: number; resendAfterSeconds: number }> {
  const { kind, address } = wish.to
  if (!ports[kind === 'email' ? 'mail' : 'sms'].configured) {
    const what = kind === 'email' ? 'mail server' : 'SMS provider'
    throw new AppError(
      'provider_not_configured',
      `No ${what} is set up. Ask the Parley administrator to configure one.`,
    )
  }
  await countTry(scope, {
    key: `codes from ${addressOf(scope)}`,
    tries: ports.settings.codesPerAddress,
    seconds: HOUR_SECONDS,
  })
  const [[last]] = await scope.read(
    query<{
      sentAt: Date
    }>`select sent_at from one_time_code where destination = ${address} and purpose = ${wish.purpose}
      and user_id is not distinct from ${wish.userId}`,
  )
  const wait = last ? last.sentAt.getTime() + RESEND - scope.now().getTime() : 0
  if (wait > 0) throw tooSoon(wait)
  for (const limit of await limitsOf(scope, wish)) await countTry(scope, limit)
  await scope.transaction(async (tx) => {
    if (!(await addCode(tx, ports, wish, language))) throw tooSoon(RESEND)
  })
  return { expiresInSeconds: LIFE / 1000, resendAfterSeconds: RESEND / 1000 }
}

const tooSoon = (wait: number) =>
  new AppError('rate_limited', 'A code was sent just now. Wait a moment before you request another.', {
    retryAfter: Math.max(1, Math.ceil(wait / 1000)),
  })

/**
 * Limits for codes to one destination and to the phones of one country, since texts cost money and disturb people. A
 * stranger's requests use up the stranger's own share, which is only a part of the whole.
 */
async function limitsOf(scope: Scope, { to: { kind, address }, userId }: Wish): Promise<Limit[]> {
  const doer = doerOf(scope, userId)
  const limits = [
    { key: `codes to ${address} by ${doer} an hour`, tries: 5, seconds: HOUR_SECONDS },
    { key: `codes to ${address} by ${doer} a day`, tries: 10, seconds: DAY_SECONDS },
    { key: `codes to ${address}`, tries: 30, seconds: DAY_SECONDS },
  ]
  if (kind === 'email') return limits
  const { country } = await phoneOf(address)
  return [...limits, { key: `codes to phones of ${country}`, tries: 200, seconds: DAY_SECONDS }]
}

const placeOf = (scope: Pick<Scope, 'workspaceId'>, id: string): CipherPlace => ({
  table: 'job',
  column: 'code',
  workspaceId: scope.workspaceId,
  rowId: id,
})

const hashOf = ({ crypto }: Needs, { to, purpose, userId }: Wish, code: string) =>
  crypto.keyedHash(JSON.stringify([to.address, purpose, userId, code]))

interface Sealed extends Wish {
  code: string
  language: string
}

/**
 * Stores a new code, which replaces the last one for this destination, purpose and person, and enqueues its delivery.
 * Returns false if the last one is too recent.
 */
async function addCode(tx: Tx, ports: Needs, wish: Wish, language: Language): Promise<boolean> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const { address } = wish.to
  const [added] = await tx.run(query`
    with old as (delete from one_time_code where ctid in (select ctid from one_time_code
      where expires_at < ${tx.now} and destination <> ${address} limit 2 for update skip locked))
    insert into one_time_code as c (destination, purpose, user_id, code_hash, sent_at, expires_at)
    values (${address}, ${wish.purpose}, ${wish.userId}, ${hashOf(ports, wish, code)}, ${tx.now}, ${new Date(tx.now.getTime() + LIFE)})
    on conflict (destination, purpose, user_id) do update set code_hash = excluded.code_hash, tries = 0,
      sent_at = excluded.sent_at, expires_at = excluded.expires_at
      where c.sent_at <= ${new Date(tx.now.getTime() - RESEND)}
    returning destination`)
  if (!added) return false
  const id = uuidv7()
  const sealed: Sealed = { ...wish, code, language }
  tx.enqueue('one-time-code', { id, sealed: ports.crypto.seal(JSON.stringify(sealed), placeOf(tx, id)) })
  return true
}

/** The owner of an address or number: the account that proved it. An address that was only entered has no owner. */
export const owns = ({ kind, address }: Destination) =>
  kind === 'phone' ? sql`u.phone = ${address}` : sql`u.email = ${address} and u.email_confirmed_at is not null`

/** The name for a letter to an address; empty if a stranger may have entered both name and address. */
export const nameFor = ({ address }: Destination) =>
  sql`case when u.email = ${address} and u.email_confirmed_at is not null then u.name else '' end`

/** Sends a code by mail or SMS, if it is still the newest and has a recipient. */
export async function deliverCode(scope: Scope, ports: Needs, job: { id: string; sealed: string }): Promise<void> {
  const { code, language, ...wish } = JSON.parse(ports.crypto.open(job.sealed, placeOf(scope, job.id))) as Sealed
  const { to, purpose, userId } = wish
  await scope.transaction(async (tx) => {
    const [live] = await tx.run(query<{ expiresAt: Date }>`select expires_at from one_time_code
      where destination = ${to.address} and purpose = ${purpose} and user_id is not distinct from ${userId}
        and code_hash = ${hashOf(ports, wish, code)} and expires_at > ${tx.now}`)
    if (!live) return
    const [user] = await tx.run(query<{ id: string; name: string; language: string; timezone: string }>`
      select u.id, ${nameFor(to)} as name, u.language, u.timezone from app_user u
      where ${userId ? sql`u.id = ${userId}` : owns(to)}`)
    // An account that never proved the address may be a stranger's, so the letter addresses only the reader of the
    // mail.
    const claimed = !user && to.kind === 'email'
    if (claimed && !(await isClaimed(tx, to.address))) return
    const reader = user ?? { name: '', language, timezone: 'UTC' }
    if (to.kind === 'email') {
      const letter = codeLetter(reader, code, purpose, { startsAccount: claimed })
      postMail(tx, ports, { kind: 'one-time-code', to: to.address, letter, until: live.expiresAt })
    } else {
      // A job that runs twice sends one message.
      postSms(tx, ports, { id: job.id, to: to.address, text: codeText(reader, code), until: live.expiresAt })
    }
    tx.record({ type: 'code.sent', subject: { userId: user?.id ?? null }, data: { purpose, by: to.kind } })
  })
}

const isClaimed = async (tx: Tx, email: string) =>
  (await tx.run(query`select from app_user where email = ${email}`)).length > 0

/** A code that was right. Spend it in the transaction of its purpose. */
export interface Proof extends Wish {
  hash: string
  /** The account that had proved the address or number before. */
  ownerId: string | null
}

/** Checks a code. Throws `invalid_code`, `code_exhausted`, `rate_limited`. */
export async function proveCode(scope: Scope, ports: Needs, wish: Wish, code: string): Promise<Proof> {
  const { to, purpose, userId } = wish
  const perNetwork = perAddress(scope, ports)
  await countTry(scope, perNetwork)
  const where = sql`c.destination = ${to.address} and c.purpose = ${purpose} and c.user_id is not distinct from ${userId}
    and c.expires_at > ${scope.now()}`
  const [[stored], [owner]] = await scope.read(
    query<{ exhausted: boolean }>`select c.tries >= ${TRIES} as exhausted from one_time_code c where ${where}`,
    query<{ id: string }>`select u.id from app_user u where ${owns(to)}`,
  )
  if (stored?.exhausted) throw new AppError('code_exhausted')
  // Each code has five tries. A stranger's failures do not block other people's next code, which is the way in when a
  // password is locked.
  const perOwner = perAccount(`code:${purpose}:${to.address}`, doerOf(scope, userId))
  await countTry(scope, perOwner)
  const [tried] = await scope.write(query<{ codeHash: string }>`
    update one_time_code c set tries = c.tries + 1 where ${where} and c.tries < ${TRIES} returning c.code_hash`)
  const hash = hashOf(ports, wish, code)
  if (!tried || !timingSafeEqual(Buffer.from(tried.codeHash), Buffer.from(hash))) {
    await scope.transaction(async (tx) =>
      tx.record({
        type: 'code.failed',
        subject: { userId: userId ?? owner?.id ?? null },
        data: { purpose, by: to.kind },
      }),
    )
    throw new AppError('invalid_code')
  }
  await forgetTry(scope, perNetwork)
  await forgetTry(scope, perOwner)
  return { ...wish, hash, ownerId: owner?.id ?? null }
}

/** Uses a code up, once. Throws `invalid_code`. */
export async function spendCode(tx: Tx, { to, purpose, userId, hash }: Proof): Promise<void> {
  await tx.one(
    query`delete from one_time_code where destination = ${to.address} and purpose = ${purpose} and user_id is not distinct from ${userId}
      and code_hash = ${hash} returning destination`,
    'invalid_code',
  )
}

/** Signs in the owner of an address or number that a code proved. Throws `invalid_code`, `account_disabled`. */
export async function enterByCode(tx: Tx, proof: Proof, device: Device): Promise<SessionRow> {
  await spendCode(tx, proof)
  const { id, disabledAt } = await tx.one(
    query<{ id: string; disabledAt: Date | null }>`select u.id, u.disabled_at from app_user u
      where u.id = ${proof.ownerId} and ${owns(proof.to)} for update`,
    'invalid_code',
  )
  if (disabledAt) throw new AppError('account_disabled')
  return startSession(tx, id, device, proof.to.kind === 'phone' ? 'phone' : 'email_code')
}

/**
 * Confirms the address or number that a code proves, and makes it the caller's. An account that had it unconfirmed
 * loses it. To attach or replace one, the person gives the password or has just signed in. Throws `email_taken`,
 * `phone_taken`, and the errors of `proveCode` and `reauthenticate`.
 */
export async function attachByCode(
  scope: Scope,
  ports: NoticePorts,
  caller: { userId: string; sessionId: string },
  { wish, code, currentPassword }: { wish: Wish; code: string; currentPassword: string | undefined },
): Promise<Profile> {
  const { userId } = caller
  const { kind, address } = wish.to
  const [own, since] = columnsOf(kind)
  const [[now]] = await scope.read(contactOf(userId, kind))
  const attaches = now?.former !== address
  if (attaches) await reauthenticate(scope, ports, caller, currentPassword, { recentIsEnough: true })
  const proof = await proveCode(scope, ports, wish, code)
  try {
    await scope.transaction(async (tx) => {
      await spendCode(tx, proof)
      await takeFromOthers(tx, ports, wish.to, userId)
      const before = await tx.one(contactOf(userId, kind, sql`for update`), 'not_found')
      // Another request of the same person has changed it in the meantime.
      if (before.former !== address && !attaches) throw new AppError('invalid_code')
      await tx.one(
        query`update app_user set ${own} = ${address}, ${since} = coalesce(case when ${own} = ${address} then ${since} end, ${tx.now})
          where id = ${userId} and ${own} is not distinct from ${before.former} returning id`,
        'not_found',
      )
      await recordAttached(tx, ports, wish.to, userId, before)
    })
  } catch (error) {
    // Another person registered with it between our read and our write.
    if (codeOf(error) === '23505') throw new AppError(`${kind}_taken`)
    throw error
  }
  return getProfile(scope, userId)
}

interface Contact {
  former: string | null
  proven: boolean
}

/** Returns the address or number that an account has, and whether it is confirmed. */
function contactOf(userId: string, kind: Destination['kind'], locking = sql``) {
  const [own, since] = columnsOf(kind)
  return query<Contact>`select ${own} as former, ${since} is not null as proven
    from app_user where id = ${userId} ${locking}`
}

/** Returns the columns of an address or number, and of the time of its confirmation. */
const columnsOf = (kind: Destination['kind']) => [sql.ref(kind), sql.ref(`${kind}_confirmed_at`)] as const

/** Takes an unconfirmed address or number from the account that has it. Throws if that account has confirmed it. */
async function takeFromOthers(
  tx: Tx,
  ports: NoticePorts,
  { kind, address }: Destination,
  userId: string,
): Promise<void> {
  const taken = `${kind}_taken` as const
  const [own, since] = columnsOf(kind)
  const [other] = await tx.run(query<{ id: string; proven: boolean }>`select id, ${since} is not null as proven
    from app_user where ${own} = ${address} and id <> ${userId} for update`)
  if (!other) return
  if (other.proven) throw new AppError(taken)
  await tx.one(
    query`update app_user set ${own} = null where id = ${other.id} and ${own} = ${address} and ${since} is null
      returning id`,
    taken,
  )
  await tx.run(query`delete from password_reset where user_id = ${other.id}`)
  tx.record({ type: `${kind}.lost`, subject: { userId: other.id } })
  await tellOfChange(tx, ports, other.id, `${kind}_lost`)
}

/** Records that a person has confirmed an address or number, and tells of one that is new. */
async function recordAttached(
  tx: Tx,
  ports: NoticePorts,
  { kind, address }: Destination,
  userId: string,
  before: Contact,
): Promise<void> {
  if (before.former === address) {
    if (!before.proven) tx.record({ type: `${kind}.confirmed`, subject: { userId } })
    return
  }
  if (kind === 'email') await tx.run(query`delete from password_reset where user_id = ${userId}`)
  tx.record({ type: `${kind}.changed`, subject: { userId } })
  const former = before.proven ? before.former : null
  await tellOfChange(tx, ports, userId, former === null ? `${kind}_added` : kind, { undo: { change: kind, former } })
}
