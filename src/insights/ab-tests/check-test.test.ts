import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type OwnDatabase } from '../../../test/scopes.ts'
import { tellPost } from '../../../test/insights.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { inPieces } from '../../core/platform/pieces.ts'
import { scaled } from '../predictions/rules.ts'
import { checkTest } from './check-test.ts'
import { resultOf } from './rules.ts'

const DAY = 86_400_000
/** The most that a test can have. */
const BLOCKS = 20
const [workspaceId, accountId, testId] = [randomUUID(), randomUUID(), randomUUID()]

let database: OwnDatabase
let sql: OwnDatabase['sql']
let own: Scope

beforeAll(async () => {
  database = await openDatabase()
  sql = database.sql
  own = database.scopeOf(workspaceId)
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(`insert into subscription (workspace_id, plan_id) values ($1, 'business')`, [workspaceId])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
      values ($1, $2, 'NET_PAGE', 'page', 'somebody', 'page', 'CONNECTED', now())`,
    [workspaceId, accountId],
  )
  await sql.query(
    `insert into ab_test (workspace_id, id, name, account_id, kind, slot, trait, a, b, state, started_at)
      values ($1, $2, 'Asking', $3, 'post', 'weekday-08', 'question', 'yes', 'no', 'running', now())`,
    [workspaceId, testId, accountId],
  )
  const today = Math.floor(Date.now() / DAY)
  const monday = today - ((today + 3) % 7) - 28
  for (let n = 1; n <= BLOCKS; n += 1) {
    const first = await live((monday + (n % 5)) * DAY, `Bread ${n}?`, likesOf(n))
    const second = await live((monday + 7) * DAY, `Bread ${n}.`, 20)
    await sql.query(
      `insert into ab_block (workspace_id, test_id, n, first_is_a, first_post_id, second_post_id)
        values ($1, $2, $3, true, $4, $5)`,
      [workspaceId, testId, n, first, second],
    )
  }
})

afterAll(() => database?.close())

const likesOf = (n: number) => 10 + ((n * 7) % 40)

/** Stores a post that went live at nine o'clock of a day, with its likes a week later. Returns its id. */
async function live(day: number, caption: string, likes: number): Promise<string> {
  const [id, publicationId] = [randomUUID(), randomUUID()]
  const publishedAt = new Date(day + 9 * 3_600_000)
  await sql.query(
    `insert into post (workspace_id, id, caption, status, published_at) values ($1, $2, $3, 'PUBLISHED', $4)`,
    [workspaceId, id, caption, publishedAt],
  )
  await sql.query(
    `insert into delivery (workspace_id, id, post_id, account_id, position, state, published_at)
      values ($1, $2, $3, $4, 1, 'PUBLISHED', $5)`,
    [workspaceId, publicationId, id, accountId, publishedAt],
  )
  const place = { workspaceId, accountId }
  await tellPost(sql, place, { caption, publishedAt, publicationId, readings: { 170: { likes } } })
  return id
}

/** The seconds that this process has computed. */
const computed = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

test('a block counts although its live post was deleted here', async () => {
  const [{ id }] = (
    await sql.query<{ id: string }>('select first_post_id as id from ab_block where test_id = $1 and n = 1', [testId])
  ).rows as [{ id: string }]
  await sql.query('update post set deleted_at = now() where id = $1', [id])
  await checkTest(own, testId)
  const { rows } = await sql.query('select dropped from ab_block where test_id = $1 and n = 1', [testId])
  expect(rows).toEqual([{ dropped: null }])
  await sql.query('update post set deleted_at = null where id = $1', [id])
  await sql.query(`update ab_test set state = 'running', result = null, ended_at = null where id = $1`, [testId])
})

test('the result of a test is computed while no transaction is open', async () => {
  const differences = Array.from({ length: BLOCKS }, (_, index) => scaled(likesOf(index + 1)) - scaled(20))
  await inPieces(resultOf(differences))
  const before = computed()
  const result = await inPieces(resultOf(differences))
  const cost = computed() - before

  let within = 0
  const scope: Scope = {
    ...own,
    async transaction(...args) {
      const begun = computed()
      try {
        return await own.transaction(...args)
      } finally {
        within += computed() - begun
      }
    },
  }
  await checkTest(scope, testId)
  const { rows } = await sql.query('select state, result from ab_test')
  expect(rows).toEqual([{ state: 'done', result }])
  expect(result.n).toBe(BLOCKS)
  expect(within).toBeLessThan(cost / 2)
})
