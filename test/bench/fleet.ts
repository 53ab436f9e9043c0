import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { tokenPlace } from '../../src/channels/accounts.ts'
import type { Connection } from '../../src/networks/network.ts'
import { createCrypto } from '../../src/core/platform/crypto.ts'
import { openPool } from '../../src/core/platform/db.ts'
import { grant, openNetworks } from '../adapters.ts'
import { eventually, liveOn } from '../world.ts'

// Inserts many due posts as rows, because the cost of requesting them is another figure.

/** The encryption key of these products, so that they can open the rows that are made here. */
export const KEY = 'b'.repeat(64)

/** The posts of one person, few enough for every network's hourly limit. */
const EACH_USER = 100

export interface Fleet {
  direct: pg.Client
  sandboxUrl: string
}

export interface Drained {
  perSecond: number
  /** Milliseconds from the scheduled time to PUBLISHING of every post, by workspace in the order of `sizes`. */
  late: number[][]
  /** Milliseconds from the scheduled time to the end of PUBLISHING. */
  live: number[][]
}

interface Due {
  /** Milliseconds over which the posts become due at random. By default, all are due at once. */
  spread?: number
  /** Runs shortly before the first post is due. */
  before?: () => void
}

/** Milliseconds between `before` and the first scheduled time. */
const BEFORE = 2_000

/** Inserts due posts of several workspaces, and measures how fast they go live, and how late each begins and ends. */
export async function drain(
  { direct, sandboxUrl }: Fleet,
  name: string,
  sizes: readonly number[],
  { spread = 0, before }: Due = {},
): Promise<Drained> {
  const { NET_PAGE } = openNetworks(sandboxUrl, 1)
  const people = Math.max(...sizes.map((size) => Math.ceil(size / EACH_USER)), Math.ceil(sum(sizes) / EACH_USER))
  const accounts: Connection[] = []
  for (let i = 0; i < people; i += 1) accounts.push(await grant(NET_PAGE, nextUser()))
  const workspaces: string[] = []
  const dueAt = new Date(Date.now() + 8_000 + sum(sizes) * 2)
  for (const [index, size] of sizes.entries()) {
    const workspace = randomUUID()
    workspaces.push(workspace)
    await direct.query(`insert into workspace (id, name, timezone) values ($1, $2, 'UTC')`, [workspace, name])
    const own = Math.ceil(size / EACH_USER)
    for (let i = 0; i < own; i += 1) {
      // A large workspace has separate people, small ones share them.
      const id = await insertPage(direct, workspace, accounts[own > 1 ? i : index % accounts.length] as Connection)
      await direct.query(
        `with made as (
           insert into post (workspace_id, id, caption, status, scheduled_at)
           select $1, gen_random_uuid(), $4 || ' ' || $5 || ' ' || n, 'SCHEDULED',
             $3::timestamptz + random() * $7 * interval '1 millisecond' from generate_series(1, $6::int) n
           returning workspace_id, id, scheduled_at)
         insert into publication (workspace_id, id, post_id, account_id, position, due_at, next_at)
         select workspace_id, gen_random_uuid(), id, $2, 0, scheduled_at, scheduled_at from made`,
        [workspace, id, dueAt, name, `${index}.${i}`, Math.min(EACH_USER, size - i * EACH_USER), spread],
      )
    }
  }
  await direct.query(`create unlogged table if not exists begun (post_id uuid, at timestamptz);
    create or replace function note_begin() returns trigger language plpgsql security definer as
      'begin insert into public.begun values (new.id, clock_timestamp()); return null; end';
    create or replace trigger begun after update on post for each row
      when (old.status = 'SCHEDULED' and new.status = 'PUBLISHING') execute function note_begin();
    analyze`)
  await sleep(Math.max(0, dueAt.getTime() - BEFORE - Date.now()))
  before?.()
  await sleep(Math.max(0, dueAt.getTime() - Date.now()))
  const last = await eventually(
    async () => {
      const { rows } = await direct.query<{ open: number; last: Date }>(
        `select count(*) filter (where status in ('SCHEDULED', 'PUBLISHING'))::int as open, max(updated_at) as last
         from post where workspace_id = any ($1)`,
        [workspaces],
      )
      return rows[0]?.open === 0 && rows[0].last
    },
    240_000,
    100,
  )
  const { rows } = await direct.query<{ workspace_id: string; late: number; live: number }>(
    `select p.workspace_id, extract(epoch from b.at - p.scheduled_at)::float8 * 1000 as late,
       extract(epoch from p.updated_at - p.scheduled_at)::float8 * 1000 as live
     from begun b join post p on p.id = b.post_id where p.workspace_id = any ($1)`,
    [workspaces],
  )
  await direct.query('drop trigger begun on post')
  const shown = [...(await liveOn(sandboxUrl)).values()].flat().filter((post) => post.message.startsWith(`${name} `))
  if (shown.length !== sum(sizes)) throw new Error(`${shown.length} of ${sum(sizes)} are live`)
  const byWorkspace = (value: 'late' | 'live') =>
    workspaces.map((id) => rows.filter((row) => row.workspace_id === id).map((row) => row[value]))
  return {
    perSecond: sum(sizes) / ((last.getTime() - dueAt.getTime()) / 1000),
    late: byWorkspace('late'),
    live: byWorkspace('live'),
  }
}

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

