import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import pg from 'pg'
import { startEmbedded } from '../../src/core/platform/postgres/postgres.ts'
import { type Running, startProduct, startSandbox } from '../product.ts'
import { connectPages, eventually, newPerson, type Person } from '../world.ts'

// npm run bench -- --against <commit>: compares this checkout with another commit, alternately, on the same server and
// stand-ins. This shows what a single change lost, which can disappear in a baseline that varies with the machine.

const ROUNDS = 5
const SECONDS = 2
/** Few enough that no person exceeds the calls of an hour in five rounds. */
const DUE = 600
const WORKSPACES = 20
/** The ratio from which a slower or more expensive result counts as a loss. */
const LOSS = 1.15

interface Side {
  product: Running
  sql: pg.Client
  people: { person: Person; account: string }[]
}

interface Measured {
  what: string
  /** The figure of each round. `more` tells whether higher is better. */
  ours: number[]
  theirs: number[]
  more: boolean
}

/** Measures and prints the wanted figures of both: list, calendar, create, due. Returns whether nothing was lost. */
export async function measureAgainst(commit: string, wanted: (name: string) => boolean): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-against-'))
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const other = join(folder, 'other')
    execFileSync('git', ['worktree', 'add', '--detach', other, commit], { stdio: 'inherit' })
    ends.push(() => execFileSync('git', ['worktree', 'remove', '--force', other]))
    await cp('node_modules', join(other, 'node_modules'), { recursive: true, verbatimSymlinks: true })
    execFileSync(process.execPath, ['scripts/setup.mjs', '--server'], { cwd: other, stdio: 'inherit' })

    const database = await countingServer(join(folder, 'database'))
    ends.push(() => database.stop())
    const sandbox = await startSandbox({ dataDir: join(folder, 'network') })
    ends.push(() => sandbox.stop())
    const sides: Side[] = []
    for (const root of [undefined, other]) {
      const name = root ? 'theirs' : 'ours'
      const sql = new pg.Client({ connectionString: database.url })
      await sql.connect()
      await sql.query(`create database ${name}`)
      await sql.end()
      const url = new URL(database.url)
      url.pathname = `/${name}`
      sides.push(
        await open({ folder: join(folder, name), url: url.href, sandboxUrl: sandbox.url, ...(root && { root }) }, ends),
      )
    }
    const [ours, theirs] = sides as [Side, Side]
    const measured: Measured[] = []
    if (wanted('list')) measured.push(await alternately('GET /posts?limit=50, req/s', ours, theirs, listed))
    if (wanted('calendar')) measured.push(await alternately('calendar of 1,000 posts, req/s', ours, theirs, calendar))
    if (wanted('create')) measured.push(await alternately('POST /posts, req/s', ours, theirs, created))
    if (wanted('due')) measured.push(...(await due(ours, theirs)))
    return print(measured)
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

/** Starts a database server that counts statements. */
async function countingServer(dataDir: string) {
  const first = await startEmbedded({ dataDir })
  const sql = new pg.Client({ connectionString: first.url })
  await sql.connect()
  await sql.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await sql.end()
  await first.stop()
  return startEmbedded({ dataDir })
}

async function open(
  { folder, url, sandboxUrl, root }: { folder: string; url: string; sandboxUrl: string; root?: string },
  ends: (() => unknown)[],
): Promise<Side> {
  const product = await startProduct({
    databaseUrl: url,
    dataDir: folder,
    ...(root && { root }),
    env: {
      NODE_ENV: 'development',
      DEFAULT_PLAN: 'business',
      NET_PAGE_GRAPH_URL: `${sandboxUrl}/graph`,
      NET_PAGE_DIALOG_URL: `${sandboxUrl}/dialog`,
    },
  })
  ends.push(() => product.stop())
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  ends.push(() => sql.end())
  await sql.query('create extension if not exists pg_stat_statements')
  const people = []
  for (let i = 0; i < WORKSPACES; i += 1) {
    const person = await newPerson(product.url, `Due${i}`)
    const [page] = await connectPages(person, `u${(users += 1)}`)
    people.push({ person, account: page!.id })
  }
  const [{ person, account }] = people as [Side['people'][number]]
  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let i = lane; i < 1000; i += 8) {
        const scheduledAt = new Date(MONTH.from + ((MONTH.to - MONTH.from) * i) / 1000).toISOString()
        await person.must('POST', '/posts', { caption: `Calendar ${i}`, targets: [account], scheduledAt })
      }
    }),
  )
  await sql.query('analyze')
  return { product, sql, people }
}

