import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createClock } from '../../src/core/platform/clock.ts'
import { openPool } from '../../src/core/platform/db.ts'
import { createLog } from '../../src/core/platform/log.ts'
import { createScopes } from '../../src/core/platform/scope.ts'
import { storeReadings } from '../../src/insights/metrics/store.ts'

// Measures the cost of storing the readings of a list of posts, against a bare upsert of the same rows.

const POSTS = 100
const LISTS = 40
const DAY = 86_400_000

/**
 * Returns the readings stored per second, alternately by the product and by the bare upsert. Each list is of another
 * day.
 */
export async function readingsASecond(
  databaseUrl: string,
  rounds: number,
): Promise<{ ours: number[]; floor: number[] }> {
  const direct = new pg.Client({ connectionString: databaseUrl })
  await direct.connect()
  const pool = openPool(databaseUrl, 2, (error) => console.error(error.message), { prepare: true })
  try {
    const [workspaceId, accountId] = [randomUUID(), randomUUID()]
    await direct.query(`insert into workspace (id, name, timezone) values ($1, 'readings', 'UTC')`, [workspaceId])
    await direct.query(
      `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
       values ($1, $2, 'NET_PAGE', 'readings', 'readings', 'A page', 'CONNECTED', now())`,
      [workspaceId, accountId],
    )
    const { rows: posts } = await direct.query<{ id: string; externalId: string; publishedAt: Date }>(
      `insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, published_at)
       select $1, gen_random_uuid(), $2, n::text, 'post', 'A post', now() - interval '600 days' from generate_series(1, $3::int) n
       returning id, external_id as "externalId", published_at as "publishedAt"`,
      [workspaceId, accountId, POSTS],
    )
    await direct.query(`create table bare_metric (like post_metric including all, foreign key (workspace_id, post_id) references measured_post);
      analyze measured_post`)
    const log = createLog('silent')
    const scopes = createScopes({ pool, events: { publish() {} }, clock: createClock(), log, subscribers: [] })
    const scope = scopes.scope(workspaceId, { kind: 'system', name: 'analytics-sync' })
    const values = (n: number) => ({
      reach: n,
      impressions: n * 2,
      likes: 9,
      comments: 3,
      shares: 2,
      saves: 1,
      videoViews: null,
    })
    const ours = (readAt: Date, n: number) =>
      storeReadings(scope, {
        accountId,
        due: [],
        found: {
          readings: posts.map(({ externalId: id }) => ({ id, kind: 'post', unmeasurable: false, values: values(n) })),
          missing: [],
          refused: [],
          gone: [],
          error: null,
        },
        readAt,
      })
    const bare = (readAt: Date, n: number) =>
      pool.query({
        name: 'bare_metric',
        text: `insert into bare_metric as m (workspace_id, post_id, day, read_at, age_hours, reach, impressions, likes, comments, shares, saves)
          select $1, id, ($2::timestamptz at time zone 'UTC')::date, $2, 24, $4::bigint, $4::bigint * 2, 9, 3, 2, 1 from unnest($3::uuid[]) id
          on conflict (workspace_id, post_id, day) do update set read_at = excluded.read_at, reach = excluded.reach
            where excluded.read_at > m.read_at`,
        values: [workspaceId, readAt, posts.map(({ id }) => id), n],
      })
    let day = -rounds * LISTS - LISTS
    const timed = async (first: number, store: (readAt: Date, n: number) => Promise<unknown>) => {
      const started = performance.now()
      for (let n = 0; n < LISTS; n += 1) await store(new Date(Date.now() + (first + n) * DAY), n)
      return (POSTS * LISTS) / ((performance.now() - started) / 1000)
    }
    const measured: { ours: number[]; floor: number[] } = { ours: [], floor: [] }
    for (let round = 0; round <= rounds; round += 1) {
      const [floor, mine] = [await timed(day, bare), await timed(day, ours)]
      day += LISTS
      if (round === 0) continue
      measured.floor.push(floor)
      measured.ours.push(mine)
    }
    const { rows: told } = await direct.query<{ ours: number; bare: number }>(
      `select (select count(*)::int from post_metric where workspace_id = $1) as ours, (select count(*)::int from bare_metric) as bare`,
      [workspaceId],
    )
    if (told[0]!.ours !== told[0]!.bare) throw new Error(`${told[0]!.ours} readings beside ${told[0]!.bare}`)
    return measured
  } finally {
    await pool.end()
    await direct.end()
  }
}
