import type { ContentKind } from '../facts.ts'
import { type Graph } from '../graph/graph.ts'
import { graphMetrics } from '../graph/metrics.ts'
import { photo } from './rules.ts'

const { insights, account } = photo.figures

const KINDS: Readonly<Record<string, ContentKind>> = { FEED: 'post', REELS: 'reel', STORY: 'story' }

/** The figures of a photo account and its posts. A story is in no list, and its figures end after a day. */
export const photoMetrics = (graph: Graph, version: string) =>
  graphMetrics(graph, version, {
    scope: 'instagram_manage_insights',
    edge: 'media',
    fields: 'id,media_product_type,like_count,comments_count',
    about: 'caption,timestamp,permalink',
    isOurs: () => null,
    names: insights,
    isListed: (kind) => kind !== 'story',
    counts: ({ like_count: likes = null, comments_count: comments = null }) => ({ likes, comments }),
    kindOf: ({ media_product_type: type = '' }) => KINDS[type] ?? null,
    kindsApart: [],
    account: {
      most: 30,
      series: { day: { reach: account.reach }, week: { reach7: account.reach }, days_28: { reach28: account.reach } },
      totals: { impressions: account.impressions, engagement: account.engagement },
      followersField: account.followers,
    },
  })
