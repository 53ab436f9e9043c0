import * as z from 'zod'
import { PageOptions } from './page/api.ts'
import { PHOTO_RENDITIONS, PhotoOptions } from './photo/api.ts'
import { VideoOptions, VideoOptionsInput } from './video/api.ts'

/** The options of a post for each network. The keys are the names of the networks. */
export const PlatformOptions = z.strictObject({
  NET_PAGE: PageOptions.optional(),
  NET_PHOTO: PhotoOptions.optional(),
  NET_VIDEO: VideoOptions.optional(),
})
export type PlatformOptions = z.infer<typeof PlatformOptions>

/** The options as a client may send them. */
export const PlatformOptionsInput = PlatformOptions.extend({ NET_VIDEO: VideoOptionsInput.optional() })

export const Platform = PlatformOptions.keyof()
export type Platform = z.infer<typeof Platform>
export const PLATFORMS = Platform.options

/** The renditions of pictures that networks get instead of the upload. */
export const RenditionUse = z.enum([...PLATFORMS, ...PHOTO_RENDITIONS])
export type RenditionUse = z.infer<typeof RenditionUse>

/** The figures that networks report for a live post. */
export const METRICS = ['reach', 'impressions', 'likes', 'comments', 'shares', 'saves', 'videoViews'] as const
export type Metric = (typeof METRICS)[number]

/**
 * The figures that networks report for an account by day. `reach7` and `reach28` are the network's own reach of 7 and
 * 28 days, since daily reach cannot be added up.
 */
export const ACCOUNT_METRICS = ['followers', 'reach', 'reach7', 'reach28', 'impressions', 'engagement'] as const
export type AccountMetric = (typeof ACCOUNT_METRICS)[number]
