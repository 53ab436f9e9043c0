import type { FastifyInstance, FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'

/** A metric with its labels, read at each request. */
interface Figure {
  name: string
  help: string
  /** The names of its labels, which a figure without values has as well. */
  labels: readonly string[]
  values: { labels: Record<string, string>; value: number }[]
}

export interface MetricsParts {
  /** Without a token, only this machine may read the metrics. */
  token: string | undefined
  figures(): Promise<Figure[]>
}

/**
 * `GET /metrics` in the text format of Prometheus, from loopback or with the token: the process, the answers and times
 * of each operation, and the figures of the product. Register before the routes.
 */
export async function registerMetrics(app: FastifyInstance, { token, figures }: MetricsParts) {
  const { Registry, Histogram, Gauge, collectDefaultMetrics } = await import('prom-client')
  const registry = new Registry()
  // The default of 10 ms wakes an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const answers = new Histogram({
    name: 'parley_http_answer_seconds',
    help: 'Time from the request to the end of its response, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { schema } = request.routeOptions
    const operation = schema && 'operationId' in schema ? String(schema.operationId) : 'other'
    // A stream lasts as long as its reader likes, so it has no answer time.
    if (operation !== 'streamEvents')
      answers.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    done()
  })
  const gauges = new Map<string, InstanceType<typeof Gauge<string>>>()

  app.get('/metrics', { config: { gate: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const { authorization } = request.headers
    const shown = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? ''
    const may = authorization === undefined ? isLocal(request) : token !== undefined && same(shown, token)
    if (!may) throw new AppError(token === undefined ? 'not_found' : 'unauthenticated')
    for (const { name, help, labels: labelNames, values } of await figures()) {
      const gauge = gauges.get(name) ?? new Gauge({ name, help, labelNames, registers: [registry] })
      gauges.set(name, gauge)
      gauge.reset()
      for (const { labels, value } of values) gauge.set(labels, value)
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

/** Headers with which a proxy shows that it forwards a request. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Whether peer and requested host are loopback, with no proxy in between. Behind a proxy, every stranger is a loopback
 * peer.
 */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  const peer = socket.remoteAddress ?? ''
  if (!/^(::ffff:)?127\.|^::1$/.test(peer) || FORWARDED.some((name) => headers[name] !== undefined)) return false
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(headers.host ?? '')
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
