import { AppError } from '../../core/errors.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { MeasuredPost, PostMetric } from './api.ts'
import { valuesShape } from './values.ts'

/** Lists what the networks reported about a live post, oldest day first. Throws `not_found`, `validation_failed`. */
export async function listPostMetrics(
  scope: Scope,
  postId: string,
  request: PageRequest,
): Promise<Page<PostMetric> & { posts: MeasuredPost[] }> {
  const byDay = pageBy<{ json: PostMetric }>(
    [
      [sql`m.day`, 'date'],
      [sql`live.publication_id`, 'uuid'],
    ],
    request,
    ({ json: { day, publicationId } }) => [day, publicationId],
    'asc',
  )
  const ofPost = sql`from publication t join measured_post p on p.workspace_id = t.workspace_id and p.delivery_id = t.id
      where t.workspace_id = ${scope.workspaceId} and t.post_id = ${postId} and t.dropped_at is null`
  const [[post], metrics, measured] = await scope.read(
    query`select from post where workspace_id = ${scope.workspaceId} and id = ${postId} and deleted_at is null`,
    query<{ json: PostMetric }>`with live as (select p.workspace_id, p.id, t.id as publication_id, p.account_id,
        p.published_at ${ofPost})
      select json_build_object('publicationId', live.publication_id, 'accountId', live.account_id, 'day', m.day,
        'readAt', iso(m.read_at), 'ageHours', m.age_hours, ${valuesShape('m')}) as json
      from live join post_metric m on m.workspace_id = live.workspace_id and m.post_id = live.id
        and m.day >= (live.published_at - interval '1 day')::date
      where ${byDay.rows}`,
    query<{ json: MeasuredPost }>`with live as (select t.position, p.* ${ofPost})
      select json_build_object('id', m.id, 'accountId', m.account_id, 'accountName', a.name, 'platform', a.platform,
        'publicationId', m.delivery_id, 'externalId', m.external_id, 'kind', m.kind, 'caption', m.caption,
        'permalink', m.permalink, 'publishedAt', iso(m.published_at), ${valuesShape('m')}, 'knownAt', m.known_at,
        'readAt', iso(m.read_at), 'nextReadAt', iso(m.next_read_at), 'goneAt', iso(m.gone_at),
        'unmeasurable', m.unmeasurable) as json
      from live m join social_account a on a.workspace_id = m.workspace_id and a.id = m.account_id
      order by m.position, m.id`,
  )
  if (!post) throw new AppError('not_found')
  const { data, nextCursor } = byDay.of(metrics)
  return { data: data.map(({ json }) => json), nextCursor, posts: measured.map(({ json }) => json) }
}
