import type { App } from '../../../core/http/app.ts'
import { ifMatch, sendVersioned } from '../../../core/http/version.ts'
import * as api from './api.ts'
import { getConfig, updateConfig } from './config.ts'

export function botConfigRoutes(app: App) {
  app.route({
    ...api.getBotConfig,
    handler: async ({ scope }, reply) => sendVersioned(reply, await getConfig(scope)),
  })
  app.route({
    ...api.updateBotConfig,
    handler: async (request, reply) => {
      const { scope, body, caller } = request
      return sendVersioned(reply, await updateConfig(scope, body, ifMatch(request), caller!.userId))
    },
  })
}
