import { uuidv7 } from 'uuidv7'
import { AppError } from '../../core/errors.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Identity } from './openid.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { SignInMethods } from './api.ts'
import { type Device, type SessionRow, startSession } from './identity.ts'
import { reauthenticate } from './presence.ts'
import { tellOfChange, type NoticePorts } from './notices.ts'
import { ownerOf, type RemovedIdentity } from './undo-links.ts'

/**
 * Ties an identity to an account within a transaction. `used`: it has just signed in. Returns undefined if it is tied
 * to any account already.
 */
export async function addIdentity(
  tx: Tx,
  userId: string,
  identity: Identity,
  { lastUsedAt }: { lastUsedAt: Date | null },
): Promise<string | undefined> {
  const [added] = await tx.run(query<{ id: string }>`
    insert into user_identity (issuer, subject, id, provider, user_id, email, created_at, last_used_at)
    values (${identity.issuer}, ${identity.subject}, ${uuidv7()}, ${identity.provider}, ${userId}, ${identity.email},
      ${tx.now}, ${lastUsedAt})
    on conflict (issuer, subject) do nothing returning id`)
  return added?.id
}

/** The result of a return from a provider: a session, or a person who needs a new account. */
export type Entry = { session: SessionRow } | { newcomer: true }

/**
 * Signs in the person that a provider names. A new identity joins an existing account only if IDP_A vouches for the
 * address and the account has confirmed it. An account that never confirmed it loses it to the person for whom IDP_A
 * vouches; the two stay separate, and neither opens the other. Throws `link_required`, `account_disabled`.
 */
export async function enter(scope: Scope, ports: NoticePorts, identity: Identity, device: Device): Promise<Entry> {
  const { provider, issuer, subject, email, emailVerified } = identity
  return scope.transaction(async (tx) => {
    const [known] = await tx.run(query<{ userId: string; disabledAt: Date | null }>`
      update user_identity i set last_used_at = ${tx.now}, email = ${email} from app_user u
      where i.issuer = ${issuer} and i.subject = ${subject} and u.id = i.user_id returning u.id as user_id, u.disabled_at`)
    if (known) return open(tx, known.userId, known.disabledAt)

    const [owner] = await tx.run(query<{ id: string; confirmed: boolean; disabledAt: Date | null }>`
      select id, email_confirmed_at is not null as confirmed, disabled_at from app_user where email = ${email} for update`)
    if (!owner) return { newcomer: true }
    if (provider !== 'IDP_A' || !emailVerified) throw new AppError('link_required')
    if (!owner.confirmed) return { newcomer: true }
    if (owner.disabledAt) throw new AppError('account_disabled')
    await join(tx, ports, owner.id, identity, { lastUsedAt: tx.now })
    return open(tx, owner.id, null)
  })

  async function open(tx: Tx, userId: string, disabledAt: Date | null): Promise<Entry> {
    if (disabledAt) throw new AppError('account_disabled')
    return { session: await startSession(tx, userId, device, provider) }
  }
}

/**
 * Joins an identity to an account, if the session in which the person left for the provider still lives. An identity
 * that is already theirs is accepted. Throws `identity_taken`, `session_revoked`, `account_disabled`.
 */
export async function joinIdentity(
  scope: Scope,
  ports: NoticePorts,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  identity: Identity,
): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.one(
      query`select from app_user where id = ${userId} and disabled_at is null for update`,
      'account_disabled',
    )
    // A new password or a proof of the address ends sessions, and must also end what began in them.
    await tx.one(
      query`select from session where id = ${sessionId} and user_id = ${userId} and ended_at is null for share`,
      'session_revoked',
    )
    await join(tx, ports, userId, identity, { lastUsedAt: null })
  })
}

