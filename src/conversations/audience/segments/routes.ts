import type { App } from '../../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../../core/http/version.ts'
import * as api from './api.ts'
import * as segments from './segments.ts'

export function segmentRoutes(app: App) {
  app.route({ ...api.listSegments, handler: ({ scope, query }) => segments.listSegments(scope, query) })
  app.route({
    ...api.createSegment,
    handler: async ({ scope, body }, reply) => {
      const segment = await segments.createSegment(scope, body)
      return sendCreated(reply, '/audience/segments', segment)
    },
  })
  app.route({ ...api.countSegment, handler: ({ scope, body }) => segments.countFilter(scope, body.filter) })
  app.route({
    ...api.getSegment,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await segments.getSegment(scope, params.id)),
  })
  app.route({
    ...api.updateSegment,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await segments.updateSegment(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteSegment,
    handler: async (request, reply) => {
      await segments.deleteSegment(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
