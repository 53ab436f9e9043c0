import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { isRunning } from '../src/core/platform/postgres/run.ts'
import { startEmbedded } from '../src/core/platform/postgres/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The data directory of this run's database server. The first test that needs the server starts it. */
    databaseDir: string
  }
}

/**
 * Builds the current sources once, because tests start the product as `npm start` does. Each run has one database
 * server, in a directory named after the process id of the run.
 */
export default async function setup(project: TestProject) {
  const script = join(import.meta.dirname, '..', 'scripts', 'setup.mjs')
  await promisify(execFile)(process.execPath, [script, '--server', '--generated'])
  await sweep()
  const directory = join(await home(), `parley-test-${process.pid}`)
  await mkdir(directory, { mode: 0o700 })
  project.provide('databaseDir', directory)
  return () => end(directory)
}

const MEMORY = '/dev/shm'

/** Returns a folder in memory if it has enough room, because cloning a database creates hundreds of files. */
async function home(): Promise<string> {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = await statfs(MEMORY)
  return bavail * bsize > 4e9 ? MEMORY : tmpdir()
}

/** Cleans up after killed runs. Another run that starts now may do the same. */
async function sweep(): Promise<void> {
  for (const folder of [MEMORY, tmpdir()].filter((path) => existsSync(path))) {
    for (const name of await readdir(folder)) {
      const pid = Number(/^parley-test-(\d+)$/.exec(name)?.[1])
      if (!pid || (pid !== process.pid && isRunning(pid))) continue
      const directory = join(folder, name)
      const left = await stat(directory).catch((error: unknown) => {
        if (!existsSync(directory)) return null
        throw error
      })
      if (left?.uid === process.getuid?.()) await end(directory)
    }
  }
}

async function end(directory: string): Promise<void> {
  await Promise.all((await readdir(directory)).map(endShared))
  const [data] = (await readdir(directory)).filter((name) => /^postgres-\d+$/.test(name))
  if (data && existsSync(join(directory, data, 'postmaster.pid'))) {
    const server = await startEmbedded({ dataDir: directory, fsync: false })
    await server.stop()
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 3 })
}

/** Ends a product process that files of a worker shared, and that outlived its worker. */
async function endShared(name: string): Promise<void> {
  const pid = Number(/^shared-(\d+)$/.exec(name)?.[1])
  if (!pid || !isRunning(pid)) return
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'server/main.js')
  if (command.includes('server/main.js')) process.kill(pid, 'SIGKILL')
}
