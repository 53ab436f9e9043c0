import type { App } from '../../core/http/app.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { readAttachment } from './attachments.ts'

export function attachmentRoutes(app: App, services: Pick<Services, 'storage' | 'settings'>) {
  app.route({
    ...api.getAttachment,
    handler: async ({ scope, params }, reply) => {
      const { bytes, size, type } = await readAttachment(scope, services, params.id, params.fileId)
      return reply
        .headers({
          'content-length': size,
          'cache-control': 'private, max-age=3600',
          'content-disposition': type === 'application/octet-stream' ? 'attachment' : 'inline',
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
        })
        .type(type)
        .send(bytes)
    },
  })
}
