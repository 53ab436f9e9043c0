import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { FileText } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import { fileUrl } from '../../../files.ts'
import { NetworkMark } from '../../../ui/network.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useAgo } from '../../../now.ts'
import { useWaits } from './people.ts'

interface Props {
  request: ListedApproval
  open: boolean
  /** Whether the row takes the focus when it opens, because the keyboard moved to it. */
  focuses: boolean
  selected: boolean
  /** Absent if the request does not wait for this person. */
  onSelect?: ((selected: boolean) => void) | undefined
}

export function QueueRow({ request, open, focuses, selected, onSelect }: Props) {
  const t = useTranslations('approvals')
  const posts = useTranslations('posts')
  const bulk = useTranslations('bulk')
  const ago = useAgo()
  const { ws } = usePlace()
  const { post } = request
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!open) return
    row.current?.scrollIntoView({ block: 'nearest' })
    if (focuses) row.current?.querySelector<HTMLElement>('[data-row]')?.focus()
  }, [open, focuses])
  const caption = post.caption || posts('untitled')
  const image = fileUrl(post.thumbnailUrl)
  const waits = useWaits()
  return (
    <li
      ref={row}
      className={clsx(
        'relative flex min-h-17 items-center gap-3 px-4 py-2.5 hover:bg-hover focus-within:bg-hover',
        open && 'bg-accent-soft!',
      )}
    >
      {onSelect && (
        <label className="relative z-1 -ms-3.5 -me-2 grid size-11 shrink-0 place-items-center">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={selected}
            onChange={(event) => onSelect(event.target.checked)}
          />
          <span className="sr-only">{bulk('select', { caption })}</span>
        </label>
      )}
      {image ? (
        <img src={image} alt="" className="size-10 shrink-0 rounded-md border object-cover" />
      ) : (
        <span className="grid size-10 shrink-0 place-items-center rounded-md border bg-sunken text-muted">
          <FileText className="size-4" aria-hidden />
        </span>
      )}
      <div className="min-w-0 grow">
        <Link
          to="/w/$ws/approvals"
          params={{ ws }}
          search={(before) => ({ ...before, id: request.id })}
          aria-current={open ? 'true' : undefined}
          data-row={request.postId}
          dir="auto"
          className="block clip text-13 font-medium after:absolute after:inset-0"
        >
          {caption}
        </Link>
        <p className="mt-0.5 text-xs break-words text-muted">
          {request.state === 'PENDING'
            ? waits(request, ago(request.createdAt))
            : `${t(`states.${request.state}`)} · ${ago(request.decidedAt ?? request.createdAt)}`}
        </p>
        <p className="mt-1 flex flex-wrap gap-1">
          {post.platforms.map((platform) => (
            <NetworkMark key={platform} platform={platform} label small />
          ))}
        </p>
      </div>
    </li>
  )
}
