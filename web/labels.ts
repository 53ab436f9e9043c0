import type { Platform } from '../src/networks/api.ts'
import type { Role } from '../src/core/http/endpoint.ts'

interface NetworkLabel {
  name: string
  short: string
  mark: string
  color: string
  /** How the network shows a post: so many signs of its text, one picture at a time or all, the text above them or below. */
  preview: { fold: number; single: boolean; textFirst: boolean; like: 'thumb' | 'heart' }
}

/** What people call each network, and what it looks like: the one place that says so. */
export const NETWORKS: Record<Platform, NetworkLabel> = {
  NET_PAGE: {
    name: 'Facebook Page',
    short: 'Facebook',
    mark: 'f',
    color: '#1666d8',
    preview: { fold: 477, single: false, textFirst: true, like: 'thumb' },
  },
  NET_PHOTO: {
    name: 'Instagram',
    short: 'Instagram',
    mark: 'ig',
    color: '#c1246b',
    preview: { fold: 125, single: true, textFirst: false, like: 'heart' },
  },
  NET_VIDEO: {
    name: 'TikTok',
    short: 'TikTok',
    mark: 'tt',
    color: '#111114',
    preview: { fold: 100, single: true, textFirst: false, like: 'heart' },
  },
}

export const PLATFORM_ORDER = Object.keys(NETWORKS) as [Platform, ...Platform[]]

/** As they are offered, who may do most first. */
export const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const satisfies readonly Role[]
