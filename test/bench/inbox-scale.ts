import type pg from 'pg'
import type { OpenThread, Thread } from '../../src/conversations/threads/api.ts'
import type { Person } from '../world.ts'
import { percentile } from './fleet.ts'

// Measures the cost of listing, opening and searching threads as the number of messages grows a hundredfold.

/** The p99 of each part in milliseconds. */
export interface InboxCost {
  list: number
  open: number
  search: number
}

const A_THREAD = 10
/** Messages of each workspace except the measured one, which has a tenth of all. */
const A_WORKSPACE = 10_000
const PORTION = 100_000
const TRIES = 400

/** Adds messages up to a total, a tenth of them in the workspace of a person. */
export async function growInbox(direct: pg.Client, person: Person, accountId: string, total: number): Promise<void> {
  // Rows of the benchmark need no key checks, and building the index of words once is faster than updating it for each
  // row.
  await direct.query(
    `set session_replication_role = replica; set maintenance_work_mem = '1GB'; drop index message_terms`,
  )
  const { rows: own } = await direct.query<{ count: number }>(
    `select count(*)::int as count from message where workspace_id = $1`,
    [person.workspaceId],
  )
  for (let made = own[0]!.count; made < total / 10; made += PORTION) {
    await insert(direct, person.workspaceId, accountId, Math.min(PORTION, total / 10 - made), made)
  }
  const { rows: others } = await direct.query<{ count: number }>(
    `select count(*)::int as count from workspace where name = 'inbox scale'`,
  )
  for (let made = others[0]!.count; made < (total * 0.9) / A_WORKSPACE; made += 1) {
    const { rows } = await direct.query<{ workspace: string; account: string }>(
      `with w as (insert into workspace (id, name, timezone) values (uuidv7(), 'inbox scale', 'UTC') returning id)
       insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
       select id, uuidv7(), 'NET_PAGE', 'scale-' || id, 'scale-' || id, 'A page', 'CONNECTED', now() from w
       returning workspace_id as workspace, id as account`,
    )
    await insert(direct, rows[0]!.workspace, rows[0]!.account, A_WORKSPACE, 0)
  }
  await direct.query(
    `create index message_terms on message using gin (message_terms(workspace_id, tsv)); set session_replication_role = origin`,
  )
  await direct.query('vacuum analyze')
}

/** Inserts threads of ten messages. Half of them wait, and each has a unique number and some frequent words. */
const insert = (direct: pg.Client, workspace: string, account: string, messages: number, from: number) =>
  direct.query(
    `with t as materialized (
       select n, uuidv7() as id, uuidv7() as node, uuidv7() as identity, now() - (n % 2000) * interval '1 hour' as at
       from generate_series($4::int + 1, $4::int + $3::int) n
     ), node as (
       insert into audience_node (workspace_id, id, name)
       select $1, node, 'Customer' || n || ' ' || (array['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'])[1 + n % 5] from t
     ), identity as (
       insert into audience_identity (workspace_id, id, node_id, account_id, hash, value)
       select $1, identity, node, $2, 'hash ' || id, 'sealed' from t
     ), thread as (
       insert into thread (workspace_id, id, account_id, identity_id, kind, key, status, urgency, unanswered_at, opened_at,
         last_in_at, last_out_at)
       select $1, id, $2, identity, 'DM', 'dm:' || id, case when n % 3 = 0 then 'CLOSED' else 'OPEN' end,
         (array['LOW', 'MEDIUM', 'HIGH'])[1 + n % 3], case when n % 2 = 0 then at end, at, at, at - interval '1 minute' from t
     )
     insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, external_id, at)
     select $1, uuidv7(), t.id, $2, 'DM', case when m % 2 = 0 then 'IN' else 'OUT' end,
       case when m % 2 = 0 then 'CUSTOMER' else 'AGENT_MANUAL' end,
       'Hello, is the order no' || (t.n * ${A_THREAD} + m) || ' on its way? The ' ||
         (array['sourdough', 'croissant', 'rye', 'baguette', 'focaccia'])[1 + (t.n + m) % 5] || ' of day' || (t.n * 7 + m) % 1000,
       'x' || t.id || m, t.at - m * interval '1 minute'
     from t, generate_series(1, ${A_THREAD}) m`,
    [workspace, account, messages / A_THREAD, from / A_THREAD],
  )

/** Returns the p99 of each part, over threads and words from the whole inbox. */
export async function measureInbox(person: Person, threads: number): Promise<InboxCost> {
  const timed = async (path: (n: number) => string): Promise<number> => {
    const times: number[] = []
    for (let n = -30; n < TRIES; n += 1) {
      const at = path(n + 30)
      const started = performance.now()
      await person.must('GET', at)
      if (n >= 0) times.push(performance.now() - started)
    }
    return percentile(times, 0.99)
  }
  const { data } = await person.must<{ data: Thread[] }>('GET', '/conversations?limit=100')
  const opened = await person.must<OpenThread>('GET', `/conversations/${data[0]!.id}`)
  if (opened.messages.length !== A_THREAD) throw new Error(`${opened.messages.length} messages in a thread`)
  const views = [
    'view=all',
    'view=unanswered',
    'view=unassigned',
    'view=escalated',
    'view=mine',
    'view=all&sort=newest',
    'status=CLOSED&sort=newest',
  ]
  const someThread = (n: number) => 1 + ((n * 7919) % threads)
  const words = [
    (n: number) => `no${someThread(n) * A_THREAD + 3}`,
    (n: number) => `customer${someThread(n)}`,
    (n: number) => `day${n % 1000} rye`,
    (n: number) => ['sourdough', 'croissant', 'order', 'eve'][n % 4]!,
  ]
  for (const word of words) {
    const { data: found } = await person.must<{ data: Thread[] }>(
      'GET',
      `/conversations?q=${encodeURIComponent(word(0))}`,
    )
    if (found.length === 0) throw new Error(`nothing is found for ${word(0)}`)
  }
  return {
    list: await timed((n) => `/conversations?limit=50&${views[n % views.length]}`),
    open: await timed((n) => `/conversations/${data[n % data.length]!.id}`),
    search: await timed((n) => `/conversations?limit=50&q=${encodeURIComponent(words[n % words.length]!(n))}`),
  }
}
