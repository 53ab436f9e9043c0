// Writes dist/openapi.json, the description of the API, from the endpoints of every slice, without starting a service.
// test/openapi.test.ts proves that a running service returns the same.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { Endpoint } from '../src/core/http/endpoint.ts'
import { registerOpenApi } from '../src/core/http/openapi.ts'
import * as slices from '../web/endpoints.ts'

const isEndpoint = (value: unknown): value is Endpoint =>
  value !== null && typeof value === 'object' && 'method' in value && 'url' in value && 'config' in value

const app = Fastify()
// The schemas serve only the description: they neither validate requests nor serialize answers.
app.setValidatorCompiler(() => () => true)
app.setSerializerCompiler(() => (data) => JSON.stringify(data))
await registerOpenApi(app)
await app.register(
  async (api) => {
    const endpoints = Object.values(slices).flatMap((slice) => Object.values(slice).filter(isEndpoint))
    for (const endpoint of endpoints) api.route({ ...endpoint, handler: () => undefined })
  },
  { prefix: '/api/v1' },
)
const { body } = await app.inject('/docs/openapi.json')
const folder = join(import.meta.dirname, '..', 'dist')
mkdirSync(folder, { recursive: true })
// The rename is atomic, so that a concurrent test reads the old file or the new one, never a part of it.
writeFileSync(join(folder, 'openapi.json.part'), body)
renameSync(join(folder, 'openapi.json.part'), join(folder, 'openapi.json'))
