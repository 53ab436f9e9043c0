import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EmbeddedError, isRunning } from './run.ts'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './postgres.ts'

/** The right of one process to use a data directory. */
export interface DirectoryLock {
  /** Sets the address of the holder, which a second start reports. */
  announce(address: string): Promise<void>
  /** Called once if another process took the directory while the server was down. This process must then end. */
  onLost(listener: (error: DirectoryLocked) => void): void
  release(): Promise<void>
}

/** Another process uses the data directory. */
export class DirectoryLocked extends EmbeddedError {
  override name = 'DirectoryLocked'
  readonly pid: number
  readonly address: string
  readonly purpose: string

  constructor(holder: { purpose: string; pid: number; address: string }) {
    const { purpose, pid, address } = holder
    super(
      `This data directory is in use by ${purpose}: pid ${pid}${address && ` at ${address}`}. Stop that process, ` +
        'or set DATA_DIR to another directory. Several processes can share one PostgreSQL through DATABASE_URL.',
    )
    this.purpose = purpose
    this.pid = pid
    this.address = address
  }
}

// Session advisory lock numbers of Parley share the first number ('parl').
const LOCK = [0x7061726c, 1] as const

/**
 * Takes the data directory for this process until it ends, or until `release` or the server's `stop`. Throws
 * DirectoryLocked, which names the holder, when another live process has it; the lock of a killed process is free at
 * once. Takes the lock again after the server has died and restarted.
 */
export async function lockDirectory(
  server: Embedded,
  who: { purpose?: string; address?: string } = {},
): Promise<DirectoryLock> {
  const purpose = who.purpose ?? 'Parley'
  let address = who.address ?? ''
  let ended = false
  let client: pg.Client
  const lost = new Set<(error: DirectoryLocked) => void>()

  const take = async (): Promise<pg.Client> => {
    const fresh = new pg.Client({
      connectionString: server.url,
      application_name: nameOf(purpose, address),
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    })
    fresh.on('error', () => undefined) // 'end' follows and takes the lock again
    await fresh.connect()
    try {
      await takeLock(fresh)
    } catch (error) {
      await fresh.end()
      throw error
    }
    fresh.once('end', () => {
      if (!ended) void takeAgain()
    })
    return fresh
  }
  const takeAgain = async (): Promise<void> => {
    let wait = 20
    let wake = () => {}
    // A restart ends the wait: until the lock is ours again, another process could take the directory.
    const unheard = server.onRestart(() => {
      wait = 20
      wake()
    })
    for (; !ended; wait = Math.min(wait * 2, 1000)) {
      try {
        client = await take()
        unheard()
        if (ended) await client.end()
        return
      } catch (error) {
        if (error instanceof DirectoryLocked) {
          ended = true
          unheard()
          for (const listener of lost) listener(error)
          return
        }
        // The server is down: its watcher logs that and restarts it.
        await new Promise<void>((resolve) => {
          wake = resolve
          setTimeout(resolve, wait).unref()
        })
      }
    }
  }
  const release = async () => {
    if (ended) return
    ended = true
    await client.end()
  }

  client = await take()
  server.onStop(release)
  return {
    release,
    onLost: (listener) => void lost.add(listener),
    async announce(at) {
      address = at
      await client.query(`select set_config('application_name', $1, false)`, [nameOf(purpose, address)])
    },
  }
}

/**
 * For maintenance: connects to the server of a running product. Otherwise starts one, locks the directory, and stops the
 * server afterwards. With `exclusive`, throws DirectoryLocked if the product is running.
 */
export async function useEmbedded<T>(
  options: EmbeddedOptions & { purpose: string; exclusive?: boolean },
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded(options)
  try {
    await lockDirectory(server, { purpose: options.purpose })
  } catch (error) {
    server.leave()
    if (!(error instanceof DirectoryLocked) || options.exclusive) throw error
    return await work(server.url)
  }
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

function nameOf(purpose: string, address: string): string {
  return `parley|${purpose}|${process.pid}|${address}`
}

async function takeLock(client: pg.Client): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [...LOCK])
    if (rows[0]?.held) return
    const holder = await whoHolds(client)
    // A killed holder is gone as soon as the server has seen its connection close.
    const lives = holder && holder.pid !== process.pid && isRunning(holder.pid)
    if (lives || tries >= 60) throw new DirectoryLocked(holder ?? { purpose: 'another process', pid: 0, address: '' })
    await sleep(50)
  }
}

async function whoHolds(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2 and l.objsubid = 2
        and l.database = (select oid from pg_database where datname = current_database())`,
    [...LOCK],
  )
  const found = /^parley\|([^|]*)\|(\d+)\|(.*)$/.exec(rows[0]?.name ?? '')
  return found ? { purpose: found[1] ?? '', pid: Number(found[2]), address: found[3] ?? '' } : undefined
}
