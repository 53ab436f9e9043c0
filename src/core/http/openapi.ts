import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { errors } from '../errors.ts'
import * as z from 'zod'
import { type Gate, Problem } from './endpoint.ts'
import { takesKey } from './idempotency.ts'

/** The version in the API description and the health check. */
export const VERSION = '0.1.0'

/** The security requirements of an endpoint, as alternatives; an empty one means that signing in is optional. */
function securityOf(gate: unknown): Record<string, string[]>[] {
  if (gate === 'public') return []
  return gate === 'either' ? [{}, { bearer: [] }] : [{ bearer: [] }]
}

/** The API description, generated from the schemas that validate. Register before the routes. */
export async function registerOpenApi(app: FastifyInstance) {
  const transform = createJsonSchemaTransform({ skipList: [] })
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version: VERSION,
        description: 'Write posts once, then adapt, approve, publish and measure them, and reply to customers.',
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: (route) => {
      const { schema, config } = route.route as unknown as {
        schema?: Record<string, unknown>
        config?: { gate?: Gate }
      }
      if (!schema?.operationId) return { schema: { hide: true }, url: route.url }
      const documented = {
        ...schema,
        headers: headersOf({ ...route.route, gate: config?.gate }),
        security: securityOf(config?.gate),
        response: { ...(schema.response as object), default: problem },
      }
      const { schema: made, url } = transform({ ...route, schema: documented })
      return { schema: made, url: url.replace(/\([^()]*\)/g, '') }
    },
    transformObject: createJsonSchemaTransformObject({}),
  })
  const table = Object.entries(errors).map(([code, [status, title, remedy]]) => [code, { status, title, remedy }])
  app.get('/docs/openapi.json', { config: { gate: 'public' } }, () => ({
    ...app.swagger(),
    'x-errors': Object.fromEntries(table),
  }))
}

const problem = {
  description: 'An error. See `x-errors` for all codes',
  content: { 'application/problem+json': { schema: Problem } },
}

function headersOf({ method, url, gate }: { method: unknown; url: string; gate: Gate | undefined }) {
  return z.object({
    ...(typeof gate === 'object' &&
      !url.startsWith('/api/v1/workspaces/:id') && {
        'X-Workspace-Id': z.string().optional().describe('ID of the workspace. Default: your default workspace'),
      }),
    ...(takesKey({ method, url, gate }) && {
      'Idempotency-Key': z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/)
        .optional()
        .describe('A repeated request with the same key returns the first response, for 24 hours'),
    }),
  })
}
