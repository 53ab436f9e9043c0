import * as z from 'zod'
import { Email, LANGUAGES, Profile } from '../identity/api.ts'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  NoBody,
  PageQuery,
  pageOf,
  patchOf,
  ROLES,
  Timestamp,
} from '../../core/http/endpoint.ts'

const tags = ['Workspaces'] as const

const Pause = z.strictObject({ paused: z.boolean(), reason: z.string().nullable() })

/** The parameters that posted links get; {network}, {account}, {date} and {post} are filled in. */
export const LinkTags = z
  .strictObject({ on: z.boolean(), source: z.string(), medium: z.string(), campaign: z.string() })
  .meta({ id: 'LinkTags' })

export const Workspace = z
  .strictObject({
    id: Id,
    name: z.string(),
    timezone: z.string(),
    weekStart: z.enum(['monday', 'sunday', 'saturday']),
    language: z.string(),
    niche: z.string().nullable(),
    approvalMode: z.enum(['none', 'optional', 'required', 'required_with_client']),
    linkTags: LinkTags,
    publishing: Pause.extend({
      onResume: z
        .enum(['send', 'draft'])
        .describe(
          'For posts that miss their time during the pause: `send` publishes them late, `draft` moves them to drafts',
        ),
      due: z.int().nullable().describe('Posts that missed their scheduled time during the pause. Null for a CLIENT'),
    }),
    bot: Pause,
    role: z.enum(ROLES),
    plan: z.string(),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof Workspace>

export const NewWorkspace = z.strictObject({
  name: z.string().trim().min(1).max(100),
  timezone: z.string().max(64).optional(),
  weekStart: Workspace.shape.weekStart.optional(),
  language: z.enum(LANGUAGES).optional(),
  niche: z.string().trim().max(200).nullable().optional(),
})
export type NewWorkspace = z.infer<typeof NewWorkspace>

/** A pause may have a reason. Sent back unchanged, it changes nothing. */
const Paused = z.strictObject({
  paused: z.boolean(),
  reason: z.string().trim().max(200).nullable().optional(),
})
const Publishing = Paused.extend({ onResume: z.enum(['send', 'draft']).optional(), due: z.int().nullable().optional() })

/**
 * A value of a link parameter. Braces other than those of the placeholders would be posted as they are, so they are
 * refused.
 */
export const LinkTagValue = z
  .stringFormat(
    'placeholder_format',
    /^(?:[^{}]|\{(?:network|account|date|post)\})*$/,
    'Only the placeholders {network}, {account}, {date} and {post} are allowed.',
  )
  .trim()
  .max(100)

export const WorkspacePatch = patchOf(
  {
    ...NewWorkspace.partial().shape,
    publishing: Publishing.optional(),
    bot: Paused.optional(),
    approvalMode: Workspace.shape.approvalMode.optional(),
    linkTags: z
      .strictObject({ on: z.boolean(), source: LinkTagValue, medium: LinkTagValue, campaign: LinkTagValue })
      .partial()
      .optional(),
  },
  Workspace,
)
export type WorkspacePatch = z.infer<typeof WorkspacePatch>

export const Onboarding = z.strictObject({
  name: z.string().trim().max(100).optional(),
  workspaceName: NewWorkspace.shape.name.optional(),
  timezone: NewWorkspace.shape.timezone,
  language: NewWorkspace.shape.language,
  niche: NewWorkspace.shape.niche,
  goals: z.array(z.string().trim().min(1).max(60)).max(10).optional(),
})
export type Onboarding = z.infer<typeof Onboarding>

export const completeOnboarding = {
  method: 'POST',
  url: '/auth/onboarding',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'completeOnboarding',
    summary: 'Complete onboarding, now or again; all fields are optional',
    tags: ['Identity'],
    body: Onboarding,
    response: { 200: Profile },
  },
} as const satisfies Endpoint

export const listWorkspaces = {
  method: 'GET',
  url: '/workspaces',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'listWorkspaces',
    summary: 'List your workspaces, or the deleted ones you can restore',
    tags,
    querystring: z.strictObject({ deleted: z.enum(['true', 'false']).default('false'), ...PageQuery }),
    response: { 200: pageOf(Workspace) },
  },
} as const satisfies Endpoint

