import * as z from 'zod'
import { AuditEntry } from '../team/audit/api.ts'
import { type Endpoint, Id, IdParams, NoBody, PageQuery, pageOf, Timestamp } from '../core/http/endpoint.ts'
import { Plan, Price, Subscription } from '../team/plans/api.ts'

// For the operators of the service: people with the super-admin flag. `listAdminAudit` lists every use of these
// endpoints, including reads.

const tags = ['Administration'] as const
const config = { gate: 'super-admin' } as const

const User = {
  id: Id,
  email: z.string().nullable(),
  phone: z.string().nullable(),
  name: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  disabledAt: Timestamp.nullable(),
  isSuperAdmin: z.boolean(),
}
export const AdminUser = z.strictObject({ ...User, workspaces: z.int() }).meta({ id: 'AdminUser' })
export type AdminUser = z.infer<typeof AdminUser>

export const AdminUserDetails = z
  .strictObject({
    ...User,
    sessions: z.int().describe('Number of signed-in devices'),
    workspaces: z.array(
      z.strictObject({ id: Id, name: z.string(), role: z.string(), plan: z.string(), deletedAt: Timestamp.nullable() }),
    ),
  })
  .meta({ id: 'AdminUserDetails' })
export type AdminUserDetails = z.infer<typeof AdminUserDetails>

export const AdminWorkspace = z
  .strictObject({
    id: Id,
    name: z.string(),
    plan: z.string(),
    members: z.int(),
    postsThisMonth: z.int().describe('Posts counted toward this month’s quota, in the time zone of the workspace'),
    createdAt: Timestamp,
    deletedAt: Timestamp.nullable(),
  })
  .meta({ id: 'AdminWorkspace' })
export type AdminWorkspace = z.infer<typeof AdminWorkspace>

export const Queue = z
  .strictObject({
    name: z.string(),
    waiting: z.int(),
    running: z.int(),
    failed: z.int().describe('Jobs that have failed for good and aren’t retried automatically'),
    retrying: z.int().describe('Waiting jobs whose last attempt failed'),
    oldestSeconds: z.number().nullable().describe('Seconds since the oldest waiting job was due. Null if none is due'),
  })
  .meta({ id: 'Queue' })
export type Queue = z.infer<typeof Queue>

/** Work whose last try failed: given up (`failed`), or to be retried at `nextAt` (`waiting`). */
export const FailedWork = z
  .strictObject({
    id: z.string(),
    state: z.enum(['failed', 'waiting']),
    at: Timestamp.describe('When the job was last attempted'),
    nextAt: Timestamp.nullable(),
    attempts: z.int(),
    maxAttempts: z.int().nullable(),
    error: z.string(),
    canRetry: z.boolean().describe('False if members of the workspace decide about the retry'),
  })
  .meta({ id: 'FailedWork' })
export type FailedWork = z.infer<typeof FailedWork>

const text = z.string().max(200).optional()

export const listUsers = {
  method: 'GET',
  url: '/admin/users',
  config,
  schema: {
    operationId: 'listUsers',
    summary: 'List users, newest first',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      text: text.describe('Part of the name, email address or phone number'),
      disabled: z.enum(['true', 'false']).optional(),
    }),
    response: { 200: pageOf(AdminUser) },
  },
} as const satisfies Endpoint

export const getUser = {
  method: 'GET',
  url: '/admin/users/:id',
  config,
  schema: {
    operationId: 'getUser',
    summary: 'Get a user with their workspaces',
    tags,
    params: IdParams,
    response: { 200: AdminUserDetails },
  },
} as const satisfies Endpoint

export const disableUser = {
  method: 'POST',
  url: '/admin/users/:id/disable',
  config,
  schema: {
    operationId: 'disableUser',
    summary: 'Disable a user and end all their sessions',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: AdminUserDetails },
  },
} as const satisfies Endpoint

export const enableUser = {
  method: 'POST',
  url: '/admin/users/:id/enable',
  config,
  schema: {
    operationId: 'enableUser',
    summary: 'Enable a user so that they can sign in again',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: AdminUserDetails },
  },
} as const satisfies Endpoint

