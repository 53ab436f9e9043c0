import { AppError } from '../errors.ts'
import { hashSecret } from '../platform/crypto.ts'
import { query } from '../platform/db.ts'
import { countTry, forgetTry } from '../platform/limits.ts'
import type { Scope, Tx } from '../platform/scope.ts'
import type { Ports } from '../services.ts'
import { freeAddress } from './identity.ts'
import { perAddress } from './tries.ts'
import type { Undoable } from './undo-links.ts'

interface Kept {
  userId: string
  change: Undoable['change']
  former: string | null
  identityId: string | null
}

interface Contact {
  email: string | null
  emailConfirmedAt: Date | null
  phone: string | null
  phoneConfirmedAt: Date | null
}

/**
 * Restores the ways into an account as they were before a change, by the link that told of it, once. What was changed after it
 * is undone too, since the same stranger may have done it. Every session ends and the password goes, because whoever made the
 * change had one of them. Throws `link_expired`, `email_taken`, `rate_limited`.
 */
export async function undoChange(scope: Scope, ports: Pick<Ports, 'settings'>, token: string): Promise<void> {
  const tries = perAddress(scope, ports)
  await countTry(scope, tries)
  await scope.transaction(async (tx) => {
    const changes = await tx.run(query<Kept>`
      with told as (select user_id, created_at from credential_undo
        where token_hash = ${hashSecret(token)} and expires_at > ${tx.now}),
      undone as (delete from credential_undo u using told
        where u.user_id = told.user_id and u.created_at >= told.created_at returning u.*)
      select user_id, change, former, identity_id from undone order by created_at, token_hash`)
    const [first] = changes
    if (!first) throw new AppError('link_expired')
    await restore(tx, first.userId, changes)
    tx.audit('sign_in.undone', { userId: first.userId }, { changes: changes.map(({ change }) => change) })
  })
  await forgetTry(scope, tries)
}

/** `changes` from the oldest on: that one knows what was there before all of them. */
async function restore(tx: Tx, userId: string, changes: readonly Kept[]): Promise<void> {
  const now = await tx.one(
    query<Contact>`select email, email_confirmed_at, phone, phone_confirmed_at from app_user
      where id = ${userId} for update`,
    'link_expired',
  )
  const formerOf = (kind: Kept['change']) => changes.find(({ change }) => change === kind)
  const [email, phone] = [formerOf('email'), formerOf('phone')]
  const then: Contact = {
    ...now,
    ...(email && (await freeEmail(tx, userId, email.former))),
    ...(phone && (await freePhone(tx, userId, phone.former))),
  }
  await tx.one(
    query`update app_user set password_hash = null, email = ${then.email}, email_confirmed_at = ${then.emailConfirmedAt},
        phone = ${then.phone}, phone_confirmed_at = ${then.phoneConfirmedAt}
      where id = ${userId} and email is not distinct from ${now.email} and phone is not distinct from ${now.phone}
      returning id`,
    'link_expired',
  )
  const joined = changes.flatMap(({ identityId }) => identityId ?? [])
  await tx.run(query`delete from user_identity where user_id = ${userId} and id = any(${joined}::uuid[])`)
  await tx.run(query`delete from password_reset where user_id = ${userId}`)
  await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'revoked'
    where user_id = ${userId} and ended_at is null`)
  tx.emit({ kind: 'session', id: userId })
}

async function freeEmail(tx: Tx, userId: string, email: string | null): Promise<Partial<Contact>> {
  if (email === null) return { email, emailConfirmedAt: null }
  const [other] = await tx.run(query`select from app_user
    where email = ${email} and id <> ${userId} and email_confirmed_at is not null`)
  if (other) throw new AppError('email_taken')
  const [own] = await tx.run(query`select from app_user where email = ${email} and id = ${userId}`)
  if (!own) await freeAddress(tx, email)
  return { email, emailConfirmedAt: tx.now }
}

/** A number that another account has meanwhile is not taken from it: the address stays the way in. */
async function freePhone(tx: Tx, userId: string, phone: string | null): Promise<Partial<Contact>> {
  const [other] = await tx.run(query`select from app_user where phone = ${phone} and id <> ${userId}`)
  if (phone === null || other) return { phone: null, phoneConfirmedAt: null }
  return { phone, phoneConfirmedAt: tx.now }
}
