import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../../test/fixtures.ts'
import { long } from '../../../../test/tier.ts'
import { confirmEmail, connectPages, join, newPerson, type Person, type Problem } from '../../../../test/world.ts'
import type { Page } from '../../../core/platform/cursor.ts'
import type { AudienceNode } from '../api.ts'
import type { AudienceSegment, SegmentCount, SegmentFilter } from './api.ts'

const { product, sql } = useProduct({ env: FAST })
let ann: Person
let eve: Person

/** Inserts a customer into the database. */
async function customer(
  person: Person,
  name: string,
  more: { tags?: string[]; language?: string; heat?: number; days?: number; username?: string },
) {
  const id = randomUUID()
  const { tags = [], language = null, heat = 1, days = 0, username = null } = more
  await sql.query(
    `insert into audience_node (workspace_id, id, name, tags, language, heat, heat_at, last_seen, created_at)
      values ($1, $2, $3, $4, $5, $6, app_now(), app_now() - make_interval(days => $7), app_now() - make_interval(days => $7))`,
    [person.workspaceId, id, name, tags, language, heat, days],
  )
  await sql.query(
    `insert into audience_identity (workspace_id, id, node_id, account_id, hash, value, username)
      select workspace_id, gen_random_uuid(), $2::uuid, id, $2::text, '', $3 from social_account where workspace_id = $1 limit 1`,
    [person.workspaceId, id, username],
  )
  return id
}

beforeAll(async () => {
  ann = await newPerson(product.url)
  await confirmEmail(ann)
  await connectPages(ann, 'u3711')
  await customer(ann, 'Anna Berg', { tags: ['VIP'], language: 'de', heat: 20 })
  await customer(ann, 'Bruno Berg', { tags: ['wholesale'], language: 'de', heat: 3, days: 40, username: 'bruno_b' })
  await customer(ann, 'Carla Thal', { tags: ['vip', 'wholesale'], language: 'en', heat: 7, days: 10 })
  eve = await newPerson(product.url)
  await connectPages(eve, 'u3712')
  await customer(eve, 'Anna Berg', { tags: ['VIP'], language: 'de', heat: 20 })
})

const is = (field: string, op: string, value: string | number) => ({ field, op, value }) as SegmentFilter
const create = (filter: unknown, name: string = randomUUID()) =>
  ann.call<AudienceSegment & Problem>('POST', '/audience/segments', { name, filter })
const count = (filter: unknown) => ann.call<SegmentCount & Problem>('POST', '/audience/segments/count', { filter })
async function namesIn(filter: SegmentFilter): Promise<string[]> {
  const { body } = await create(filter)
  const { data } = await ann.must<Page<AudienceNode>>('GET', `/audience?segmentId=${body.id}`)
  expect((await count(filter)).body).toEqual({ count: data.length, more: false })
  return data.map(({ name }) => name.split(' ')[0]!).toSorted()
}

test('each comparison finds the customers that match, and none of another workspace', async () => {
  const found: [SegmentFilter, string[]][] = [
    [is('name', 'contains', 'BERG'), ['Anna', 'Bruno']],
    [is('name', 'is', 'carla thal'), ['Carla']],
    [is('username', 'contains', 'bruno'), ['Bruno']],
    [is('language', 'is', 'de'), ['Anna', 'Bruno']],
    [is('tag', 'is', 'vip'), ['Anna', 'Carla']],
    [is('network', 'is', 'NET_PAGE'), ['Anna', 'Bruno', 'Carla']],
    [is('network', 'is', 'NET_VIDEO'), []],
    [is('engagement', 'atLeast', 80), ['Anna']],
    [is('engagement', 'atMost', 50), ['Bruno']],
    [is('daysSilent', 'atLeast', 10), ['Bruno', 'Carla']],
    [is('daysSilent', 'atMost', 9), ['Anna']],
    [is('lastSeen', 'before', new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10)), ['Bruno']],
    [is('firstSeen', 'before', '2001-01-01'), []],
    [
      { all: [is('language', 'is', 'de'), { any: [is('tag', 'is', 'VIP'), is('daysSilent', 'atLeast', 100)] }] },
      ['Anna'],
    ],
    [{ any: [is('tag', 'is', 'wholesale'), is('engagement', 'atLeast', 80)] }, ['Anna', 'Bruno', 'Carla']],
  ]
  for (const [filter, names] of found) expect([filter, await namesIn(filter)]).toEqual([filter, names])
})

test('a value is never part of the statement', async () => {
  for (const value of ["' or true --", "'); drop table audience_segment; --", '%', '_', '\\', '$1', "Berg'"]) {
    expect([value, await namesIn(is('name', 'contains', value))]).toEqual([value, []])
    expect([value, await namesIn(is('tag', 'is', value))]).toEqual([value, []])
  }
  expect((await ann.must<Page<AudienceSegment>>('GET', '/audience/segments')).data.length).toBeGreaterThan(10)
})

