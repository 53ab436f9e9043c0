import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Search, SearchX, SquarePen } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { postsQuery } from '../../queries.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { usePlace } from '../shell/workspace.tsx'
import { FirstSteps } from '../shell/first-steps.tsx'
import { FILTERS } from './filters.ts'
import { PostRow } from './row.tsx'

export function PostsScreen({ filter }: { filter: { status?: string; q?: string } }) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  const query = useInfiniteQuery(postsQuery(ws, { status: filter.status, text: filter.q }))
  const filtered = Boolean(filter.status ?? filter.q)
  return (
    <Page title={t('title')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-2 lg:px-6">
        <nav aria-label={t('filters')} className="-mx-1 flex max-w-full flex-wrap gap-1">
          {Object.entries(FILTERS).map(([key, status]) => (
            <Link
              key={key}
              to="/w/$ws/posts"
              params={{ ws }}
              search={{ ...(status ? { status } : {}), ...(filter.q ? { q: filter.q } : {}) }}
              aria-current={filter.status === status ? 'true' : undefined}
              className={clsx(
                'flex min-h-8 items-center justify-center rounded-full px-3 text-13 font-medium max-sm:min-h-11 max-sm:min-w-11',
                filter.status === status
                  ? 'bg-accent-soft text-accent-text'
                  : 'text-muted hover:bg-hover hover:text-fg',
              )}
            >
              {t(`filter.${key as keyof typeof FILTERS}`)}
            </Link>
          ))}
        </nav>
        <SearchBox q={filter.q ?? ''} status={filter.status} />
      </div>
      <Loaded query={query} skeleton={<RowsSkeleton />}>
        {({ pages }) => {
          const posts = pages.flatMap((page) => page.data)
          if (posts.length === 0)
            return filtered ? <NothingMatches /> : <FirstSteps icon={SquarePen} title={t('empty')} />
          return (
            <div className={clsx('min-w-0', query.isPlaceholderData && 'opacity-60')}>
              <ul className="divide-y border-b">
                {posts.map((post) => (
                  <PostRow key={post.id} post={post} />
                ))}
              </ul>
              <div className="flex justify-center p-4">
                {query.hasNextPage ? (
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {t('more')}
                  </Button>
                ) : (
                  <p className="text-xs text-muted">{t('end', { count: posts.length })}</p>
                )}
              </div>
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}

function SearchBox({ q, status }: { q: string; status?: string }) {
  const t = useTranslations('posts')
  const navigate = useNavigate()
  const { ws } = usePlace()
  const [typed, setTyped] = useState(q)
  const [seen, setSeen] = useState(q)
  if (q !== seen) {
    setSeen(q)
    setTyped(q)
  }
  useEffect(() => {
    if (typed.trim() === q) return
    const timer = setTimeout(
      () =>
        void navigate({
          to: '/w/$ws/posts',
          params: { ws },
          search: { ...(status ? { status } : {}), ...(typed.trim() ? { q: typed.trim() } : {}) },
          replace: true,
        }),
      300,
    )
    return () => clearTimeout(timer)
  }, [typed, q, status, navigate, ws])
  return (
    <search className="relative min-w-48 grow sm:max-w-64 sm:ms-auto">
      <Search className="pointer-events-none absolute inset-y-0 start-2.5 my-auto size-4 text-muted" aria-hidden />
      <input
        type="search"
        className="input ps-8"
        dir="auto"
        maxLength={200}
        aria-label={t('search')}
        placeholder={t('search')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </search>
  )
}

function NothingMatches() {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  return (
    <Empty
      icon={SearchX}
      title={t('noMatch')}
      role="status"
      actions={
        <Link to="/w/$ws/posts" params={{ ws }} className={buttonClass('secondary')}>
          {t('clear')}
        </Link>
      }
    />
  )
}

const RowsSkeleton = () => (
  <div aria-hidden>
    {[1, 2, 3, 4, 5, 6].map((row) => (
      <div key={row} className="flex h-17 items-center gap-3 border-b px-4 lg:px-6">
        <div className="skeleton size-11" />
        <div className="grid grow gap-2">
          <div className="skeleton h-4 w-2/3" />
          <div className="skeleton h-3 w-40" />
        </div>
        <div className="skeleton h-6 w-24 rounded-full" />
      </div>
    ))}
  </div>
)