export const listAllWorkspaces = {
  method: 'GET',
  url: '/admin/workspaces',
  config,
  schema: {
    operationId: 'listAllWorkspaces',
    summary: 'List workspaces, newest first',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      text: text.describe('Part of the name'),
      plan: z.string().max(50).optional(),
    }),
    response: { 200: pageOf(AdminWorkspace) },
  },
} as const satisfies Endpoint

export const giveSubscription = {
  method: 'PUT',
  url: '/admin/workspaces/:id/subscription',
  config,
  schema: {
    operationId: 'giveSubscription',
    summary: 'Change a workspace’s plan, even if plans are managed',
    tags,
    params: IdParams,
    body: z.strictObject({ plan: z.string().max(50) }),
    response: { 200: Subscription },
  },
} as const satisfies Endpoint

export const listAllPlans = {
  method: 'GET',
  url: '/admin/plans',
  config,
  schema: {
    operationId: 'listAllPlans',
    summary: 'List plans with their features and quotas',
    tags,
    response: {
      200: z.strictObject({
        ...pageOf(Plan).shape,
        features: z.array(z.string()).describe('All features that a plan can include'),
      }),
    },
  },
} as const satisfies Endpoint

const PlanChange = z.strictObject({
  price: Price.optional(),
  features: z.array(z.string().max(50)).max(100).optional().describe('All features that the plan includes from now on'),
  quotas: z
    .record(z.string().max(50), z.int().min(0).nullable())
    .optional()
    .describe('New limits by quota. Null means unlimited; omitted quotas don’t change'),
})
export type PlanChange = z.infer<typeof PlanChange>

export const changePlan = {
  method: 'PUT',
  url: '/admin/plans/:plan',
  config,
  schema: {
    operationId: 'changePlan',
    summary: 'Change a plan in all workspaces on it, effective immediately',
    tags,
    params: z.object({ plan: z.string() }),
    body: PlanChange,
    response: { 200: Plan },
  },
} as const satisfies Endpoint

export const listQueues = {
  method: 'GET',
  url: '/admin/queues',
  config,
  schema: {
    operationId: 'listQueues',
    summary: 'List queues with their waiting, running and failed jobs',
    tags,
    response: { 200: pageOf(Queue) },
  },
} as const satisfies Endpoint

const QueueParams = z.object({ name: z.string() })

export const listFailed = {
  method: 'GET',
  url: '/admin/queues/:name/failed',
  config,
  schema: {
    operationId: 'listFailed',
    summary: 'List jobs whose last attempt failed, newest first',
    tags,
    params: QueueParams,
    querystring: z.strictObject(PageQuery),
    response: { 200: pageOf(FailedWork) },
  },
} as const satisfies Endpoint

const Retried = z.strictObject({ retried: z.int() })

export const retryQueue = {
  method: 'POST',
  url: '/admin/queues/:name/retry',
  config,
  schema: {
    operationId: 'retryQueue',
    summary: 'Retry all failed jobs of a queue now',
    tags,
    params: QueueParams,
    body: NoBody,
    response: { 200: Retried },
  },
} as const satisfies Endpoint

export const retryJob = {
  method: 'POST',
  url: '/admin/jobs/:job/retry',
  config,
  schema: {
    operationId: 'retryJob',
    summary: 'Retry a failed job now',
    tags,
    params: z.object({ job: z.string() }),
    body: NoBody,
    response: { 200: Retried },
  },
} as const satisfies Endpoint

/** An operator acts on people and workspaces, never on their accounts. */
export const OperatorEntry = AuditEntry.omit({ accounts: true }).meta({ id: 'OperatorEntry' })
export type OperatorEntry = z.infer<typeof OperatorEntry>

export const listAdminAudit = {
  method: 'GET',
  url: '/admin/audit',
  config,
  schema: {
    operationId: 'listAdminAudit',
    summary: 'List what administrators did or viewed, newest first',
    tags,
    querystring: z.strictObject({
      ...PageQuery,
      kind: z.enum(['changes', 'reads']).optional().describe('Default: both'),
      actorId: Id.optional(),
    }),
    response: { 200: pageOf(OperatorEntry) },
  },
} as const satisfies Endpoint
