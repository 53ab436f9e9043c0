import { afterAll, beforeAll, expect, test } from 'vitest'
import { sized } from '../tier.ts'
import { type Author, openAuthor, simulate, type Simulated } from './simulation.ts'
import { openUniverse, type Universe } from './universe.ts'

/** SIMULATION_SEED=17 npx vitest run test/simulation runs only that seed. SIMULATION_SEEDS=1000 runs that many. */
const ONE = process.env['SIMULATION_SEED']
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? sized(5, 50))

let universe: Universe
let author: Author

beforeAll(async () => {
  universe = await openUniverse()
  author = await openAuthor(universe)
})
afterAll(() => universe?.close())

/** The changes of each run so far. */
const traces = new Map<number, string[]>()
const seeds = ONE ? [Number(ONE)] : Array.from({ length: SEEDS }, (_, i) => i + 1)

test(
  `${seeds.length} seeds: every post is live once, or has a reason not to be`,
  { timeout: SEEDS * 60_000 },
  async () => {
    const sum = { live: 0, removed: 0, unconfirmed: 0, deaths: 0, frozen: 0, steps: 0 }
    for (const seed of seeds) {
      const run = await simulate(universe, author, seed)
      if (ONE) console.log(run.trace.join('\n'))
      traces.set(seed, run.trace)
      const told = `seed ${seed}, again by SIMULATION_SEED=${seed} npx vitest run test/simulation`
      expect(run.broken, told).toEqual([])
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += run[name]
    }
    console.log(`${seeds.length} seeds of ten days: ${JSON.stringify(sum)}`)
    if (!ONE) for (const [name, count] of Object.entries(sum)) expect(count, name).toBeGreaterThan(0)
  },
)

test('the same seed gives the same run, change by change', async () => {
  const seed = seeds.at(-1)!
  const first = traces.get(seed) ?? (await simulate(universe, author, seed)).trace
  const again = await simulate(universe, author, seed)
  expect(again.trace).toEqual(first)
  expect(first.length).toBeGreaterThan(20)
})

/** The control starts at a seed that is known to lose an answer in the right moment. Others follow if that changes. */
const LOSES_AN_ANSWER = 11
const CONTROLS = 20

test(
  'the control fails: a worker that resends unanswered calls publishes twice',
  { timeout: CONTROLS * 60_000 },
  async () => {
    let found: Simulated | undefined
    for (let seed = LOSES_AN_ANSWER; seed < LOSES_AN_ANSWER + CONTROLS && !found; seed += 1) {
      const run = await simulate(universe, author, seed, { careless: true })
      if (run.broken.some((each) => each.includes('duplicate'))) found = run
    }
    expect(found).toBeDefined()
  },
)
