import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as views from './views.ts'

export function viewRoutes(app: App) {
  app.route({ ...api.listViews, handler: ({ scope, caller, query }) => views.listViews(scope, caller!, query) })
  app.route({
    ...api.createView,
    handler: async (request, reply) =>
      sendCreated(reply, api.createView.url, await views.createView(request.scope, request.caller!, request.body)),
  })
  app.route({
    ...api.updateView,
    handler: async (request, reply) => {
      const { scope, caller, params, body } = request
      return sendVersioned(reply, await views.updateView(scope, caller!, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteView,
    handler: async (request, reply) => {
      await views.deleteView(request.scope, request.caller!, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
