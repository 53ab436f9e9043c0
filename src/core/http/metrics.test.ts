import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { type MetricsParts, registerMetrics } from './metrics.ts'

test('a figure without values keeps its labels for later ones', async () => {
  let values: Awaited<ReturnType<MetricsParts['figures']>>[number]['values'] = []
  const app = Fastify()
  await registerMetrics(app, {
    token: undefined,
    figures: async () => [{ name: 'parley_jobs', help: 'Jobs.', labels: ['job'], values }],
  })
  const read = async () => {
    const { statusCode, body } = await app.inject('/metrics')
    return [statusCode, ...body.split('\n').filter((line) => line.startsWith('parley_jobs'))]
  }
  expect(await read()).toEqual([200])
  values = [{ labels: { job: 'mail' }, value: 3 }]
  expect(await read()).toEqual([200, 'parley_jobs{job="mail"} 3'])
  values = []
  expect(await read()).toEqual([200])
  await app.close()
})
