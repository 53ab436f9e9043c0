import { expect, test } from 'vitest'
import { sized } from '../tier.ts'
import { runIngest } from './ingest.ts'

const events = sized(150, 10_000)
const kills = sized(1, 5)

test(
  `${events} events of a network, kills of the product: none is lost or duplicated`,
  { timeout: 1_200_000 },
  async () => {
    const result = await runIngest({ events, kills, seed: 20_261_125 })
    console.log(JSON.stringify({ ...result, lost: result.lost.length, twice: result.twice.length }))
    expect(result).toMatchObject({ events, kills, messages: events, lost: [], twice: [] })
    expect(result.sent).toBeGreaterThan(result.unanswered)
  },
)
