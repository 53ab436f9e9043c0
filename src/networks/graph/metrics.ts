import * as z from 'zod'
import type { Metric } from '../api.ts'
import type { ContentKind } from '../facts.ts'
import {
  type AskedPost,
  type FoundPost,
  type Metrics,
  type MetricsAsk,
  type MetricValues,
  type PostReading,
  type PostsRead,
  wholeNumber,
} from '../metrics.ts'
import { NetworkError } from '../answers.ts'
import { type Graph, timeOf } from './graph.ts'
import { type GraphAccount, graphAccount } from './account.ts'
import { type NamesAsked, aliveOf, endsAll, Insights, isDead, limited, read, withoutDead } from './insights.ts'
import { Paging } from './login.ts'

// The figures of live posts. A list returns those of 25 posts in one call.

const Count = z.looseObject({ summary: z.looseObject({ total_count: z.number() }) })
const Item = z.looseObject({
  id: z.string(),
  reactions: Count.optional(),
  comments: Count.optional(),
  shares: z.looseObject({ count: z.number() }).optional(),
  like_count: z.number().optional(),
  comments_count: z.number().optional(),
  media_product_type: z.string().optional(),
  message: z.string().optional(),
  caption: z.string().optional(),
  created_time: z.string().optional(),
  timestamp: z.string().optional(),
  permalink_url: z.string().optional(),
  permalink: z.string().optional(),
  application: z.looseObject({ id: z.string() }).optional(),
  attachments: z
    .looseObject({ data: z.array(z.looseObject({ target: z.looseObject({ id: z.string().optional() }).optional() })) })
    .optional(),
  insights: Insights.optional(),
})
export type Item = z.infer<typeof Item>
const Items = z.looseObject({ data: z.array(Item), paging: Paging })

/** The number of posts in a list. */
const LISTED = 25
/** The maximum difference between the network's time of a post and ours, in milliseconds. */
const APART = 300_000

export interface GraphFigures {
  scope: string
  /** The edge that lists live posts. */
  edge: string
  /** The fields with public counts. */
  fields: string
  /** The fields that describe a post. */
  about: string
  /** Whether this application made the post; null if the network does not report it. */
  isOurs(item: Item): boolean | null
  /** The names of the insights of each kind. */
  names: Readonly<Partial<Record<ContentKind, Readonly<Partial<Record<Metric, string>>>>>>
  isListed(kind: ContentKind): boolean
  counts(item: Item): Partial<MetricValues>
  kindOf?(item: Item): ContentKind | null
  /** Returns the path of the insights of a post if they are not among its fields, else null. */
  apart?(post: AskedPost, item: Item): string | null
  /** Kinds whose insights need a call of their own. */
  kindsApart: readonly ContentKind[]
  account: GraphAccount
}

/** The findings of a reading so far. */
interface Run extends NamesAsked {
  isGranted: boolean
  found: PostsRead
  /** The account is known to exist, so a post that is not found is missing. */
  isAccountThere: boolean
}

