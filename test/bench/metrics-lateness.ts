import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { grant, openNetworks } from '../adapters.ts'
import { call } from '../world.ts'
import { drain, type Fleet, insertPage, nextUser, percentile } from './fleet.ts'

// Measures how late posts go live while the figures of other accounts are read as fast as the product can.

/** The posts of each workspace, and the milliseconds over which they become due at random. */
const SIZES = Array.from({ length: 30 }, () => 10)
const SPREAD = 6_000

/** Pages that are read repeatedly. The calls of their people must last for a round. */
const PAGES = 40
/** Posts of each page. */
const POSTS = 40
const ASK_EVERY = 100

const HOUR = 3_600_000

/** The p99 of each kind of lateness in milliseconds. */
interface Late {
  begun: number
  live: number
}

export interface Lateness {
  without: Late[]
  withReadings: Late[]
  /** Readings per second in each round with readings. */
  perSecond: number[]
}

/** Runs rounds without and with readings, alternately. */
export async function latenessBesideReadings(fleet: Fleet, rounds: number): Promise<Lateness> {
  const measured: Lateness = { without: [], withReadings: [], perSecond: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const without = await lateness(fleet, `without ${round}`)
    const pages = await openPages(fleet)
    let reading: Reading | undefined
    const withReadings = await lateness(fleet, `with ${round}`, () => (reading = keepReading(fleet, pages)))
    const perSecond = await reading!.stop()
    // The first round warms up both.
    if (round === 0) continue
    measured.without.push(without)
    measured.withReadings.push(withReadings)
    measured.perSecond.push(perSecond)
  }
  return measured
}

async function lateness(fleet: Fleet, name: string, before?: () => void): Promise<Late> {
  const { late, live } = await drain(fleet, name, SIZES, { spread: SPREAD, ...(before && { before }) })
  await neverRead(fleet, name)
  return { begun: percentile(late.flat(), 0.99), live: percentile(live.flat(), 0.99) }
}

/** Prevents later readings of the accounts of the posts, which the product would make. */
const neverRead = ({ direct }: Fleet, name: string) =>
  direct.query(
    `insert into account_sync (workspace_id, account_id, lease_until)
     select a.workspace_id, a.id, 'infinity' from social_account a join workspace w on w.id = a.workspace_id where w.name = $1
     on conflict (workspace_id, account_id) do update set lease_until = 'infinity'`,
    [name],
  )

/** Opens new pages of people who have all their calls left, each with posts made elsewhere. Returns the ids. */
async function openPages({ direct, sandboxUrl }: Fleet): Promise<string[]> {
  const { NET_PAGE } = openNetworks(sandboxUrl, 1)
  const workspaceId = randomUUID()
  await direct.query(`insert into workspace (id, name, timezone) values ($1, 'readings', 'UTC')`, [workspaceId])
  const pages: string[] = []
  for (let page = 0; page < PAGES; page += 1) {
    const granted = await grant(NET_PAGE, nextUser())
    const posts = Array.from({ length: POSTS }, (_, n) => ({
      at: new Date(Date.now() - (n + 1) * HOUR).toISOString(),
      text: `Post ${n} from elsewhere`,
    }))
    const { status } = await call(sandboxUrl, 'POST', '/history', { accountId: granted.externalId, posts })
    if (status !== 201) throw new Error(`a page has no posts: ${status}`)
    pages.push(await insertPage(direct, workspaceId, granted))
  }
  await direct.query(
    `insert into account_sync (workspace_id, account_id, next_at) select workspace_id, id, now() from social_account
     where workspace_id = $1`,
    [workspaceId],
  )
  return pages
}

interface Reading {
  /** Stops the readings. Returns the readings per second. */
  stop(): Promise<number>
}

/**
 * Reads pages as on a new day, and again after each reading: the list, the days and all posts. Jobs for this are always
 * waiting.
 */
function keepReading({ direct }: Fleet, pages: readonly string[]): Reading {
  const started = performance.now()
  let stopped = false
  let readings = 0
  const ask = async () => {
    const { rowCount } = await direct.query(
      `with again as (
         update account_sync set days_at = now() - interval '1 day', found_at = now() - interval '1 day', next_at = null
         where account_id = any ($1) and lease_until is null and next_at is not null returning workspace_id, account_id
       ), posts as (
         update measured_post p set next_read_at = now() from again a
         where p.workspace_id = a.workspace_id and p.account_id = a.account_id
       )
       select graphile_worker.add_job('analytics-sync', json_build_object('workspaceId', workspace_id,
         'data', json_build_object('accountId', account_id)), job_key => 'sync:' || account_id) from again`,
      [pages],
    )
    return rowCount ?? 0
  }
  const asking = (async () => {
    await ask()
    while (!stopped) {
      await sleep(ASK_EVERY)
      readings += await ask()
    }
  })()
  return {
    async stop() {
      stopped = true
      await asking
      const seconds = (performance.now() - started) / 1000
      await direct.query(`update account_sync set lease_until = 'infinity' where account_id = any ($1)`, [pages])
      await direct.query(`select graphile_worker.remove_job('sync:' || id) from unnest($1::uuid[]) id`, [pages])
      const { rows } = await direct.query<{ failed: number }>(
        `select count(*)::int as failed from account_sync where account_id = any ($1) and error is not null`,
        [pages],
      )
      if (rows[0]!.failed > 0) throw new Error(`${rows[0]!.failed} pages were not read`)
      return readings / seconds
    },
  }
}
