import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Thread } from '../src/conversations/threads/api.ts'
import { type CipherPlace, createCrypto, type Crypto, keyIdOf, SEALED_JOBS } from '../src/core/platform/crypto.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { freshDatabase } from './database.ts'
import { openInbox } from './inbox.ts'
import { freePort, type Product, startProduct } from './product.ts'
import { connect, eventually, newPerson, untilStatus } from './world.ts'

// A change of the encryption key, as an operator makes it.

const keys = Array.from({ length: 3 }, () => randomBytes(32).toString('hex')) as [string, string, string]

test('the encryption key changes twice, and posts, customers and waiting mails go on with the last key alone', async () => {
  const database = await freshDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  const env = { TIME_SCALE: '20', DEFAULT_PLAN: 'business', PORT: String(await freePort()) }
  let product: Product | undefined
  const startWith = async (key: string, ...previous: string[]) => {
    await product?.stop()
    const settings = { ...env, ENCRYPTION_KEY: key, ENCRYPTION_KEY_PREVIOUS: previous.join(',') }
    product = await startProduct({ databaseUrl: database.url, dataDir, env: settings })
    return product
  }
  const reseal = async (key: string, ...previous: string[]) => {
    const settings = { ENCRYPTION_KEY: key, ENCRYPTION_KEY_PREVIOUS: previous.join(',') }
    const options = { env: { PATH: process.env['PATH'], DATA_DIR: dataDir, DATABASE_URL: database.url, ...settings } }
    const run = promisify(execFile)(process.execPath, ['server/rotate-key.js'], options)
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    return stdout
  }
  /** The texts of all tables that a key sealed. */
  const sealedWith = async (key: string) => {
    const { rows: tables } = await sql.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
        where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const { rows } = await sql.query<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`)
      found.push(...rows.filter(({ text }) => text.includes(`v1.${keyIdOf(key)}.`)).map(() => name))
    }
    return found
  }
  try {
    const { url } = await startWith(keys[0])
    const ann = await newPerson(url)
    const { account, postId, play } = await openInbox(ann, `${url}/sandbox`, 'u31')
    await connect(ann, 'NET_VIDEO', 'u32')
    const from = { id: '900000000000031', name: 'Cara' }
    const says = async (text: string) => {
      await play({ kind: 'comment', postId, from, text })
      return eventually(async () => {
        const { data } = await ann.must<{ data: Thread[] }>('GET', '/conversations')
        return data.some(({ lastMessage }) => lastMessage?.text === text) ? data : undefined
      })
    }
    await says('Are you open on Sunday?')
    const waiting = await addWaiting(sql, ann.workspaceId, createCrypto(keys[0]))
    const before = await sealedWith(keys[0])
    expect(new Set(before)).toEqual(
      new Set(['social_account', 'audience_identity', 'report_mail', 'graphile_worker._private_jobs', 'secret_canary']),
    )

    await startWith(keys[1], keys[0])
    await says('And on Monday?')
    // The product was not restarted.
    expect(await reseal(keys[2], keys[1], keys[0])).toBe(
      '0 texts were sealed again with ENCRYPTION_KEY. A process still uses another ENCRYPTION_KEY: restart it with the new one, then run the command again. Keep ENCRYPTION_KEY_PREVIOUS.\n',
    )
    await startWith(keys[2], keys[1], keys[0])
    expect(await reseal(keys[2], keys[1], keys[0])).toContain('remove ENCRYPTION_KEY_PREVIOUS')
    expect([await sealedWith(keys[0]), await sealedWith(keys[1])]).toEqual([[], []])
    expect(await reseal(keys[2], keys[1], keys[0])).toMatch(/^0 texts were sealed again/)

    await startWith(keys[2])
    await says('And on Tuesday?')
    expect((await sql.query('select from audience_identity')).rowCount).toBe(1)
    const { id } = await ann.must<Post>('POST', '/posts', {
      caption: 'Still here',
      targets: [account.id],
      action: 'publish',
    })
    await untilStatus(ann, id, ['PUBLISHED'])
    expect(await openWaiting(sql, waiting, createCrypto(keys[2]))).toEqual(
      waiting.map(({ table, column }) => `${table}.${column}`),
    )
  } finally {
    await product?.stop()
    await sql.end()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

type Sql = Pick<pg.Client, 'query'>

/** Adds a mail of a report and a waiting job of each name with a sealed text. Returns the places of the texts. */
async function addWaiting(sql: Sql, workspaceId: string, crypto: Crypto): Promise<CipherPlace[]> {
  const at = { workspaceId, rowId: randomUUID() }
  const seal = (place: CipherPlace) => crypto.seal(`${place.table}.${place.column}`, place)
  const add = (name: string, data: object) =>
    sql.query(`select graphile_worker.add_job($1, $2::json, run_at => now() + interval '1 day')`, [
      name,
      JSON.stringify({ workspaceId, data }),
    ])
  const mail: CipherPlace = { table: 'report_mail', column: 'sealed', ...at }
  // Without its report, which the product would want to mail.
  await sql.query('set session_replication_role = replica')
  await sql.query(
    `insert into report_mail (workspace_id, id, report_id, month, user_id, snapshot_id, state, error, sealed, state_at)
      values ($1, $2, $2, now(), $2, $2, 'failed', 'no_address', $3, now())`,
    [workspaceId, at.rowId, seal(mail)],
  )
  await sql.query('reset session_replication_role')
  const token: CipherPlace = { table: 'social_account', column: 'access_token', ...at }
  const names = { platform: 'NET_VIDEO', externalId: '1', userKey: '1' }
  await add('account-revocation', { accountId: at.rowId, ...names, sealedToken: seal(token) })
  const jobs = Object.entries(SEALED_JOBS).map(([name, column]) => ({
    name,
    place: { table: 'job', column, ...at } as const,
  }))
  for (const { name, place } of jobs) await add(name, { id: at.rowId, kind: 'test', sealed: seal(place) })
  return [mail, token, ...jobs.map(({ place }) => place)]
}

/** Opens the texts of `addWaiting`. */
async function openWaiting(sql: Sql, places: CipherPlace[], crypto: Crypto): Promise<string[]> {
  const { rows } = await sql.query<{ sealed: string }>(
    `select sealed from report_mail where id = $1
      union all (select coalesce(payload #>> '{data,sealed}', payload #>> '{data,sealedToken}')
        from graphile_worker._private_jobs where $1::text in (payload #>> '{data,id}', payload #>> '{data,accountId}')
        order by id)`,
    [places[0]!.rowId],
  )
  return places.map((place, index) => crypto.open(rows[index]?.sealed ?? '', place))
}
