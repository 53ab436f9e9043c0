import type { PostTags } from '../../assistant/ai/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'

/** The format of a post made elsewhere, as far as its kind tells it. A post of a page may have a picture or none. */
export function formatOfFound(kind: ContentKind, platform: Platform): PostTags['format'] | null {
  if (kind === 'reel') return 'video'
  if (kind === 'pictures') return 'carousel'
  if (kind === 'story' || platform === 'NET_PAGE') return null
  return platform === 'NET_VIDEO' ? 'video' : 'picture'
}
