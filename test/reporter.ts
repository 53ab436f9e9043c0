import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const root = join(import.meta.dirname, '..')
/** The durations of the last run on this machine. */
const LAST = join(root, 'node_modules', '.cache', 'parley-durations.json')
/** The committed durations of a run (`npm run durations`), for a checkout without a run. */
const KEPT = join(import.meta.dirname, 'durations.json')
const MOST = 20

/** Milliseconds by file, relative to the root of the project. */
export type Durations = Record<string, number>

export const readDurations = (): Durations => ({ ...read(KEPT), ...read(LAST) })

function read(file: string): Durations {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Durations
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/**
 * Stores the duration of each file, by which the next run sorts the files, and prints the slowest files with their
 * phases.
 */
export class DurationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ name: module.relativeModuleId, ...phases(module) }))
      .toSorted((a, b) => b.total - a.total)
    mkdirSync(join(LAST, '..'), { recursive: true })
    const took = Object.fromEntries(files.map(({ name, total }) => [name, total]))
    writeFileSync(LAST, JSON.stringify({ ...read(LAST), ...took }))
    if (files.length < MOST) return
    const sum = files.reduce((total, file) => total + file.total, 0)
    console.log(`\n The ${MOST} slowest of ${files.length} files, ${seconds(sum)} together:`)
    console.log('    total  import   hooks   tests')
    for (const { name, total, load, hooks, tests } of files.slice(0, MOST))
      console.log([total, load, hooks, tests].map((each) => seconds(each).padStart(8)).join('') + `  ${name}`)
  }
}

/**
 * Returns the milliseconds that a file spent on loading, on its hooks (mostly starting a product), and on its tests.
 */
function phases(module: TestModule): Record<'total' | 'load' | 'hooks' | 'tests', number> {
  const { collectDuration, duration, setupDuration } = module.diagnostic()
  let tests = 0
  for (const test of module.children.allTests()) tests += test.diagnostic()?.duration ?? 0
  return {
    total: Math.round(collectDuration + setupDuration + duration),
    load: Math.round(collectDuration + setupDuration),
    hooks: Math.round(Math.max(0, duration - tests)),
    tests: Math.round(tests),
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
