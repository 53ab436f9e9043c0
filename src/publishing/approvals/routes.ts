import type { App } from '../../core/http/app.ts'
import { ifMatch, sendVersioned } from '../../core/http/version.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { decidePost, decideRequest, listApprovals, withdrawRequest } from './approvals.ts'
import { addComment, deleteComment, listComments } from './approvals-comments.ts'
import * as links from './approvals-links.ts'
import * as review from './approvals-review.ts'
import { listVersions } from './approvals-versions.ts'

export function approvalRoutes(app: App, services: Services, scopes: Pick<Scopes, 'scope'>) {
  app.route({
    ...api.listApprovals,
    handler: (request) => listApprovals(request.scope, services, request.query, request.caller!.role),
  })

  app.route({
    ...api.approveRequest,
    handler: (request) =>
      decideRequest(request.scope, services, request.params.id, { state: 'APPROVED' }, request.caller!.role),
  })

  app.route({
    ...api.rejectRequest,
    handler: (request) => {
      const { reason } = request.body
      return decideRequest(
        request.scope,
        services,
        request.params.id,
        { state: 'REJECTED', reason },
        request.caller!.role,
      )
    },
  })

  app.route({
    ...api.withdrawRequest,
    handler: (request) => withdrawRequest(request.scope, services, request.params.id, request.caller!.role),
  })

  app.route({
    ...api.approvePost,
    handler: async (request, reply) => {
      const { role } = request.caller!
      const verdict = { state: 'APPROVED' } as const
      return sendVersioned(
        reply,
        await decidePost(request.scope, services, request.params.id, verdict, role, ifMatch(request)),
      )
    },
  })

  app.route({
    ...api.rejectPost,
    handler: async (request, reply) => {
      const { role } = request.caller!
      const verdict = { state: 'REJECTED', reason: request.body.reason } as const
      return sendVersioned(
        reply,
        await decidePost(request.scope, services, request.params.id, verdict, role, ifMatch(request)),
      )
    },
  })

  app.route({
    ...api.listComments,
    handler: (request) => listComments(request.scope, request.params.id, request.caller!.role, request.query),
  })

  app.route({
    ...api.addComment,
    handler: async (request, reply) => {
      const comment = await addComment(request.scope, request.params.id, request.caller!.role, request.body)
      return reply.code(201).header('location', `/api/v1/posts/${comment.postId}/comments`).send(comment)
    },
  })

  app.route({
    ...api.deleteComment,
    handler: async (request, reply) => {
      await deleteComment(request.scope, request.params.id, request.params.commentId, request.caller!.role)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.listVersions,
    handler: (request) => listVersions(request.scope, request.params.id, request.query),
  })

  app.route({
    ...api.listReviewLinks,
    handler: (request) => links.listReviewLinks(request.scope, request.params.id, request.query),
  })

  app.route({
    ...api.addReviewLink,
    handler: async (request, reply) => {
      const link = await links.addReviewLink(request.scope, services, request.params.id, request.body)
      return reply.code(201).header('location', `/api/v1/posts/${link.postId}/review-links`).send(link)
    },
  })

  app.route({
    ...api.revokeReviewLinks,
    handler: async (request, reply) => {
      await links.revokeReviewLinks(request.scope, request.params.id, request.query.linkId)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.listSharedReviewLinks,
    handler: (request) => links.listSharedReviewLinks(request.scope, services, request.query),
  })

  app.route({
    ...api.shareReviewLink,
    handler: async (request, reply) => {
      const link = await links.shareReviewLink(request.scope, services, request.caller!, request.body)
      return reply.code(201).header('location', '/api/v1/review-links').send(link)
    },
  })

  app.route({
    ...api.endReviewLink,
    handler: async (request, reply) => {
      await links.endReviewLink(request.scope, request.params.id)
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...api.getReview,
    handler: (request) => review.getReview({ scopes, caller: request.scope }, services, request.params.token),
  })

  app.route({
    ...api.approveReview,
    handler: (request) => {
      const visitor = { scopes, caller: request.scope }
      return review.decideReview(visitor, services, request.params.token, { state: 'APPROVED' }, request.body)
    },
  })

  app.route({
    ...api.rejectReview,
    handler: (request) => {
      const { reason, ...looked } = request.body
      const visitor = { scopes, caller: request.scope }
      return review.decideReview(visitor, services, request.params.token, { state: 'REJECTED', reason }, looked)
    },
  })

  app.route({
    ...api.commentReview,
    handler: (request) =>
      review.commentReview({ scopes, caller: request.scope }, services, request.params.token, request.body),
  })
}
