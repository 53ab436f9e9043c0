import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { App } from '../../core/http/app.ts'
import { sendCreated } from '../../core/http/version.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import * as api from './api.ts'
import { getRun, replay, type Simulated, simulate, suggest } from './asking.ts'
import { RULES_VERSION } from './decide.ts'
import { getDecision, listCharged } from './decisions.ts'
import { approveDraft, flagDraft, getDraft, listDrafts } from './drafts.ts'

/** Milliseconds that a request waits for a decision, and between two reads of it. */
const WAIT = 25_000
const LOOK = 200

type BotPorts = Pick<Services, 'model' | 'settings' | 'stopping'>

export function botRoutes(app: App, ports: BotPorts) {
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
  app.route({
    ...api.suggestReply,
    handler: async ({ scope, params, caller, begun }, reply) => {
      const id = (begun as string | null) ?? (await suggest(scope, ports, params.id, caller!.userId))
      const decision = await untilDone(scope, id, reply)
      if (decision.state !== 'DONE') return reply.code(202).header('location', locationOf(id)).send(decision)
      if (decision.draftId === null) return reply.code(200).send(decision)
      return sendCreated(reply, '/ice/replies', await getDraft(scope, decision.draftId))
    },
  })
  app.route({ ...api.listChargedDecisions, handler: ({ scope, query }) => listCharged(scope, query) })
  app.route({ ...api.getDecision, handler: ({ scope, params }) => getDecision(scope, params.id) })
  app.route({
    ...api.replayDecision,
    handler: async ({ scope, params }) => ({ ...(await replay(scope, params.id)), rulesVersion: RULES_VERSION }),
  })
  app.route({
    ...api.simulateReplies,
    handler: async ({ scope, body, caller, begun }, reply) => {
      const asked = (begun as Simulated | null) ?? (await simulate(scope, ports, body, caller!.userId))
      if ('runId' in asked) {
        const { runId } = asked
        const run = await look(
          scope,
          reply,
          () => getRun(scope, runId),
          ({ done }) => done,
        )
        return run.done ? run : reply.code(202).header('location', `/api/v1/ice/simulations/${runId}`).send(run)
      }
      const decision = await untilDone(scope, asked.decisionId, reply)
      if (decision.state === 'DONE') return decision
      return reply.code(202).header('location', locationOf(decision.id)).send(decision)
    },
  })
  app.route({ ...api.getSimulation, handler: ({ scope, params }) => getRun(scope, params.id) })

  const untilDone = (scope: Scope, id: string, reply: FastifyReply) =>
    look(
      scope,
      reply,
      () => getDecision(scope, id),
      ({ state }) => state === 'DONE',
    )

  /** Reads repeatedly until `isDone`, or until the wait is over or the client is gone. Returns the last result. */
  async function look<T>(
    scope: Scope,
    reply: FastifyReply,
    read: () => Promise<T>,
    isDone: (found: T) => boolean,
  ): Promise<T> {
    const end = performance.now() + WAIT
    for (;;) {
      const found = await read()
      // Throws if the person may no longer read it.
      await scope.confirm()
      const isOver = performance.now() > end || ports.stopping.aborted || reply.raw.closed
      if (isDone(found) || isOver) return found
      await sleep(LOOK)
    }
  }
}

const locationOf = (id: string) => `/api/v1/ice/decisions/${id}`
