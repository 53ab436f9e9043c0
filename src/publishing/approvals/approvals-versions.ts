import { AppError } from '../../core/errors.ts'
import { pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { PostVersion } from './api.ts'
import { seen } from './approvals-comments.ts'

/** Returns a page of the saved versions of a post, newest first. */
export async function listVersions(scope: Scope, postId: string, request: PageRequest) {
  const versions = pageBy<PostVersion>([[sql`v.version`, 'bigint']], request, ({ version }) => [version])
  const [[post], rows] = await scope.read(
    seen(scope.workspaceId, postId, null),
    whole<{ json: PostVersion }>(sql`select json_build_object('id', v.id, 'version', v.version, 'content', v.content,
        'savedBy', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end, 'savedAt', iso(v.saved_at)) as json
      from post_version v left join app_user u on u.id = v.saved_by
      where v.workspace_id = ${scope.workspaceId} and v.post_id = ${postId} and ${versions.rows}`),
  )
  if (!post) throw new AppError('not_found')
  return versions.of(rows.map(({ json }) => json))
}
