import { register as registerEndpoint } from '../identity/api.ts'
import { sendSession } from '../identity/cookie.ts'
import { getProfile } from '../identity/identity.ts'
import type { App } from '../http/app.ts'
import { ifMatch, sendVersioned } from '../http/version.ts'
import type { Platform } from '../platform/scope.ts'
import type { Services } from '../services.ts'
import * as api from './api.ts'
import {
  completeOnboarding,
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  register,
  updateWorkspace,
} from './workspaces.ts'

export function workspaceRoutes(app: App, services: Services, platform: Pick<Platform, 'foundingScope' | 'scope'>) {
  app.route({
    ...registerEndpoint,
    handler: async (request, reply) => {
      const device = { userAgent: request.headers['user-agent'], ip: request.ip }
      return sendSession(request, reply, 201, await register(platform, request.scope, services, request.body, device))
    },
  })

  app.route({
    ...api.completeOnboarding,
    handler: (request) => completeOnboarding(platform, request.scope, request.caller!.userId, request.body),
  })

  app.route({
    ...api.listWorkspaces,
    handler: async (request) => {
      const { workspaces } = await getProfile(request.scope, request.caller!.userId)
      return listWorkspaces(platform, request.scope, request.caller!.userId, workspaces)
    },
  })

  app.route({
    ...api.createWorkspace,
    handler: async (request, reply) => {
      const made = await createWorkspace(platform, request.scope, services, request.caller!.userId, request.body)
      return sendVersioned(reply.code(201).header('location', `/api/v1/workspaces/${made.id}`), made)
    },
  })

  app.route({
    ...api.getWorkspace,
    handler: async (request, reply) => sendVersioned(reply, await getWorkspace(request.scope, request.caller!.userId)),
  })

  app.route({
    ...api.updateWorkspace,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await updateWorkspace(request.scope, request.caller!.userId, request.body, ifMatch(request)),
      ),
  })
}
