import type { RawBuilder } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { CountedPost, Inbound } from '../../networks/network.ts'

// What networks report about threads and their messages.

interface Reported {
  accountId: string
  key: string
  /** The customer's identity at the account. */
  identityId: string
  kind: 'COMMENT' | 'DM'
  /** The id of the post at the network that a comment is about. */
  postRef: string | null
  /** Other ids of this post. */
  alsoPosts: readonly string[]
  live: boolean
  at: string
}

export interface LockedThread {
  id: string
  identityId: string
  revision: number
}

/** Locks and returns the thread with a key, and creates it for the first message. */
export async function openThread(tx: Tx, thread: Reported): Promise<LockedThread> {
  const { accountId, key, identityId, kind, postRef, alsoPosts, live, at } = thread
  const [opened] = await tx.run(query<{ id: string }>`
    insert into thread (workspace_id, id, account_id, identity_id, kind, key, post_ref, live, post_id, opened_at)
    values (${tx.workspaceId}, ${uuidv7()}, ${accountId}, ${identityId}, ${kind}, ${key},
      ${postRef}, ${live}, (select post_id from publication where workspace_id = ${tx.workspaceId} and account_id = ${accountId}
        and external_id = any (${[...(postRef === null ? [] : [postRef]), ...alsoPosts]}::text[])
        order by external_id = ${postRef} desc limit 1), ${at})
    on conflict (workspace_id, account_id, key) do nothing returning id`)
  if (opened) tx.record({ type: 'thread.opened', subject: { threadId: opened.id } })
  return tx.one(
    query<LockedThread>`select id, identity_id, revision from thread where workspace_id = ${tx.workspaceId} and account_id = ${accountId}
      and key = ${key} for update`,
    'not_found',
  )
}

/** Stores until when the customer has read a thread. */
export const storeReadUntil = (
  tx: Tx,
  { accountId, key, until }: Pick<Reported, 'accountId' | 'key'> & { until: string },
) =>
  tx.run(query`update thread set read_until = greatest(read_until, ${until}::timestamptz)
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and key = ${key}`)

/** A message, as a network reports it. */
export type InboundMessage = Extract<Inbound, { kind: 'comment' | 'message' }>

/** A change to a message that the network has reported before. */
export type MessageChange = Extract<Inbound, { kind: 'edit' | 'remove' | 'hide' | 'reaction' }>

export const isChange = (event: Inbound): event is MessageChange =>
  event.kind === 'edit' || event.kind === 'remove' || event.kind === 'hide' || event.kind === 'reaction'

/** Changes a message unless it was changed later, or removed. Returns whether it did. */
export async function changeMessage(tx: Tx, id: string, event: MessageChange, at: Date): Promise<boolean> {
  const [changed] = await tx.run(statement(tx, id, event, at))
  return changed !== undefined
}

function statement({ workspaceId }: Tx, id: string, event: MessageChange, at: Date) {
  switch (event.kind) {
    case 'edit':
      return query`update message set text = ${event.text}, edit_number = ${event.number}, edited_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and removed_at is null
          and (${event.number}::int, ${at}::timestamptz, ${event.text}) > (edit_number, coalesce(edited_at, '-infinity'), coalesce(text, ''))
        returning id`
    case 'remove':
      return query`update message set text = null, removed_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and removed_at is null returning id`
    case 'hide':
      return query`update message set hidden_at = ${event.hidden ? at : null}, hide_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and ${at}::timestamptz > coalesce(hide_at, '-infinity') returning id`
    case 'reaction':
      return query`update message set reaction = ${event.reaction}, reaction_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and ${at}::timestamptz > coalesce(reaction_at, '-infinity') returning id`
  }
}

/** A post with more comments than before. */
export interface CountedRise extends CountedPost {
  /** The count at the previous reading. */
  before: number
}

/**
 * Opens the thread of a post whose comments are only counted, and creates it for the first new comment. A closed or
 * snoozed thread opens again. Returns its id.
 */
export async function openCounted(tx: Tx, accountId: string, post: CountedRise): Promise<string> {
  const { id: ref, comments, before, text, url } = post
  const [was] = await tx.run(query<{
    isPutAway: boolean
  }>`select status in ('CLOSED', 'SNOOZED') as is_put_away from thread
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and key = ${`post:${ref}`} for update`)
  const { id } = await tx.one(
    query<{ id: string }>`
      insert into thread (workspace_id, id, account_id, kind, key, post_ref, post_url, post_text, comments, comments_before,
        opened_at, last_in_at, unanswered_at)
      values (${tx.workspaceId}, ${uuidv7()}, ${accountId}, 'COMMENT', ${`post:${ref}`}, ${ref}, ${url},
        ${text.slice(0, 200)}, ${comments}, ${before}, ${tx.now}, ${tx.now}, ${tx.now})
      on conflict (workspace_id, account_id, key) do update set comments = excluded.comments,
        comments_before = case when thread.status = 'CLOSED' then excluded.comments_before
          else least(thread.comments_before, excluded.comments_before) end,
        unanswered_at = case when thread.status = 'CLOSED' then excluded.unanswered_at
          else coalesce(thread.unanswered_at, excluded.unanswered_at) end,
        last_in_at = excluded.last_in_at, post_url = excluded.post_url, post_text = excluded.post_text,
        status = case when thread.status = 'ESCALATED' then thread.status else 'OPEN' end, snoozed_until = null,
        revision = thread.revision + 1, updated_at = ${tx.now}
      returning id`,
    'not_found',
  )
  if (was?.isPutAway !== false) tx.record({ type: 'thread.opened', subject: { threadId: id } })
  return id
}

/**
 * Lowers the counts of threads to those of their posts, and links them to posts that Parley published. Returns the ids
 * of the threads that changed.
 */
export async function lowerCounts(tx: Tx, accountId: string, posts: readonly CountedPost[]): Promise<string[]> {
  // The network reports the id of a post late, so a thread may be older than the link to its post.
  const postOf = (ref: RawBuilder<unknown>) => sql`(select p.post_id from publication p
    where p.workspace_id = ${tx.workspaceId} and p.account_id = ${accountId} and p.external_id = ${ref})`
  const changed = await tx.run(query<{ id: string }>`
    update thread t set comments = least(t.comments, p.comments), post_id = ${postOf(sql`t.post_ref`)}, updated_at = ${tx.now}
    from jsonb_to_recordset(${JSON.stringify(posts)}::jsonb) as p(id text, comments int)
    where t.workspace_id = ${tx.workspaceId} and t.account_id = ${accountId} and t.key = 'post:' || p.id
      and (t.comments > p.comments or t.post_id is distinct from ${postOf(sql`t.post_ref`)}) returning t.id`)
  return changed.map(({ id }) => id)
}
