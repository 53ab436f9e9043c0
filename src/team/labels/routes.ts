import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as labels from './labels.ts'

export function labelRoutes(app: App) {
  app.route({ ...api.listLabels, handler: ({ scope, query }) => labels.listLabels(scope, query) })
  app.route({
    ...api.createLabel,
    handler: async (request, reply) =>
      sendCreated(reply, api.createLabel.url, await labels.createLabel(request.scope, request.body)),
  })
  app.route({
    ...api.updateLabel,
    handler: async (request, reply) => {
      const { params, body } = request
      return sendVersioned(reply, await labels.updateLabel(request.scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteLabel,
    handler: async (request, reply) => {
      await labels.deleteLabel(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
