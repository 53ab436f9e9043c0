import { type Query, query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'

// Changes of a person that other slices make, within their transaction.

/** The first steps in the app: fills in what was given and notes when. Throws `not_found`. */
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
 * Confirms the address that an invitation came to, and makes the workspace the default where there is none. Throws
 * `invitation_for_other_address` when the address is not the person's.
 */
export const confirmInvitedAddress = (tx: Tx, userId: string, email: string) =>
  tx.one(
    query`update app_user set email_confirmed_at = coalesce(email_confirmed_at, ${tx.now}),
        default_workspace_id = coalesce(default_workspace_id, ${tx.workspaceId})
        where id = ${userId} and email = ${email} returning id`,
    'invitation_for_other_address',
  )

/** Makes the workspace nobody's default, or only not this person's. */
export const clearDefaultWorkspace = (tx: Tx, userId: string | null = null) =>
  tx.run(query`update app_user set default_workspace_id = null
    where default_workspace_id = ${tx.workspaceId} and (${userId}::uuid is null or id = ${userId})`)

/** Sets the hours in which no letter is sent. Throws `not_found`. */
export const setQuietHours = (tx: Tx, userId: string, from: string | null, until: string | null) =>
  tx.one(
    query`update app_user set quiet_from = ${from}, quiet_until = ${until} where id = ${userId} returning id`,
    'not_found',
  )

/** Locks somebody out and ends their sessions. Answers how many there were. Throws `invalid_state` for who is locked out. */
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

/** Lets somebody sign in again. Throws `invalid_state` for who is not locked out. */
export const enablePerson = (tx: Tx, userId: string) =>
  tx.one(
    query`update app_user set disabled_at = null where id = ${userId} and disabled_at is not null returning id`,
    'invalid_state',
    { current: 'active', allowed: ['disabled'] },
  )

/** Makes somebody a super admin, or no longer one. It runs outside of any scope, as the owner of the database. */
export const setSuperAdmin = (userId: string, wanted: boolean): Query<unknown> =>
  query`update app_user set is_super_admin = ${wanted} where id = ${userId}`
