import type { App } from '../../../core/http/app.ts'
import * as api from './api.ts'
import { checkReply, listToCheck } from './spot-check.ts'

export function spotCheckRoutes(app: App) {
  app.route({ ...api.listSentReplies, handler: ({ scope, query }) => listToCheck(scope, query) })
  app.route({
    ...api.checkSentReply,
    handler: ({ scope, params, body, caller }) => checkReply(scope, params.id, body, caller!.userId),
  })
}
