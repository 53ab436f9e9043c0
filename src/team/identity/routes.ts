import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/http/app.ts'
import { callbackOrigin } from '../../core/http/origin.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { browserOf, clearRefreshCookie, refreshCookie, sendSession } from './cookie.ts'
import { sendCode, wishOf } from './codes.ts'
import { listMethods, removeIdentity } from './identities.ts'
import { endSession, getProfile, login, refreshSession, updateProfile } from './identity.ts'
import { beginSignIn } from './oauth.ts'
import { reauthenticate } from './presence.ts'
import { listSessions, revokeOthers, revokeSession } from './sessions.ts'
import { changePassword, endOtherWays, forgotPassword, listOtherWays } from './password.ts'
import { undoChange } from './undo.ts'

export function identityRoutes(app: App, services: Services) {
  const { tokens } = services

  app.route({
    ...api.login,
    handler: async (request, reply) => {
      const device = { userAgent: request.headers['user-agent'], ip: request.ip }
      return sendSession(request, reply, 200, await login(request.scope, services, request.body, device))
    },
  })

  app.route({
    ...api.refresh,
    handler: async (request, reply) =>
      sendSession(request, reply, 200, await refreshSession(request.scope, services, refreshCookie(request))),
  })

  app.route({
    ...api.logout,
    handler: async (request, reply) => {
      const now = request.scope.now()
      const refresh = await tokens.verifyRefresh(refreshCookie(request) ?? '', now)
      const bearer = request.headers.authorization?.replace(/^bearer /i, '')
      // A token that proves nothing ends nothing, so that signing out always succeeds.
      const access = bearer ? await tokens.verifyAccess(bearer, now).catch(() => undefined) : undefined
      const sessionId = refresh?.sessionId ?? access?.sessionId
      if (sessionId) await endSession(request.scope, sessionId)
      return clearRefreshCookie(request, reply).code(204).send(null)
    },
  })

  app.route({
    ...api.sendCode,
    handler: async (request, reply) => {
      const { language, ...body } = request.body
      return reply.code(202).send(await sendCode(request.scope, services, await wishOf(request.caller, body), language))
    },
  })

  app.route({ ...api.listSessions, handler: ({ scope, caller, query }) => listSessions(scope, caller!, query) })

  app.route({
    ...api.endSession,
    handler: async (request, reply) => {
      await revokeSession(request.scope, request.caller!, request.params.id)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.endOtherSessions,
    handler: async (request, reply) => {
      await revokeOthers(request.scope, request.caller!)
      return reply.code(204).send(null)
    },
  })

  app.route({ ...api.getMe, handler: (request) => getProfile(request.scope, request.caller!.userId) })

  app.route({
    ...api.updateMe,
    handler: (request) => updateProfile(request.scope, request.caller!.userId, request.body),
  })

  app.route({
    ...api.changePassword,
    handler: async (request, reply) => {
      await changePassword(request.scope, services, request.caller!, request.body)
      return reply.code(204).send(null)
    },
  })

  /** Leaves for a provider. A signed-in person, who has just reauthenticated, joins it to their account. */
  async function leave(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      letter,
      redirect,
      currentPassword,
    }: { letter: string; redirect?: string | undefined; currentPassword?: string | undefined },
  ) {
    const { caller, scope } = request
    if (caller) await reauthenticate(scope, services, caller, currentPassword, { recentIsEnough: true })
    const { authorizationUrl, ...start } = await beginSignIn(scope, services, {
      provider: `IDP_${letter}`,
      userId: caller?.userId ?? null,
      redirect: redirect ?? '/app',
      origin: callbackOrigin(request, services),
    })
    browserOf(request, 'oauth_sign_in').keep(reply, start)
    reply.header('cache-control', 'no-store')
    return authorizationUrl
  }

  app.route({
    ...api.startSignIn,
    handler: async (request, reply) => {
      const authorizationUrl = await leave(request, reply, { ...request.params, ...request.query })
      if (request.headers.accept?.includes('application/json')) return reply.send({ authorizationUrl })
      return reply.redirect(authorizationUrl, 302)
    },
  })

  app.route({
    ...api.joinProvider,
    handler: async (request, reply) => ({
      authorizationUrl: await leave(request, reply, { ...request.params, ...request.body }),
    }),
  })

  app.route({ ...api.getSignInMethods, handler: (request) => listMethods(request.scope, request.caller!.userId) })

  app.route({
    ...api.removeIdentity,
    handler: async (request, reply) => {
      await removeIdentity(request.scope, services, request.caller!, { ...request.params, ...request.body })
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.forgotPassword,
    handler: async (request, reply) => {
      await forgotPassword(request.scope, services, request.body.email)
      return reply.code(202).send({})
    },
  })

  app.route({ ...api.listOtherWays, handler: (request) => listOtherWays(request.scope, services, request.body.token) })

  app.route({
    ...api.endOtherWays,
    handler: async (request, reply) => {
      await endOtherWays(request.scope, services, request.body)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.undoChange,
    handler: async (request, reply) => {
      const device = { userAgent: request.headers['user-agent'], ip: request.ip }
      const opened = await undoChange(request.scope, services, request.body.token, device)
      return opened ? sendSession(request, reply, 200, opened) : reply.code(204).send(null)
    },
  })
}
