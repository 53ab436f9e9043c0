import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { breaksOf, type Description } from '../scripts/contract-rules.ts'
import { long } from './tier.ts'

const root = join(import.meta.dirname, '..')
const today = JSON.parse(readFileSync(join(root, 'dist', 'openapi.json'), 'utf8')) as Description

type Schema = Record<string, unknown>

const Node = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
}

/** An API with one operation, which takes `body` and returns `answer`. */
const api = (body: Schema, answer: Schema, more: object = {}): Description => ({
  paths: {
    '/posts': {
      post: {
        operationId: 'createPost',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
        requestBody: { content: { 'application/json': { schema: body } } },
        responses: { 200: { content: { 'application/json': { schema: answer } } } },
        security: [{ bearer: [] }],
        ...more,
      },
    },
  },
  components: { schemas: { Node } },
  'x-errors': { not_found: { status: 404 } },
})

const any = {}
const object = (properties: Schema, required: string[] = []) => ({ type: 'object', properties, required })
const sent = (schema: Schema) => api(schema, any)
const answered = (schema: Schema) => api(any, schema)
const text = { type: 'string' }
const textOrNull = { anyOf: [text, { type: 'null' }] }
const node = { $ref: '#/components/schemas/Node' }

describe('a client of the last release', () => {
  test.each<[string, Description, Description, string[]]>([
    ['an operation', api(any, any), { paths: {} }, ['POST /posts was removed', 'error not_found was removed']],
    [
      'the name of an operation',
      api(any, any),
      api(any, any, { operationId: 'addPost' }),
      ['POST /posts: the operation createPost was renamed to addPost'],
    ],
    ['a parameter', api(any, any), api(any, any, { parameters: [] }), ['POST /posts query limit was removed']],
    [
      'a value of a parameter',
      api(any, any),
      api(any, any, { parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }] }),
      ['POST /posts query limit now has a stricter maximum: 50'],
    ],
    [
      'a request without a new parameter',
      api(any, any, { parameters: [] }),
      api(any, any, { parameters: [{ name: 'zone', in: 'query', required: true, schema: text }] }),
      ['POST /posts query zone is now required'],
    ],
    ['an answer', api(any, any), api(any, any, { responses: {} }), ['POST /posts 200 was removed']],
    [
      'access without a sign-in',
      api(any, any, { security: [{}, { bearer: [] }] }),
      api(any, any),
      ['POST /posts now requires sign-in'],
    ],
    ['a field that it sends', sent(object({ a: text })), sent(object({})), ['POST /posts body.a was removed']],
    ['a field that it reads', answered(object({ a: text })), answered(object({})), ['POST /posts 200.a was removed']],
    [
      'a request without a field',
      sent(object({ a: text })),
      sent(object({ a: text }, ['a'])),
      ['POST /posts body.a is now required'],
    ],
    [
      'the guarantee that a field is present',
      answered(object({ a: text }, ['a'])),
      answered(object({ a: text })),
      ['POST /posts 200.a is now optional'],
    ],
    ['null in a request', sent(textOrNull), sent(text), ['POST /posts body is no longer null']],
    ['an answer without null', answered(text), answered(textOrNull), ['POST /posts 200 may now be null']],
    [
      'a value that it sends',
      sent({ ...text, enum: ['A', 'B'] }),
      sent({ ...text, enum: ['A'] }),
      ['POST /posts body no longer has the value B'],
    ],
    [
      'a value that it reads',
      answered({ ...text, enum: ['A', 'B'] }),
      answered({ ...text, enum: ['B'] }),
      ['POST /posts 200 no longer has the value A'],
    ],
    ['any text', sent(text), sent({ ...text, enum: ['A'] }), ['POST /posts body now accepts only A']],
    ['long texts', sent(text), sent({ ...text, maxLength: 9 }), ['POST /posts body now has a stricter maxLength: 9']],
    [
      'whole numbers in answers',
      answered({ type: 'integer' }),
      answered({ type: 'number' }),
      ['POST /posts 200 is no longer integer', 'POST /posts 200 may now be number'],
    ],
    [
      'a field inside a list',
      answered({ type: 'array', items: object({ a: text }) }),
      answered({ type: 'array', items: object({ b: text }) }),
      ['POST /posts 200[].a was removed'],
    ],
  ])('is warned of the loss of %s', (_, older, newer, lines) => {
    expect(breaksOf(older, newer)).toEqual(lines)
  })

  test.each<[string, Description, Description]>([
    ['an operation', { paths: {} }, api(any, any)],
    ['an optional field of a request', sent(object({})), sent(object({ a: text }))],
    ['a field of an answer', answered(object({})), answered(object({ a: text }, ['a']))],
    ['a value', answered({ ...text, enum: ['A'] }), answered({ ...text, enum: ['A', 'B'] })],
    ['another shape of a request', sent(object({ a: text })), sent({ oneOf: [object({ a: text }), text] })],
    ['a schema that contains itself', answered(node), answered(node)],
    ['a higher limit', sent({ ...text, maxLength: 9 }), sent({ ...text, maxLength: 10 })],
  ])('is not affected by %s', (_, older, newer) => {
    expect(breaksOf(older, newer)).toEqual([])
  })

  test("finds today's API complete in itself", () => {
    expect(breaksOf(today, today)).toEqual([])
    expect(Object.keys(today.paths).length).toBeGreaterThan(100)
  })
})

const run = (folder: string, script: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', join('scripts', script)], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, told: `${stdout}${stderr}` }
}

test('the API keeps everything of the last release', () => {
  expect(run(root, 'contract.ts')).toEqual({
    status: 0,
    told: expect.stringMatching(/^There is no release yet|^0 parts of the API/),
  })
})

test('the comparison passes without a release, and finds a field that was removed since one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-contract-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args])
  try {
    for (const part of ['package.json', 'tsconfig.json', '.gitignore', 'scripts', 'src', 'web/endpoints.ts']) {
      cpSync(join(root, part), join(folder, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    git('init', '--quiet')
    git('add', 'package.json', 'tsconfig.json', '.gitignore', 'scripts', 'src', 'web')
    git('commit', '--quiet', '--message', 'All')
    cpSync(join(root, 'dist/openapi.json'), join(folder, 'dist/openapi.json'))
    expect(run(folder, 'contract.ts')).toEqual({ status: 0, told: expect.stringContaining('no release yet') })

    git('tag', 'v0.1.0')
    // A long run has the code of the release describe its API. A usual run takes the description that is kept of it.
    if (long)
      expect(run(folder, 'contract.ts')).toEqual({ status: 0, told: expect.stringContaining('0 parts of the API') })
    else {
      const commit = git('rev-parse', 'HEAD').toString().trim()
      cpSync(join(folder, 'dist/openapi.json'), join(folder, `dist/openapi-${commit}.json`))
    }

    const file = join(folder, 'dist/openapi.json')
    const description = JSON.parse(readFileSync(file, 'utf8'))
    delete description.components.schemas.Health.properties.uptimeSeconds
    writeFileSync(file, JSON.stringify(description))
    expect(run(folder, 'contract.ts')).toEqual({
      status: 1,
      told: expect.stringContaining('GET /api/v1/health 200.uptimeSeconds was removed'),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
