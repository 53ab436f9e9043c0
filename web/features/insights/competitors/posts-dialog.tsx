import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Competitor } from '../../../../src/insights/competitors/api.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useMoment } from '../../shell/moment.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { type Days, snapshotsQuery } from './queries.ts'

interface Props {
  competitor: Competitor
  days: Days
  onClose: () => void
}

/** The newest posts of an account, as of the last reading. */
export function PostsDialog({ competitor, days, onClose }: Props) {
  const t = useTranslations('competitors')
  const format = useFormatter()
  const moment = useMoment()
  const { ws } = usePlace()
  const query = useQuery(snapshotsQuery(ws, competitor.id, days))
  const count = (value: number | null) => (value === null ? t('hidden') : <bdi dir="ltr">{format.number(value)}</bdi>)
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('postsOf', { name: competitor.name })}>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {([latest]) => {
          if (!latest || latest.posts.length === 0) return <p className="text-13 text-muted">{t('noPosts')}</p>
          return (
            <ul className="grid grid-cols-[minmax(0,1fr)] divide-y">
              {latest.posts.map((post) => (
                <li key={post.externalId} className="flex items-start gap-3 py-2.5">
                  <div className="min-w-0 grow text-13">
                    <p dir="auto" className="line-clamp-2 break-words">
                      {post.caption || t('noCaption')}
                    </p>
                    <p className="flex flex-wrap gap-x-3 text-xs text-muted tabular-nums">
                      <time dateTime={post.publishedAt}>{moment(post.publishedAt, 'any')}</time>
                      <span>{t.rich('likes', { count: () => count(post.likes) })}</span>
                      <span>{t.rich('comments', { count: () => count(post.comments) })}</span>
                    </p>
                  </div>
                  {post.permalink && (
                    <a
                      href={post.permalink}
                      target="_blank"
                      rel="noreferrer"
                      aria-label={t('open')}
                      className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover max-sm:size-11"
                    >
                      <ExternalLink className="size-4" aria-hidden />
                    </a>
                  )}
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
