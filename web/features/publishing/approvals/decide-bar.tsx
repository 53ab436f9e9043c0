import { Check, MessageSquareWarning } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { shortcutsOn, useShortcuts, withKey } from '../../../shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { effectOf } from './effect.ts'
import { useMomentIn } from './people.ts'
import { useDecide, useMayDecide } from './use-decide.ts'

const RejectDialog = lazy(async () => ({ default: (await import('./reject-dialog.tsx')).RejectDialog }))

interface Props {
  post: Post
  /** Why the post cannot be approved now. */
  off?: string | null
  /** Whether A approves and R requests changes while this post's row has the keyboard focus. */
  keys?: boolean
  onDecided?: () => void
}

/** Whether a post's row in the queue has the visible keyboard focus. */
const isRowFocused = (postId: string) =>
  document.activeElement?.matches(`[data-row="${postId}"]:focus-visible`) ?? false

/**
 * Buttons to approve or request changes. Renders nothing for a person who cannot decide this post now. Publishing
 * immediately requires a confirmation. By key, so does any approval that schedules or publishes, because a key is
 * easier to press by mistake and then acts on the next row.
 */
export function DecideBar({ post, off, keys, onDecided }: Props) {
  const t = useTranslations('approvals')
  const { membership, workspace } = usePlace()
  const moment = useMomentIn(workspace.timezone)
  const [rejecting, setRejecting] = useState(false)
  const [asking, setAsking] = useState<'publish' | 'schedule' | null>(null)
  const decide = useDecide(post, () => {
    setRejecting(false)
    setAsking(null)
    onDecided?.()
  })
  const may = useMayDecide()(post)
  const approves = may && !(membership.role === 'CLIENT' && post.status === 'SCHEDULED' && post.approved)
  const approve = (byKey: boolean) => {
    if (!approves || off || decide.isPending) return
    const effect = effectOf(post, post.approval?.asks.act)
    if (effect === 'publish' || (byKey && effect)) setAsking(effect)
    else decide.mutate(null)
  }
  const onRow = (act: () => void) => () => isRowFocused(post.id) && act()
  useShortcuts(keys && may ? { a: onRow(() => approve(true)), r: onRow(() => setRejecting(true)) } : {})
  if (!may) return null
  const named = (key: string) => (keys && shortcutsOn() ? key : undefined)
  return (
    <div className="flex flex-wrap gap-2">
      {approves && (
        <Button
          variant="primary"
          busy={decide.isPending && !rejecting}
          reason={off}
          aria-keyshortcuts={named('A')}
          title={named(withKey(t('approve'), 'A'))}
          onClick={() => approve(false)}
        >
          <Check className="size-4" aria-hidden />
          {t('approve')}
        </Button>
      )}
      <Button
        aria-keyshortcuts={named('R')}
        title={named(withKey(t('reject'), 'R'))}
        onClick={() => setRejecting(true)}
      >
        <MessageSquareWarning className="size-4" aria-hidden />
        {t('reject')}
      </Button>
      <Confirm
        open={asking !== null}
        onOpenChange={() => setAsking(null)}
        title={t(asking === 'schedule' ? 'scheduleTitle' : 'publishTitle')}
        description={
          <>
            {post.caption && <bdi className="block clip font-medium text-fg">{post.caption}</bdi>}
            {asking === 'schedule' ? t('scheduleBody', { time: moment(post.scheduledAt ?? '') }) : t('publishBody')}
          </>
        }
        action={t(asking === 'schedule' ? 'approve' : 'publishAction')}
        busy={decide.isPending}
        onConfirm={() => decide.mutate(null)}
      />
      {rejecting && (
        <Suspense>
          <RejectDialog
            author={post.approval?.requestedBy?.name ?? post.createdBy?.name ?? ''}
            busy={decide.isPending}
            onClose={() => setRejecting(false)}
            onReject={(reason) => decide.mutate({ reason })}
          />
        </Suspense>
      )}
    </div>
  )
}
