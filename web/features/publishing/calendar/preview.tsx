import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CalendarClock, Check, Send, Trash2, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { allowed, mayPublishNow } from '../../../../src/publishing/posts/rules.ts'
import { call, isProblem } from '../../../client.ts'
import { fileUrl } from '../../../files.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { timeFormat } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { LabelChips } from '../../../ui/label-chip.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { ApprovalBadge, StatusBadge } from '../../../ui/status.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { effectOf } from '../approvals/effect.ts'
import { useDecide, useMayDecide } from '../approvals/use-decide.ts'
import { waitsForClient } from '../approvals/waits.ts'
import { useRestoreDeleted } from '../posts/restore-deleted.ts'
import type { CalendarEntry } from './entry.ts'
import { useMoving } from './moving.ts'

interface Props {
  entry: CalendarEntry
  onClose: (refocus?: boolean) => void
}

/** A preview of a post with its most common actions. */
export default function Preview({ entry, onClose }: Props) {
  const t = useTranslations('calendar')
  const common = useTranslations('common')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const at = new Date(entry.happensAt)
  const { data: post } = useQuery(postQuery(ws, entry.id))
  const first = useRef<HTMLAnchorElement>(null)
  useEffect(() => first.current?.focus(), [])
  const picture = fileUrl(post?.media[0]?.file.thumbnailUrl ?? entry.thumbnailUrl)
  const accounts = post?.publications.flatMap((one) => (one.dropped ? [] : [one.accountName])) ?? []
  return (
    <div className="grid grid-cols-[minmax(0,1fr)]">
      <div className="flex items-center gap-2 py-2 ps-3 pe-2">
        <StatusBadge post={entry} />
        <span className="min-w-0 grow clip font-medium tabular-nums">
          {format.dateTime(at, timeFormat(at, workspace.timezone))}
        </span>
        <Button variant="ghost" size="icon" aria-label={common('close')} onClick={() => onClose()}>
          <X className="size-4" aria-hidden />
        </Button>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 px-3 pb-3">
        {picture && <img src={picture} alt="" className="max-h-40 w-full rounded-md object-cover" />}
        <p dir="auto" className="line-clamp-3 break-words whitespace-pre-line">
          {post?.caption || entry.caption || t('untitled')}
        </p>
        {entry.platforms.length > 0 && (
          <p className="flex min-w-0 items-center gap-2 text-xs text-muted">
            <NetworkMarks platforms={entry.platforms} />
            <span className="clip">{accounts.join(', ')}</span>
          </p>
        )}
        {entry.labels.length > 0 && <LabelChips labels={entry.labels} max={3} />}
        <p className="flex flex-wrap items-center gap-2 text-xs text-muted empty:hidden">
          <ApprovalBadge post={entry} />
          {post?.createdBy && <span className="ms-auto">{t('writtenBy', { name: post.createdBy.name })}</span>}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-1.5 border-t p-2">
        <Link ref={first} to="/w/$ws/posts/$id" params={{ ws, id: entry.id }} className={buttonClass('primary', 'sm')}>
          {t('openPost')}
        </Link>
        <Acts entry={entry} post={post} onClose={onClose} />
      </div>
    </div>
  )
}

function Acts({ entry, post, onClose }: Props & { post: Post | undefined }) {
  const t = useTranslations('calendar')
  const { movable, choose, publish } = useMoving()
  const { workspace, membership } = usePlace()
  const publishes = useMay('publishPost')
  const removes = useMay('deletePost')
  const mayDecide = useMayDecide()
  const can = allowed(entry.status)
  const isLive = entry.status === 'PUBLISHED' || entry.status === 'PARTIALLY_PUBLISHED'
  const mayPublish = mayPublishNow(workspace.approvalMode, membership.role, entry)
  const remove = useRemove(entry, post?.version ?? entry.version, onClose)
  return (
    <>
      {movable(entry) && (
        <Button
          size="sm"
          onClick={() => {
            onClose()
            choose(entry)
          }}
        >
          <CalendarClock className="size-3.5" aria-hidden />
          {t('move')}
        </Button>
      )}
      {/* Publishing immediately needs a confirmation, which the post's page asks for. */}
      {post && mayDecide(post) && effectOf(post, post.approval?.asks.act) !== 'publish' && (
        <Approve post={post} onClose={onClose} />
      )}
      <span className="ms-auto flex">
        {can.includes('publish') && !publishes.hidden && mayPublish && post && !waitsForClient(post) && (
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('publishNow')}
            title={publishes.reason ?? t('publishNow')}
            reason={publishes.reason}
            onClick={() => {
              onClose()
              publish(entry)
            }}
          >
            <Send className="size-4 rtl:-scale-x-100" aria-hidden />
          </Button>
        )}
        {can.includes('delete') && !isLive && !removes.hidden && (
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('delete')}
            title={t('delete')}
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            <Trash2 className="size-4" aria-hidden />
          </Button>
        )}
      </span>
    </>
  )
}

function Approve({ post, onClose }: { post: Post; onClose: Props['onClose'] }) {
  const t = useTranslations('calendar')
  const decide = useDecide(post, onClose)
  return (
    <Button size="sm" busy={decide.isPending} onClick={() => decide.mutate(null)}>
      <Check className="size-3.5" aria-hidden />
      {t('approve')}
    </Button>
  )
}

/** Deletes a post immediately. Undo restores it, with its schedule if possible. */
function useRemove(entry: CalendarEntry, version: number, onClose: Props['onClose']) {
  const t = useTranslations('calendar')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const restoreDeleted = useRestoreDeleted()
  const { ws } = usePlace()
  const lists = () => {
    for (const key of ['calendar', 'posts']) void client.invalidateQueries({ queryKey: [ws, key] })
  }
  const restore = async () => {
    const open = () => void navigate({ to: '/w/$ws/posts/$id', params: { ws, id: entry.id } })
    try {
      const { unscheduled } = await restoreDeleted(entry)
      if (unscheduled) toast.message(unscheduled, { action: { label: t('open'), onClick: open } })
    } catch (error) {
      toast.error(text(error))
    }
    lists()
  }
  return useMutation({
    mutationFn: () => call('deletePost', { workspace: ws, params: { id: entry.id }, ifMatch: version }),
    onSuccess: () => {
      onClose()
      client.removeQueries({ queryKey: postQuery(ws, entry.id).queryKey })
      lists()
      toast.success(t('deleted'), {
        duration: 10_000,
        action: { label: t('undo'), onClick: () => void restore() },
      })
    },
    onError: (error) => {
      toast.error(text(error))
      if (!isProblem(error) || (error.status !== 409 && error.status !== 412)) return
      void client.invalidateQueries({ queryKey: postQuery(ws, entry.id).queryKey })
      lists()
    },
  })
}
