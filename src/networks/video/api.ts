import * as z from 'zod'
import { CoverAt } from '../options/api.ts'

/**
 * The choices that the network requires from a person. Everything is off until a person turns it on, and the audience
 * has no default.
 */
export const VideoOptions = z
  .strictObject({
    privacyLevel: z
      .enum(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'])
      .nullable()
      .optional(),
    allowComment: z.boolean().optional(),
    allowDuet: z.boolean().optional(),
    allowStitch: z.boolean().optional(),
    /** The post promotes the creator's own brand, or a brand that pays for it. */
    brandOrganic: z.boolean().optional(),
    brandContent: z.boolean().optional(),
    /** The author has agreed to the network's music usage terms. */
    consent: z.boolean().optional(),
    coverMs: CoverAt,
  })
  .meta({ id: 'VideoOptions' })
export type VideoOptions = z.infer<typeof VideoOptions>

const { brandOrganic, brandContent } = VideoOptions.shape

/** The options as a client may send them: `disclosure` is another way to set both brand options. */
export const VideoOptionsInput = VideoOptions.extend({
  disclosure: z
    .union([z.boolean(), z.strictObject({ brandOrganic, brandContent })])
    .nullable()
    .optional()
    .describe('Sets `brandOrganic` and `brandContent`; `true` means your own brand, and `false` or null neither'),
}).transform(({ disclosure, ...options }): VideoOptions => {
  if (disclosure === undefined) return options
  const brands = typeof disclosure === 'object' ? disclosure : { brandOrganic: disclosure }
  return { ...options, brandOrganic: brands?.brandOrganic === true, brandContent: brands?.brandContent === true }
})