test('a filter has only known fields, at most 5 levels and at most 50 conditions', async () => {
  const leaf = is('tag', 'is', 'VIP')
  const deep = (levels: number): unknown => (levels === 1 ? leaf : { all: [deep(levels - 1)] })
  expect((await count(deep(5))).status).toBe(200)
  const refused: unknown[] = [
    deep(6),
    deep(7),
    { all: [{ any: Array.from({ length: 26 }, () => leaf) }, { any: Array.from({ length: 25 }, () => leaf) }] },
    { all: [] },
    is('password_hash', 'is', 'x'),
    is('name', 'atLeast', 5),
    is('name', 'is', 5),
    is('engagement', 'atLeast', '80'),
    is('engagement', 'atLeast', 101),
    is('lastSeen', 'before', '2026-02-30'),
    is('network', 'is', 'constructor'),
    { all: [leaf], any: [leaf] },
  ]
  for (const filter of refused) {
    expect([filter, (await count(filter)).status]).toEqual([filter, 422])
    expect([filter, (await create(filter)).status]).toEqual([filter, 422])
  }
  expect((await count({ all: Array.from({ length: 50 }, () => leaf) })).status).toBe(200)
})

test('a segment can be changed, counted and deleted; a name is taken once, even by concurrent requests', async () => {
  const filter = is('tag', 'is', 'VIP')
  const both = await Promise.all([create(filter, 'Best'), create(filter, 'best')])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  const { id } = both.find(({ status }) => status === 201)!.body
  const at = `/audience/segments/${id}`
  expect(both.find(({ status }) => status === 201)!.body).toMatchObject({ count: null, countedAt: null, version: 1 })
  // On a busy machine, a count can take more than its second.
  const counted = () => ann.must<AudienceSegment>('GET', at)
  await expect.poll(counted, { timeout: 60_000 }).toMatchObject({ count: 2, more: false, filter })
  const { data } = await ann.must<Page<AudienceSegment>>('GET', '/audience/segments?limit=100')
  expect(data.find((one) => one.id === id)).toMatchObject({ count: 2 })
  const other = is('language', 'is', 'en')
  expect(await ann.must('PATCH', at, { filter: other }, { 'if-match': '"1"' })).toMatchObject({
    version: 2,
    count: null,
  })
  expect((await ann.call<Problem>('PATCH', at, { name: 'x' }, { 'if-match': '"1"' })).body.code).toBe('stale_version')
  await expect.poll(counted, { timeout: 60_000 }).toMatchObject({ count: 1 })
  const viewer = await join(ann, 'Vera', 'VIEWER')
  expect((await viewer.call<Problem>('DELETE', at)).body.code).toBe('role_required')
  expect((await ann.call('DELETE', at)).status).toBe(204)
  expect((await ann.call('GET', at)).status).toBe(404)
  expect((await ann.call('GET', `/audience?segmentId=${id}`)).status).toBe(404)
})

test.runIf(long)('counting stops at 10,000, and a read is given up after a second', async () => {
  const bob = await newPerson(product.url)
  await sql.query(
    `insert into audience_node (workspace_id, id, name, tags) select $1, gen_random_uuid(), 'Many', '{many}' from generate_series(1, 10001)`,
    [bob.workspaceId],
  )
  const filter = is('tag', 'is', 'many')
  const segment = await bob.must<AudienceSegment>('POST', '/audience/segments', { name: 'Many', filter })
  const at = `/audience/segments/${segment.id}`
  const counted = await bob.must<AudienceSegment>('GET', at)
  expect(counted).toMatchObject({ count: 10_000, more: true })
  // The table is locked, so no count can finish.
  const holder = await sql.connect()
  try {
    await holder.query('begin; lock table audience_node in access exclusive mode')
    expect(await bob.must('GET', at)).toEqual(counted)
    expect(await bob.must('POST', '/audience/segments/count', { filter })).toEqual({ count: null, more: false })
    const listed = await bob.call<Problem>('GET', `/audience?segmentId=${segment.id}`)
    expect(listed.body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/segmentId', code: 'too_slow' }] })
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  // The last count does not apply to another filter.
  expect(await bob.must('PATCH', at, { filter: is('tag', 'is', 'few') })).toMatchObject({ count: null, more: false })
})

test('a workspace has at most 100 segments', async () => {
  const bob = await newPerson(product.url)
  await sql.query(
    `insert into audience_segment (workspace_id, id, name, filter) select $1, gen_random_uuid(), 'n' || n, '{}' from generate_series(1, 99) n`,
    [bob.workspaceId],
  )
  const make = (name: string) => bob.call<Problem>('POST', '/audience/segments', { name, filter: is('tag', 'is', 'x') })
  const both = await Promise.all([make('a'), make('b')])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect(both.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'too_many_saved', limit: 100 })
})
