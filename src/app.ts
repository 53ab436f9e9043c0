import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './channels/routes.ts'
import { approvalRoutes } from './publishing/approvals/routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { auditRoutes } from './team/audit/routes.ts'
import type { App } from './core/http/app.ts'
import { aiRoutes } from './assistant/ai/routes.ts'
import { attachmentRoutes } from './conversations/attachments/routes.ts'
import { audienceRoutes } from './conversations/audience/routes.ts'
import { segmentRoutes } from './conversations/audience/segments/routes.ts'
import { escalationRoutes } from './conversations/escalation/routes.ts'
import { savedReplyRoutes } from './conversations/replies/routes.ts'
import { botConfigRoutes } from './conversations/bot/config/routes.ts'
import { learningRoutes } from './conversations/bot/learning/routes.ts'
import { botRoutes } from './conversations/bot/routes.ts'
import { spotCheckRoutes } from './conversations/bot/spot-check/routes.ts'
import { experimentRoutes } from './conversations/experiments/routes.ts'
import { memoryRoutes } from './conversations/memory/routes.ts'
import { statsRoutes } from './conversations/stats/routes.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { webhookRoutes } from './conversations/webhooks/routes.ts'
import { abTestRoutes } from './insights/ab-tests/routes.ts'
import { competitorRoutes } from './insights/competitors/routes.ts'
import { analyticsRoutes } from './insights/analytics/routes.ts'
import { metricsRoutes } from './insights/metrics/routes.ts'
import { reportRoutes } from './insights/reports/routes.ts'
import { predictionRoutes } from './insights/predictions/routes.ts'
import { brandVoiceRoutes } from './assistant/brand-voices/routes.ts'
import { registerEvents } from './core/http/events.ts'
import { registerGate, roleOfSession } from './core/http/gate.ts'
import { type HealthParts, registerHealth } from './core/http/health.ts'
import { registerIdempotency } from './core/http/idempotency.ts'
import { type MetricsParts, registerMetrics } from './core/http/metrics.ts'
import { registerOpenApi } from './core/http/openapi.ts'
import { ownOrigin } from './core/http/origin.ts'
import { registerReference } from './core/http/reference.ts'
import { createServer } from './core/http/server.ts'
import { registerWeb } from './core/http/web.ts'
import { createPublicWeb, EVERYWHERE } from './core/platform/public-web.ts'
import { labelRoutes } from './team/labels/routes.ts'
import { setQuietHours } from './team/identity/person.ts'
import { identityRoutes } from './team/identity/routes.ts'
import { fileRoutes, mediaRoutes } from './publishing/media/routes.ts'
import { notificationRoutes } from './team/notifications/routes.ts'
import type { Scopes } from './core/platform/scope.ts'
import { overviewRoutes } from './publishing/overview/routes.ts'
import { planRoutes } from './team/plans/routes.ts'
import { linkCardRoutes } from './publishing/link-cards/routes.ts'
import { postRoutes } from './publishing/posts/routes.ts'
import { changePause } from './publishing/sending/pause.ts'
import { releaseAccount } from './publishing/sending/release.ts'
import { publishingRoutes } from './publishing/sending/routes.ts'
import { schedulerRoutes } from './publishing/scheduler/routes.ts'
import type { Services } from './services.ts'
import { transferRoutes } from './publishing/transfer/routes.ts'
import { viewRoutes } from './publishing/views/routes.ts'
import { workspaceRoutes } from './team/workspaces/routes.ts'
import { writingRoutes } from './publishing/writing/routes.ts'

const WEB = join(import.meta.dirname, '..', 'dist', 'web')

/** Builds the server as a list of its routes. */
export async function createApp(
  services: Services,
  scopes: Scopes,
  health: HealthParts,
  metrics: MetricsParts,
): Promise<FastifyInstance> {
  const { config, log, tokens, events, clock } = services
  const app = await createServer({
    log,
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    filesUrl: config.s3?.publicUrl,
    stopping: services.stopping,
    strictAnswers: config.environment === 'test',
  })
  registerGate(app, {
    scopes,
    tokens,
    now: clock.now,
    isOwnOrigin: ownOrigin(config.publicUrl),
    requestsPerMinute: config.requestsPerMinute,
  })
  registerIdempotency(app, scopes, events.process)
  await registerMetrics(app, metrics)
  await registerOpenApi(app)
  await registerReference(app, WEB)
  await app.register(
    async (api) => {
      const typed = api as unknown as App
      registerHealth(typed, health, services)
      registerEvents(typed, events, tokens.accessSeconds * 1000, roleOfSession(scopes))
      identityRoutes(typed, services)
      notificationRoutes(typed, setQuietHours)
      workspaceRoutes(typed, services, scopes, changePause)
      auditRoutes(typed)
      planRoutes(typed, services)
      labelRoutes(typed)
      accountRoutes(typed, services, scopes, releaseAccount)
      await mediaRoutes(typed, services)
      transferRoutes(typed, services)
      postRoutes(typed, services)
      writingRoutes(typed)
      linkCardRoutes(typed, createPublicWeb(config.privateLinks ? EVERYWHERE : undefined))
      viewRoutes(typed)
      overviewRoutes(typed, services, scopes)
      schedulerRoutes(typed, services)
      approvalRoutes(typed, services, scopes)
      publishingRoutes(typed, services)
      brandVoiceRoutes(typed)
      conversationRoutes(typed, services)
      botConfigRoutes(typed)
      botRoutes(typed, services)
      learningRoutes(typed)
      spotCheckRoutes(typed)
      memoryRoutes(typed)
      experimentRoutes(typed)
      statsRoutes(typed)
      savedReplyRoutes(typed)
      audienceRoutes(typed)
      segmentRoutes(typed)
      escalationRoutes(typed)
      attachmentRoutes(typed, services)
      metricsRoutes(typed)
      predictionRoutes(typed, services)
      competitorRoutes(typed, services)
      analyticsRoutes(typed, services)
      abTestRoutes(typed, services)
      reportRoutes(typed, services, scopes)
      aiRoutes(typed, services)
      adminRoutes(typed, scopes)
    },
    { prefix: '/api/v1' },
  )
  fileRoutes(app, services)
  await webhookRoutes(app, services, scopes)
  await registerWeb(app, WEB)
  return app
}
