import * as z from 'zod'
import { type Endpoint, IdParams } from './endpoint.ts'

const Health = z
  .strictObject({
    status: z.enum(['ok', 'unavailable']),
    version: z.string(),
    uptimeSeconds: z.number(),
    checks: z.strictObject({
      database: z.enum(['ok', 'failed']),
      queue: z.enum(['ok', 'failed']),
      storage: z.enum(['ok', 'failed']),
    }),
  })
  .meta({ id: 'Health' })
export type Health = z.infer<typeof Health>

export const getHealth = {
  method: 'GET',
  url: '/health',
  config: { gate: 'public' },
  schema: {
    operationId: 'getHealth',
    summary: 'Get the health of the service and its dependencies',
    tags: ['Service'],
    response: { 200: Health, 503: Health },
  },
} as const satisfies Endpoint

const Alive = z.strictObject({ status: z.enum(['ok', 'unavailable']) })

export const getLive = {
  method: 'GET',
  url: '/health/live',
  config: { gate: 'public' },
  schema: {
    operationId: 'getLive',
    summary: 'Check that the process is running',
    tags: ['Service'],
    response: { 200: Alive },
  },
} as const satisfies Endpoint

export const getReady = {
  method: 'GET',
  url: '/health/ready',
  config: { gate: 'public' },
  schema: {
    operationId: 'getReady',
    summary: 'Check that the process accepts requests',
    description: 'Fails until the database responds, and while the service is stopping.',
    tags: ['Service'],
    response: { 200: Alive, 503: Alive },
  },
} as const satisfies Endpoint

/** Facts that the web app needs before anyone signs in. `sandbox` is the address of the stand-ins' console. */
export const getConfig = {
  method: 'GET',
  url: '/config',
  config: { gate: 'public' },
  schema: {
    operationId: 'getConfig',
    summary: 'Get the public configuration for clients',
    tags: ['Service'],
    response: {
      200: z.strictObject({
        sandbox: z.string().nullable(),
        passwordMinLength: z.int(),
        /** Whether networks can fetch media from this service: it has https, or the sandbox is on. */
        publicMedia: z.boolean(),
        plansChosenByOwners: z.boolean(),
        /** The address for questions about a plan without a price. */
        contactEmail: z.email().nullable(),
        /** Whether a language model is configured. */
        ai: z.boolean(),
        /** Whether the model is the sandbox's stand-in, which writes from a list of phrases. */
        aiIsStandIn: z.boolean(),
        networks: z.array(z.strictObject({ platform: z.string(), configured: z.boolean() })),
        /** The configured identity providers. */
        providers: z.array(z.string()),
      }),
    },
  },
} as const satisfies Endpoint

export const streamEvents = {
  method: 'GET',
  url: '/workspaces/:id/events',
  config: { gate: { role: 'VIEWER', client: true } },
  schema: {
    operationId: 'streamEvents',
    summary: 'Stream change hints, { kind, id }, as server-sent events',
    description:
      'With `Last-Event-ID`, the stream starts with the missed hints, or with an event `reset` if they are no longer known. For a CLIENT, the ID of a post is null.',
    tags: ['Service'],
    params: IdParams,
    produces: ['text/event-stream'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint
