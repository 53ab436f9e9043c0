import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Period } from './api.ts'
import { hasFigures, ofAccounts } from './overview.ts'
import { checkPeriod } from './period.ts'
import { publishedIn } from './posts.ts'
import { VALUES } from '../metrics/values.ts'

const BATCH = 500

/** The metrics that the last reading lacked, each with the time of the reading that had it: `likes=…; reach=…`. */
const KNOWN_AT = `(select string_agg(k.key || '=' || k.value, '; ' order by k.key) from jsonb_each_text(p.known_at) k)`

interface Sheet {
  /** The columns of the file with their SQL expressions. The first two identify a row and give the order. */
  columns: Readonly<Record<string, string>>
  from: (workspaceId: string, asked: Period) => ReturnType<typeof sql>
}

const SHEETS: Readonly<Record<'posts' | 'days', Sheet>> = {
  posts: {
    columns: {
      published: 'iso(p.published_at)',
      id: 'p.id::text',
      network: 'a.platform',
      account: 'a.name',
      kind: 'p.kind',
      text: 'p.caption',
      address: 'p.permalink',
      ...Object.fromEntries(VALUES.map((column) => [column, `p.${column}`])),
      read: 'iso(p.read_at)',
      known_at: KNOWN_AT,
      gone: 'iso(p.gone_at)',
    },
    from: (workspaceId, asked) => sql`social_account a
      join measured_post p on p.workspace_id = a.workspace_id and p.account_id = a.id
      where a.workspace_id = ${workspaceId} and ${ofAccounts(asked)} and ${publishedIn(workspaceId, asked)}`,
  },
  // A missing day has an empty row.
  days: {
    columns: {
      day: 'd.day::text',
      id: 'a.id::text',
      network: 'a.platform',
      account: 'a.name',
      followers: 'm.followers',
      reach: 'm.reach',
      reach_7: 'm.reach_7',
      reach_28: 'm.reach_28',
      impressions: 'm.impressions',
      engagement: 'm.engagement',
      source: 'm.source',
      ends: 'iso(m.ends_at)',
      read: 'iso(m.read_at)',
    },
    from: (workspaceId, { from, to, ...asked }) => sql`social_account a
      cross join (select generate_series(${from}::date, ${to}::date - 1, interval '1 day')::date as day) d
      left join account_metric m on m.workspace_id = a.workspace_id and m.account_id = a.id and m.day = d.day
      where a.workspace_id = ${workspaceId} and ${ofAccounts(asked)} and ${hasFigures({ from, to })}`,
  },
}

/**
 * Yields the posts or the days of a period as lines of CSV, oldest first, read in batches. No cell begins a formula.
 */
export async function* exportFigures(
  scope: Scope,
  { of, ...asked }: Period & { of: 'posts' | 'days' },
): AsyncGenerator<string> {
  checkPeriod(asked)
  const { stringify } = await import('csv-stringify/sync')
  const { columns, from } = SHEETS[of]
  const [order, id] = Object.values(columns).map((expression) => sql.raw(expression))
  const lines = (rows: unknown[][], bom = false) => stringify(rows, { escape_formulas: true, bom })
  yield lines([Object.keys(columns)], true)
  let after = sql`true`
  for (;;) {
    const [rows] = await scope.read(query<{ cells: unknown[] }>`
      select json_build_array(${sql.raw(Object.values(columns).join(', '))}) as cells
      from ${from(scope.workspaceId, asked)} and ${after} order by ${order}, ${id} limit ${BATCH}`)
    const last = rows.at(-1)
    if (!last) return
    // A client can take hours to read this. Rows that the person may no longer read are not sent.
    await scope.confirm()
    yield lines(rows.map(({ cells }) => cells))
    if (rows.length < BATCH) return
    after = sql`(${order}, ${id}) > (${last.cells[0]}::text, ${last.cells[1]}::text)`
  }
}
