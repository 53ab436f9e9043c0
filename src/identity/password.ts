import { AppError, invalid } from '../errors.ts'
import { hashSecret, newSecret } from '../platform/crypto.ts'
import { query } from '../platform/db.ts'
import { countTry, forgetTry } from '../platform/limits.ts'
import { postMail } from '../platform/mail.ts'
import type { Scope, Tx } from '../platform/scope.ts'
import type { Ports } from '../services.ts'
import { nameFor, owns } from './codes.ts'
import { resetLetter } from './letters.ts'
import { hashPassword, passwordFault } from './passwords.ts'
import { proveCaller, wrong } from './presence.ts'
import { tellOfChange } from './tell.ts'
import { doerOf, perAccount, perAddress } from './tries.ts'

const MINUTE = 60_000
const DAY_SECONDS = 86_400
const RESET_MINUTES = 30

type Needs = Pick<Ports, 'crypto' | 'settings'>

/**
 * Sets another password for who knows the present one; other sessions end. Who has none yet must have signed in just now.
 * Throws what is wrong with either password, `rate_limited`.
 */
export async function changePassword(
  scope: Scope,
  ports: Needs,
  caller: { userId: string; sessionId: string },
  { currentPassword, newPassword }: { currentPassword?: string | undefined; newPassword: string },
): Promise<void> {
  const before = await proveCaller(scope, caller, currentPassword, { recentIsEnough: false })
  const passwordHash = await hashNew(newPassword, ports)
  await scope.transaction(async (tx) => {
    const [changed] = await tx.run(query`update app_user set password_hash = ${passwordHash}
      where id = ${caller.userId} and password_hash is not distinct from ${before} returning id`)
    if (!changed) throw wrong('wrong_password', 'Your password was changed meanwhile.')
    await tx.run(query`delete from password_reset where user_id = ${caller.userId}`)
    await afterChange(tx, ports, caller.userId, 'password.changed', caller.sessionId)
  })
}

/** Takes the wish for a new password. What follows is done by a job, so that nothing here tells whether there is an account. */
export async function forgotPassword(scope: Scope, ports: Needs & Pick<Ports, 'mail'>, email: string): Promise<void> {
  if (!ports.mail.configured) throw new AppError('provider_not_configured', 'No mail server is set up.')
  await countTry(scope, perAddress(scope, ports))
  await countTry(scope, perAccount(`forgot-password:${email}`, doerOf(scope)))
  await countTry(scope, { key: `resets to ${email}`, tries: 30, seconds: DAY_SECONDS })
  await scope.transaction(async (tx) => tx.enqueue('password-reset', { email }))
}

/** Mails a link for a new password to whoever has this address. A link sent before stops working. */
export async function sendReset(scope: Scope, ports: Needs, email: string): Promise<void> {
  const token = newSecret()
  await scope.transaction(async (tx) => {
    const [user] = await tx.run(query<{ id: string; name: string; language: string; timezone: string }>`
      select id, ${nameFor({ kind: 'email', address: email })} as name, language, timezone from app_user u
      where ${owns({ kind: 'email', address: email })} and disabled_at is null`)
    if (!user) return
    const until = new Date(tx.now.getTime() + RESET_MINUTES * MINUTE)
    await tx.run(query`insert into password_reset (user_id, token_hash, email, expires_at)
      values (${user.id}, ${hashSecret(token)}, ${email}, ${until}) on conflict (user_id)
      do update set token_hash = excluded.token_hash, email = excluded.email, expires_at = excluded.expires_at`)
    const letter = resetLetter(user, `${ports.settings.publicUrl()}/app/reset/${token}`)
    postMail(tx, ports, { kind: 'password-reset', to: email, letter, until })
    tx.audit('password.forgotten', { userId: user.id })
  })
}

/**
 * Sets a new password by a token that was mailed, once: all sessions end, and the address is confirmed, since the link came
 * there. Throws `link_expired`, what is wrong with the password, `rate_limited`.
 */
export async function resetPassword(
  scope: Scope,
  ports: Needs,
  { token, ...given }: { token: string; newPassword?: string | undefined; password?: string | undefined },
): Promise<void> {
  const path = given.newPassword === undefined && given.password !== undefined ? '/password' : '/newPassword'
  const newPassword = given.newPassword ?? given.password
  if (newPassword === undefined) throw invalid({ path, code: 'required', message: 'The new password.' })
  const tries = perAddress(scope, ports)
  await countTry(scope, tries)
  const tokenHash = hashSecret(token)
  // Looked at first, so that a made-up token costs no hash; the statement below decides.
  const [[live]] = await scope.read(
    query`select user_id from password_reset where token_hash = ${tokenHash} and expires_at > ${scope.now()}`,
  )
  if (!live) throw new AppError('link_expired')
  await forgetTry(scope, tries)
  const passwordHash = await hashNew(newPassword, ports, path)
  await scope.transaction(async (tx) => {
    const { userId, email } = await tx.one(
      query<{ userId: string; email: string }>`delete from password_reset
        where token_hash = ${tokenHash} and expires_at > ${tx.now} returning user_id, email`,
      'link_expired',
    )
    await tx.one(
      query`update app_user u set password_hash = ${passwordHash}, email_confirmed_at = coalesce(email_confirmed_at, ${tx.now})
        where id = ${userId} and ${owns({ kind: 'email', address: email })} and disabled_at is null returning id`,
      'link_expired',
    )
    await afterChange(tx, ports, userId, 'password.reset')
  })
}

/** Ends the sessions but one, notes it, and tells the person. */
async function afterChange(tx: Tx, ports: Needs, userId: string, action: string, but?: string): Promise<void> {
  await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'password'
    where user_id = ${userId} and ended_at is null and id is distinct from ${but ?? null}`)
  tx.audit(action, { userId })
  tx.emit({ kind: 'session', id: userId })
  await tellOfChange(tx, ports, userId, 'password')
}

async function hashNew(password: string, { settings }: Needs, path = '/newPassword'): Promise<string> {
  const fault = await passwordFault(password, settings.passwordMinLength, path)
  if (fault) throw invalid(fault)
  return hashPassword(password)
}
