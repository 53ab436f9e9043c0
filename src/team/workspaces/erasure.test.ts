import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { freshDatabase } from '../../../test/database.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { addJob } from '../../../test/jobs.ts'
import { startProduct } from '../../../test/product.ts'
import { eventually, newPerson, type Person } from '../../../test/world.ts'
import { NO_WORKSPACE } from '../../core/platform/scope.ts'

/** The rows that one transaction may erase. */
const BATCH = 1_000

const { product, sql } = useProduct({ env: { TIME_SCALE: '20' }, own: true })

interface Sql {
  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>>
}

/**
 * Fills a workspace with about fifteen times as many rows as `count`: customers who are merged, comments with answers
 * of the bot, and figures of two months. Their ids are random, so parents come before and after their children.
 */
async function fill(db: Sql, { workspaceId, session }: Person, count: number): Promise<void> {
  const [account, node, identity, thread, first] = Array.from({ length: 5 }, () => randomUUID())
  const run = (text: string, ...values: unknown[]) => db.query(text, [workspaceId, ...values])
  await run(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
      values ($1, $2, 'NET_PAGE', $2::uuid::text, 'nobody', 'Page', 'DISCONNECTED', now())`,
    account,
  )
  await run(`insert into audience_node (workspace_id, id, name) values ($1, $2, 'Cleo')`, node)
  await run(
    `insert into audience_node (workspace_id, id, name, merged_into)
      select $1, gen_random_uuid(), 'Cleo', $2::uuid from generate_series(1, $3)`,
    node,
    count,
  )
  await run(
    `insert into audience_identity (workspace_id, id, node_id, account_id, hash, value) values ($1, $2, $3, $4, 'x', 'x')`,
    identity,
    node,
    account,
  )
  await run(
    `insert into thread (workspace_id, id, account_id, identity_id, kind, key, opened_at)
      values ($1, $2, $3, $4, 'COMMENT', 'x', now())`,
    thread,
    account,
    identity,
  )
  const comment = `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at, parent_id)`
  await run(
    `${comment} values ($1, $2, $3, $4, 'COMMENT', 'IN', 'CUSTOMER', 'words of a customer', now(), null)`,
    first,
    thread,
    account,
  )
  await run(
    `${comment} select $1, gen_random_uuid(), thread_id, account_id, kind, direction, source, text, at, id
      from message, generate_series(1, $3) where workspace_id = $1 and id = $2`,
    first,
    count,
  )
  await run(
    `insert into decision (workspace_id, id, kind, thread_id, message_id, state, verdict, ended_at)
      select $1, gen_random_uuid(), 'bot', thread_id, id, 'DONE', 'SENT', now() from message
      where workspace_id = $1 and parent_id = $2`,
    first,
  )
  await run(
    `insert into message (workspace_id, id, thread_id, account_id, kind, direction, source, text, at, parent_id, decision_id)
      select $1, gen_random_uuid(), m.thread_id, m.account_id, 'COMMENT', 'OUT', 'BOT_AUTO', 'an answer', now(), m.id, d.id
      from message m join decision d on d.workspace_id = m.workspace_id and d.message_id = m.id where m.workspace_id = $1`,
  )
  await run(
    `insert into delivery (workspace_id, id, account_id, position, kind, state, content, thread_id, message_id)
      select $1, gen_random_uuid(), account_id, 0, 'reply', 'FAILED', '{}', thread_id, id from message
      where workspace_id = $1 and direction = 'OUT'`,
  )
  await run(
    `insert into message_attachment (workspace_id, id, message_id, position, type)
      select $1, gen_random_uuid(), id, 0, 'image' from message where workspace_id = $1 and parent_id = $2`,
    first,
  )
  await db.query(`select post_metric_month(current_date - days) from unnest(array[0, 35]) days`)
  await run(
    `insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, published_at)
      select $1, gen_random_uuid(), $2::uuid, n::text, 'post', 'x', now() from generate_series(1, $3) n`,
    account,
    count,
  )
  await run(
    `insert into post_metric (workspace_id, post_id, day, read_at, age_hours)
      select $1, id, current_date - days, now(), 1 from measured_post, unnest(array[0, 35]) days where workspace_id = $1`,
  )
  await run(
    `insert into notification (user_id, id, workspace_id, kind) select $2, gen_random_uuid(), $1, 'inbox_waiting'
      from generate_series(1, $3)`,
    session.user.id,
    count,
  )
  await run(
    `insert into audit_entry (workspace_id, id, actor_kind, action, object, detail)
      select $1, gen_random_uuid(), 'system', 'post.created', '{}', '{}' from generate_series(1, $2)`,
    count,
  )
}

const tenants = async (db: Sql) => {
  const { rows } = await db.query<{ name: string; column: string }>(
    `select polrelid::regclass::text as name, case when polrelid = 'workspace'::regclass then 'id' else 'workspace_id' end
      as column from pg_policy where polname = 'tenant' union select 'notification', 'workspace_id' order by 1`,
  )
  return rows
}

/** The number of rows of a workspace by table, without empty tables. */
async function rowsOf(db: Sql, workspaceId: string): Promise<Record<string, number>> {
  const counts = (await tenants(db)).map(
    ({ name, column }) => `select '${name}' as name, count(*)::int as rows from ${name} where ${column} = $1`,
  )
  const { rows } = await db.query<{ name: string; rows: number }>(counts.join(' union all '), [workspaceId])
  return Object.fromEntries(rows.filter((each) => each.rows > 0).map((each) => [each.name, each.rows]))
}

const sumOf = (rows: Record<string, number>) => Object.values(rows).reduce((sum, each) => sum + each, 0)

/** Makes it look as if the workspace had been deleted a day more than 30 days ago. */
const deleteLongAgo = (db: Sql, { workspaceId }: Person) =>
  db.query(`update workspace set deleted_at = app_now() - interval '31 days' where id = $1`, [workspaceId])

const enqueue = (db: Sql, workspaceId: string, key: string) => addJob(db, 'workspace-erasure', {}, { workspaceId, key })

/** Runs the sweep, as the timetable does. */
const sweep = (db: Sql) => enqueue(db, NO_WORKSPACE, 'workspace-erasure')

describe('a deleted workspace with more rows than a batch', () => {
  test('is erased whole in transactions of at most a batch each, and other workspaces keep all rows', async () => {
    const [ann, bea] = [await newPerson(product.url), await newPerson(product.url, 'Bea')]
    await fill(sql, ann, BATCH + 500)
    await fill(sql, bea, 20)
    const [annsRows, beasRows] = [await rowsOf(sql, ann.workspaceId), await rowsOf(sql, bea.workspaceId)]
    // Each statement that deletes is noted with its transaction, also those that a foreign key runs.
    await sql.query(`create table erased_note (tx xid8, name text, rows int);
      create function note_erased() returns trigger language plpgsql security definer as $$ begin
        insert into erased_note select pg_current_xact_id(), tg_table_name, count(*) from gone having count(*) > 0;
        return null;
      end $$`)
    for (const { name } of await tenants(sql)) {
      await sql.query(`create trigger note_erased after delete on ${name} referencing old table as gone
        for each statement execute function note_erased()`)
    }
    await deleteLongAgo(sql, ann)
    await enqueue(sql, ann.workspaceId, `erasure:${ann.workspaceId}`)
    await eventually(async () => Object.keys(await rowsOf(sql, ann.workspaceId)).length === 0)

    const { rows: batches } = await sql.query<{ rows: number }>(
      `select sum(rows)::int as rows from erased_note group by tx order by tx`,
    )
    expect(Math.max(...batches.map(({ rows }) => rows))).toBeLessThanOrEqual(BATCH)
    const total = sumOf(annsRows)
    expect(total).toBeGreaterThan(BATCH * 12)
    // Only batches of tables whose rows point to each other may be half empty.
    expect(batches.length).toBeLessThanOrEqual(Math.ceil((total / BATCH) * 2))
    expect(batches.reduce((sum, { rows }) => sum + rows, 0)).toBe(total)
    const { rows: last } = await sql.query<{ name: string }>(`select name from erased_note order by ctid desc limit 2`)
    expect(last.map(({ name }) => name)).toEqual(['workspace', 'member'])
    expect(await rowsOf(sql, bea.workspaceId)).toEqual(beasRows)
  })

  test('is erased whole even if the product is killed between two batches and the job then fails for good', async () => {
    const database = await freshDatabase()
    const db = new pg.Client({ connectionString: database.url })
    const holder = new pg.Client({ connectionString: database.url })
    await db.connect()
    await holder.connect()
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
    const settings = { databaseUrl: database.url, dataDir, env: { TIME_SCALE: '20' } }
    let own = await startProduct(settings)
    try {
      const ann = await newPerson(own.url)
      await fill(db, ann, BATCH + 500)
      const key = `erasure:${ann.workspaceId}`
      const waits = async () => {
        const { rowCount } = await db.query(`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%erase_workspace_batch%'`)
        return rowCount !== 0
      }
      // Only a late batch waits for the lock on the account.
      await holder.query('begin')
      await holder.query('select from social_account where workspace_id = $1 for update', [ann.workspaceId])
      await deleteLongAgo(db, ann)
      await enqueue(db, ann.workspaceId, key)
      await eventually(waits)
      await own.kill()
      await db.query(
        'update graphile_worker._private_jobs set attempts = max_attempts, locked_at = null, locked_by = null where key = $1',
        [key],
      )
      own = await startProduct(settings)
      const half = await rowsOf(db, ann.workspaceId)
      expect([half.decision, half.social_account, half.workspace]).toEqual([undefined, 1, 1])
      const figures = await (await fetch(`${own.url}/metrics`)).text()
      expect(figures).toContain('parley_late_erasures 1')
      await holder.query('rollback')
      await sweep(db)
      await eventually(async () => Object.keys(await rowsOf(db, ann.workspaceId)).length === 0)
      expect(await (await fetch(`${own.url}/metrics`)).text()).toContain('parley_late_erasures 0')
    } finally {
      await own.stop()
      await holder.end()
      await db.end()
      await database.drop()
      await rm(dataDir, { recursive: true })
    }
  })
})
