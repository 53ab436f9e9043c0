import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type OwnDatabase } from '../../../test/scopes.ts'
import { sized } from '../../../test/tier.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { listThreads } from './threads-read.ts'

let database: OwnDatabase
let sql: OwnDatabase['sql']
/** The ids end in different letters, like those of nearly all workspaces. */
const [own, other] = ['0a', '0b'].map((end) => randomUUID().slice(0, -2) + end) as [string, string]
let scope: Scope

const TEXTS = [
  "It's here: foo-bar, again",
  'foo bar of C:\\path\\file',
  'خبز طازج كل صباح',
  'خبز قديم',
  'Ask user@example.test, or https://example.test/a-b?c=d',
  `${'x'.repeat(120)}one`,
  `${'x'.repeat(120)}two`,
  'y'.repeat(3_000),
  '12.5 kg -7 3e5 v1.2.3',
  '🙂 nice',
  '',
]
const SEARCHES = [
  'here',
  "it's",
  'foo-bar',
  'foo bar',
  'bar again',
  'C:\\path\\file',
  'path file',
  'خبز',
  'خبز طازج',
  'user@example.test',
  'example.test/a-b',
  `${'x'.repeat(120)}one`,
  'x'.repeat(120),
  'y'.repeat(3_000),
  '12.5 -7',
  '3e5 v1.2.3',
  "a' & !b | (c)",
  'nice',
  'missing here',
  `w:${other}`,
]

/** Writes messages, each in its own thread. */
async function write(workspace: string, texts: readonly string[]): Promise<void> {
  const id = randomUUID()
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
     values ($1, $2, 'NET_PAGE', $3, $3, 'A page', 'CONNECTED', now())`,
    [workspace, id, id],
  )
  await sql.query(
    `with t as materialized (
       select text, gen_random_uuid() as id, gen_random_uuid() as node, gen_random_uuid() as identity from unnest($3::text[]) text
     ), node as (
       insert into audience_node (workspace_id, id, name) select $1, node, '' from t
     ), identity as (
       insert into audience_identity (workspace_id, id, node_id, account_id, hash, value)
       select $1, identity, node, $2, id::text, 'sealed' from t
     ), thread as (
       insert into thread (workspace_id, id, account_id, identity_id, kind, key, opened_at)
       select $1, id, $2, identity, 'DM', id::text, app_now() from t
     )
     insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, external_id, at)
     select $1, gen_random_uuid(), id, $2, 'DM', 'IN', 'CUSTOMER', text, id::text, now() from t`,
    [workspace, id, texts],
  )
}

beforeAll(async () => {
  database = await openDatabase()
  sql = database.sql
  for (const workspace of [own, other]) {
    await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspace])
    await write(workspace, TEXTS)
  }
  scope = database.scopeOf(own)
})
afterAll(() => database?.close())

test('a search finds the threads of the workspace that contain its words, in any script', async () => {
  let found = 0
  for (const q of SEARCHES) {
    const { rows } = await sql.query<{ id: string }>(
      `select thread_id as id from message where workspace_id = $1 and tsv @@ plainto_tsquery('simple', $2)`,
      [own, q],
    )
    const { data } = await listThreads(scope, { limit: 100, cursor: undefined, sort: 'newest', view: 'all', q }, null)
    expect(data.map(({ id }) => id).toSorted(), q.slice(0, 50)).toEqual(rows.map(({ id }) => id).toSorted())
    found += rows.length
  }
  expect(found).toBeGreaterThan(SEARCHES.length / 2)
})

test('a search finds no reply of the bot that was never sent, however its threads are found', async () => {
  const texts = Array.from({ length: 120 }, (_, n) => `almond ${n}`)
  await write(own, [...texts, 'hazel'])
  await sql.query(
    `update message set is_intended = false, direction = 'OUT', source = 'BOT_AUTO'
     where workspace_id = $1 and text in ('hazel', 'almond 7')`,
    [own],
  )
  const find = async (q: string) =>
    (await listThreads(scope, { limit: 100, cursor: undefined, sort: 'newest', view: 'all', q }, null)).data
  expect([await find('hazel'), await find('almond 7'), await find('almond 8')]).toEqual([[], [], [expect.anything()]])
  const { rows } = await sql
    .query(`begin; set local app.workspace_id = '${own}'`)
    .then(() =>
      sql.query(
        `select threads_found(word, plainto_tsquery('simple', '')) from unnest(array['hazel', 'almond 7']) word`,
      ),
    )
  await sql.query('rollback')
  expect(rows).toEqual([])
})

test('paging through a search misses nothing, however common the word is and however its threads are found', async () => {
  const texts = Array.from(
    { length: 150 },
    (_, n) => `number ${n}${n % 4 === 0 ? ' walnut' : ''}${n === 77 ? ' pecan' : ''}`,
  )
  await write(own, texts)
  const walk = async (q: string, limit: number, sort: 'newest' | 'priority') => {
    const found: string[] = []
    for (let cursor: string | undefined; ;) {
      const { data, nextCursor } = await listThreads(scope, { limit, cursor, sort, view: 'all', q }, null)
      found.push(...data.map(({ id }) => id))
      if (nextCursor === null) return found
      cursor = nextCursor
    }
  }
  for (const q of ['number', 'walnut', 'pecan']) {
    const { rows } = await sql.query<{ id: string }>(
      `select thread_id as id from message where workspace_id = $1 and tsv @@ plainto_tsquery('simple', $2)`,
      [own, q],
    )
    for (const sort of ['newest', 'priority'] as const) {
      const whole = await walk(q, 100, sort)
      expect(whole.toSorted(), q).toEqual(rows.map(({ id }) => id).toSorted())
      for (const limit of sized([7], [1, 7, 20])) expect(await walk(q, limit, sort), `${q} by ${limit}`).toEqual(whole)
    }
  }
})

test('a search reads word lists without messages of another workspace', async () => {
  const { rows: shared } = await sql.query(
    `select from message a, message b where a.workspace_id = $1 and b.workspace_id = $2
       and tsvector_to_array(message_terms(a.workspace_id, a.tsv)) && tsvector_to_array(message_terms(b.workspace_id, b.tsv))`,
    [own, other],
  )
  expect(shared).toHaveLength(0)
  await sql.query(`begin; set local enable_seqscan = off; set local app.workspace_id = '${own}'`)
  const asked = async () => {
    const { rows } = await sql.query<{ scans: number }>(
      `select pg_stat_get_xact_numscans('message_terms'::regclass)::int as scans`,
    )
    return rows[0]!.scans
  }
  const before = await asked()
  const { rows: found } = await sql.query(`select threads_found('foo bar', plainto_tsquery('simple', ''))`)
  expect(found).toHaveLength(2)
  expect(await asked()).toBe(before + 1)
  await sql.query('rollback')
})
