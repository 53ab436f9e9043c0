import { beforeAll, beforeEach, expect } from 'vitest'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Page } from '../src/core/platform/cursor.ts'
import type { MeasuredPost, PostMetric } from '../src/insights/metrics/api.ts'
import { type AccountMetric, METRICS } from '../src/networks/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { useProduct } from './fixtures.ts'
import { addJob } from './jobs.ts'
import { call, connect, eventually, newPerson, type Person, untilClockKnown, untilStatus } from './world.ts'

// Reads figures as the product does, on clocks that the test moves.

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

interface Metrics {
  data: PostMetric[]
  posts: MeasuredPost[]
}

export type DayRow = { day: string; endsAt: Date; readAt: Date; source: string } & Record<AccountMetric, number | null>

export const valuesOf = (metric: PostMetric | MeasuredPost) =>
  Object.fromEntries(METRICS.map((name) => [name, metric[name]]))

/**
 * Starts a product with one person. Each account that they open belongs to a separate sandbox user, numbered from
 * `users`.
 */
export function useFigures(users: number, settings: Record<string, string> = {}) {
  const env = { TIME_SCALE: '20', DEFAULT_PLAN: 'business', ...settings }
  const { product, sql, sandbox } = useProduct({ env, own: true })
  let ann: Person
  let people = users

  beforeAll(async () => {
    ann = await newPerson(product.url)
  })
  beforeEach(async () => {
    await call(sandbox.url, 'DELETE', '/faults')
    await call(sandbox.url, 'POST', '/metrics', {})
    await sql.query('delete from metric_gone; delete from network_call')
  })

  /** Moves the clocks of the product and of the networks together. */
  async function pass(milliseconds: number): Promise<void> {
    await call(sandbox.url, 'POST', '/clock', { advanceMs: milliseconds })
    await sql.query('update app_clock set shift = shift + make_interval(secs => $1::float8 / 1000)', [milliseconds])
  }

  /** Reads an account once. */
  async function sync({ id }: Pick<SocialAccount, 'id'>): Promise<void> {
    const key = `sync:${id}`
    const run = async () => {
      await addJob(sql, 'analytics-sync', { accountId: id }, { workspaceId: ann.workspaceId, key })
    }
    await run()
    await eventually(async () => {
      const { rows } = await sql.query<{ error: string | null; waits: boolean }>(
        'select last_error as error, run_at > now() as waits from graphile_worker.jobs where key = $1',
        [key],
      )
      if (rows[0]?.error) throw new Error(rows[0].error)
      return rows.every(({ waits }) => waits)
    })
    const { isLater } = await eventually(async () => {
      const { rows } = await sql.query<{ isLater: boolean }>(
        'select next_at > app_now() as "isLater" from account_sync where account_id = $1 and lease_until is null',
        [id],
      )
      return rows[0]
    })
    // A reading that schedules the next one immediately would never end.
    expect(isLater).toBe(true)
  }

  /** Returns all readings of a post. */
  async function metricsOf(post: Pick<Post, 'id'>): Promise<Metrics> {
    const data: PostMetric[] = []
    for (let cursor = ''; ;) {
      const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
      const page = await ann.must<Page<PostMetric> & Metrics>('GET', `/posts/${post.id}/metrics?${query}`)
      data.push(...page.data)
      if (page.nextCursor === null) return { data, posts: page.posts }
      cursor = page.nextCursor
    }
  }

  const truthAt = async (externalId: string, at: string) => {
    const { status, body } = await call<{ values: Record<string, number | null> }>(
      sandbox.url,
      'GET',
      `/metrics?id=${encodeURIComponent(externalId)}&at=${at}`,
    )
    expect(status).toBe(200)
    return body.values
  }

  /**
   * Keeps the days of an account from being read with its posts. By default, they are read at nine by the networks'
   * clock.
   */
  async function readOnlyPosts({ id }: SocialAccount): Promise<void> {
    await sql.query(
      `insert into account_sync (workspace_id, account_id, days_at)
        select workspace_id, id, app_now() + interval '5 years' from social_account where id = $1
        on conflict (workspace_id, account_id) do update set days_at = excluded.days_at`,
      [id],
    )
  }

  /** Makes the days of an account due too, as after connecting. */
  async function readDaysToo({ id }: SocialAccount): Promise<void> {
    await sql.query('update account_sync set days_at = null, found_at = null where account_id = $1', [id])
  }

  async function open(platform: SocialAccount['platform'], more: object = {}) {
    people += 1
    const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
    const before = new Set(data.map(({ id }) => id))
    // Connecting takes two requests, between which the clock must not leap.
    await untilClockKnown(sql, ann)
    const account = (await connect(ann, platform, `u${people}`)).find(({ id }) => !before.has(id))!
    await readOnlyPosts(account)
    let texts = 0
    const publish = async (over: object = {}): Promise<Post> => {
      texts += 1
      const { id } = await ann.must<Post>('POST', '/posts', {
        caption: `Post ${texts} of ${people}`,
        targets: [account.id],
        action: 'publish',
        ...more,
        ...over,
      })
      await untilStatus(ann, id, ['PUBLISHED'], 60_000)
      return named(id)
    }
    return { account, publish }
  }

  /** Returns the post once its external id is known. Some networks return the id only when asked again. */
  const named = (id: string): Promise<Post> =>
    eventually(
      async () => {
        const post = await ann.must<Post>('GET', `/posts/${id}`)
        const [publication] = post.publications
        if (publication?.externalId) return post
        await addJob(
          sql,
          'id-lookup',
          { publicationId: publication?.id, looked: 0 },
          { workspaceId: ann.workspaceId, key: `id:${publication?.id}` },
        )
        return undefined
      },
      60_000,
      500,
    )

  const now = async () => (await sql.query<{ now: Date }>('select app_now() as now')).rows[0]!.now

  /** Prevents all other calls for an account: readings of its inbox, and checks of its subscription. */
  async function alone({ id }: SocialAccount): Promise<void> {
    await sql.query(
      `insert into inbox_reading (workspace_id, account_id, read_at)
        select workspace_id, id, app_now() + interval '5 years' from social_account where id = $1
        on conflict (workspace_id, account_id) do update set read_at = excluded.read_at`,
      [id],
    )
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `update webhook_subscription set checked_at = app_now() + interval '5 years' where account_id = $1`,
        [id],
      )
      return rowCount === 1
    })
  }

  /** Opens an account whose days are due as after connecting, and for whose person nothing else calls the network. */
  async function connected(platform: SocialAccount['platform']): Promise<SocialAccount> {
    const { account } = await open(platform)
    await eventually(async () => {
      const { rowCount } = await sql.query('select from graphile_worker.jobs where key = $1', [`flight:${account.id}`])
      return rowCount === 0
    })
    await alone(account)
    await sync(account)
    await readDaysToo(account)
    return account
  }

  /**
   * Moves the clocks past nine, when the days of accounts are read: a new day has just begun in California. Then it adds
   * days, in the same step.
   */
  async function atNine(days = 0): Promise<void> {
    const at = await now()
    const nine = Date.parse(`${at.toISOString().slice(0, 10)}T09:00:00Z`) + 60_000
    await pass((nine > at.getTime() ? nine : nine + DAY) - at.getTime() + days * DAY)
  }

  const daysOf = async ({ id }: SocialAccount): Promise<DayRow[]> => {
    const { rows } = await sql.query<DayRow>(
      `select day::text, ends_at as "endsAt", read_at as "readAt", source, followers::int, reach::int, reach_7::int as reach7,
        reach_28::int as reach28, impressions::int, engagement::int from account_metric where account_id = $1 order by day`,
      [id],
    )
    return rows
  }

  /** The minutes until an account is read again. */
  const waitOf = async ({ id }: SocialAccount) => {
    const { rows } = await sql.query<{ minutes: number }>(
      `select extract(epoch from next_at - app_now())::float8 / 60 as minutes from account_sync where account_id = $1`,
      [id],
    )
    return rows[0]!.minutes
  }

  const calls = async (account: SocialAccount) => {
    const { rows } = await sql.query<{ calls: number }>(
      `select coalesce(sum(c.calls), 0)::int as calls from network_call c join social_account a on a.network_user = c.user_key
      where a.id = $1`,
      [account.id],
    )
    return rows[0]!.calls
  }

  return {
    product,
    sql,
    sandbox,
    person: () => ann,
    user: () => `u${people}`,
    nextUser: () => `u${(people += 1)}`,
    pass,
    sync,
    metricsOf,
    truthAt,
    open,
    alone,
    readDaysToo,
    readOnlyPosts,
    connected,
    atNine,
    daysOf,
    now,
    waitOf,
    calls,
  }
}
