import { dirname } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { DurationReporter, readDurations } from './test/reporter.ts'
import { long } from './test/tier.ts'

/**
 * The longest files first, by what they took before: begun late, one of them would run alone in the end. The files of each folder
 * are spread evenly over the run, since folders differ in how much they compute and how much they wait.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const took = readDurations()
    const folders = new Map<string, { file: TestSpecification; duration: number }[]>()
    for (const file of files) {
      const name = Object.keys(took).find((each) => file.moduleId.endsWith(`/${each}`))
      const folder = dirname(file.moduleId)
      // A new file is begun early as well.
      const timed = { file, duration: name === undefined ? 60_000 : took[name]! }
      folders.set(folder, [...(folders.get(folder) ?? []), timed])
    }
    return [...folders.values()]
      .flatMap(placed)
      .toSorted((a, b) => a.place - b.place || b.duration - a.duration)
      .map(({ file }) => file)
  }
}

/** Where in a run each file of a folder begins, 0 to 1, if the longest came first and all followed each other evenly. */
function placed<T extends { duration: number }>(timed: T[]): (T & { place: number })[] {
  const whole = timed.reduce((sum, { duration }) => sum + duration, 0)
  let before = 0
  return timed
    .toSorted((a, b) => b.duration - a.duration)
    .map((each) => {
      const place = before / whole
      before += each.duration
      return { ...each, place }
    })
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
