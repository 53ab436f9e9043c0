import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'
import { errors } from '../src/core/errors.ts'

interface Description {
  openapi: string
  paths: Record<string, Record<string, { operationId?: string; responses: object }>>
  'x-errors'?: Record<string, { status: number; title: string; remedy: string }>
}

const { product } = useProduct()
let served: Description

beforeAll(async () => {
  served = (await (await fetch(`${product.url}/docs/openapi.json`)).json()) as Description
})

test('the set-up writes the same description that the product serves', () => {
  const made: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'dist', 'openapi.json'), 'utf8'))
  expect(served).toEqual(made)
})

test('every operation has a unique name', () => {
  const names = Object.values(served.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  )
  expect(names.length).toBeGreaterThan(30)
  expect(names).not.toContain(undefined)
  expect(new Set(names).size).toBe(names.length)
})

test('the description lists every error code with its status and the next step', () => {
  const expected = Object.entries(errors).map(([code, [status, title, remedy]]) => [code, { status, title, remedy }])
  expect(served['x-errors']).toEqual(Object.fromEntries(expected))
})
