import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { isInReview } from '../../../ui/status.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { usesQuery } from './queries.ts'

/** The posts that use a file. */
export function FileUses({ file }: { file: MediaFile }) {
  const t = useTranslations('library')
  const status = useTranslations('status')
  const { ws } = usePlace()
  const posts = useQuery(usesQuery(ws, file.id)).data?.data ?? []
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1.5" aria-label={t('usedIn')}>
      <h3 className="text-13 font-medium">{t('uses', { count: file.uses })}</h3>
      {posts.length > 0 && (
        <ul className="divide-y border-b">
          {posts.map((post) => (
            <li key={post.id}>
              <Link
                to="/w/$ws/posts/$id"
                params={{ ws, id: post.id }}
                className="flex min-h-8 items-center gap-2 text-13 max-sm:min-h-11"
              >
                <span className="min-w-0 grow truncate" dir="auto">
                  {post.caption || t('noText')}
                </span>
                <span className="shrink-0 text-xs text-muted">
                  {status(isInReview(post) ? 'approval.PENDING' : post.status)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
