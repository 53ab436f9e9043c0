import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { PostAge, PostSort } from '../../../../src/insights/analytics/api.ts'
import { Choice } from '../../../ui/choice.tsx'
import { More } from '../../../ui/more.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { NoPosts } from './no-posts.tsx'
import { PostHead, usePostColumns } from './post-parts.tsx'
import { type FigureFilter, rankedPostsQuery } from './queries.ts'
import { Ranked } from './ranked.tsx'
import { AGES, SORTS, type Search } from './read-search.ts'

/** The posts of the period, sorted by one figure, as of now or at equal age. */
export default function Posts({ asked, search }: { asked: FigureFilter; search: Search }) {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/analytics/' })
  const sort = search.order ?? 'views'
  const query = useInfiniteQuery(rankedPostsQuery(ws, { ...asked, sort, at: search.at, limit: 25 }))
  const [page] = query.data?.pages ?? []
  const columns = usePostColumns(
    ['views', 'reach', 'engagement', 'rate', 'likes', 'comments', 'shares', 'saves', 'againstMedian'],
    { divisor: page?.divisor ?? null, readAt: page?.basis.readAt ?? null },
  )
  const change = (next: Search) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const nameOf = (key: PostSort) =>
    key === 'publishedAt' ? t('published') : key === 'rate' ? t('figures.rate') : t(`postFigures.${key}`)
  return (
    <section aria-label={t('tabs.posts')} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Choice<PostSort>
          label={t('order')}
          value={sort}
          onChange={(next) => change({ order: next === 'views' ? undefined : next })}
          options={SORTS.map((key) => [key, nameOf(key)] as const)}
        />
        <Choice<PostAge>
          label={t('age')}
          value={search.at}
          onChange={(at) => change({ at })}
          options={[[undefined, t('untilNow')], ...AGES.map((age) => [age, t(`ages.${age}`)] as const)]}
        />
        {page && (
          <p className="text-xs text-muted" role="status">
            {search.at ? t('postsAtAge', { count: page.count }) : t('postsUntilNow', { count: page.count })}{' '}
            {page.leftOut > 0 && t('leftOut', { count: page.leftOut })}
          </p>
        )}
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {({ pages }) => {
          const posts = pages.flatMap(({ data }) => data)
          if (posts.length === 0) return <NoPosts tab="posts" />
          return (
            <>
              <Ranked
                label={t('tabs.posts')}
                first={t('post')}
                rows={posts}
                keyOf={({ id }) => id}
                head={(post) => <PostHead post={post} />}
                columns={columns}
                order={sort}
                onOrder={(key) => change({ order: SORTS.find((one) => one === key) })}
              />
              <More query={query} label={t('morePosts')} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
