import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  openLog,
  PORT,
  readPidFile,
  refuseOtherMajor,
  removeStale,
  socketDirectory,
  sweep,
  syncDirectory,
} from './files.ts'
import {
  type Binaries,
  chooseRunner,
  codeOf,
  EmbeddedError,
  findBinaries,
  finish,
  giveTo,
  isRunning,
  moveInto,
  refuseForeign,
  type Runner,
  type Way,
  worksIn,
} from './run.ts'

export interface EmbeddedOptions {
  /** The product's data directory. The server's files are in `postgres-<major>` inside it. */
  dataDir: string
  /** Writes one line to the operator's log. */
  log?: (line: string) => void
  /** Reports the present step to a person who waits. */
  progress?: (what: string) => void
  /** False only in tests: a power cut may then lose the database. */
  fsync?: boolean
  /** How to run the server's programs; by default the first way that works. */
  way?: Way
  /** The folder with `bin`, `lib` and `share` of PostgreSQL; by default in node_modules. */
  native?: string
}

/** A running server of our own on a Unix socket that only this user can reach. */
export interface Embedded {
  /** A connection string for the product's database. It stays the same across restarts of the server. */
  readonly url: string
  readonly pid: number
  /** Whether the server was already running: left by a killed process, or held by a live one. */
  readonly adopted: boolean
  /** Calls the listener when the server has died and is up again. Returns a function that unsubscribes it. */
  onRestart(listener: () => void): () => void
  /** Calls the listener in `stop`, when the server accepts no new connections. Connections that stay open are cut. */
  onStop(listener: () => Promise<void> | void): () => void
  /** Ends the server, also an adopted one: smart, then fast, then immediate. No process is left afterwards. */
  stop(): Promise<void>
  /** Leaves the server to the process that holds it and stops watching it. */
  leave(): void
}

const USER = 'parley'
const DATABASE = 'parley'
const INITDB =
  `--username=${USER} --auth=trust --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 ` +
  '--no-instructions'

