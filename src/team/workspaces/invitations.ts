import { uuidv7 } from 'uuidv7'
import { AppError } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { assertConfirmed } from '../identity/assert-confirmed.ts'
import { confirmInvitedAddress } from '../identity/person.ts'
import { notify } from '../notifications/notifications.ts'
import { assertQuota, useQuota } from '../plans/plans.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { hashSecret, newSecret } from '../../core/platform/crypto.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { countWith } from '../../core/platform/limits.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Scopes, Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { OpenInvitation, Workspace, WorkspaceInvitation } from './api.ts'
import { invitationLetter } from './letters.ts'
import { findMember, lockMembers, passOwnership, assertMayAct } from './members.ts'
import { maskEmail } from './rules.ts'
import { workspaceOf } from './workspaces-shape.ts'

const DAYS = 7
const DAY_SECONDS = 86_400
const PENDING = 50
/** How many invitations may be sent: per workspace, per address across all workspaces, and per person. */
const LIMITS = {
  workspace: { tries: 100, seconds: DAY_SECONDS },
  address: { tries: 5, seconds: DAY_SECONDS },
  inviter: { tries: 20, seconds: 3_600 },
}

type Needs = Pick<Ports, 'crypto' | 'settings' | 'mail'>
interface Inviter {
  userId: string
  emailConfirmed: boolean
}

/** An invitation as the API returns it. */
const invitationShape = sql`json_build_object('id', i.id, 'email', i.email, 'role', i.role,
  'invitedBy', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end,
  'expiresAt', iso(i.expires_at), 'acceptedAt', iso(i.accepted_at), 'createdAt', iso(i.created_at))`

const invitationWhere = (condition: ReturnType<typeof sql>) =>
  whole<{ json: WorkspaceInvitation }>(sql`select ${invitationShape} as json
    from workspace_invitation i left join app_user u on u.id = i.invited_by where ${condition}`)

/** Lists a page of invitations that were not accepted, newest first. */
export async function listInvitations(scope: Scope, request: PageRequest): Promise<Page<WorkspaceInvitation>> {
  const invitations = page(sql`i.id`, request)
  const [rows] = await scope.read(
    invitationWhere(sql`i.workspace_id = ${scope.workspaceId} and i.accepted_at is null and ${invitations.rows}`),
  )
  return invitations.of(rows.map(({ json }) => json))
}

/** Returns an invitation that was not accepted. Throws `not_found`. */
export async function findInvitation(scope: Scope, id: string): Promise<WorkspaceInvitation> {
  const [[found]] = await scope.read(
    invitationWhere(sql`i.workspace_id = ${scope.workspaceId} and i.id = ${id} and i.accepted_at is null`),
  )
  if (!found) throw new AppError('not_found')
  return found.json
}

// ---- sending

/**
 * Mails an invitation to the workspace. An earlier one to the same address stops working. Throws `already_member`,
 * `role_required`, `quota_exceeded`, `rate_limited`, `provider_not_configured`, and `invalid_state` for an inviter
 * without a confirmed address or number.
 */
export async function inviteMember(
  scope: Scope,
  ports: Needs,
  inviter: Inviter,
  { email, role }: { email: string; role: Role },
): Promise<WorkspaceInvitation> {
  mayMail(ports, inviter)
  return scope.transaction(
    async (tx) => {
      const workspace = await lockMembers(tx)
      const { role: actor } = await findMember(tx, inviter.userId)
      assertMayAct({ actor, target: null, wanted: role })
      await refuseMember(tx, email)
      const replaced = await tx.run(query<{ role: Role }>`delete from workspace_invitation
      where workspace_id = ${tx.workspaceId} and email = ${email} and accepted_at is null returning role`)
      for (const one of replaced) assertMayAct({ actor, target: null, wanted: one.role })
      await findRoom(tx)
      await countLetter(tx, inviter.userId, email)
      const id = uuidv7()
      const { token, until } = fresh(tx)
      await tx.run(query`
        insert into workspace_invitation (workspace_id, id, email, role, token_hash, invited_by, expires_at, created_at)
        values (${tx.workspaceId}, ${id}, ${email}, ${role}, ${hashSecret(token)}, ${inviter.userId}, ${until}, ${tx.now})`)
      tx.record({ type: 'invitation.sent', subject: { invitationId: id }, data: { email, role } })
      return send(tx, ports, workspace, id, token)
    },
    { alone: 'members' },
  )
}

/**
 * Mails a new link for another 7 days. The previous one stops working. Throws `not_found`, and the errors of
 * `inviteMember`.
 */
