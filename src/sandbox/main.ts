import Fastify from 'fastify'
import { createSandbox } from './sandbox.ts'

/** The sandbox as a process of its own: `npm run sandbox`. */

const { env } = process
const apps =
  env['NET_PAGE_APP_ID'] && env['NET_PAGE_APP_SECRET']
    ? { page: { id: env['NET_PAGE_APP_ID'], secret: env['NET_PAGE_APP_SECRET'] } }
    : undefined

const app = Fastify({ logger: { level: 'warn' }, forceCloseConnections: true })
const sandbox = await createSandbox({
  journal: env['SANDBOX_JOURNAL'] ?? '.data/sandbox/journal.ndjson',
  token: env['SANDBOX_TOKEN'] || undefined,
  timeScale: Number(env['TIME_SCALE'] ?? 1) || 1,
  apps,
})
await app.register(sandbox, { prefix: '/sandbox' })
const address = await app.listen({ host: env['HOST'] ?? '127.0.0.1', port: Number(env['PORT'] ?? 3100) })
console.log(`sandbox at ${address}/sandbox`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        app.log.error(error)
        process.exit(1)
      },
    )
  })
}
