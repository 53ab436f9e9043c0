import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Socket } from 'node:net'
import pg from 'pg'
import { AppError, type Code } from '../errors.ts'

/** A statement that compiles to SQL with parameters. Only a scope can run it. */
export interface Query<Row> {
  compile(): Pick<CompiledQuery<Row>, 'sql' | 'parameters'>
}

/** The rows that a query returns. */
export type Row<Q> = Q extends Query<infer R> ? R : never

/**
 * Compiles fragments to SQL for PostgreSQL. It has no connection and stays in this file, so that only scopes run
 * statements.
 */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A fragment of SQL for use in other fragments or queries. */
export { sql }

/** A whole statement. Its values become parameters. */
export function query<Row>(strings: TemplateStringsArray, ...values: unknown[]): Query<Row> {
  return whole(sql<Row>(strings, ...values))
}

/** A fragment as a whole statement, which is compiled once. */
export function whole<Row>(fragment: RawBuilder<Row>): Query<Row> {
  let compiled: CompiledQuery<Row> | undefined
  return { compile: () => (compiled ??= fragment.compile(compiler)) }
}

// ---- connections

const { builtins } = pg.types
pg.types.setTypeParser(builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is not a safe integer`)
  return value
})
pg.types.setTypeParser(builtins.DATE, (text) => text)

export type ConnectionConfig = string | pg.ClientConfig

const asConfig = (connection: ConnectionConfig): pg.ClientConfig =>
  typeof connection === 'string' ? { connectionString: connection } : connection

/**
 * Connections whose server may keep statements prepared. Behind a pooler it may not, because connections are shared.
 */
const preparing = new WeakSet<pg.ClientBase>()

/**
 * A statement without an answer for 10 s has lost its connection, which is then destroyed; statements of scopes have 5
 * s. After 10 s of silence, an idle connection checks that the other machine still answers.
 */
const connectionSettings = {
  connectionTimeoutMillis: 5_000,
  query_timeout: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  pipeline: true,
}

/**
 * A pool whose connections send statements without waiting for earlier answers. `prepare`: the server plans each
 * statement once per connection; not for connections through a pooler.
 */
export function openPool(
  connection: ConnectionConfig,
  max: number,
  onError: (error: Error) => void,
  { prepare = false }: { prepare?: boolean } = {},
): pg.Pool {
  const pool = new pg.Pool({
    ...asConfig(connection),
    ...connectionSettings,
    max,
    idleTimeoutMillis: 30_000,
  })
  // The pool does not listen to a connection in use, and an unhandled error would end the process.
  pool.on('connect', (client) => {
    client.on('error', onError)
    if (prepare) preparing.add(client)
  })
  pool.on('error', onError)
  return pool
}

/**
 * Opens a single connection past any pooler, for advisory locks and LISTEN. If this machine vanishes, the server ends
 * the session and its locks after 25 s.
 */
export async function openClient(connection: ConnectionConfig, onError: (error: Error) => void): Promise<pg.Client> {
  const client = new pg.Client({ ...asConfig(connection), ...connectionSettings })
  client.on('error', onError)
  await client.connect()
  await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3')
  return client
}

// ---- rows

const camel = new Map<string, string>()
function camelName(name: string): string {
  let made = camel.get(name)
  if (made === undefined) {
    made = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    camel.set(name, made)
  }
  return made
}

const gathering = new WeakSet<pg.ClientBase>()

/**
 * Sends statements that a connection gets in the same tick in one packet: one system call for all of them instead of
 * several for each.
 */
function gather(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  if (gathering.has(client)) return
  gathering.add(client)
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

/** Sends a text without parameters: several statements in one message, with one answer. */
export async function sendPlain(client: pg.ClientBase, text: string): Promise<void> {
  gather(client)
  await client.query(text)
}

const names = new Map<string, string>()
/** The maximum number of prepared statements. Later ones, such as lists with rare filters, are not prepared. */
const PREPARED = 500

function nameOf(text: string): string | undefined {
  let name = names.get(text)
  if (name === undefined && names.size < PREPARED) {
    name = `p${names.size}`
    names.set(text, name)
  }
  return name
}

/** Runs one statement. Columns are returned in camelCase; keys inside JSON stay as they are. */
export async function send<Row>(client: pg.ClientBase, statement: Query<Row>): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile()
  const name = preparing.has(client) ? nameOf(text) : undefined
  gather(client)
  const result = await client.query<unknown[]>({ name, text, values: [...parameters], rowMode: 'array' })
  const columns = result.fields.map((field) => camelName(field.name))
  return result.rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < columns.length; i += 1) row[columns[i] as string] = values[i]
    return row as Row
  })
}

// ---- errors

const lostCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '57014',
  '25P03',
  '53300',
])

/** The SQLSTATE or system code of an error, if it has one. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Whether an error means that the database is unreachable, not that the statement is wrong. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return lostCodes.has(code) || code.startsWith('08')
  return (
    error instanceof Error &&
    /connection (terminated|timeout|ended)|timeout exceeded|Query read timeout|not queryable/i.test(error.message)
  )
}

/**
 * The error code of `require_standing`. The message is one of our codes; the detail has further fields of the refusal.
 */
const NO_STANDING = 'PA002'

/** Converts errors of a lost database and of a lost standing into coded errors. Returns every other error unchanged. */
export function explain(error: unknown): unknown {
  if (codeOf(error) === NO_STANDING) {
    const { message, detail } = error as pg.DatabaseError
    return new AppError(message as Code, undefined, JSON.parse(detail ?? '{}') as Record<string, unknown>, true)
  }
  return isLost(error) ? unavailable('The database isn’t responding right now. Try again shortly.', error) : error
}

/** The error for a request that may succeed when repeated. */
export function unavailable(detail: string, cause: unknown): AppError {
  const error = new AppError('unavailable', detail, { retryAfter: 2 })
  error.cause = cause
  return error
}
