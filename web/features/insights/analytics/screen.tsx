import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ChartNoAxesColumn, Download, Hourglass } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { useDownload } from '../../../download.ts'
import { tagTexts } from '../../../i18n.tsx'
import { addDays, dateIn } from '../../../time.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Page } from '../../../ui/page.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { InsightTabs } from '../tabs.tsx'
import { BestPosts } from './best-posts.tsx'
import { Days } from './days.tsx'
import { Filters } from './filters.tsx'
import { KeyFigures } from './key-figures.tsx'
import { LeftOut } from './left-out.tsx'
import { type FigureFilter, overviewFiguresQuery } from './queries.ts'
import { FirstReadings, Standstill } from './readings.tsx'
import { useNow } from '../../../now.ts'
import { RANGES, readSearch, type Search } from './read-search.ts'

const Networks = lazy(() => import('./networks.tsx'))
const Posts = lazy(() => import('./posts.tsx'))
const Topics = lazy(async () => {
  await tagTexts()
  return import('./topics.tsx')
})
const Hours = lazy(() => import('./hours.tsx'))

export function AnalyticsScreen({ search: asSaid }: { search: Search }) {
  const t = useTranslations('analytics')
  const { membership } = usePlace()
  const refused = refusal(membership, 'getAnalyticsOverview')
  const isReader = !refusal(membership, 'listAnalyticsPosts')
  const read = readSearch(asSaid)
  // A client gets totals only, and the product refuses a filter.
  const search = membership.role === 'CLIENT' ? { ...read, net: undefined, account: undefined } : read
  const asked = useAsked(search)
  return (
    <Page title={t('title')} actions={!refused && isReader && <Export asked={asked} />}>
      {refused ? (
        <Refused refused={refused} />
      ) : (
        <>
          <InsightTabs current={(isReader && search.tab) || 'overview'} search={search} />
          <Content search={isReader ? search : { ...search, tab: undefined }} asked={asked} />
        </>
      )}
    </Page>
  )
}

/** The requested days: custom dates, or completed days in the workspace's zone. */
function useAsked({ range = '28d', from, to, net, account }: Search): FigureFilter {
  const { workspace } = usePlace()
  const today = dateIn(useNow(), workspace.timezone)
  const which = { accountId: account, platform: net }
  return from && to ? { from, to, ...which } : { from: addDays(today, -RANGES[range]), to: today, ...which }
}

function Content({ search, asked }: { search: Search; asked: FigureFilter }) {
  const { ws, membership } = usePlace()
  const query = useQuery(overviewFiguresQuery(ws, asked))
  const isClient = membership.role === 'CLIENT'
  const skeleton = <Skeleton />
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-[minmax(0,1fr)] content-start gap-4 p-4 lg:px-6">
      <Filters search={search} asked={asked} overview={query.data} />
      <Loaded query={query} skeleton={skeleton}>
        {(overview) => {
          const isFiltered = search.net !== undefined || search.account !== undefined
          if (!isClient && overview.byAccount.length === 0) return isFiltered ? <NothingMatches /> : <NoAccount />
          const unread = overview.byAccount.filter(({ firstReading }) => firstReading !== null)
          const isNew = unread.length > 0 && overview.byAccount.every(({ readAt }) => readAt === null)
          return isNew ? (
            <Reading accounts={unread} />
          ) : (
            <div className={clsx('grid grid-cols-[minmax(0,1fr)] gap-6', query.isPlaceholderData && 'opacity-60')}>
              {unread.length > 0 && <StillReading accounts={unread} />}
              <Standstill accounts={overview.byAccount} />
              <Suspense fallback={skeleton}>
                {search.tab === 'networks' ? (
                  <Networks overview={overview} />
                ) : search.tab === 'posts' ? (
                  <Posts asked={asked} search={search} />
                ) : search.tab === 'topics' ? (
                  <Topics asked={asked} search={search} />
                ) : search.tab === 'hours' ? (
                  <Hours
                    asked={asked}
                    search={search}
                    accountIds={overview.byAccount.map(({ accountId }) => accountId)}
                  />
                ) : (
                  <Overview overview={overview} search={search} asked={asked} />
                )}
              </Suspense>
            </div>
          )
        }}
      </Loaded>
    </div>
  )
}

