import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as writing from './writing.ts'

export function writingRoutes(app: App) {
  app.route({ ...api.listHashtagSets, handler: ({ scope, query }) => writing.listHashtagSets(scope, query) })
  app.route({
    ...api.createHashtagSet,
    handler: async (request, reply) =>
      sendCreated(reply, api.createHashtagSet.url, await writing.createHashtagSet(request.scope, request.body)),
  })
  app.route({
    ...api.updateHashtagSet,
    handler: async (request, reply) => {
      const { params, body } = request
      return sendVersioned(reply, await writing.updateHashtagSet(request.scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteHashtagSet,
    handler: async (request, reply) => {
      await writing.deleteHashtagSet(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
  app.route({ ...api.listTemplates, handler: ({ scope, query }) => writing.listTemplates(scope, query) })
  app.route({
    ...api.createTemplate,
    handler: async (request, reply) =>
      sendCreated(reply, api.createTemplate.url, await writing.createTemplate(request.scope, request.body)),
  })
  app.route({
    ...api.updateTemplate,
    handler: async (request, reply) => {
      const { params, body } = request
      return sendVersioned(reply, await writing.updateTemplate(request.scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteTemplate,
    handler: async (request, reply) => {
      await writing.deleteTemplate(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
