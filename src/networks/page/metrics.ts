import { type Graph } from '../graph/graph.ts'
import { graphMetrics } from '../graph/metrics.ts'
import { page } from './rules.ts'

const { insights, account } = page.figures

/** The figures of a page and its posts. The figures of a reel are those of its video. */
export const pageMetrics = (graph: Graph, { version, appId = '' }: { version: string; appId?: string | undefined }) =>
  graphMetrics(graph, version, {
    scope: 'read_insights',
    edge: 'published_posts',
    fields:
      'id,reactions.limit(0).summary(total_count),comments.limit(0).summary(total_count),shares,attachments{target{id}}',
    about: 'message,created_time,permalink_url,application{id}',
    isOurs: ({ application }) => (application ? application.id === appId : null),
    names: insights,
    isListed: () => true,
    counts: ({ reactions, comments, shares }) => ({
      likes: reactions?.summary.total_count ?? null,
      comments: comments?.summary.total_count ?? null,
      // The network omits a count of 0.
      shares: shares?.count ?? 0,
    }),
    kindsApart: ['reel'],
    apart({ kind }, { attachments }) {
      const video = attachments?.data[0]?.target?.id
      return kind === 'reel' && video !== undefined ? `/${video}/video_insights` : null
    },
    account: {
      most: 90,
      series: {
        day: account,
        week: { reach7: account.reach },
        days_28: { reach28: account.reach },
      },
      totals: {},
    },
  })
