import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { TriangleAlert } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { NetworkMark } from '../../ui/network.tsx'
import { STATUS_LOOK } from '../../ui/status.tsx'
import { usePlace } from '../shell/workspace.tsx'
import type { Entry } from './entry.ts'

/** A post in a cell: time, status by icon, colour and word, caption, networks. `roomy` gives the caption a line of its own. */
export function Chip({ entry, roomy }: { entry: Entry; roomy?: boolean }) {
  const t = useTranslations('calendar')
  const status = useTranslations('status')
  const format = useFormatter()
  const { ws, workspace } = usePlace()
  const look = STATUS_LOOK[entry.status]
  const Icon = look.icon
  const time = format.dateTime(new Date(entry.happensAt), {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: workspace.timezone,
  })
  const caption = <bdi className="truncate">{entry.caption || t('untitled')}</bdi>
  return (
    <Link
      to="/w/$ws/posts/$id"
      params={{ ws, id: entry.id }}
      draggable={false}
      data-post={entry.id}
      data-version={entry.version}
      className={clsx(
        'flex min-h-6 min-w-0 flex-col justify-center rounded-[5px] border border-s-[3px] border-line px-1.5 py-0.5 text-xs leading-4.5 hover:brightness-[0.97] dark:hover:brightness-125',
        look.soft,
        look.edge,
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5">
        <Icon className={clsx('size-3 shrink-0', look.text)} aria-hidden />
        <span className="sr-only">{status(entry.status)}</span>
        <bdi className="shrink-0 font-medium tabular-nums">{time}</bdi>
        {!roomy && caption}
        <span className="ms-auto flex shrink-0 gap-0.5">
          {entry.problems > 0 && entry.status === 'SCHEDULED' && (
            <TriangleAlert className="size-3.5 text-warn" aria-label={t('problems', { count: entry.problems })} />
          )}
          {entry.platforms.map((platform) => (
            <NetworkMark key={platform} platform={platform} label small />
          ))}
        </span>
      </span>
      {roomy && <span className="flex min-w-0">{caption}</span>}
    </Link>
  )
}
