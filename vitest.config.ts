import { dirname } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { DurationReporter, readDurations } from './test/reporter.ts'
import { long } from './test/tier.ts'

/** The latest start of a file, as a share of the run. A long file that starts later would run alone at the end. */
const BEGINS = 0.85

/**
 * Spreads the files of each folder evenly over the run, longest first, because folders differ in how much they compute
 * and wait. The first file of each folder starts at another time, so that small folders are not all at the beginning.
 */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const took = readDurations()
    const folders = new Map<string, { file: TestSpecification; duration: number }[]>()
    for (const file of files) {
      const name = Object.keys(took).find((each) => file.moduleId.endsWith(`/${each}`))
      const folder = dirname(file.moduleId)
      // A new file is assumed to be long.
      const timed = { file, duration: name === undefined ? 60_000 : took[name]! }
      folders.set(folder, [...(folders.get(folder) ?? []), timed])
    }
    const run = [...folders.values()].flat().reduce((sum, { duration }) => sum + duration, 0) / WORKERS
    return [...folders.values()]
      .toSorted((a, b) => total(b) - total(a))
      .flatMap((folder, index) => placed(folder, (index * GOLDEN) % 1, run))
      .toSorted((a, b) => a.place - b.place)
      .map(({ file }) => file)
  }
}

/** Multiples of the golden ratio, modulo 1, are far apart, however many there are. */
const GOLDEN = 0.618

const total = (files: readonly { duration: number }[]) => files.reduce((sum, { duration }) => sum + duration, 0)

/**
 * Returns where in a run each file of a folder starts, from 0 to 1, if the files follow each other evenly, longest
 * first.
 */
function placed<T extends { duration: number }>(timed: T[], phase: number, run: number): (T & { place: number })[] {
  const whole = total(timed)
  let before = 0
  return timed
    .toSorted((a, b) => b.duration - a.duration)
    .map((each) => {
      const place = ((before + phase * each.duration) / whole) * Math.min(BEGINS, 1 - each.duration / run)
      before += each.duration
      return { ...each, place }
    })
}

/**
 * More than the cores of a small machine, since a test spends half of its time waiting. On a busy machine, more workers
 * would only wait for each other.
 */
const WORKERS = 4

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sandbox/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    // Files of a worker share their imports, and thereby the product and the browser of test/fixtures.ts and
    // test/browser.
    isolate: false,
    maxWorkers: WORKERS,
    sequence: { sequencer: Spread },
    reporters: ['default', new DurationReporter()],
    // Even on a slow and busy machine, only a fault takes this long.
    testTimeout: long ? 3_600_000 : 300_000,
    hookTimeout: 120_000,
    // The queue's library does not await the call that reports the end of a job. The product logs the error of that
    // call (src/main.ts), and the job runs again.
    onUnhandledError: ({ message, stack }) =>
      !(message === 'timeout exceeded when trying to connect' && stack?.includes('batchCompleteJobs')),
    expect: { poll: { timeout: 120_000 } },
  },
})
