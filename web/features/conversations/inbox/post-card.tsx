import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { fileUrl } from '../../../files.ts'
import { postQuery } from '../../../queries.ts'
import { Thumb } from '../../../ui/row.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useShortTime } from './times.ts'

/** The post that the customer commented on, with a link to it. */
export function PostCard({ thread: { post, comments } }: { thread: Thread }) {
  const t = useTranslations('inbox')
  const { ws } = usePlace()
  const short = useShortTime()
  const known = useQuery({ ...postQuery(ws, post?.id ?? ''), enabled: Boolean(post?.id) }).data
  if (!post) return null
  const words = (
    <span className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] text-xs">
      <span className="clip text-muted">
        {known?.publishedAt
          ? t(comments ? 'counted.postFrom' : 'postFrom', { date: short(known.publishedAt) })
          : t(comments ? 'counted.ofPost' : 'post')}
      </span>
      <bdi className="clip font-medium">{post.excerpt || t('postElsewhere')}</bdi>
    </span>
  )
  const look = 'flex min-h-11 items-center gap-2.5 rounded-md bg-sunken py-1.5 ps-1.5 pe-2.5'
  const picture = <Thumb url={fileUrl(known?.media[0]?.file.thumbnailUrl)} className="size-8 max-sm:size-10" />
  if (post.id === null)
    return (
      <div className={look}>
        {picture}
        {words}
      </div>
    )
  return (
    <Link to="/w/$ws/posts/$id" params={{ ws, id: post.id }} className={`${look} hover:bg-hover`}>
      {picture}
      {words}
      <ChevronRight className="size-4 shrink-0 text-faint rtl:rotate-180" aria-hidden />
    </Link>
  )
}
