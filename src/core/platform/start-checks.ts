import type pg from 'pg'
import * as z from 'zod'
import { createCrypto, hashKeyOf, keyIdOf, sealedBy, type CipherPlace, type Crypto } from './crypto.ts'

const place: CipherPlace = { table: 'secret_canary', column: 'sealed', workspaceId: 'none', rowId: 'only' }

/** What the database remembers about its keys. */
const Keyring = z.object({
  /** The key of hashes, made at the first start. It never changes. */
  hashKey: z.string(),
  /** The ids of the keys that may have sealed something. */
  keys: z.array(z.string()),
})
type Keyring = z.infer<typeof Keyring>

export interface KeySettings {
  encryptionKey: string
  encryptionKeysPrevious: readonly string[]
}

/**
 * Opens the cryptography of this database. The first start seals a keyring, and each later start must open it and know
 * every key in it. A new key is added to it. Throws an error that says what to do next.
 */
export async function openCrypto(pool: Pick<pg.Pool, 'query'>, settings: KeySettings): Promise<Crypto> {
  const { encryptionKey: key, encryptionKeysPrevious: previous } = settings
  const crypto = createCrypto(key, previous)
  const first: Keyring = { hashKey: hashKeyOf(key), keys: [crypto.keyId] }
  // Before there was a keyring, the current key made the hashes, and any known key may have sealed something.
  const before: Keyring = { hashKey: hashKeyOf(key), keys: [key, ...previous].map(keyIdOf) }
  await pool.query('insert into secret_canary (sealed) values ($1) on conflict do nothing', [sealRing(crypto, first)])
  for (;;) {
    const sealed = await readRing(pool)
    const text = openRing(crypto, sealed)
    const ring = text === BEFORE_KEYRING ? before : Keyring.parse(JSON.parse(text))
    const missing = ring.keys.filter((id) => !crypto.knows(id))
    if (missing.length > 0) throw new Error(`${UNKNOWN_KEY} (ids: ${missing.join(', ')})`)
    const isKept = text !== BEFORE_KEYRING && ring.keys.includes(crypto.keyId) && sealedBy(sealed) === crypto.keyId
    if (isKept) return createCrypto(key, previous, ring.hashKey)
    const next = { ...ring, keys: [...new Set([...ring.keys, crypto.keyId])] }
    await replaceRing(pool, sealed, sealRing(crypto, next))
  }
}

/**
 * Leaves only the current key in the keyring. Returns false if a process has started with another key since the keyring
 * was `sealed`.
 */
export async function forgetKeys(pool: Pick<pg.Pool, 'query'>, crypto: Crypto, sealed: string): Promise<boolean> {
  if (sealedBy(sealed) !== crypto.keyId) return false
  const { hashKey } = Keyring.parse(JSON.parse(openRing(crypto, sealed)))
  return replaceRing(pool, sealed, sealRing(crypto, { hashKey, keys: [crypto.keyId] }))
}

const UNKNOWN_KEY =
  'ENCRYPTION_KEY is not the key that sealed the tokens in this database, or not the only one. Set the old key, or add every old key to ENCRYPTION_KEY_PREVIOUS.'

/** The text in the place of the keyring in a database that was begun before there was a keyring. */
const BEFORE_KEYRING = 'parley'

const sealRing = (crypto: Crypto, ring: Keyring) => crypto.seal(JSON.stringify(ring), place)

function openRing(crypto: Crypto, sealed: string): string {
  try {
    return crypto.open(sealed, place)
  } catch (error) {
    throw new Error(UNKNOWN_KEY, { cause: error })
  }
}

/** Returns the keyring, sealed by the key of the last process that started. */
export async function readRing(pool: Pick<pg.Pool, 'query'>): Promise<string> {
  const { rows } = await pool.query<{ sealed: string }>('select sealed from secret_canary')
  return rows[0]?.sealed ?? ''
}

async function replaceRing(pool: Pick<pg.Pool, 'query'>, old: string, sealed: string): Promise<boolean> {
  const { rowCount } = await pool.query('update secret_canary set sealed = $2 where sealed = $1', [old, sealed])
  return rowCount === 1
}

/** The milliseconds by which the database's clock is ahead. Throws if it is ahead in production. */
export async function readShift(pool: pg.Pool, { isProduction }: { isProduction: boolean }): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'select (extract(epoch from shift) * 1000)::float8 as ms from app_clock',
  )
  const { ms = 0 } = rows[0] ?? {}
  if (isProduction && ms !== 0)
    throw new Error("The database's clock is shifted: app_clock.shift must be zero in production.")
  return ms
}

/**
 * Moves the database's clock forward for good, and makes the jobs due that wait for a time until then. Returns the new
 * time. Only for the sandbox.
 */
export async function advanceClock(pool: pg.Pool, milliseconds: number): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>(
    `with moved as (
      update app_clock set shift = shift + make_interval(secs => $1::float8 / 1000) returning shift
    ), jobs as (
      update graphile_worker._private_jobs set run_at = run_at - make_interval(secs => $1::float8 / 1000)
      where locked_at is null and run_at > now() returning task_id, run_at
    ), due as (
      select t.identifier as name, count(*) as many
      from jobs join graphile_worker._private_tasks t on t.id = task_id where run_at <= now() group by 1
    )
    select now() + shift as at, pg_notify('parley_events', '[["", "post", ""]]'),
      (select pg_notify('parley_jobs', json_object_agg(name, many)::text) from due having count(*) > 0)
    from moved`,
    [milliseconds],
  )
  return rows[0]!.at
}

/** Reads the database's clock. */
export async function readClock(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('select app_now() as at')
  return rows[0]?.at ?? new Date()
}
