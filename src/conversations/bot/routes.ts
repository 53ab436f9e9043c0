import type { App } from '../../core/http/app.ts'
import * as api from './api.ts'
import { getDecision } from './decisions/decisions.ts'
import { approveDraft, flagDraft, getDraft, listDrafts } from './drafts.ts'

export function botRoutes(app: App) {
  app.route({ ...api.listDraftReplies, handler: ({ scope, query }) => listDrafts(scope, query) })
  app.route({ ...api.getDraftReply, handler: ({ scope, params }) => getDraft(scope, params.id) })
  app.route({
    ...api.approveDraftReply,
    handler: ({ scope, params, body, caller }) => approveDraft(scope, params.id, body?.text, caller!.userId),
  })
  app.route({
    ...api.flagDraftReply,
    handler: ({ scope, params, body, caller }) => flagDraft(scope, params.id, body, caller!.userId),
  })
  app.route({ ...api.getDecision, handler: ({ scope, params }) => getDecision(scope, params.id) })
}
