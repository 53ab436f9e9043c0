import type { App } from '../../core/http/app.ts'
import { getReplyStats } from './api.ts'
import { readStats } from './stats.ts'

export function statsRoutes(app: App) {
  app.route({ ...getReplyStats, handler: ({ scope, query }) => readStats(scope, query) })
}
