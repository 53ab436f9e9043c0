import type { App } from '../../core/http/app.ts'
import { ifMatch, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as audience from './audience.ts'
import { beginErasure } from './erase.ts'
import { exportCustomer } from './export.ts'
import { mergeCustomers, unmergeCustomer } from './merging.ts'
import { listPairs } from './pairs.ts'

export function audienceRoutes(app: App) {
  app.route({ ...api.listAudience, handler: ({ scope, query }) => audience.listAudience(scope, query) })
  app.route({ ...api.listPairs, handler: ({ scope, query }) => listPairs(scope, query) })
  app.route({
    ...api.mergeCustomers,
    handler: async ({ scope, params, body }, reply) =>
      sendVersioned(reply, await mergeCustomers(scope, params.id, body.with)),
  })
  app.route({
    ...api.unmergeCustomer,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await unmergeCustomer(scope, params.id)),
  })
  app.route({
    ...api.getCustomer,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await audience.getCustomer(scope, params.id)),
  })
  app.route({
    ...api.updateCustomer,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await audience.updateCustomer(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.exportCustomer,
    handler: async ({ scope, params }, reply) =>
      reply
        .header('content-disposition', 'attachment; filename="customer.json"')
        .send(await exportCustomer(scope, params.id)),
  })
  app.route({
    ...api.eraseCustomer,
    handler: async ({ scope, params }, reply) => {
      await beginErasure(scope, params.id)
      return reply.code(202).send({})
    },
  })
}
