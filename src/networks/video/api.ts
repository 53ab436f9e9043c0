import * as z from 'zod'
import { CoverAt } from '../options/api.ts'

/** What the network wants to be told by hand. Nothing is on before somebody turned it on, and who sees it has no default. */
export const VideoOptions = z
  .strictObject({
    privacyLevel: z
      .enum(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'])
      .nullable()
      .optional(),
    allowComment: z.boolean().optional(),
    allowDuet: z.boolean().optional(),
    allowStitch: z.boolean().optional(),
    /** It promotes the creator's own brand, or somebody else's who pays for it. */
    brandOrganic: z.boolean().optional(),
    brandContent: z.boolean().optional(),
    /** The author has agreed to the network's terms for the use of music. */
    consent: z.boolean().optional(),
    coverMs: CoverAt,
  })
  .meta({ id: 'VideoOptions' })
export type VideoOptions = z.infer<typeof VideoOptions>
