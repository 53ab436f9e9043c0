import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { expect, test } from 'vitest'
import { createSandbox } from './sandbox.ts'
import { bearer, call, connect, jpeg, live } from './testing.ts'

test('the sandbox works the same in an app with other parsers, headers and handlers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-mounted-'))
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 1000, trustProxy: true })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send('not the sandbox'))
  app.setNotFoundHandler((_request, reply) => reply.code(418).send('not the sandbox'))
  await app.register(helmet)
  await app.register(multipart)
  await app.register(swagger, { openapi: {} })
  const publicBase = 'https://parley.example/sandbox/'
  const sandbox = await createSandbox({ journal: join(folder, 'journal.ndjson'), publicBase })
  await app.register(sandbox, { prefix: '/sandbox' })
  app.get('/other', async () => 'other')
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/sandbox`

  const me = await connect(url)
  const body = new FormData()
  body.set('source', new Blob([new Uint8Array(await jpeg('olive'))]), 'olive.jpg')
  const made = await call(`${url}/graph/v25.0/${me.page.id}/photos`, {
    method: 'POST',
    body,
    headers: bearer(me.page.access_token),
  })
  expect(made.status).toBe(200)
  const [post] = await live(url, me.page.id)
  expect(post?.permalink).toBe(`https://parley.example/sandbox/feed/${me.page.id}/${made.body.post_id.split('_')[1]}`)
  expect((await me.graph('me/no/such/edge')).body.error.code).toBe(2500)
  expect((await call(`${url}/nowhere`)).status).toBe(404)
  const page = await call(url)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/)
  expect(page.headers.get('referrer-policy')).toBe('same-origin')
  expect(page.text).toContain('action="/sandbox/console/clock"')
  expect(Object.keys(app.swagger().paths ?? {})).toEqual(['/other'])
  expect((await call(`${url}/../missing`)).status).toBe(418)

  await app.close()
  await rm(folder, { recursive: true, force: true })
})
