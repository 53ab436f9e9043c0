import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dumpSchema } from '../src/core/platform/schema.ts'
import { migrate } from '../src/core/platform/migrate.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from './database.ts'

// Tables that belong to no workspace. Adding one is a deliberate decision: the statements of every workspace see all of
// its rows.
const GLOBAL = [
  'app_clock',
  'app_user',
  'feature',
  'idempotency_key',
  'inbox_alive',
  'metric_gone',
  'migration',
  'network_call',
  'network_user',
  'notification',
  'notification_preference',
  'oauth_state',
  'one_time_code',
  'password_reset',
  'credential_undo',
  'plan',
  'plan_feature',
  'plan_quota',
  'quota',
  'request_window',
  'secret_canary',
  'security_event',
  'session',
  'try_count',
  'user_identity',
]
// The column that names the workspace, for tables where it is not `workspace_id`.
const OWNER_COLUMN: Record<string, string> = { workspace: 'id' }
// The roles that serve requests and jobs. They cannot log in, own no tables and bypass no policies.
const ROLES = ['parley_across', 'parley_admin', 'parley_app', 'parley_eraser', 'parley_gate']

interface TableFacts {
  name: string
  partition: boolean
  columns: string[]
  secured: boolean
  forced: boolean
  owner: string
  keys: { name: string; columns: string[]; primary: boolean }[]
  references: { name: string; target: string; columns: string[]; targetColumns: string[] }[]
  policies: { roles: string[]; using: string | null; check: string | null; command: string }[]
  grantees: string[]
}

const FACTS = `
select c.relname as name, c.relispartition as partition, c.relrowsecurity as secured, c.relforcerowsecurity as forced,
  pg_get_userbyid(c.relowner) as owner,
  (select jsonb_agg(attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
  (select coalesce(jsonb_agg(jsonb_build_object('name', i.indexrelid::regclass::text, 'primary', i.indisprimary, 'columns',
      (select jsonb_agg(pg_get_indexdef(i.indexrelid, n, true) order by n) from generate_series(1, i.indnkeyatts) n))), '[]')
    from pg_index i where i.indrelid = c.oid and i.indisunique) as keys,
  (select coalesce(jsonb_agg(jsonb_build_object('name', k.conname, 'target', k.confrelid::regclass::text,
      'columns', (select jsonb_agg(a.attname order by p) from unnest(k.conkey) with ordinality u(n, p)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n),
      'targetColumns', (select jsonb_agg(a.attname order by p) from unnest(k.confkey) with ordinality u(n, p)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n))), '[]')
    from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0) as references,
  (select coalesce(jsonb_agg(jsonb_build_object('command', p.polcmd,
      'roles', (select jsonb_agg(case r when 0 then 'public' else r::regrole::text end) from unnest(p.polroles) r),
      'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.oid), '[]')
    from pg_policy p where p.polrelid = c.oid and p.polpermissive) as policies,
  (select coalesce(jsonb_agg(distinct case acl.grantee when 0 then 'public' else acl.grantee::regrole::text end), '[]') from (
      select (aclexplode(c.relacl)).grantee
      union select (aclexplode(attacl)).grantee from pg_attribute where attrelid = c.oid) acl
    where acl.grantee <> c.relowner) as grantees
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
order by c.relname`

/** Unique indexes across workspaces. Of all workspaces that have connected a page, only one answers it with its bot. */
const ACROSS = ['bot_claim_page']

/**
 * Whether a policy checks the workspace of a row and nothing else: a condition that only mentions the workspace may
 * still show every row.
 */
const isOwn = (owner: string, condition: string | null) =>
  condition ===
  `(${owner} = ( SELECT (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid AS "nullif"))`

