import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

// Runs our own lint rules, and the rule against cycles, over files made for them.

const root = join(import.meta.dirname, '..')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-lint-'))
  for (const part of ['.oxlintrc.json', 'scripts/lint', 'migrations/owners.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Returns the reports of our own rules, or of another one, about these files as `path: message`, sorted. */
function saidOf(files: Record<string, string>, rule = 'parley('): string[] {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { stdout } = spawnSync(
    join(root, 'node_modules/.bin/oxlint'),
    ['--format', 'json', ...Object.keys(files).map((path) => path.split('/')[0]!)],
    { cwd: folder, encoding: 'utf8' },
  )
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string; filename: string }[] }
  return diagnostics
    .filter(({ code }) => code.startsWith(rule))
    .map(({ filename, message }) => `${filename}: ${message}`)
    .toSorted()
}

test('two exported types with one name are reported, in the product, its screens and the sandbox', () => {
  expect(
    saidOf({
      'src/admin/a.ts': 'export interface Twice {\n  a: 1\n}\n',
      'sandbox/b.ts':
        'export type Twice = 1\nexport class Once {}\ninterface Inner {\n  a: 1\n}\nexport const inner: Inner = { a: 1 }\n',
      'src/admin/c.ts': 'interface Inner {\n  a: 1\n}\nexport const inner: Inner = { a: 1 }\n',
      'web/e.tsx': 'export interface Twice {}\n',
      'test/d.ts': 'export type Once = 1\n',
    }),
  ).toEqual([
    'sandbox/b.ts: Twice is also exported by src/admin/a.ts, web/e.tsx: rename one of them',
    'src/admin/a.ts: Twice is also exported by sandbox/b.ts, web/e.tsx: rename one of them',
    'web/e.tsx: Twice is also exported by sandbox/b.ts, src/admin/a.ts: rename one of them',
  ])
})

test('a pattern that takes more than linear time is reported, in the product and on its screens', () => {
  const again = 'each start of this pattern reads the same text again: let it begin after (?<!…) or at ^'
  const ways = 'two parts of this pattern can take the same characters in many ways: leave one way'
  expect(
    saidOf({
      'src/admin/a.ts': 'export const ends = (text: string) => text.replace(/\\s+$/, "")\n',
      'src/admin/b.ts': 'export const ends = (text: string) => text.replace(/(?<!\\s)\\s+$/, "")\n',
      'web/c.ts': 'export const name = /^\\{(\\s*[^}]*?)\\s*\\}$/u\n',
      'web/d.ts': 'export const words = /(?:[a-z]+)+$/v\n',
      'web/e.ts': 'export const word = /^[a-z]+$/\n',
      'sandbox/f.ts': 'export const ends = /\\s+$/\n',
    }),
  ).toEqual([`src/admin/a.ts: ${again}`, `web/c.ts: ${ways}`, `web/d.ts: ${ways}`])
})

test('files that import each other are reported, even if they import only types', () => {
  const above = `import type { Below } from './below.ts'\nexport type Above = Below[]\n`
  const below = `import type { Above } from './above.tsx'\nexport type Below = { above: Above }\n`
  const files = {
    'src/admin/above.tsx': above,
    'src/admin/below.ts': below,
    'web/above.tsx': above,
    'web/below.ts': below,
    'test/a.ts': `import type { Above } from '../src/admin/above.tsx'\nexport type One = Above\n`,
  }
  const said = [
    'src/admin/above.tsx: Dependency cycle detected',
    'src/admin/below.ts: Dependency cycle detected',
    'web/above.tsx: Dependency cycle detected',
    'web/below.ts: Dependency cycle detected',
  ]
  expect(saidOf(files, 'import(no-cycle)')).toEqual(said)
})

test('folders that import each other are reported with the way round, even if no file does and if they import only types', () => {
  const said = (from: string, folders: string, ...way: string[]) =>
    `src/team/${from}.ts: ${folders.replaceAll('team/', 'src/team/')} import each other: ${way
      .map((step) => step.replaceAll('team/', 'src/team/'))
      .join(', ')}`
  const there = 'team/mail/send.ts imports team/people/names.ts'
  const between = 'team/people/join.ts imports team/welcome.ts'
  const back = 'team/welcome.ts imports team/mail/texts/words.ts'
  expect(
    saidOf({
      'src/team/mail/send.ts': `import { name } from '../people/names.ts'\nexport const send = name\n`,
      'src/team/mail/texts/words.ts': 'export type Words = string\n',
      'src/team/people/names.ts': 'export const name = 1\n',
      'src/team/people/join.ts': `import { welcome } from '../welcome.ts'\nexport const join = welcome\n`,
      'src/team/welcome.ts': `import type { Words } from './mail/texts/words.ts'\nexport const welcome: Words = ''\n`,
      // One direction, and what the rule exempts.
      'src/team/people/letters.ts': `import { number } from './texts/rules.ts'\nexport const letters = number\n`,
      'src/team/people/texts/rules.ts': 'export const number = 1\n',
      'src/team/people/ports.ts': `import type { All } from '../../services.ts'\nexport type Port = 1\nexport type P = All\n`,
      'src/services.ts': `import type { Port } from './team/people/ports.ts'\nexport type All = Port\n`,
      'src/networks/rules.ts': `import { page } from './page/rules.ts'\nexport const networks = [page]\n`,
      'src/networks/page/rules.ts': 'export const page = 1\n',
      'src/networks/page/page.ts': `import { networks } from '../rules.ts'\nexport const all = networks\n`,
      'src/team/mail/send.test.ts': `import { join } from '../people/join.ts'\nexport const tested = join\n`,
    }),
  ).toEqual([
    said('mail/send', 'team/mail and team/people', there, between, back),
    said('people/join', 'team/people and team/welcome.ts', between, back, there),
    said('welcome', 'team/welcome.ts and team/mail', back, there, between),
  ])
})

