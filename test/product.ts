import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')

export interface Running {
  url: string
  pid: number
  dataDir: string
  /** Returns everything that the process has printed so far. */
  output(): string
  /** Stops the process in the ordinary way. Returns its exit code. */
  stop(): Promise<number | null>
  /** kill -9. */
  kill(): Promise<void>
}

export type Product = Running

export interface ProductOptions {
  /** The database to use. By default, the embedded server in the data directory. */
  databaseUrl?: string
  /** A directory that is kept afterwards. By default, one is created and removed. */
  dataDir?: string
  env?: Record<string, string>
  /** The checkout to run, if it is not this one. */
  root?: string
  /** Matches the last line that the process prints as it starts. */
  ready?: RegExp
}

/** Starts the product in a separate process, as `npm start` does. Resolves when the process has printed its address. */
export async function startProduct(options: ProductOptions = {}): Promise<Running> {
  return run('server/main.js', options.ready ?? /ready at (http:\/\/\S+)/, options, {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    REQUESTS_PER_MINUTE: '1000000',
    PASSWORD_KIB: '64',
    ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
  })
}

/** Starts the stand-ins in a separate process. `url` ends in /sandbox. */
export async function startSandbox(options: Pick<ProductOptions, 'dataDir' | 'env'> = {}): Promise<Running> {
  return run('server/sandbox.js', /sandbox at (http:\/\/\S+)/, options, {})
}

/** Settings of a product that reaches the networks in a separate process, both with the fastest clock. */
export const beside = (sandbox: Running): Record<string, string> => ({
  TIME_SCALE: '20',
  NET_PAGE_GRAPH_URL: `${sandbox.url}/graph`,
  NET_PAGE_DIALOG_URL: `${sandbox.url}/dialog`,
  NET_VIDEO_API_URL: `${sandbox.url}/video`,
  NET_VIDEO_AUTH_URL: `${sandbox.url}/video-auth`,
  IDP_A_ISSUER: `${sandbox.url}/idp-a`,
  IDP_B_ISSUER: `${sandbox.url}/idp-b`,
})

/**
 * A test process lives for seconds, and would spend much of them on optimizing code that soon stops running and on
 * collecting garbage. With these flags, V8 optimizes code only after ten times as much use, compiles it quickly before
 * that, and collects rarely. The benchmarks run the product without them, as people do.
 */
const SHORT_LIVED = [
  '--interrupt-budget=1000000',
  '--sparkplug',
  '--initial-old-space-size=256',
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
]

/** Returns the flags of Node that `npm start` of a checkout uses. */
function startFlags(checkout: string): string[] {
  const text = readFileSync(join(checkout, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }
  return scripts.start.split(' ').filter((word) => word.startsWith('--'))
}

/**
 * Returns a free port for a process that restarts at the same port. It lies below the range of outgoing connections.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

async function run(
  script: string,
  ready: RegExp,
  options: ProductOptions,
  env: Record<string, string>,
): Promise<Running> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'parley-test-')))
  const isTest = (options.env?.NODE_ENV ?? env.NODE_ENV) === 'test'
  const flags = script === 'server/main.js' ? startFlags(options.root ?? root) : []
  const child = spawn(process.execPath, [...flags, ...(isTest ? SHORT_LIVED : []), script], {
    cwd: options.root ?? root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: dataDir,
      SANDBOX_JOURNAL: join(dataDir, 'sandbox', 'journal.ndjson'),
      ...env,
      ...options.env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => (output += text))
  }
  const exited = once(child, 'exit')
  const url = await until(
    () => ready.exec(output)?.[1] ?? (ready.test(output) ? '' : undefined),
    child,
    () => output,
  )
  const clean = async () => {
    if (!options.dataDir) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    url,
    pid: child.pid as number,
    dataDir,
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      await clean()
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function until(look: () => string | undefined, child: ChildProcess, output: () => string): Promise<string> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    const found = look()
    if (found !== undefined) return found
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode} before it was ready:\n${output()}`)
    await sleep(20)
  }
  child.kill('SIGKILL')
  throw new Error(`It was not ready in a minute:\n${output()}`)
}
