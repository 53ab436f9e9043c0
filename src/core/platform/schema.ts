import pg from 'pg'

/** A table or view of schema public, as the catalogue describes it. */
interface Table {
  name: string
  kind: 'table' | 'view'
  partition_key: string | null
  secured: boolean
  forced: boolean
  definition: string | null
  options: string[] | null
  columns: Column[]
  constraints: { name: string; definition: string }[]
  indexes: string[]
  policies: Policy[]
  triggers: string[]
  grants: Grant[]
}

interface Column {
  name: string
  type: string
  required: boolean
  default: string | null
  /**
   * `identity` is `a` or `d` for an identity column, `generated` is `s` or `v` for a generated one; otherwise they are
   * empty.
   */
  identity: string
  generated: string
  /** What the planner is to assume about the values, such as `n_distinct=8`. */
  statistics: string[] | null
}

interface Policy {
  name: string
  command: string
  permissive: boolean
  roles: string[]
  using: string | null
  check: string | null
}

interface Grant {
  grantee: string
  privileges: string
  columns: string | null
}

interface Catalogue {
  tables: Table[]
  types: { name: string; definition: string; labels: string[] | null }[]
  sequences: { name: string; definition: string }[]
  functions: { definition: string; owner: string | null; grants: string[] }[]
  schema: Grant[]
}

const NAMESPACE = `'public'::regnamespace`
/** Leaves out the objects of an extension. */
const own = (table: string, alias: string) =>
  `not exists (select from pg_depend d where d.classid = '${table}'::regclass and d.objid = ${alias}.oid and d.deptype = 'e')`
const grantee = `case acl.grantee when 0 then 'public' else acl.grantee::regrole::text end collate "C"`
const grants = (acl: string, owner: string) => `
  select coalesce(jsonb_agg(jsonb_build_object('grantee', g.grantee, 'privileges', g.privileges, 'columns', null)
    order by g.grantee), '[]') from (
      select ${grantee} as grantee, string_agg(lower(acl.privilege_type), ', ' order by acl.privilege_type) as privileges
        from aclexplode(${acl}) acl where acl.grantee <> ${owner} group by 1) g`

const TABLES = `
select c.relname as name,
  case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
  pg_get_partkeydef(c.oid) as partition_key,
  c.relrowsecurity as secured, c.relforcerowsecurity as forced, c.reloptions as options,
  case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end as definition,
  (select jsonb_agg(jsonb_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'required', a.attnotnull,
      'default', pg_get_expr(f.adbin, f.adrelid), 'identity', a.attidentity, 'generated', a.attgenerated,
      'statistics', a.attoptions) order by a.attnum)
    from pg_attribute a left join pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
  (select coalesce(jsonb_agg(jsonb_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid))
      order by position(k.contype in 'pufxc'), k.conname), '[]')
    from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'x', 'c')) as constraints,
  (select coalesce(jsonb_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text collate "C"), '[]')
    from pg_index i where i.indrelid = c.oid
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))) as indexes,
  (select coalesce(jsonb_agg(jsonb_build_object(
      'name', p.polname, 'permissive', p.polpermissive,
      'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      'roles', (select jsonb_agg(case r when 0 then 'public' else r::regrole::text end order by r::regrole::text collate "C") from unnest(p.polroles) r),
      'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
    from pg_policy p where p.polrelid = c.oid) as policies,
  (select coalesce(jsonb_agg(pg_get_triggerdef(g.oid) order by g.tgname), '[]')
    from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as triggers,
  (${grants('c.relacl', 'c.relowner')}) ||
  (select coalesce(jsonb_agg(jsonb_build_object('grantee', g.grantee, 'privileges', g.privilege, 'columns', g.columns)
      order by g.grantee, g.privilege), '[]') from (
        select ${grantee} as grantee, lower(acl.privilege_type) as privilege, string_agg(a.attname, ', ' order by a.attnum) as columns
          from pg_attribute a, aclexplode(a.attacl) acl
          where a.attrelid = c.oid and not a.attisdropped and acl.grantee <> c.relowner group by 1, 2) g) as grants
from pg_class c
where c.relnamespace = ${NAMESPACE} and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and ${own('pg_class', 'c')}
order by c.relname`

const TYPES = `
select t.typname as name,
  case t.typtype
    when 'd' then 'domain ' || t.typname || ' as ' || format_type(t.typbasetype, t.typtypmod) || case when t.typnotnull then ' not null' else '' end ||
      coalesce((select string_agg(' ' || pg_get_constraintdef(k.oid), '' order by k.conname) from pg_constraint k where k.contypid = t.oid and k.contype = 'c'), '')
    else 'type ' || t.typname || ' as enum' end as definition,
  (select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as labels
from pg_type t
where t.typnamespace = ${NAMESPACE} and t.typtype in ('d', 'e') and ${own('pg_type', 't')}
order by t.typname`

const SEQUENCES = `
select c.relname as name, 'as ' || format_type(s.seqtypid, null) || ' start ' || s.seqstart || ' increment ' || s.seqincrement as definition
from pg_class c join pg_sequence s on s.seqrelid = c.oid
where c.relnamespace = ${NAMESPACE} and not exists (
  select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')
order by c.relname`