export async function resendInvitation(
  scope: Scope,
  ports: Needs,
  inviter: Inviter,
  id: string,
): Promise<WorkspaceInvitation> {
  mayMail(ports, inviter)
  return scope.transaction(
    async (tx) => {
      const workspace = await lockMembers(tx)
      const { email, role } = await pending(tx, id)
      assertMayAct({ actor: (await findMember(tx, inviter.userId)).role, target: null, wanted: role })
      await refuseMember(tx, email)
      await findRoom(tx, id)
      await countLetter(tx, inviter.userId, email)
      const { token, until } = fresh(tx)
      await tx.one(
        query`update workspace_invitation
          set token_hash = ${hashSecret(token)}, invited_by = ${inviter.userId}, expires_at = ${until}
          where workspace_id = ${tx.workspaceId} and id = ${id} and accepted_at is null returning id`,
        'not_found',
      )
      tx.record({ type: 'invitation.resent', subject: { invitationId: id }, data: { email, role } })
      return send(tx, ports, workspace, id, token)
    },
    { alone: 'members' },
  )
}

/** Revokes an invitation. Throws `not_found`, `role_required`. */
export async function revokeInvitation(scope: Scope, actorId: string, id: string): Promise<void> {
  await scope.transaction(
    async (tx) => {
      await lockMembers(tx)
      const { email, role } = await pending(tx, id)
      assertMayAct({ actor: (await findMember(tx, actorId)).role, target: null, wanted: role })
      await tx.one(
        query`delete from workspace_invitation
          where workspace_id = ${tx.workspaceId} and id = ${id} and accepted_at is null returning id`,
        'not_found',
      )
      tx.record({ type: 'invitation.revoked', subject: { invitationId: id }, data: { email, role } })
    },
    { alone: 'members' },
  )
}

/** Returns the address and role of an invitation that was not accepted. Throws `not_found`. */
const pending = (tx: Tx, id: string) =>
  tx.one(
    query<{ email: string; role: Role }>`select email, role from workspace_invitation
      where workspace_id = ${tx.workspaceId} and id = ${id} and accepted_at is null`,
    'not_found',
  )

function mayMail({ mail }: Needs, { emailConfirmed }: Inviter): void {
  if (!mail.configured)
    throw new AppError(
      'provider_not_configured',
      'No mail server is set up. Ask the Parley administrator to configure one.',
    )
  assertConfirmed(emailConfirmed, 'invite others')
}

/** Counts a letter that is about to be sent. An invitation that was refused for another reason does not count. */
async function countLetter(tx: Tx, inviter: string, email: string): Promise<void> {
  await countWith(tx, { key: `invitations:${tx.workspaceId}`, ...LIMITS.workspace })
  await countWith(tx, { key: `invitations by ${inviter}`, ...LIMITS.inviter })
  await countWith(tx, { key: `invitations to ${email}`, ...LIMITS.address })
}

async function refuseMember(tx: Tx, email: string): Promise<void> {
  const [member] = await tx.run(query`select from member m join app_user u on u.id = m.user_id
    where m.workspace_id = ${tx.workspaceId} and u.email = ${email}`)
  if (member) throw new AppError('already_member')
}

/** Open invitations count like members, so that a person who accepts usually finds a seat. */
async function findRoom(tx: Tx, but: string | null = null): Promise<void> {
  const { count, next } = await tx.one(
    query<{ count: number; next: Date | null }>`select count(*)::int, min(expires_at) as next from workspace_invitation
      where workspace_id = ${tx.workspaceId} and accepted_at is null and expires_at > ${tx.now}
        and id is distinct from ${but}`,
    'not_found',
  )
  if (count >= PENDING && next) {
    const retryAfter = Math.ceil((next.getTime() - tx.now.getTime()) / 1000)
    throw new AppError(
      'rate_limited',
      `At most ${PENDING} invitations can be pending. Withdraw one, or wait until one expires.`,
      { retryAfter },
    )
  }
  await assertQuota(tx, 'members', () => count)
}

const fresh = (tx: Tx) => ({ token: newSecret(), until: new Date(tx.now.getTime() + DAYS * DAY_SECONDS * 1000) })

async function send(
  tx: Tx,
  ports: Needs,
  workspace: { name: string; language: string },
  id: string,
  token: string,
): Promise<WorkspaceInvitation> {
  const { json } = await tx.one(invitationWhere(sql`i.workspace_id = ${tx.workspaceId} and i.id = ${id}`), 'not_found')
  const { email, role } = json
  const { by } = await tx.one(
    query<{ by: string }>`select coalesce(nullif(name, ''),
        case when email_confirmed_at is not null then email end, phone, '') as by from app_user
      where id = ${json.invitedBy?.id ?? null}`,
    'not_found',
  )
  const url = `${ports.settings.publicUrl()}/app/invite/${token}`
  const letter = invitationLetter(workspace, { by, role }, url)
  postMail(tx, ports, { kind: 'invitation', to: email, letter, until: new Date(json.expiresAt) })
  // Only people who have proven the address: an account that merely claims it learns nothing.
  const people = await tx.run(query<{ id: string }>`select id from app_user
    where email = ${email} and email_confirmed_at is not null and disabled_at is null`)
  await notify(tx, { users: people.map((person) => person.id) }, 'invitation_received', {
    workspaceName: workspace.name,
    by,
    role,
  })
  return json
}

