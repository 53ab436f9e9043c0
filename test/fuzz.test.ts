import { randomUUID } from 'node:crypto'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { FAST, useProduct } from './fixtures.ts'
import openapi from '../dist/openapi.json' with { type: 'json' }
import { type Operation, operations, type Schema, takesJson } from './operations.ts'
import { sized } from './tier.ts'
import { connectPages, newPerson, type Person, uploadPicture } from './world.ts'

// Requests generated from our own description: valid, nearly valid and absurd. Whatever is sent, no answer is a fault
// of ours, and every answer is one that the description allows. FUZZ_RUNS sets their number, FUZZ_SEED repeats a run.

const RUNS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? sized(500, 2000)) / operations.length)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
console.log(`fuzz: ${RUNS * operations.length} requests, FUZZ_SEED=${SEED}`)

const { product } = useProduct({ env: FAST })
let person: Person
/** Ids that exist, by the kind of resource. */
let known: Record<string, string> = {}

/**
 * Requests end sessions, leave workspaces and transfer them, so each operation starts with a person who has everything.
 */
beforeEach(async () => {
  const me = await person?.call<{ role: string }>('GET', `/workspaces/${person.workspaceId}`)
  const accounts = await person?.call<{ data: unknown[] }>('GET', '/social-accounts?status=CONNECTED')
  const kept = await person?.call('GET', `/posts/${known['post']}`)
  if (me?.body.role === 'OWNER' && accounts?.body.data.length && kept?.status === 200) return
  person = await newPerson(product.url)
  const [page] = (await connectPages(person, 'u1')) as [SocialAccount]
  const file = await uploadPicture(person)
  const post = await person.must<Post>('POST', '/posts', { caption: 'A', targets: [page.id], media: [file.id] })
  const { user } = person.session
  known = {
    account: page.id,
    media: file.id,
    post: post.id,
    publication: post.publications[0]!.id,
    user: user.id,
    workspace: person.workspaceId,
    nothing: randomUUID(),
  }
})

// ---- requests

const schemas = openapi.components.schemas as unknown as Record<string, Schema>
const resolve = (schema: Schema): Schema =>
  typeof schema['$ref'] === 'string' ? (schemas[schema['$ref'].split('/').at(-1)!] ?? {}) : schema
const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise)

/** Texts that break careless code. */
const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  "' or 1=1 --",
  '%',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'null',
  'NaN',
  '-1',
  '1e309',
  '9007199254740993',
  '😀'.repeat(50),
  'x'.repeat(5000),
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  '__proto__',
  'constructor',
)
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }), nasty)
/** The kind of resource that a place takes, by the name of the place and its path. */
const meanings: [RegExp, string][] = [
  [/workspace/i, 'workspace'],
  [/publication/i, 'publication'],
  [/media/i, 'media'],
  [/user|member|actor/i, 'user'],
  [/account|targets/i, 'account'],
  [/posts/i, 'post'],
]
const anyId = fc.oneof(
  fc.nat(20).map((index) => Object.values(known)[index % Object.keys(known).length]!),
  fc.uuid(),
)
const idFor = (place: string) => {
  const meant = meanings.find(([name]) => name.test(place))?.[1] ?? 'nothing'
  return fc.oneof({ weight: 5, arbitrary: fc.constant(null).map(() => known[meant]!) }, { weight: 1, arbitrary: anyId })
}

/** Replaces unpaired surrogates, which URLs and forms cannot carry. */
const wellFormed = (value: string) => value.replaceAll(/\p{Cs}/gu, '?')

/** Generates values that a schema allows. */
function valid(given: Schema, place = ''): fc.Arbitrary<unknown> {
  const schema = resolve(given)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valid(each, place)))
  if (schema['const'] !== undefined) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  if (schema.format === 'uuid') return idFor(place)
  if (schema.format === 'email') return fc.oneof(fc.emailAddress(), fc.constant(person?.session.user.email ?? 'a@b.de'))
  if (schema.format === 'uri') return fc.webUrl()
  if (schema.format === 'date-time') {
    const day = { min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }
    return fc.date(day).map((date) => date.toISOString())
  }
  const [type] = [schema.type].flat()
  switch (type) {
    case 'object': {
      const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] }
      const fields = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valid(each, name)]))
      const names = schema['propertyNames'] as Schema | undefined
      return names && Object.keys(properties).length === 0
        ? fc.dictionary(valid(names) as fc.Arbitrary<string>, valid(schema['additionalProperties'] as Schema))
        : fc.record(fields, { requiredKeys: required.filter((name) => name in fields), noNullPrototype: true })
    }
    case 'array':
      return fc.array(valid(schema.items ?? {}, place), {
        minLength: number(schema['minItems'], 0),
        maxLength: Math.min(number(schema['maxItems'], 4), number(schema['minItems'], 0) + 4),
      })
    case 'string': {
      const most = number(schema['maxLength'], 40)
      const least = number(schema['minLength'], 0)
      const long = fc.constant('x'.repeat(Math.min(most, 20_000)))
      const short = fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.max(least, Math.min(most, 20)) })
      return fc.oneof(
        { weight: 6, arbitrary: short },
        { weight: 1, arbitrary: long },
        { weight: 2, arbitrary: idFor(place) },
      )
    }
    case 'integer':
      return fc.integer({
        min: Math.max(number(schema['minimum'], -1000), -1_000_000),
        max: Math.min(number(schema['maximum'], 1000), 1_000_000),
      })
    case 'number':
      return fc.double({ noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), nasty, fc.constantFrom<unknown>(-0, 1e308, [], {}, null, [[[[]]]]))

