import type { App } from '../../core/http/app.ts'
import { ifMatch, sendVersioned } from '../../core/http/version.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import * as scheduler from './scheduler.ts'

export function schedulerRoutes(app: App, services: Services) {
  app.route({
    ...api.getSlots,
    handler: async (request, reply) => sendVersioned(reply, await scheduler.getSlots(request.scope)),
  })

  app.route({
    ...api.setSlots,
    handler: async (request, reply) =>
      sendVersioned(reply, await scheduler.setSlots(request.scope, services, request.body, ifMatch(request))),
  })

  app.route({
    ...api.listFreeSlots,
    handler: (request) => scheduler.listFreeSlots(request.scope, request.query),
  })

  app.route({
    ...api.queuePost,
    handler: async (request, reply) => {
      const { role } = request.caller!
      return sendVersioned(
        reply,
        await scheduler.queuePost(request.scope, services, request.params.id, role, ifMatch(request)),
      )
    },
  })
}
