import { isDeepStrictEqual } from 'node:util'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, type PageRequest, pageOfKnown } from '../../core/platform/cursor.ts'
import type { Language, NewAccount, Profile } from '../identity/api.ts'
import { enterByCode, type Proof, sendCode, spendCode } from '../identity/codes.ts'
import {
  addSession,
  addUser,
  freeAddress,
  getProfile,
  type Device,
  type OpenedSession,
  openSession,
  refuseUnknownZone,
} from '../identity/identity.ts'
import { proveReset, setByReset, spendReset } from '../identity/password.ts'
import { hashPassword, passwordFault } from '../identity/passwords.ts'
import { newAccounts } from '../identity/tries.ts'
import { recordOnboarding } from '../identity/person.ts'
import { refuseWithout } from '../plans/plans.ts'
import { startSubscription } from '../plans/subscription.ts'
import { query } from '../../core/platform/db.ts'
import { countTry } from '../../core/platform/limits.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Actor, Scopes, Scope, Tx } from '../../core/platform/scope.ts'
import { fill } from '../../core/texts/fill.ts'
import { firstWorkspace } from '../../core/texts/workspaces.ts'
import type { Ports } from '../../services.ts'
import type * as z from 'zod'
import type { NewWorkspace, Onboarding, Workspace, WorkspacePatch } from './api.ts'
import { join, openInvitation } from './invitations.ts'
import { assertMayOwnMore, lockMembers } from './members.ts'
import { workspaceOf } from './workspaces-shape.ts'

/** Creates a workspace with its OWNER, plan and empty use, within a transaction of its own scope. */
async function addWorkspace(
  tx: Tx,
  { settings }: Pick<Ports, 'settings'>,
  ownerId: string,
  input: NewWorkspace & { timezone: string },
): Promise<void> {
  await tx.run(query`insert into workspace (id, name, timezone, week_start, language, niche, created_by)
    values (${tx.workspaceId}, ${input.name}, ${input.timezone}, ${input.weekStart ?? 'monday'}, ${input.language ?? 'en'},
      ${input.niche ?? null}, ${ownerId})`)
  await tx.run(query`insert into member (workspace_id, user_id, role) values (${tx.workspaceId}, ${ownerId}, 'OWNER')`)
  await startSubscription(tx, settings.defaultPlan, input.timezone)
  tx.record({ type: 'workspace.created', subject: { workspaceId: tx.workspaceId, userId: ownerId } })
}

/** Creates the first workspace of a new account, named after the person in their language. */
export const addFirstWorkspace = (
  tx: Tx,
  ports: Pick<Ports, 'settings'>,
  ownerId: string,
  { name, timezone, language }: { name: string; timezone: string; language: Language },
): Promise<void> =>
  addWorkspace(tx, ports, ownerId, {
    name: (name === '' ? firstWorkspace[language].own : fill(firstWorkspace[language].of, { name })).slice(0, 100),
    timezone,
    language,
  })

/**
 * Creates an account and its first workspace, and mails a code to confirm the address. With an invitation, the account
 * joins that workspace instead, and the token sets and confirms the address. Throws `email_taken`, `rate_limited`, the
 * fault of the password, and the errors of `openInvitation` and `join`.
 */
