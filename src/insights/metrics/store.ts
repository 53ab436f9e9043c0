import { METRICS } from '../../networks/api.ts'
import type { ContentKind, PostsRead } from '../../networks/network.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { nextReading } from './rules.ts'

/** A post is gone if the network still does not find it after this time. */
const GONE_AFTER = 86_400_000

/** A story never ends before this age, however much the clocks of two machines differ. */
const LAST_HOUR = 23 * 3_600_000

/**
 * The times of those figures of a post `p` that are kept from earlier, because the network now reports `t` without
 * them.
 */
const knownAt = sql`(select coalesce(jsonb_object_agg(k.name, coalesce(p.known_at -> k.name, to_jsonb(iso(p.read_at)))), '{}')
  from (values ('reach', t.reach, p.reach), ('impressions', t.impressions, p.impressions), ('likes', t.likes, p.likes),
    ('comments', t.comments, p.comments), ('shares', t.shares, p.shares), ('saves', t.saves, p.saves),
    ('videoViews', t.video_views, p.video_views)) k(name, told, was) where k.told is null and k.was is not null)`

interface Reading {
  accountId: string
  due: readonly { externalId: string; kind: ContentKind; publishedAt: Date }[]
  found: PostsRead
  readAt: Date
}

/**
 * Stores what a network reported about posts, and plans their next reading. A reading older than the stored one changes
 * nothing, so repeated and late answers do no harm.
 */
export async function storeReadings(scope: Scope, { accountId, due, found, readAt }: Reading): Promise<void> {
  const { missing, refused } = found
  // A single statement cannot store two readings of the same post.
  const readings = [...new Map(found.readings.map((reading) => [reading.id, reading])).values()]
  if (readings.length + missing.length + refused.length === 0) return
  const column = (metric: (typeof METRICS)[number]) => readings.map(({ values }) => values[metric])
  await scope.transaction(async (tx) => {
    const [known] = await tx.together(() => [
      tx.run(query<{ externalId: string; kind: ContentKind; publishedAt: Date }>`
        select external_id, kind, published_at from measured_post where workspace_id = ${tx.workspaceId}
          and account_id = ${accountId} and external_id = any (${readings.map(({ id }) => id)}::text[]) order by id for update`),
      tx.run(query`select post_metric_month((${readAt}::timestamptz at time zone timezone)::date) from workspace
        where id = ${tx.workspaceId}`),
    ])
    const posts = new Map(known.map((post) => [post.externalId, post]))
    const next = readings.map(({ id, kind }) => {
      const post = posts.get(id)
      return post ? nextReading({ ...post, kind: kind ?? post.kind }, readAt) : null
    })
    const changed = await tx.run(query<{ postId: string | null }>`
      with told as (
        select p.id, p.published_at, p.delivery_id, r.* from unnest(${readings.map(({ id }) => id)}::text[],
            ${readings.map(({ kind }) => kind)}::text[], ${readings.map((each) => each.unmeasurable)}::boolean[],
            ${next}::timestamptz[], ${column('reach')}::bigint[], ${column('impressions')}::bigint[],
            ${column('likes')}::bigint[], ${column('comments')}::bigint[], ${column('shares')}::bigint[],
            ${column('saves')}::bigint[], ${column('videoViews')}::bigint[])
          as r(external_id, kind, unmeasurable, next_read_at, reach, impressions, likes, comments, shares, saves, video_views)
        join measured_post p on p.workspace_id = ${tx.workspaceId} and p.account_id = ${accountId}
          and p.external_id = r.external_id
      ), stored as (
        insert into post_metric as m (workspace_id, post_id, day, read_at, age_hours, reach, impressions, likes, comments, shares,
          saves, video_views)
        select ${tx.workspaceId}, t.id, (${readAt}::timestamptz at time zone w.timezone)::date, ${readAt},
          extract(epoch from ${readAt}::timestamptz - t.published_at) / 3600, t.reach, t.impressions, t.likes, t.comments,
          t.shares, t.saves, t.video_views
        from told t join workspace w on w.id = ${tx.workspaceId}
        on conflict (workspace_id, post_id, day) do update set read_at = excluded.read_at, age_hours = excluded.age_hours,
          reach = excluded.reach, impressions = excluded.impressions, likes = excluded.likes, comments = excluded.comments,
          shares = excluded.shares, saves = excluded.saves, video_views = excluded.video_views
          where excluded.read_at > m.read_at
      ), latest as (
        update measured_post p set kind = coalesce(t.kind, p.kind), unmeasurable = t.unmeasurable, read_at = ${readAt},
          next_read_at = t.next_read_at, missing_at = null, gone_at = null,
          reach = coalesce(t.reach, p.reach), impressions = coalesce(t.impressions, p.impressions),
          likes = coalesce(t.likes, p.likes), comments = coalesce(t.comments, p.comments),
          shares = coalesce(t.shares, p.shares), saves = coalesce(t.saves, p.saves),
          video_views = coalesce(t.video_views, p.video_views),
          known_at = ${knownAt}
        from told t where p.workspace_id = ${tx.workspaceId} and p.id = t.id and (p.read_at is null or p.read_at < ${readAt})
        returning p.delivery_id
      )
      select d.post_id from latest l join delivery d on d.workspace_id = ${tx.workspaceId} and d.id = l.delivery_id`)
    for (const { postId } of changed) if (postId) tx.emit({ kind: 'post', id: postId })
    if (missing.length > 0)
      await tx.run(query`update measured_post set
        gone_at = case when missing_at <= ${new Date(readAt.getTime() - GONE_AFTER)} then ${readAt}::timestamptz end,
        next_read_at = case when missing_at is null then ${new Date(readAt.getTime() + GONE_AFTER)}::timestamptz
          when missing_at > ${new Date(readAt.getTime() - GONE_AFTER)}
            then missing_at + ${`${GONE_AFTER} milliseconds`}::interval end,
        missing_at = coalesce(missing_at, ${readAt})
      where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and external_id = any (${missing}::text[])
        and gone_at is null`)
    const postponed = due.filter(({ externalId }) => refused.includes(externalId))
    if (postponed.length > 0)
      await tx.run(query`update measured_post p set next_read_at = r.at
      from unnest(${postponed.map(({ externalId }) => externalId)}::text[],
        ${postponed.map((post) => nextReading(post, readAt))}::timestamptz[]) as r(external_id, at)
      where p.workspace_id = ${tx.workspaceId} and p.account_id = ${accountId} and p.external_id = r.external_id`)
  })
}

