import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { Notification } from '../../../../src/team/notifications/api.ts'

interface Named {
  id: string
  excerpt: string
}

/** The posts that became drafts when the workspace resumed publishing, each with a link. */
export function Drafted({ notice: { kind, workspaceId: ws, data } }: { notice: Notification }) {
  const t = useTranslations('notices')
  const posts = kind === 'publishing_paused' && Array.isArray(data['posts']) ? (data['posts'] as Named[]) : []
  if (ws === null || posts.length === 0) return null
  const more = Number(data['count']) - posts.length
  return (
    <ul className="grid text-13">
      {posts.map(({ id, excerpt }) => (
        <li key={id} className="grid grid-cols-[minmax(0,1fr)]">
          <Link
            to="/w/$ws/posts/$id"
            params={{ ws, id }}
            className="relative z-10 flex min-h-6 w-fit max-w-full items-center underline max-sm:min-h-11 pointer-coarse:min-h-11"
          >
            <bdi className="truncate">{excerpt || t('postWithoutText')}</bdi>
          </Link>
        </li>
      ))}
      {more > 0 && <li className="text-muted">{t('andMore', { count: more })}</li>}
    </ul>
  )
}
