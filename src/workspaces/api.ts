import * as z from 'zod'
import { LANGUAGES, Profile } from '../identity/api.ts'
import { type Endpoint, Id, IdParams, pageOf, patchOf, ROLES, Timestamp } from '../http/endpoint.ts'

const tags = ['Workspaces'] as const

const Pause = z.strictObject({ paused: z.boolean(), reason: z.string().nullable() })

export const Workspace = z
  .strictObject({
    id: Id,
    name: z.string(),
    timezone: z.string(),
    weekStart: z.enum(['monday', 'sunday', 'saturday']),
    language: z.string(),
    niche: z.string().nullable(),
    approvalMode: z.enum(['none', 'optional', 'required', 'required_with_client']),
    publishing: Pause,
    bot: Pause,
    role: z.enum(ROLES),
    plan: z.string(),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
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

/** Pausing takes a reason; sent back as it is, it changes nothing. */
const Publishing = z.strictObject({
  paused: z.boolean(),
  reason: z.string().trim().max(200).nullable().optional(),
})

export const WorkspacePatch = patchOf({ ...NewWorkspace.partial().shape, publishing: Publishing.optional() }, Workspace)
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
    summary: 'Say who one is and what for, at the beginning or again; all of it may be left out',
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
    summary: 'The workspaces that the caller belongs to',
    tags,
    response: { 200: pageOf(Workspace) },
  },
} as const satisfies Endpoint

export const createWorkspace = {
  method: 'POST',
  url: '/workspaces',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'createWorkspace',
    summary: 'Create a workspace; the caller becomes its OWNER',
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
    summary: 'One workspace',
    tags,
    params: IdParams,
    response: { 200: Workspace },
  },
} as const satisfies Endpoint

export const updateWorkspace = {
  method: 'PATCH',
  url: '/workspaces/:id',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'updateWorkspace',
    summary: 'Change a workspace',
    tags,
    params: IdParams,
    body: WorkspacePatch,
    response: { 200: Workspace },
  },
} as const satisfies Endpoint
