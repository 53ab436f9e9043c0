import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../../../test/database.ts'
import { long, sized } from '../../../../test/tier.ts'
import { backup, restore } from './backup.ts'
import { migrate } from '../migrate.ts'
import { lockDirectory } from '../postgres/directory-lock.ts'
import { anyWorksIn } from '../postgres/run.ts'
import { startEmbedded } from '../postgres/postgres.ts'
import { dumpSchema } from '../schema.ts'

const SCHEMA = `
create table plan (id text primary key);
insert into plan values ('free'), ('pro');
create table workspace (id uuid primary key default uuidv7(), plan_id text not null references plan, parent uuid references workspace);
create table "Odd name" (
  id int generated always as identity primary key, "a""b" text, doc jsonb, tags text[], bytes bytea, at timestamptz,
  amount numeric, ratio float8, long interval, twice int generated always as (id * 2) stored);
create table event (workspace_id uuid references workspace, at date, note text, primary key (workspace_id, at)) partition by range (at);
create table event_2025 partition of event for values from ('2025-01-01') to ('2026-01-01');
create table one (n int not null); create table two (n int not null);
insert into one values (0); insert into two values (0);
create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
alter table workspace enable row level security;
alter table workspace force row level security;`

let directory: string
let migrations: string
let mediaDir: string
let from: TestDatabase
let to: TestDatabase

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-backup-'))
  migrations = join(directory, 'migrations')
  mediaDir = join(directory, 'media')
  await mkdir(migrations)
  await mkdir(join(mediaDir, 'ab'), { recursive: true })
  await writeFile(join(migrations, '0001_all.sql'), SCHEMA)
  from = await emptyDatabase()
  to = await emptyDatabase()
  await migrate(from.url, migrations)
})
afterEach(async () => {
  await from.drop()
  await to.drop()
  await rm(directory, { recursive: true })
})

async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query<Record<string, unknown>>(sql)
    return result.rows
  } finally {
    await client.end()
  }
}

/** The most rows of one table. Their text takes several parts of a backup if there are more than 450. */
const ROWS = sized(500, 1_500)

const filling = (rows = ROWS) => `
insert into workspace (id, plan_id) select gen_random_uuid(), 'pro' from generate_series(1, 500);
update workspace set parent = (select max(id::text)::uuid from workspace where plan_id = 'pro');
insert into "Odd name" ("a""b", doc, tags, bytes, at, amount, ratio, long) values
  (E'tab\\t line\\n back\\\\slash \\\\N', '{"a": [1, null, "ü"]}', array['a,b', '"', null], '\\x00ff5c0a', 'infinity', 'NaN', 'Infinity', '1 mon 2 days'),
  (null, 'null', '{}', null, '2025-01-01T00:00:00.123456Z', 0.1, 0.1, null),
  ('', '"text"', null, '', null, 123456789012345678901234567890.5, -0.0, '-1 day');
insert into "Odd name" ("a""b") select repeat('long row ', 1000) || n from generate_series(1, ${rows}) n;
create table event_2026 partition of event for values from ('2026-01-01') to ('2027-01-01');
insert into event select id, date '2025-06-01' + n * 30, 'note' from workspace, generate_series(0, 9) n;
delete from plan where id = 'free';
create trigger refused before insert or update on one execute function refuse();
select graphile_worker.add_job('send', '{"to": "somebody"}', run_at => '2099-01-01', job_key => 'key')`

