import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as voices from './brand-voices.ts'

export function brandVoiceRoutes(app: App) {
  app.route({ ...api.listBrandVoices, handler: ({ scope, query }) => voices.listBrandVoices(scope, query) })
  app.route({
    ...api.getBrandVoice,
    handler: async (request, reply) =>
      sendVersioned(reply, await voices.getBrandVoice(request.scope, request.params.id)),
  })
  app.route({
    ...api.createBrandVoice,
    handler: async (request, reply) => {
      const voice = await voices.createBrandVoice(request.scope, request.body)
      return sendCreated(reply, '/brand-voices', voice)
    },
  })
  app.route({
    ...api.updateBrandVoice,
    handler: async (request, reply) => {
      const { params, body } = request
      return sendVersioned(reply, await voices.updateBrandVoice(request.scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteBrandVoice,
    handler: async (request, reply) => {
      await voices.deleteBrandVoice(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
