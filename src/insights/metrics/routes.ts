import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import { syncByHand } from './manual-sync.ts'
import { listPostMetrics } from './posts.ts'

export function metricsRoutes(app: App) {
  app.route({ ...api.listPostMetrics, handler: ({ scope, params, query }) => listPostMetrics(scope, params.id, query) })
  app.route({
    ...api.syncAccountNow,
    handler: async ({ scope, body }, reply) => reply.code(202).send(await syncByHand(scope, body.accountId)),
  })
}
