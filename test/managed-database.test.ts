import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Embedded, startEmbedded } from '../src/core/platform/postgres/postgres.ts'
import { startProduct } from './product.ts'
import { sized } from './tier.ts'
import { connectPages, newPerson, untilStatus } from './world.ts'
import type { Post } from '../src/publishing/posts/api.ts'

// A database as providers offer it: its owner may create roles, but is no superuser.

let folder: string
let server: Embedded

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  server = await startEmbedded({ dataDir: folder, fsync: false })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test('an owner without superuser rights suffices: the product migrates, runs and publishes', async () => {
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query('create role tenant login createrole')
  await admin.query('create database managed owner tenant')
  await admin.end()
  const url = new URL(server.url)
  url.username = 'tenant'
  url.pathname = '/managed'
  for (const start of sized(['first'], ['first', 'second'])) {
    const product = await startProduct({ databaseUrl: url.toString(), dataDir: join(folder, 'product') })
    try {
      const person = await newPerson(product.url, start)
      const [page] = await connectPages(person)
      const post = await person.must<Post>('POST', '/posts', {
        caption: `Hello ${start}`,
        targets: [page?.id],
        action: 'publish',
      })
      expect((await untilStatus(person, post.id, ['PUBLISHED', 'FAILED'])).status).toBe('PUBLISHED')
    } finally {
      await product.stop()
    }
  }
})
