import * as z from 'zod'
import { CoverAt, FirstCommentText } from '../options/api.ts'

/** The renditions of pictures in addition to those for ordinary posts. */
export const PHOTO_RENDITIONS = ['NET_PHOTO_STORY'] as const

/** Without a kind it is a feed post. The network makes a reel of a single video. */
export const PhotoOptions = z.strictObject({
  kind: z.enum(['post', 'reel', 'story']).optional(),
  shareToFeed: z.boolean().optional(),
  coverMs: CoverAt,
  firstComment: FirstCommentText,
})
