import * as z from 'zod'
import { PageOptions } from './page/api.ts'
import { PHOTO_RENDITIONS, PhotoOptions } from './photo/api.ts'
import { VideoOptions } from './video/api.ts'

/** The options of a post for each network. The keys are the names of the networks. */
export const PlatformOptions = z.strictObject({
  NET_PAGE: PageOptions.optional(),
  NET_PHOTO: PhotoOptions.optional(),
  NET_VIDEO: VideoOptions.optional(),
})
export type PlatformOptions = z.infer<typeof PlatformOptions>

export const Platform = PlatformOptions.keyof()
export type Platform = z.infer<typeof Platform>
export const PLATFORMS = Platform.options

/** The renditions of pictures that networks get instead of the upload. */
export const RenditionUse = z.enum([...PLATFORMS, ...PHOTO_RENDITIONS])
export type RenditionUse = z.infer<typeof RenditionUse>

/** What networks tell of a live post. */
export const METRICS = ['reach', 'impressions', 'likes', 'comments', 'shares', 'saves', 'videoViews'] as const
export type Metric = (typeof METRICS)[number]
