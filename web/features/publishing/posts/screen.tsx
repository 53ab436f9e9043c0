import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { SearchX, SquarePen, TriangleAlert } from 'lucide-react'
import { useCallback } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { postsQuery } from '../../../queries.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Strip } from '../../../ui/strip.tsx'
import { refusal, useMay, usePlace } from '../../shell/workspace.tsx'
import { troubleQuery } from '../trouble/query.ts'
import { TransferActions } from '../transfer/actions.tsx'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { BulkBar, BulkRefusals } from './bulk-bar.tsx'
import { FilterBar } from './filter-bar.tsx'
import { asked, FILTERS, isFiltered } from './filters.ts'
import type { Filter } from './read-filter.ts'
import { Removals } from './removals.tsx'
import { PostRow } from './row.tsx'
import { useBulk } from './use-bulk.ts'
import { useSelection } from './use-selection.ts'

export function PostsScreen({ filter }: { filter: Filter }) {
  const t = useTranslations('posts')
  const { ws } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/posts/' })
  const query = useInfiniteQuery(postsQuery(ws, asked(filter)))
  const filtered = isFiltered(filter)
  const may = useMay('schedulePost')
  const writes = !may.hidden && !may.reason
  const bulk = useBulk()
  const selection = useSelection(asked(filter), bulk.run)
  const change = useCallback(
    (next: Filter) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  return (
    <Page
      title={t('title')}
      actions={
        <>
          <NeedsYou />
          <TransferActions query={asked(filter)} />
        </>
      }
    >
      <div className="border-b px-4 lg:px-6">
        <Strip aria-label={t('filters')} className="-mx-2 flex-wrap gap-x-1 max-sm:-mx-4 max-sm:px-2">
          {Object.entries(FILTERS).map(([key, status]) => (
            <Link
              key={key}
              to="/w/$ws/posts"
              params={{ ws }}
              search={(before) => ({ ...before, status })}
              activeOptions={{ exact: true }}
              aria-current={filter.status === status ? 'page' : undefined}
              className="-mb-px flex min-h-10 min-w-6 items-center justify-center border-b-2 border-transparent px-2 text-13 font-medium text-muted hover:text-fg max-sm:min-h-11 max-sm:min-w-11 aria-[current=page]:border-accent aria-[current=page]:text-fg"
            >
              {t(`filter.${key as keyof typeof FILTERS}`)}
            </Link>
          ))}
        </Strip>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-2 border-b px-4 py-2 lg:px-6">
        <FilterBar screen="posts" filter={filter} onChange={change} />
      </div>
      <Removals />
      <Loaded query={query} skeleton={<RowsSkeleton />}>
        {({ pages }) => {
          const posts = pages.flatMap((page) => page.data)
          if (posts.length === 0)
            return (
              <>
                <BulkRefusals bulk={bulk} />
                {filtered ? <NothingMatches /> : <FirstSteps icon={SquarePen} title={t('empty')} />}
              </>
            )
          return (
            <div className={clsx('min-w-0', query.isPlaceholderData && 'opacity-60')}>
              {writes && <BulkBar bulk={bulk} shown={posts} selection={selection} more={query.hasNextPage} />}
              <ul className="divide-y border-b">
                {posts.map((post) => (
                  <PostRow
                    key={post.id}
                    post={post}
                    selected={selection.has(post.id)}
                    onSelect={writes ? (on) => selection.toggle(post.id, on) : undefined}
                  />
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

/** The number of matters that need attention, with a link to them. */
function NeedsYou() {
  const t = useTranslations('posts')
  const format = useFormatter()
  const { ws, membership } = usePlace()
  const { data } = useInfiniteQuery({ ...troubleQuery(ws), enabled: !refusal(membership, 'listTrouble') })
  const count = data?.pages[0]?.count ?? 0
  if (count === 0) return null
  return (
    <Link to="/w/$ws/trouble" params={{ ws }} className={buttonClass('secondary', 'sm')}>
      <TriangleAlert className="size-3.5 text-bad" aria-hidden />
      {t('trouble')} <bdi>{format.number(count)}</bdi>
    </Link>
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