async function join(
  tx: Tx,
  ports: NoticePorts,
  userId: string,
  identity: Identity,
  use: { lastUsedAt: Date | null },
): Promise<void> {
  const { provider, issuer, subject } = identity
  const id = await addIdentity(tx, userId, identity, use)
  if (id === undefined) {
    const [theirs] = await tx.run(query`select from user_identity
      where issuer = ${issuer} and subject = ${subject} and user_id = ${userId}`)
    if (!theirs) throw new AppError('identity_taken')
    return
  }
  tx.record({ type: 'identity.joined', subject: { userId }, data: { provider, identityId: id } })
  await tellOfChange(tx, ports, userId, 'provider_joined', { provider, undo: { change: 'identity', identityId: id } })
}

/**
 * Removes an identity and ends the other sessions that began with its provider. The caller has just signed in or gives
 * the password. Throws `not_found`, `invalid_state` for the last way in, and the errors of `deleteIdentity` and
 * `reauthenticate`.
 */
export async function removeIdentity(
  scope: Scope,
  ports: NoticePorts,
  caller: { userId: string; sessionId: string },
  { id, currentPassword }: { id: string; currentPassword?: string | undefined },
): Promise<void> {
  const { userId, sessionId } = caller
  await reauthenticate(scope, ports, caller, currentPassword, { recentIsEnough: true })
  await scope.transaction(async (tx) => {
    const user = await tx.one(
      query<{
        others: boolean
      }>`select password_hash is not null and email is not null or email_confirmed_at is not null
          or phone_confirmed_at is not null as others from app_user where id = ${userId} for update`,
      'not_found',
    )
    const identities = await tx.run(query<{ id: string; provider: string }>`
      select id, provider from user_identity where user_id = ${userId}`)
    const removed = identities.find((each) => each.id === id)
    if (!removed) throw new AppError('not_found')
    if (!user.others && identities.length === 1) {
      const detail = 'This is your only way to sign in. Add another one first.'
      throw new AppError('invalid_state', detail, { current: 'last_way_in', allowed: [] })
    }
    const kept = await deleteIdentity(tx, ports, userId, id)
    await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'revoked'
      where user_id = ${userId} and method = ${removed.provider} and ended_at is null and id <> ${sessionId}`)
    tx.record({ type: 'identity.removed', subject: { userId }, data: { provider: removed.provider, identityId: id } })
    await tellOfChange(tx, ports, userId, 'provider_removed', { provider: removed.provider, undo: kept })
  })
}

/**
 * Deletes an identity of an account that is locked, and returns what restores it. If the account changed in the last 7
 * days and its owner from before cannot be notified, an older identity may be the owner's only way in, so it stays.
 * Throws `not_found`, `invalid_state`.
 */
export async function deleteIdentity(tx: Tx, ports: Pick<Ports, 'sms'>, userId: string, id: string) {
  const owner = await ownerOf(tx, ports, userId)
  if (owner && owner.changes > 0 && owner.contact === null) {
    const [joined] = await tx.run(query`select from credential_undo where user_id = ${userId} and identity_id = ${id}`)
    if (!joined) {
      const detail = 'Another way to sign in was added less than 7 days ago, so the older ones can’t be removed yet.'
      throw new AppError('invalid_state', detail, { current: 'changed_lately', allowed: [] })
    }
  }
  const removed = await tx.one(
    query<RemovedIdentity>`delete from user_identity where user_id = ${userId} and id = ${id}
      returning id, issuer, subject, provider, email, iso(created_at) as created_at`,
    'not_found',
  )
  return { change: 'identity_removed', removed } as const
}

export async function listMethods(scope: Scope, userId: string): Promise<SignInMethods> {
  const [[found]] = await scope.read(
    whole<{ json: SignInMethods }>(sql`select json_build_object('password', u.password_hash is not null,
      'email', u.email, 'phone', u.phone,
      'identities', coalesce((select json_agg(json_build_object('id', i.id, 'provider', i.provider, 'email', i.email,
        'createdAt', iso(i.created_at), 'lastUsedAt', iso(i.last_used_at)) order by i.id)
        from user_identity i where i.user_id = u.id), '[]')) as json
      from app_user u where u.id = ${userId}`),
  )
  if (!found) throw new AppError('not_found')
  return found.json
}
