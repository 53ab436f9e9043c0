import { Readable } from 'node:stream'
import type { App } from '../../core/http/app.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { listMetrics } from './catalogue.ts'
import { exportFigures } from './export.ts'
import { listHours } from './hours.ts'
import { getOverview } from './overview.ts'
import { getPost } from './post.ts'
import { listPosts } from './posts.ts'
import { compareTags } from './tags.ts'

export function analyticsRoutes(app: App, services: Pick<Services, 'settings'>) {
  app.route({
    ...api.getAnalyticsOverview,
    handler: ({ scope, query, caller }) => getOverview(scope, query, caller!.role),
  })
  app.route({ ...api.listAnalyticsPosts, handler: ({ scope, query }) => listPosts(scope, services, query) })
  app.route({ ...api.getAnalyticsPost, handler: ({ scope, params }) => getPost(scope, services, params.id) })
  app.route({ ...api.listAnalyticsHours, handler: ({ scope, query }) => listHours(scope, query) })
  app.route({ ...api.listAnalyticsTags, handler: ({ scope, query }) => compareTags(scope, query) })
  app.route({ ...api.listMetrics, handler: () => listMetrics() })
  app.route({
    ...api.exportAnalytics,
    handler: async ({ scope, query }, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="analytics-${query.of}.csv"`)
        .send(Readable.from(exportFigures(scope, query)) as never),
  })
}
