import { Readable } from 'node:stream'
import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import { exportAudit, listAudit } from './audit.ts'

export function auditRoutes(app: App) {
  app.route({ ...api.listAudit, handler: (request) => listAudit(request.scope, request.query) })
  app.route({
    ...api.exportAudit,
    handler: async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="audit.csv"')
        .send(Readable.from(exportAudit(request.scope, request.query)) as never),
  })
}
