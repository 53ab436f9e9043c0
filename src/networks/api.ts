import * as z from 'zod'

export const PLATFORMS = ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const
export const Platform = z.enum(PLATFORMS)
export type Platform = z.infer<typeof Platform>
