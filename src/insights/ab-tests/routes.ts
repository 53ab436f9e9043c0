import type { App } from '../../core/http/app.ts'
import { ifMatch, sendVersioned } from '../../core/http/version.ts'
import type { Services } from '../../services.ts'
import * as tests from './ab-tests.ts'
import * as api from './api.ts'
import { setBlock } from './blocks.ts'

export function abTestRoutes(app: App, services: Services) {
  app.route({ ...api.listABTests, handler: ({ scope, query }) => tests.listTests(scope, query) })
  app.route({
    ...api.createABTest,
    handler: async ({ scope, body }, reply) => {
      const test = await tests.createTest(scope, body)
      return sendVersioned(reply.code(201).header('location', `/api/v1/ab-tests/${test.id}`), test)
    },
  })
  app.route({ ...api.planABTest, handler: ({ scope, body }) => tests.planTest(scope, body) })
  app.route({
    ...api.getABTest,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await tests.getTest(scope, params.id)),
  })
  app.route({
    ...api.updateABTest,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await tests.updateTest(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteABTest,
    handler: async (request, reply) => {
      await tests.deleteTest(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...api.setABBlock,
    handler: ({ scope, params, body }) => setBlock(scope, services, params, body),
  })
  app.route({ ...api.startABTest, handler: ({ scope, params }) => tests.moveTest(scope, params.id, 'start') })
  app.route({ ...api.stopABTest, handler: ({ scope, params }) => tests.moveTest(scope, params.id, 'stop') })
}
