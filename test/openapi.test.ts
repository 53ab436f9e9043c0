import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errors } from '../src/errors.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Running, startProduct } from './product.ts'

interface Description {
  openapi: string
  paths: Record<string, Record<string, { operationId?: string; responses: object }>>
  'x-errors'?: Record<string, { status: number; title: string; remedy: string }>
}

let database: TestDatabase
let product: Running
let served: Description

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url })
  served = (await (await fetch(`${product.url}/docs/openapi.json`)).json()) as Description
})

afterAll(async () => {
  await product?.stop()
  await database?.drop()
})

test('the committed description is the served one (npm run openapi)', () => {
  const committed: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8'))
  expect(served).toEqual(committed)
})

test('every operation has a name of its own', () => {
  const names = Object.values(served.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  )
  expect(names.length).toBeGreaterThan(30)
  expect(names).not.toContain(undefined)
  expect(new Set(names).size).toBe(names.length)
})

test('every error code stands in the description with its status and what to do next', () => {
  const expected = Object.entries(errors).map(([code, [status, title, remedy]]) => [code, { status, title, remedy }])
  expect(served['x-errors']).toEqual(Object.fromEntries(expected))
})
