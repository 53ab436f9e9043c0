import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../test/database.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
let directory: string

beforeEach(async () => {
  database = await emptyDatabase()
  directory = await mkdtemp(join(tmpdir(), 'parley-migrations-'))
})
afterEach(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

const file = (name: string, sql: string) => writeFile(join(directory, name), sql)

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

describe('migrate', () => {
  test('applies the files in order, once, after the job queue', async () => {
    await file(
      '0001_first.sql',
      'create table a (id int); select graphile_worker.add_jobs(array[]::graphile_worker.job_spec[])',
    )
    await file('0002_second.sql', 'alter table a add column name text')
    expect(await migrate(database.url, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
    expect(await migrate(database.url, directory)).toEqual([])
    expect(await rows('select name from migration order by name')).toEqual([
      { name: '0001_first.sql' },
      { name: '0002_second.sql' },
    ])
  })
})
