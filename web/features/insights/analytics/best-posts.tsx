import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { dateIn, startOf } from '../../../time.ts'
import { Loaded } from '../../../ui/states.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { PostHead, usePostColumns } from './post-parts.tsx'
import { type FigureFilter, postsSinceQuery, rankedPostsQuery } from './queries.ts'
import { Ranked } from './ranked.tsx'
import { useNow } from '../../../now.ts'
import { SORTS, type Search } from './read-search.ts'

/** The posts of the period with the most views. */
export function BestPosts({ asked, search }: { asked: FigureFilter; search: Search }) {
  const t = useTranslations('analytics')
  const { ws, workspace } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/analytics/' })
  const query = useInfiniteQuery(rankedPostsQuery(ws, { ...asked, sort: 'views', limit: 5 }))
  const [page] = query.data?.pages ?? []
  const today = dateIn(useNow(), workspace.timezone)
  // On the day of the first post, the period has none yet, because it covers only completed days.
  const ofToday = useQuery({
    ...postsSinceQuery(ws, { ...asked, from: startOf(today, workspace.timezone).toISOString() }),
    enabled: page?.count === 0 && asked.to === today,
  })
  const columns = usePostColumns(['views', 'engagement', 'rate', 'againstMedian'], {
    divisor: page?.divisor ?? null,
    readAt: page?.basis.readAt ?? null,
  })
  return (
    <section aria-labelledby="best-posts" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 id="best-posts" className="text-15 font-semibold">
          {t('bestPosts')}
        </h2>
        {page && <p className="text-xs text-muted">{t('postsUntilNow', { count: page.count })}</p>}
        <Link
          to="/w/$ws/analytics"
          params={{ ws }}
          search={{ ...search, tab: 'posts' }}
          className="ms-auto inline-flex min-h-6 items-center text-13 max-sm:min-h-11 font-medium text-accent-text hover:underline"
        >
          {t('allPosts')}
        </Link>
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {({ pages: [first] }) =>
          !first || first.data.length === 0 ? (
            <p className="text-13 text-muted">
              {t('noPosts')}
              {ofToday.data && ofToday.data.length > 0 && `. ${t('fromTomorrow')}`}
            </p>
          ) : (
            <Ranked
              label={t('bestPosts')}
              first={t('post')}
              rows={first.data}
              keyOf={({ id }) => id}
              head={(post) => <PostHead post={post} />}
              columns={columns}
              order="views"
              onOrder={(key) => {
                const order = SORTS.find((one) => one === key)
                void navigate({ search: (before) => ({ ...before, tab: 'posts', order }) })
              }}
            />
          )
        }
      </Loaded>
    </section>
  )
}
