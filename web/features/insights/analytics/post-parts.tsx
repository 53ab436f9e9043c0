import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import type { Divisor, PostSort, RankedPost } from '../../../../src/insights/analytics/api.ts'
import { weekdayFormat } from '../../../time.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { About } from './about.tsx'
import type { Column } from './ranked.tsx'
import { Value } from './value.tsx'
import { useFigureWords } from './words.ts'

/** The catalogue metrics that each sort order uses. */
export const MADE_OF: Record<Exclude<PostSort, 'publishedAt' | 'rate'>, readonly string[]> = {
  views: ['impressions', 'videoViews'],
  reach: ['reach'],
  engagement: ['engagement', 'likes', 'comments', 'shares', 'saves'],
  likes: ['likes'],
  comments: ['comments'],
  shares: ['shares'],
  saves: ['saves'],
}

type Key = PostSort | 'againstMedian'

/** The head of a post in a table of figures: picture, text and network, linked to the post's own figures. */
export function PostHead({
  post,
}: {
  post: Pick<RankedPost, 'id' | 'caption' | 'platform' | 'kind' | 'publishedAt' | 'thumbnailUrl'>
}) {
  const t = useTranslations('analytics')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const at = new Date(post.publishedAt)
  return (
    <Link
      to="/w/$ws/analytics/posts/$id"
      params={{ ws, id: post.id }}
      className="flex min-h-9 min-w-0 items-center gap-3 hover:underline max-sm:min-h-11"
    >
      {post.thumbnailUrl ? (
        <img src={post.thumbnailUrl} alt="" loading="lazy" className="size-8 shrink-0 rounded-md object-cover" />
      ) : (
        <span className="grid size-8 shrink-0 place-items-center rounded-md bg-sunken">
          <NetworkMark platform={post.platform} small />
        </span>
      )}
      <span className="grid min-w-0">
        <bdi dir="auto" className="clip font-medium">
          {post.caption || t('untitled')}
        </bdi>
        <span className="flex items-center gap-1.5 text-xs text-muted">
          <NetworkMark platform={post.platform} label small />
          {t(`kinds.${post.kind}`)} · {format.dateTime(at, weekdayFormat(at, workspace.timezone))}
        </span>
      </span>
    </Link>
  )
}

/** The columns of ranked posts. */
export function usePostColumns(
  keys: readonly Key[],
  { divisor, readAt }: { divisor: Divisor | null; readAt: string | null },
): Column<RankedPost, Key>[] {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  return keys.map((key): Column<RankedPost, Key> => {
    if (key === 'againstMedian')
      return {
        key,
        name: t('againstMedian'),
        value: ({ againstMedian }) => (
          <span className="inline-flex items-center gap-2">
            {againstMedian !== null && (
              <span aria-hidden className="h-1 w-12 overflow-hidden rounded-full bg-hover">
                <span
                  className="block h-full rounded-full bg-control"
                  style={{ inlineSize: `${Math.min(1, againstMedian / 3) * 100}%` }}
                />
              </span>
            )}
            <Value of={againstMedian} say={say.times} />
          </span>
        ),
      }
    if (key === 'publishedAt') return { key, name: t('published'), isOrder: true, value: () => null }
    if (key === 'rate')
      return {
        key,
        name: divisor ? t(`rateOf.${divisor}`) : t('figures.rate'),
        isOrder: true,
        value: ({ rate }) => <Value of={rate} say={say.share} />,
        about: (
          <About
            name={t('figures.rate')}
            basis="posts"
            metrics={MADE_OF.engagement}
            note={divisor ? t(`postRateNote.${divisor}`) : undefined}
            readAt={readAt}
          />
        ),
      }
    return {
      key,
      name: t(`postFigures.${key}`),
      isOrder: true,
      value: (post) => <Value of={post[key]} say={say.whole} />,
      about: <About name={t(`postFigures.${key}`)} basis="posts" metrics={MADE_OF[key]} readAt={readAt} />,
    }
  })
}
