import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import { listPostMetrics } from './posts.ts'

export function metricsRoutes(app: App) {
  app.route({ ...api.listPostMetrics, handler: ({ scope, params }) => listPostMetrics(scope, params.id) })
}
