import { pino } from 'pino'
import { expect, test } from 'vitest'
import { registerHealth } from './health.ts'
import { createServer } from './server.ts'

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