/**
 * Creates the database at the first start. Adopts the server that runs on the directory, or starts one, and restarts it
 * when it dies, until `stop` or `leave`. Resolves when the server answers. `lockDirectory` decides who may use the
 * directory. Two concurrent calls are safe. Throws EmbeddedError with the next step when the server cannot run here.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const root = resolve(options.dataDir)
  await mkdir(root, { recursive: true, mode: 0o700 })
  const server = new Server(realpathSync(root), options, await findBinaries(root, options.native))
  await server.begin()
  return server
}

class Server implements Embedded {
  adopted = false
  pid = 0
  url = ''
  readonly #root: string
  readonly #data: string
  readonly #options: EmbeddedOptions
  readonly #binaries: Binaries
  #runner: Runner | undefined
  #watch: NodeJS.Timeout | undefined
  #reviving: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #left = false
  readonly #onRestart = new Set<() => void>()
  readonly #onStop = new Set<() => Promise<void> | void>()

  constructor(root: string, options: EmbeddedOptions, binaries: Binaries) {
    this.#root = root
    this.#data = join(root, `postgres-${binaries.major}`)
    this.#options = options
    this.#binaries = binaries
  }

  onRestart(listener: () => void): () => void {
    this.#onRestart.add(listener)
    return () => this.#onRestart.delete(listener)
  }

  onStop(listener: () => Promise<void> | void): () => void {
    this.#onStop.add(listener)
    return () => this.#onStop.delete(listener)
  }

  async begin(): Promise<void> {
    if (existsSync(this.#data)) await refuseForeign(this.#data)
    await this.#makeDatabase()
    await this.#bring()
  }

  leave(): void {
    this.#left = true
    clearInterval(this.#watch)
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #makeDatabase(): Promise<void> {
    await refuseOtherMajor(this.#root, this.#binaries.major)
    await sweep(this.#root, (line) => this.#log(line))
    if (existsSync(this.#data)) return
    this.#options.progress?.('Creating the database (first start only)')
    const runner = await this.#run()
    const fresh = `${this.#data}.new-${process.pid}`
    await rm(fresh, { recursive: true, force: true })
    await mkdir(fresh, { mode: 0o700 })
    if (runner.uid !== process.getuid?.()) await chown(fresh, runner.uid, runner.gid)
    const { code, output } = await finish(
      runner.spawn(
        'initdb',
        ['-D', fresh, ...INITDB.split(' '), ...(this.#options.fsync === false ? ['--no-sync'] : [])],
        ['ignore', 'pipe', 'pipe'],
      ),
    )
    if (code !== 0) {
      await rm(fresh, { recursive: true, force: true })
      throw new EmbeddedError(`The database could not be created in ${fresh}:\n${output.trim()}`)
    }
    await writeFile(join(fresh, 'pg_hba.conf'), 'local all all trust\n')
    await moveInto(fresh, this.#data)
    await syncDirectory(this.#root)
  }

  async #run(): Promise<Runner> {
    this.#runner ??= await chooseRunner(this.#binaries, this.#root, this.#options.way)
    return this.#runner
  }

  /** Adopts or starts the server, waits until it answers, and watches it. */
  async #bring(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const found = await this.#find()
      if (found) {
        this.adopted = true
        this.pid = found
        this.#watch = setInterval(() => {
          if (!isRunning(found) || readPidFile(this.#data)?.pid !== found) this.#died('The database server is gone')
        }, 250).unref()
        return
      }
      const fault = await this.#start()
      if (!fault) return
      // Both pass: a race with another start, and processes of a killed server that are still ending.
      if (tries >= 100 || !/lock file|shared memory block/.test(fault))
        throw new EmbeddedError(`PostgreSQL failed to start:\n${fault}`)
      await sleep(100)
    }
  }

  /** The process id of a server that runs and answers. Waits while a server starts or stops. */
  async #find(): Promise<number | undefined> {
    for (let waited = 0; ; waited++) {
      const file = readPidFile(this.#data)
      if (!file) return undefined
      const answer = file.socket ? await knock(address(file.socket)) : 'dead'
      if (answer === 'alive') {
        this.url = address(file.socket)
        return file.pid
      }
      const ours = isRunning(file.pid) && worksIn(file.pid, this.#data) !== false
      if (answer === 'dead' && !ours) return undefined
      if (waited === 100) this.#options.progress?.('Waiting for the database server, which is starting or stopping')
      await sleep(20)
    }
  }

  /** Starts a server. Returns undefined when it answers, otherwise its last output. */
  async #start(): Promise<string | undefined> {
    const runner = await this.#run()
    await giveTo(this.#data, runner.uid, runner.gid)
    const socket = await socketDirectory(this.#root, runner)
    await removeStale(this.#data, socket)
    const log = await openLog(join(this.#root, 'postgres.log'))
    const child = runner.spawn(
      'postgres',
      ['-D', this.#data, '-k', socket, ...settings(this.#options.fsync ?? true)],
      ['ignore', log.handle.fd, log.handle.fd],
      true,
    )
    const death = new Promise<void>((done) => {
      child.once('exit', () => done())
      child.once('error', () => done())
    })
    child.unref()
    await log.handle.close()
    const url = address(socket)
    if (!(await this.#answers(child, url))) {
      await death
      const words = readFileSync(join(this.#root, 'postgres.log')).subarray(log.size).toString().trim()
      return words || `it exited without any output (${child.signalCode ?? child.exitCode ?? 'not started'})`
    }
    this.adopted = false
    this.pid = child.pid ?? 0
    this.url = url
    void death.then(() => this.#died(`The database server ended (${child.signalCode ?? child.exitCode})`))
    return undefined
  }

  /** Waits as long as the process lives, since recovery after a crash has no time limit. */
  async #answers(child: ChildProcess, url: string): Promise<boolean> {
    for (let waited = 0; child.exitCode === null && child.signalCode === null; waited++) {
      const file = readPidFile(this.#data)
      if (child.pid === undefined) return false
      if (file?.pid === child.pid && file.ready && (await knock(url)) === 'alive') return true
      if (waited === 400) this.#options.progress?.('Waiting for the database to recover')
      await sleep(5)
    }
    return false
  }

  #died(how: string): void {
    clearInterval(this.#watch)
    if (this.#stopped || this.#left || this.#reviving) return
    this.#log(`${how}: restarting it`)
    this.#reviving = this.#revive().finally(() => (this.#reviving = undefined))
  }

  async #revive(): Promise<void> {
    for (let wait = 100; !this.#stopped && !this.#left; wait = Math.min(wait * 2, 5000)) {
      try {
        await this.#bring()
      } catch (error) {
        this.#log(`the database server does not start, next try in ${wait} ms: ${String(error)}`)
        await sleep(wait)
        continue
      }
      this.#log(`the database server is up again (pid ${this.pid})`)
      for (const listener of this.#onRestart) listener()
      return
    }
  }

  async #end(): Promise<void> {
    clearInterval(this.#watch)
    await this.#reviving
    clearInterval(this.#watch)
    const isOurs = () => isRunning(this.pid) && worksIn(this.pid, this.#data) !== false
    for (const [signal, patience] of [
      ['SIGTERM', 1000],
      ['SIGINT', 15_000],
      ['SIGQUIT', 15_000],
    ] as const) {
      if (!isOurs()) break
      process.kill(this.pid, signal)
      if (signal === 'SIGTERM') await this.#tellOfStop()
      for (const end = Date.now() + patience; isOurs() && Date.now() < end;) await sleep(10)
    }
    if (isOurs()) throw new EmbeddedError(`The database server (pid ${this.pid}) does not stop: see postgres.log`)
    const socket = new URL(this.url).searchParams.get('host')
    if (socket && dirname(socket) !== this.#root) await rm(socket, { recursive: true, force: true })
  }

  async #tellOfStop(): Promise<void> {
    for (const told of await Promise.allSettled([...this.#onStop].map(async (listener) => listener()))) {
      if (told.status === 'rejected') this.#log(`a connection did not close: ${String(told.reason)}`)
    }
  }

  #log(line: string): void {
    this.#options.log?.(`postgres: ${line}`)
  }
}

function settings(fsync: boolean): string[] {
  const values = {
    listen_addresses: '',
    port: PORT,
    unix_socket_permissions: '0700',
    // Without fsync, this is the server of a whole test run, with many products at a time.
    max_connections: fsync ? 100 : 400,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    fsync: fsync ? 'on' : 'off',
    ...(!fsync && { synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function address(socket: string, database = DATABASE): string {
  return `postgres://${USER}@localhost:${PORT}/${database}?host=${encodeURIComponent(socket)}&sslmode=disable`
}

/** Connects once. Creates the product's database if a first start ended before that. */
async function knock(url: string): Promise<'alive' | 'wait' | 'dead'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined) // after the connect, every failure also rejects the call that met it
  try {
    await client.connect()
    await client.end()
    return 'alive'
  } catch (error) {
    const code = codeOf(error)
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].includes(code)) return 'dead'
    if (code === '3D000') return createDatabase(url)
    if (code === '53300') return 'alive'
    if (code === '57P03' || (error instanceof Error && /terminated|timeout/.test(error.message))) return 'wait'
    throw error
  }
}

async function createDatabase(url: string): Promise<'alive'> {
  const client = new pg.Client({ connectionString: url.replace(`/${DATABASE}?`, '/postgres?') })
  await client.connect()
  try {
    await client.query(`create database ${DATABASE}`)
  } catch (error) {
    if (!['42P04', '23505'].includes(codeOf(error))) throw error
  } finally {
    await client.end()
  }
  return 'alive'
}
