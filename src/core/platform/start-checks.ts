import type pg from 'pg'
import type { Crypto, CipherPlace } from './crypto.ts'

const place: CipherPlace = { table: 'secret_canary', column: 'sealed', workspaceId: 'none', rowId: 'only' }

/**
 * Proves at the start that the key is the one that sealed the stored data: the first start seals a word, and each later
 * start must open it. Throws an error that says what to do next.
 */
export async function proveKey(pool: pg.Pool, crypto: Crypto): Promise<void> {
  await pool.query('insert into secret_canary (sealed) values ($1) on conflict do nothing', [
    crypto.seal('parley', place),
  ])
  const { rows } = await pool.query<{ sealed: string }>('select sealed from secret_canary')
  try {
    crypto.open(rows[0]?.sealed ?? '', place)
  } catch (error) {
    throw new Error(
      'ENCRYPTION_KEY is not the key that sealed the tokens in this database. Set the old key, or add it as ENCRYPTION_KEY_PREVIOUS.',
      { cause: error },
    )
  }
}

/** Throws if the database's clock is shifted. Only tests shift it. */
export async function refuseShiftedClock(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query("select from app_clock where shift <> interval '0'")
  if (rows.length > 0) throw new Error("The database's clock is shifted: app_clock.shift must be zero in production.")
}

/** Reads the database's clock. */
export async function readClock(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('select app_now() as at')
  return rows[0]?.at ?? new Date()
}
