import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as experiments from './experiments.ts'

export function experimentRoutes(app: App) {
  app.route({ ...api.listExperiments, handler: ({ scope, query }) => experiments.listExperiments(scope, query) })
  app.route({
    ...api.createExperiment,
    handler: async ({ scope, body }, reply) =>
      sendCreated(reply, api.createExperiment.url, await experiments.createExperiment(scope, body)),
  })
  app.route({
    ...api.getExperiment,
    handler: async ({ scope, params }, reply) =>
      sendVersioned(reply, await experiments.getExperiment(scope, params.id)),
  })
  app.route({
    ...api.updateExperiment,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await experiments.updateExperiment(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteExperiment,
    handler: async (request, reply) => {
      await experiments.deleteExperiment(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