// ---- accepting

/** An invitation as its token reveals it. */
export interface Opened {
  workspaceId: string
  id: string
  email: string
  role: Role
  expiresAt: Date
  acceptedAt: Date | null
  workspaceName: string
  tokenHash: string
}

/** Returns the invitation of a token, whether or not it still works. Throws `not_found`. */
async function open(scope: Scope, token: string): Promise<Opened> {
  const tokenHash = hashSecret(token)
  const [[found]] = await scope.read(query<Omit<Opened, 'tokenHash'>>`select * from invitation_facts(${tokenHash})`)
  if (!found) throw new AppError('not_found')
  return { ...found, tokenHash }
}

const isOver = (scope: Scope, { acceptedAt, expiresAt }: Opened) => acceptedAt !== null || expiresAt <= scope.now()

/** Returns the invitation of a valid link. Throws `not_found`, `invitation_expired`. */
export async function getInvitation(scope: Scope, token: string): Promise<OpenInvitation> {
  const { workspaceName, role, email } = await openInvitation(scope, token)
  return { workspaceName, role, email: maskEmail(email) }
}

/**
 * The invitation, if a person with this address may accept it. Without `email`, the address is not checked. Throws
 * `not_found`, `invitation_for_other_address`, `invitation_expired`.
 */
export async function openInvitation(scope: Scope, token: string, email?: string): Promise<Opened> {
  const opened = await open(scope, token)
  if (email !== undefined && email !== opened.email) throw new AppError('invitation_for_other_address')
  if (isOver(scope, opened)) throw new AppError('invitation_expired')
  return opened
}

/**
 * Joins the workspace as the person with the invited address. The token confirms that address, since it was mailed
 * there. Throws `not_found`, `invitation_for_other_address`, and the errors of `join`.
 */
export async function acceptInvitation(
  { scope }: Pick<Scopes, 'scope'>,
  caller: Scope,
  ports: Needs,
  userId: string,
  token: string,
): Promise<Workspace> {
  const opened = await open(caller, token)
  // An invited OWNER changes the standing of the one before.
  return scope(opened.workspaceId, caller.actor).transaction(
    async (tx) => {
      const workspace = await lockMembers(tx)
      await confirmInvitedAddress(tx, userId, opened.email)
      await join(tx, ports, workspace.name, opened, userId)
      return (await tx.one(workspaceOf(userId), 'not_found')).json
    },
    { alone: 'members' },
  )
}

/** A person has become a member by an invitation. `role` is the invited one. */
export interface InvitationAccepted extends DomainEvent {
  type: 'invitation.accepted'
  subject: { invitationId: string; userId: string }
  data: { role: Role }
  context: { workspaceName: string; invitedBy: string | null }
}

/**
 * Makes a person a member by an invitation, once, within the lock. Throws `already_member`, `invitation_expired`,
 * `quota_exceeded`, and `too_many_workspaces` for an invitation to OWNER.
 */
export async function join(
  tx: Tx,
  ports: Pick<Ports, 'crypto' | 'settings'>,
  workspace: string,
  { id, tokenHash }: Opened,
  userId: string,
): Promise<void> {
  const [member] = await tx.run(
    query`select from member where workspace_id = ${tx.workspaceId} and user_id = ${userId}`,
  )
  if (member) throw new AppError('already_member')
  const { role, invitedBy } = await tx.one(
    query<{ role: Role; invitedBy: string | null }>`update workspace_invitation set accepted_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and token_hash = ${tokenHash}
        and accepted_at is null and expires_at > ${tx.now} returning role, invited_by`,
    'invitation_expired',
  )
  await useQuota(tx, 'members', 1)
  const owner = role === 'OWNER' ? await ownerIs(tx, invitedBy) : undefined
  await tx.run(query`insert into member (workspace_id, user_id, role, joined_at)
    values (${tx.workspaceId}, ${userId}, ${owner ? 'ADMIN' : role}, ${tx.now})`)
  tx.record({
    type: 'invitation.accepted',
    subject: { invitationId: id, userId },
    data: { role },
    context: { workspaceName: workspace, invitedBy },
  } satisfies InvitationAccepted)
  if (owner) await passOwnership(tx, ports, workspace, owner, userId)
}

/**
 * The OWNER, if they are still the one who offered the ownership. Nobody gives away what is no longer theirs. Throws
 * `invitation_expired`.
 */
async function ownerIs(tx: Tx, inviter: string | null): Promise<string> {
  const { userId } = await tx.one(
    query<{ userId: string }>`select user_id from member
      where workspace_id = ${tx.workspaceId} and role = 'OWNER' and user_id = ${inviter}`,
    'invitation_expired',
  )
  return userId
}
