import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, pageOf, PageQuery } from '../../core/http/endpoint.ts'
import { LONGEST_MESSAGE, ThreadKind } from '../api.ts'
import { TriedConfig } from './config/api.ts'
import { Decision, DRAFT_STATES, DraftReply, FLAG_REASONS, LogEntry } from './decisions/api.ts'

const tags = ['Bot'] as const
const read = { role: 'VIEWER', feature: 'auto_reply' } as const
const work = { role: 'EDITOR', feature: 'auto_reply' } as const
const asking = { ...work, quota: 'ai_credits' } as const

export const DraftQuery = z.strictObject({
  ...PageQuery,
  workspaceId: z.string().optional(),
  state: z.enum(DRAFT_STATES).default('PENDING_REVIEW'),
})
export type DraftQuery = z.infer<typeof DraftQuery>

export const listDraftReplies = {
  method: 'GET',
  url: '/ice/replies',
  config: { gate: read },
  schema: {
    operationId: 'listDraftReplies',
    summary: 'Replies that the bot wrote and did not send, newest first',
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
    summary: 'A reply that the bot wrote and did not send',
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
    summary: 'Send a held reply, as it is or with another text',
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
    summary: 'Say what is wrong with a held reply; it is never sent',
    tags,
    params: IdParams,
    body: z.strictObject({ reason: z.enum(FLAG_REASONS), note: z.string().trim().min(1).max(500).optional() }),
    response: { 200: DraftReply },
  },
} as const satisfies Endpoint

export const suggestReply = {
  method: 'POST',
  url: '/conversations/:id/suggest',
  config: { gate: asking },
  schema: {
    operationId: 'suggestReply',
    summary: 'Have a reply drafted: 201 the draft; 200 the decision where there is none; 202 when it takes longer',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: Decision, 201: DraftReply, 202: Decision },
  },
} as const satisfies Endpoint

export const getDecision = {
  method: 'GET',
  url: '/ice/decisions/:id',
  config: { gate: read },
  schema: {
    operationId: 'getDecision',
    summary: 'What the bot decided about a message, and why',
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
    summary: 'Decide again from what was stored, by the rules of today',
    tags,
    params: IdParams,
    response: {
      200: z.strictObject({
        same: z.boolean().describe('The log is the same, byte for byte'),
        redacted: z.boolean().describe('What was considered has been erased, so that it cannot be decided again'),
        rulesVersion: z.int().describe('The version of today'),
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
    accountId: Id.optional().describe('Default: the first connected account that takes messages'),
    config: TriedConfig.optional().describe('Fields to try in place of those of the configuration'),
  })
  .refine(({ text, texts }) => (text === undefined) !== (texts === undefined), { error: 'A text, or a list of texts' })
export type Simulation = z.infer<typeof Simulation>

export const SimulationRun = z
  .strictObject({ id: Id, done: z.boolean(), data: z.array(Decision).describe('One of each text, in their order') })
  .meta({ id: 'SimulationRun' })
export type SimulationRun = z.infer<typeof SimulationRun>

export const simulateReplies = {
  method: 'POST',
  url: '/ice/simulate',
  config: { gate: asking },
  schema: {
    operationId: 'simulateReplies',
    summary: 'What the bot would do with a text, or with many: nothing is sent. 202 when it takes longer',
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
    summary: 'The decisions of a batch test, as far as they are made',
    tags,
    params: IdParams,
    response: { 200: SimulationRun },
  },
} as const satisfies Endpoint