/** Returns a line for each violation of the rules of tenancy. */
async function faultsOf(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<TableFacts>(FACTS)
  const ownerColumn = (table: TableFacts | undefined) =>
    table && (OWNER_COLUMN[table.name] ?? (table.columns.includes('workspace_id') ? 'workspace_id' : undefined))
  const tenants = new Map(
    tables.filter((table) => ownerColumn(table) && !GLOBAL.includes(table.name)).map((table) => [table.name, table]),
  )
  return tables.flatMap((table) => {
    const owner = ownerColumn(table)
    const faults = tenants.has(table.name) && owner ? tenantFaults(table, owner, tenants) : globalFaults(table)
    if (ROLES.includes(table.owner)) faults.push(`belongs to ${table.owner}`)
    if (table.grantees.includes('public')) faults.push('is granted to public')
    return faults.map((fault) => `${table.name} ${fault}`)
  })
}

function globalFaults(table: TableFacts): string[] {
  return GLOBAL.includes(table.name) ? [] : ['has no workspace_id and is not in the list of global tables']
}

function tenantFaults(table: TableFacts, owner: string, tenants: Map<string, TableFacts>): string[] {
  const faults: string[] = []
  if (!table.secured) faults.push('has row level security off')
  if (!table.forced) faults.push('does not force row level security')
  if (table.partition) return faults // keys, references, policies and grants are those of its parent
  const primary = table.keys.find((key) => key.primary)
  if (primary?.columns[0] !== owner) faults.push(`has no primary key that starts with ${owner}`)
  if (
    table.columns.includes('id') &&
    !table.keys.some(({ columns }) => columns[0] === owner && columns.includes('id'))
  ) {
    faults.push(`has no unique key of ${owner} and id`)
  }
  for (const { name, columns } of table.keys) {
    if (columns[0] !== owner && !ACROSS.includes(name))
      faults.push(`has the unique index ${name}, which does not start with ${owner}`)
  }
  for (const { name, target, columns, targetColumns } of table.references) {
    const other = tenants.get(target)
    const targetOwner = other && (OWNER_COLUMN[other.name] ?? 'workspace_id')
    if (targetOwner && targetColumns[columns.indexOf(owner)] !== targetOwner) {
      faults.push(`has the foreign key ${name}, which does not bind ${owner}`)
    }
  }
  const policies = table.policies.filter(({ roles }) => roles.includes('parley_app') || roles.includes('public'))
  if (policies.length === 0) faults.push('has no policy for parley_app')
  for (const { using, check, command } of policies) {
    if (command !== 'a' && !isOwn(owner, using)) faults.push('has a policy for parley_app without the workspace')
    if (command !== 'r' && command !== 'd' && check !== null && !isOwn(owner, check)) {
      faults.push('has a policy for parley_app that lets it write for other workspaces')
    }
  }
  if (!table.grantees.includes('parley_app')) faults.push('is not granted to parley_app')
  return faults
}

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