const FUNCTIONS = `
select case when p.prokind = 'a' then 'aggregate ' || p.oid::regprocedure::text else pg_get_functiondef(p.oid) end as definition,
  case when p.proowner = (select nspowner from pg_namespace where oid = p.pronamespace) or pg_get_userbyid(p.proowner) = current_user
    then null else pg_get_userbyid(p.proowner) end as owner,
  (select coalesce(jsonb_agg('grant execute on function ' || p.oid::regprocedure || ' to ' || (${grantee}) order by ${grantee}), '[]')
    from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl where acl.grantee <> p.proowner) as grants
from pg_proc p
where p.pronamespace = ${NAMESPACE} and ${own('pg_proc', 'p')}
order by p.proname, p.oid::regprocedure::text collate "C"`

const SCHEMA = `select (${grants('n.nspacl', 'n.nspowner')}) as grants from pg_namespace n where n.oid = ${NAMESPACE}`

/**
 * Returns the result of the migrations in schema public as text, identical for identical schemas on every machine:
 * types, tables with constraints, indexes, policies and grants, views, functions, triggers. The text is for reading and
 * comparing, not for running. Partitions are left out, since they come and go.
 */
export async function dumpSchema(connection: string | pg.ClientConfig): Promise<string> {
  const { tables, types, sequences, functions, schema } = await readCatalogue(connection)
  const parts = [
    [schema.map((grant) => grantLine('schema public', grant)).join('\n')],
    types.map(({ definition, labels }) => {
      const list = labels?.map((label) => quote(label)).join(', ')
      return `create ${definition}${list ? ` (${list})` : ''};`
    }),
    sequences.map(({ name, definition }) => `create sequence ${name} ${definition};`),
    tables.map(tableText),
    functions.map(({ definition, owner, grants }) =>
      [`${definition.trim()};`, ...(owner ? [`-- owner: ${owner}`] : []), ...grants.map((grant) => `${grant};`)].join(
        '\n',
      ),
    ),
  ]
  const head = '-- Made by npm run schema from the migrations. Not to be edited: it shows each change in review.'
  return `${[head, ...parts.map((part) => part.join('\n\n')).filter(Boolean)].join('\n\n')}\n`
}

async function readCatalogue(connection: string | pg.ClientConfig): Promise<Catalogue> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`begin isolation level repeatable read read only`)
    await client.query(`set local search_path = public, pg_catalog`)
    const tables = await client.query<Table>(TABLES)
    const types = await client.query<Catalogue['types'][number]>(TYPES)
    const sequences = await client.query<Catalogue['sequences'][number]>(SEQUENCES)
    const functions = await client.query<Catalogue['functions'][number]>(FUNCTIONS)
    const schema = await client.query<{ grants: Grant[] }>(SCHEMA)
    return {
      tables: tables.rows,
      types: types.rows,
      sequences: sequences.rows,
      functions: functions.rows,
      schema: schema.rows[0]?.grants ?? [],
    }
  } finally {
    await client.end()
  }
}

function tableText(table: Table): string {
  const { name, kind, partition_key, secured, forced, definition, options } = table
  const body = [
    ...table.columns.map(columnText),
    ...table.constraints.map((constraint) => `  constraint ${constraint.name} ${constraint.definition}`),
  ].join(',\n')
  const settings = options ? ` with (${options.join(', ')})` : ''
  return [
    kind === 'view'
      ? `create view ${name}${settings} as\n${definition?.trim()}`
      : `create table ${name} (\n${body}\n)${partition_key ? ` partition by ${partition_key}` : ''}${settings};`,
    ...table.indexes.map((index) => `${index};`),
    ...table.columns
      .filter(({ statistics }) => statistics)
      .map((column) => `alter table ${name} alter ${column.name} set (${column.statistics?.join(', ')});`),
    ...table.triggers.map((trigger) => `${trigger};`),
    ...(secured ? [`alter table ${name} enable row level security;`] : []),
    ...(forced ? [`alter table ${name} force row level security;`] : []),
    ...table.policies.map(
      ({ name: policy, command, permissive, roles, using, check }) =>
        `create policy ${policy} on ${name}${permissive ? '' : ' as restrictive'} for ${command} to ${roles.join(', ')}` +
        `${using ? `\n  using (${using})` : ''}${check ? `\n  with check (${check})` : ''};`,
    ),
    ...table.grants.map((grant) => grantLine(name, grant)),
  ].join('\n')
}

function columnText({ name, type, required, default: value, identity, generated }: Column): string {
  const rest = generated
    ? ` generated always as (${value})${generated === 's' ? ' stored' : ''}`
    : identity
      ? ` generated ${identity === 'a' ? 'always' : 'by default'} as identity`
      : value === null
        ? ''
        : ` default ${value}`
  return `  ${name} ${type}${required ? ' not null' : ''}${rest}`
}

function grantLine(on: string, { grantee: role, privileges, columns }: Grant): string {
  return `grant ${privileges}${columns ? ` (${columns})` : ''} on ${on} to ${role};`
}

const quote = (text: string) => `'${text.replaceAll(`'`, `''`)}'`
