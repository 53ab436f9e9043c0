import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { AppError } from '../../core/errors.ts'
import * as identity from '../identity/api.ts'
import { attachByCode, proveCode, wishOf } from '../identity/codes.ts'
import { browserOf, keepSession, sendSession } from '../identity/cookie.ts'
import { type Device, getProfile, refuseUnknownZone } from '../identity/identity.ts'
import type { App } from '../../core/http/app.ts'
import { callbackOrigin } from '../../core/http/origin.ts'
import { ifMatch, sendCreated, sendVersioned } from '../../core/http/version.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { deleteWorkspace, listDeleted, mayRestore, restoreWorkspace } from './deletion.ts'
import * as invitations from './invitations.ts'
import * as members from './members.ts'
import { finishSignIn } from './sign-in.ts'
import {
  type ChangePause,
  completeOnboarding,
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  register,
  resetPassword,
  signInByCode,
  updateWorkspace,
} from './workspaces.ts'

const languageOf = ({ headers }: FastifyRequest) => (headers['accept-language']?.startsWith('ar') ? 'ar' : 'en')
const requestDevice = ({ headers, ip }: FastifyRequest): Device => ({ userAgent: headers['user-agent'], ip })

export function workspaceRoutes(
  app: App,
  services: Services,
  scopes: Pick<Scopes, 'foundingScope' | 'scope'>,
  changePause: ChangePause,
) {
  app.route({
    ...identity.register,
    handler: async (request, reply) => {
      const opened = await register(scopes, request.scope, services, request.body, requestDevice(request))
      return sendSession(request, reply, 201, opened)
    },
  })

  app.route({
    ...identity.loginByPhone,
    handler: async (request, reply) => {
      const { phone, code, ...newcomer } = request.body
      if (newcomer.timezone !== undefined) refuseUnknownZone(newcomer.timezone)
      const proof = await proveCode(request.scope, services, await wishOf(null, { phone }), code)
      const opened = await signInByCode(scopes, request.scope, services, proof, requestDevice(request), newcomer)
      return sendSession(request, reply, 200, opened)
    },
  })

  app.route({
    ...identity.verifyCode,
    handler: async (request, reply) => {
      const { code, currentPassword, ...body } = request.body
      const wish = await wishOf(request.caller, body)
      if (request.caller && wish.purpose === 'verify') {
        const input = { wish, code, currentPassword }
        return { verified: true as const, user: await attachByCode(request.scope, services, request.caller, input) }
      }
      const proof = await proveCode(request.scope, services, wish, code)
      const opened = await signInByCode(scopes, request.scope, services, proof, requestDevice(request), {
        language: languageOf(request),
      })
      return sendSession(request, reply, 200, opened, { verified: true })
    },
  })

  app.route({
    ...identity.resetPassword,
    handler: async (request, reply) => {
      await resetPassword(scopes, request.scope, services, request.body, languageOf(request))
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...identity.finishSignIn,
    handler: async (request, reply) => {
      const query = new URL(request.url, 'http://own.invalid').searchParams
      const state = query.get('state') ?? ''
      const browser = browserOf(request, 'oauth_sign_in')
      const { redirect, opened } = await finishSignIn(scopes, request.scope, services, {
        provider: `IDP_${request.params.letter}`,
        query,
        browserSecret: browser.secretOf(state),
        origin: callbackOrigin(request, services),
        device: requestDevice(request),
        language: languageOf(request),
      })
      browser.forget(reply, state)
      if (opened) keepSession(request, reply, opened)
      return reply.header('cache-control', 'no-store').redirect(redirect, 302)
    },
  })

  app.route({
    ...api.completeOnboarding,
    handler: (request) => completeOnboarding(scopes, request.scope, request.caller!.userId, request.body),
  })

  app.route({
    ...api.listWorkspaces,
    handler: async (request) => {
      const { userId } = request.caller!
      const { deleted, ...asked } = request.query
      if (deleted === 'true') return listDeleted(scopes, request.scope, userId, asked)
      const { workspaces } = await getProfile(request.scope, userId)
      return listWorkspaces(scopes, request.scope, userId, workspaces, asked)
    },
  })

  app.route({
    ...api.deleteWorkspace,
    handler: async (request, reply) => {
      await deleteWorkspace(request.scope, services, request.caller!.userId, request.query.confirmName)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.restoreWorkspace,
    onRequest: async (request) => {
      const { id } = request.params
      if (!z.uuid().safeParse(id).success) throw new AppError('not_found')
      await mayRestore(scopes.scope(id, request.scope.actor), request.caller!.userId)
    },
    handler: async (request, reply) => {
      const there = scopes.scope(request.params.id, request.scope.actor)
      return sendVersioned(reply, await restoreWorkspace(there, request.caller!.userId))
    },
  })

  app.route({
    ...api.createWorkspace,
    handler: async (request, reply) => {
      const made = await createWorkspace(scopes, request.scope, services, request.caller!.userId, request.body)
      return sendCreated(reply, '/workspaces', made)
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
        await updateWorkspace(request.scope, request.caller!.userId, request.body, {
          changePause,
          ifMatch: ifMatch(request),
        }),
      ),
  })

  app.route({
    ...api.listMembers,
    handler: (request) => members.listMembers(request.scope, request.caller!.role, request.query),
  })

  app.route({
    ...api.updateMember,
    handler: (request) =>
      members.updateMember(request.scope, services, request.caller!.userId, request.params.userId, request.body.role),
  })

  app.route({
    ...api.removeMember,
    handler: async (request, reply) => {
      await members.removeMember(request.scope, request.caller!.userId, request.params.userId)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.removeMemberHere,
    handler: async (request, reply) => {
      await members.removeMember(request.scope, request.caller!.userId, request.params.memberId)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.transferOwnership,
    handler: async (request, reply) => {
      const { userId } = request.caller!
      return sendVersioned(reply, await members.transferOwnership(request.scope, services, userId, request.body.userId))
    },
  })

  app.route({
    ...api.inviteMember,
    handler: async (request, reply) => {
      const sent = await invitations.inviteMember(request.scope, services, request.caller!, request.body)
      const location = `/api/v1/workspaces/${request.scope.workspaceId}/invitations/${sent.id}`
      return reply.code(201).header('location', location).send(sent)
    },
  })

  app.route({
    ...api.listInvitations,
    handler: (request) => invitations.listInvitations(request.scope, request.query),
  })

  app.route({
    ...api.findInvitation,
    handler: (request) => invitations.findInvitation(request.scope, request.params.invitationId),
  })

  app.route({
    ...api.resendInvitation,
    handler: (request) =>
      invitations.resendInvitation(request.scope, services, request.caller!, request.params.invitationId),
  })

  app.route({
    ...api.revokeInvitation,
    handler: async (request, reply) => {
      await invitations.revokeInvitation(request.scope, request.caller!.userId, request.params.invitationId)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.getInvitation,
    handler: (request) => invitations.getInvitation(request.scope, request.params.token),
  })

  app.route({
    ...api.acceptInvitation,
    handler: async (request, reply) => {
      const { userId } = request.caller!
      return sendVersioned(
        reply,
        await invitations.acceptInvitation(scopes, request.scope, services, userId, request.params.token),
      )
    },
  })
}
