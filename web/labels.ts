import type { Platform } from '../src/networks/api.ts'
import type { Role } from '../src/core/http/endpoint.ts'

/** What people call each network: the one place that says so. */
export const NETWORKS: Record<Platform, { name: string; short: string; mark: string; color: string }> = {
  NET_PAGE: { name: 'Facebook Page', short: 'Facebook', mark: 'f', color: '#1666d8' },
  NET_PHOTO: { name: 'Instagram', short: 'Instagram', mark: 'ig', color: '#c1246b' },
  NET_VIDEO: { name: 'TikTok', short: 'TikTok', mark: 'tt', color: '#111114' },
}

export const PLATFORM_ORDER = Object.keys(NETWORKS) as Platform[]

/** As they are offered, who may do most first. */
export const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const satisfies readonly Role[]
