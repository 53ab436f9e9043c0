import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withPlans } from '../../../test/explain.ts'
import { openDatabase, type OwnDatabase } from '../../../test/scopes.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { ListQuery, type ThreadView } from './api.ts'
import { countThreads, listThreads } from './threads-read.ts'

const CLOSED = 20_000
/** Not closed. A tenth of them waits, and all but one are assigned. */
const OPEN = 200

let database: OwnDatabase
let sql: OwnDatabase['sql']
let scope: Scope
/** The rows of threads that the last queries have read. */
let read = 0

beforeAll(async () => {
  database = await openDatabase()
  sql = database.sql
  const [workspaceId, accountId, userId] = [randomUUID(), randomUUID(), randomUUID()]
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(
    `with u as (insert into app_user (id) values ($2) returning id)
      insert into member (workspace_id, user_id, role) select $1, id, 'EDITOR' from u`,
    [workspaceId, userId],
  )
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
      values ($1, $2, 'NET_PAGE', 'page', 'somebody', 'page', 'CONNECTED', now())`,
    [workspaceId, accountId],
  )
  // A customer of a closed thread may still wait.
  await sql.query(
    `insert into thread (workspace_id, id, account_id, kind, key, post_ref, comments, comments_before, status,
        assignee, unanswered_at, last_in_at, opened_at)
      select $1, uuidv7(), $2, 'COMMENT', 'post:' || n, n, 1, 0, case when n <= $4 then 'OPEN' else 'CLOSED' end,
        case when n between 2 and $4 then $5::uuid end, case when n % 10 = 0 or n > $4 then at end, at, at
      from generate_series(1, $3::int + $4::int) n, lateral (select now() - n * interval '1 minute' as at) t`,
    [workspaceId, accountId, CLOSED, OPEN, userId],
  )
  await sql.query('vacuum analyze thread')
  scope = withPlans(database.scopeOf(workspaceId), (plan) => (read += threadsIn(plan)))
})

afterAll(() => database?.close())

/** Returns how many rows of threads a query plan has read. The view of all threads (`every`) is not counted. */
function threadsIn(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0
  const node = plan as Record<string, unknown>
  const loops = Number(node['Actual Loops'] ?? 1)
  const rows = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'].reduce(
    (sum, key) => sum + Number(node[key] ?? 0),
    0,
  )
  const own = node['Relation Name'] === 'thread' && node['Alias'] !== 'every' ? rows * loops : 0
  return own + Object.values(node).reduce<number>((sum, part) => sum + threadsIn(part), 0)
}

test.each<{ view: ThreadView; found: number }>([
  { view: 'unanswered', found: OPEN / 10 },
  { view: 'unassigned', found: 1 },
  { view: 'mine', found: 0 },
  { view: 'review', found: 0 },
  { view: 'escalated', found: 0 },
  { view: 'snoozed', found: 0 },
])('the view $view reads no closed threads, in either order', async ({ view, found }) => {
  for (const sort of ['priority', 'newest'] as const) {
    read = 0
    const { data } = await listThreads(scope, ListQuery.parse({ view, sort, limit: 100 }), 'OWNER')
    expect([sort, data.length]).toEqual([sort, found])
    expect(read, sort).toBeGreaterThanOrEqual(found)
    expect(read, sort).toBeLessThan(OPEN * 2)
  }
})

test('the counts of the views read no closed threads', async () => {
  read = 0
  const counts = await countThreads(scope)
  expect(counts).toMatchObject({ unanswered: OPEN / 10, unassigned: 1, all: CLOSED + OPEN })
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(OPEN * 2)
})