export function graphMetrics(graph: Graph, version: string, figures: GraphFigures): Metrics {
  const { scope, edge, fields, about, names, isOurs, isListed, counts, kindOf, apart, kindsApart } = figures

  const namesOf = (kinds: readonly ContentKind[], run: Run) => {
    const all = new Set(run.isGranted ? kinds.flatMap((kind) => Object.values(names[kind] ?? {})) : [])
    return aliveOf([...all], kinds, run)
  }
  const tolerant = <T>(run: Run, kinds: readonly ContentKind[], ask: (names: readonly string[]) => Promise<T>) =>
    withoutDead(run, kinds, namesOf(kinds, run), ask)

  const get = <T extends z.ZodType>(run: Run, path: string, params: Record<string, string>, answer: T) =>
    read(graph, run, path, params, answer)

  const withInsights = (asked: readonly string[]) =>
    asked.length > 0 ? `${fields},insights.metric(${asked.join(',')})` : fields

  async function noteReading(run: Run, post: AskedPost, item: Item, unmeasurable = false): Promise<void> {
    const kind = kindOf?.(item) ?? null
    const path = apart?.(post, item) ?? null
    const told = path === null ? item.insights : await readApart(run, post, path)
    const values = valuesOf(counts(item), names[kind ?? post.kind] ?? {}, told)
    run.found.readings.push({ id: post.id, kind, values, unmeasurable })
  }

  /**
   * Reads the insights that are not among the fields of a post. If the network refuses them, the post still has its
   * public counts.
   */
  async function readApart(run: Run, { kind }: AskedPost, path: string) {
    try {
      return await tolerant(run, [kind], (metric) =>
        metric.length > 0 ? get(run, path, { metric: metric.join(',') }, Insights) : Promise.resolve(undefined),
      )
    } catch (error) {
      if (!(error instanceof NetworkError) || endsAll(error)) throw error
      return undefined
    }
  }

  /** Throws if the network does not have the account, and therefore none of its posts. */
  async function needAccount(run: Run): Promise<void> {
    if (run.isAccountThere) return
    await get(run, `/${run.place.account.externalId}`, { fields: 'id' }, z.looseObject({ id: z.string() }))
    run.isAccountThere = true
  }

  async function readOne(run: Run, post: AskedPost): Promise<void> {
    const kinds = kindsApart.includes(post.kind) ? [] : [post.kind]
    const ask = (asked: readonly string[]) => get(run, `/${post.id}`, { fields: withInsights(asked) }, Item)
    let isOlder = false
    try {
      const item = await tolerant(run, kinds, ask).catch((error: unknown) => {
        if (!(error instanceof NetworkError) || namesOf(kinds, run).length === 0) throw error
        isOlder = error.networkCode === OLDER
        // Insights are requested only with the permission, so a PERMISSION error here means that too few people have
        // seen the post.
        if (!isOlder && error.kind !== 'PERMISSION') throw error
        return ask([])
      })
      await noteReading(run, post, item, isOlder)
    } catch (error) {
      if (!(error instanceof NetworkError) || endsAll(error)) throw error
      if (error.kind === 'NOT_FOUND') {
        await needAccount(run)
        run.found.missing.push(post.id)
      } else run.found.refused.push(post.id)
    }
  }

  /**
   * Whether one list can request the figures of all these kinds: no name is known to be unsupported for one kind but
   * supported for another.
   */
  const agree = (kinds: readonly ContentKind[], run: Run) =>
    kinds.every((kind) => namesOf([kind], run).every((name) => aliveOf([name], kinds, run).length > 0))

  /**
   * Reads the posts of a list. If the network refuses a name, the posts of each kind are read in a list of their own.
   * Returns the posts that must be read one by one.
   */
  async function readList(run: Run, posts: readonly AskedPost[]): Promise<readonly AskedPost[]> {
    const until = Math.ceil(((posts[0] as AskedPost).publishedAt.getTime() + APART) / 1000)
    const params = { limit: String(LISTED), until: String(until) }
    const kinds = insightKindsOf(posts)
    if (!agree(kinds, run)) return readByKind(run, posts)
    const path = `/${run.place.account.externalId}/${edge}`
    const ask = (asked: readonly string[]) => get(run, path, { fields: withInsights(asked), ...params }, Items)
    let items: readonly Item[]
    try {
      const { data } = await (kinds.length > 1 ? ask(namesOf(kinds, run)) : tolerant(run, kinds, ask))
      items = data
      run.isAccountThere = true
    } catch (error) {
      // NOT_FOUND is about the account here, not its posts.
      if (!(error instanceof NetworkError) || endsAll(error) || error.kind === 'NOT_FOUND') throw error
      return kinds.length > 1 && isDead(error) ? readByKind(run, posts) : posts
    }
    const listed = new Map(items.map((item) => [item.id, item]))
    for (const post of posts) {
      const item = listed.get(post.id)
      if (item) await noteReading(run, post, item)
    }
    return posts.filter(({ id }) => !listed.has(id))
  }

  async function readByKind(run: Run, posts: readonly AskedPost[]): Promise<readonly AskedPost[]> {
    const alone: AskedPost[] = []
    for (const each of new Set(posts.map(({ kind }) => kind))) {
      const ofKind = posts.filter(({ kind }) => kind === each)
      alone.push(...(ofKind.length > 1 ? await readList(run, ofKind) : ofKind))
    }
    return alone
  }

  const insightKindsOf = (posts: readonly AskedPost[]) => [
    ...new Set(posts.map(({ kind }) => kind).filter((kind) => !kindsApart.includes(kind))),
  ]

  /** The maximum number of calls for a list: one, plus one for each kind if there are several. */
  const callsOfList = (posts: readonly AskedPost[]) => {
    if (posts.length === 1) return 0
    const kinds = insightKindsOf(posts).length
    return kinds > 1 ? 1 + kinds : 1
  }

  const cost = ({ posts }: Pick<MetricsAsk, 'posts'>) =>
    listsOf(posts, isListed).reduce((sum, list) => sum + callsOfList(list), 0) +
    posts.length +
    posts.filter(({ kind }) => kindsApart.includes(kind)).length

  return {
    version,
    scope,
    cost,
    account: graphAccount(graph, figures.account),

    async posts(place, ask) {
      const run: Run = {
        place: { ...place, reservation: limited(place.reservation, cost(ask) + ask.spare) },
        isGranted: ask.isGranted,
        gone: new Set(ask.gone),
        found: { readings: [], missing: [], refused: [], gone: [], error: null },
        isAccountThere: false,
      }
      try {
        for (const list of listsOf(ask.posts, isListed)) {
          const left = list.length > 1 ? await readList(run, list) : list
          for (const post of left) await readOne(run, post)
        }
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        run.found.error = error
      }
      return run.found
    },

    listCost: 1,

    async list(place, { after, gone, isGranted, spare }) {
      const run: Run = {
        place: { ...place, reservation: limited(place.reservation, 1 + spare) },
        isGranted,
        gone,
        found: { readings: [], missing: [], refused: [], gone: [], error: null },
        isAccountThere: false,
      }
      const { data, paging } = await tolerant(run, ['post'], (asked) =>
        get(
          run,
          `/${place.account.externalId}/${edge}`,
          { fields: `${withInsights(asked)},${about}`, limit: String(LISTED), ...(after !== null && { after }) },
          Items,
        ),
      )
      const posts = data.map((item): FoundPost => {
        const kind = kindOf?.(item) ?? null
        return {
          id: item.id,
          kind,
          values: valuesOf(counts(item), names[kind ?? 'post'] ?? {}, item.insights),
          text: item.message ?? item.caption ?? '',
          permalink: item.permalink_url ?? item.permalink ?? null,
          publishedAt: new Date(timeOf(item.created_time ?? item.timestamp ?? '')),
          isOurs: isOurs(item),
        }
      })
      return { posts, after: paging?.next ? (paging.cursors?.after ?? null) : null }
    },
  }
}

