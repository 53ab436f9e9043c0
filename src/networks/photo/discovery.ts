import * as z from 'zod'
import type { Discovery } from '../discovery.ts'
import { type Graph, timeOf } from '../graph/graph.ts'
import { wholeNumber } from '../metrics.ts'
import { NetworkError } from '../answers.ts'

const Post = z.looseObject({
  id: z.string(),
  caption: z.string().optional(),
  timestamp: z.string(),
  permalink: z.string().optional(),
  like_count: z.unknown(),
  comments_count: z.unknown(),
})
const Found = z.looseObject({
  business_discovery: z.looseObject({
    id: z.string(),
    username: z.string(),
    name: z.string().optional(),
    followers_count: z.unknown(),
    media_count: z.unknown(),
    media: z.looseObject({ data: z.array(Post) }).optional(),
  }),
})

const POSTS = 25
/** The network shows no account of this name: it does not exist, is not professional, or is age-restricted. */
const NOT_SHOWN = '110'

/** Business Discovery: professional accounts without an age restriction. */
export const photoDiscovery = ({ call }: Graph): Discovery => ({
  scope: 'instagram_manage_insights',
  cost: 1,
  async find({ account, reservation }, username) {
    const posts = `media.limit(${POSTS}){id,caption,timestamp,permalink,like_count,comments_count}`
    try {
      const { business_discovery: found } = await call({
        method: 'GET',
        path: `/${account.externalId}`,
        token: account.accessToken,
        params: {
          fields: `business_discovery.username(${username}){id,username,name,followers_count,media_count,${posts}}`,
        },
        answer: Found,
        reservation,
      })
      return {
        externalId: found.id,
        username: found.username,
        name: found.name ?? found.username,
        followers: wholeNumber(found.followers_count),
        mediaCount: wholeNumber(found.media_count),
        posts: (found.media?.data ?? []).map((post) => ({
          externalId: post.id,
          publishedAt: new Date(timeOf(post.timestamp)),
          text: post.caption ?? '',
          permalink: post.permalink ?? null,
          likes: wholeNumber(post.like_count),
          comments: wholeNumber(post.comments_count),
        })),
      }
    } catch (error) {
      if (error instanceof NetworkError && error.networkCode?.split('/')[0] === NOT_SHOWN) return null
      throw error
    }
  },
})