/** A hash of each table's rows as text, independent of their physical order. */
async function hashes(url: string): Promise<Record<string, unknown>> {
  const tables = await run(
    url,
    `select c.oid::regclass::text as name from pg_class c where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
      and relname not in ('migration', 'migrations') order by 1`,
  )
  const found = tables.map(async ({ name }) => {
    const rows = await run(url, `select t::text as row from ${String(name)} t order by t::text collate "C"`)
    const hash = createHash('sha256')
    for (const { row } of rows) hash.update(`${String(row)}\0`)
    return [String(name), `${rows.length} ${hash.digest('hex')}`] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

describe('a backup', () => {
  test.each(long ? ['all.tar', 'all.tar.gz'] : ['all.tar.gz'])(
    'as %s restores every row, job, sequence and file',
    async (name) => {
      await run(from.url, filling())
      const bytes = { small: randomBytes(10), empty: Buffer.alloc(0), large: randomBytes(3_000_000) }
      for (const [key, content] of Object.entries(bytes)) await writeFile(join(mediaDir, 'ab', key.repeat(12)), content)
      await writeFile(join(mediaDir, 'ab', 'upload.part'), 'not finished')

      const file = join(directory, name)
      const summary = await backup({ url: from.url, file, mediaDir })
      const restored = join(directory, 'restored')
      expect(await restore({ url: to.url, file, mediaDir: restored, migrations })).toEqual(summary)

      expect(await hashes(to.url)).toEqual(await hashes(from.url))
      expect(summary.files).toBe(3)
      expect((await readdir(join(restored, 'ab'))).toSorted()).toEqual(
        Object.keys(bytes)
          .map((key) => key.repeat(12))
          .toSorted(),
      )
      for (const [key, content] of Object.entries(bytes)) {
        expect((await readFile(join(restored, 'ab', key.repeat(12)))).equals(content)).toBe(true)
      }
      const next = `insert into "Odd name" ("a""b") values ('next') returning id, twice`
      expect(await run(to.url, next)).toEqual([{ id: ROWS + 4, twice: 2 * ROWS + 8 }])
      const job = `select (graphile_worker.add_job('send', '{}')).id > 1 as added`
      expect(await run(to.url, job)).toEqual([{ added: true }])
      expect(await migrate(to.url, migrations)).toEqual([])
    },
  )

  test('is a consistent snapshot while others write', async () => {
    const writer = new pg.Client({ connectionString: from.url })
    await writer.connect()
    let writing = true
    const writes = (async () => {
      while (writing) await writer.query('begin; update one set n = n + 1; update two set n = n + 1; commit')
    })()
    const file = join(directory, 'all.tar')
    await run(from.url, `insert into "Odd name" ("a""b") select repeat('x', 10000) from generate_series(1, 3000)`)
    await backup({ url: from.url, file, mediaDir })
    writing = false
    await writes
    await writer.end()
    await restore({ url: to.url, file, mediaDir, migrations })
    const [row] = await run(to.url, 'select one.n as one, two.n as two from one, two')
    expect(row?.one).toBe(row?.two)
  })

  test('from an older version is migrated by the restore', async () => {
    await run(from.url, filling())
    const file = join(directory, 'all.tar')
    await backup({ url: from.url, file, mediaDir })
    await writeFile(
      join(migrations, '0002_more.sql'),
      `alter table workspace add column name text not null default 'none'`,
    )
    await restore({ url: to.url, file, mediaDir, migrations })
    expect(await run(to.url, 'select distinct name from workspace')).toEqual([{ name: 'none' }])
    await migrate(from.url, migrations)
    await run(from.url, 'drop trigger refused on one; drop table event_2026')
    await run(to.url, 'drop table event_2026')
    expect(await dumpSchema(to.url)).toBe(await dumpSchema(from.url))
  })

  test('from another line of versions is refused', async () => {
    const file = join(directory, 'all.tar')
    await backup({ url: from.url, file, mediaDir })
    await writeFile(join(migrations, '0001_all.sql'), `${SCHEMA} -- changed`)
    await expect(restore({ url: to.url, file, mediaDir, migrations })).rejects.toThrow(
      /another line of versions \(0001_all/,
    )
  })

  test('is not restored over data and not written over a file', async () => {
    const file = join(directory, 'all.tar')
    await backup({ url: from.url, file, mediaDir })
    await expect(restore({ url: from.url, file, mediaDir, migrations })).rejects.toThrow(/not empty/)
    await expect(backup({ url: from.url, file, mediaDir })).rejects.toThrow(/already exists/)
    await expect(backup({ url: from.url, file: join(directory, 'no', 'x.tar'), mediaDir })).rejects.toThrow(/ENOENT/)
  })

  test('that is cut off or damaged leaves nothing that can start, and a whole one can be restored afterwards', async () => {
    await run(from.url, filling())
    const file = join(directory, 'all.tar')
    await backup({ url: from.url, file, mediaDir })
    const content = await readFile(file)
    const into = (broken: string) => restore({ url: to.url, file: broken, mediaDir, migrations })
    const cut = join(directory, 'cut.tar')
    for (const length of [content.length - 2048, content.length >> 1, 100]) {
      await writeFile(cut, content)
      await truncate(cut, length)
      await expect(into(cut)).rejects.toThrow(/truncated/)
    }
    const zipped = join(directory, 'cut.tar.gz')
    await writeFile(zipped, gzipSync(content).subarray(0, -2048))
    await expect(into(zipped)).rejects.toThrow(/truncated/)
    const changed = join(directory, 'changed.tar')
    const at = content.indexOf('long row ')
    await writeFile(changed, Buffer.concat([content.subarray(0, at), Buffer.from('wrong'), content.subarray(at + 5)]))
    await expect(into(changed)).rejects.toThrow(/does not match the rows in the backup/)
    await expect(migrate(to.url, migrations)).rejects.toThrow(/restore into this database was interrupted/)
    await writeFile(cut, 'something else entirely'.repeat(100))
    await expect(into(cut)).rejects.toThrow(/damaged/)
    await into(file)
    expect(await hashes(to.url)).toEqual(await hashes(from.url))
  })

  test('whose restore is killed halfway can be restored again', async () => {
    await run(from.url, filling(1_500))
    const file = join(directory, 'all.tar')
    await backup({ url: from.url, file, mediaDir })
    const program = `
      const { restore } = await import(${JSON.stringify(join(import.meta.dirname, 'backup.ts'))})
      await restore({ ...JSON.parse(process.argv[1]), log: console.log })`
    const child = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        program,
        JSON.stringify({ url: to.url, file, mediaDir, migrations }),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended
    await restore({ url: to.url, file, mediaDir, migrations })
    expect(await hashes(to.url)).toEqual(await hashes(from.url))
  })

  test('fails rather than omit rows that the account may not see', async () => {
    await run(from.url, filling())
    const role = `backup_${randomBytes(4).toString('hex')}`
    await run(
      from.url,
      `create role ${role} login; grant select on all tables in schema public, graphile_worker to ${role};
       grant usage on schema graphile_worker to ${role}`,
    )
    try {
      const url = from.url.replace('//parley@', `//${role}@`)
      await expect(backup({ url, file: join(directory, 'all.tar'), mediaDir })).rejects.toThrow(/row-level security/)
      expect((await readdir(directory)).filter((name) => name.includes('.tar'))).toEqual([])
    } finally {
      await run(from.url, `drop owned by ${role}; drop role ${role}`)
    }
  })

  test.runIf(long)('can be listed with tar', async () => {
    await run(from.url, filling())
    const file = join(directory, 'all.tar')
    await backup({ url: from.url, file, mediaDir })
    const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')
    expect(names[0]).toBe('manifest.json')
    expect(names).toContain('tables/public.Odd name/000003.copy')
    expect(names.at(-1)).toBe('end.json')
  })

  test('and its restore are commands; a backup also works while the product runs', async () => {
    const root = join(import.meta.dirname, '../../../..')
    const command = (name: string, file: string, dataDir: string) => {
      const options = {
        cwd: root,
        encoding: 'utf8',
        env: { DATA_DIR: dataDir },
        stdio: 'pipe',
      } as const
      return execFileSync(process.execPath, [`server/${name}.js`, join(directory, file)], options)
    }
    const [first, second] = [join(directory, 'first'), join(directory, 'second')]
    expect(() => command('backup', 'none.tar', first)).toThrow(/no database in/)
    const server = await startEmbedded({ dataDir: first, fsync: false })
    try {
      await lockDirectory(server)
      await migrate(server.url, join(root, 'migrations'))
      await mkdir(join(first, 'media'))
      await writeFile(join(first, 'media', 'picture'), 'picture')
      expect(command('backup', 'running.tar', first)).toMatch(/running\.tar: \d+ rows of \d+ tables and 1 media files/)
      expect(() => command('restore', 'running.tar', first)).toThrow(/in use by Parley/)
    } finally {
      await server.stop()
    }
    command('backup', 'stopped.tar', first)
    expect(command('restore', 'stopped.tar', second)).toMatch(/restored \d+ rows of \d+ tables and 1 media files/)
    expect(await readFile(join(second, 'media', 'picture'), 'utf8')).toBe('picture')
    expect(await anyWorksIn(join(first, 'postgres-18'))).not.toBe(true)
    expect(await anyWorksIn(join(second, 'postgres-18'))).not.toBe(true)
  })
})
