import { useInfiniteQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { useLeaving } from '../../../removals.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { commentsQuery } from './queries.ts'

/** The number of listed comments on a post. Renders nothing for zero. */
export function CommentCount({ postId }: { postId: string }) {
  const t = useTranslations('approvals')
  const format = useFormatter()
  const { ws } = usePlace()
  const { data, hasNextPage } = useInfiniteQuery(commentsQuery(ws, postId))
  const leaving = useLeaving()
  const count = data?.pages.flatMap((page) => page.data).filter(({ id }) => !leaving.has(id)).length ?? 0
  if (count === 0) return null
  return (
    <span className="ms-1.5 rounded-full bg-accent-soft px-1.5 text-xs font-medium text-accent-text tabular-nums">
      <bdi aria-hidden>
        {format.number(count)}
        {hasNextPage && '+'}
      </bdi>
      <span className="sr-only">{t('commentCount', { count })}</span>
    </span>
  )
}
