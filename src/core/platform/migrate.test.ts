import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../../test/database.ts'
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

const names = () => rows('select name from migration order by name').then((found) => found.map(({ name }) => name))

describe('migrate', () => {
  test('applies each file once, in order, after the job queue', async () => {
    await file(
      '0001_first.sql',
      'create table a (id int); select graphile_worker.add_jobs(array[]::graphile_worker.job_spec[])',
    )
    await file('0002_second.sql', 'alter table a add column name text')
    expect(await migrate(database.url, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
    expect(await migrate(database.url, directory)).toEqual([])
    await file('0003_third.sql', 'alter table a drop column name')
    await file('schema.sql', 'this is not a migration')
    expect(await migrate({ connectionString: database.url }, directory)).toEqual(['0003_third.sql'])
    expect(await names()).toEqual(['0001_first.sql', '0002_second.sql', '0003_third.sql'])
  })

  test('undoes a file that fails, names the line, and applies the file once it is fixed', async () => {
    await file('0001_first.sql', 'create table a (id int)')
    await file('0002_second.sql', 'create table b (id int);\n\ncreate tabel c (id int)')
    await expect(migrate(database.url, directory)).rejects.toThrow(/0002_second\.sql line 3: syntax error.*tabel/)
    expect(await names()).toEqual(['0001_first.sql'])
    expect(await rows(`select to_regclass('b') as b`)).toEqual([{ b: null }])
    await file('0002_second.sql', 'create table b (id int)')
    expect(await migrate(database.url, directory)).toEqual(['0002_second.sql'])
  })

  test('refuses an applied file that was changed, by name; other line endings are no change', async () => {
    await file('0001_first.sql', 'create table a (\n  id int\n)')
    await migrate(database.url, directory)
    await file('0001_first.sql', 'create table a (\r\n  id int\r\n)')
    expect(await migrate(database.url, directory)).toEqual([])
    await file('0001_first.sql', 'create table a (id bigint)')
    await file('0002_second.sql', 'create table b (id int)')
    await expect(migrate(database.url, directory)).rejects.toThrow(
      /0001_first\.sql was changed after it was applied \(20/,
    )
    expect(await names()).toEqual(['0001_first.sql'])
  })

  test('refuses a new file before an applied one, a number used twice and a malformed name', async () => {
    await file('0002_second.sql', 'select 1')
    await migrate(database.url, directory)
    await file('0001_first.sql', 'select 1')
    await expect(migrate(database.url, directory)).rejects.toThrow(/0001_first\.sql is new, but 0002_second\.sql/)
    await rm(join(directory, '0001_first.sql'))
    await file('0002_also.sql', 'select 1')
    await expect(migrate(database.url, directory)).rejects.toThrow(
      /0002_also\.sql and 0002_second\.sql have the same number/,
    )
    await rm(join(directory, '0002_also.sql'))
    await file('3-third.sql', 'select 1')
    await expect(migrate(database.url, directory)).rejects.toThrow(/3-third\.sql: a migration must be named/)
  })

  test('lets an older release start on the database of a newer one, and logs it', async () => {
    await file('0001_first.sql', 'select 1')
    await file('0002_second.sql', 'select 1')
    await migrate(database.url, directory)
    await rm(join(directory, '0002_second.sql'))
    const log: string[] = []
    expect(await migrate(database.url, directory, { log: (line) => log.push(line) })).toEqual([])
    expect(log.join()).toContain('0002_second.sql was applied by a newer version')
  })

  test('applies each file once when several run at the same time', async () => {
    for (let i = 1; i <= 5; i++) await file(`000${i}_step.sql`, `create table t${i} (id int); select pg_sleep(0.05)`)
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, directory)))
    expect(applied.flat().toSorted()).toEqual([1, 2, 3, 4, 5].map((i) => `000${i}_step.sql`))
  })

  test('leaves only whole files when it is killed, and the next run continues', async () => {
    for (let i = 1; i <= 3; i++) await file(`000${i}_step.sql`, `create table t${i} (id int); select pg_sleep(0.4)`)
    const program = `
      const { migrate } = await import(${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))})
      await migrate(process.argv[1], process.argv[2], { log: console.log })`
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program, database.url, directory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'close')
    await once(child.stdout, 'data') // the first file is applied, the second is running
    child.kill('SIGKILL')
    await ended
    expect(await names()).toEqual(['0001_step.sql'])
    expect(await migrate(database.url, directory)).toEqual(['0002_step.sql', '0003_step.sql'])
  })

  test('stops at the given file and continues later', async () => {
    for (let i = 1; i <= 3; i++) await file(`000${i}_step.sql`, 'select 1')
    expect(await migrate(database.url, directory, { upTo: '0002_step.sql' })).toEqual([
      '0001_step.sql',
      '0002_step.sql',
    ])
    expect(await migrate(database.url, directory)).toEqual(['0003_step.sql'])
  })
})
