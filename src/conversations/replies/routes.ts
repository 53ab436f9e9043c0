import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import * as api from './api.ts'
import * as replies from './replies.ts'

export function savedReplyRoutes(app: App) {
  app.route({
    ...api.listSavedReplies,
    handler: ({ scope, query, caller }) => replies.listReplies(scope, query, caller!.userId),
  })
  app.route({
    ...api.createSavedReply,
    handler: async ({ scope, body }, reply) =>
      sendCreated(reply, api.createSavedReply.url, await replies.createReply(scope, body)),
  })
  app.route({
    ...api.updateSavedReply,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await replies.updateReply(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.deleteSavedReply,
    handler: async (request, reply) => {
      await replies.deleteReply(request.scope, request.params.id, ifMatch(request))
      return reply.code(204).send(null)
    },
  })
}
