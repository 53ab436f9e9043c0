import type { App } from '../core/http/app.ts'
import type { Scopes } from '../core/platform/scope.ts'
import * as api from './api.ts'
import { listAdminAudit } from './audit.ts'
import { changePlan, listAllPlans } from './plans.ts'
import { listFailed, listQueues, retryJob, retryQueue } from './queues.ts'
import { disableUser, enableUser, getUser, listUsers } from './users.ts'
import { giveSubscription, listAllWorkspaces } from './workspaces.ts'

export function adminRoutes(app: App, scopes: Scopes) {
  app.route({ ...api.listUsers, handler: (request) => listUsers(request.scope, request.query) })
  app.route({ ...api.getUser, handler: (request) => getUser(request.scope, request.params.id) })
  app.route({
    ...api.disableUser,
    handler: (request) => disableUser(request.scope, request.caller!.userId, request.params.id),
  })
  app.route({ ...api.enableUser, handler: (request) => enableUser(request.scope, request.params.id) })
  app.route({ ...api.listAllWorkspaces, handler: (request) => listAllWorkspaces(request.scope, request.query) })
  app.route({
    ...api.giveSubscription,
    handler: (request) => giveSubscription(scopes, request.scope, request.params.id, request.body.plan),
  })
  app.route({ ...api.listAllPlans, handler: (request) => listAllPlans(request.scope) })
  app.route({
    ...api.changePlan,
    handler: (request) => changePlan(request.scope, request.params.plan, request.body),
  })
  app.route({ ...api.listQueues, handler: (request) => listQueues(request.scope) })
  app.route({
    ...api.listFailed,
    handler: (request) => listFailed(request.scope, request.params.name, request.query),
  })
  app.route({ ...api.retryQueue, handler: (request) => retryQueue(request.scope, request.params.name) })
  app.route({ ...api.retryJob, handler: (request) => retryJob(request.scope, request.params.job) })
  app.route({ ...api.listAdminAudit, handler: (request) => listAdminAudit(request.scope, request.query) })
}
