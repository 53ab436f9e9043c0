import * as z from 'zod'
import { CoverAt, FirstCommentText } from '../options/api.ts'

/** The copies of pictures that are kept beside those for usual posts. */
export const PHOTO_RENDITIONS = ['NET_PHOTO_STORY'] as const

/** Without a kind a post of the feed, which the network makes a reel of where it is one video. */
export const PhotoOptions = z.strictObject({
  kind: z.enum(['post', 'reel', 'story']).optional(),
  shareToFeed: z.boolean().optional(),
  coverMs: CoverAt,
  firstComment: FirstCommentText,
})