export async function register(
  scopes: Pick<Scopes, 'foundingScope' | 'scope'>,
  caller: Scope,
  ports: Pick<Ports, 'settings' | 'tokens' | 'crypto' | 'mail' | 'sms'>,
  input: z.infer<typeof NewAccount>,
  device: Device,
): Promise<OpenedSession> {
  const { name = '', language = 'en', timezone = 'UTC', inviteToken } = input
  await countTry(caller, newAccounts(caller, ports))
  const invitation = inviteToken === undefined ? null : await openInvitation(caller, inviteToken, input.email)
  const email = invitation?.email ?? input.email
  const faults = [
    ...(email === undefined ? [{ path: '/email', code: 'required', message: 'Enter your email address.' }] : []),
    ...[await passwordFault(input.password, ports.settings.passwordMinLength)].filter((fault) => fault !== undefined),
  ]
  if (email === undefined || faults.length > 0) throw invalid(...faults)
  refuseUnknownZone(timezone)
  const passwordHash = await hashPassword(input.password, ports.settings)
  const scope = invitation ? scopes.scope(invitation.workspaceId, caller.actor) : scopes.foundingScope(caller.actor)
  const session = await scope.transaction(
    async (tx) => {
      const workspace = invitation && (await lockMembers(tx))
      if (invitation) await freeAddress(tx, email)
      const userId = await addUser(tx, {
        email,
        confirmed: invitation !== null,
        passwordHash,
        name,
        timezone,
        language,
        defaultWorkspaceId: tx.workspaceId,
      })
      if (invitation && workspace) await join(tx, ports, workspace.name, invitation, userId)
      else {
        await addFirstWorkspace(tx, ports, userId, { name, timezone, language })
      }
      return addSession(tx, userId, device, invitation ? 'invitation' : 'password')
    },
    invitation ? { alone: 'members' } : {},
  )
  if (!invitation && ports.mail.configured) {
    const wish = { to: { kind: 'email', address: email }, purpose: 'verify', userId: session.userId } as const
    // The account exists already, so a failure does not fail the registration: the person can request another code.
    // The code is sent outside any workspace, since it does not concern the other members.
    await sendCode(caller, ports, wish, language).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      caller.log.warn({ err: error }, 'no code was sent after the registration')
    })
  }
  return openSession(caller, ports, session)
}

/**
 * Signs in by a code. A number without an account, or an address that its account never proved, becomes a new account
 * with its workspace. Throws `invalid_code`, `account_disabled`.
 */
export async function signInByCode(
  { foundingScope }: Pick<Scopes, 'foundingScope'>,
  caller: Scope,
  ports: Pick<Ports, 'settings' | 'tokens' | 'crypto'>,
  proof: Proof,
  device: Device,
  { timezone = 'UTC', language = 'en' }: { timezone?: string | undefined; language?: Language | undefined } = {},
): Promise<OpenedSession> {
  if (proof.ownerId !== null) {
    const known = await caller.transaction((tx) => enterByCode(tx, proof, device))
    return openSession(caller, ports, known)
  }
  const session = await foundingScope(caller.actor).transaction(async (tx) => {
    await spendCode(tx, proof)
    const { kind, address } = proof.to
    if (kind === 'email' && !(await freeAddress(tx, address))) throw new AppError('invalid_code')
    const own = kind === 'email' ? ({ email: address, confirmed: true } as const) : { phone: address }
    const userId = await addNewcomer(tx, ports, own, { timezone, language })
    return addSession(tx, userId, device, kind === 'email' ? 'email_code' : 'phone')
  })
  return openSession(caller, ports, session)
}

/** Creates an account with its first workspace, identified only by what was proven. */
async function addNewcomer(
  tx: Tx,
  ports: Pick<Ports, 'settings'>,
  proven: { email: string; confirmed: true; passwordHash?: string } | { phone: string },
  { timezone, language }: { timezone: string; language: Language },
): Promise<string> {
  const userId = await addUser(tx, { ...proven, name: '', timezone, language, defaultWorkspaceId: tx.workspaceId })
  await addFirstWorkspace(tx, ports, userId, { name: '', timezone, language })
  return userId
}

/**
 * Sets a new password through a mailed link, once. If the account with the address never proved it, the reader of the
 * mail gets a new account. Throws `link_expired`, the fault of the password, `rate_limited`.
 */
