import { Share2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { MenuItem } from '../../../ui/menu.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { PostMenu } from '../post/menu.tsx'

const ReviewLinks = lazy(async () => ({ default: (await import('../approvals/review-links.tsx')).ReviewLinks }))

/** What else can be done with the post in the composer; the way to show it to somebody without an account first. */
export default function ComposerMenu({ post }: { post: Post }) {
  const t = useTranslations('approvals.links')
  const { membership } = usePlace()
  const [sharing, setSharing] = useState(false)
  return (
    <>
      <PostMenu post={post}>
        {!refusal(membership, 'listReviewLinks') && (
          <MenuItem onSelect={() => setSharing(true)}>
            <Share2 className="size-4" aria-hidden />
            {t('title')}
          </MenuItem>
        )}
      </PostMenu>
      <Suspense>{sharing && <ReviewLinks post={post} onClose={() => setSharing(false)} />}</Suspense>
    </>
  )
}
