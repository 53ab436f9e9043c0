import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isRunning } from '../src/platform/postgres-run.ts'
import { startEmbedded } from '../src/platform/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The data directory of this run's database server, which the first test that needs it starts. */
    databaseDir: string
  }
}

/** One database server per run, in a directory that carries the run's process id. */
export default async function setup(project: TestProject) {
  await sweep()
  const directory = join(tmpdir(), `parley-test-${process.pid}`)
  await mkdir(directory, { mode: 0o700 })
  project.provide('databaseDir', directory)
  return () => end(directory)
}

/** Ends what runs that were killed left behind. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^parley-test-(\d+)$/.exec(name)?.[1])
    if (!pid || (pid !== process.pid && isRunning(pid))) continue
    const directory = join(tmpdir(), name)
    if ((await stat(directory)).uid === process.getuid?.()) await end(directory)
  }
}

async function end(directory: string): Promise<void> {
  const [data] = (await readdir(directory)).filter((name) => /^postgres-\d+$/.test(name))
  if (data && existsSync(join(directory, data, 'postmaster.pid'))) {
    const server = await startEmbedded({ dataDir: directory, fsync: false })
    await server.stop()
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 3 })
}