export async function resetPassword(
  { foundingScope }: Pick<Scopes, 'foundingScope'>,
  caller: Scope,
  ports: Pick<Ports, 'settings' | 'crypto' | 'sms'>,
  input: Parameters<typeof proveReset>[2],
  language: Language,
): Promise<void> {
  const reset = await proveReset(caller, ports, input)
  const { email, passwordHash } = reset
  if (reset.ownerId !== null) return caller.transaction((tx) => setByReset(tx, ports, reset))
  await foundingScope(caller.actor).transaction(async (tx) => {
    await spendReset(tx, reset)
    if (!(await freeAddress(tx, email))) throw new AppError('link_expired')
    await addNewcomer(tx, ports, { email, confirmed: true, passwordHash }, { timezone: 'UTC', language })
  })
}

/** Creates another workspace, whose OWNER is the caller. Throws `too_many_workspaces`. */
export async function createWorkspace(
  { foundingScope }: Pick<Scopes, 'foundingScope'>,
  caller: Scope,
  ports: Pick<Ports, 'settings'>,
  userId: string,
  input: NewWorkspace,
): Promise<Workspace> {
  const timezone = input.timezone ?? 'UTC'
  refuseUnknownZone(timezone)
  return foundingScope(caller.actor).transaction(async (tx) => {
    await assertMayOwnMore(tx, userId)
    await addWorkspace(tx, ports, userId, { ...input, timezone })
    const { json } = await tx.one(workspaceOf(userId), 'not_found')
    return json
  })
}

export async function getWorkspace(scope: Scope, userId: string): Promise<Workspace> {
  const [[found]] = await scope.read(workspaceOf(userId))
  if (!found) throw new AppError('not_found')
  return found.json
}

/**
 * Returns a page of the caller's workspaces, newest first. They are read one after another, since each is visible only in its own scope.
 */
export async function listWorkspaces(
  { scope }: Pick<Scopes, 'scope'>,
  caller: Scope,
  userId: string,
  memberships: readonly { id: string }[],
  request: PageRequest,
): Promise<Page<Workspace>> {
  const { data: asked, nextCursor } = pageOfKnown(memberships, ['uuid'], request, ({ id }) => [id])
  const data: Workspace[] = []
  for (const { id } of asked) data.push(await getWorkspace(scope(id, caller.actor), userId))
  return { data, nextCursor }
}

const writable = [
  'name',
  'timezone',
  'weekStart',
  'language',
  'niche',
  'approvalMode',
  'linkTags',
  'publishing',
  'bot',
] as const

type Pause = Workspace['publishing']

/** The effect of a pause or resumption on posts, in the transaction of the change. publishing/ registers it. */
export type ChangePause = (tx: Tx, change: Pick<Pause, 'paused' | 'reason' | 'onResume'>) => Promise<void>

/** A pause keeps its reason until another is given. Resuming clears everything of the pause. */
function pauseOf(current: Pause, change: WorkspacePatch['publishing'] = current): Pause {
  const { paused, reason = current.reason, onResume = current.onResume } = change
  return { paused, reason: paused ? reason : null, onResume: paused ? onResume : 'send', due: paused ? current.due : 0 }
}

/**
 * Changes a workspace. Only a real change raises the version. Throws `stale_version`, `validation_failed`,
 * `feature_not_in_plan`.
 */
export async function updateWorkspace(
  scope: Scope,
  userId: string,
  patch: WorkspacePatch,
  how: { changePause: ChangePause; ifMatch?: number | undefined },
): Promise<Workspace> {
  if (patch.timezone !== undefined) refuseUnknownZone(patch.timezone)
  return scope.transaction((tx) => changeWorkspace(tx, userId, patch, how))
}

/** Settings of the workspace have changed. */
export interface WorkspaceChanged extends DomainEvent {
  type: 'workspace.changed'
  subject: { workspaceId: string }
  data: { fields: readonly string[] }
}

