import type { App } from '../core/http/app.ts'
import type { Role } from '../core/http/endpoint.ts'
import { ifMatch, sendCreated, sendVersioned } from '../core/http/version.ts'
import type { Services } from '../services.ts'
import * as answers from './answers.ts'
import * as api from './threads/api.ts'
import { createThreadDrivers } from './drivers.ts'
import * as failedEvents from './failed-events/api.ts'
import { listFailedEvents, retryFailedEvent } from './failed-events/failed-events.ts'
import * as notes from './threads/notes.ts'
import { seeThread } from './threads/presence.ts'
import * as threads from './threads/threads.ts'
import * as read from './threads/threads-read.ts'

export function conversationRoutes(app: App, { crypto, settings }: Pick<Services, 'crypto' | 'settings'>) {
  const drivers = createThreadDrivers(crypto, settings)
  const callerOf = (request: { caller: { userId: string; role: string | null } | null }) => ({
    userId: request.caller!.userId,
    role: request.caller!.role as Role,
  })

  app.route({
    ...api.listConversations,
    handler: ({ scope, query, caller }) => read.listThreads(scope, query, caller!.role),
  })
  app.route({ ...api.countConversations, handler: ({ scope }) => read.countThreads(scope) })
  app.route({
    ...api.getConversation,
    handler: async ({ scope, params, caller }, reply) =>
      sendVersioned(reply, await read.getThread(scope, params.id, caller!.role)),
  })
  app.route({
    ...api.listMessages,
    handler: ({ scope, params, query, caller }) => read.listMessages(scope, params.id, query, caller!.role),
  })
  app.route({
    ...api.updateConversation,
    handler: async (request, reply) => {
      const { scope, params, body } = request
      return sendVersioned(reply, await threads.updateThread(scope, params.id, body, ifMatch(request)))
    },
  })
  app.route({
    ...api.createMessage,
    handler: async ({ scope, params, body, caller }, reply) =>
      sendCreated(
        reply,
        `/conversations/${params.id}/messages`,
        await answers.createMessage(scope, params.id, body, caller!.userId),
      ),
  })
  app.route({
    ...api.retryMessage,
    handler: ({ scope, params }) => answers.retryMessage(scope, params.id, params.messageId),
  })
  app.route({
    ...api.resolveMessage,
    handler: ({ scope, params: { id: threadId, messageId }, body: { outcome } }) =>
      answers.resolveMessage(scope, drivers, { threadId, messageId, outcome }),
  })
  app.route({
    ...api.hideMessage,
    handler: ({ scope, params }) => answers.hideMessage(scope, params.id, params.messageId, true),
  })
  app.route({
    ...api.unhideMessage,
    handler: ({ scope, params }) => answers.hideMessage(scope, params.id, params.messageId, false),
  })

  app.route({
    ...api.createNote,
    handler: async ({ scope, params, body, caller }, reply) =>
      sendCreated(
        reply,
        `/conversations/${params.id}/notes`,
        await notes.createNote(scope, params.id, body, caller!.userId),
      ),
  })
  app.route({
    ...api.updateNote,
    handler: (request) => {
      const { scope, params, body } = request
      return notes.updateNote(scope, params.id, params.noteId, body, callerOf(request))
    },
  })
  app.route({
    ...api.deleteNote,
    handler: async (request, reply) => {
      await notes.deleteNote(request.scope, request.params.id, request.params.noteId, callerOf(request))
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.assignConversation,
    handler: async ({ scope, params, body }, reply) =>
      sendVersioned(reply, await threads.assignThread(scope, params.id, body.userId)),
  })
  app.route({
    ...api.escalateConversation,
    handler: async ({ scope, params, body }, reply) =>
      sendVersioned(reply, await threads.escalateThread(scope, params.id, body?.reason ?? null)),
  })
  app.route({
    ...api.closeConversation,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await threads.closeThread(scope, params.id)),
  })
  app.route({
    ...api.reopenConversation,
    handler: async ({ scope, params }, reply) => sendVersioned(reply, await threads.reopenThread(scope, params.id)),
  })
  app.route({
    ...api.snoozeConversation,
    handler: async ({ scope, params, body }, reply) =>
      sendVersioned(reply, await threads.snoozeThread(scope, params.id, body.until)),
  })
  app.route({
    ...api.seeConversation,
    handler: async ({ scope, params, body, caller }, reply) => {
      await seeThread(scope, { threadId: params.id, ...body }, caller!.userId)
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...api.pauseBot,
    handler: async ({ scope, params, body }, reply) =>
      sendVersioned(reply, await threads.pauseBot(scope, params.id, body.paused)),
  })
  app.route({ ...failedEvents.listFailedEvents, handler: ({ scope, query }) => listFailedEvents(scope, query) })
  app.route({
    ...failedEvents.retryFailedEvent,
    handler: async ({ scope, params }, reply) => {
      await retryFailedEvent(scope, params.id)
      return reply.code(204).send(null)
    },
  })
  app.route({ ...api.bulkConversations, handler: ({ scope, body }) => threads.bulk(scope, body) })
}
