import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withPlans } from '../../../test/explain.ts'
import { openDatabase, type OwnDatabase } from '../../../test/scopes.ts'
import { inDays, tellPost } from '../../../test/insights.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { listHours } from './hours.ts'
import { getOverview } from './overview.ts'
import { getPost } from './post.ts'
import { listPosts } from './posts.ts'
import { compareTags } from './tags.ts'

const DAY = 86_400_000
/** Posts were published over this many days, and each was read for up to 95 days. */
const FIRST = 700

let database: OwnDatabase
let sql: OwnDatabase['sql']
let scope: Scope
let middle: string
/** The months whose readings a query has touched. */
const seen = new Set<string>()

beforeAll(async () => {
  database = await openDatabase()
  sql = database.sql
  const workspaceId = randomUUID()
  const accountId = randomUUID()
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
      values ($1, $2, 'NET_PAGE', 'page', 'somebody', 'page', 'CONNECTED', now())`,
    [workspaceId, accountId],
  )
  const values = { reach: 50, impressions: 100, likes: 10 }
  for (let days = FIRST; days > 0; days -= 10) {
    // Every second post has no reading after the first day, so a search for a later one finds nothing.
    const readings = days % 20 === 0 ? { 24.5: values } : { 24.5: values, 168.5: values, 720.5: values, 2160.5: values }
    const past = Object.fromEntries(Object.entries(readings).filter(([hours]) => Number(hours) < days * 24))
    const publishedAt = new Date(Date.now() - days * DAY)
    const id = await tellPost(sql, { workspaceId, accountId }, { publishedAt, readings: past })
    if (days === 350) middle = id
  }
  scope = withPlans(database.scopeOf(workspaceId), (plan) => {
    for (const month of monthsOf(plan)) seen.add(month)
  })
})

afterAll(() => database?.close())

/** Returns the months that a query plan has read, as `2026_11`. A part that was planned but never run has no loops. */
function monthsOf(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return []
  const { 'Relation Name': table, 'Actual Loops': loops } = plan as Record<string, unknown>
  const [, month] = /^post_metric_(\d{4}_\d\d)$/.exec(String(table)) ?? []
  return [...(month && loops !== 0 ? [month] : []), ...Object.values(plan).flatMap(monthsOf)]
}

const monthOf = (days: number) => inDays(days).slice(0, 7).replace('-', '_')
const services = { settings: { filesUrl: () => 'http://files.test' } } as unknown as Parameters<typeof listPosts>[1]
const period = { from: inDays(-370), to: inDays(-340) }

/** `from` and `to` are the days, relative to today, between which the readings lie that a screen needs. */
test.each<{ screen: string; from: number; to: number; look: () => Promise<unknown> }>([
  {
    screen: 'posts',
    from: -370 - 180,
    to: -340 + 33,
    look: () => listPosts(scope, services, { ...period, sort: 'views', limit: 25 }),
  },
  {
    screen: 'posts at seven days',
    from: -340 - 180,
    to: -340 + 10,
    look: () => listPosts(scope, services, { ...period, at: '7d', sort: 'rate', limit: 25 }),
  },
  { screen: 'tags', from: -370, to: -330, look: () => compareTags(scope, { ...period, at: '7d', by: 'topic' }) },
  { screen: 'a post', from: -350 - 181, to: -350 + 180 + 95, look: () => getPost(scope, services, middle) },
])('$screen: reads only months that can have its readings', async ({ from, to, look }) => {
  seen.clear()
  await look()
  expect(seen.size).toBeGreaterThan(0)
  expect([...seen].filter((month) => month < monthOf(from) || month > monthOf(to))).toEqual([])
})

test('hours: reads no month before the period', async () => {
  seen.clear()
  await listHours(scope, { ...period, at: '7d' })
  expect(seen.size).toBeGreaterThan(0)
  expect([...seen].filter((month) => month < monthOf(-370))).toEqual([])
})

test('the overview reads no readings of posts', async () => {
  seen.clear()
  await getOverview(scope, { ...period, compare: 'previous' }, 'OWNER')
  expect([...seen]).toEqual([])
})
