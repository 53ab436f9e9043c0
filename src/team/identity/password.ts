import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { hashSecret, newSecret } from '../../core/platform/crypto.ts'
import { query } from '../../core/platform/db.ts'
import { countTry, countWith, forgetTry, within } from '../../core/platform/limits.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { OtherWay } from './api.ts'
import { nameFor, owns } from './codes.ts'
import { resetLetter } from './letters.ts'
import { hashPassword, passwordFault } from './passwords.ts'
import { reauthenticate, wrong } from './presence.ts'
import { deleteIdentity } from './identities.ts'
import { otherWays, tellOfChange, type NoticePorts } from './notices.ts'
import { doerOf, perAccount, perAddress } from './tries.ts'

const MINUTE = 60_000
const DAY_SECONDS = 86_400
const RESET_MINUTES = 30

/**
 * Sets a new password for a person who gives the present one, and ends their other sessions. A person without a
 * password must have signed in just now. Throws the faults of either password, `rate_limited`.
 */
export async function changePassword(
  scope: Scope,
  ports: NoticePorts,
  caller: { userId: string; sessionId: string },
  { currentPassword, newPassword }: { currentPassword?: string | undefined; newPassword: string },
): Promise<void> {
  const before = await reauthenticate(scope, ports, caller, currentPassword, { recentIsEnough: false })
  const passwordHash = await hashNew(newPassword, ports)
  await scope.transaction(
    async (tx) => {
      const [changed] = await tx.run(query`update app_user set password_hash = ${passwordHash}
        where id = ${caller.userId} and password_hash is not distinct from ${before} returning id`)
      if (!changed) throw wrong('wrong_password', 'Your password was just changed. Try again with the new one.')
      await tx.run(query`delete from password_reset where user_id = ${caller.userId}`)
      // A first password is another way in, which a stranger in a fresh session could add.
      await afterChange(tx, ports, caller.userId, 'password.changed', { but: caller.sessionId, first: before === null })
    },
    { alone: 'sessions' },
  )
}

/**
 * Accepts a request for a new password. A job does the rest, so that the answer does not reveal whether an account
 * exists.
 */
export async function forgotPassword(
  scope: Scope,
  ports: NoticePorts & Pick<Ports, 'mail'>,
  email: string,
): Promise<void> {
  if (!ports.mail.configured)
    throw new AppError(
      'provider_not_configured',
      'No mail server is set up. Ask the Parley administrator to configure one.',
    )
  await countTry(scope, perAddress(scope, ports))
  await countTry(scope, perAccount(`forgot-password:${email}`, doerOf(scope)))
  await countTry(scope, { key: `resets to ${email}`, tries: 30, seconds: DAY_SECONDS })
  await scope.transaction(async (tx) => tx.enqueue('password-reset', { email, id: uuidv7() }))
}

/**
 * Mails a link for a new password, if the address has an account. An earlier link stops working. An account that never
 * proved the address may be a stranger's, so the letter does not mention it, and the link leads to a new account.
 */
export async function sendReset(
  scope: Scope,
  ports: NoticePorts,
  { email, id }: { email: string; id?: string | undefined },
): Promise<void> {
  const token = newSecret()
  const to = { kind: 'email', address: email } as const
  await scope.transaction(async (tx) => {
    // A job whose process is killed after the commit runs again. Another link would end the one that was mailed.
    const once = { key: `reset ${id}`, tries: 1, seconds: DAY_SECONDS }
    if (id !== undefined && !(await within(countWith(tx, once)))) return
    const [user] = await tx.run(query<{
      id: string
      name: string
      language: string
      timezone: string
      proven: boolean
    }>`select id, ${nameFor(to)} as name, language, timezone, ${owns(to)} as proven from app_user u
      where email = ${email} and (disabled_at is null or email_confirmed_at is null)`)
    if (!user) return
    const until = new Date(tx.now.getTime() + RESET_MINUTES * MINUTE)
    await tx.run(query`insert into password_reset (user_id, token_hash, email, expires_at)
      values (${user.id}, ${hashSecret(token)}, ${email}, ${until}) on conflict (user_id)
      do update set token_hash = excluded.token_hash, email = excluded.email, expires_at = excluded.expires_at,
      spent_at = null`)
    const url = `${ports.settings.publicUrl()}/app/reset/${token}`
    const letter = resetLetter(user, url, { startsAccount: !user.proven })
    postMail(tx, ports, { kind: 'password-reset', to: email, letter, until })
    tx.record({ type: 'password.forgotten', subject: { userId: user.id } })
  })
}

/** A valid link for a new password, with the hash of the chosen password. */
export interface Reset {
  tokenHash: string
  passwordHash: string
  email: string
  /** The account that had proved the address before. */
  ownerId: string | null
}

