import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { ZONE } from './world.ts'

type Sql = Pick<Pool, 'query'>
type Values = Partial<
  Record<'impressions' | 'engagement' | 'reach' | 'followers' | 'reach_7' | 'reach_28', number | null>
>

const DAY = 86_400_000

/** Returns the day that is `days` days after today, in the time zone of new people's workspaces. */
export const inDays = (days: number) => {
  const today = new Date().toLocaleDateString('sv', { timeZone: ZONE })
  return new Date(Date.parse(today) + days * DAY).toISOString().slice(0, 10)
}

/**
 * Holds the leases of a workspace's accounts, so that no process reads them and the data of a test stays unchanged.
 * Their first reading counts as complete, unless `state` is `new`.
 */
export async function holdReadings(sql: Sql, workspaceId: string, state: 'read' | 'new' = 'read'): Promise<void> {
  await sql.query(
    `insert into account_sync as s (workspace_id, account_id, lease_until, days_at, found_at)
      select a.workspace_id, a.id, 'infinity', r.at, r.at from social_account a,
        (select case when $2 = 'read' then now() end as at) r
      where a.workspace_id = $1 on conflict (workspace_id, account_id)
      do update set lease_until = 'infinity', days_at = excluded.days_at, found_at = excluded.found_at`,
    [workspaceId, state],
  )
  await sql.query(`select graphile_worker.remove_job('sync:' || id) from social_account where workspace_id = $1`, [
    workspaceId,
  ])
  await sql.query(`delete from account_metric where workspace_id = $1`, [workspaceId])
}

/** Writes days of an account, starting at `from`. A null day gets no row. */
export async function tellDays(
  sql: Sql,
  { workspaceId, accountId, from }: { workspaceId: string; accountId: string; from: string },
  days: readonly (Values | null)[],
): Promise<void> {
  const rows = days.flatMap((values, index) =>
    values ? [{ day: new Date(Date.parse(from) + index * DAY).toISOString().slice(0, 10), ...values }] : [],
  )
  await sql.query(
    `insert into account_metric (workspace_id, account_id, day, ends_at, followers, reach, reach_7, reach_28, impressions, engagement,
        source, read_at)
      select $1, $2, r.day, r.day + interval '32 hours', r.followers, r.reach, r.reach_7, r.reach_28, r.impressions, r.engagement,
        'network', least(r.day + interval '60 hours', now())
      from json_populate_recordset(null::account_metric, $3) r
      on conflict (workspace_id, account_id, day) do update set followers = excluded.followers, reach = excluded.reach,
        impressions = excluded.impressions, engagement = excluded.engagement`,
    [workspaceId, accountId, JSON.stringify(rows)],
  )
}

export interface ToldPost {
  kind?: string
  caption?: string
  publishedAt: Date
  /** The publication that the post belongs to, or absent for a post made elsewhere. */
  publicationId?: string
  /** The topic of a post made elsewhere. */
  topic?: string
  format?: string
  /** The figures by the hours after publishing. */
  readings: Readonly<Record<number, Readonly<Record<string, number | null>>>>
}

/** Writes a live post of an account with its readings. Returns its id. */
export async function tellPost(
  sql: Sql,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  { kind = 'post', caption = 'A post', publishedAt, readings, publicationId, topic, format }: ToldPost,
): Promise<string> {
  const id = randomUUID()
  const rows = Object.entries(readings).map(([hours, values]) => ({
    age_hours: Number(hours),
    read_at: new Date(publishedAt.getTime() + Number(hours) * 3_600_000),
    ...values,
  }))
  rows.sort((a, b) => a.age_hours - b.age_hours)
  const last = rows.at(-1)
  await sql.query(
    `insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, published_at, read_at, reach, impressions,
        likes, comments, shares, saves, video_views, delivery_id, topic, format)
      select $1, $3::uuid, $2, $3::uuid::text, $4, $5, $6, r.read_at, r.reach, r.impressions, r.likes, r.comments, r.shares, r.saves, r.video_views, $8, $9, $10
      from json_populate_record(null::post_metric, $7) r`,
    [workspaceId, accountId, id, kind, caption, publishedAt, JSON.stringify(last ?? {}), publicationId, topic, format],
  )
  await sql.query(`select post_metric_month(r.read_at::date) from json_populate_recordset(null::post_metric, $1) r`, [
    JSON.stringify(rows),
  ])
  await sql.query(
    `insert into post_metric (workspace_id, post_id, day, read_at, age_hours, reach, impressions, likes, comments, shares, saves,
        video_views)
      select $1, $2, (r.read_at at time zone w.timezone)::date, r.read_at, r.age_hours, r.reach, r.impressions, r.likes, r.comments,
        r.shares, r.saves, r.video_views
      from json_populate_recordset(null::post_metric, $3) r join workspace w on w.id = $1`,
    [workspaceId, id, JSON.stringify(rows)],
  )
  return id
}
