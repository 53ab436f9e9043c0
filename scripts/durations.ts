// npm run durations: saves how long each test file took in the last run to test/durations.json, in tenths of a second.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDurations } from '../test/reporter.ts'

const root = join(import.meta.dirname, '..')
const kept = Object.entries(readDurations())
  .filter(([file]) => existsSync(join(root, file)))
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([file, ms]) => [file, Math.round(ms / 100) * 100])
writeFileSync(join(root, 'test/durations.json'), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
