import { pino } from 'pino'
import { expect, test } from 'vitest'
import { registerHealth } from './health.ts'
import { createServer } from './server.ts'

test('an answer of 503 says when to try again, and one of 200 does not', async () => {
  const log = pino({ level: 'silent' })
  const app = await createServer({ log, strictAnswers: true, trustProxy: 0 })
  let isBroken = true
  const check = async () => {
    if (isBroken) throw new Error('The disk is full')
  }
  const checks = { database: check, queue: check, storage: check }
  registerHealth(app, { version: '1', checks, ready: () => true, client: undefined as never }, { log })
  for (const path of ['/health/ready', '/health']) {
    const { statusCode, headers } = await app.inject(path)
    expect([path, statusCode, Number(headers['retry-after']) > 0]).toEqual([path, 503, true])
  }
  isBroken = false
  const { statusCode, headers } = await app.inject('/health/ready')
  expect([statusCode, headers['retry-after']]).toEqual([200, undefined])
  await app.close()
})

test('a part that does not answer has failed after three seconds', async () => {
  const log = pino({ level: 'silent' })
  const app = await createServer({ log, strictAnswers: true, trustProxy: 0 })
  const never = () => new Promise<void>(() => {})
  const checks = { database: async () => {}, queue: async () => {}, storage: never }
  registerHealth(app, { version: '1', checks, ready: () => true, client: undefined as never }, { log })
  const answer = await app.inject('/health')
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ checks: { database: 'ok', queue: 'ok', storage: 'failed' } })
  await app.close()
})

test('many requests at once check the parts once', async () => {
  let checks = 0
  const log = pino({ level: 'silent' })
  const app = await createServer({ log, strictAnswers: true, trustProxy: 0 })
  const check = async () => void (checks += 1)
  const broken = async () => {
    checks += 1
    throw new Error('The disk is full')
  }
  registerHealth(
    app,
    {
      version: '1',
      checks: { database: check, queue: check, storage: broken },
      ready: () => true,
      client: undefined as never,
    },
    { log },
  )
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/health')))
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
  expect(answers[0]!.json()).toMatchObject({ checks: { database: 'ok', queue: 'ok', storage: 'failed' } })
  expect(checks).toBe(3)
  await app.close()
})