/** Generates such values with one mistake. */
const nearly = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.tuple(valid(schema), fc.nat(), fc.constantFrom('drop', 'add', 'replace'), junk).map(([value, at, how, other]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return other
    const names = Object.keys(value)
    const name = names[at % Math.max(1, names.length)]
    if (how === 'add' || name === undefined) return { ...value, [`surprise${at % 9}`]: other }
    const { [name]: _, ...rest } = value as Record<string, unknown>
    return how === 'drop' ? rest : { ...rest, [name]: other }
  })

const deep = fc.integer({ min: 15, max: 1000 }).map((levels) => '['.repeat(levels) + ']'.repeat(levels))
const anyOf = <T>(...choices: [number, fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const printable = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) })
const headers = fc.record(
  {
    'x-workspace-id': anyOf<string>([8, idFor('workspace')], [1, printable]),
    'idempotency-key': anyOf<string>([2, fc.uuid()], [1, printable]),
    'if-match': anyOf<string>([2, fc.constantFrom('"1"', '*', '"0"', 'W/"1"')], [1, printable]),
    accept: fc.constantFrom('application/json', 'text/event-stream', 'text/html', '*/*', 'x'),
    'accept-language': fc.constantFrom('ar', 'en', 'xx-YY;q=9', ';;;'),
    'user-agent': printable,
    'last-event-id': printable,
    'x-forwarded-for': fc.constantFrom('1.2.3.4', 'x', '::1, ::2'),
    cookie: fc.constantFrom('refresh_token=x', 'oauth_browser=x', '=;;=', 'refresh_token=%zz'),
  },
  { requiredKeys: [] },
)

interface Sent {
  path: string
  headers: Record<string, string>
  body: string | FormData | undefined
}

function pathOf(operation: Operation): fc.Arbitrary<string> {
  const { parameters = [] } = operation
  const places = parameters.filter((each) => each.in === 'path')
  const value = (name: string): fc.Arbitrary<string> =>
    name === 'network'
      ? anyOf<string>([3, fc.constantFrom('NET_PAGE', 'NET_VIDEO', 'net_photo')], [1, text])
      : name === 'letter'
        ? fc.constantFrom('A', 'B', 'a', 'C')
        : anyOf<string>([9, idFor(name === 'id' ? operation.path : name)], [1, text.filter((each) => each !== '')])
  const named = fc.record(Object.fromEntries(places.map(({ name }) => [name, value(name)])))
  const asked = parameters.filter((each) => each.in === 'query')
  const query = fc.record(
    Object.fromEntries(asked.map((each) => [each.name, anyOf<unknown>([9, valid(each.schema, each.name)], [1, text])])),
    { requiredKeys: asked.filter(({ required }) => required).map(({ name }) => name) },
  )
  const surprise = anyOf<string>(
    [8, fc.constant('')],
    [1, fc.constantFrom('&limit=1&limit=2', '&x=1', '&%zz', '&a[b]=1')],
  )
  return fc.tuple(named, query, surprise).map(([names, values, more]) => {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(wellFormed(names[name] ?? '')),
    )
    const pairs = Object.entries(values).map(
      ([name, each]) => `${name}=${encodeURIComponent(wellFormed(String(each)))}`,
    )
    return `${path}?${pairs.join('&')}${more}`
  })
}

