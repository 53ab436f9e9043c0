import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { explained, withPlans } from '../../test/explain.ts'
import { openDatabase, type OwnDatabase } from '../../test/scopes.ts'
import type { Scope, Scopes, Tx } from '../core/platform/scope.ts'
import { findWorkspaces } from '../assistant/ai/ai-suggestions.ts'
import { listPostEvents } from '../publishing/sending/publishing.ts'
import { listAudit } from '../team/audit/audit.ts'
import { listAdminAudit } from './audit.ts'
import { listFailed, listQueues } from './queues.ts'

// Lists read only the rows that they show, however many others there are.

const MANY = 3_000
/** A post that was edited often, failed once, and has not changed for a year. */
const EDITED = '01900000-0000-7000-8000-000000000000'
/** The open and failed deliveries. */
const FEW = 20

let database: OwnDatabase
let sql: OwnDatabase['sql']
let ours: Scope
let admin: Scope
/** A workspace with old posts, whose day has begun and whose plan has every feature. */
let old: Scope
let all: Pick<Scopes, 'ask' | 'scope'>
/** How many rows of each table the statements have read. */
const read = new Map<string, number>()

beforeAll(async () => {
  database = await openDatabase()
  sql = database.sql
  const [workspaceId, accountId] = [randomUUID(), randomUUID()]
  await sql.query(
    `insert into app_user (id, name) select gen_random_uuid(), 'person ' || n from generate_series(1, ${MANY}) n`,
  )
  const { rows } = await sql.query<{ id: string }>('select id from app_user limit 1')
  const [{ id: userId } = { id: '' }] = rows
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
      values ($1, $2, 'NET_PAGE', 'page', 'somebody', 'page', 'CONNECTED', now())`,
    [workspaceId, accountId],
  )
  const object = JSON.stringify({ userId })
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object) values ($1, $2, 'system', 'member.joined', $3)`,
    [workspaceId, randomUUID(), object],
  )
  await sql.query(`insert into security_event (id, action, object) values ($1, 'admin.read.user', $2)`, [
    randomUUID(),
    object,
  ])
  await sql.query(
    `insert into post (workspace_id, id, status) select $1, gen_random_uuid(),
        case when n > ${FEW} then 'PUBLISHED' when n % 2 = 0 then 'PUBLISHING' else 'FAILED' end
      from generate_series(1, ${MANY}) n`,
    [workspaceId],
  )
  await sql.query(
    `insert into delivery (workspace_id, id, post_id, account_id, position, state, permalink)
      select workspace_id, gen_random_uuid(), id, $1, 0, case status when 'PUBLISHING' then 'PENDING' else status end,
        case when status = 'PUBLISHED' then 'https://example.com' end
      from post`,
    [accountId],
  )
  const oldId = randomUUID()
  await sql.query(
    `insert into workspace (id, name, timezone) select $1, 'old', 'Etc/GMT' || case when behind < 0 then '' else '+' end || behind
      from (select extract(hour from app_now() at time zone 'UTC')::int - 12 as behind) noon`,
    [oldId],
  )
  await sql.query(`insert into subscription (workspace_id, plan_id) values ($1, 'business')`, [oldId])
  await sql.query(
    `insert into post (workspace_id, id, status, created_at, updated_at)
      select $1, case when n = 1 then $2::uuid else gen_random_uuid() end, 'DRAFT', now() - interval '1 year', now() - interval '1 year'
      from generate_series(1, ${MANY}) n`,
    [oldId, EDITED],
  )
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object)
      select $1, case when n = 1 then '01900000-0000-7000-8000-000000000001' else ('019' || substr(md5(n::text), 4))::uuid end,
        'system', case when n = 1 then 'publication.failed' else 'post.edited' end, jsonb_build_object('postId', $2::text)
      from generate_series(1, ${MANY}) n`,
    [oldId, EDITED],
  )
  // Other posts, whose ids say that they are younger than the last change of this one.
  await sql.query(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object)
      select $1, ('f' || substr(md5(n::text), 2))::uuid, 'system', 'post.scheduled',
        jsonb_build_object('postId', gen_random_uuid()) from generate_series(1, ${MANY}) n`,
    [oldId],
  )
  await sql.query('analyze')
  const { scopes, scopeOf } = database
  const operator = scopes.adminScope({ kind: 'system', name: 'test' })
  ours = withPlans(scopeOf(workspaceId), note)
  old = withPlans(scopeOf(oldId), note)
  all = {
    ...scopes,
    async ask(why, statement, options) {
      for (const { 'QUERY PLAN': plan } of await scopes.ask(why, explained(statement), options)) note(plan)
      return scopes.ask(why, statement, options)
    },
  }
  admin = {
    ...operator,
    transaction: (run, options) =>
      operator.transaction((tx) => {
        const watched: Tx = {
          ...tx,
          async run(query) {
            for (const { 'QUERY PLAN': plan } of await tx.run(explained(query))) note(plan)
            return tx.run(query)
          },
        }
        return run(watched)
      }, options),
  }
})
afterAll(() => database?.close())
beforeEach(() => read.clear())

/** Adds the rows that a query plan has read, with those that it threw away. */
function note(plan: unknown): void {
  if (typeof plan !== 'object' || plan === null) return
  const node = plan as Record<string, unknown>
  const table = node['Relation Name']
  if (typeof table === 'string') {
    const rows = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)
    read.set(table, (read.get(table) ?? 0) + rows * Number(node['Actual Loops']))
  }
  for (const part of Object.values(plan)) note(part)
}

test.each<[string, () => Promise<{ data: object[] }>]>([
  ['the history of a workspace', () => listAudit(ours, { limit: 25 })],
  ['the history of operators', () => listAdminAudit(admin, { limit: 25 })],
])('%s reads the people that it names', async (_, list) => {
  expect((await list()).data).toMatchObject([{ person: expect.stringContaining('person') }])
  expect(read.get('app_user')).toBeLessThan(10)
})

test('the queues count open and failed deliveries without reading the published ones', async () => {
  const { data } = await listQueues(admin)
  expect(data.find(({ name }) => name === 'publish')).toMatchObject({ waiting: FEW / 2, failed: FEW / 2 })
  expect(read.get('delivery')).toBeLessThan(FEW * 5)
})

test('the failures of a queue are listed without reading the published deliveries', async () => {
  expect((await listFailed(admin, 'publish', { limit: 25 })).data).toHaveLength(FEW / 2)
  expect(read.get('delivery')).toBeLessThan(FEW * 2)
})

test('the events of a post are listed without reading its edits or the later events of others', async () => {
  expect((await listPostEvents(old, EDITED, null)).data).toMatchObject([{ action: 'publication.failed' }])
  expect(read.get('audit_entry')).toBeLessThan(10)
})

test('a workspace out of use is passed over without reading its posts', async () => {
  await findWorkspaces(old, all)
  expect(read.get('subscription')).toBeGreaterThan(0)
  expect(read.get('post') ?? 0).toBeLessThan(10)
})
