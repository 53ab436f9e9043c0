import pg from 'pg'
import { NO_WORKSPACE } from './actor.ts'
import { type CipherPlace, type Crypto, keyIdOf, SEALED_COLUMNS, SEALED_JOBS, sealedBy } from './crypto.ts'
import { KEY_SEED } from './lock-ids.ts'
import { forgetKeys, type KeySettings, openCrypto, readRing } from './start-checks.ts'

// Seals stored texts again after a change of the encryption key, so that the keys before it may go. The content stays
// the same, so this file writes tables of every owner.

interface SealedJob {
  field: string
  place(data: Record<string, string>, workspaceId: string): CipherPlace
}

const ownJob = (column: (typeof SEALED_JOBS)[keyof typeof SEALED_JOBS]): SealedJob => ({
  field: 'sealed',
  place: ({ id = '' }, workspaceId) => ({ table: 'job', column, workspaceId, rowId: id }),
})

/** The jobs with a sealed text in their data. */
const JOBS: Record<string, SealedJob> = {
  ...Object.fromEntries(Object.entries(SEALED_JOBS).map(([name, column]) => [name, ownJob(column)])),
  'account-revocation': {
    field: 'sealedToken',
    place: ({ accountId = '' }, workspaceId) => ({
      table: 'social_account',
      column: 'access_token',
      workspaceId,
      rowId: accountId,
    }),
  },
}

type SealedTable = keyof typeof SEALED_COLUMNS
const tables = Object.keys(SEALED_COLUMNS) as SealedTable[]

const PAGE = 500
/** A text that changes during a pass is met again in the next one. */
const PASSES = 5

/** A stored sealed text. `replace` writes another one if it is still the same. */
interface SealedText {
  text: string
  place: CipherPlace
  replace(text: string): Promise<{ rowCount: number | null }>
}

type SealedRow = { id: string } & Record<string, string | null>

interface QueuedJob {
  id: string
  workspaceId: string
  data: Record<string, string>
}

interface Resealed {
  /** The number of texts that were sealed again. */
  sealed: number
  /** Why the previous keys are still needed. Undefined: they are not. */
  obstacle?: string
}

const OTHER_KEY =
  'A process still uses another ENCRYPTION_KEY: restart it with the new one, then run the command again.'
const CHANGED = 'Texts changed meanwhile: run the command again.'

/** Does the work of `npm run rotate-key` on a database, and returns what to print. */
export async function resealDatabase(url: string, settings: KeySettings): Promise<{ report: string; isDone: boolean }> {
  const client = new pg.Client({ connectionString: url, application_name: 'parley reseal' })
  client.on('error', () => undefined) // the running statement reports it
  await client.connect()
  try {
    const { sealed, obstacle } = await reseal(client, settings)
    const rest = obstacle
      ? `${obstacle} Keep ENCRYPTION_KEY_PREVIOUS.`
      : 'Nothing needs the previous keys any more: remove ENCRYPTION_KEY_PREVIOUS.'
    return { report: `${sealed} texts were sealed again with ENCRYPTION_KEY. ${rest}`, isDone: obstacle === undefined }
  } finally {
    await client.end()
  }
}

/**
 * Returns whether another process or command seals with a previous key now. A process that has lost its direct
 * connection is not noticed.
 */
