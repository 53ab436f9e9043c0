import { expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { connectPages, eventually, newPerson, untilWaitedFor } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'

const { product, sql } = useProduct({ env: FAST })

test('a change of the workspace checks all scheduled posts, however many', async () => {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, 'u1690')
  const scheduledAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Number 0', targets: [page!.id], scheduledAt })
  await sql.query(
    `with copy as (
       insert into post (workspace_id, id, caption, status, scheduled_at, created_by)
       select workspace_id, gen_random_uuid(), 'Number ' || n, status, scheduled_at + n * interval '3 hours', created_by
       from post, generate_series(1, 1100) n where id = $1 returning id, scheduled_at
     )
     insert into publication (workspace_id, id, post_id, account_id, position, due_at, next_at)
     select t.workspace_id, gen_random_uuid(), copy.id, t.account_id, 0, copy.scheduled_at, copy.scheduled_at
     from copy, publication t where t.post_id = $1`,
    [id],
  )
  await sql.query('analyze post; analyze delivery')
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { approvalMode: 'required' })
  const found = async () => {
    const { rows } = await sql.query<{ found: number }>(
      `select count(*)::int as found from post where workspace_id = $1
         and checks @> '[{"code": "approval_outstanding"}]'`,
      [ann.workspaceId],
    )
    return rows[0]!.found
  }
  await eventually(async () => (await found()) === 1100)
})

test('several changes before a check share it', async () => {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, 'u1691')
  const scheduledAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
  await ann.must<Post>('POST', '/posts', { caption: 'One', targets: [page!.id], scheduledAt })
  const jobs = async () => {
    const { rowCount } = await sql.query(
      `select from graphile_worker._private_jobs where payload ->> 'workspaceId' = $1
         and payload -> 'data' ->> 'scheduled' = 'true'`,
      [ann.workspaceId],
    )
    return rowCount
  }
  const db = await sql.connect()
  try {
    // The check that runs first waits for the table.
    await db.query('begin; lock table post in share row exclusive mode')
    for (const approvalMode of ['required', 'none', 'required', 'none'])
      await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { approvalMode })
    expect([1, 2]).toContain(await jobs())
  } finally {
    await db.query('rollback')
    db.release()
  }
  await eventually(async () => (await jobs()) === 0)
})

test('a check that waited for another one reads the state of its turn, so it never stores older findings', async () => {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, 'u1692')
  const scheduledAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const { id } = await ann.must<Post>('POST', '/posts', { caption: 'One', targets: [page!.id], scheduledAt })
  const checks = async () => (await sql.query<{ checks: object[] }>('select checks from post where id = $1', [id])).rows
  const db = await sql.connect()
  try {
    await db.query('begin')
    await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`flight ${ann.workspaceId}`])
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { approvalMode: 'required' })
    await untilWaitedFor(sql, db)
    await sql.query(`update workspace set approval_mode = 'none' where id = $1`, [ann.workspaceId])
  } finally {
    await db.query('commit')
    db.release()
  }
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `select from graphile_worker._private_jobs where payload ->> 'workspaceId' = $1 and payload -> 'data' ->> 'scheduled' = 'true'`,
      [ann.workspaceId],
    )
    return rowCount === 0
  })
  expect(await checks()).toEqual([{ checks: [] }])
})
