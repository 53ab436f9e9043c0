import { AppError } from '../../core/errors.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import { codeOf, query } from '../../core/platform/db.ts'
import { countTry, forgetTry } from '../../core/platform/limits.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { type Device, freeAddress, type OpenedSession, openSession, type SessionRow, startSession } from './identity.ts'
import { perAddress } from './tries.ts'
import { changedSince, type RemovedIdentity, type Undoable } from './undo-links.ts'

interface Kept {
  tokenHash: string
  change: Undoable['change']
  former: string | null
  identityId: string | null
  removed: RemovedIdentity | null
  createdAt: Date
}

interface Contact {
  email: string | null
  emailConfirmedAt: Date | null
  phone: string | null
  phoneConfirmedAt: Date | null
}

interface User extends Contact {
  id: string
  disabledAt: Date | null
}

/**
 * Restores the ways into an account as they were before the oldest change of the last 7 days, with the link that
 * announced any of the changes, once. Ends every session and removes the password, because the person who made the
 * changes had one of them. An address or number that another account has since proved stays with that account. If the
 * restored account then has neither, the link opens it and this returns that session. Throws `link_expired`,
 * `rate_limited`.
 */
export async function undoChange(
  scope: Scope,
  ports: Pick<Ports, 'settings' | 'tokens'>,
  token: string,
  device: Device,
): Promise<OpenedSession | undefined> {
  const tries = perAddress(scope, ports)
  await countTry(scope, tries)
  const tokenHash = hashSecret(token)
  const restored = () => scope.transaction((tx) => undo(tx, tokenHash, device))
  const session = await restored().catch((error: unknown) => {
    // Another account proved the address between our read and our write. The second try finds it there.
    if (codeOf(error) === '23505') return restored()
    throw error
  })
  await forgetTry(scope, tries)
  return session && openSession(scope, ports, session)
}

async function undo(tx: Tx, tokenHash: string, device: Device): Promise<SessionRow | undefined> {
  const { userId } = await tx.one(
    query<{ userId: string }>`select user_id from credential_undo
      where token_hash = ${tokenHash} and expires_at > ${tx.now}`,
    'link_expired',
  )
  // Sessions first: a concurrent change in one of them commits before this, or is refused. It holds no lock that we
  // would wait for while holding that of the account.
  await endSessions(tx, userId)
  const user = await tx.one(
    query<User>`select id, email, email_confirmed_at, phone, phone_confirmed_at, disabled_at from app_user
      where id = ${userId} for update`,
    'link_expired',
  )
  // After the lock, so that it includes the changes that others made while we waited.
  const kept = await tx.run(query<Kept>`
    with undone as (delete from credential_undo where user_id = ${userId} returning *)
    select token_hash, change, former, identity_id, removed, created_at from undone
      where created_at > ${changedSince(tx.now)} order by id`)
  const [oldest] = kept
  if (!oldest || !kept.some((each) => each.tokenHash === tokenHash)) throw new AppError('link_expired')
  const { contact, elsewhere } = await restoreContact(tx, user, kept)
  await restoreIdentities(tx, userId, kept)
  await tx.run(query`delete from password_reset where user_id = ${userId}`)
  // Also ends a session that began while we waited for the lock.
  await endSessions(tx, userId)
  tx.record({
    type: 'sign_in.undone',
    subject: { userId },
    data: { changes: kept.map(({ change }) => change), elsewhere },
  })
  const reachable = contact.emailConfirmedAt ?? contact.phoneConfirmedAt
  if (reachable || elsewhere.length === 0 || user.disabledAt) return undefined
  return startSession(tx, userId, device, elsewhere.includes('email') ? 'email_code' : 'phone')
}

const endSessions = (tx: Tx, userId: string) =>
  tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'revoked'
    where user_id = ${userId} and ended_at is null`)

/** `elsewhere`: what another account has since proved, and keeps. */
async function restoreContact(
  tx: Tx,
  user: User,
  kept: readonly Kept[],
): Promise<{ contact: Contact; elsewhere: ('email' | 'phone')[] }> {
  const elsewhere: ('email' | 'phone')[] = []
  const contact: Contact = { ...user }
  const [email, phone] = [former('email'), former('phone')]
  if (email) {
    const taken = email.former !== null && (await isTaken(tx, user.id, email.former))
    if (taken) elsewhere.push('email')
    contact.email = taken ? null : email.former
    contact.emailConfirmedAt = contact.email === null ? null : tx.now
    if (contact.email !== null && contact.email !== user.email) await freeAddress(tx, contact.email)
  }
  if (phone) {
    const [other] = await tx.run(query`select from app_user where phone = ${phone.former} and id <> ${user.id}`)
    if (other) elsewhere.push('phone')
    contact.phone = other ? null : phone.former
    contact.phoneConfirmedAt = contact.phone === null ? null : tx.now
  } else if (user.phoneConfirmedAt && user.phoneConfirmedAt > kept[0]!.createdAt) {
    contact.phone = contact.phoneConfirmedAt = null
  }
  await tx.one(
    query`update app_user set password_hash = null, email = ${contact.email}, email_confirmed_at = ${contact.emailConfirmedAt},
        phone = ${contact.phone}, phone_confirmed_at = ${contact.phoneConfirmedAt}
      where id = ${user.id} returning id`,
    'link_expired',
  )
  return { contact, elsewhere }

  function former(kind: Kept['change']) {
    return kept.find(({ change }) => change === kind)
  }
}

const isTaken = async (tx: Tx, userId: string, email: string) => {
  const [other] = await tx.run(query`select from app_user
    where email = ${email} and id <> ${userId} and email_confirmed_at is not null`)
  return other !== undefined
}

async function restoreIdentities(tx: Tx, userId: string, kept: readonly Kept[]): Promise<void> {
  const joined = kept.flatMap(({ identityId }) => identityId ?? [])
  await tx.run(query`delete from user_identity
    where user_id = ${userId} and (id = any(${joined}::uuid[]) or created_at > ${kept[0]!.createdAt})`)
  const removed = kept.flatMap((each) => each.removed ?? []).filter(({ id }) => !joined.includes(id))
  for (const { id, issuer, subject, provider, email, createdAt } of removed) {
    await tx.run(query`insert into user_identity (issuer, subject, id, provider, user_id, email, created_at)
      values (${issuer}, ${subject}, ${id}, ${provider}, ${userId}, ${email}, ${createdAt})
      on conflict (issuer, subject) do nothing`)
  }
}