async function changeWorkspace(
  tx: Tx,
  userId: string,
  patch: WorkspacePatch,
  { changePause, ifMatch }: { changePause?: ChangePause; ifMatch?: number | undefined } = {},
): Promise<Workspace> {
  await tx.one(query`select from workspace where id = ${tx.workspaceId} for update`, 'not_found')
  const { json: current } = await tx.one(workspaceOf(userId), 'not_found')
  refuseStale(current.version, ifMatch)
  const faults = readOnlyFaults(patch, current, writable)
  if (faults.length > 0) throw invalid(...faults)
  const { paused, reason = current.bot.reason } = patch.bot ?? current.bot
  const next = {
    ...current,
    ...patch,
    linkTags: { ...current.linkTags, ...patch.linkTags },
    publishing: pauseOf(current.publishing, patch.publishing),
    bot: { paused, reason: paused ? reason : null },
  }
  const changed = writable.filter((key) => patch[key] !== undefined && !isDeepStrictEqual(next[key], current[key]))
  if (changed.length === 0) return current
  if (changed.includes('approvalMode')) {
    if (next.approvalMode.startsWith('required')) await refuseWithout(tx, 'approvals')
  }
  const onResume = patch.publishing?.onResume ?? current.publishing.onResume
  if (next.publishing.paused !== current.publishing.paused) {
    if (!changePause) throw new Error('Pausing or resuming publishing requires changePause')
    await changePause(tx, { ...next.publishing, onResume })
  }
  await tx.one(
    query`update workspace set name = ${next.name}, timezone = ${next.timezone}, week_start = ${next.weekStart},
        language = ${next.language}, niche = ${next.niche ?? null}, approval_mode = ${next.approvalMode}, link_tags = ${JSON.stringify(next.linkTags)},
        publishing_paused_at = case when ${next.publishing.paused} then coalesce(publishing_paused_at, ${tx.now}) end,
        publishing_paused_reason = ${next.publishing.reason}, publishing_on_resume = ${next.publishing.onResume},
        bot_paused_at = case when ${next.bot.paused} then coalesce(bot_paused_at, ${tx.now}) end,
        bot_paused_reason = ${next.bot.reason},
        version = version + 1, updated_at = ${tx.now}
        where id = ${tx.workspaceId} and version = ${current.version} returning version`,
    'stale_version',
  )
  tx.record({
    type: 'workspace.changed',
    subject: { workspaceId: tx.workspaceId },
    data: { fields: changed },
  } satisfies WorkspaceChanged)
  return (await tx.one(workspaceOf(userId), 'not_found')).json
}

/**
 * Records what a person says about themselves and their default workspace at the beginning. Zone and language apply to
 * the person, and to the workspace only if they own it: a person who joins a team does not change its zone. Throws
 * `role_required` for a name or field of work that they may not set.
 */
export async function completeOnboarding(
  { scope }: Pick<Scopes, 'scope'>,
  caller: Scope,
  userId: string,
  { name, workspaceName, timezone, language, niche, goals }: Onboarding,
): Promise<Profile> {
  if (timezone !== undefined) refuseUnknownZone(timezone)
  const { workspaces, defaultWorkspaceId } = await getProfile(caller, userId)
  const workspace = workspaces.find(({ id }) => id === defaultWorkspaceId)
  const founds = workspace?.role === 'OWNER'
  const may = founds || workspace?.role === 'ADMIN'
  if (!may && (workspaceName !== undefined || niche !== undefined)) {
    if (!workspace) throw new AppError('no_workspace')
    throw new AppError('role_required', undefined, { required: 'ADMIN', actual: workspace.role })
  }
  const { actor } = caller
  const roles = founds ? ['OWNER'] : ['OWNER', 'ADMIN']
  const acting: Actor =
    may && actor.kind === 'user'
      ? { ...actor, standing: { workspaceId: workspace.id, roles, least: workspace.role } }
      : actor
  await (workspace ? scope(workspace.id, acting) : caller).transaction(async (tx) => {
    await recordOnboarding(tx, userId, { name, language, timezone, goals })
    if (!may) return
    await changeWorkspace(tx, userId, {
      ...(workspaceName !== undefined && { name: workspaceName }),
      ...(founds && timezone !== undefined && { timezone }),
      ...(founds && language !== undefined && { language }),
      ...(niche !== undefined && { niche }),
    })
  })
  return getProfile(caller, userId)
}