let users = 50_000
const MONTH = { from: Date.now() + 3_600_000, to: Date.now() + 3_600_000 + 30 * 86_400_000 }

async function alternately(
  what: string,
  ours: Side,
  theirs: Side,
  measure: (side: Side) => Promise<number>,
): Promise<Measured> {
  const result: Measured = { what, ours: [], theirs: [], more: true }
  await measure(ours)
  await measure(theirs)
  for (let i = 0; i < ROUNDS; i += 1) {
    result.theirs.push(await measure(theirs))
    result.ours.push(await measure(ours))
  }
  return result
}

async function load(
  { product, people }: Side,
  path: string,
  options: Partial<autocannon.Options> = {},
): Promise<number> {
  const { person } = people[0]!
  const headers = {
    authorization: `Bearer ${person.session.accessToken}`,
    'x-workspace-id': person.workspaceId,
    'content-type': 'application/json',
  }
  const result = await autocannon({
    url: `${product.url}${path}`,
    headers,
    connections: 8,
    duration: SECONDS,
    ...options,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} refused, ${result.errors} errors`)
  return result.requests.average
}

const listed = (side: Side) => load(side, '/posts?limit=50')
const calendar = (side: Side) =>
  load(side, `/scheduler/calendar?from=${new Date(MONTH.from).toISOString()}&to=${new Date(MONTH.to).toISOString()}`)
const created = (side: Side) =>
  load(side, '/posts', {
    method: 'POST',
    body: JSON.stringify({ caption: 'A post of the bench', targets: [side.people[0]!.account] }),
  })

/** Measures 600 due posts of 20 workspaces: their speed, and the statements and transactions of each. */
async function due(ours: Side, theirs: Side): Promise<Measured[]> {
  const speed: Measured = { what: '600 due posts, posts/s', ours: [], theirs: [], more: true }
  const statements: Measured = { what: 'the same: statements a post', ours: [], theirs: [], more: false }
  const trips: Measured = { what: 'the same: transactions a post', ours: [], theirs: [], more: false }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [side, name] of [
      [theirs, 'theirs'],
      [ours, 'ours'],
    ] as const) {
      const drained = await drain(side, round)
      speed[name].push(drained.perSecond)
      statements[name].push(drained.statements)
      trips[name].push(drained.transactions)
    }
  }
  return [speed, statements, trips]
}

async function drain({ sql, people }: Side, round: number) {
  const dueAt = new Date(Date.now() + 15_000)
  await Promise.all(
    people.map(async ({ person, account }, n) => {
      for (let i = 0; i < DUE / WORKSPACES; i += 1) {
        const caption = `due ${round} ${n} ${i}`
        await person.must('POST', '/posts', { caption, targets: [account], scheduledAt: dueAt.toISOString() })
      }
    }),
  )
  await sleep(Math.max(0, dueAt.getTime() - Date.now() - 2_500))
  const before = await counted(sql)
  const done = await eventually(
    async () => {
      const { rows } = await sql.query<{ left: number; last: Date }>(
        `select count(*) filter (where status <> 'PUBLISHED')::int as left, max(updated_at) as last from post where scheduled_at = $1`,
        [dueAt],
      )
      return rows[0]?.left === 0 ? rows[0].last : undefined
    },
    120_000,
    250,
  )
  const after = await counted(sql)
  return {
    perSecond: DUE / ((done.getTime() - dueAt.getTime()) / 1000),
    statements: (after.statements - before.statements) / DUE,
    transactions: (after.transactions - before.transactions) / DUE,
  }
}

async function counted(sql: pg.Client): Promise<{ statements: number; transactions: number }> {
  // The server's processes report their statistics once a second.
  await sleep(1_500)
  const { rows } = await sql.query<{ statements: number; transactions: number }>(
    `select (select sum(calls) from pg_stat_statements s join pg_database d on d.oid = s.dbid
        where d.datname = current_database())::float8 as statements,
      (select xact_commit from pg_stat_database where datname = current_database())::float8 as transactions`,
  )
  return rows[0]!
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/**
 * Prints a line for each figure with the medians of both, and with the median of the rounds' ratios. Returns whether
 * nothing was lost.
 */
function print(measured: readonly Measured[]): boolean {
  const lines = measured.map(({ what, ours, theirs, more }) => {
    const ratio = median(ours.map((each, i) => each / theirs[i]!))
    const isLost = more ? ratio < 1 / LOSS : ratio > LOSS
    return { what, ours: median(ours).toFixed(1), theirs: median(theirs).toFixed(1), ratio: ratio.toFixed(2), isLost }
  })
  console.table(lines)
  return lines.every(({ isLost }) => !isLost)
}
