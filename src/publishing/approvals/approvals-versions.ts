import { AppError, invalid } from '../../core/errors.ts'
import { sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PostVersion } from './api.ts'
import type { Page } from './approvals.ts'
import { seen } from './approvals-comments.ts'

/** A page of what a post said before, newest first. */
export async function listVersions(scope: Scope, postId: string, { limit, cursor }: Page) {
  const before = cursor === undefined ? sql`true` : sql`v.version < ${decodeVersion(cursor)}`
  const [[post], rows] = await scope.read(
    seen(scope.workspaceId, postId, null),
    whole<{ json: PostVersion }>(sql`select json_build_object('id', v.id, 'version', v.version, 'content', v.content,
        'savedBy', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end, 'savedAt', iso(v.saved_at)) as json
      from post_version v left join app_user u on u.id = v.saved_by
      where v.workspace_id = ${scope.workspaceId} and v.post_id = ${postId} and ${before} order by v.version desc limit ${limit}`),
  )
  if (!post) throw new AppError('not_found')
  const last = rows.at(-1)
  return {
    data: rows.map(({ json }) => json),
    nextCursor: last && rows.length === limit ? Buffer.from(String(last.json.version)).toString('base64url') : null,
  }
}

function decodeVersion(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!/^\d{1,9}$/.test(text)) {
    throw invalid({ path: '/cursor', code: 'invalid', message: 'Not a cursor of this list.' })
  }
  return Number(text)
}
