import { AppError, invalid } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import { countWith, within } from '../../core/platform/limits.ts'
import { readOnlyFaults } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { PostTags, PostTagsChange } from './api.ts'
import { tagsByRules } from './tags/rules.ts'

// What posts are about. The model or rules tag a post once it is live (insights/tags); people can correct the tags.

/** The maximum number of texts of a workspace that the model tags in a day, since nobody pays for it. */
const TAGS_A_DAY = 100

/** The limit that counts these texts. */
export const tagLimit = ({ workspaceId }: Scope | Tx) => ({
  key: `tags ${workspaceId}`,
  tries: TAGS_A_DAY,
  seconds: 86_400,
})

/** Counts a text for the model to tag. Returns whether the workspace has one left. */
export const mayTag = (tx: Tx): Promise<boolean> => within(countWith(tx, tagLimit(tx)))

/** The format of a post `p`, from its media. */
export const formatOf = sql`(select case when count(*) filter (where f.kind = 'VIDEO') > 0 then 'video'
    when count(*) > 1 then 'carousel' when count(*) = 1 then 'picture' else 'text' end
  from post_media x join media_file f on f.workspace_id = x.workspace_id and f.id = x.media_file_id
  where x.workspace_id = p.workspace_id and x.post_id = p.id)`

const tagsOf = (workspaceId: string, postId: string) => query<{
  json: PostTags
}>`select json_build_object('postId', post_id, 'topic', topic, 'format', format, 'tone', tone, 'source', source,
  'taggedAt', iso(tagged_at)) as json from post_tags where workspace_id = ${workspaceId} and post_id = ${postId}`

/** Returns the tags of a post, or null before it is tagged. Throws `not_found`. */
export async function getPostTags(scope: Scope, id: string): Promise<{ data: PostTags | null }> {
  const [[post], [tags]] = await scope.read(
    query`select from post where workspace_id = ${scope.workspaceId} and id = ${id} and deleted_at is null`,
    tagsOf(scope.workspaceId, id),
  )
  if (!post) throw new AppError('not_found')
  return { data: tags?.json ?? null }
}

const CHANGEABLE = ['topic', 'format', 'tone'] as const

/**
 * Sets the tags of a live post by hand. They are never overwritten automatically. A change to the same tags keeps
 * their source and time. Throws `not_found`, `validation_failed`, and `invalid_state` before the post is live.
 */
export async function setPostTags(
  scope: Scope,
  id: string,
  change: PostTagsChange,
): Promise<{ data: PostTags | null }> {
  return scope.transaction(async (tx) => {
    const post = await tx.one(
      query<{
        status: string
        caption: string
        format: PostTags['format']
      }>`select p.status, p.caption, ${formatOf} as format
        from post p where p.workspace_id = ${tx.workspaceId} and p.id = ${id} and p.deleted_at is null for update`,
      'not_found',
    )
    const [before] = await tx.run(tagsOf(tx.workspaceId, id))
    const faults = readOnlyFaults(change, before?.json ?? { postId: id }, CHANGEABLE)
    if (faults.length > 0) throw invalid(...faults)
    if (post.status !== 'PUBLISHED' && post.status !== 'PARTIALLY_PUBLISHED') {
      throw new AppError('invalid_state', 'Tags can be corrected once the post is live.', {
        current: post.status,
        allowed: [],
      })
    }
    const known = before?.json ?? { ...tagsByRules(post.caption, []), format: post.format }
    const next = { ...known, ...change }
    if (before && CHANGEABLE.every((field) => next[field] === before.json[field])) return { data: before.json }
    const { topic, format, tone } = next
    await keepTags(tx, { postId: id, caption: post.caption, topic, format, tone, source: 'person' })
    const [after] = await tx.run(tagsOf(tx.workspaceId, id))
    return { data: after?.json ?? null }
  })
}

/** Saves the tags of a post. Tags set by a person are only replaced by a person. */
export async function keepTags(
  tx: Tx,
  { postId, caption, topic, format, tone, source }: Omit<PostTags, 'taggedAt'> & { caption: string },
): Promise<void> {
  await tx.run(query`insert into post_tags as t (workspace_id, post_id, topic, format, tone, source, tagged_at, caption_hash)
    select p.workspace_id, p.id, ${topic}, ${format}, ${tone}, ${source}, ${tx.now}, sha256(convert_to(${caption}, 'UTF8'))
    from post p where p.workspace_id = ${tx.workspaceId} and p.id = ${postId} and p.deleted_at is null
    on conflict (workspace_id, post_id) do update set topic = excluded.topic, format = excluded.format, tone = excluded.tone,
      source = excluded.source, tagged_at = excluded.tagged_at, caption_hash = excluded.caption_hash
      where t.source <> 'person' or excluded.source = 'person'`)
  tx.emit({ kind: 'post', id: postId })
}
