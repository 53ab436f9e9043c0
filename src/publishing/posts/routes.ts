import type { App } from '../../core/http/app.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import * as posts from './posts.ts'
import * as schedule from './posts-schedule.ts'
import { getCalendar, getPost, listPosts } from './posts-read.ts'

export function postRoutes(app: App, services: Services) {
  app.route({
    ...api.createPost,
    handler: async (request, reply) => {
      const post = await posts.createPost(request.scope, services, request.body, request.caller!.role)
      return sendCreated(reply, '/posts', post)
    },
  })

  app.route({
    ...api.validatePost,
    handler: (request) => posts.validatePost(request.scope, services, request.body),
  })

  app.route({
    ...api.listPosts,
    handler: async (request, reply) => {
      const page = await listPosts(request.scope, services, request.query, request.caller!.role)
      return reply.type('application/json; charset=utf-8').send(page as never)
    },
  })

  app.route({
    ...api.getCalendar,
    handler: async (request, reply) => {
      const page = await getCalendar(request.scope, services, request.query, request.caller!.role)
      return reply.type('application/json; charset=utf-8').send(page as never)
    },
  })

  app.route({
    ...api.getPost,
    handler: async (request, reply) =>
      sendVersioned(reply, await getPost(request.scope, services, request.params.id, request.caller!.role)),
  })

  app.route({
    ...api.updatePost,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await posts.updatePost(
          request.scope,
          services,
          request.params.id,
          request.body,
          request.caller!.role,
          ifMatch(request),
        ),
      ),
  })

  app.route({
    ...api.deletePost,
    handler: async (request, reply) => {
      const { alsoOn } = request.query
      const options = { alsoOn, ifMatch: ifMatch(request) }
      const { live, removals } = await posts.deletePost(request.scope, services, request.params.id, options)
      if (live === 0 && removals.length === 0) return reply.code(204).send(null)
      return reply.code(200).send({
        liveOnNetworks: live,
        removals,
        message:
          live > 0
            ? 'Deleted in Parley. The post stays live on the network unless you delete it there too.'
            : 'Deleted in Parley. The post is also being deleted from the network.',
      })
    },
  })

  app.route({
    ...api.schedulePost,
    handler: async (request, reply) => {
      const { id } = request.params
      const { role } = request.caller!
      const post = await schedule.schedulePost(
        request.scope,
        services,
        id,
        request.body?.scheduledAt,
        role,
        ifMatch(request),
      )
      return sendVersioned(reply, post)
    },
  })

  app.route({
    ...api.cancelPost,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await schedule.cancelPost(request.scope, services, request.params.id, request.caller!.role, ifMatch(request)),
      ),
  })

  app.route({
    ...api.unschedulePost,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await schedule.cancelPost(request.scope, services, request.params.id, request.caller!.role, ifMatch(request)),
      ),
  })

  app.route({
    ...api.publishPost,
    handler: async (request, reply) => {
      const { role } = request.caller!
      return sendVersioned(
        reply,
        await schedule.publishPost(request.scope, services, request.params.id, role, ifMatch(request)),
      )
    },
  })

  app.route({
    ...api.submitPost,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await schedule.submitPost(request.scope, services, request.params.id, request.body ?? {}, ifMatch(request)),
      ),
  })

  app.route({
    ...api.restorePost,
    handler: async (request, reply) =>
      sendVersioned(reply, await posts.restorePost(request.scope, services, request.params.id)),
  })

  app.route({
    ...api.duplicatePost,
    handler: async (request, reply) => {
      const copy = await posts.duplicatePost(request.scope, services, request.params.id)
      return sendCreated(reply, '/posts', copy)
    },
  })
}
