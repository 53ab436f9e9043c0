import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
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
  /** Everything that was printed so far. */
  output(): string
  /** The ordinary stop; answers the exit code. */
  stop(): Promise<number | null>
  /** kill -9. */
  kill(): Promise<void>
}

export type Product = Running

export interface ProductOptions {
  /** Without it the embedded server in the data directory. */
  databaseUrl?: string
  /** Kept after the end; else one is made and removed. */
  dataDir?: string
  env?: Record<string, string>
  /** Another checkout than this one. */
  root?: string
  /** What the last line of the start looks like. */
  ready?: RegExp
}

/** The product as a process of its own, as `npm start` runs it; ready when it has said its address. */
export async function startProduct(options: ProductOptions = {}): Promise<Running> {
  return run('server/main.js', options.ready ?? /ready at (http:\/\/\S+)/, options, {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    REQUESTS_PER_MINUTE: '1000000',
    PASSWORD_KIB: '64',
    ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
  })
}

/** The stand-ins as a process of their own. `url` ends in /sandbox. */
export async function startSandbox(options: Pick<ProductOptions, 'dataDir' | 'env'> = {}): Promise<Running> {
  return run('server/sandbox.js', /sandbox at (http:\/\/\S+)/, options, {})
}

/** Has the product reach the networks in a process of their own, both with the fastest clock. */
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
 * A test process lives for seconds and spends a fifth of them on optimizing code that soon stops running. With this flag, V8
 * optimizes code only after ten times as much use. The benchmarks run the product without it, as people do.
 */
const SHORT_LIVED = ['--interrupt-budget=1000000']

/** A free port for a process that is started again at the same one: below those that outgoing connections get. */
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
  const child = spawn(process.execPath, [...(isTest ? SHORT_LIVED : []), script], {
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
