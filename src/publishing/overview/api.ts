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
      .describe('What waits for the caller: approvals, accounts, troubles, and all unanswered conversations as one'),
    approvals: z.int().describe('Open requests that wait for the caller, not those for the client'),
    inbox: z
      .strictObject({ unanswered: z.int(), escalated: z.int() })
      .describe('Open conversations that wait for an answer, and escalated ones, to those who may answer: EDITOR'),
    accounts: z
      .array(z.strictObject({ id: Id, platform: Platform, name: z.string() }))
      .describe('Accounts that must be reconnected, to those who may: ADMIN'),
    troubles: Troubles,
    next: z
      .strictObject({
        postId: Id,
        caption: z.string().describe('Its first 200 characters'),
        scheduledAt: Timestamp,
        platforms: z.array(Platform),
        thumbnailUrl: z.string().nullable(),
      })
      .nullable()
      .describe('The next post on the schedule'),
  })
  .meta({ id: 'WorkspaceOverview' })
export type WorkspaceOverview = z.infer<typeof WorkspaceOverview>

export const getOverview = {
  method: 'GET',
  url: '/overview',
  config: { gate: 'signed-in' },
  schema: {
    operationId: 'getOverview',
    summary: 'What needs attention in each workspace of the caller, by the role there, in the order of their names',
    tags: ['Workspaces'],
    response: { 200: z.strictObject({ data: z.array(WorkspaceOverview), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint
