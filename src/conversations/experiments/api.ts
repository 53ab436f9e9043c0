import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { LONGEST_STYLE } from '../threads/api.ts'

const tags = ['Bot'] as const
const read = { role: 'VIEWER', feature: 'auto_reply' } as const
const write = { role: 'ADMIN', feature: 'auto_reply' } as const

export const MOST_EXPERIMENTS = 100

/** A way of replying. Fields that it leaves out are taken from the bot's configuration. */
export const Variant = z.strictObject({
  name: z.string().trim().min(1).max(80),
  brandVoiceId: Id.nullable().optional(),
  style: z.string().trim().min(1).max(LONGEST_STYLE).nullable().optional().describe('For example: brief, warm'),
  instructions: z.string().trim().min(1).max(1_000).nullable().optional(),
})
export type Variant = z.infer<typeof Variant>

const Arm = z.strictObject({
  served: z.int().describe('Number of customers whose first reply was sent'),
  conversions: z.int(),
  drafted: z.int().describe('Number of customers for whom a reply was written'),
  rate: z.number().nullable(),
})

/** Compares two ways of replying. A customer keeps the variant that they got first. */
export const ReplyExperiment = z
  .strictObject({
    id: Id,
    name: z.string(),
    state: z.enum(['STOPPED', 'RUNNING', 'DECIDED']),
    variantA: Variant,
    variantB: Variant,
    variantACount: z.int(),
    variantBCount: z.int(),
    variantAConversions: z.int(),
    variantBConversions: z.int(),
    a: Arm,
    b: Arm,
    winnerId: z.enum(['A', 'B']).nullable(),
    pValue: z.number().nullable().describe('Anytime-valid p-value. Null without data'),
    comparable: z
      .boolean()
      .describe('False if the variants sent very different numbers of replies, so that no winner is named'),
    needed: z.int().describe('Served customers that each variant needs before a winner can be named'),
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'ReplyExperiment' })
export type ReplyExperiment = z.infer<typeof ReplyExperiment>

/** A variant as it is written, where its name may be left out. */
const variantNamed = (name: 'A' | 'B') => Variant.extend({ name: Variant.shape.name.default(name) })

export const NewExperiment = z.strictObject({
  name: z.string().trim().min(1).max(80),
  variantA: variantNamed('A'),
  variantB: variantNamed('B'),
})
export type NewExperiment = z.infer<typeof NewExperiment>
export const ExperimentPatch = patchOf(
  z
    .strictObject({
      ...NewExperiment.shape,
      state: ReplyExperiment.shape.state.describe('`DECIDED` is accepted if the experiment is decided already'),
    })
    .partial().shape,
  ReplyExperiment,
)
export type ExperimentPatch = z.infer<typeof ExperimentPatch>

export const listExperiments = {
  method: 'GET',
  url: '/ice/experiments',
  config: { gate: read },
  schema: {
    operationId: 'listExperiments',
    summary: 'List experiments with their results, newest first',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(ReplyExperiment) },
  },
} as const satisfies Endpoint

export const createExperiment = {
  method: 'POST',
  url: '/ice/experiments',
  config: { gate: write },
  schema: {
    operationId: 'createExperiment',
    summary: 'Create an experiment, which is stopped at first',
    tags,
    body: NewExperiment,
    response: { 201: ReplyExperiment },
  },
} as const satisfies Endpoint

export const getExperiment = {
  method: 'GET',
  url: '/ice/experiments/:id',
  config: { gate: read },
  schema: {
    operationId: 'getExperiment',
    summary: 'Get an experiment with its results',
    tags,
    params: IdParams,
    response: { 200: ReplyExperiment },
  },
} as const satisfies Endpoint

export const updateExperiment = {
  method: 'PATCH',
  url: '/ice/experiments/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateExperiment',
    summary: 'Start, stop or update an experiment (supports If-Match)',
    description: 'Variants can only be changed until the experiment is started for the first time.',
    tags,
    params: IdParams,
    body: ExperimentPatch,
    response: { 200: ReplyExperiment },
  },
} as const satisfies Endpoint

export const deleteExperiment = {
  method: 'DELETE',
  url: '/ice/experiments/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteExperiment',
    summary: 'Delete an experiment that isn’t running',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
