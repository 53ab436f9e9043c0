import { expect, test } from 'vitest'
import { startSandbox } from '../product.ts'
import { random, runChaos } from './chaos.ts'
import { addFaults } from './faults.ts'
import { runNaive } from './naive.ts'

const seed = 20_261_121

test(
  '180 posts on three networks, 8 kills, a restart of the networks and of the database: each is live exactly once',
  { timeout: 480_000 },
  async () => {
    const result = await runChaos({ posts: 180, kills: 8, faultRate: 0.01, seed, timeScale: 20 })
    console.log(JSON.stringify(result))
    expect(result.lost).toEqual([])
    expect(result.duplicates).toEqual([])
    expect(result.failed).toEqual([])
    expect(result).toMatchObject({ posts: 180, targets: 234, live: 234, unconfirmed: 0, kills: 8 })
    expect(result.retried).toBeLessThanOrEqual(12)
    expect(result.callsInHour).toBeLessThanOrEqual(200)
  },
)

test(
  'the control fails on each network: a worker that sends again what was not answered publishes twice',
  { timeout: 120_000 },
  async () => {
    const sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
    try {
      await addFaults(sandbox.url, 0.04, seed)
      const result = await runNaive(sandbox.url, 60, random(seed))
      console.log(JSON.stringify(result))
      for (const { live, duplicates } of Object.values(result)) {
        expect(live).toBe(60)
        expect(duplicates).toBeGreaterThan(3)
      }
    } finally {
      await sandbox.stop()
    }
  },
)