interface StoryEnd {
  externalId: string
  at: string
  reach: number | null
  impressions: number | null
}

/**
 * Stores the final figures that a network reports when the day of a story is over, even if a reading came too late and
 * found none. They cover less than a reading, so other figures of the story stay, with their times. Repeatable.
 */
export async function storeStoryEnd(scope: Scope, accountId: string, story: StoryEnd): Promise<void> {
  const { externalId, at, reach, impressions } = story
  if (reach === null && impressions === null) return
  await scope.transaction(async (tx) => {
    await tx.run(query`select post_metric_month((${at}::timestamptz at time zone timezone)::date) from workspace
      where id = ${tx.workspaceId}`)
    const [ended] = await tx.run(query<{ postId: string | null }>`
      with ended as (
        update measured_post p set read_at = greatest(read_at, ${at}), next_read_at = null,
          reach = coalesce(t.reach, p.reach), impressions = coalesce(t.impressions, p.impressions), known_at = ${knownAt}
        from (values (${reach}::bigint, ${impressions}::bigint, null::bigint, null::bigint, null::bigint, null::bigint,
          null::bigint)) as t(reach, impressions, likes, comments, shares, saves, video_views)
        where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and external_id = ${externalId} and kind = 'story'
          and published_at <= ${new Date(Date.parse(at) - LAST_HOUR)}
        returning id, published_at, delivery_id
      ), stored as (
        insert into post_metric as m (workspace_id, post_id, day, read_at, age_hours, reach, impressions)
        select ${tx.workspaceId}, e.id, (${at}::timestamptz at time zone w.timezone)::date, ${at},
          extract(epoch from ${at}::timestamptz - e.published_at) / 3600, ${reach}, ${impressions}
        from ended e join workspace w on w.id = ${tx.workspaceId}
        on conflict (workspace_id, post_id, day) do update set read_at = greatest(m.read_at, excluded.read_at),
          age_hours = greatest(m.age_hours, excluded.age_hours),
          reach = coalesce(excluded.reach, m.reach), impressions = coalesce(excluded.impressions, m.impressions)
      )
      select d.post_id from ended e join delivery d on d.workspace_id = ${tx.workspaceId} and d.id = e.delivery_id`)
    if (ended?.postId) tx.emit({ kind: 'post', id: ended.postId })
  })
}
