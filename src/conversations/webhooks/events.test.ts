import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explained } from '../../../test/explain.ts'
import { openDatabase, type OwnDatabase } from '../../../test/scopes.ts'
import type { Query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { eraseEventTexts } from './events.ts'

const EVENTS = 20_000

let database: OwnDatabase
let sql: OwnDatabase['sql']
let scope: Scope
const [workspaceId, accountId] = [randomUUID(), randomUUID()]

beforeAll(async () => {
  database = await openDatabase()
  sql = database.sql
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
      values ($1, $2, 'NET_PAGE', 'page', 'somebody', 'page', 'CONNECTED', now())`,
    [workspaceId, accountId],
  )
  // Every tenth message was edited, and every hundredth was read.
  await sql.query(
    `insert into inbound_event (workspace_id, id, account_id, key, at, event, via, done_at)
      select $1, gen_random_uuid(), $2, kind || ':' || n, now(),
        jsonb_build_object('kind', kind, 'id', n::text)
          || case when kind = 'read' then '{}' else jsonb_build_object('text', kind || ' ' || n, 'attachments', '[{}]'::jsonb) end,
        'webhook', now()
      from generate_series(1, $3::int) n, unnest(array['message', 'edit', 'read']) kind
      where kind = 'message' or kind = 'edit' and n % 10 = 0 or kind = 'read' and n % 100 = 0`,
    [workspaceId, accountId, EVENTS],
  )
  await sql.query('vacuum analyze inbound_event')
  scope = database.scopeOf(workspaceId)
})

afterAll(() => database?.close())

/** Returns how many rows of events a query plan has read. */
function eventsIn(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0
  const node = plan as Record<string, unknown>
  const isScan = String(node['Node Type'] ?? '').endsWith('Scan') && node['Relation Name'] === 'inbound_event'
  const rows = Number(node['Actual Rows'] ?? 0) + Number(node['Rows Removed by Filter'] ?? 0)
  return (isScan ? rows : 0) + Object.values(node).reduce<number>((sum, part) => sum + eventsIn(part), 0)
}

test('the removal of a message reads only its events, and erases the texts and files of all of them', async () => {
  const plans: unknown[] = []
  await scope.transaction(async (tx) => {
    const run = async <R>(statement: Query<R>): Promise<R[]> => {
      plans.push(...(await tx.run(explained(statement))))
      return []
    }
    await eraseEventTexts({ ...tx, run }, { accountId, externalId: '300' })
  })
  const read = eventsIn(plans)
  expect(read).toBeGreaterThanOrEqual(2)
  expect(read).toBeLessThan(10)
  const { rows } = await sql.query<{ key: string; event: object }>(
    `select key, event from inbound_event where event ->> 'id' in ('300', '310') and key not like 'read:%' order by key`,
  )
  const erased = { text: '', attachments: [] }
  expect(rows.map(({ key, event }) => [key, event])).toMatchObject([
    ['edit:300', erased],
    ['edit:310', { text: 'edit 310' }],
    ['message:300', erased],
    ['message:310', { text: 'message 310', attachments: [{}] }],
  ])
})
