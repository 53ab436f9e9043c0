import { query } from '../../core/platform/db.ts'
import type { Model } from '../../core/platform/model/model.ts'
import { ModelError } from '../../core/platform/model/model.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PostTags } from './api.ts'
import { classify } from './ai-write.ts'
import { findLanguage } from './ai-language.ts'

const LONGEST = 60_000

/** Says what a post made with AI is about, by the model, and what kind it is, by its media. A model that refuses leaves it untagged. */
export async function classifyPost(
  scope: Scope,
  ports: { model: Model },
  postId: string,
  stopping?: AbortSignal,
): Promise<void> {
  if (!ports.model.configured) return
  const [[post]] = await scope.read(
    query<{ caption: string; language: string; format: PostTags['format'] }>`select p.caption, w.language,
        case when m.videos > 0 then 'video' when m.files > 1 then 'carousel' when m.files = 1 then 'picture' else 'text' end as format
      from post p join workspace w on w.id = p.workspace_id
      cross join lateral (select count(*) as files, count(*) filter (where f.kind = 'VIDEO') as videos from post_media x
        join media_file f on f.workspace_id = x.workspace_id and f.id = x.media_file_id
        where x.workspace_id = p.workspace_id and x.post_id = p.id) m
      where p.workspace_id = ${scope.workspaceId} and p.id = ${postId} and p.deleted_at is null`,
  )
  if (!post || post.caption.trim() === '') return
  const signal = AbortSignal.any([AbortSignal.timeout(LONGEST), ...(stopping ? [stopping] : [])])
  const language = findLanguage(post.language) ?? { code: 'en', name: 'English' }
  const told = await classify(ports, post.caption, language, signal).catch((error: unknown) => {
    if (error instanceof ModelError && error.kind === 'refused') return undefined
    throw error
  })
  if (!told) return
  await scope.transaction(async (tx) => {
    await tx.run(query`insert into post_tags (workspace_id, post_id, topic, format, tone, tagged_at, caption_hash)
      select p.workspace_id, p.id, ${told.topic}, ${post.format}, ${told.tone}, ${tx.now},
        sha256(convert_to(${post.caption}, 'UTF8')) from post p
      where p.workspace_id = ${tx.workspaceId} and p.id = ${postId} and p.deleted_at is null
      on conflict (workspace_id, post_id) do update set topic = excluded.topic, format = excluded.format,
        tone = excluded.tone, tagged_at = excluded.tagged_at, caption_hash = excluded.caption_hash`)
    tx.emit({ kind: 'post', id: postId })
  })
}
