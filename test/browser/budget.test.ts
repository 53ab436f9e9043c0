import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../dist/web/', import.meta.url))

interface Chunk {
  file: string
  src?: string
  isEntry?: boolean
  imports?: string[]
  css?: string[]
}

const built = existsSync(`${root}.vite/manifest.json`)
const manifest = (built ? JSON.parse(readFileSync(`${root}.vite/manifest.json`, 'utf8')) : {}) as Record<string, Chunk>

const kib = (file: string) => gzipSync(readFileSync(root + file)).length / 1024

function withImports(key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const one of manifest[key]?.imports ?? []) withImports(one, seen)
  return seen
}

const weight = (keys: Iterable<string>) => {
  const files = new Set([...keys].map((key) => manifest[key]?.file).filter((file) => file?.endsWith('.js')))
  return [...files].reduce((sum, file) => sum + kib(file ?? ''), 0)
}

const find = (part: string) => Object.keys(manifest).find((key) => key.includes(part)) ?? ''
const shell = () => [
  ...withImports(Object.keys(manifest).find((key) => manifest[key]?.isEntry) ?? ''),
  ...withImports(find('routes/_app.tsx')),
]

test('the web app is built', () => {
  expect(built, 'run npm run build').toBe(true)
})

test('the shell has at most 135 KiB of script without texts, and 17.5 of style sheets', () => {
  expect(weight(shell())).toBeLessThanOrEqual(135)
  const css = new Set(Object.values(manifest).flatMap((chunk) => chunk.css ?? []))
  expect([...css].reduce((sum, file) => sum + kib(file), 0)).toBeLessThanOrEqual(17.5)
})

test.each(['en', 'ar'])(
  'the texts in %s have at most 14 KiB, those of rarer screens 12, and are loaded separately',
  (tag) => {
    const often = Object.keys(manifest).find((key) => key.endsWith(`locales/${tag}.ts`)) ?? ''
    const rare = find(`locales/${tag}.ts?rare`)
    expect(kib(manifest[often]?.file ?? '')).toBeLessThanOrEqual(14)
    expect(kib(manifest[rare]?.file ?? '')).toBeLessThanOrEqual(12)
    expect(shell()).not.toContain(often)
    expect(shell()).not.toContain(rare)
  },
)

/** Limits in KiB for screens that have less than the others. */
const lighter: Record<string, number> = {
  // The page of a post leads to its results and to its editor. Both are loaded separately.
  'posts.$id': 170,
  // So are the opened thread and the bulk actions.
  '/inbox.tsx': 165,
}

test.each(Object.keys(manifest).filter((key) => key.startsWith('routes/') && key.includes('tsr-split=component')))(
  '%s renders after at most 180 KiB of script, or less if it is lighter',
  (key) => {
    const parents = key.includes('routes/_app/w.')
      ? [...shell(), ...withImports(find('routes/_app/w.$ws.tsx'))]
      : shell()
    const [, most = 180] = Object.entries(lighter).find(([part]) => key.includes(part)) ?? []
    expect(weight([...parents, ...withImports(key)])).toBeLessThanOrEqual(most)
  },
)

test('no schema library is sent to the browser', () => {
  for (const { file } of Object.values(manifest))
    if (file.endsWith('.js')) expect(readFileSync(root + file, 'utf8')).not.toContain('ZodError')
})
