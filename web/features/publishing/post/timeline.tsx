import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  CalendarClock,
  CalendarX2,
  CheckCheck,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleStop,
  Clock,
  type LucideIcon,
  MessageSquareWarning,
  PenLine,
  RotateCcw,
  Send,
  ShieldCheck,
  Undo2,
} from 'lucide-react'
import { useEffect } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { Post, Publication } from '../../../../src/publishing/posts/api.ts'
import type { PostEvent } from '../../../../src/publishing/sending/api.ts'
import { isolate } from '../../../bidi.ts'
import { call } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { zoneName } from '../../../time.ts'
import { versionsQuery } from '../approvals/queries.ts'
import { useMoment } from '../../shell/moment.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useWhen } from '../today/when.ts'

interface Happening {
  key: string
  at: string
  icon: LucideIcon
  tone: string
  text: string
}

const EVENT_LOOK: Record<PostEvent['action'], { icon: LucideIcon; tone: string }> = {
  'approval.requested': { icon: ShieldCheck, tone: 'text-muted' },
  'approval.approved': { icon: CheckCheck, tone: 'text-ok' },
  'approval.rejected': { icon: MessageSquareWarning, tone: 'text-bad' },
  'approval.withdrawn': { icon: Undo2, tone: 'text-muted' },
  'post.scheduled': { icon: CalendarClock, tone: 'text-muted' },
  'post.cancelled': { icon: CalendarX2, tone: 'text-muted' },
  'post.publish_requested': { icon: Send, tone: 'text-muted' },
  'post.retried': { icon: RotateCcw, tone: 'text-muted' },
  'publication.attempt_failed': { icon: CircleAlert, tone: 'text-warn' },
  'publication.failed': { icon: CircleAlert, tone: 'text-bad' },
  'publication.stopped': { icon: CircleStop, tone: 'text-muted' },
  'publication.retried_now': { icon: RotateCcw, tone: 'text-muted' },
}

/** The history of a post, newest first, with its planned events above. */
export function Timeline({ post }: { post: Post }) {
  const t = useTranslations('post.timeline')
  const locale = useLocale()
  const moment = useMoment()
  const when = useWhen()
  const { workspace } = usePlace()
  // Of events with the same time, the one that was written later comes first.
  const happenings = useHappenings(post)
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .toReversed()
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4" aria-labelledby="timeline-title">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="timeline-title" className="text-13 font-semibold">
          {t('title')}
        </h2>
        <span className="text-xs text-muted">{zoneName(workspace.timezone, new Date(), locale)}</span>
      </div>
      <ol className="grid grid-cols-[minmax(0,1fr)]">
        {happenings.map(({ key, at, icon: Icon, tone, text }) => (
          <li
            key={key}
            className="relative flex gap-3 pb-3 text-13 not-last:before:absolute not-last:before:start-[7.5px] not-last:before:top-5 not-last:before:bottom-1 not-last:before:w-px not-last:before:bg-line-strong last:pb-0"
          >
            <Icon className={`mt-px size-4 shrink-0 ${tone}`} aria-hidden />
            <span className="min-w-0 grow break-words">{text}</span>
            <time dateTime={at} title={moment(at, 'any')} className="shrink-0 text-xs text-muted tabular-nums">
              {when(at)}
            </time>
          </li>
        ))}
      </ol>
      {post.late && <p className="text-13 text-warn">{t('late')}</p>}
    </section>
  )
}

/** All known events. Those that can have the same time are in the order in which they were written. */
function useHappenings(post: Post): Happening[] {
  const t = useTranslations('post.timeline')
  const list = new Intl.ListFormat(useLocale())
  const { ws, membership } = usePlace()
  const query = useInfiniteQuery({ ...versionsQuery(ws, post.id), enabled: !refusal(membership, 'listVersions') })
  const { hasNextPage, isFetching, isError, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  const loaded = query.data?.pages.flatMap(({ data }) => data) ?? []
  // The oldest version is the post as created. It is loaded if there is no next page.
  const edits = hasNextPage ? loaded : loaded.slice(0, -1)
  const { data: events } = useQuery({
    queryKey: [ws, 'post-events', post.id],
    queryFn: async ({ signal }) =>
      (await call('listPostEvents', { workspace: ws, params: { id: post.id }, signal })).data,
  })
  const when = useWhen()
  const writer = post.createdBy?.name
  const found: Happening[] = [
    {
      key: 'created',
      at: post.createdAt,
      icon: PenLine,
      tone: 'text-muted',
      text: writer ? t('written', { name: isolate(writer) }) : t('created'),
    },
  ]
  for (const { id, savedAt, savedBy } of edits.toReversed())
    found.push({
      key: id,
      at: savedAt,
      icon: PenLine,
      tone: 'text-muted',
      text: savedBy?.name ? t('edited', { name: isolate(savedBy.name) }) : t('changed'),
    })
  const counted = post.publications.filter(({ dropped }) => !dropped)
  const placeOf = ({ platform, accountName }: Publication) => {
    const several = counted.filter((other) => other.platform === platform).length > 1
    return several ? isolate(accountName) : NETWORKS[platform].short
  }
  // Includes failures that a retry has fixed. Once loaded, they include the current failure.
  for (const { id, at, action, publicationIds, by, scheduledAt } of events ?? []) {
    const network = list.format(counted.filter((one) => publicationIds.includes(one.id)).map(placeOf))
    if (!network && publicationIds.length > 0) continue
    const name = isolate(by ?? t('someone'))
    const text =
      action === 'post.scheduled' && scheduledAt
        ? t('events.post.scheduledFor', { name, time: when(scheduledAt) })
        : t(`events.${action}`, { name, network })
    found.push({ key: id, at, ...EVENT_LOOK[action], text })
  }
  const isTold = ({ id }: Publication) =>
    events?.some(
      ({ action, publicationIds }) =>
        (action === 'publication.failed' || action === 'publication.stopped') && publicationIds.includes(id),
    )
  for (const one of counted) {
    const happened = outcomeOf(one)
    if (!happened || ((happened.kind === 'failed' || happened.kind === 'stopped') && isTold(one))) continue
    const { at, kind, icon, tone } = happened
    const network = placeOf(one)
    found.push({
      key: one.id,
      at,
      icon,
      tone,
      text:
        kind === 'stopped'
          ? t('events.publication.stopped', { network, name: isolate(one.stoppedBy ?? t('someone')) })
          : kind === 'failed'
            ? t('events.publication.failed', { network })
            : t(kind, { network }),
    })
  }
  if (post.status === 'SCHEDULED' && post.scheduledAt)
    found.push({ key: 'planned', at: post.scheduledAt, icon: Clock, tone: 'text-accent-text', text: t('planned') })
  return found
}

/** The final event of a target, with its time. */
function outcomeOf({ state, error, publishedAt, updatedAt }: Publication) {
  if (state === 'PUBLISHED')
    return { at: publishedAt ?? updatedAt, kind: 'live', icon: CircleCheck, tone: 'text-ok' } as const
  if (state === 'UNCONFIRMED') return { at: updatedAt, kind: 'unknown', icon: CircleHelp, tone: 'text-warn' } as const
  if (state !== 'FAILED') return null
  if (error?.code === 'stopped')
    return { at: updatedAt, kind: 'stopped', icon: CircleStop, tone: 'text-muted' } as const
  return { at: updatedAt, kind: 'failed', icon: CircleAlert, tone: 'text-bad' } as const
}
