import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PLATFORMS } from '../src/networks/api.ts'
import { networks } from '../src/networks/rules.ts'

// A network is one folder. docs/adding-a-network.md lists the places that may name a network.

const root = join(import.meta.dirname, '..')

const PLACES = [
  /^src\/networks\/(?:page|photo|video|graph)\//,
  /^src\/networks\/rules\.ts$/,
  /^src\/networks\/api\.ts$/,
  /^src\/networks\/registry\.ts$/,
  /^src\/core\/config\.ts$/,
  /^sandbox\/(?:graph\/|video\/|networks\.ts$)/,
  /^web\/labels\.ts$/,
  /^web\/locales\/en\//,
  /^web\/locales\/ar\//,
]

const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path === 'sandbox/testing.ts'

const files = ['src', 'web', 'sandbox'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !isTest(path)),
)

test('only the nine listed places name a network', () => {
  expect(PLACES).toHaveLength(9)
  const called = PLATFORMS.flatMap((platform) => networks[platform].called)
  const names = new RegExp(`${PLATFORMS.join('|')}|\\b(?:${called.join('|')})\\b`)
  const naming = files.filter((path) => names.test(readFileSync(join(root, path), 'utf8')))
  expect(naming.length).toBeGreaterThan(5)
  expect(naming.filter((path) => !PLACES.some((place) => place.test(path)))).toEqual([])
})