test('an import of an area to the right is reported, also one that is made while the product runs', () => {
  const reason = 'core must not import admin: register a callback in main.ts, or use a job or an event'
  expect(
    saidOf({
      'src/core/a.ts': `import { b } from '../admin/b.ts'\nexport const a = b\n`,
      'src/core/c.ts': `export const a = async () => (await import('../admin/b.ts')).b\n`,
      'src/core/d.ts': 'export const a = async () => (await import(`../admin/b.ts`)).b\n',
      'src/core/e.ts': `export type A = import('../admin/b.ts').B\n`,
      'src/core/g.ts': 'export const a = async (area: string) => import(`../${area}/b.ts`)\n',
      'src/admin/b.ts': 'export type B = 1\nexport const b: B = 1\n',
      'src/admin/f.ts': `export const a = async () => (await import('../team/h.ts')).h\n`,
      'src/team/h.ts': 'export const h = 1\n',
    }),
  ).toEqual([
    ...['a', 'c', 'd', 'e'].map((name) => `src/core/${name}.ts: ${reason}`),
    'src/core/g.ts: write the path of the import as a string, so that this rule can check it',
  ])
})

test('the list of all subscribers may import every area, and only main.ts may import it', () => {
  expect(
    saidOf({
      'src/subscribers.ts': `import { b } from './admin/b.ts'\nexport const subscribers = [b]\n`,
      'src/admin/b.ts': 'export const b = 1\n',
      'src/main.ts': `import { subscribers } from './subscribers.ts'\nexport const all = subscribers\n`,
      'src/core/c.ts': `import { subscribers } from '../subscribers.ts'\nexport const all = subscribers\n`,
    }),
  ).toEqual(['src/core/c.ts: only main.ts may import the subscribers of all areas'])
})

test('words that sound translated are reported in comments and strings, also across lines, and more of them in texts for people', () => {
  const said = (word: string, path = 'src/admin/a.ts') =>
    `${path}: "${word}": say it in plain English (CONTRIBUTING.md)`
  for (const [text, word] of [
    ['/** Whoever reads it. */', 'Whoever'],
    ['// The key of\n// which nobody knows.', 'of which'],
    ['/**\n * It is made\n * anew.\n */', 'anew'],
    ['export const text = `It mends ${1}`', 'mends'],
    [`export const text = 'what is due'`, 'what is due'],
    ['// It stands beside the text.', 'stands beside'],
    ['// They come in by their own door.', 'by their own door'],
  ] as const) {
    expect(saidOf({ 'src/admin/a.ts': `${text}\nexport const one = 1\n` })).toEqual([said(word)])
  }
  const screen = 'export const Screen = () => <p>What is left of it</p>\n'
  expect(saidOf({ 'src/admin/a.ts': '', 'web/a.tsx': screen })).toEqual([said('What is left', 'web/a.tsx')])
  const fine = `// Amended in handy words, one of whichever kind, by people who may stand in for others.\nexport const anew = 'recommended'\n`
  expect(saidOf({ 'src/admin/a.ts': fine, 'web/a.tsx': '' })).toEqual([])
  const texts = `// Kept at once.\nexport const en = { retry: 'Try anew', mail: 'Your e-mail' }\n`
  const files = { 'src/core/errors.ts': texts, 'src/core/texts/letters/en.ts': texts, 'web/locales/en.ts': texts }
  expect(saidOf(files)).toEqual(Object.keys(files).flatMap((path) => [said('anew', path), said('e-mail', path)]))
})

