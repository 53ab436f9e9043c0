import { clsx } from 'clsx'
import { LockKeyhole } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import type { SavedReply } from '../../../../src/conversations/replies/api.ts'
import { shortcutsOn } from '../../../shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { EmojiButton } from '../../../ui/emoji.tsx'
import { MOD } from '../../../ui/kbd.tsx'
import { PictureButton } from './reply-picture.tsx'
import { SavedReplies } from './saved-replies.tsx'
import type { ReplyPicture } from './unsent-reply.ts'
import type { useReplyLimits } from './use-reply-limits.ts'

interface Props {
  thread: OpenThread
  text: string
  picture: ReplyPicture | null
  privately: boolean
  limits: ReturnType<typeof useReplyLimits>
  /** Why writing is disabled. */
  refused: string | null
  busy: boolean
  onPicture: (picture: ReplyPicture | null) => void
  onPrivately: (privately: boolean) => void
  onEmoji: (emoji: string) => void
  onSaved: (reply: SavedReply) => void
}

/** The row below a reply: what can be added to it, how it is sent, how long it is, and the button that sends it. */
export function ReplyTools({
  thread,
  text,
  picture,
  privately,
  limits: { secretly, limit, size, isOver, taken, reason },
  refused,
  busy,
  onPicture,
  onPrivately,
  onEmoji,
  onSaved,
}: Props) {
  const t = useTranslations('inbox')
  const format = useFormatter()
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 px-1.5 pb-1.5">
      {limit?.pictures && !secretly && <PictureButton picture={picture} refused={refused} onChange={onPicture} />}
      {/* Phones have emoji on their keyboards. */}
      {!refused && (
        <span className="max-sm:hidden">
          <EmojiButton onPick={onEmoji} />
        </span>
      )}
      <SavedReplies thread={thread} text={text} refused={refused} onPick={onSaved} />
      {thread.kind === 'COMMENT' && (
        <Button
          variant="ghost"
          size="sm"
          aria-pressed={privately}
          reason={privately ? null : picture ? t('private.picture') : taken && t(`private.${taken}`)}
          onClick={() => onPrivately(!privately)}
          className={clsx(secretly && 'bg-accent-soft text-accent-text!')}
        >
          <LockKeyhole className="size-3.5" aria-hidden />
          {t('privately')}
        </Button>
      )}
      <span className="min-w-0 grow text-end text-xs">
        {limit && size > limit.most * 0.8 && (
          <bdi dir="ltr" className={clsx('px-1 tabular-nums', isOver ? 'text-bad' : 'text-muted')}>
            {format.number(size)} / {format.number(limit.most)}
          </bdi>
        )}
      </span>
      <Button
        type="submit"
        variant="primary"
        busy={busy}
        reason={refused ?? reason}
        aria-keyshortcuts="Meta+Enter Control+Enter"
      >
        {t(secretly ? 'sendPrivately' : 'send')}
        {shortcutsOn() && (
          <span aria-hidden dir="ltr" className="text-xs font-normal opacity-80 max-sm:hidden">
            {MOD} ↵
          </span>
        )}
      </Button>
    </div>
  )
}