describe('the catalogue', () => {
  test('every table keeps the rules of tenancy', async () => {
    expect(await faultsOf(client)).toEqual([])
  })

  test('every table listed as global exists', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select name from unnest($1::text[]) name where to_regclass('public.' || name) is null`,
      [GLOBAL],
    )
    expect(rows).toEqual([])
  })

  test('the roles of requests and jobs cannot log in, bypass no policy and own no table', async () => {
    const { rows } = await client.query(
      `select rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
          exists (select from pg_class where relowner = r.oid) as owns
         from pg_roles r where rolname = any($1) order by rolname`,
      [ROLES],
    )
    const none = { rolcanlogin: false, rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }
    expect(rows).toEqual(ROLES.map((rolname) => ({ rolname, ...none, owns: false })))
  })

  test('the roles of requests and jobs own no functions except those of parley_gate and parley_eraser', async () => {
    const { rows } = await client.query<{ role: string }>(
      `select distinct pg_get_userbyid(proowner)::text as role from pg_proc where pg_get_userbyid(proowner) = any($1)`,
      [ROLES.filter((role) => role !== 'parley_gate' && role !== 'parley_eraser')],
    )
    expect(rows).toEqual([])
  })

  test('a function with the rights of its owner searches pg_temp last, and not everyone may execute it', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prosecdef
          and (not exists (select from unnest(p.proconfig) setting where setting = 'search_path=public, pg_temp')
            or exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) where grantee = 0))`,
    )
    expect(rows).toEqual([])
  })

  test('the roles of requests and jobs cannot create temporary tables in a migrated database', async () => {
    const fresh = await emptyDatabase()
    try {
      await migrate(fresh.url, join(import.meta.dirname, '..', 'migrations'))
      const there = new pg.Client({ connectionString: fresh.url })
      await there.connect()
      const { rows } = await there.query(
        `select role from unnest($1::text[]) role where has_database_privilege(role, current_database(), 'temp')`,
        [ROLES],
      )
      await there.end()
      expect(rows).toEqual([])
    } finally {
      await fresh.drop()
    }
  })

  test('the check finds each violation in tables made for it', async () => {
    await client.query('begin')
    try {
      await client.query(`
        create table bad_global (id uuid primary key);
        create table bad_plain (id uuid primary key, workspace_id uuid);
        grant select on bad_plain to public;
        create table good_parent (workspace_id uuid, id uuid, name text, primary key (workspace_id, id), unique (workspace_id, name));
        alter table good_parent enable row level security;
        alter table good_parent force row level security;
        create policy tenant on good_parent to parley_app
          using (workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid));
        grant select on good_parent to parley_app;
        create table bad_child (workspace_id uuid, id uuid, parent uuid, name text unique, primary key (workspace_id, id),
          foreign key (parent, workspace_id) references good_parent (workspace_id, id));
        alter table bad_child enable row level security;
        create policy all_of_it on bad_child to parley_app using (true);
        create policy write on bad_child for insert to parley_app with check (true);
        create policy shared on bad_child for select to parley_app
          using (nullif(current_setting('app.workspace_id', true), '') is not null);
        grant select on bad_child to parley_app;
        create table bad_owner (like good_parent including all);
        alter table bad_owner enable row level security;
        alter table bad_owner force row level security;
        grant create on schema public to parley_app;
        alter table bad_owner owner to parley_app;
        create table good_parts (workspace_id uuid, id uuid, at date, primary key (workspace_id, id, at)) partition by range (at);
        create table bad_part partition of good_parts for values from ('2020-01-01') to ('2021-01-01');
        alter table good_parts enable row level security;
        alter table good_parts force row level security;
        create policy tenant on good_parts to parley_app
          using (workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid));
        grant select on good_parts to parley_app;`)
      const found = (await faultsOf(client)).filter((fault) => /^(bad|good)_/.test(fault))
      expect(found).toEqual([
        'bad_child does not force row level security',
        'bad_child has the unique index bad_child_name_key, which does not start with workspace_id',
        'bad_child has the foreign key bad_child_parent_workspace_id_fkey, which does not bind workspace_id',
        'bad_child has a policy for parley_app without the workspace',
        'bad_child has a policy for parley_app that lets it write for other workspaces',
        'bad_child has a policy for parley_app without the workspace',
        'bad_global has no workspace_id and is not in the list of global tables',
        'bad_owner has no policy for parley_app',
        'bad_owner is not granted to parley_app',
        'bad_owner belongs to parley_app',
        'bad_part has row level security off',
        'bad_part does not force row level security',
        'bad_plain has row level security off',
        'bad_plain does not force row level security',
        'bad_plain has no primary key that starts with workspace_id',
        'bad_plain has no unique key of workspace_id and id',
        'bad_plain has the unique index bad_plain_pkey, which does not start with workspace_id',
        'bad_plain has no policy for parley_app',
        'bad_plain is not granted to parley_app',
        'bad_plain is granted to public',
      ])
    } finally {
      await client.query('rollback')
    }
  })
})

test('every table has an owner in migrations/owners.json, and nothing else has one', async () => {
  const file = join(import.meta.dirname, '..', 'migrations/owners.json')
  const { owners } = JSON.parse(await readFile(file, 'utf8')) as { owners: Record<string, string> }
  const { rows } = await client.query<{ name: string }>(`select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
  expect(Object.keys(owners).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test('migrations/schema.sql shows the result of the migrations (npm run schema writes it)', async () => {
  const file = join(import.meta.dirname, '..', 'migrations/schema.sql')
  expect(await readFile(file, 'utf8')).toBe(await dumpSchema(database.url))
})
