import type { PostTags } from '../../assistant/ai/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'
import { facts } from '../../networks/rules.ts'

/** The format of a post made elsewhere, as far as its kind tells it. A post that may be text alone has a picture or none. */
export function formatOfFound(kind: ContentKind, platform: Platform): PostTags['format'] | null {
  if (kind === 'reel') return 'video'
  if (kind === 'pictures') return 'carousel'
  const { images, textOnly } = facts[platform]
  if (kind === 'story' || textOnly) return null
  return images ? 'picture' : 'video'
}
