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