export const createWorkspace = {
  method: 'POST',
  url: '/workspaces',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'createWorkspace',
    summary: 'Create a workspace and become its OWNER',
    tags,
    body: NewWorkspace,
    response: { 201: Workspace },
  },
} as const satisfies Endpoint

export const getWorkspace = {
  method: 'GET',
  url: '/workspaces/:id',
  config: { gate: { role: 'VIEWER', client: true } },
  schema: {
    operationId: 'getWorkspace',
    summary: 'Get a workspace',
    tags,
    params: IdParams,
    response: { 200: Workspace },
  },
} as const satisfies Endpoint

export const deleteWorkspace = {
  method: 'DELETE',
  url: '/workspaces/:id',
  config: { gate: { role: 'OWNER' } },
  schema: {
    operationId: 'deleteWorkspace',
    summary: 'Delete a workspace now and erase it after 30 days',
    description:
      'The workspace stops publishing and replying at once. Its OWNER can restore it for 30 days, then it’s erased.',
    tags,
    params: IdParams,
    querystring: z.strictObject({ confirmName: z.string().max(100).describe('Name of the workspace, to confirm') }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const restoreWorkspace = {
  method: 'POST',
  url: '/workspaces/:id/restore',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'restoreWorkspace',
    summary: 'Restore a deleted workspace with publishing paused',
    description: 'Only the OWNER can restore a workspace, within 30 days of its deletion.',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Workspace },
  },
} as const satisfies Endpoint

export const updateWorkspace = {
  method: 'PATCH',
  url: '/workspaces/:id',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'updateWorkspace',
    summary: 'Update a workspace',
    tags,
    params: IdParams,
    body: WorkspacePatch,
    response: { 200: Workspace },
  },
} as const satisfies Endpoint

// ---- members

const memberTags = ['Members'] as const
const MemberParams = z.object({ id: z.string(), userId: z.string() })
const InvitationParams = z.object({ id: z.string(), invitationId: z.string() })
const TokenParams = z.object({ token: z.string() })

