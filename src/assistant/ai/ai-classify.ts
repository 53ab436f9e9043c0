import { query } from '../../core/platform/db.ts'
import { countTry, within } from '../../core/platform/limits.ts'
import type { Model } from '../../core/platform/model/model.ts'
import { ModelError } from '../../core/platform/model/model.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PostTags } from './api.ts'
import { classify } from './ai-write.ts'
import { findLanguage } from './ai-language.ts'
import { formatOf, keepTags, tagLimit } from './post-tags.ts'
import { tagsByRules } from './tags/rules.ts'

const TIME_LIMIT = 60_000

/** What is known about the workspace whose texts are tagged. */
export interface TagContext {
  language: string
  /** Its topics so far, most used first. */
  topics: readonly string[]
}

/**
 * Finds the topic and tone of a text: by the model while the workspace has texts left today, else by rules. A text that
 * the model refuses is also tagged by rules. Throws other errors of the model.
 */
export async function tagText(
  scope: Scope,
  { model }: { model: Model },
  text: string,
  { language, topics }: TagContext,
  stopping?: AbortSignal,
): Promise<Pick<PostTags, 'topic' | 'tone' | 'source'>> {
  const byModel = model.configured && (await within(countTry(scope, tagLimit(scope))))
  const told = byModel ? await classifyWithModel({ model }, text, { language, topics }, stopping) : undefined
  return told ? { ...told, source: 'model' } : { ...tagsByRules(text, topics), source: 'rules' }
}

/** Asks the model for the topic and tone of a text. Returns undefined if the model refuses; throws its other errors. */
async function classifyWithModel(
  ports: { model: Model },
  text: string,
  { language, topics }: TagContext,
  stopping?: AbortSignal,
) {
  const signal = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT), ...(stopping ? [stopping] : [])])
  const named = findLanguage(language) ?? { code: 'en', name: 'English' }
  return classify(ports, { caption: text, language: named, known: topics }, signal).catch((error: unknown) => {
    if (error instanceof ModelError && error.kind === 'refused') return undefined
    throw error
  })
}

/** Tags a post made with AI by the model, even before it is live. If the model refuses, the post stays untagged. */
export async function classifyPost(
  scope: Scope,
  ports: { model: Model },
  postId: string,
  stopping?: AbortSignal,
): Promise<void> {
  if (!ports.model.configured) return
  const [[post]] = await scope.read(
    query<{
      caption: string
      language: string
      format: PostTags['format']
    }>`select p.caption, w.language, ${formatOf} as format
      from post p join workspace w on w.id = p.workspace_id
      where p.workspace_id = ${scope.workspaceId} and p.id = ${postId} and p.deleted_at is null`,
  )
  if (!post || post.caption.trim() === '') return
  const { caption, language, format } = post
  const told = await classifyWithModel(ports, caption, { language, topics: [] }, stopping)
  if (!told) return
  await scope.transaction((tx) => keepTags(tx, { postId, caption, format, ...told, source: 'model' }))
}