async function isPreviousUsed(client: pg.Client, settings: KeySettings): Promise<boolean> {
  const ids = settings.encryptionKeysPrevious.map(keyIdOf).filter((id) => id !== keyIdOf(settings.encryptionKey))
  const { rows } = await client.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended(id, $2)) as "isFree" from unnest($1::text[]) id`,
    [[...new Set(ids)], KEY_SEED],
  )
  return rows.some(({ isFree }) => !isFree)
}

/**
 * Seals everything again that a previous key sealed, one text per transaction, and then leaves only the current key in
 * the keyring. Repeatable, and safe while the product runs with the current key. `client` is a direct connection of the
 * owner of the database.
 */
async function reseal(client: pg.Client, settings: KeySettings): Promise<Resealed> {
  await client.query('select pg_advisory_lock_shared(hashtextextended($1, $2))', [
    keyIdOf(settings.encryptionKey),
    KEY_SEED,
  ])
  if (await isPreviousUsed(client, settings)) return { sealed: 0, obstacle: OTHER_KEY }
  const crypto = await openCrypto(client, settings)
  // From here on, a process that starts with a previous key changes the keyring.
  const ring = await readRing(client)
  if (await isPreviousUsed(client, settings)) return { sealed: 0, obstacle: OTHER_KEY }
  let sealed = 0
  for (let pass = 0; pass < PASSES; pass += 1) {
    const unreadable: string[] = []
    let seen = 0
    // The commit of the keyring flushes all commits before it.
    await client.query('set synchronous_commit = off')
    for await (const { text, place, replace } of sealedTexts(client)) {
      if (sealedBy(text) === crypto.keyId) continue
      seen += 1
      const clear = opened(crypto, text, place)
      if (clear === undefined) unreadable.push(`${place.table}.${place.column} ${place.rowId}`)
      else sealed += (await replace(crypto.seal(clear, place))).rowCount ?? 0
    }
    await client.query('set synchronous_commit = on')
    if (unreadable.length > 0) {
      const first = unreadable.slice(0, 10).join(', ')
      return { sealed, obstacle: `${unreadable.length} texts are damaged and don’t open: ${first}.` }
    }
    if (seen === 0) return (await forgetKeys(client, crypto, ring)) ? { sealed } : { sealed, obstacle: OTHER_KEY }
  }
  return { sealed, obstacle: CHANGED }
}

function opened(crypto: Crypto, text: string, place: CipherPlace): string | undefined {
  try {
    return crypto.open(text, place)
  } catch {
    return undefined // reported as unreadable
  }
}

async function* sealedTexts(client: pg.Client): AsyncGenerator<SealedText> {
  for await (const workspaceId of workspaces(client)) {
    for (const table of tables) yield* textsOfTable(client, table, workspaceId)
  }
  for (const name of Object.keys(JOBS)) yield* textsOfJobs(client, name)
}

async function* workspaces(client: pg.Client): AsyncGenerator<string> {
  let after: string | undefined = NO_WORKSPACE
  while (after !== undefined) {
    await client.query('set role parley_across')
    const { rows }: pg.QueryResult<{ id: string }> = await client.query(
      `select id from workspace where id > $1 order by id limit ${PAGE}`,
      [after],
    )
    await client.query('reset role')
    yield* rows.map(({ id }) => id)
    after = rows[PAGE - 1]?.id
  }
}

async function* textsOfTable(client: pg.Client, table: SealedTable, workspaceId: string): AsyncGenerator<SealedText> {
  const columns = SEALED_COLUMNS[table]
  /** Row level security limits the owner of the database too. */
  const inWorkspace = async (text: string, values: unknown[]): Promise<pg.QueryResult> => {
    await client.query(`select set_config('role', 'parley_app', false), set_config('app.workspace_id', $1, false)`, [
      workspaceId,
    ])
    const result = await client.query(text, values)
    await client.query('reset role')
    return result
  }
  let after: string | undefined = NO_WORKSPACE
  while (after !== undefined) {
    const { rows }: pg.QueryResult<SealedRow> = await inWorkspace(
      `select id, ${columns.join(', ')} from ${table} where workspace_id = $1 and id > $2 order by id limit ${PAGE}`,
      [workspaceId, after],
    )
    for (const row of rows) {
      for (const column of columns) {
        const text = row[column]
        if (typeof text !== 'string') continue
        yield {
          text,
          place: { table, column, workspaceId, rowId: row.id },
          replace: (next) =>
            inWorkspace(`update ${table} set ${column} = $1 where workspace_id = $2 and id = $3 and ${column} = $4`, [
              next,
              workspaceId,
              row.id,
              text,
            ]),
        }
      }
    }
    after = rows[PAGE - 1]?.id
  }
}

async function* textsOfJobs(client: pg.Client, name: string): AsyncGenerator<SealedText> {
  const { field, place } = JOBS[name]!
  let after: string | undefined = '0'
  while (after !== undefined) {
    const { rows }: pg.QueryResult<QueuedJob> = await client.query(
      `select j.id::text, j.payload ->> 'workspaceId' as "workspaceId", j.payload -> 'data' as data
        from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = $1 and j.id > $2::bigint order by j.id limit ${PAGE}`,
      [name, after],
    )
    for (const { id, workspaceId, data } of rows) {
      const text = data[field]
      if (text === undefined) continue
      yield {
        text,
        place: place(data, workspaceId),
        replace: (next) =>
          client.query(
            `update graphile_worker._private_jobs
              set payload = jsonb_set(payload::jsonb, array['data', $3::text], to_jsonb($1::text))::json
              where id = $2::bigint and payload #>> array['data', $3::text] = $4`,
            [next, id, field, text],
          ),
      }
    }
    after = rows[PAGE - 1]?.id
  }
}
