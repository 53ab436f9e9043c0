import pg from 'pg'
import { expect, test } from 'vitest'
import { caption } from '../../../test/ai.ts'
import { freshDatabase } from '../../../test/database.ts'
import { tappedLine } from '../../../test/killable.ts'
import { startProduct } from '../../../test/product.ts'
import { newPerson } from '../../../test/world.ts'

// Each trip to the database wakes two processes, which costs more than most statements (ADR 17).

test('a caption takes three trips: the gate, the request and the end; what has consequences takes more', async () => {
  const database = await freshDatabase()
  let trips = 0
  let asked = 0
  let workspaceId = ''
  const line = await tappedLine(database.url, (packet) => {
    // Hints to other processes are sent together and name the workspace too.
    if (workspaceId !== '' && packet.includes(workspaceId) && !packet.includes('pg_notify')) trips += 1
  })
  const product = await startProduct({ databaseUrl: line.url, env: { DEFAULT_PLAN: 'free' } })
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  try {
    const ann = await newPerson(product.url)
    workspaceId = ann.workspaceId
    /** Returns the trips of one caption, and how often admins were notified of the use of a quota. */
    const ask = async () => {
      trips = 0
      asked += 1
      const { usage } = await caption(ann)
      const { rows } = await sql.query<{ kind: string }>(
        `select kind from notification where workspace_id = $1 and kind like 'quota%' order by kind`,
        [workspaceId],
      )
      return { trips, remaining: usage.remaining, notified: rows.map(({ kind }) => kind) }
    }
    /** The fewest trips of a few captions: on a busy machine, options may be written before the end. */
    const fewest = async () => {
      const found: number[] = []
      for (let tries = 0; tries < 4 && !found.includes(3); tries += 1) found.push((await ask()).trips)
      return Math.min(...found)
    }
    const use = (amount: number) =>
      sql.query(`update workspace_usage set used = $2 where workspace_id = $1 and quota_id = 'ai_credits'`, [
        workspaceId,
        amount,
      ])
    expect(await fewest()).toBe(3)
    // The first use of a quota in a month adds its row, which the short way does not.
    await sql.query(`delete from workspace_usage where workspace_id = $1 and quota_id = 'ai_credits'`, [workspaceId])
    const first = await ask()
    expect(first).toMatchObject({ remaining: 19, notified: [] })
    expect(first.trips).toBeGreaterThan(3)
    await use(15)
    // Admins are notified at four fifths of 20 credits.
    const near = await ask()
    expect(near).toMatchObject({ remaining: 4, notified: ['quota_near'] })
    expect(near.trips).toBeGreaterThan(3)
    await use(4)
    const before = asked
    await sql.query('delete from credit_entry where workspace_id = $1', [workspaceId])
    expect(await fewest()).toBe(3)
    const { rows } = await sql.query<object>(
      `select (select count(*)::int from credit_entry where workspace_id = $1) as entries,
        (select used::int from workspace_usage where workspace_id = $1 and quota_id = 'ai_credits') as used,
        (select count(*)::int from usage_hold where workspace_id = $1) as holds`,
      [workspaceId],
    )
    expect(rows).toEqual([{ entries: asked - before, used: 4 + asked - before, holds: 0 }])
  } finally {
    await sql.end()
    await product.stop()
    await line.close()
    await database.drop()
  }
})