function Overview({ overview, search, asked }: { overview: AnalyticsOverview; search: Search; asked: FigureFilter }) {
  const t = useTranslations('analytics')
  const { ws, membership } = usePlace()
  const navigate = useNavigate({ from: '/w/$ws/analytics/' })
  const figure = search.figure ?? 'impressions'
  const isClient = membership.role === 'CLIENT'
  return (
    <>
      <section className="card overflow-hidden">
        <KeyFigures
          overview={overview}
          chosen={figure}
          onChoose={
            isClient
              ? undefined
              : (chosen) => void navigate({ search: (before) => ({ ...before, figure: chosen }), replace: true })
          }
        />
        {!isClient && (
          <>
            <LeftOut overview={overview} figures={[figure]}>
              <Link
                to="/w/$ws/analytics"
                params={{ ws }}
                search={{ ...search, tab: 'networks' }}
                className="inline-flex min-h-6 items-center font-medium text-accent-text hover:underline max-sm:min-h-11"
              >
                {t('eachNetwork')}
              </Link>
            </LeftOut>
            <Days overview={overview} figure={figure} />
          </>
        )}
      </section>
      {!isClient && <BestPosts asked={asked} search={search} />}
    </>
  )
}

function NoAccount() {
  const t = useTranslations('analytics')
  const shell = useTranslations('shell')
  const { ws, membership } = usePlace()
  const connects = !refusal(membership, 'startConnection')
  return (
    <Empty
      icon={ChartNoAxesColumn}
      title={t('noAccount')}
      role="status"
      actions={
        connects && (
          <Link to="/w/$ws/accounts" params={{ ws }} className={buttonClass('primary')}>
            {shell('connectAccount')}
          </Link>
        )
      }
    />
  )
}

function NothingMatches() {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  return (
    <Empty
      icon={ChartNoAxesColumn}
      title={t('noMatch')}
      role="status"
      actions={
        <Link to="/w/$ws/analytics" params={{ ws }} className={buttonClass('secondary')}>
          {t('clear')}
        </Link>
      }
    />
  )
}

/** Shown before any data: the accounts whose first reading is running. */
function Reading({ accounts }: { accounts: AnalyticsOverview['byAccount'] }) {
  const t = useTranslations('analytics')
  return (
    <Empty icon={Hourglass} title={t('reading')} role="status">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {t('readingBody', { count: accounts.length })}
        <FirstReadings accounts={accounts} />
      </div>
    </Empty>
  )
}

/** Shown above the figures while the rest of the first reading arrives. */
function StillReading({ accounts }: { accounts: AnalyticsOverview['byAccount'] }) {
  const t = useTranslations('analytics')
  return (
    <section aria-labelledby="reading" className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h2 id="reading" className="text-13 font-semibold">
        {t('reading')}
      </h2>
      <FirstReadings accounts={accounts} />
    </section>
  )
}

function Export({ asked }: { asked: FigureFilter }) {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  const posts = useDownload(ws, 'exportAnalytics', { ...asked, of: 'posts' }, 'analytics-posts.csv')
  const days = useDownload(ws, 'exportAnalytics', { ...asked, of: 'days' }, 'analytics-days.csv')
  return (
    <Menu
      label={t('export')}
      align="end"
      trigger={(props) => (
        <Button {...props} size="sm" busy={posts.isPending || days.isPending}>
          <Download className="size-3.5" aria-hidden />
          {t('export')}
        </Button>
      )}
    >
      <MenuItem onSelect={() => days.mutate()}>{t('exportDays')}</MenuItem>
      <MenuItem onSelect={() => posts.mutate()}>{t('exportPosts')}</MenuItem>
    </Menu>
  )
}

const Skeleton = () => (
  <div aria-hidden className="grid gap-6">
    <div className="card grid gap-4 p-4">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {[1, 2, 3, 4].map((figure) => (
          <div key={figure} className="skeleton h-16" />
        ))}
      </div>
      <div className="skeleton h-60" />
    </div>
    <div className="skeleton h-64" />
  </div>
)
