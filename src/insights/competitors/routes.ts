import type { App } from '../../core/http/app.ts'
import type { Services } from '../../services.ts'
import { sendCreated } from '../../core/http/version.ts'
import * as api from './api.ts'
import { compareCompetitors } from './comparison.ts'
import * as competitors from './competitors.ts'

export function competitorRoutes(app: App, services: Services) {
  app.route({ ...api.listCompetitors, handler: ({ scope, query }) => competitors.listCompetitors(scope, query) })
  app.route({
    ...api.addCompetitor,
    handler: async ({ scope, body }, reply) => {
      const added = await competitors.addCompetitor(scope, services, body)
      return sendCreated(reply, '/competitors', added)
    },
  })
  app.route({ ...api.compareCompetitors, handler: ({ scope, query }) => compareCompetitors(scope, query) })
  app.route({ ...api.getCompetitor, handler: ({ scope, params }) => competitors.getCompetitor(scope, params.id) })
  app.route({
    ...api.removeCompetitor,
    handler: async ({ scope, params }, reply) => {
      await competitors.removeCompetitor(scope, params.id)
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...api.listCompetitorSnapshots,
    handler: ({ scope, params, query }) => competitors.listSnapshots(scope, params.id, query),
  })
}
