import type { Ports } from '../../services.ts'
import { AppError, invalid } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import { countTry, forgetTry } from '../../core/platform/limits.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { inPlace, isPassword } from './passwords.ts'
import { perAccount } from './tries.ts'

const FRESH_MS = 15 * 60_000

/**
 * Makes the caller prove that the account is theirs: by the password or, with `recentIsEnough` or without a password,
 * by a sign-in within the last 15 minutes. Returns the hash that was checked. Throws the missing proof, `rate_limited`.
 */
export async function reauthenticate(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  caller: { userId: string; sessionId: string },
  currentPassword: string | undefined,
  { recentIsEnough }: { recentIsEnough: boolean },
): Promise<string | null> {
  const [[user]] = await scope.read(
    query<{ passwordHash: string | null; signedInAt: Date }>`select u.password_hash, s.created_at as signed_in_at
      from app_user u join session s on s.user_id = u.id where u.id = ${caller.userId} and s.id = ${caller.sessionId}`,
  )
  if (!user) throw new AppError('unauthenticated')
  const { passwordHash, signedInAt } = user
  const recent = scope.now().getTime() - signedInAt.getTime() <= FRESH_MS
  if (recent && (recentIsEnough || passwordHash === null)) return passwordHash
  if (passwordHash === null) throw wrong('sign_in_again', 'Sign in again, then do this within 15 minutes.')
  if (currentPassword === undefined) throw wrong('required', 'Enter your current password.')
  const tries = perAccount('change-password', caller.userId)
  await countTry(scope, tries)
  if (!(await inPlace(() => isPassword(currentPassword, passwordHash, settings)))) {
    throw wrong('wrong_password', 'This isn’t your current password.')
  }
  await forgetTry(scope, tries)
  return passwordHash
}

export const wrong = (code: string, message: string) => invalid({ path: '/currentPassword', code, message })
