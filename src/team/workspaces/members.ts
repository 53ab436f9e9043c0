import { AppError, invalid } from '../../core/errors.ts'
import { type Role, ROLES } from '../../core/http/endpoint.ts'
import { clearDefaultWorkspace } from '../identity/person.ts'
import { deleteNotices, notify } from '../notifications/notifications.ts'
import { giveBack } from '../plans/plans.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Member, MemberName, Workspace } from './api.ts'
import { ownershipLetter } from './letters.ts'
import { refuseAct } from './rules.ts'
import { workspaceOf } from './workspaces-shape.ts'

type Needs = Pick<Ports, 'crypto' | 'settings'>

/** A member as the API returns it. */
const memberShape = sql`json_build_object('id', u.id, 'userId', u.id, 'email', u.email, 'name', u.name, 'role', m.role,
  'joinedAt', iso(m.joined_at),
  'lastActiveAt', iso((select max(s.last_used_at) from session s where s.user_id = u.id)))`

/** A member as a CLIENT sees it. */
const nameShape = sql`json_build_object('id', null, 'userId', null, 'email', null, 'name', u.name, 'role', null,
  'joinedAt', null, 'lastActiveAt', null)`

const memberOf = (tx: Tx, userId: string) =>
  query<{ json: Member }>`select ${memberShape} as json from member m join app_user u on u.id = m.user_id
    where m.workspace_id = ${tx.workspaceId} and m.user_id = ${userId}`

/** The time at which a member joined, to the microsecond, as an integer. */
const joined = sql`(extract(epoch from m.joined_at) * 1000000)::bigint`

/** Lists a page of members, those who joined last first, or in no order for a CLIENT. */
export async function listMembers(
  scope: Scope,
  role: Role | null,
  request: PageRequest,
): Promise<Page<Member | MemberName>> {
  const isClient = role === 'CLIENT'
  // The cursor is readable, and tells a CLIENT neither when somebody joined nor their id.
  const at = isClient ? sql`0::bigint` : joined
  const key = isClient ? sql`md5(m.workspace_id::text || m.user_id)::uuid` : sql`m.user_id`
  const columns = [
    [at, 'bigint'],
    [key, 'uuid'],
  ] as const
  const members = pageBy<{ at: number; key: string }>(columns, request, (row) => [row.at, row.key])
  const [rows] = await scope.read(
    whole<{ json: Member | MemberName; at: number; key: string }>(sql`
      select ${isClient ? nameShape : memberShape} as json, ${at} as at, ${key} as key
      from member m join app_user u on u.id = m.user_id
      where m.workspace_id = ${scope.workspaceId} and ${members.rows}`),
  )
  const { data, nextCursor } = members.of(rows)
  return { data: data.map(({ json }) => json), nextCursor }
}

/**
 * Makes changes to the members of a workspace take turns: a second change waits here, and reads its facts afterwards.
 * Returns what letters need of the workspace. Throws `not_found`.
 */
export const lockMembers = (tx: Tx): Promise<{ name: string; language: string }> =>
  tx.one(
    query<{ name: string; language: string }>`select name, language from workspace
      where id = ${tx.workspaceId} and deleted_at is null for no key update`,
    'not_found',
  )

/**
 * Makes changes to the members take turns (`lockMembers`), for acts of the OWNER alone. Returns what letters need of the
 * workspace. Throws `not_found`, and `role_required` if the person is no longer the OWNER.
 */
export async function lockOwn(tx: Tx, userId: string): Promise<{ name: string; language: string }> {
  const workspace = await lockMembers(tx)
  const { role } = await findMember(tx, userId)
  if (role !== 'OWNER') throw new AppError('role_required', undefined, { required: 'OWNER', actual: role })
  return workspace
}

/** Returns a member with their present role, since the gate may have seen another. Throws `not_found`. */
export const findMember = (tx: Tx, userId: string): Promise<{ userId: string; role: Role }> =>
  tx.one(
    query<{ userId: string; role: Role }>`select user_id, role from member
      where workspace_id = ${tx.workspaceId} and user_id = ${userId}`,
    'not_found',
  )

/** Throws `role_required` or `owner_required` if the act is not allowed. */
export function assertMayAct(act: Parameters<typeof refuseAct>[0]): void {
  const refusal = refuseAct(act)
  if (!refusal) return
  const { code, ...more } = refusal
  throw new AppError(code, undefined, more)
}

/** Somebody gave a member another role. */
export interface RoleChanged extends DomainEvent {
  type: 'member.role_changed'
  subject: { userId: string }
  data: { from: Role; to: Role }
  context: { workspaceName: string; isOwn: boolean }
}

/** A membership has ended, by the member or by somebody else. */
export interface MemberLeft extends DomainEvent {
  type: 'member.left' | 'member.removed'
  subject: { userId: string }
  data: { role: Role }
  context: { workspaceName: string }
}

/**
 * Changes a role; to OWNER, it passes the ownership. Throws `not_found`, `role_required`, `owner_required`,
 * `too_many_workspaces`.
 */
export async function updateMember(
  scope: Scope,
  ports: Needs,
  actorId: string,
  id: string,
  role: Role,
): Promise<Member> {
  return scope.transaction(
    async (tx) => {
      const workspace = await lockMembers(tx)
      const actor = await findMember(tx, actorId)
      const { userId, role: before } = await findMember(tx, id)
      assertMayAct({ actor: actor.role, target: before, wanted: role })
      if (role === 'OWNER' && before !== 'OWNER') await passOwnership(tx, ports, workspace.name, actorId, userId)
      else if (role !== before) {
        await setRole(tx, userId, before, role)
        tx.record({
          type: 'member.role_changed',
          subject: { userId },
          data: { from: before, to: role },
          context: { workspaceName: workspace.name, isOwn: actorId === userId },
        } satisfies RoleChanged)
      }
      return (await tx.one(memberOf(tx, userId), 'not_found')).json
    },
    { alone: 'members' },
  )
}