const OLDER = '100/2108006'

/** Groups posts that one list can return together. Posts that must be read one by one form their own groups. */
function listsOf(posts: readonly AskedPost[], isListed: (kind: ContentKind) => boolean): AskedPost[][] {
  const lists: AskedPost[][] = []
  let open: AskedPost[] | undefined
  for (const post of posts) {
    if (!isListed(post.kind)) {
      lists.push([post])
    } else if (open?.[0] && post.place < open[0].place + LISTED) {
      open.push(post)
    } else {
      open = [post]
      lists.push(open)
    }
  }
  return lists
}

function valuesOf(
  counts: Partial<MetricValues>,
  names: Readonly<Partial<Record<Metric, string>>>,
  insights: Insights | undefined,
): PostReading['values'] {
  const told = new Map((insights?.data ?? []).map(({ name, values }) => [name, values.at(-1)?.value]))
  const valueOf = (metric: Metric) => wholeNumber(counts[metric]) ?? wholeNumber(told.get(names[metric] ?? ''))
  return {
    reach: valueOf('reach'),
    impressions: valueOf('impressions'),
    likes: valueOf('likes'),
    comments: valueOf('comments'),
    shares: valueOf('shares'),
    saves: valueOf('saves'),
    videoViews: valueOf('videoViews'),
  }
}
