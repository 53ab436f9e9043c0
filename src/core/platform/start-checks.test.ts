import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type CipherPlace, createCrypto, keyIdOf } from './crypto.ts'
import { advanceClock, forgetKeys, openCrypto, readClock, readRing, readShift } from './start-checks.ts'
import { openPool } from './db.ts'

let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await freshDatabase()
  pool = openPool(database.url, 2, () => undefined)
})
afterEach(async () => {
  await pool?.end()
  await database?.drop()
})

const newKey = () => randomBytes(32).toString('hex')

const open = (encryptionKey: string, ...encryptionKeysPrevious: string[]) =>
  openCrypto(pool, { encryptionKey, encryptionKeysPrevious })

test('the first start accepts any key, later starts only the same key', async () => {
  const key = newKey()
  await open(key)
  await open(key)
  await expect(open(newKey())).rejects.toThrow('ENCRYPTION_KEY is not the key that sealed')
  await open(key)
})

test('a new key is accepted together with all keys before it, any number of times', async () => {
  const [first, second, third] = [newKey(), newKey(), newKey()] as const
  await open(first)
  await open(second, first)
  await expect(open(second)).rejects.toThrow('every old key to ENCRYPTION_KEY_PREVIOUS')
  await expect(open(third, first)).rejects.toThrow('ENCRYPTION_KEY_PREVIOUS')
  await open(third, second, first)
  await expect(open(third, second)).rejects.toThrow(`ids: ${keyIdOf(first)}`)
  await open(second, third, first)
})

/** Begins the database as before there was a keyring. */
async function beginBefore(key: string) {
  const place: CipherPlace = { table: 'secret_canary', column: 'sealed', workspaceId: 'none', rowId: 'only' }
  await pool.query('insert into secret_canary (sealed) values ($1)', [createCrypto(key).seal('parley', place)])
}

test('hashes stay the same whatever the key is, also if the database was begun before it kept their key', async () => {
  const [first, second, third] = [newKey(), newKey(), newKey()] as const
  await beginBefore(first)
  const hashes = [
    createCrypto(first),
    await open(first),
    await open(second, first),
    await open(third, second, first),
  ].map((crypto) => crypto.keyedHash('person 5'))
  expect(new Set(hashes).size).toBe(1)
})

test('after the keys before are forgotten, the current key alone opens the database, with the same hashes', async () => {
  const [first, second, third] = [newKey(), newKey(), newKey()] as const
  const begun = await open(first)
  expect(await forgetKeys(pool, await open(second, first), await readRing(pool))).toBe(true)
  const alone = await open(second)
  expect(alone.keyedHash('person 5')).toBe(begun.keyedHash('person 5'))
  await open(third, second)
  await expect(open(third)).rejects.toThrow('ENCRYPTION_KEY_PREVIOUS')
})

test('no key is forgotten if a process started with another key meanwhile', async () => {
  const [first, second] = [newKey(), newKey()] as const
  await open(first)
  const crypto = await open(second, first)
  const ring = await readRing(pool)
  await open(first, second)
  expect(await forgetKeys(pool, crypto, ring)).toBe(false)
  await open(second, first)
  await expect(open(second)).rejects.toThrow(`ids: ${keyIdOf(first)}`)
})

test('a database that was begun before there was a keyring has one after its first start', async () => {
  const key = newKey()
  await beginBefore(key)
  expect(await forgetKeys(pool, await open(key), await readRing(pool))).toBe(true)
  await open(key)
})

test('a database whose key was changed before there was a keyring keeps its hashes, and needs both keys', async () => {
  const [first, second, third] = [newKey(), newKey(), newKey()] as const
  await beginBefore(first)
  const hash = createCrypto(second, [first]).keyedHash('person 5')
  expect((await open(second, first)).keyedHash('person 5')).toBe(hash)
  expect((await open(third, second, first)).keyedHash('person 5')).toBe(hash)
  await expect(open(third, first)).rejects.toThrow(`ids: ${keyIdOf(second)}`)
})

test('of two first starts with different keys, only one succeeds', async () => {
  const starts = await Promise.allSettled([open(newKey()), open(newKey())])
  expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('of two starts with a new key, both succeed', async () => {
  const [first, second] = [newKey(), newKey()] as const
  await open(first)
  await Promise.all([open(second, first), open(second, first)])
})

test('a shifted clock is refused in production, and reading the clock includes the shift', async () => {
  expect(await readShift(pool, { isProduction: true })).toBe(0)
  await advanceClock(pool, 86_000_000)
  const advanced = await advanceClock(pool, 400_000)
  await expect(readShift(pool, { isProduction: true })).rejects.toThrow('must be zero in production')
  expect(await readShift(pool, { isProduction: false })).toBe(86_400_000)
  for (const at of [advanced, await readClock(pool)]) {
    expect(Math.abs(at.getTime() - Date.now() - 86_400_000)).toBeLessThan(5_000)
  }
})