async function setRole(tx: Tx, userId: string, from: Role, to: Role): Promise<void> {
  await tx.one(
    query`update member set role = ${to}
      where workspace_id = ${tx.workspaceId} and user_id = ${userId} and role = ${from} returning user_id`,
    'not_found',
  )
  await withdraw(tx, userId, to)
}

/** Ends the invitations of a member who may no longer send them. `role` is null for a former member. */
async function withdraw(tx: Tx, userId: string, role: Role | null): Promise<void> {
  const may = ROLES.filter((wanted) => role !== null && refuseAct({ actor: role, target: null, wanted }) === null)
  const taken = await tx.run(query<{
    id: string
    email: string
    role: Role
  }>`update workspace_invitation set expires_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and invited_by = ${userId} and accepted_at is null and expires_at > ${tx.now}
      and role <> all(${may}::text[]) returning id, email, role`)
  for (const { id, ...what } of taken)
    tx.record({ type: 'invitation.revoked', subject: { invitationId: id }, data: what })
}

/** The number of workspaces that a person may own. Deleted ones count until they are erased. */
const OWNED = 20

/** Throws `too_many_workspaces` if a person may own no further workspace. */
export async function assertMayOwnMore(tx: Tx, userId: string): Promise<void> {
  // Whatever gives this person a workspace takes turns here, since two at once would count the same.
  await tx.run(query`select from app_user where id = ${userId} for no key update`)
  const { owned } = await tx.one(
    query<{ owned: number }>`select (select count(*) from deleted_workspaces(${userId}))::int + (select count(*)
      from json_array_elements(profile(${userId}) -> 'workspaces') as own where own ->> 'role' = 'OWNER')::int as owned`,
    'not_found',
  )
  if (owned < OWNED) return
  const isOwn = tx.actor.kind === 'user' && tx.actor.userId === userId
  const detail = isOwn ? undefined : 'This person already owns the maximum number of workspaces.'
  throw new AppError('too_many_workspaces', detail, { limit: OWNED })
}

/**
 * Makes a member the OWNER and the present OWNER an ADMIN, within the lock, and notifies both. Throws
 * `too_many_workspaces`.
 */
export async function passOwnership(tx: Tx, ports: Needs, workspace: string, from: string, to: string): Promise<void> {
  await assertMayOwnMore(tx, to)
  const { role: before } = await findMember(tx, to)
  await setRole(tx, from, 'OWNER', 'ADMIN')
  await setRole(tx, to, before, 'OWNER')
  tx.record({ type: 'ownership.transferred', subject: { userId: to }, data: { from } })
  const people = await tx.run(query<{ id: string; name: string; email: string | null; language: string }>`
    select id, name, case when email_confirmed_at is not null then email end as email, language
    from app_user where id in (${from}, ${to})`)
  const nameOf = (id: string) => {
    const person = people.find((one) => one.id === id)
    return person?.name || person?.email || ''
  }
  const url = `${ports.settings.publicUrl()}/app/w/${tx.workspaceId}/settings/members`
  for (const { id, email, ...reader } of people) {
    if (email === null) continue
    const owns = id === to
    const letter = ownershipLetter(reader, workspace, { owns, other: nameOf(owns ? from : to) }, url)
    postMail(tx, ports, { kind: 'ownership', to: email, letter })
  }
  await notify(tx, { users: [from, to] }, 'ownership_transferred', {
    workspaceName: workspace,
    from: { id: from, name: nameOf(from) },
    to: { id: to, name: nameOf(to) },
  })
}

/**
 * Makes another member the OWNER. Throws `role_required`, `too_many_workspaces`, and `validation_failed` for the id of no
 * member.
 */
export async function transferOwnership(scope: Scope, ports: Needs, actorId: string, id: string): Promise<Workspace> {
  return scope.transaction(
    async (tx) => {
      const workspace = await lockOwn(tx, actorId)
      const [member] = await tx.run(memberOf(tx, id))
      if (!member) throw invalid({ path: '/userId', code: 'unknown_id', message: 'No member has this ID.' })
      const { userId } = member.json
      if (userId !== actorId) await passOwnership(tx, ports, workspace.name, actorId, userId)
      return (await tx.one(workspaceOf(actorId), 'not_found')).json
    },
    { alone: 'members' },
  )
}

/**
 * Ends the membership of another person or of the actor. Their work stays, their notices of the workspace are removed,
 * and the seat is free. Throws `not_found`, `role_required`, `owner_required`.
 */
export async function removeMember(scope: Scope, actorId: string, id: string): Promise<void> {
  await scope.transaction(
    async (tx) => {
      const workspace = await lockMembers(tx)
      const actor = await findMember(tx, actorId)
      const { userId, role } = await findMember(tx, id)
      const own = actorId === userId
      assertMayAct({ actor: actor.role, target: role, wanted: null, own })
      await tx.one(
        query`delete from member
          where workspace_id = ${tx.workspaceId} and user_id = ${userId} and role = ${role} returning user_id`,
        'not_found',
      )
      await withdraw(tx, userId, null)
      await giveBack(tx, 'members', 1)
      await deleteNotices(tx, userId)
      await clearDefaultWorkspace(tx, userId)
      tx.record({
        type: own ? 'member.left' : 'member.removed',
        subject: { userId },
        data: { role },
        context: { workspaceName: workspace.name },
      } satisfies MemberLeft)
    },
    { alone: 'members' },
  )
}
