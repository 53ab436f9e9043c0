import { Trash2 } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslations } from 'use-intl'
import { useAgo } from '../../../now.ts'
import type { Comment } from '../../../../src/publishing/approvals/api.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { besideOf } from '../../../ui/beside.ts'
import { Button } from '../../../ui/button.tsx'

interface Props {
  /** Newest first, as the service returns them. */
  comments: Comment[]
  /** Absent where nothing can be removed. */
  removable?: (comment: Comment) => boolean
  onRemove?: (comment: Comment) => void
}

/** The comments on a post, oldest first. */
export function CommentList({ comments, removable, onRemove }: Props) {
  const t = useTranslations('approvals')
  const ago = useAgo()
  if (comments.length === 0) return <p className="text-13 text-muted">{t('noComments')}</p>
  return (
    <ul className="grid gap-3">
      {comments.toReversed().map((comment) => (
        <li key={comment.id} className="flex items-start gap-2.5">
          <Avatar name={comment.author.name} />
          <div className="min-w-0 grow text-13">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <bdi className="font-medium">{comment.author.name}</bdi>
              <span className="text-xs text-muted">{ago(comment.createdAt)}</span>
            </p>
            <p dir="auto" className="break-words whitespace-pre-wrap">
              <Mentioning {...comment} />
            </p>
          </div>
          {removable?.(comment) && (
            <Button
              variant="ghost"
              size="icon"
              aria-label={t('removeComment', { name: comment.author.name })}
              data-remove
              onClick={(event) => {
                besideOf(event.currentTarget, 'textarea')?.focus()
                onRemove?.(comment)
              }}
            >
              <Trash2 className="size-4" aria-hidden />
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The text with its mentions highlighted. */
function Mentioning({ text, mentions }: Pick<Comment, 'text' | 'mentions'>) {
  const names = mentions.map(({ name }) => `@${name}`).filter((name) => name !== '@')
  if (names.length === 0) return text
  const escaped = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'u'))
  return parts.map((part, index) =>
    names.includes(part) ? (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never change their order
      <bdi key={index} className="font-medium text-accent-text">
        {part}
      </bdi>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the same
      <Fragment key={index}>{part}</Fragment>
    ),
  )
}
