import * as z from 'zod'
import type { Metrics } from '../metrics.ts'
import { NetworkError, type Reservation } from '../network.ts'

const Counted = z.looseObject({
  videos: z.array(
    z.looseObject({
      id: z.string(),
      view_count: z.number().optional(),
      like_count: z.number().optional(),
      comment_count: z.number().optional(),
      share_count: z.number().optional(),
    }),
  ),
})
/** Ids of one call. */
const ASKED = 20

type Ask = (
  path: string,
  answer: typeof Counted,
  token: string,
  reservation: Reservation,
  body: object,
) => Promise<z.infer<typeof Counted>>

/** The figures of videos. The network tells apps neither reach nor saves. */
export const videoMetrics = (ask: Ask): Metrics => ({
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
        const { videos } = await ask(
          '/v2/video/query/?fields=id,view_count,like_count,comment_count,share_count',
          Counted,
          account.accessToken,
          reservation,
          { filters: { video_ids: ids } },
        )
        const told = new Map(videos.map((video) => [video.id, video]))
        for (const id of ids) {
          const video = told.get(id)
          if (!video) {
            found.missing.push(id)
            continue
          }
          const values = {
            reach: null,
            impressions: null,
            likes: video.like_count ?? null,
            comments: video.comment_count ?? null,
            shares: video.share_count ?? null,
            saves: null,
            videoViews: video.view_count ?? null,
          }
          found.readings.push({ id, kind: null, values, unmeasurable: false })
        }
      }
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      found.error = error
    }
    return found
  },
})
