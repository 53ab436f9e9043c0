import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, pageOf, PageQuery } from '../../core/http/endpoint.ts'
import { LONGEST_MESSAGE, ThreadKind } from '../threads/api.ts'
import { BotConfigChange } from './config/api.ts'
import { ChargedDecision, Decision, DRAFT_STATES, DraftReply, FLAG_REASONS, LogEntry } from '../decisions/api.ts'

const tags = ['Bot'] as const
const read = { role: 'VIEWER', feature: 'auto_reply' } as const
const work = { role: 'EDITOR', feature: 'auto_reply' } as const
const asking = { ...work, quota: ['ai_credits', 'ai_generations'] } as const

export const DraftQuery = z.strictObject({
  ...PageQuery,
  workspaceId: z.string().optional(),
  state: z.enum(DRAFT_STATES).optional().describe('Default: any state'),
  sort: z.enum(['newest', 'oldest']).default('newest').describe('Which drafts come first'),
})
export type DraftQuery = z.infer<typeof DraftQuery>

export const listDraftReplies = {
  method: 'GET',
  url: '/ice/replies',
  config: { gate: read },
  schema: {
    operationId: 'listDraftReplies',
    summary: 'List the bot’s draft replies',
    tags,
    querystring: DraftQuery,
    response: { 200: pageOf(DraftReply) },
  },
} as const satisfies Endpoint

export const getDraftReply = {
  method: 'GET',
  url: '/ice/replies/:id',
  config: { gate: read },
  schema: {
    operationId: 'getDraftReply',
    summary: 'Get a draft reply',
    tags,
    params: IdParams,
    response: { 200: DraftReply },
  },
} as const satisfies Endpoint

export const approveDraftReply = {
  method: 'POST',
  url: '/ice/replies/:id/approve',
  config: { gate: work },
  schema: {
    operationId: 'approveDraftReply',
    summary: 'Approve and send a draft reply, as written or edited',
    tags,
    params: IdParams,
    body: z.strictObject({ text: z.string().trim().min(1).max(LONGEST_MESSAGE).optional() }).optional(),
    response: { 200: DraftReply },
  },
} as const satisfies Endpoint

export const flagDraftReply = {
  method: 'POST',
  url: '/ice/replies/:id/flag',
  config: { gate: work },
  schema: {
    operationId: 'flagDraftReply',
    summary: 'Flag a draft reply, which is then never sent',
    tags,
    params: IdParams,
    body: z.strictObject({ reason: z.enum(FLAG_REASONS), note: z.string().trim().min(1).max(500).optional() }),
    response: { 200: DraftReply },
  },
} as const satisfies Endpoint

export const suggestReply = {
  method: 'POST',
  url: '/conversations/:id/suggest',
  config: { gate: asking, goesOn: true },
  schema: {
    operationId: 'suggestReply',
    summary: 'Suggest a reply to a conversation',
    description:
      'Returns the draft with 201, or the decision with 200 if there is no draft. If it takes longer, 202 returns the unfinished decision, and `Location` is its URL.',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Decision, 201: DraftReply, 202: Decision },
  },
} as const satisfies Endpoint

export const listChargedDecisions = {
  method: 'GET',
  url: '/ice/decisions',
  config: { gate: read },
  schema: {
    operationId: 'listChargedDecisions',
    summary: 'List the decisions of the bot that used credits, newest first',
    tags,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(ChargedDecision) },
  },
} as const satisfies Endpoint

export const getDecision = {
  method: 'GET',
  url: '/ice/decisions/:id',
  config: { gate: read },
  schema: {
    operationId: 'getDecision',
    summary: 'Get a decision of the bot with its reasons',
    tags,
    params: IdParams,
    response: { 200: Decision },
  },
} as const satisfies Endpoint

export const replayDecision = {
  method: 'GET',
  url: '/ice/decisions/:id/replay',
  config: { gate: read },
  schema: {
    operationId: 'replayDecision',
    summary: 'Replay a decision with the current rules',
    description: 'Decides again from the stored facts and compares both logs.',
    tags,
    params: IdParams,
    response: {
      200: z.strictObject({
        same: z.boolean().describe('Whether both logs are identical, byte for byte'),
        redacted: z.boolean().describe('Whether the facts were erased, so that the decision can’t be replayed'),
        rulesVersion: z.int().describe('Current version of the rules'),
        log: z.array(LogEntry),
        diff: z.array(
          z.strictObject({ step: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
        ),
      }),
    },
  },
} as const satisfies Endpoint

/** The maximum number of texts of a batch test. */
export const MOST_SIMULATED = 100

export const Simulation = z
  .strictObject({
    text: z.string().trim().min(1).max(4_000).optional(),
    texts: z.array(z.string().trim().min(1).max(4_000)).min(1).max(MOST_SIMULATED).optional(),
    kind: ThreadKind.default('DM'),
    accountId: Id.optional().describe('Default: the first account that isn’t disconnected and can send replies'),
    config: BotConfigChange.optional().describe(
      'Draft configuration, whose fields replace those of the bot’s in this test. Fields that only matter when the bot sends are ignored',
    ),
  })
  .refine(({ text, texts }) => (text === undefined) !== (texts === undefined), {
    error: 'Must set either text or texts',
  })
export type Simulation = z.infer<typeof Simulation>

export const SimulationRun = z
  .strictObject({
    id: Id,
    done: z.boolean(),
    data: z.array(Decision).describe('One decision per text, in the order of `texts`'),
  })
  .meta({ id: 'SimulationRun' })
export type SimulationRun = z.infer<typeof SimulationRun>

export const simulateReplies = {
  method: 'POST',
  url: '/ice/simulate',
  config: { gate: asking, goesOn: true },
  schema: {
    operationId: 'simulateReplies',
    summary: 'Test what the bot would reply to one or more texts',
    description: 'Nothing is sent. If it takes longer, 202 returns the unfinished result, and `Location` is its URL.',
    tags,
    body: Simulation,
    response: { 200: z.union([Decision, SimulationRun]), 202: z.union([Decision, SimulationRun]) },
  },
} as const satisfies Endpoint

export const getSimulation = {
  method: 'GET',
  url: '/ice/simulations/:id',
  config: { gate: read },
  schema: {
    operationId: 'getSimulation',
    summary: 'Get a batch test with the decisions made so far',
    tags,
    params: IdParams,
    response: { 200: SimulationRun },
  },
} as const satisfies Endpoint
