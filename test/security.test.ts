import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// These pages cite the test that proves each promise, so renaming a test changes its line too.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test.each(['docs/security.md', 'docs/testing.md', 'docs/publishing.md'])('every test that %s cites exists', (page) => {
  const cited: [file: string, name: string][] = read(page)
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/`((?:src|sandbox|test)\/[\w/.-]+\.test\.ts)`[:,] ("[^"]+"(?:, "[^"]+")*)/g)].flatMap(
        ([, file, names]) =>
          [...(names as string).matchAll(/"([^"]+)"/g)].map(([, name]): [string, string] => [file!, name!]),
      ),
    )
  expect(cited.length).toBeGreaterThan(20)
  for (const [file, name] of cited) {
    expect(existsSync(join(root, file)), file).toBe(true)
    expect(isQuoted(read(file), name), `${file}: ${name}`).toBe(true)
  }
})

/** Whether a text stands between quotes in code, as titles of tests and rows of their tables do. */
const isQuoted = (code: string, text: string): boolean =>
  code
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .map((line) => line.replace(/\s\/\/ [^'"`]*$/, ''))
    .some((line) => {
      const at = line.indexOf(text)
      const before = /['"`]/.exec(line.slice(0, Math.max(at, 0)))?.[0]
      return before !== undefined && line.slice(at + text.length).includes(before)
    })

test.each([
  ["test('a promise is kept', async () => {", true],
  ['    [`a promise is kept whatever happens`, 3],', true],
  ['// a promise is kept', false],
  [" * 'a promise is kept'", false],
  ['work() // a promise is kept', false],
  ['const a = promise(is, kept)', false],
])('a title is only what is quoted in code: %s', (line, expected) => {
  expect(isQuoted(`import\n${line}\n`, 'a promise is kept')).toBe(expected)
})

test('every promise has a line, and every line a test', () => {
  const lines = read('docs/security.md')
    .split('\n')
    .filter((line) => line.startsWith('| **S'))
  const numbers = lines.map((line) => Number(/\*\*S(\d+)\*\*/.exec(line)?.[1]))
  expect(numbers).toEqual(Array.from({ length: 23 }, (_, i) => i + 1))
  for (const line of lines) expect(line).toMatch(/`(src|test)\/[\w/.-]+\.test\.ts`: "/)
})

test('only these files make outgoing requests: to configured addresses, file hosts of networks, or public pages', () => {
  // A method of `cards` has the same name.
  const calls =
    /(?<!cards\.)\bfetch\(|import\('s3mini'\)|\bhttps?\.(request|get)\(|\bundici\b|'node:https?'|\b(fetch|send)Once\b|net\.connect\(|tls\.connect\(/
  const found = productFiles().filter((path) => calls.test(read(path)))
  expect(found.toSorted()).toEqual([
    'src/conversations/attachments/attachments.ts',
    'src/core/platform/model/provider.ts',
    'src/core/platform/public-web.ts',
    'src/core/platform/send-once.ts',
    'src/core/platform/sms.ts',
    'src/core/platform/storage-s3.ts',
    'src/main.ts',
    'src/networks/graph/graph.ts',
    'src/networks/video/client.ts',
    'src/team/identity/openid.ts',
  ])
})

/**
 * Returns the files that run as the product. The stand-ins are excluded: they play the networks, which do fetch what
 * they are given.
 */
function productFiles(): string[] {
  const paths = readdirSync(join(root, 'src'), { recursive: true }).map((path) => `src/${String(path)}`)
  return paths.filter((path) => path.endsWith('.ts') && !/\.test\.ts$|testing\.ts$/.test(path))
}
