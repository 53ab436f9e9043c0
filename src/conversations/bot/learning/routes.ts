import type { App } from '../../../core/http/app.ts'
import * as api from './api.ts'
import { findPassages, importKnowledge, listGaps } from './learning.ts'

export function learningRoutes(app: App) {
  app.route({
    ...api.importKnowledge,
    handler: ({ scope, body, caller }) => importKnowledge(scope, body, caller!.userId),
  })
  app.route({ ...api.listKnowledgeGaps, handler: ({ scope, query }) => listGaps(scope, query) })
  app.route({ ...api.findPassages, handler: ({ scope, body }) => findPassages(scope, body.text) })
}