let users = 30_000

/** Returns a sandbox person who has made no calls yet. */
export const nextUser = () => `u${(users += 1)}`

/** Inserts a page as if it were connected. Returns its id. */
export async function insertPage(direct: pg.Client, workspaceId: string, page: Connection): Promise<string> {
  const id = randomUUID()
  const token = createCrypto(KEY).seal(page.accessToken, tokenPlace(workspaceId, id, 'access_token'))
  await direct.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at, access_token, granted_scopes)
     values ($1, $2, 'NET_PAGE', $3, $4, 'page', 'CONNECTED', now(), $5, $6)`,
    [workspaceId, id, page.externalId, page.userKey, token, page.grantedScopes],
  )
  return id
}

/**
 * Returns the posts per second of a loop with two durable writes and one call per post, 100 posts at once. No product
 * that keeps the promise can be much faster.
 */
export async function bareLoop({ direct, sandboxUrl }: Fleet, databaseUrl: string, posts: number): Promise<number> {
  const turn = (turns += 1)
  await direct.query(
    'create table if not exists bare (id int, turn int, state text, external_id text, primary key (turn, id))',
  )
  await direct.query("insert into bare select n, $2, 'DUE' from generate_series(1, $1) n", [posts, turn])
  const pool = openPool(databaseUrl, 20, (error) => console.error(error.message))
  const { NET_PAGE } = openNetworks(sandboxUrl, 1)
  const accounts: Connection[] = []
  for (let i = 0; i < Math.ceil(posts / EACH_USER) + 10; i += 1) accounts.push(await grant(NET_PAGE, nextUser()))
  const started = performance.now()
  let next = 1
  const lane = async () => {
    while (next <= posts) {
      const id = next++
      const { externalId, accessToken } = accounts[id % accounts.length] as Connection
      await pool.query("update bare set state = 'SENT' where turn = $1 and id = $2", [turn, id])
      const response = await fetch(`${sandboxUrl}/graph/v25.0/${externalId}/feed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: `bare ${turn} ${id}`, published: true, fields: 'id,permalink_url' }),
      })
      const body = (await response.json()) as { id?: string }
      if (!body.id) throw new Error(JSON.stringify(body))
      await pool.query("update bare set state = 'LIVE', external_id = $3 where turn = $1 and id = $2", [
        turn,
        id,
        body.id,
      ])
    }
  }
  await Promise.all(Array.from({ length: 100 }, lane))
  const seconds = (performance.now() - started) / 1000
  await pool.end()
  return posts / seconds
}

let turns = 0

/** Returns the value that the given share of the values does not exceed. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
