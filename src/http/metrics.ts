import type { FastifyInstance } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'

/** A number that is read when somebody asks, with its labels. */
export interface Figure {
  name: string
  help: string
  values: { labels: Record<string, string>; value: number }[]
}

export interface MetricsParts {
  /** Without one there is no page of figures. */
  token: string | undefined
  figures(): Promise<Figure[]>
}

/**
 * `GET /metrics` in the text format of Prometheus, for whoever has the token: the process, each operation's answers and times,
 * and the figures of the product. Register before the routes.
 */
export async function registerMetrics(app: FastifyInstance, { token, figures }: MetricsParts) {
  if (token === undefined) return
  const { Registry, Histogram, Gauge, collectDefaultMetrics } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const answers = new Histogram({
    name: 'parley_http_answer_seconds',
    help: 'Time from the request to the end of its answer, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const { schema } = request.routeOptions
    const operation = schema && 'operationId' in schema ? String(schema.operationId) : 'other'
    // A stream lasts as long as its reader likes: that is no time of an answer.
    if (operation === 'streamEvents') return
    answers.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
  })
  const gauges = new Map<string, InstanceType<typeof Gauge<string>>>()

  app.get('/metrics', { config: { gate: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const shown = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!same(shown, token)) throw new AppError('unauthenticated')
    for (const { name, help, values } of await figures()) {
      const labelNames = Object.keys(values[0]?.labels ?? {})
      const gauge = gauges.get(name) ?? new Gauge({ name, help, labelNames, registers: [registry] })
      gauges.set(name, gauge)
      gauge.reset()
      for (const { labels, value } of values) gauge.set(labels, value)
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
