import type { App } from '../../core/http/app.ts'
import { ifMatch, sendVersioned } from '../../core/http/version.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { backdatePost } from './backdate.ts'
import { retryFirstComment } from './comment.ts'
import {
  listPostEvents,
  listPublications,
  resolvePublication,
  retryPost,
  retryPublicationNow,
  stopPublication,
} from './publishing.ts'
import { listRemovals, retryRemoval } from './removal.ts'
import { listTrouble } from './trouble.ts'

export function publishingRoutes(app: App, services: Services) {
  app.route({
    ...api.listPublications,
    handler: (request) => listPublications(request.scope, request.params.id, request.caller!.role),
  })

  app.route({
    ...api.listPostEvents,
    handler: (request) => listPostEvents(request.scope, request.params.id, request.caller!.role),
  })

  app.route({
    ...api.listTrouble,
    handler: (request) => listTrouble(request.scope, request.query, request.caller!.role),
  })

  app.route({
    ...api.retryPost,
    handler: async (request, reply) => {
      const only = request.body?.publicationIds
      return sendVersioned(
        reply,
        await retryPost(request.scope, services, request.params.id, only, request.caller!.role, ifMatch(request)),
      )
    },
  })

  app.route({
    ...api.resolvePublication,
    handler: async (request, reply) => {
      const { id, publicationId } = request.params
      return sendVersioned(reply, await resolvePublication(request.scope, services, id, publicationId, request.body))
    },
  })

  app.route({
    ...api.retryPublicationNow,
    handler: async (request, reply) => {
      const { id, publicationId } = request.params
      return sendVersioned(reply, await retryPublicationNow(request.scope, services, id, publicationId))
    },
  })

  app.route({
    ...api.stopPublication,
    handler: async (request, reply) => {
      const { id, publicationId } = request.params
      return sendVersioned(reply, await stopPublication(request.scope, services, id, publicationId))
    },
  })

  app.route({
    ...api.retryFirstComment,
    handler: async (request, reply) => {
      const { id, publicationId } = request.params
      return sendVersioned(reply, await retryFirstComment(request.scope, services, id, publicationId))
    },
  })

  app.route({
    ...api.listRemovals,
    handler: (request) => listRemovals(request.scope, request.query),
  })

  app.route({
    ...api.retryRemoval,
    handler: (request) => retryRemoval(request.scope, request.params.id, request.params.publicationId),
  })

  app.route({
    ...api.backdatePost,
    handler: async (request, reply) => {
      const { publishedAt } = request.body
      return sendVersioned(reply, await backdatePost(request.scope, services, request.params.id, publishedAt))
    },
  })
}
