import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import { deleteMemory, listMemory } from './memory.ts'

export function memoryRoutes(app: App) {
  app.route({ ...api.listMemory, handler: ({ scope, query }) => listMemory(scope, query) })
  app.route({
    ...api.deleteMemory,
    handler: async ({ scope, query }, reply) => {
      await deleteMemory(scope, query)
      return reply.code(204).send(null)
    },
  })
}
