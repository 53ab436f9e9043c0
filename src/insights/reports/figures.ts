import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import type { Ports } from '../../services.ts'
import { type AskedPeriod, getOverview } from '../analytics/overview.ts'
import { listPosts } from '../analytics/posts.ts'
import type { Span } from '../analytics/rules.ts'
import { compareTags } from '../analytics/tags.ts'
import { getBestTimes } from '../predictions/predictions.ts'
import type { Report, ReportFigures, ReportPost } from './api.ts'

/** How many posts a report shows. */
const POSTS = 10
/** How many groups it shows of each kind of tag. */
const GROUPS = 8
const TAGS = ['topic', 'format', 'tone'] as const
/** The maximum number of accounts with best times. More would be a distraction. */
const ACCOUNTS = 20

type Asked = Pick<Report, 'sections' | 'accountIds'> & Span

/** Returns the current figures of a report. */
export async function readFigures(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  { sections, accountIds, from, to }: Asked,
): Promise<ReportFigures> {
  const period = { from, to, ...(accountIds.length > 0 && { accountIds }) }
  const has = (section: Report['sections'][number]) => sections.includes(section)
  const [overview, posts, tags, bestTimes] = await Promise.all([
    has('overview') ? getOverview(scope, { ...period, compare: 'previous' }, null) : null,
    has('posts') ? listPosts(scope, ports, { ...period, sort: 'views', limit: POSTS }) : null,
    has('tags') ? Promise.all(TAGS.map((by) => groupsOf(scope, by, period))) : null,
    has('bestTimes') ? bestTimesOf(scope, accountIds) : null,
  ])
  return withoutStates({
    overview,
    posts: posts && { data: posts.data.map(shown), count: posts.count, divisor: posts.divisor, basis: posts.basis },
    tags,
    bestTimes,
  })
}

/** Leaves out the state of each account, which is not for clients and means nothing once the figures are stored. */
export const withoutStates = (figures: ReportFigures): ReportFigures => ({
  ...figures,
  overview: figures.overview && {
    ...figures.overview,
    byAccount: figures.overview.byAccount.map((account) => ({
      ...account,
      nextAt: null,
      state: 'read',
      firstReading: null,
    })),
  },
})

type Groups = NonNullable<ReportFigures['tags']>[number]

async function groupsOf(scope: Scope, by: Groups['by'], period: AskedPeriod): Promise<Groups> {
  const { data, leftOut } = await compareTags(scope, { ...period, by, at: '7d' })
  return { by, data: data.slice(0, GROUPS), leftOut }
}

const shown = (post: ReportPost): ReportPost => ({
  accountName: post.accountName,
  platform: post.platform,
  kind: post.kind,
  caption: post.caption,
  permalink: post.permalink,
  publishedAt: post.publishedAt,
  views: post.views,
  reach: post.reach,
  engagement: post.engagement,
  rate: post.rate,
  againstMedian: post.againstMedian,
})

async function bestTimesOf(scope: Scope, accountIds: readonly string[]): Promise<ReportFigures['bestTimes']> {
  const [accounts] = await scope.read(query<{ id: string; accountName: string; platform: Platform }>`
    select id, name as account_name, platform from social_account where workspace_id = ${scope.workspaceId}
      and (id = any (${accountIds}::uuid[]) or cardinality(${accountIds}::uuid[]) = 0) and status <> 'DISCONNECTED'
    order by platform, lower(name), id limit ${ACCOUNTS}`)
  const times: NonNullable<ReportFigures['bestTimes']> = []
  for (const { id, ...account } of accounts) times.push({ ...(await getBestTimes(scope, id)), ...account })
  return times
}
