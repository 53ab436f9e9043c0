import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { DurationReporter, readDurations } from './test/reporter.ts'
import { long } from './test/tier.ts'

/** The longest files first, by what they took before: begun late, one of them would run alone in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const took = readDurations()
    const duration = ({ moduleId }: TestSpecification) => {
      const name = Object.keys(took).find((file) => moduleId.endsWith(`/${file}`))
      // A new file is begun early as well.
      return name === undefined ? Infinity : took[name]!
    }
    return files.toSorted((a, b) => duration(b) - duration(a) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sandbox/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    // Files of a worker share what they import, and with it the product and the browser of test/fixtures.ts and test/browser.
    isolate: false,
    // More than the cores of a small machine: a test waits for half of its time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new DurationReporter()],
    // On a slow and busy machine nothing but a fault takes so long.
    testTimeout: long ? 3_600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
