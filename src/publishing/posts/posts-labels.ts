import type { Fault } from '../../core/errors.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { NewPost, Post } from './api.ts'

// Labels are not part of a post's content: changing them makes no version and voids no approval.

/**
 * Returns the ids of the labels in an input, or undefined if the input leaves labels as they are. Adds unknown ones to
 * `faults`.
 */
export async function chooseLabels(
  tx: Tx,
  { labels }: Pick<NewPost, 'labels'>,
  faults: Fault[],
): Promise<string[] | undefined> {
  if (labels === undefined) return undefined
  const ids = (labels ?? []).map((label) => (typeof label === 'string' ? label : label.id))
  if (ids.length === 0) return []
  const known = await tx.run(
    query<{ id: string }>`select id from label where workspace_id = ${tx.workspaceId} and id = any (${ids}::uuid[])`,
  )
  ids.forEach((id, index) => {
    if (known.some((label) => label.id === id)) return
    faults.push({ path: `/labels/${index}`, code: 'unknown_id', message: 'No label has this ID.' })
  })
  return [...new Set(ids)]
}

/** Adds labels to a post. A label that was deleted concurrently is left out. */
export const insertLabels = (tx: Tx, postId: string, labels: readonly string[]) => sql`
  insert into post_label (workspace_id, post_id, label_id)
  select l.workspace_id, ${postId}::uuid, l.id from label l
  where l.workspace_id = ${tx.workspaceId} and l.id = any (${labels}::uuid[]) for key share`

/** Replaces the labels of a post, whatever its status. */
export async function saveLabels(tx: Tx, { id, labels: current }: Post, labels: readonly string[]): Promise<void> {
  const added = labels.filter((label) => !current.some((each) => each.id === label))
  const removed = current.flatMap((label) => (labels.includes(label.id) ? [] : [label.id]))
  if (added.length + removed.length === 0) return
  await tx.run(query`delete from post_label where workspace_id = ${tx.workspaceId} and post_id = ${id}
    and label_id = any (${removed}::uuid[])`)
  await tx.run(whole(insertLabels(tx, id, added)))
  await tx.run(query`update post set updated_at = ${tx.now} where workspace_id = ${tx.workspaceId} and id = ${id}`)
  tx.record({ type: 'post.labelled', subject: { postId: id } })
}
