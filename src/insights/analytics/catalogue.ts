import { en } from '../../core/texts/metrics/en.ts'
import { type Metric, METRICS, PLATFORMS, type Platform } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'
import { networks } from '../../networks/rules.ts'
import { DAY_METRICS, type MetricEntry } from './api.ts'

// What each figure is and where it comes from, by the names that the adapters use at the networks.

/**
 * Figures that cannot be summed. Reach counts people once per day or per post, so a sum counts some of them twice.
 * Followers are a level.
 */
const LEVELS: readonly string[] = ['reach', 'followers']

const kindsOf = (platform: Platform): ContentKind[] => [
  'post',
  ...(Object.keys(networks[platform].kinds) as ContentKind[]),
]

interface Source {
  platform: Platform
  /** Null means every kind. */
  kind: ContentKind | null
  /** The network's own name, or undefined if the network does not report the figure. */
  name: string | undefined
}

function entry(basis: MetricEntry['basis'], metric: string, sentence: string, found: readonly Source[]): MetricEntry {
  return {
    basis,
    metric,
    sentence,
    additive: !LEVELS.includes(metric),
    sources: found.flatMap(({ platform, kind, name }) => {
      const { delayHours, hasDays } = networks[platform].figures
      if (name === undefined) return []
      const isOfPosts = basis === 'posts'
      const delay = isOfPosts ? delayHours.posts : delayHours.account
      return [
        { platform, kind, name, delayHours: delay, isDifference: !isOfPosts && !hasDays && metric !== 'followers' },
      ]
    }),
    missing: found.flatMap(({ platform, kind, name }) => (name === undefined ? [{ platform, kind }] : [])),
  }
}

const ofAccounts = DAY_METRICS.map((metric) =>
  entry(
    'activity',
    metric,
    en.activity[metric],
    PLATFORMS.map((platform) => ({ platform, kind: null, name: networks[platform].figures.account[metric] })),
  ),
)

/** Returns the sources of a post figure, with a single one for all kinds if the network uses the same name. */
function sourcesOf(platform: Platform, metric: Metric): Source[] {
  const { insights, counts } = networks[platform].figures
  const kinds = kindsOf(platform).map((kind) => ({ platform, kind, name: insights[kind]?.[metric] ?? counts[metric] }))
  const [first] = kinds
  return kinds.every(({ name }) => name === first?.name) ? [{ platform, kind: null, name: first?.name }] : kinds
}

const ofPosts = METRICS.map((metric) =>
  entry(
    'posts',
    metric,
    en.posts[metric],
    PLATFORMS.flatMap((platform) => sourcesOf(platform, metric)),
  ),
)

/** Lists every figure that Parley reads. */
export const listMetrics = (): { data: MetricEntry[]; nextCursor: null } => ({
  data: [...ofAccounts, ...ofPosts],
  nextCursor: null,
})
