import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest ones. A fresh checkout knows no durations; begun late, one of these would run alone in the end. */
const FIRST = [
  'test/chaos/chaos',
  'test/simulation/simulation',
  'test/browser/screens-arabic',
  'test/browser/screens-english',
  'src/publishing/video',
  'src/publishing/publishing',
  'test/model',
  'src/platform/postgres',
  'src/publishing/race',
  'test/slow-senders',
  'test/facts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = FIRST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
      return found < 0 ? FIRST.length : found
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which is no array's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    // Files of a worker share what they import. What one of them changes for all, as how a number is read, the next one finds.
    isolate: false,
    // More than the cores of a small machine: a test waits for half of its time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // What waits for something waits long: on a slow machine that is busy, nothing but a fault takes so long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
