import { Check, MessageSquareWarning } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../src/posts/api.ts'
import { shortcutsOn, useShortcuts } from '../../shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { usePlace } from '../shell/workspace.tsx'
import { RejectDialog } from './reject-dialog.tsx'
import { useDecide, useMayDecide } from './use-decide.ts'

interface Props {
  post: Post
  /** Why it cannot be approved now. */
  off?: string | null
  /** Whether A approves and R requests changes. */
  keys?: boolean
  onDecided?: () => void
}

/** Approve, or request changes; nothing for who cannot decide this post now. */
export function DecideBar({ post, off, keys, onDecided }: Props) {
  const t = useTranslations('approvals')
  const { membership } = usePlace()
  const [rejecting, setRejecting] = useState(false)
  const decide = useDecide(post, () => {
    setRejecting(false)
    onDecided?.()
  })
  const may = useMayDecide()(post)
  const approves = may && !(membership.role === 'CLIENT' && post.status === 'SCHEDULED' && post.approved)
  const approve = () => {
    if (approves && !off && !decide.isPending) decide.mutate(null)
  }
  useShortcuts(keys && may ? { a: approve, r: () => setRejecting(true) } : {})
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
          onClick={approve}
        >
          <Check className="size-4" aria-hidden />
          {t('approve')}
        </Button>
      )}
      <Button aria-keyshortcuts={named('R')} onClick={() => setRejecting(true)}>
        <MessageSquareWarning className="size-4" aria-hidden />
        {t('reject')}
      </Button>
      {rejecting && (
        <RejectDialog
          author={post.approval?.requestedBy?.name ?? post.createdBy?.name ?? ''}
          busy={decide.isPending}
          onClose={() => setRejecting(false)}
          onReject={(reason) => decide.mutate({ reason })}
        />
      )}
    </div>
  )
}
