import { formatOf } from '../../assistant/ai/post-tags.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'
import { hashtagsIn } from '../../publishing/posts/compose/rules.ts'
import { formatOfFound } from '../tags/rules.ts'
import type { Divisor, PostAge, TagDimension, TagGroups } from './api.ts'
import { groupsOf } from './groups/rules.ts'
import type { AskedPeriod } from './overview.ts'
import { checkPeriod } from './period.ts'
import { basisOf, postsBasis, ratedPosts } from './posts.ts'

/** The maximum number of groups in a list. The largest are kept. */
const MOST_GROUPS = 200
/** The maximum number of posts that are grouped. The newest are kept. */
const MOST_POSTS = 20_000

interface Row {
  accountId: string
  platform: Platform
  kind: ContentKind
  isOwn: boolean
  engagement: number
  rate: number | null
  /** The stored values. For hashtags, the text that contains them. */
  told: string[]
}

interface Found {
  posts: Row[]
  count: number
  leftOut: number
  divisor: Divisor | null
  coverage: number | null
  readAt: string | null
  nextAt: string | null
}

/**
 * The values of a post `c` in each dimension: the tags `g` of our own post, which a person may have corrected, or those
 * stored with a post made elsewhere.
 */
const TOLD = {
  topic: sql`array_remove(array[coalesce(g.topic, c.topic)], null)`,
  tone: sql`array_remove(array[coalesce(g.tone, c.tone)], null)`,
  format: sql`array_remove(array[coalesce(g.format, c.format, (select ${formatOf} from post p
    where p.workspace_id = d.workspace_id and p.id = d.post_id))], null)`,
  hashtag: sql`array[c.caption]`,
  label: sql`array(select l.name from post_label x join label l on l.workspace_id = x.workspace_id and l.id = x.label_id
    where x.workspace_id = d.workspace_id and x.post_id = d.post_id order by lower(l.name))`,
} satisfies Record<TagDimension, ReturnType<typeof sql>>

function valuesOf(by: TagDimension, { told, isOwn, kind, platform }: Row): string[] {
  if (by === 'hashtag') return told.flatMap(hashtagsIn).map((tag) => tag.toLowerCase())
  const found = by === 'format' && told.length === 0 && !isOwn ? formatOfFound(kind, platform) : null
  return found === null ? told : [found]
}

/**
 * Identifies the posts to compare with: those of the same account and kind. For formats, which follow from the kind,
 * only stories are kept apart, because they are over in a day.
 */
const likeOf = (by: TagDimension, { accountId, kind }: Row) =>
  `${accountId} ${by === 'format' ? String(kind === 'story') : kind}`

/** Returns how the posts of a period did by topic, format, tone, hashtag or label. Throws `validation_failed`. */
export async function compareTags(
  scope: Scope,
  { by, ...asked }: AskedPeriod & { by: TagDimension; at?: PostAge | undefined },
): Promise<TagGroups> {
  checkPeriod(asked)
  const [[found]] = await scope.read(query<{ json: Found }>`
    with ${ratedPosts(scope.workspaceId, asked)}, tagged as (
      select c.published_at, c.id, json_build_object('accountId', c.account_id, 'platform', c.platform, 'kind', c.kind,
        'isOwn', c.delivery_id is not null, 'engagement', c.engagement, 'rate', c.rate, 'told', ${TOLD[by]}) as post
      from rated c left join delivery d on d.workspace_id = c.workspace_id and d.id = c.delivery_id
      left join post_tags g on g.workspace_id = d.workspace_id and g.post_id = d.post_id
      where c.engagement is not null order by c.published_at desc, c.id limit ${MOST_POSTS}
    )
    select (select json_build_object(${postsBasis}, 'count', count(engagement),
        'leftOut', count(*) filter (where engagement is null)) from chosen)::jsonb
      || jsonb_build_object('divisor', (select name from divisor),
        'posts', coalesce((select jsonb_agg(post order by published_at desc, id) from tagged), '[]')) as json`)
  const { count, leftOut, divisor } = found!.json
  const posts = found!.json.posts.map((post) => ({ ...post, values: valuesOf(by, post), like: likeOf(by, post) }))
  const groups = groupsOf(posts)
  const kept = new Set(groups.toSorted((a, b) => b.n - a.n).slice(0, MOST_GROUPS))
  return {
    data: groups.filter((group) => kept.has(group)),
    nextCursor: null,
    count,
    untagged: posts.filter(({ values }) => values.length === 0).length,
    leftOut,
    divisor,
    basis: basisOf(found!.json),
  }
}