function bodyOf(operation: Operation): fc.Arbitrary<{ type: string | undefined; body: string | FormData | undefined }> {
  if (operation.method === 'GET') return fc.constant({ type: undefined, body: undefined })
  if (operation.operationId === 'uploadMedia') {
    const bytes = fc.tuple(fc.constantFrom('GIF89a', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', ''), fc.uint8Array())
    const type = fc.constantFrom('image/png', 'text/html', 'video/mp4', '')
    return anyOf<{ type: string | undefined; body: string | FormData | undefined }>(
      [
        3,
        fc.array(fc.tuple(bytes, type, text), { maxLength: 3 }).map((files) => {
          const form = new FormData()
          for (const [[start, rest], kind, name] of files) {
            const content = Buffer.concat([Buffer.from(start, 'latin1'), rest])
            form.append('file', new Blob([content], { type: kind }), wellFormed(name))
          }
          return { type: undefined, body: form }
        }),
      ],
      [1, fc.constant({ type: 'multipart/form-data; boundary=x', body: '--x\r\nbroken' })],
      [1, fc.constant({ type: 'multipart/form-data', body: '{}' })],
    )
  }
  const schema = operation.requestBody?.content['application/json']?.schema ?? {}
  const json = anyOf<string>(
    [5, valid(schema).map((each) => JSON.stringify(each))],
    [4, nearly(schema).map((each) => JSON.stringify(each))],
    [1, fc.jsonValue().map((each) => JSON.stringify(each))],
    [1, deep],
    [1, text],
  )
  const type = anyOf<string | undefined>(
    [12, fc.constant('application/json')],
    [1, fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x', 'application/x-www-form-urlencoded')],
  )
  const some = fc.record({ type, body: json })
  return takesJson(operation)
    ? anyOf<{ type: string | undefined; body: string | undefined }>(
        [9, some],
        [1, fc.constant({ type: undefined, body: undefined })],
      )
    : anyOf<{ type: string | undefined; body: string | undefined }>(
        [5, fc.constant({ type: undefined, body: undefined })],
        [1, some],
      )
}

const requestTo = (operation: Operation): fc.Arbitrary<Sent> =>
  fc
    .tuple(
      pathOf(operation),
      anyOf<Record<string, string>>([2, fc.constant({})], [1, headers]),
      bodyOf(operation),
      anyOf<'own' | 'none' | 'broken'>([8, fc.constant('own')], [1, fc.constant('none')], [1, fc.constant('broken')]),
    )
    .map(([path, more, { type, body }, who]) => ({
      path,
      body,
      headers: {
        ...(who === 'own' && { authorization: `Bearer ${person.session.accessToken}` }),
        ...(who === 'broken' && { authorization: `Bearer ${person.session.accessToken}x` }),
        ...(type !== undefined && { 'content-type': type }),
        ...more,
      },
    }))

// ---- answers

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ $id: 'openapi', ...openapi })
const validators = new Map<string, ValidateFunction>()

/** Returns the validator of one described body, by its place in the description. */
function validator({ path, method }: Operation, status: string, type: string): ValidateFunction {
  const escape = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
  const parts = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema']
  const place = `openapi#/${parts.map(escape).join('/')}`
  let found = validators.get(place)
  if (!found) validators.set(place, (found = ajv.compile({ $ref: place })))
  return found
}

const codes = openapi['x-errors'] as Record<string, { status: number }>

/**
 * The codes of a 502 that the model's output causes. A 503 says when to retry. Every other status from 500 on is a
 * fault of ours.
 */
const OF_THE_MODEL: readonly unknown[] = ['ai_refused', 'ai_unusable']
const isOurs = (status: number, code?: string) =>
  status >= 500 && status !== 503 && !(status === 502 && OF_THE_MODEL.includes(code))

/** Returns how an answer violates the description, or undefined. */
async function faultOf(operation: Operation, response: Response): Promise<string | undefined> {
  const { status } = response
  const type = response.headers.get('content-type')?.split(';', 1)[0]
  const listed = operation.responses[String(status)]
  if (status < 400 && !listed) return `the status is not described`
  if (type === 'text/event-stream') await response.body?.cancel()
  const body = type === 'text/event-stream' ? '' : await response.text()
  if (isOurs(status) && !type?.endsWith('json')) return 'it is a fault of ours'
  if (body === '' && type === undefined) return listed && !listed.content ? undefined : 'there is no body'
  const place = listed?.content?.[type ?? ''] ? String(status) : 'default'
  if (!operation.responses[place]?.content?.[type ?? '']) return `a body of ${type} is not described`
  if (place === 'default' && status < 400) return `a body of ${type} is not described for ${status}`
  if (!type?.endsWith('json')) return undefined
  const json = JSON.parse(body) as { code?: string; requestId?: string }
  const check = validator(operation, place, type)
  if (!check(json)) return `the body is not as described: ${ajv.errorsText(check.errors)} ${body.slice(0, 500)}`
  if (isOurs(status, json.code)) return `it is a fault of ours: ${json.code}`
  if (place !== 'default') return undefined
  if (codes[json.code ?? '']?.status !== status) return `the code ${json.code} has another status`
  if (json.requestId !== response.headers.get('x-request-id')) return 'the request id is another one'
  if (/\.ts:\d|node_modules|\bat \S+ \(|relation "|syntax error at/.test(body)) return `it tells of our inside: ${body}`
  return undefined
}

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s returns only what it describes',
  { timeout: 60_000 + RUNS * 100 },
  async (_, operation) => {
    const property = fc.asyncProperty(requestTo(operation), async ({ path, headers, body }) => {
      const response = await fetch(product.url + path, {
        method: operation.method,
        redirect: 'manual',
        headers,
        ...(body !== undefined && { body }),
      })
      const fault = await faultOf(operation, response)
      if (fault === undefined) return
      const sent = body instanceof FormData ? '[form]' : (body ?? '').slice(0, 500)
      throw new Error(`${operation.method} ${path} ${sent}: ${response.status} ${fault ?? ''}`)
    })
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
    expect(product.output()).not.toContain('"level":"fatal"')
  },
)
