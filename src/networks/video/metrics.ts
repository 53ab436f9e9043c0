import * as z from 'zod'
import { type AccountRead, type Metrics, wholeNumber } from '../metrics.ts'
import { NetworkError } from '../answers.ts'
import type { VideoRequest } from './client.ts'
import { video as rules } from './rules.ts'

const Video = z.looseObject({
  id: z.string(),
  view_count: z.number().optional(),
  like_count: z.number().optional(),
  comment_count: z.number().optional(),
  share_count: z.number().optional(),
})
type Video = z.infer<typeof Video>
const Counted = z.looseObject({ videos: z.array(Video) })
const Listed = z.looseObject({
  videos: z.array(
    Video.extend({
      create_time: z.number(),
      video_description: z.string().default(''),
      share_url: z.string().optional(),
    }),
  ),
  cursor: z.coerce.string(),
  has_more: z.boolean().default(false),
})
const Stats = z.looseObject({ user: z.looseObject({ follower_count: z.number().optional() }) })
/** The fields of `Video`. */
const COUNTS = Object.values(rules.figures.counts).join(',')
/** The maximum number of ids in one call. */
const ASKED = 20

type CallVideo = <T>(asked: VideoRequest<T>) => Promise<T>

const valuesOf = (video: Video) => ({
  reach: null,
  impressions: null,
  likes: wholeNumber(video.like_count),
  comments: wholeNumber(video.comment_count),
  shares: wholeNumber(video.share_count),
  saves: null,
  videoViews: wholeNumber(video.view_count),
})

/** The figures of a creator and their videos. The network reports neither reach nor saves to apps. */
export const videoMetrics = (call: CallVideo): Metrics => ({
  version: 'v2',
  scope: 'video.list',
  cost: ({ posts }) => Math.ceil(posts.length / ASKED),

  async posts({ account, reservation }, { posts }) {
    const found: Awaited<ReturnType<Metrics['posts']>> = {
      readings: [],
      missing: [],
      refused: [],
      gone: [],
      error: null,
    }
    try {
      for (let from = 0; from < posts.length; from += ASKED) {
        const ids = posts.slice(from, from + ASKED).map(({ id }) => id)
        const { videos } = await call({
          path: `/v2/video/query/?fields=id,${COUNTS}`,
          token: account.accessToken,
          body: { filters: { video_ids: ids } },
          answer: Counted,
          reservation,
        })
        const told = new Map(videos.map((video) => [video.id, video]))
        for (const id of ids) {
          const video = told.get(id)
          if (!video) {
            found.missing.push(id)
            continue
          }
          found.readings.push({ id, kind: null, values: valuesOf(video), unmeasurable: false })
        }
      }
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      found.error = error
    }
    return found
  },

  listCost: 1,

  async list({ account, reservation }, { after }) {
    const fields = `id,create_time,video_description,share_url,${COUNTS}`
    const {
      videos,
      cursor,
      has_more: hasMore,
    } = await call({
      path: `/v2/video/list/?fields=${fields}`,
      token: account.accessToken,
      body: { max_count: ASKED, ...(after !== null && { cursor: Number(after) }) },
      answer: Listed,
      reservation,
    })
    const posts = videos.map((video) => ({
      id: video.id,
      kind: null,
      values: valuesOf(video),
      text: video.video_description,
      permalink: video.share_url ?? null,
      publishedAt: new Date(video.create_time * 1000),
      isOurs: null,
    }))
    return { posts, after: hasMore ? cursor : null }
  },

  account: {
    days: null,
    metrics: [],
    singles: [],
    present: ['followers'],
    cost: () => 1,

    async read({ account, reservation }) {
      const found: AccountRead = { days: [], followers: null, gone: [], isRefused: false, error: null }
      try {
        const { user } = await call({
          path: '/v2/user/info/?fields=follower_count',
          token: account.accessToken,
          answer: Stats,
          reservation,
        })
        return { ...found, followers: wholeNumber(user.follower_count) }
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        // Without the permission for followers, posts still have their figures.
        return error.kind === 'PERMISSION' ? { ...found, isRefused: true } : { ...found, error }
      }
    },
  },
})
