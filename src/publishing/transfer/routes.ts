import { Readable } from 'node:stream'
import type { App } from '../../core/http/app.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { exportPosts, importPosts } from './transfer.ts'

export function transferRoutes(app: App, services: Services) {
  app.route({
    ...api.importPosts,
    handler: async (request, reply) => {
      const verdicts = await importPosts(request.scope, services, request.body, request.caller!.role)
      return reply.code(verdicts.saved ? 201 : 200).send(verdicts)
    },
  })

  app.route({
    ...api.exportPosts,
    handler: async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="posts.csv"')
        .send(Readable.from(exportPosts(request.scope, services, request.query, request.caller!.role)) as never),
  })
}
