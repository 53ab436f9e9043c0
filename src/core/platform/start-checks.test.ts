import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { advanceClock, proveKey, readClock, readShift } from './start-checks.ts'
import { createCrypto } from './crypto.ts'
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

test('the first start accepts any key, later starts only the same key', async () => {
  const key = newKey()
  await proveKey(pool, createCrypto(key))
  await proveKey(pool, createCrypto(key))
  await expect(proveKey(pool, createCrypto(newKey()))).rejects.toThrow('ENCRYPTION_KEY is not the key that sealed')
  await proveKey(pool, createCrypto(key))
})

test('a new key is accepted together with the previous one', async () => {
  const [old, next] = [newKey(), newKey()]
  await proveKey(pool, createCrypto(old))
  await proveKey(pool, createCrypto(next, old))
  await expect(proveKey(pool, createCrypto(next))).rejects.toThrow('or add it as ENCRYPTION_KEY_PREVIOUS')
})

test('of two first starts with different keys, only one succeeds', async () => {
  const starts = await Promise.allSettled([
    proveKey(pool, createCrypto(newKey())),
    proveKey(pool, createCrypto(newKey())),
  ])
  expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
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
