import { type Query, query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'

// Changes to a person by other slices, within their transactions.

/** Records the first steps in the app: fills in the given values and the time. Throws `not_found`. */
export const recordOnboarding = (
  tx: Tx,
  userId: string,
  given: {
    name?: string | undefined
    language?: string | undefined
    timezone?: string | undefined
    goals?: readonly string[] | undefined
  },
) =>
  tx.one(
    query`update app_user set name = coalesce(${given.name ?? null}, name), language = coalesce(${given.language ?? null}, language),
        timezone = coalesce(${given.timezone ?? null}, timezone), goals = coalesce(${given.goals ?? null}::text[], goals),
        onboarded_at = coalesce(onboarded_at, ${tx.now}) where id = ${userId} returning id`,
    'not_found',
  )

/**
 * Confirms the address to which an invitation was sent, and makes the workspace the default if the person has none.
 * Throws `invitation_for_other_address` if the address is not the person's.
 */
export const confirmInvitedAddress = (tx: Tx, userId: string, email: string) =>
  tx.one(
    query`update app_user set email_confirmed_at = coalesce(email_confirmed_at, ${tx.now}),
        default_workspace_id = coalesce(default_workspace_id, ${tx.workspaceId})
        where id = ${userId} and email = ${email} returning id`,
    'invitation_for_other_address',
  )

/** Clears the workspace as the default of everyone, or of one person. */
export const clearDefaultWorkspace = (tx: Tx, userId: string | null = null) =>
  tx.run(query`update app_user set default_workspace_id = null
    where default_workspace_id = ${tx.workspaceId} and (${userId}::uuid is null or id = ${userId})`)

/** Sets the hours without letters. Throws `not_found`. */
export const setQuietHours = (tx: Tx, userId: string, from: string | null, until: string | null) =>
  tx.one(
    query`update app_user set quiet_from = ${from}, quiet_until = ${until} where id = ${userId} returning id`,
    'not_found',
  )

/**
 * Locks a person out and ends their sessions. Returns the number of sessions. Throws `invalid_state` if the person is
 * locked out already.
 */
export async function disablePerson(tx: Tx, userId: string): Promise<number> {
  await tx.one(
    query`update app_user set disabled_at = ${tx.now} where id = ${userId} and disabled_at is null returning id`,
    'invalid_state',
    { current: 'disabled', allowed: ['active'] },
  )
  const ended = await tx.run(query`update session set ended_at = ${tx.now}, end_reason = 'disabled'
        where user_id = ${userId} and ended_at is null returning id`)
  return ended.length
}

/** Lets a person sign in again. Throws `invalid_state` if the person is not locked out. */
export const enablePerson = (tx: Tx, userId: string) =>
  tx.one(
    query`update app_user set disabled_at = null where id = ${userId} and disabled_at is not null returning id`,
    'invalid_state',
    { current: 'active', allowed: ['disabled'] },
  )

/** Makes a person a super admin, or revokes that. It runs outside of any scope, as the owner of the database. */
export const setSuperAdmin = (userId: string, wanted: boolean): Query<unknown> =>
  query`update app_user set is_super_admin = ${wanted} where id = ${userId}`
