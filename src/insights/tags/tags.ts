import { type TagContext, tagText } from '../../assistant/ai/ai-classify.ts'
import type { PostTags } from '../../assistant/ai/api.ts'
import { formatOf, keepTags } from '../../assistant/ai/post-tags.ts'
import { query } from '../../core/platform/db.ts'
import { type Model, ModelError } from '../../core/platform/model/model.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'
import { keepFoundTags } from '../metrics/tags.ts'
import { formatOfFound } from './rules.ts'

// Tags every live post with a caption. Tags of our posts are in `post_tags`, and those of posts made elsewhere are
// stored with their figures.

/** How many posts are read at a time. */
const ROUND = 50
/** The maximum number of topics that the model gets. */
const TOPICS = 30

/** How far back our own live posts are searched. After a longer outage of the service, older ones stay untagged. */
const LOOKED_BACK = '30 days'

/** Enqueues the tagging of every workspace with untagged posts. */
export async function sweepTags(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const workspaces = await scopes.ask(
    'metrics',
    query<{ id: string }>`select w.id from workspace w where w.deleted_at is null and w.id in (
      select m.workspace_id from measured_post m
        where m.topic is null and m.delivery_id is null and m.caption <> '' and m.gone_at is null
      union select d.workspace_id from delivery d
        join post p on p.workspace_id = d.workspace_id and p.id = d.post_id and p.caption <> '' and p.deleted_at is null
        where d.kind = 'post' and d.state = 'PUBLISHED' and d.external_id is not null and d.dropped_at is null
          and d.published_at > app_now() - ${LOOKED_BACK}::interval
          and not exists (select from post_tags t where t.workspace_id = d.workspace_id and t.post_id = d.post_id))`,
  )
  for (const { id } of workspaces) {
    await scopes
      .scope(id, scope.actor)
      .transaction(async (tx) => void tx.enqueue('post-classify', { own: true }, { key: `classify:${id}` }))
  }
}

/** After this many consecutive errors of the model, the rest waits for the next sweep. */
const ERRORS = 3

/**
 * Tags the untagged live posts of a workspace, newest first. A post on which the model fails waits for the next sweep.
 */
export async function tagPosts(scope: Scope, ports: { model: Model }, stopping?: AbortSignal): Promise<void> {
  const context = await contextOf(scope)
  const failed: string[] = []
  let errors = 0
  const tag = async (id: string, caption: string, keep: (tags: TextTags) => Promise<unknown>) => {
    if (stopping?.aborted || errors === ERRORS) return
    try {
      const tags = await tagText(scope, ports, caption, context, stopping)
      await keep(tags)
      remember(context, tags.topic)
      errors = 0
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      scope.log.warn({ kind: error.kind, id }, 'the model could not tag a post')
      failed.push(id)
      errors += 1
    }
  }
  while (!stopping?.aborted && errors < ERRORS) {
    const own = await untagged(scope, failed)
    const found = own.length < ROUND ? await untaggedFound(scope, failed) : []
    if (own.length + found.length === 0) return
    for (const { postId, caption, format } of own) {
      await tag(postId, caption, (tags) =>
        scope.transaction((tx) => keepTags(tx, { postId, caption, format, ...tags })),
      )
    }
    for (const { id, caption, kind, platform } of found) {
      await tag(id, caption, ({ topic, tone }) =>
        keepFoundTags(scope, id, { topic, tone, format: formatOfFound(kind, platform) }),
      )
    }
  }
}

function remember({ topics }: { topics: string[] }, topic: string): void {
  if (topics.length < TOPICS && !topics.includes(topic)) topics.push(topic)
}

async function contextOf(scope: Scope): Promise<TagContext & { topics: string[] }> {
  const [[workspace], topics] = await scope.read(
    query<{ language: string }>`select language from workspace where id = ${scope.workspaceId}`,
    query<{ topic: string }>`select topic from (
        select topic from post_tags where workspace_id = ${scope.workspaceId}
        union all select topic from measured_post where workspace_id = ${scope.workspaceId} and topic is not null
      ) t group by topic order by count(*) desc, topic limit ${TOPICS}`,
  )
  return { language: workspace?.language ?? 'en', topics: topics.map(({ topic }) => topic) }
}

type TextTags = Awaited<ReturnType<typeof tagText>>

interface Untagged {
  postId: string
  caption: string
  format: PostTags['format']
}

async function untagged(scope: Scope, failed: readonly string[]): Promise<Untagged[]> {
  const [posts] = await scope.read(query<Untagged>`select p.id as post_id, p.caption, ${formatOf} as format from post p
    where p.workspace_id = ${scope.workspaceId} and p.status in ('PUBLISHED', 'PARTIALLY_PUBLISHED') and p.caption <> ''
      and p.deleted_at is null and p.id <> all (${failed}::uuid[])
      and not exists (select from post_tags t where t.workspace_id = p.workspace_id and t.post_id = p.id)
    order by p.published_at desc limit ${ROUND}`)
  return posts
}

async function untaggedFound(scope: Scope, failed: readonly string[]) {
  const [posts] = await scope.read(query<{
    id: string
    caption: string
    kind: ContentKind
    platform: Platform
  }>`select m.id, m.caption, m.kind, a.platform from measured_post m
    join social_account a on a.workspace_id = m.workspace_id and a.id = m.account_id
    where m.workspace_id = ${scope.workspaceId} and m.topic is null and m.delivery_id is null and m.caption <> ''
      and m.gone_at is null and m.id <> all (${failed}::uuid[]) order by m.published_at desc limit ${ROUND}`)
  return posts
}
