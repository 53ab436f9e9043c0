import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { anyWorksIn, codeOf, EmbeddedError, isRunning, type Runner } from './run.ts'

/** Only a part of the socket's file name, since the server does not listen on a network. */
export const PORT = 5432
/** The system allows 104 bytes on macOS and 108 on Linux, with the closing zero. */
const LONGEST_SOCKET = 103
const LONGEST_LOG = 8 * 1024 * 1024

/** Throws EmbeddedError when a data directory holds a database of another major version. */
export async function refuseOtherMajor(root: string, major: string): Promise<void> {
  const data = join(root, `postgres-${major}`)
  const made = existsSync(data)
    ? readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
    : (await readdir(root)).map((name) => /^postgres-(\d+)$/.exec(name)?.[1]).find((found) => found)
  if (made === undefined || made === major) return
  throw new EmbeddedError(
    `${root} contains a PostgreSQL ${made} database, but this version of Parley includes PostgreSQL ${major}. ` +
      'With the version that created it, run: npm run backup -- parley.tar. Then set DATA_DIR to a new directory, ' +
      'and with this version, run: npm run restore -- parley.tar',
  )
}

/** Removes the files that killed processes have left from a first start. */
export async function sweep(root: string, log: (line: string) => void): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = Number(/^postgres-.*\.new-(\d+)$/.exec(name)?.[1])
    if (!pid || pid === process.pid || isRunning(pid)) continue
    try {
      await rm(join(root, name), { recursive: true, force: true, maxRetries: 3 })
    } catch (error) {
      log(`could not remove ${name}, the next start tries again: ${String(error)}`)
    }
  }
}

/** The facts that a running or killed server has recorded about itself. */
export function readPidFile(data: string): { pid: number; socket: string; ready: boolean } | undefined {
  const lines = readLines(join(data, 'postmaster.pid'))
  const pid = Number(lines[0])
  return pid > 0 ? { pid, socket: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' } : undefined
}

/**
 * Removes stale lock files, which keep PostgreSQL from starting: their process id now belongs to something else, or to
 * a process that ended and was never reaped.
 */
export async function removeStale(data: string, socket: string): Promise<void> {
  const paths = [join(data, 'postmaster.pid'), join(socket, `.s.PGSQL.${PORT}.lock`)]
  const stale = paths.filter((path) => {
    const pid = pidIn(path)
    return pid !== undefined && alive(pid)
  })
  if (stale.length === 0 || (await anyWorksIn(data)) !== false) return
  for (const path of stale) await rm(path, { force: true })
}

/** The directory of the server's socket for a data directory and a way to run. No other user can enter it. */
export async function socketDirectory(root: string, runner: Runner): Promise<string> {
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 12)
  const short = `parley-${process.getuid?.() ?? 0}-${hash}`
  const directory = [join(root, 'socket'), join(tmpdir(), short), join('/tmp', short)].find(
    (path) => Buffer.byteLength(join(path, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET,
  )
  if (!directory)
    throw new EmbeddedError('No path for the database socket is short enough: set DATA_DIR to a shorter path')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const found = await lstat(directory)
  const trusted = dirname(directory) === root || [process.getuid?.() ?? 0, runner.uid].includes(found.uid)
  if (!found.isDirectory() || !trusted) {
    throw new EmbeddedError(
      `${directory} is not a directory that belongs to this user: remove it, or set DATA_DIR to a shorter path`,
    )
  }
  // With setpriv, the new user keeps root's right to pass directories; with a plain change of user it does not.
  const owner = runner.way === 'copy' ? runner.uid : (process.getuid?.() ?? 0)
  if (found.uid !== owner) await chown(directory, owner, owner)
  if ((found.mode & 0o777) !== 0o700) await chmod(directory, 0o700)
  return directory
}

/** Opens the server's log for appending. A long log is renamed first, so at most two are kept. */
export async function openLog(path: string) {
  const { size } = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return { size: 0 }
    throw error
  })
  if (size > LONGEST_LOG) await rename(path, `${path}.1`)
  return { handle: await open(path, 'a', 0o600), size: size > LONGEST_LOG ? 0 : size }
}

/** Makes a rename inside a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync()
  await handle.close()
}

function pidIn(path: string): number | undefined {
  const pid = Number(readLines(path)[0])
  return pid > 0 ? pid : undefined
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Like `isRunning`, but counts a process that ended and was not reaped, as PostgreSQL does. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
