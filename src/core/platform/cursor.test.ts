import { describe, expect, test } from 'vitest'
import { page, pageBy, pageOfKnown } from './cursor.ts'
import { sql, whole } from './db.ts'

const ids = ['c', 'b', 'a'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`)
const rows = ids.map((id) => ({ id }))
const compiled = (list: { rows: ReturnType<typeof sql> }) => {
  const { sql: text, parameters } = whole(list.rows).compile()
  return [text, [...parameters]]
}

describe('a page', () => {
  test('queries one row more than it returns, and names a next page only if that row exists', () => {
    const two = page(sql`u.id`, { limit: 2 })
    expect(compiled(two)).toEqual(['true order by u.id desc limit $1', [3]])
    const { data, nextCursor } = two.of(rows)
    expect(data).toEqual(rows.slice(0, 2))
    expect(compiled(page(sql`u.id`, { limit: 2, cursor: nextCursor! }))).toEqual([
      '(u.id) < ($1::uuid) order by u.id desc limit $2',
      [ids[1], 3],
    ])
    expect(two.of(rows.slice(0, 2))).toEqual({ data: rows.slice(0, 2), nextCursor: null })
    expect(two.of([])).toEqual({ data: [], nextCursor: null })
  })

  test('in the order of several columns continues after the values of all of them', () => {
    const columns = [
      [sql`at`, 'bigint'],
      [sql`id`, 'uuid'],
    ] as const
    const keyOf = (row: { at: number; id: string }) => [row.at, row.id]
    const { nextCursor } = pageBy(columns, { limit: 1 }, keyOf).of(rows.map(({ id }) => ({ id, at: 7 })))
    expect(compiled(pageBy(columns, { limit: 1, cursor: nextCursor! }, keyOf))).toEqual([
      '(at, id) < ($1::bigint, $2::uuid) order by at desc, id desc limit $3',
      ['7', ids[0], 2],
    ])
  })

  test('of a known list continues after the values of its last row, with numbers in their own order', () => {
    const known = [9, 10, 10].map((at, index) => ({ at, id: ids[index]! }))
    const read = (cursor?: string) =>
      pageOfKnown(known, ['bigint', 'uuid'], { limit: 2, cursor }, ({ at, id }) => [at, id])
    const first = read()
    expect(first.data).toEqual([known[1], known[2]])
    expect(read(first.nextCursor!)).toEqual({ data: [known[0]], nextCursor: null })
    expect(() => read(Buffer.from('ten').toString('base64url'))).toThrow(/doesn’t belong to this list/)
  })

  test.each(['', 'no id', `${ids[0]} ${ids[1]}`, `7 ${ids[0]}`])('refuses the cursor of another list: %j', (text) => {
    const cursor = Buffer.from(text).toString('base64url')
    expect(() => page(sql`id`, { limit: 1, cursor })).toThrow(/doesn’t belong to this list/)
  })

  test.each([
    ['timestamptz', '2025-13-01T00:00:00.000Z'],
    ['timestamptz', '2026-02-30T00:00:00.000Z'],
    ['timestamptz', '2026-02-28T24:00:00.000Z'],
    ['timestamptz', '2026-02-28T00:00:00:00.0Z'],
    ['timestamptz', '0000-02-28T00:00:00.000Z'],
    ['date', '2026-02-30'],
    ['date', '2026-00-10'],
    ['date', '0000-01-01'],
  ] as const)('refuses a %s that does not exist: %s', (type, text) => {
    const cursor = Buffer.from(text).toString('base64url')
    expect(() => pageBy([[sql`at`, type]], { limit: 1, cursor }, () => [])).toThrow(/doesn’t belong to this list/)
  })

  test.each([
    ['timestamptz', '2024-02-29T23:59:59.123456Z'],
    ['date', '2024-02-29'],
  ] as const)('continues after a %s that exists: %s', (type, text) => {
    const cursor = Buffer.from(text).toString('base64url')
    expect(compiled(pageBy([[sql`at`, type]], { limit: 1, cursor }, () => []))[1]).toEqual([text, 2])
  })
})
