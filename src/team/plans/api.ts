import * as z from 'zod'
import { type Endpoint, pageOf, Timestamp, ListQuery } from '../../core/http/endpoint.ts'

const tags = ['Billing'] as const

const Limit = z.strictObject({
  quota: z.string(),
  kind: z.enum(['monthly', 'stock']).describe('`monthly` resets each month; `stock` counts what exists now'),
  limit: z.int().nullable().describe('Null if unlimited'),
})

export const Price = z
  .strictObject({
    amount: z.int().min(0).max(2_147_483_647).describe('In the smallest unit of the currency'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe('Three-letter ISO 4217 code'),
  })
  .nullable()
  .describe('Price per month. Null if it is on request')

export const Plan = z
  .strictObject({
    id: z.string(),
    price: Price,
    features: z.array(z.string()),
    quotas: z.array(Limit),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

/** The use of a quota in its present month, or the size of a stock. Running operations count as used. */
export const Usage = z
  .strictObject({ ...Limit.shape, used: z.int(), resetsAt: Timestamp.nullable().describe('Null if it never resets') })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

export const Subscription = z
  .strictObject({
    plan: z.string(),
    status: z.enum(['active']),
    renewsAt: Timestamp.nullable().describe('Null if the subscription doesn’t end'),
    features: z.array(z.string()),
    quotas: z.array(Limit),
  })
  .meta({ id: 'Subscription' })
export type Subscription = z.infer<typeof Subscription>

export const listPlans = {
  method: 'GET',
  url: '/billing/plans',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'listPlans',
    summary: 'List plans with their features and quotas, smallest first',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(Plan) },
  },
} as const satisfies Endpoint

export const listUsage = {
  method: 'GET',
  url: '/billing/usage',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'listUsage',
    summary: 'List the usage of each quota and when it resets',
    tags,
    response: { 200: pageOf(Usage) },
  },
} as const satisfies Endpoint

export const getSubscription = {
  method: 'GET',
  url: '/billing/subscription',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'getSubscription',
    summary: 'Get the plan of the workspace',
    tags,
    response: { 200: Subscription },
  },
} as const satisfies Endpoint

export const changeSubscription = {
  method: 'PUT',
  url: '/billing/subscription',
  config: { gate: { role: 'OWNER' } },
  schema: {
    operationId: 'changeSubscription',
    summary: 'Change the plan of the workspace without deleting anything',
    description: 'A smaller plan deletes nothing, but what exceeds its limits can’t grow.',
    tags,
    body: z.strictObject({ plan: z.string().max(50) }),
    response: { 200: Subscription },
  },
} as const satisfies Endpoint