/** Checks a link for a new password. Throws `link_expired`, the fault of the password, `rate_limited`. */
export async function proveReset(
  scope: Scope,
  ports: NoticePorts,
  { token, ...given }: { token: string; newPassword?: string | undefined; password?: string | undefined },
): Promise<Reset> {
  const path = given.newPassword === undefined && given.password !== undefined ? '/password' : '/newPassword'
  const newPassword = given.newPassword ?? given.password
  if (newPassword === undefined) throw invalid({ path, code: 'required', message: 'Enter the new password.' })
  const tries = perAddress(scope, ports)
  await countTry(scope, tries)
  const tokenHash = hashSecret(token)
  // Checked first, so that an invented token costs no hash. The transaction decides.
  const [[live]] = await scope.read(
    query<{ email: string; ownerId: string | null }>`select r.email, u.id as owner_id from password_reset r
      left join app_user u on u.id = r.user_id and u.email = r.email and u.email_confirmed_at is not null
      where r.token_hash = ${tokenHash} and r.spent_at is null and r.expires_at > ${scope.now()}`,
  )
  if (!live) throw new AppError('link_expired')
  await forgetTry(scope, tries)
  return { tokenHash, passwordHash: await hashNew(newPassword, ports, path), ...live }
}

/** Uses a link up, once. Throws `link_expired`. */
export async function spendReset(tx: Tx, { tokenHash, email }: Reset): Promise<void> {
  await tx.one(
    query`update password_reset set spent_at = ${tx.now}
      where token_hash = ${tokenHash} and email = ${email} and spent_at is null and expires_at > ${tx.now}
      returning user_id`,
    'link_expired',
  )
}

/** Sets the new password of the account that owns the address, and ends all its sessions. Throws `link_expired`. */
export async function setByReset(tx: Tx, ports: NoticePorts, reset: Reset): Promise<void> {
  await spendReset(tx, reset)
  const { id } = await tx.one(
    query<{ id: string }>`update app_user u set password_hash = ${reset.passwordHash}
      where id = ${reset.ownerId} and ${owns({ kind: 'email', address: reset.email })} and disabled_at is null
      returning id`,
    'link_expired',
  )
  await afterChange(tx, ports, id, 'password.reset')
}

/** The person whose password a link has set, until the link expires. Throws `link_expired`. */
const resetBy = (scope: Pick<Scope, 'now'>, token: string) => query<{ userId: string }>`
  select r.user_id from password_reset r join app_user u on u.id = r.user_id
    where r.token_hash = ${hashSecret(token)} and r.spent_at is not null and r.expires_at > ${scope.now()}
      and u.email = r.email and u.email_confirmed_at is not null and u.disabled_at is null`

/** The ways into an account besides the password that a link has just set. Throws `link_expired`, `rate_limited`. */
export async function listOtherWays(scope: Scope, ports: NoticePorts, token: string): Promise<{ data: OtherWay[] }> {
  const tries = perAddress(scope, ports)
  await countTry(scope, tries)
  const [[reset]] = await scope.read(resetBy(scope, token))
  if (!reset) throw new AppError('link_expired')
  await forgetTry(scope, tries)
  const [ways] = await scope.read(otherWays(reset.userId))
  return { data: ways.map(({ id, way, detail }) => ({ id, kind: way as OtherWay['kind'], detail })) }
}

/**
 * Removes ways into the account, with the link that has just set its password. Throws `link_expired`, `rate_limited`.
 */
export async function endOtherWays(
  scope: Scope,
  ports: NoticePorts,
  { token, ids }: { token: string; ids: readonly string[] },
): Promise<void> {
  const tries = perAddress(scope, ports)
  await countTry(scope, tries)
  await scope.transaction(async (tx) => {
    const { userId } = await tx.one(resetBy({ now: () => tx.now }, token), 'link_expired')
    await tx.one(query`select from app_user where id = ${userId} for update`, 'link_expired')
    const ways = (await tx.run(otherWays(userId))).filter(({ id }) => ids.includes(id))
    for (const { id, way } of ways) await endWay(tx, ports, userId, { id, way })
  })
  await forgetTry(scope, tries)
}

async function endWay(
  tx: Tx,
  ports: NoticePorts,
  userId: string,
  { id, way }: { id: string; way: string },
): Promise<void> {
  const isPhone = way === 'phone'
  const undo = isPhone ? await deletePhone(tx, userId) : await deleteIdentity(tx, ports, userId, id)
  await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'revoked'
    where user_id = ${userId} and method = ${way} and ended_at is null`)
  if (isPhone) tx.record({ type: 'phone.removed', subject: { userId } })
  else tx.record({ type: 'identity.removed', subject: { userId }, data: { provider: way, identityId: id } })
  await tellOfChange(tx, ports, userId, isPhone ? 'phone_removed' : 'provider_removed', { provider: way, undo })
}

async function deletePhone(tx: Tx, userId: string) {
  const { former } = await tx.one(
    query<{ former: string }>`with before as (select phone from app_user where id = ${userId} for update)
      update app_user u set phone = null, phone_confirmed_at = null from before
        where u.id = ${userId} and u.phone is not null returning before.phone as former`,
    'not_found',
  )
  return { change: 'phone', former } as const
}

/** Ends all sessions, or all but one, records that, and notifies the person. */
async function afterChange(
  tx: Tx,
  ports: NoticePorts,
  userId: string,
  action: string,
  { but, first = false }: { but?: string; first?: boolean } = {},
): Promise<void> {
  await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'password'
    where user_id = ${userId} and ended_at is null and id is distinct from ${but ?? null}`)
  tx.record({ type: action, subject: { userId } })
  await tellOfChange(tx, ports, userId, 'password', first ? { undo: { change: 'password' } } : {})
}

async function hashNew(password: string, { settings }: NoticePorts, path = '/newPassword'): Promise<string> {
  const fault = await passwordFault(password, settings.passwordMinLength, path)
  if (fault) throw invalid(fault)
  return hashPassword(password, settings)
}
