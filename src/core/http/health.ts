import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import type { App } from './app.ts'
import * as api from './api.ts'
import { AGAIN } from './problem.ts'

export interface HealthParts {
  version: string
  /** Each check throws if its part does not work. */
  checks: { database(): Promise<void>; queue(): Promise<void>; storage(): Promise<void> }
  /** False until the start is complete, and from the beginning of a stop. */
  ready(): boolean
  client: z.infer<(typeof api.getConfig.schema.response)[200]>
}

/** Milliseconds for which a result is reused: anyone may ask, and the check of the storage writes a file. */
const REUSED_FOR = 1_000
/** Milliseconds after which a part that does not answer counts as failed. */
const LATE = 3_000
/** Rejects when a check is late. */
async function late(): Promise<never> {
  await sleep(LATE, undefined, { ref: false })
  throw new Error('no answer in time')
}

export function registerHealth(
  app: App,
  { version, checks, ready, client }: HealthParts,
  { log }: { log: { warn(object: object, text: string): void } },
) {
  const works = async (name: string, check: () => Promise<void>) => {
    try {
      await Promise.race([check(), late()])
      return 'ok' as const
    } catch (error) {
      log.warn({ err: error, check: name }, 'a health check failed')
      return 'failed' as const
    }
  }

  async function checkAll() {
    const [database, queue, storage] = await Promise.all([
      works('database', checks.database),
      works('queue', checks.queue),
      works('storage', checks.storage),
    ])
    return { database, queue, storage }
  }
  let last: { at: number; found: ReturnType<typeof checkAll> } | undefined

  app.route({
    ...api.getHealth,
    handler: async (_request, reply) => {
      const now = performance.now()
      if (!last || now - last.at > REUSED_FOR) last = { at: now, found: checkAll() }
      const found = await last.found
      const healthy = Object.values(found).every((each) => each === 'ok')
      if (!healthy) reply.header('retry-after', String(AGAIN.unavailable))
      return reply.code(healthy ? 200 : 503).send({
        status: healthy ? 'ok' : 'unavailable',
        version,
        uptimeSeconds: Math.round(process.uptime()),
        checks: found,
      })
    },
  })

  app.route({ ...api.getLive, handler: async () => ({ status: 'ok' as const }) })

  app.route({
    ...api.getReady,
    handler: async (_request, reply) => {
      const isReady = ready() && (await works('database', checks.database)) === 'ok'
      if (!isReady) reply.header('retry-after', String(AGAIN.unavailable))
      return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable' })
    },
  })

  app.route({ ...api.getConfig, handler: async () => client })
}
