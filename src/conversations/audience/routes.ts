import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import { beginErasure } from './erasure.ts'

export function audienceRoutes(app: App) {
  app.route({
    ...api.eraseCustomer,
    handler: async ({ scope, params }, reply) => {
      await beginErasure(scope, params.id)
      return reply.code(202).send({})
    },
  })
}
