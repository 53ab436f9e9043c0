import facebook from 'simple-icons/icons/facebook.svg?url'
import instagram from 'simple-icons/icons/instagram.svg?url'
import tiktok from 'simple-icons/icons/tiktok.svg?url'
import type { Platform } from '../src/networks/api.ts'
import type { Role } from '../src/core/http/endpoint.ts'

/** A network's logo on a disc: its outline, the colours of both, and how much of the disc it fills. */
interface Glyph {
  url: string
  fill: string
  disc: string
  scale: number
}

/** How a network displays a post. */
interface PreviewLook {
  /**
   * `feed`: the text above all pictures; `gallery`: one picture at a time above the text; `screen`: fills a phone's
   * screen.
   */
  look: 'feed' | 'gallery' | 'screen'
  /** How much of a text the network shows before "more". */
  fold: { signs: number; lines: number }
}

interface NetworkLabel {
  name: string
  short: string
  glyph: Glyph
  preview: PreviewLook
}

/** The names and looks of the networks. Nothing else in the app defines them. */
export const NETWORKS: Record<Platform, NetworkLabel> = {
  NET_PAGE: {
    name: 'Facebook Page',
    short: 'Facebook',
    glyph: { url: facebook, fill: '#1666d9', disc: '#fff', scale: 1 },
    preview: { look: 'feed', fold: { signs: 477, lines: 6 } },
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
    preview: { look: 'gallery', fold: { signs: 125, lines: 2 } },
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
    preview: { look: 'screen', fold: { signs: 72, lines: 2 } },
  },
}

export const PLATFORM_ORDER = Object.keys(NETWORKS) as [Platform, ...Platform[]]

/** In display order, most permissions first. */
export const ROLES = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER', 'CLIENT'] as const satisfies readonly Role[]
