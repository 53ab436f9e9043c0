import type pg from 'pg'
import type { Crypto, Place } from './crypto.ts'

const place: Place = { table: 'secret_canary', column: 'sealed', workspaceId: 'none', rowId: 'only' }

/**
 * Proves at the start that the key is the one that sealed what is stored: the first start seals a word, each later one must be
 * able to open it. Throws with what to do.
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
      'ENCRYPTION_KEY is not the key that sealed the tokens in this database. Set the old one (or ENCRYPTION_KEY_PREVIOUS).',
      { cause: error },
    )
  }
}

/** The shift of the database's clock in milliseconds. Only tests set one: anywhere else it is refused. */
export async function readClockShift(pool: pg.Pool, allowed: boolean): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'select (extract(epoch from shift) * 1000)::float8 as ms from app_clock',
  )
  const shift = rows[0]?.ms ?? 0
  if (shift !== 0 && !allowed)
    throw new Error("The database's clock is shifted: table app_clock must hold zero in production.")
  return shift
}
