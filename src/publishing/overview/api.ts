import * as z from 'zod'
import { type Endpoint, Id, ROLES, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'

/** The number of posts and targets of each kind that need a person, as in `listTrouble`. All 0 to a CLIENT. */
const Troubles = z.strictObject({
  failed: z.int(),
  unconfirmed: z.int(),
  stuck: z.int(),
  atRisk: z.int(),
  twice: z.int(),
  timePassed: z.int(),
  removalFailed: z.int(),
})

/** What needs attention in one workspace, limited to what the caller's role there may see and decide. */
export const WorkspaceOverview = z
  .strictObject({
    workspaceId: Id,
    name: z.string(),
    timezone: z.string(),
    role: z.enum(ROLES),
    publishingPaused: z.boolean(),
    needs: z
      .int()
      .describe(
        'Number of things that need the caller: approvals, accounts, problems, and all unanswered conversations as one',
      ),
    approvals: z.int().describe('Pending requests that wait for the caller, without those to the client'),
    inbox: z
      .strictObject({ unanswered: z.int(), escalated: z.int() })
      .describe('Open conversations that need a reply, and escalated ones. Counted for EDITOR and above'),
    accounts: z
      .array(z.strictObject({ id: Id, platform: Platform, name: z.string() }))
      .describe('Accounts to reconnect. Listed for ADMIN and above'),
    troubles: Troubles,
    next: z
      .strictObject({
        postId: Id,
        caption: z.string().describe('First 200 characters'),
        scheduledAt: Timestamp,
        platforms: z.array(Platform),
        thumbnailUrl: z.string().nullable(),
      })
      .nullable()
      .describe('Next scheduled post. Null if there is none'),
  })
  .meta({ id: 'WorkspaceOverview' })
export type WorkspaceOverview = z.infer<typeof WorkspaceOverview>

export const getOverview = {
  method: 'GET',
  url: '/overview',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'getOverview',
    summary: 'List what needs your attention in each of your workspaces',
    description: 'Workspaces are sorted by name. What counts depends on your role in each.',
    tags: ['Workspaces'],
    response: { 200: z.strictObject({ data: z.array(WorkspaceOverview), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint
