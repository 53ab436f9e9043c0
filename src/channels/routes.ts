import type { FastifyReply } from 'fastify'
import { AppError } from '../core/errors.ts'
import type { App } from '../core/http/app.ts'
import { gateFacts } from '../core/http/gate.ts'
import { assertConfirmed } from '../team/identity/assert-confirmed.ts'
import { browserOf } from '../team/identity/cookie.ts'
import { callbackOrigin } from '../core/http/origin.ts'
import { ifMatch, sendVersioned } from '../core/http/version.ts'
import type { Scopes } from '../core/platform/scope.ts'
import type { Services } from '../services.ts'
import {
  beginConnection,
  disconnectAccount,
  finishConnection,
  listAccounts,
  type ReleaseAccount,
  updateAccount,
} from './accounts.ts'
import { examineAccount } from './accounts-doctor.ts'
import { getPostingOptions } from './accounts-options.ts'
import * as api from './api.ts'

export function accountRoutes(app: App, services: Services, scopes: Scopes, release: ReleaseAccount) {
  app.route({
    ...api.listSocialAccounts,
    handler: (request) => listAccounts(request.scope, services, request.query),
  })

  app.route({
    ...api.updateSocialAccount,
    handler: async (request, reply) =>
      sendVersioned(
        reply,
        await updateAccount(request.scope, services, request.params.id, request.body, ifMatch(request)),
      ),
  })

  app.route({
    ...api.deleteSocialAccount,
    handler: async (request, reply) => {
      const confirmed = request.query.confirm === 'true'
      await disconnectAccount(request.scope, request.params.id, { confirmed, release })
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.getPostingOptions,
    handler: (request) => getPostingOptions(request.scope, services, request.params.id),
  })

  app.route({
    ...api.examineSocialAccount,
    handler: (request) => examineAccount(request.scope, services, request.params.id),
  })

  app.route({
    ...api.startConnection,
    handler: async (request, reply) => {
      if (services.settings.realNetworks) assertConfirmed(request.caller!.emailConfirmed, 'connect accounts')
      const { authorizationUrl, ...start } = await beginConnection(request.scope, services, {
        provider: request.params.network,
        facts: await gateFacts(scopes, 'social_accounts')(request.caller!.userId, request.scope.workspaceId),
        userId: request.caller!.userId,
        redirect: request.query.redirect ?? '/app',
        origin: callbackOrigin(request, services),
      })
      browserOf(request, 'oauth_browser').keep(reply, start)
      if (request.headers.accept?.includes('application/json')) return reply.send({ authorizationUrl })
      return goTo(reply, authorizationUrl)
    },
  })

  app.route({
    ...api.finishConnection,
    handler: async (request, reply) => {
      const { state = '' } = request.query
      const browser = browserOf(request, 'oauth_browser')
      const { redirect } = await finishConnection(
        scopes,
        request.scope,
        services,
        gateFacts(scopes, 'social_accounts'),
        {
          provider: request.params.network,
          code: request.query.code,
          state: request.query.state,
          error: request.query.error,
          browserSecret: browser.secretOf(state),
          origin: callbackOrigin(request, services),
          requestId: request.id,
        },
      )
      browser.forget(reply, state)
      return goTo(reply, redirect)
    },
  })

  // Registered after the networks and the identity providers, for a name that is neither.
  const unknown = {
    unknownProvider: '/auth/oauth/:provider',
    unknownProviderCallback: '/auth/oauth/:provider/callback',
  }
  for (const [operationId, url] of Object.entries(unknown)) {
    app.route({
      method: 'GET',
      url,
      config: { gate: 'public' },
      schema: {
        operationId,
        summary: 'Refuse an unknown provider',
        tags: api.startConnection.schema.tags,
        hide: true,
      },
      handler: () => {
        throw new AppError('unknown_provider')
      },
    })
  }
}

const goTo = (reply: FastifyReply, address: string) => reply.header('cache-control', 'no-store').redirect(address, 302)
