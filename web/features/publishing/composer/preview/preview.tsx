import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../../src/channels/api.ts'
import type { Platform } from '../../../../../src/networks/api.ts'
import { networks } from '../../../../../src/networks/rules.ts'
import { compose, kindOf, ofAccount, type Tagging } from '../../../../../src/publishing/posts/compose/rules.ts'
import { firstLink } from '../../../../../src/publishing/posts/links/rules.ts'
import { NETWORKS } from '../../../../labels.ts'
import { type Draft, isReel } from '../draft.ts'
import { FeedPost } from './feed-post.tsx'
import { GalleryPost } from './gallery-post.tsx'
import { ScreenPost, StoryPost } from './screen-post.tsx'
import type { ShownPost } from './shown.ts'
import type { Cut } from './text.ts'

export interface PreviewProps {
  draft: Draft
  platform: Platform
  account: Pick<SocialAccount, 'name' | 'avatarUrl'> | undefined
  tagging: Tagging
  /** The age of a live post; "now" by default. */
  age?: string | undefined
}

/**
 * The post as readers see it on the network, composed by the service's own rules and without invented reactions. Always
 * left to right, as there.
 */
export function Preview({ draft, platform, account, tagging, age }: PreviewProps) {
  const t = useTranslations('composer')
  const name = account?.name ?? t('yourPage')
  const { text, media, comment } = compose(draft, platform, ofAccount(tagging, { name }))
  const kind = kindOf(draft, platform)
  const { look, fold } = NETWORKS[platform].preview
  const reel = isReel(draft, platform)
  const story = kind === 'story'
  const shown: ShownPost = {
    platform,
    name,
    avatarUrl: account?.avatarUrl,
    age: age ?? t('justNow'),
    text,
    link: firstLink(compose(draft, platform).text),
    fold: reel ? OVERLAID : fold,
    comment,
    media,
    whole: draft.media,
    marksAi: media.some(({ file }) => file.aiGenerated && networks[platform].marksAi.includes(file.kind)),
  }
  return (
    <figure className="min-w-0">
      <figcaption className="sr-only">
        {t(story ? 'previewOf.story' : kind === 'reel' ? 'previewOf.reel' : 'preview', {
          network: NETWORKS[platform].name,
        })}
      </figcaption>
      <div lang="und">
        {story ? (
          <StoryPost shown={shown} />
        ) : reel || look === 'screen' ? (
          <ScreenPost shown={shown} reel={reel} />
        ) : look === 'gallery' ? (
          <GalleryPost shown={shown} />
        ) : (
          <FeedPost shown={shown} />
        )}
      </div>
    </figure>
  )
}

/** Text over a video has less room than text below it. */
const OVERLAID: Cut = { signs: 72, lines: 2 }
