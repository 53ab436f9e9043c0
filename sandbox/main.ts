import Fastify from 'fastify'
import { appsOf } from './networks.ts'
import { createSandbox } from './sandbox.ts'

/** Runs the sandbox as a separate process: `npm run sandbox`. */

const { env } = process
const own = (id: string, secret: string) => {
  const [name, value] = [env[id], env[secret]]
  return name && value ? { name, secret: value } : undefined
}
const sms = own('SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN')
const idpA = own('IDP_A_CLIENT_ID', 'IDP_A_CLIENT_SECRET')
const idpB = own('IDP_B_CLIENT_ID', 'IDP_B_CLIENT_SECRET')

const port = Number(env['PORT'] ?? 3100)
const app = Fastify({ logger: { level: 'warn' }, forceCloseConnections: true })
const sandbox = await createSandbox({
  journal: env['SANDBOX_JOURNAL'] ?? '.data/sandbox/journal.ndjson',
  token: env['SANDBOX_TOKEN'] || undefined,
  timeScale: Number(env['TIME_SCALE'] ?? 1) || 1,
  apps: {
    ...appsOf(env),
    idpA: idpA && { id: idpA.name, secret: idpA.secret },
    idpB: idpB && { id: idpB.name, secret: idpB.secret, tenant: env['IDP_B_TENANT_ID'] || undefined },
  },
  sms: sms && { accountSid: sms.name, authToken: sms.secret },
  smtpPort: port === 0 ? 0 : port + 1,
})
await app.register(sandbox, { prefix: '/sandbox' })
const address = await app.listen({ host: env['HOST'] ?? '127.0.0.1', port })
const { body } = await app.inject({ url: '/sandbox/smtp', headers: { host: '127.0.0.1' } })
const { url: mail } = JSON.parse(body) as { url: string }
console.log(`sandbox at ${address}/sandbox\nmail at ${mail}`)

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
