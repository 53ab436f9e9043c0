import facebook from 'simple-icons/icons/facebook.svg?url'
import instagram from 'simple-icons/icons/instagram.svg?url'
import tiktok from 'simple-icons/icons/tiktok.svg?url'
import type { Platform } from '../src/networks/api.ts'
import type { Role } from '../src/core/http/endpoint.ts'

/** The network's own sign on a disc: its outline, the colours of both, and how much of the disc it fills. */
interface Glyph {
  url: string
  fill: string
  disc: string
  scale: number
}

interface NetworkLabel {
  name: string
  short: string
  glyph: Glyph
  /** How the network shows a post: so many signs of its text, one picture at a time or all, the text above them or below. */
  preview: { fold: number; single: boolean; textFirst: boolean; like: 'thumb' | 'heart' }
}

/** What people call each network, and what it looks like: the one place that says so. */
export const NETWORKS: Record<Platform, NetworkLabel> = {
  NET_PAGE: {
    name: 'Facebook Page',
    short: 'Facebook',
    glyph: { url: facebook, fill: '#1666d9', disc: '#fff', scale: 1 },
    preview: { fold: 477, single: false, textFirst: true, like: 'thumb' },
  },
  NET_PHOTO: {
    name: 'Instagram',
    short: 'Instagram',
    glyph: {
      url: instagram,
      fill: '#fff',
      disc: 'linear-gradient(45deg, #f9a03f, #e1306c 45%, #c13584 65%, #6a3fb5)',
      scale: 0.6,
    },
    preview: { fold: 125, single: true, textFirst: false, like: 'heart' },
  },
  NET_VIDEO: {
    name: 'TikTok',
    short: 'TikTok',
    glyph: {
      url: tiktok,
      fill: 'light-dark(#fff, #111)',
      disc: 'light-dark(#111, #f2f2f2)',
      scale: 0.58,
    },
    preview: { fold: 100, single: true, textFirst: false, like: 'heart' },
  },
}

export const PLATFORM_ORDER = Object.keys(NETWORKS) as [Platform, ...Platform[]]

/** As they are offered, who may do most first. */
export const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const satisfies readonly Role[]
