import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { Comments } from './comments.tsx'
import { Versions } from './versions.tsx'

/** What was said about a post, and what the post said before. */
export function History({ post, onClose }: { post: Post; onClose: () => void }) {
  const t = useTranslations('approvals')
  const { membership } = usePlace()
  return (
    <Dialog open wide onOpenChange={(open) => open || onClose()} title={t('history')}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <Comments postId={post.id} />
        {!refusal(membership, 'listVersions') && <Versions post={post} onRestored={onClose} />}
      </div>
    </Dialog>
  )
}
