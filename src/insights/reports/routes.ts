import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { resendReport } from './monthly.ts'
import * as reports from './reports.ts'
import * as snapshots from './snapshots.ts'

export function reportRoutes(app: App, services: Services, scopes: Pick<Scopes, 'scope'>) {
  app.route({ ...api.listReports, handler: ({ scope, query }) => reports.listReports(scope, query) })
  app.route({
    ...api.createReport,
    handler: async ({ scope, body }, reply) => {
      const report = await reports.createReport(scope, body)
      return sendCreated(reply, '/analytics/reports', report)
    },
  })
  app.route({
    ...api.getReport,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await reports.getReport(scope, params.id)),
  })
  app.route({
    ...api.updateReport,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await reports.updateReport(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteReport,
    handler: async (request, reply) => {
      await reports.deleteReport(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...api.previewReport,
    handler: ({ scope, params }) => snapshots.previewReport(scope, services, params.id),
  })
  app.route({
    ...api.shareReport,
    handler: async ({ scope, params, body }, reply) => {
      const snapshot = await snapshots.shareReport(scope, services, params.id, body)
      return sendCreated(reply, '/analytics/snapshots', snapshot)
    },
  })
  app.route({ ...api.resendReport, handler: ({ scope, params }) => resendReport(scope, params.id) })
  app.route({
    ...api.listReportSnapshots,
    handler: ({ scope, query, caller }) => snapshots.listSnapshots(scope, query, caller!.role!),
  })
  app.route({
    ...api.getReportSnapshot,
    handler: ({ scope, params, caller }) => snapshots.getSnapshot(scope, params.id, caller!.role!),
  })
  app.route({
    ...api.revokeReportSnapshot,
    handler: async ({ scope, params }, reply) => {
      await snapshots.revokeSnapshot(scope, params.id)
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...api.getSharedReport,
    handler: ({ scope, params }, reply) => {
      reply.header('x-robots-tag', 'noindex')
      return snapshots.getSharedReport({ scopes, caller: scope }, params.token)
    },
  })
}
