import type { PostTags } from '../../assistant/ai/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { ContentKind } from '../../networks/network.ts'
import { facts } from '../../networks/rules.ts'

/**
 * Returns the format of a post made elsewhere, if its kind implies one. A post that could be text only may or may not
 * have a picture.
 */
export function formatOfFound(kind: ContentKind, platform: Platform): PostTags['format'] | null {
  if (kind === 'reel') return 'video'
  if (kind === 'pictures') return 'carousel'
  const { images, textOnly } = facts[platform]
  if (kind === 'story' || textOnly) return null
  return images ? 'picture' : 'video'
}
