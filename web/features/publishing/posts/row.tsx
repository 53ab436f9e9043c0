import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Suspense } from 'react'
import { TriangleAlert } from 'lucide-react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { isTimePassed, likelyFails } from '../../../../src/publishing/posts/rules.ts'
import { postTexts } from '../../../i18n.tsx'
import { fileUrl } from '../../../files.ts'
import { timeFormat, zoneName } from '../../../time.ts'
import { LabelChips } from '../../../ui/label-chip.tsx'
import { NetworkMarks } from '../../../ui/network.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Thumb } from '../../../ui/row.tsx'
import { ApprovalBadge, StatusBadge } from '../../../ui/status.tsx'
import { usePlace } from '../../shell/workspace.tsx'

// Few posts are approved after their time.
const NewTime = lazy(async () => {
  await postTexts()
  return import('../post/new-time.tsx')
})

interface Props {
  post: Post
  selected: boolean
  /** Absent if the person cannot act on posts. */
  onSelect?: (selected: boolean) => void
}

export function PostRow({ post, selected, onSelect }: Props) {
  const t = useTranslations('posts')
  const bulk = useTranslations('bulk')
  const format = useFormatter()
  const locale = useLocale()
  const { ws, workspace } = usePlace()
  const zone = workspace.timezone
  const at = new Date(post.happensAt)
  const platforms = post.publications.flatMap((one) => (one.dropped ? [] : [one.platform]))
  const problems = post.checks.filter(likelyFails).length
  const late = post.checks.some(isTimePassed)
  const time = format.dateTime(at, timeFormat(at, zone))
  // A partly live post keeps the time when it went live while its other targets are tried again.
  const isLive =
    post.status === 'PUBLISHED' ||
    post.status === 'PARTIALLY_PUBLISHED' ||
    post.publications.some(({ publishedAt }) => publishedAt === post.happensAt)
  const kind =
    post.status === 'SCHEDULED'
      ? 'goesOut'
      : isLive
        ? 'wentOut'
        : !post.scheduledAt
          ? 'written'
          : post.status === 'DRAFT'
            ? 'meantFor'
            : 'planned'
  return (
    <li
      className={clsx(
        'relative flex min-h-(--row) items-center gap-3 px-4 py-2 hover:bg-hover focus-within:bg-hover lg:px-6',
        selected && 'bg-accent-soft!',
      )}
    >
      {onSelect && (
        <label className="relative z-1 -ms-3.5 -me-2 grid size-11 shrink-0 place-items-center">
          <input type="checkbox" checked={selected} onChange={(event) => onSelect(event.target.checked)} />
          <span className="sr-only">{bulk('select', { caption: post.caption || t('untitled') })}</span>
        </label>
      )}
      <Thumb url={fileUrl(post.media[0]?.file.thumbnailUrl)} className="size-10" />
      <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-x-4 lg:grid-cols-[minmax(0,1fr)_4rem_15rem] lg:items-center">
        <div className="min-w-0">
          <Link
            to="/w/$ws/posts/$id"
            params={{ ws, id: post.id }}
            dir="auto"
            className="block clip font-medium after:absolute after:inset-0"
          >
            {post.caption || t('untitled')}
          </Link>
          <div className="mt-0.5 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-muted empty:hidden">
            {post.createdBy && <bdi className="max-sm:hidden">{post.createdBy.name}</bdi>}
            <LabelChips labels={post.labels} />
            {post.status === 'SCHEDULED' && problems > 0 && (
              <span className="flex items-center gap-1 text-warn">
                <TriangleAlert className="size-3.5" aria-hidden />
                {t('problems', { count: problems })}
              </span>
            )}
            {late && (
              <span className="flex items-center gap-1 text-warn">
                <TriangleAlert className="size-3.5" aria-hidden />
                {t('timePassed')}
              </span>
            )}
            <ApprovalBadge post={post} />
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-muted max-lg:mt-1 lg:contents">
          <span className="empty:hidden lg:justify-self-end">
            {platforms.length > 0 && <NetworkMarks platforms={platforms} />}
          </span>
          <span className="tabular-nums">
            {/* The badge of a published post already says so. */}
            {post.status !== 'PUBLISHED' && `${t(kind)} `}
            <bdi>
              {time} {zoneName(zone, at, locale)}
            </bdi>
          </span>
          <span className="sm:hidden">
            <StatusBadge post={post} />
          </span>
        </div>
        {late && onSelect && (
          <div className="relative z-1 mt-2 w-fit">
            <Suspense fallback={<span className="block h-7" />}>
              <NewTime post={post} />
            </Suspense>
          </div>
        )}
      </div>
      <span className="w-40 shrink-0 max-sm:hidden">
        <StatusBadge post={post} />
      </span>
    </li>
  )
}
