import { CalendarX2, Copy, Ellipsis, MessagesSquare, Share2, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { allowed } from '../../../../src/publishing/posts/rules.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem, MenuLine, MenuLink } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { waitsForClient } from '../approvals/waits.ts'
import { usePostActs } from './use-post-acts.ts'

const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }))
const QueueItem = lazy(() => import('../queue/queue-item.tsx'))
const ReviewLinks = lazy(async () => ({ default: (await import('../approvals/review-links.tsx')).ReviewLinks }))

/** Further actions on a post. The first shares it with a person without an account. */
export function PostMenu({ post }: { post: Post }) {
  const t = useTranslations('post')
  const links = useTranslations('approvals.links')
  const { ws, membership } = usePlace()
  const [sharing, setSharing] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const acts = usePostActs(post)
  const can = allowed(post.status)
  return (
    <>
      <Menu
        label={t('more')}
        align="end"
        trigger={(props) => (
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('more')}
            busy={acts.duplicate.isPending || acts.cancel.isPending || acts.remove.isPending}
            {...props}
          >
            <Ellipsis className="size-4" aria-hidden />
          </Button>
        )}
      >
        {!refusal(membership, 'listReviewLinks') && (
          <MenuItem onSelect={() => setSharing(true)}>
            <Share2 className="size-4" aria-hidden />
            {links('title')}
          </MenuItem>
        )}
        {post.publications.some(({ state }) => state === 'PUBLISHED') && membership.features.includes('auto_reply') && (
          <MenuLink to={`/w/${ws}/inbox?filter=all&post=${post.id}`}>
            <MessagesSquare className="size-4" aria-hidden />
            {t('conversations')}
          </MenuLink>
        )}
        {can.includes('schedule') && !waitsForClient(post) && (
          <Suspense>
            <QueueItem post={post} />
          </Suspense>
        )}
        {can.includes('cancel') && (
          <MenuItem onSelect={() => acts.cancel.mutate()}>
            <CalendarX2 className="size-4" aria-hidden />
            {t('cancelSchedule')}
          </MenuItem>
        )}
        <MenuItem onSelect={() => acts.duplicate.mutate()}>
          <Copy className="size-4" aria-hidden />
          {t('duplicate')}
        </MenuItem>
        {can.includes('delete') && (
          <>
            <MenuLine />
            <MenuItem danger onSelect={() => setDeleting(true)}>
              <Trash2 className="size-4" aria-hidden />
              {t('delete')}
            </MenuItem>
          </>
        )}
      </Menu>
      <Suspense>{sharing && <ReviewLinks postIds={[post.id]} onClose={() => setSharing(false)} />}</Suspense>
      <Suspense>
        {deleting && (
          <DeleteDialog
            posts={[post]}
            busy={acts.remove.isPending}
            onDelete={(also) => acts.remove.mutate(also, { onSettled: () => setDeleting(false) })}
            onClose={() => setDeleting(false)}
          />
        )}
      </Suspense>
    </>
  )
}