/** A member of a workspace. `id` is the id of the user. */
export const Member = z
  .strictObject({
    id: Id,
    userId: Id,
    email: z.string().nullable(),
    name: z.string(),
    role: z.enum(ROLES),
    joinedAt: Timestamp,
    lastActiveAt: Timestamp.nullable(),
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof Member>

/** A member, as a CLIENT sees them. */
const MemberName = z
  .strictObject({
    id: z.null(),
    userId: z.null(),
    email: z.null(),
    name: z.string(),
    role: z.null(),
    joinedAt: z.null(),
    lastActiveAt: z.null(),
  })
  .meta({ id: 'MemberName' })
export type MemberName = z.infer<typeof MemberName>

export const WorkspaceInvitation = z
  .strictObject({
    id: Id,
    email: z.string(),
    role: z.enum(ROLES),
    invitedBy: z.strictObject({ id: Id, name: z.string() }).nullable(),
    expiresAt: Timestamp,
    acceptedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'WorkspaceInvitation' })
export type WorkspaceInvitation = z.infer<typeof WorkspaceInvitation>

/** An invitation, as the holder of its link sees it. */
export const OpenInvitation = z
  .strictObject({
    workspaceName: z.string(),
    role: z.enum(ROLES),
    email: z.string().describe('Masked'),
  })
  .meta({ id: 'OpenInvitation' })
export type OpenInvitation = z.infer<typeof OpenInvitation>

const RoleBody = z.strictObject({ role: z.enum(ROLES) })

export const listMembers = {
  method: 'GET',
  url: '/workspaces/:id/members',
  config: { gate: { role: 'VIEWER', client: true } },
  schema: {
    operationId: 'listMembers',
    summary: 'List members, newest first; a CLIENT sees only names',
    tags: memberTags,
    params: IdParams,
    querystring: z.strictObject(PageQuery),
    response: { 200: pageOf(z.union([Member, MemberName])) },
  },
} as const satisfies Endpoint

export const inviteMember = {
  method: 'POST',
  url: '/workspaces/:id/members',
  config: { gate: { role: 'ADMIN', quota: 'members' } },
  schema: {
    operationId: 'inviteMember',
    summary: 'Invite someone by email, or send them a new link',
    description: 'The invitation is valid for 7 days. If the address is already invited, it gets a new link.',
    tags: memberTags,
    params: IdParams,
    body: z.strictObject({ email: Email, role: z.enum(ROLES) }),
    response: { 201: WorkspaceInvitation },
  },
} as const satisfies Endpoint

export const updateMember = {
  method: 'PUT',
  url: '/workspaces/:id/members/:userId',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'updateMember',
    summary: 'Change a member’s role; OWNER transfers ownership',
    description: 'Assigning OWNER transfers ownership at once.',
    tags: memberTags,
    params: MemberParams,
    body: RoleBody,
    response: { 200: Member },
  },
} as const satisfies Endpoint

export const removeMember = {
  method: 'DELETE',
  url: '/workspaces/:id/members/:userId',
  config: { gate: { role: 'ADMIN', own: 'userId' } },
  schema: {
    operationId: 'removeMember',
    summary: 'Remove a member, or leave the workspace',
    description: 'What the member wrote stays.',
    tags: memberTags,
    params: MemberParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const removeMemberHere = {
  method: 'DELETE',
  url: '/members/:memberId',
  config: { gate: { role: 'ADMIN', own: 'memberId' } },
  schema: {
    operationId: 'removeMemberHere',
    summary: 'Remove a member of the selected workspace, or leave it',
    tags: memberTags,
    params: z.object({ memberId: z.string() }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const transferOwnership = {
  method: 'POST',
  url: '/workspaces/:id/transfer-ownership',
  config: { gate: { role: 'OWNER' } },
  schema: {
    operationId: 'transferOwnership',
    summary: 'Transfer ownership to another member and become ADMIN',
    tags: memberTags,
    params: IdParams,
    body: z.strictObject({ userId: Id }),
    response: { 200: Workspace },
  },
} as const satisfies Endpoint

export const listInvitations = {
  method: 'GET',
  url: '/workspaces/:id/invitations',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'listInvitations',
    summary: 'List pending and expired invitations, newest first',
    tags: memberTags,
    params: IdParams,
    querystring: z.strictObject(PageQuery),
    response: { 200: pageOf(WorkspaceInvitation) },
  },
} as const satisfies Endpoint

export const findInvitation = {
  method: 'GET',
  url: '/workspaces/:id/invitations/:invitationId',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'findInvitation',
    summary: 'Get a pending or expired invitation',
    tags: memberTags,
    params: InvitationParams,
    response: { 200: WorkspaceInvitation },
  },
} as const satisfies Endpoint

export const resendInvitation = {
  method: 'POST',
  url: '/workspaces/:id/invitations/:invitationId/resend',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'resendInvitation',
    summary: 'Resend an invitation with a new link, valid for 7 days',
    description: 'The previous link stops working.',
    tags: memberTags,
    params: InvitationParams,
    body: NoBody,
    response: { 200: WorkspaceInvitation },
  },
} as const satisfies Endpoint

export const revokeInvitation = {
  method: 'DELETE',
  url: '/workspaces/:id/invitations/:invitationId',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'revokeInvitation',
    summary: 'Withdraw an invitation',
    tags: memberTags,
    params: InvitationParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const getInvitation = {
  method: 'GET',
  url: '/invitations/:token',
  config: { gate: 'public' },
  schema: {
    operationId: 'getInvitation',
    summary: 'Get the invitation behind a link',
    tags: memberTags,
    params: TokenParams,
    response: { 200: OpenInvitation },
  },
} as const satisfies Endpoint

export const acceptInvitation = {
  method: 'POST',
  url: '/invitations/:token/accept',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation that was sent to your address',
    tags: memberTags,
    params: TokenParams,
    body: NoBody,
    response: { 200: Workspace },
  },
} as const satisfies Endpoint
