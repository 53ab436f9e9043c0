import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as rules from './escalation.ts'

export function escalationRoutes(app: App) {
  app.route({ ...api.listEscalationRules, handler: ({ scope, query }) => rules.listRules(scope, query) })
  app.route({
    ...api.createEscalationRule,
    handler: async ({ scope, body }, reply) =>
      sendCreated(reply, api.createEscalationRule.url, await rules.createRule(scope, body)),
  })
  app.route({
    ...api.updateEscalationRule,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await rules.updateRule(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteEscalationRule,
    handler: async (request, reply) => {
      await rules.deleteRule(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
