import { expect, test } from 'vitest'
import { startSandbox } from '../product.ts'
import { addFaults, random, runChaos } from './chaos.ts'
import { runNaive } from './naive.ts'

const seed = 20_261_121

test(
  '300 posts, 10 kills, a restart of the network and of the database: each is live exactly once',
  { timeout: 480_000 },
  async () => {
    const result = await runChaos({ posts: 300, kills: 10, faultRate: 0.01, seed, timeScale: 20 })
    console.log(JSON.stringify(result))
    expect(result.lost).toEqual([])
    expect(result).toMatchObject({ posts: 300, live: 300, duplicates: 0, unconfirmed: 0, failed: [], kills: 10 })
    expect(result.retried).toBeLessThanOrEqual(15)
    expect(result.callsInHour).toBeLessThanOrEqual(200)
  },
)

test(
  'the control fails: a worker that sends again what was not answered publishes twice',
  { timeout: 120_000 },
  async () => {
    const sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
    try {
      await addFaults(sandbox.url, 0.04, seed)
      const result = await runNaive(sandbox.url, 300, random(seed))
      console.log(JSON.stringify(result))
      expect(result.live).toBe(300)
      expect(result.duplicates).toBeGreaterThan(10)
    } finally {
      await sandbox.stop()
    }
  },
)
