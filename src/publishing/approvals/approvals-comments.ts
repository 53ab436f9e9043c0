import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { visibleTo } from '../posts/posts-shape.ts'
import type { Comment } from './api.ts'

/** A comment `c` as the API returns it. A CLIENT gets names of people, but no ids. */
export const commentShape = (role: Role | null) => sql`json_build_object('id', c.id, 'postId', c.post_id,
  'author', json_build_object('id', ${role === 'CLIENT' ? sql`null` : sql`c.author_id`}, 'name', coalesce(nullif(u.name, ''), c.author_name)),
  'text', c.text, 'mentions', ${role === 'CLIENT' ? sql`'[]'::jsonb` : sql`c.mentions`}, 'createdAt', iso(c.created_at))`

export const commentsWhere = (role: Role | null, condition: ReturnType<typeof sql>) =>
  whole<{ json: Comment }>(sql`select ${commentShape(role)} as json from post_comment c
    left join app_user u on u.id = c.author_id where c.deleted_at is null and ${condition}`)

/** Selects a post that a role may see. */
export const seen = (workspaceId: string, postId: string, role: Role | null) =>
  query<{ caption: string }>`select p.caption from post p where p.workspace_id = ${workspaceId} and p.id = ${postId}
    and p.deleted_at is null and ${visibleTo(role)}`

/** Returns a page of the comments on a post, newest first. */
export async function listComments(scope: Scope, postId: string, role: Role | null, request: PageRequest) {
  const comments = page(sql`c.id`, request)
  const [[post], rows] = await scope.read(
    seen(scope.workspaceId, postId, role),
    commentsWhere(role, sql`c.workspace_id = ${scope.workspaceId} and c.post_id = ${postId} and ${comments.rows}`),
  )
  if (!post) throw new AppError('not_found')
  return comments.of(rows.map(({ json }) => json))
}

/** Adds a comment to a post and notifies the members it mentions. Throws `not_found`, `validation_failed`. */
export async function addComment(
  scope: Scope,
  postId: string,
  role: Role | null,
  { text, mentions = [] }: { text: string; mentions?: string[] | undefined },
): Promise<Comment> {
  return scope.transaction(async (tx) => {
    await tx.one(seen(tx.workspaceId, postId, role), 'not_found')
    if (tx.actor.kind !== 'user') throw new AppError('unauthenticated')
    const { userId } = tx.actor
    const known = await tx.run(query<{ userId: string; name: string; role: Role }>`
      select m.user_id, u.name, m.role from member m join app_user u on u.id = m.user_id
      where m.workspace_id = ${tx.workspaceId} and m.user_id = any (${[...mentions, userId]}::uuid[])`)
    const [forClients] = await tx.run(seen(tx.workspaceId, postId, 'CLIENT'))
    const faults = mentions.flatMap((id, index) => {
      const member = known.find((each) => each.userId === id)
      const path = `/mentions/${index}`
      if (!member) return [{ path, code: 'unknown_id', message: 'No member has this ID.' }]
      if (member.role !== 'CLIENT' || forClients) return []
      return [{ path, code: 'not_visible', message: `${member.name} can’t see this post.` }]
    })
    if (faults.length > 0) throw invalid(...faults)
    const mentioned = known.filter((member) => mentions.includes(member.userId) && member.userId !== userId)
    const author = known.find((member) => member.userId === userId)
    return save(tx, postId, role, {
      text,
      author: { id: userId, name: author?.name ?? '' },
      mentions: mentioned.map(({ userId: id, name }) => ({ userId: id, name })),
    })
  })
}

/** A comment on a post, by a member or through a review link. */
export interface CommentAdded extends DomainEvent {
  type: 'comment.added'
  subject: { postId: string; commentId: string }
  context: { by: string; authorId: string | null; text: string; mentions: readonly string[] }
}

/** Saves a comment with the transaction. The members it mentions and the author of the post are notified. */
export async function save(
  tx: Tx,
  postId: string,
  role: Role | null,
  { text, author, mentions }: Pick<Comment, 'text' | 'author' | 'mentions'>,
): Promise<Comment> {
  const id = uuidv7()
  await tx.run(query`insert into post_comment (workspace_id, id, post_id, author_id, author_name, text, mentions, created_at)
    values (${tx.workspaceId}, ${id}, ${postId}, ${author.id}, ${author.name}, ${text}, ${JSON.stringify(mentions)}, ${tx.now})`)
  const { json } = await tx.one(
    commentsWhere(role, sql`c.workspace_id = ${tx.workspaceId} and c.id = ${id}`),
    'not_found',
  )
  tx.record({
    type: 'comment.added',
    subject: { postId, commentId: id },
    data: author.id === null ? { link: author.name } : {},
    context: { by: json.author.name, authorId: author.id, text, mentions: mentions.map(({ userId }) => userId) },
  } satisfies CommentAdded)
  return json
}

/** Removes a comment. Only its author or an ADMIN may. Throws `not_found`, `role_required`. */
export async function deleteComment(scope: Scope, postId: string, id: string, role: Role | null): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.one(seen(tx.workspaceId, postId, role), 'not_found')
    const { authorId } = await tx.one(
      query<{ authorId: string | null }>`select author_id from post_comment
        where workspace_id = ${tx.workspaceId} and post_id = ${postId} and id = ${id} and deleted_at is null`,
      'not_found',
    )
    const mine = tx.actor.kind === 'user' && tx.actor.userId === authorId
    if (!mine && role !== 'OWNER' && role !== 'ADMIN') {
      throw new AppError('role_required', undefined, { required: 'ADMIN', actual: role })
    }
    await tx.one(
      query`update post_comment set deleted_at = ${tx.now}, text = '', mentions = '[]'
        where workspace_id = ${tx.workspaceId} and id = ${id} and deleted_at is null returning id`,
      'not_found',
    )
    tx.record({ type: 'comment.deleted', subject: { postId, commentId: id } })
  })
}
