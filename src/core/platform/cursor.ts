import type { RawBuilder } from 'kysely'
import { invalid } from '../errors.ts'
import { sql } from './db.ts'

export interface PageRequest {
  limit: number
  /** The `nextCursor` of the previous page; undefined for the first page. */
  cursor?: string | undefined
}

export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

/** PostgreSQL has no year 0. */
const FIRST_DAY = Date.parse('0001-01-01')

/** Whether a day exists. `Date.parse` also accepts the 30th of February. */
const isDay = (day: string) => {
  const time = Date.parse(day)
  return time >= FIRST_DAY && new Date(time).toISOString().slice(0, 10) === day
}

/** The format of a value in a cursor, by the type of its column. */
const looksLike = {
  uuid: (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  bigint: (text: string) => /^\d{1,16}$/.test(text),
  text: (text: string) => !text.includes('\0'),
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
  timestamptz: (text: string) =>
    /^\d{4}-\d\d-\d\dT([01]\d|2[0-3])(:[0-5]\d){2}\.\d{3,6}Z$/.test(text) && isDay(text.slice(0, 10)),
}

/** A time as a cursor has it, to the microsecond, since several rows can share a millisecond. */
export const exactly = (at: RawBuilder<unknown>) =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

type Type = keyof typeof looksLike
type Column = readonly [column: RawBuilder<unknown>, type: Type]

/** The values by which a row has its place in a list. */
type Place = readonly (string | number)[]

/**
 * A page of a list in the order of the uuid column `id`, descending unless it says `asc`. Each row returns it as `id`. See
 * `pageBy`.
 */
export const page = (id: RawBuilder<unknown>, request: PageRequest, order: 'asc' | 'desc' = 'desc') =>
  pageBy<{ id: string }>([[id, 'uuid']], request, (row) => [row.id], order)

/** A page of a list by `name`, ignoring case. Each row has the name in lower case as its `key`. See `pageBy`. */
export function pageByName(name: RawBuilder<unknown>, id: RawBuilder<unknown>, request: PageRequest) {
  const columns = [
    [sql`lower(${name})`, 'text'],
    [id, 'uuid'],
  ] as const
  const by = pageBy<{ key: string; json: { id: string } }>(columns, request, ({ key, json }) => [key, json.id], 'asc')
  return {
    rows: by.rows,
    of<T extends { id: string }>(rows: readonly { key: string; json: T }[]): Page<T> {
      const { data, nextCursor } = by.of(rows)
      return { data: data.map(({ json }) => json), nextCursor }
    },
  }
}

/**
 * A page of a list in the order of `columns`, descending unless it says `asc`. `keyOf` returns their values for a row; no
 * two rows share them. The statement of the list ends with `and ${page.rows}`, and `page.of` turns its rows into the
 * answer. Throws `validation_failed` for a cursor that did not come from such a page.
 */
export function pageBy<Key>(
  columns: readonly Column[],
  { limit, cursor }: PageRequest,
  keyOf: (row: Key) => Place,
  order: 'asc' | 'desc' = 'desc',
) {
  const all = sql.join(columns.map(([column]) => column))
  const isAfter = sql.raw(order === 'asc' ? '>' : '<')
  const after = cursor === undefined ? sql`true` : sql`(${all}) ${isAfter} (${sql.join(decode(columns, cursor))})`
  const sorted = columns.map(([column]) => sql`${column} ${sql.raw(order)}`)
  return {
    /**
     * The condition, the order, and a limit of one row more than the page, which shows whether another page follows.
     */
    rows: sql`${after} order by ${sql.join(sorted)} limit ${limit + 1}`,
    of: <Row extends Key>(rows: readonly Row[]): Page<Row> => cut(rows, limit, keyOf),
  }
}

function cut<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Place): Page<Row> {
  const data = rows.slice(0, limit)
  return { data, nextCursor: rows.length > limit ? encode(keyOf(rows[limit - 1]!)) : null }
}

/**
 * A page of a list that is not read by a statement, in descending order of the values of `keyOf`. They have these
 * `types`, and no two rows share them. Throws like `pageBy`.
 */
export function pageOfKnown<Row>(
  all: readonly Row[],
  types: readonly Type[],
  { limit, cursor }: PageRequest,
  keyOf: (row: Row) => Place,
): Page<Row> {
  const after =
    cursor === undefined
      ? undefined
      : valuesIn(types, cursor).map((value, index) => (types[index] === 'bigint' ? Number(value) : value))
  const rest = after ? all.filter((row) => compare(keyOf(row), after) < 0) : all
  return cut(
    rest.toSorted((a, b) => compare(keyOf(b), keyOf(a))),
    limit,
    keyOf,
  )
}

function compare(a: Place, b: Place): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index === -1 ? 0 : a[index]! < b[index]! ? -1 : 1
}

/** Spaces separate the values. */
const encode = (key: Place) =>
  Buffer.from(key.map((value) => String(value).replaceAll(/[% ]/g, encodeURIComponent)).join(' ')).toString('base64url')

const decode = (columns: readonly Column[], cursor: string): RawBuilder<unknown>[] =>
  valuesIn(
    columns.map(([, type]) => type),
    cursor,
  ).map((value, index) => sql`${value}::${sql.raw(columns[index]![1])}`)

function valuesIn(types: readonly Type[], cursor: string): string[] {
  const parts = Buffer.from(cursor, 'base64url').toString().split(' ')
  const values = parts.map((part) => part.replaceAll(/%2[05]/g, decodeURIComponent))
  if (values.length !== types.length || !types.every((type, index) => looksLike[type](values[index]!))) {
    throw invalid({
      path: '/cursor',
      code: 'invalid',
      message: 'This cursor doesn’t belong to this list. Start again without a cursor.',
    })
  }
  return values
}