test('a paragraph of the documentation with a sixth sentence or an avoided word fails the check; code does not count', () => {
  const sentences = (count: number) =>
    Array.from({ length: count }, (_, i) => `Sentence \`${i}.md\` ends here.`).join(' ')
  /** Returns the exit code and output of the check of one page. */
  const check = (page: string, text: string) => {
    mkdirSync(join(folder, 'docs/adr'), { recursive: true })
    writeFileSync(join(folder, page), text)
    const { status, stderr } = spawnSync('node', ['scripts/lint/paragraphs.mjs'], { cwd: folder, encoding: 'utf8' })
    rmSync(join(folder, page))
    return { status, stderr }
  }
  const told = (page: string) => ({
    status: 1,
    stderr: expect.stringContaining(`${page}: 6 sentences, at most 5: Sentence`),
  })
  const fine = { status: 0, stderr: '' }
  const fenced = `\`\`\`\n${sentences(9)}\n\`\`\`\n`
  for (const [page, before] of [
    ['README.md', ''],
    ['docs/publishing.md', '# Title\n\nFirst.\n\n'],
    ['docs/adr/0001-a-decision.md', '# A decision\n\n'],
    ['CONTRIBUTING.md', '- One.\n- '],
    ['ARCHITECTURE.md', '| A | B |\n| --- | --- |\n| One. Two. | '],
  ] as const) {
    expect(check(page, `${before}${sentences(6)}\n`)).toEqual(told(page))
    expect(check(page, `${before}${sentences(5)}\n\n${fenced}\n${sentences(5)}\n`)).toEqual(fine)
  }
  expect(check('docs/failures.md', sentences(6))).toEqual(fine)
  expect(check('docs/publishing.md', 'A post, of which two are live.\n')).toEqual({
    status: 1,
    stderr: expect.stringContaining('docs/publishing.md: "of which": say it in plain English'),
  })
})

describe('one owner per table', () => {
  const write = (statement: string) => `export const statement = query\`${statement}\`\n`

  test('a statement that writes a table of another folder is reported, however it is written', () => {
    const said = (act: string) =>
      `src/admin/a.ts: ${act} app_user: the owner is src/team/identity, so call an operation of it`
    for (const [statement, act] of [
      ['insert into app_user (id) values (1)', 'insert into'],
      ['with gone as (\n  DELETE FROM public.app_user) select', 'delete from'],
      ['update only "app_user" u set name = 1', 'update'],
      ['truncate app_user', 'truncate'],
    ] as const) {
      expect(saidOf({ 'src/admin/a.ts': write(statement) })).toEqual([said(act)])
    }
    expect(saidOf({ 'src/admin/a.ts': `export const statement = 'delete from app_user'\n` })).toEqual([
      said('delete from'),
    ])
  })

  test('writes by the owner, a listed exception or a test are not reported, nor are reads and locks', () => {
    expect(
      saidOf({
        'src/team/identity/a.ts': write('update app_user set name = 1'),
        'src/publishing/sending/post.ts': write('update post set status = 1'),
        'src/admin/a.test.ts': write('update app_user set name = 1'),
        'src/admin/a.ts': write('select id from app_user u for update of u'),
      }),
    ).toEqual([])
  })

  test('a table whose owner or exception is a file is written by no other file of its folder', () => {
    expect(
      saidOf({
        'src/delivery/deliveries.ts': write('update delivery set fence = 1'),
        'src/delivery/queue.ts': write('update delivery set fence = 1'),
        'src/delivery/waits.ts': write('update delivery set fence = 1'),
        'src/delivery/worker.ts': write('update delivery set fence = 1'),
        'src/publishing/sending/watch.ts': write('update post set status = 1'),
      }),
    ).toEqual([
      'src/delivery/worker.ts: update delivery: the owner is src/delivery/deliveries.ts, src/delivery/queue.ts, src/delivery/settle.ts, src/delivery/waits.ts, so call an operation of it',
      'src/publishing/sending/watch.ts: update post: the owner is src/publishing/posts, so call an operation of it',
    ])
  })

  test('owners and exceptions exist, no owner is an area with slices, each named file writes its table, and no owner is an exception for its own', () => {
    const { owners, exceptions } = JSON.parse(readFileSync(join(root, 'migrations/owners.json'), 'utf8')) as {
      owners: Record<string, string | string[]>
      exceptions: { table: string; path: string; reason: string }[]
    }
    const named = [
      ...Object.entries(owners).flatMap(([table, paths]) => [paths].flat().map((path) => ({ table, path }))),
      ...exceptions,
    ]
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
    const hasSlices = (area: string) =>
      readdirSync(join(root, area), { withFileTypes: true }).some((each) => each.isDirectory())
    expect(named.filter(({ path }) => /^src\/\w+$/.test(path) && hasSlices(path))).toEqual([])
    const files = named.filter(({ path }) => path.endsWith('.ts'))
    const writes = (table: string) => new RegExp(`(insert into|update|delete from) ${table}\\b`, 'u')
    expect(files.filter(({ table, path }) => !writes(table).test(readFileSync(join(root, path), 'utf8')))).toEqual([])
    expect(
      exceptions.filter(({ table, path }) => owners[table] === undefined || [owners[table]].flat().includes(path)),
    ).toEqual([])
  })
})
