import type { App } from '../../core/http/app.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { getOverview } from './overview.ts'

export function overviewRoutes(app: App, services: Services, scopes: Pick<Scopes, 'ask'>) {
  app.route({
    ...api.getOverview,
    handler: (request) => getOverview(scopes, services, request.caller!.sessionId),
  })
}
