import type { App } from '../../core/http/app.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { chooseSubscription, getSubscription, listPlans, listUsage } from './subscription.ts'

export function planRoutes(app: App, services: Services) {
  app.route({ ...api.listPlans, handler: ({ scope, query }) => listPlans(scope, query) })
  app.route({ ...api.listUsage, handler: (request) => listUsage(request.scope) })
  app.route({ ...api.getSubscription, handler: (request) => getSubscription(request.scope) })
  app.route({
    ...api.changeSubscription,
    handler: (request) => chooseSubscription(request.scope, services, request.caller!.userId, request.body.plan),
  })
}
