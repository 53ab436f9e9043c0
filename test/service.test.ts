import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startEmbedded } from '../src/core/platform/postgres/postgres.ts'
import type { Session } from '../src/team/identity/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Running, startProduct } from './product.ts'
import {
  asPerson,
  call,
  codeByMail,
  connectPages,
  eventually,
  newPerson,
  PASSWORD,
  type Person,
  picture,
  type Problem,
  untilStatus,
} from './world.ts'
import { long } from './tier.ts'

const secrets = {
  JWT_SECRET: 'a secret of access tokens, long enough',
  JWT_REFRESH_SECRET: 'a secret of refresh tokens, long enough',
  ENCRYPTION_KEY: 'c0'.repeat(32),
}

let database: TestDatabase
let product: Running
let ann: Person

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url, env: secrets })
  ann = await newPerson(product.url)
})
afterAll(async () => {
  await product?.stop()
  await database?.drop()
})

test('the text of the built server takes one byte of memory for each character', async () => {
  const built = join(import.meta.dirname, '..', 'server')
  // Only what the program loads: a folder may have files of an earlier build.
  const scripts = new Set(['main.js'])
  for (const name of scripts) {
    const text = await readFile(join(built, name), 'utf8')
    expect(text, name).not.toMatch(/[^\0-\u00ff]/)
    for (const [, chunk = ''] of text.matchAll(/["']\.\/(chunk-\w+\.js|[\w-]+-\w{8}\.js)["']/g)) scripts.add(chunk)
  }
  expect(scripts.size).toBeGreaterThan(3)
})

describe('addresses', () => {
  test('the API answers with and without its prefix, but sign-in and health only with it', async () => {
    const [plain, prefixed] = await Promise.all([ann.call('GET', '/posts'), ann.call('GET', '/api/v1/posts')])
    expect(plain).toMatchObject({ status: 200, body: prefixed.body })
    expect((await call(product.url, 'GET', '/auth/me')).status).toBe(404)
    expect((await call(product.url, 'GET', '/health')).status).toBe(404)
    expect((await call(product.url, 'GET', '/api/v1/health')).status).toBe(200)
  })

  test('the root leads to the app, which may load nothing from other origins', async () => {
    const root = await fetch(product.url, { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/app'])
    const page = await fetch(`${product.url}/app/posts/whatever`)
    expect(page.status).toBe(200)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('a file of the app is served for a year, any other path is the app itself, and the build’s own files are not', async () => {
    const get = (path: string, method = 'GET') => fetch(`${product.url}${path}`, { method })
    const app = await (await get('/app')).text()
    const script = /\/app\/assets\/[\w-]+\.js/.exec(app)?.[0] as string
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await get(script, method)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toContain('javascript')
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
    for (const path of [
      '/app/',
      '/app/index.html',
      '/app/assets/none.js',
      '/app/.vite/manifest.json',
      '/app/%2e%2e%2fopenapi.json',
    ]) {
      const answer = await get(path)
      expect([answer.status, answer.headers.get('cache-control'), await answer.text()], path).toEqual([
        200,
        'no-cache',
        app,
      ])
    }
    expect((await get('/app/theme.js', 'POST')).status).toBe(405)
  })

  test('an error is problem+json with the id of its request, which no other request has', async () => {
    const answers = await Promise.all([1, 2].map(() => call<Problem>(product.url, 'GET', '/posts')))
    for (const { headers, body } of answers) {
      expect(headers.get('content-type')).toContain('application/problem+json')
      expect(body).toMatchObject({ status: 401, code: 'unauthenticated', requestId: headers.get('x-request-id') })
      expect(Object.keys(body)).toEqual(
        expect.arrayContaining(['type', 'title', 'status', 'detail', 'code', 'requestId']),
      )
    }
    expect(answers[0]?.body.requestId).not.toBe(answers[1]?.body.requestId)
  })

  test('a method that a path does not support is answered with 405 and the supported ones', async () => {
    const answer = await ann.call<Problem>('PUT', '/posts')
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(answer.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(['GET', 'POST']))
  })

  test('an unknown path is 404, even with a header of 15 kB, and a broken escape is a client error', async () => {
    expect((await ann.call('GET', '/nothing')).status).toBe(404)
    expect((await ann.call('GET', '/nothing', undefined, { 'x-long': 'a'.repeat(15_000) })).status).toBe(404)
    expect((await ann.call('GET', '/posts/%zz')).status).toBeGreaterThanOrEqual(400)
    expect((await ann.call('GET', '/posts/%zz')).status).toBeLessThan(500)
  })
})

test('without its database the product says so, and it works again within ten seconds of its return', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  let server = await startEmbedded({ dataDir: folder, fsync: false })
  const running = await startProduct({ databaseUrl: server.url })
  try {
    const person = await newPerson(running.url)
    // Mail to these people is on its way when the database stops.
    const others = await Promise.all(['Bo', 'Cy', 'Di', 'Ed', 'Fe'].map((name) => newPerson(running.url, name)))
    await server.stop()
    // Not by `person.call`, which would try again for a minute.
    const away = await call<Problem>(running.url, 'GET', '/posts', undefined, {
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
    })
    expect(away).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0)
    // Unlike a refusal that Parley decides, this is logged as an error, with its cause.
    const isLogged = /"level":50.*isn’t responding.*"a request failed"/
    await eventually(async () => isLogged.test(running.output()), 20_000)
    const health = await call(running.url, 'GET', '/api/v1/health')
    expect(health).toMatchObject({ status: 503, body: { status: 'unavailable', checks: { database: 'failed' } } })
    expect((await call(running.url, 'GET', '/api/v1/health/ready')).status).toBe(503)
    expect((await call(running.url, 'GET', '/api/v1/health/live')).status).toBe(200)

    server = await startEmbedded({ dataDir: folder, fsync: false })
    await eventually(async () => (await call(running.url, 'GET', '/api/v1/health')).status === 200, 10_000)
    const [page] = await connectPages(person, 'u31')
    const post = await person.must<Post>('POST', '/posts', {
      caption: 'Back',
      targets: [page!.id],
      action: 'publish',
    })
    expect((await untilStatus(person, post.id, ['PUBLISHED', 'FAILED'])).status).toBe('PUBLISHED')
    for (const { session } of others) await codeByMail(running.url, session.user.email ?? '')
  } finally {
    await running.stop()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})

test('without storage an upload fails with the id of its request and no internals, and everything else works', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-storage-'))
  const other = await startProduct({ databaseUrl: database.url, dataDir, env: secrets })
  try {
    const bea = await newPerson(other.url, 'Bea')
    await rm(join(dataDir, 'media'), { recursive: true })
    await writeFile(join(dataDir, 'media'), 'no folder any more')
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(await picture())], { type: 'image/jpeg' }), 'a.jpg')
    const answer = await bea.call<Problem>('POST', '/media', form)
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'))
    expect(JSON.stringify(answer.body)).not.toMatch(/ENOTDIR|EEXIST|parley-storage|at .*\.ts/)
    expect((await bea.call('POST', '/posts', { caption: 'a' })).status).toBe(201)
    expect(await call(other.url, 'GET', '/api/v1/health')).toMatchObject({ status: 503 })
  } finally {
    await other.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

describe('the live stream', () => {
  /** Reads a stream until it is closed or contains `until`. */
  async function listen(
    person: Person,
    until: string,
    headers: Record<string, string> = {},
    act?: () => Promise<unknown>,
  ) {
    const stop = new AbortController()
    const response = await fetch(`${product.url}/workspaces/${person.workspaceId}/events`, {
      headers: { authorization: `Bearer ${person.session.accessToken}`, ...headers },
      signal: stop.signal,
    })
    expect(response.status).toBe(200)
    let text = ''
    const decoder = new TextDecoder()
    const limit = setTimeout(() => stop.abort(), 3_000)
    try {
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        if (text === '') void act?.()
        text += decoder.decode(chunk)
        if (text.includes(until)) break
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    } finally {
      clearTimeout(limit)
      stop.abort()
    }
    return text
  }

  test('is open to members only', async () => {
    const path = `/workspaces/${ann.workspaceId}/events`
    expect((await call(product.url, 'GET', path)).status).toBe(401)
    const bob = await newPerson(product.url, 'Bob')
    expect((await bob.call('GET', path)).status).toBe(404)
  })

  test('reports changes of its own workspace only, and continues where it was left', async () => {
    const bob = await newPerson(product.url, 'Bob')
    let post = ''
    const act = async () => {
      await bob.must('POST', '/posts', { caption: 'Bob’s' })
      post = (await ann.must<Post>('POST', '/posts', { caption: 'Ann’s' })).id
    }
    const text = await listen(ann, '"kind":"post"', {}, act)
    expect(text).toContain(`data: {"kind":"post","id":"${post}"}`)
    expect(text.match(/data: /g)).toHaveLength(1)
    const lastId = /id: (\S+)/.exec(text)?.[1] ?? ''

    const missed = await ann.must<Post>('POST', '/posts', { caption: 'Missed' })
    expect(await listen(ann, missed.id, { 'last-event-id': lastId })).toContain(missed.id)
    expect(await listen(ann, 'reset', { 'last-event-id': 'from-another-life-7' })).toContain('event: reset')
  })
})

test('a live stream ends with its session, long before its next regular check', async () => {
  const eve = await newPerson(product.url, 'Eve')
  const again = await call<Session>(product.url, 'POST', '/api/v1/auth/login', {
    email: eve.session.user.email,
    password: PASSWORD,
  })
  const other = asPerson(product.url, again.body)
  const streamOf = async (person: Person) => {
    const { body } = await fetch(`${product.url}/workspaces/${person.workspaceId}/events`, {
      headers: { authorization: `Bearer ${person.session.accessToken}` },
    })
    /** Reads up to an event of this resource, or to the end of the stream. */
    return async (id?: string) => {
      let text = ''
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (id !== undefined && text.includes(`"id":"${id}"`)) return 'told'
      }
      return 'ended'
    }
  }
  const mine = await streamOf(eve)
  const theirs = await streamOf(other)
  await eve.must('DELETE', '/api/v1/auth/sessions')
  expect(await Promise.race([theirs(), sleep(8_000, 'open', { ref: false })])).toBe('ended')
  const { id } = await eve.must<Post>('POST', '/posts', { caption: 'Afterwards' })
  expect(await Promise.race([mine(id), sleep(8_000, 'silent', { ref: false })])).toBe('told')
})

describe('stopping', () => {
  const folders: string[] = []
  const folder = async () => {
    folders.push(await mkdtemp(join(tmpdir(), 'parley-test-')))
    return folders.at(-1) as string
  }
  afterEach(async () => {
    for (const each of folders.splice(0)) await rm(each, { recursive: true, force: true })
  })

  const refusesConnections = (url: string) =>
    new Promise<boolean>((resolve) => {
      get(`${url}/api/v1/health/live`, { agent: false }, (response) => {
        response.resume()
        resolve(false)
      }).once('error', () => resolve(true))
    })

  test('ends at once despite an idle connection and a live stream, but after the request under way', async () => {
    const own = await freshDatabase()
    const running = await startProduct({ databaseUrl: own.url })
    const person = await newPerson(running.url, 'Stop')
    const agent = new Agent({ keepAlive: true })
    const kept = get(`${running.url}/api/v1/health/live`, { agent })
    const [response] = (await once(kept, 'response')) as [{ resume(): void }]
    response.resume()
    let keptIsClosed = false
    kept.socket!.once('close', () => (keptIsClosed = true))
    const stream = await fetch(`${running.url}/workspaces/${person.workspaceId}/events`, {
      headers: { authorization: `Bearer ${person.session.accessToken}` },
    })
    const underWay = request(`${running.url}/api/v1/posts`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${person.session.accessToken}`,
        'x-workspace-id': person.workspaceId,
        'content-type': 'application/json',
        expect: '100-continue',
      },
    })
    const answered = once(underWay, 'response') as Promise<[IncomingMessage]>
    underWay.flushHeaders()
    await once(underWay, 'continue')
    const started = performance.now()
    const stopped = running.stop()
    await eventually(() => refusesConnections(running.url))
    underWay.end(JSON.stringify({ caption: 'Under way' }))
    expect((await answered)[0].statusCode).toBe(201)
    // An idle connection that the stop leaves open ends only after the 10 seconds of `keepAliveTimeout`.
    expect(keptIsClosed).toBe(true)
    expect(await stopped).toBe(0)
    // A stop that waits for the stream takes the whole grace of 30 seconds.
    expect(performance.now() - started).toBeLessThan(25_000)
    await stream.body?.cancel()
    agent.destroy()
    await own.drop()
    // Libraries must not warn about requests that end with the stop, either.
    expect(running.output()).not.toContain('Warning')
  })

  test.runIf(long)(
    'does not wait for a withheld body: the connection is cut when the time for stopping ends',
    async () => {
      const own = await freshDatabase()
      const running = await startProduct({ databaseUrl: own.url, env: { TIME_SCALE: '20' } })
      const person = await newPerson(running.url, 'Hold')
      const held = request(`${running.url}/api/v1/posts`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${person.session.accessToken}`,
          'x-workspace-id': person.workspaceId,
          'content-type': 'application/json',
          'content-length': 1_000,
          expect: '100-continue',
        },
      })
      const cutOff = new Promise((resolve) => held.once('error', resolve))
      held.flushHeaders()
      await once(held, 'continue')
      held.write('{')
      expect(await running.stop(), running.output()).toBe(0)
      expect(await cutOff).toMatchObject({ code: 'ECONNRESET' })
      await own.drop()
    },
  )

  test('with kill -9 loses nothing that was answered, and a second start names the running process', async () => {
    const dataDir = await folder()
    const first = await startProduct({ dataDir })
    const person = await newPerson(first.url, 'Kill')
    await expect(startProduct({ dataDir })).rejects.toThrow(new RegExp(`ended with 1[^]*${first.pid}[^]*${first.url}`))
    const post = await person.must<Post>('POST', '/posts', { caption: 'Kept' })
    await first.kill()
    const second = await startProduct({ dataDir })
    try {
      const again = await call<Post>(second.url, 'GET', `/posts/${post.id}`, undefined, {
        authorization: `Bearer ${person.session.accessToken}`,
        'x-workspace-id': person.workspaceId,
      })
      expect(again.body).toMatchObject({ id: post.id, caption: 'Kept' })
    } finally {
      await second.stop()
    }
  })
})

test('an API process and a worker on one database are one service', async () => {
  const own = await freshDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const api = await startProduct({ databaseUrl: own.url, dataDir, env: { ROLE: 'api' } })
  const worker = await startProduct({
    databaseUrl: own.url,
    dataDir,
    env: { ROLE: 'worker', PUBLIC_URL: api.url, NET_PAGE_GRAPH_URL: `${api.url}/sandbox/graph` },
    ready: /Parley worker is ready/,
  })
  try {
    const person = await newPerson(api.url)
    const [page] = await connectPages(person, 'u32')
    const post = await person.must<Post>('POST', '/posts', { caption: 'Both', targets: [page!.id], action: 'publish' })
    expect((await untilStatus(person, post.id, ['PUBLISHED', 'FAILED'])).status).toBe('PUBLISHED')
  } finally {
    await worker.stop()
    await api.stop()
    await own.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
